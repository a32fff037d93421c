"""The day of a moment in a time zone, whatever its clocks do on that day."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from planet.timeline.edition import Days
from tests.cases import case, cases


@cases(
    "zone, first",
    case("UTC", "UTC", datetime(2026, 1, 1, tzinfo=UTC)),
    case("summer begins", "Europe/Berlin", datetime(2026, 3, 28, tzinfo=UTC)),
    case("midnight twice", "America/Havana", datetime(2026, 10, 31, tzinfo=UTC)),
    case("a day left out", "Pacific/Apia", datetime(2011, 12, 29, tzinfo=UTC)),
    case("odd seconds", "Africa/Monrovia", datetime(1972, 1, 6, tzinfo=UTC)),
    case("a quarter more", "Asia/Kathmandu", datetime(1985, 12, 30, tzinfo=UTC)),
)
def test_a_day_is_the_one_that_the_clocks_of_the_zone_show(zone: str, first: datetime) -> None:
    days = Days(ZoneInfo(zone))
    moments = [first + timedelta(minutes=7 * step, microseconds=step) for step in range(700)]

    assert [days.of(moment) for moment in moments] == [
        moment.astimezone(ZoneInfo(zone)).date() for moment in moments
    ]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_the_first_day_there_is_has_no_day_before_it(zone: str) -> None:
    first = datetime(1, 1, 1, 12, tzinfo=UTC)

    assert Days(ZoneInfo(zone)).of(first) == first.date()
