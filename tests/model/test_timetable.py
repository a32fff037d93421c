"""A time of day on some days of the week: over a year of hours, in five zones."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from planet.model import Timetable, Weekday
from tests.cases import case, cases

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
ZONES = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "America/Santiago",  # summer time begins at midnight there: that midnight does not exist
]
WEEKDAYS = tuple(Weekday)


@pytest.mark.parametrize("zone", ZONES)
@cases(
    "days",
    case("daily", WEEKDAYS),
    case("weekly", (Weekday.MONDAY,)),
    case("twice a week", (Weekday.TUESDAY, Weekday.SUNDAY)),
)
def test_each_day_of_the_year_that_is_meant_has_one_moment(
    zone: str, days: tuple[Weekday, ...]
) -> None:
    there = ZoneInfo(zone)
    timetable = Timetable(at=time(0), days=days, zone=there)
    hours = [NEW_YEAR + number * HOUR for number in range(365 * 24)]

    moments = sorted({timetable.next(hour) for hour in hours})

    dates = [moment.astimezone(there).date() for moment in moments]
    first, last = dates[0], dates[-1]
    meant = [
        first + timedelta(days=number)
        for number in range((last - first).days + 1)
        if WEEKDAYS[(first + timedelta(days=number)).weekday()] in days
    ]
    assert dates == meant


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("at", [time(0), time(2, 30)], ids=["midnight", "half past two"])
def test_every_hour_lies_between_the_last_moment_and_the_next(zone: str, at: time) -> None:
    timetable = Timetable(at=at, zone=ZoneInfo(zone))

    # Each hour of a day, and each day of the year, is among these.
    for number in range(0, 365 * 24, 5):
        now = NEW_YEAR + number * HOUR
        last, following = timetable.last(now), timetable.next(now)
        assert last <= now < following
        assert timetable.last(following) == following
        assert timetable.next(last) == following


@cases(
    "zone, at, now, expected",
    case(
        "a time that clocks leave out",
        "Europe/Berlin",
        time(2, 30),
        datetime(2026, 3, 28, 12, tzinfo=UTC),
        datetime(2026, 3, 29, 1, 0, tzinfo=UTC),
    ),
    case(
        "a time that comes twice",
        "Europe/Berlin",
        time(2, 30),
        datetime(2026, 10, 24, 12, tzinfo=UTC),
        datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
    ),
    case(
        "a midnight that clocks leave out",
        "America/Santiago",
        time(0),
        datetime(2026, 9, 5, 12, tzinfo=UTC),
        datetime(2026, 9, 6, 4, 0, tzinfo=UTC),
    ),
)
def test_where_clocks_change_the_next_moment_is(
    zone: str, at: time, now: datetime, expected: datetime
) -> None:
    assert Timetable(at=at, zone=ZoneInfo(zone)).next(now) == expected
