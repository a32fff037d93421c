"""The day of a moment in a time zone, whatever its clocks do on that day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from planet.timeline.edition import Days


@pytest.mark.parametrize(
    ("zone", "first"),
    [
        pytest.param("UTC", datetime(2026, 1, 1, tzinfo=UTC), id="UTC"),
        pytest.param("Europe/Berlin", datetime(2026, 3, 28, tzinfo=UTC), id="summer begins"),
        pytest.param("America/Havana", datetime(2026, 10, 31, tzinfo=UTC), id="midnight twice"),
        pytest.param("Pacific/Apia", datetime(2011, 12, 29, tzinfo=UTC), id="a day left out"),
        pytest.param("Africa/Monrovia", datetime(1972, 1, 6, tzinfo=UTC), id="odd seconds"),
        pytest.param("Asia/Kathmandu", datetime(1985, 12, 30, tzinfo=UTC), id="a quarter more"),
    ],
)
def test_a_day_is_the_one_that_the_clocks_of_the_zone_show(zone: str, first: datetime) -> None:
    days = Days(ZoneInfo(zone))
    moments = [first + timedelta(minutes=7 * step, microseconds=step) for step in range(700)]

    assert [days.of(each) for each in moments] == [
        each.astimezone(ZoneInfo(zone)).date() for each in moments
    ]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_the_first_day_there_is_has_no_day_before_it(zone: str) -> None:
    first = datetime(1, 1, 1, 12, tzinfo=UTC)

    assert Days(ZoneInfo(zone)).of(first) == first.date()
