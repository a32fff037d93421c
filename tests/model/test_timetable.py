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


BERLIN = "Europe/Berlin"


@cases(
    "at, zone, now, last, following",
    case("just before", (7, 0), BERLIN, "2026-11-20 05:59", "11-19 06:00", "11-20 06:00"),
    case("at that time", (7, 0), BERLIN, "2026-11-20 06:00", "11-20 06:00", "11-21 06:00"),
    case("at midnight", (0, 0), "Asia/Kolkata", "2026-11-19 18:30", "11-19 18:30", "11-20 18:30"),
    case(
        "when clocks leave it out",
        (2, 30),
        BERLIN,
        "2026-03-29 12:00",
        "03-29 01:00",
        "03-30 00:30",
    ),
    case(
        "when they leave it out first",
        (2, 0),
        BERLIN,
        "2026-03-29 12:00",
        "03-29 01:00",
        "03-30 00:00",
    ),
    case(
        "when it is the first again",
        (3, 0),
        BERLIN,
        "2026-03-29 12:00",
        "03-29 01:00",
        "03-30 01:00",
    ),
    case("when it comes twice", (2, 30), BERLIN, "2026-10-25 01:00", "10-25 00:30", "10-26 01:30"),
    case(
        "when clocks that leave it out move by half an hour",
        *((2, 10), "Australia/Lord_Howe", "2026-10-03 20:00", "10-03 15:30", "10-04 15:10"),
    ),
    case(
        "at a midnight that clocks leave out",
        *((0, 0), "America/Santiago", "2026-09-06 03:59", "09-05 04:00", "09-06 04:00"),
    ),
    case(
        "on a day that the calendar leaves out",
        *((7, 0), "Pacific/Apia", "2011-12-30 10:00", "12-30 10:00", "12-30 17:00"),
    ),
)
def test_a_time_of_every_day_has_these_moments(
    at: tuple[int, int], zone: str, now: str, last: str, following: str
) -> None:
    timetable = Timetable(at=time(*at), zone=ZoneInfo(zone))

    found = (timetable.last(utc(now)), timetable.next(utc(now)))

    assert found == (utc(f"{now[:5]}{last}"), utc(f"{now[:5]}{following}"))
    assert {moment.tzinfo for moment in found} == {UTC}


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
