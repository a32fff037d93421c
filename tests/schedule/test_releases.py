"""When a feed is asked that is only wanted when an edition comes out."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from planet.model import DueReason, FetchPolicy, Timetable, Weekday
from planet.schedule import next_poll
from planet.schedule.due import put_off
from tests.builders import make_feed, make_state
from tests.cases import case, cases

DAILY = Timetable(at=time(0), zone=ZoneInfo("UTC"))
MONDAYS = Timetable(at=time(6), days=(Weekday.MONDAY,), zone=ZoneInfo("UTC"))
HOUR = timedelta(hours=1)


def on(day: int, hour: int, minute: int = 0) -> datetime:
    """A moment in November 2026; the 23rd is a Monday."""
    return datetime(2026, 11, day, hour, minute, tzinfo=UTC)


def test_it_waits_for_the_two_hours_before_a_release() -> None:
    moments = [
        put_off(on(20, 12), f"feed {number}", [DAILY], succeeded_at=on(20, 11))
        for number in range(100)
    ]

    assert min(moments) >= on(20, 22)
    assert max(moments) <= on(20, 22, 36)
    assert len(set(moments)) == 100, "not all of them at once"


@cases(
    "due, succeeded_at",
    case("after success", on(20, 23, 30), on(20, 11)),
    case("after a failure", on(20, 23, 15), on(19, 22, 30)),
)
def test_what_is_due_in_these_hours_is_not_put_off(due: datetime, succeeded_at: datetime) -> None:
    assert put_off(due, "one", [DAILY], succeeded_at=succeeded_at) == due


@cases(
    "due, succeeded_at",
    case("for one that was read in time", on(20, 23, 15), on(20, 22, 10)),
    case("for one that was read after it, too", on(21, 1, 30), on(21, 0, 30)),
)
def test_once_before_each_release_is_enough(due: datetime, succeeded_at: datetime) -> None:
    again = put_off(due, "one", [DAILY], succeeded_at=succeeded_at)

    assert on(21, 22) <= again <= on(21, 22, 36)


def test_of_several_editions_the_first_that_comes_out_counts() -> None:
    moment = put_off(on(22, 23, 59), "one", [DAILY, MONDAYS], succeeded_at=on(22, 22, 30))

    assert on(23, 4) <= moment <= on(23, 4, 36)


@cases(
    "due, reason",
    case("put off", on(20, 12), DueReason.RELEASE),
    case("not put off", on(20, 23, 30), DueReason.ADAPTIVE),
)
def test_the_reason_says_what_it_waits_for(due: datetime, reason: DueReason) -> None:
    feed = make_feed(policy=FetchPolicy(releases=(DAILY,)))
    state = make_state(
        url=feed.url,
        succeeded_at=on(20, 11),
        attempted_at=on(20, 11),
        settled_at=on(20, 11),
        due_at=due,
        due_reason=DueReason.ADAPTIVE,
    )

    assert next_poll(feed, state, None)[1] is reason


def test_a_feed_that_would_list_the_first_of_its_posts_no_more_is_asked_sooner() -> None:
    busy = [on(20, 8) + number * timedelta(minutes=30) for number in range(8)]

    moment = put_off(on(20, 13), "one", [DAILY], succeeded_at=on(20, 12), posts=busy)

    assert moment == on(20, 15)


def test_a_feed_that_posts_little_is_not() -> None:
    calm = [on(number, 8) for number in range(1, 20)]

    moment = put_off(on(20, 13), "one", [DAILY], succeeded_at=on(20, 12), posts=calm)

    assert moment >= on(20, 22)


@pytest.mark.parametrize("name", ["one", "two", "three"])
@cases(
    "hours",
    case("the runs that `init` writes", 1.2),
    case("hourly runs", 1),
    case("a run every three hours", 3),
)
def test_over_a_quarter_of_a_year_it_is_read_once_before_each_release(
    name: str, hours: float
) -> None:
    read: list[datetime] = [on(1, 12)]
    now = on(1, 12)

    while now < on(1, 12) + timedelta(days=90):
        now += hours * HOUR
        planned = put_off(read[-1] + HOUR, name, [DAILY], succeeded_at=read[-1])
        if planned <= now:
            read.append(now)

    days = [DAILY.next(moment) for moment in read[1:]]
    assert len(days) == len(set(days))
    assert len(days) in (89, 90)
    if hours < 1.5:
        assert all(day - moment <= 2 * HOUR for day, moment in zip(days, read[1:], strict=True))
