"""An edition that comes out at times, over a year of hours: what it shows, and since when."""

from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest

from planet.config import Config
from planet.config.resolved import Site
from planet.model import Filters, Timetable, Weekday
from planet.timeline.edition import find_release
from planet.timeline.select import Search, select
from tests.builders import make_entry, make_feed

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
ZONES = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "America/Santiago",
]
WEEKLY = (Weekday.SUNDAY,)


def make_config(release: Timetable | None) -> Config:
    folder = Path("public")
    return Config(
        path=Path("config.yaml"),
        title="P",
        output=folder,
        state=Path("state"),
        site=Site(name="calm", release=release),
    )


def shown(found: dict[int, datetime], moment: datetime) -> list[int]:
    """Which of these entries, found at these times, are shown."""
    entries = [make_entry(number, first_seen=at) for number, at in found.items()]
    decisions = select(
        entries,
        {"one": make_feed(new_feed_entries=None)},
        planet=Filters(),
        search=Search({}, lambda numbers: {}),
        now=moment,
        released=moment,
    )
    return [decision.entry.number for decision in decisions if decision.kept]


@pytest.mark.parametrize("days", [tuple(Weekday), WEEKLY], ids=["daily", "weekly"])
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("every", [1, 5, 60], ids=["hourly", "every five hours", "every 60 hours"])
def test_each_entry_comes_out_with_the_first_run_after_its_release(
    zone: str, days: tuple[Weekday, ...], every: int
) -> None:
    chance = Random(zone)
    timetable = Timetable(at=time(0), days=days, zone=ZoneInfo(zone))
    config = make_config(timetable)
    last = NEW_YEAR
    found: dict[int, datetime] = {}
    hidden: dict[int, datetime] = {}
    came_out: dict[int, datetime] = {}

    for number in range(1, 365 * 24, every):
        now = NEW_YEAR + number * HOUR + chance.random() * HOUR
        moment = find_release(config, last, now)
        assert moment is not None
        if moment != last:
            last = moment
            for each in shown(hidden, moment):
                came_out[each] = now
                del hidden[each]
        # What this run finds is stored after a release that is due, and waits for the next one.
        if chance.random() < 0.05 * every:
            found[number] = hidden[number] = now

    late = timedelta(hours=every + 1)
    assert came_out
    for each, at in came_out.items():
        due = timetable.next(found[each])
        assert due <= at < due + late


def test_an_edition_that_shows_everything_at_once_has_no_such_moment() -> None:
    assert find_release(make_config(None), NEW_YEAR, NEW_YEAR) is None


def test_a_clock_that_went_back_takes_nothing_back() -> None:
    config = make_config(Timetable(at=time(0), zone=ZoneInfo("UTC")))

    assert find_release(config, NEW_YEAR + 9 * HOUR, NEW_YEAR - 9 * HOUR) == NEW_YEAR + 9 * HOUR
