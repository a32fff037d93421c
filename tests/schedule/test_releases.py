"""When a feed is asked that is only wanted when an edition comes out."""

from datetime import UTC, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from planet.model import DueReason, FeedState, FetchPolicy, Hints, Lifetime, Timetable, Weekday
from planet.schedule import next_poll
from planet.schedule.due import due_before_release
from tests.builders import make_feed, make_profile, make_state
from tests.cases import case, cases
from tests.schedule.states import BOTH, HOUR

DAILY = Timetable(at=time(0), zone=ZoneInfo("UTC"))
MONDAYS = Timetable(at=time(6), days=(Weekday.MONDAY,), zone=ZoneInfo("UTC"))


def on(day: int, hour: int, minute: int = 0) -> datetime:
    """A moment in November 2026; the 23rd is a Monday."""
    return datetime(2026, 11, day, hour, minute, tzinfo=UTC)


def read(at: datetime, due_at: datetime, **changes: Any) -> FeedState:
    """What is known of a feed that was read at a moment, and is due by its pace at another."""
    known = {
        "attempted_at": at,
        "settled_at": at,
        "succeeded_at": at,
        "due_at": due_at,
        "due_reason": DueReason.ADAPTIVE,
        "validators": BOTH,
        "whole_at": at,
    }
    return make_state(**{**known, **changes})


def moment(
    due_at: datetime,
    *releases: Timetable,
    read_at: datetime,
    name: str = "one",
    **changes: Any,
) -> datetime:
    """When such a feed is to be asked."""
    feed = make_feed(name, policy=FetchPolicy(releases=releases or (DAILY,)))
    return due_before_release(due_at, feed, read(read_at, due_at, **changes))


def test_it_waits_for_the_time_before_a_release() -> None:
    assert moment(on(20, 12), read_at=on(20, 11)) == on(20, 22, 36)


@cases(
    "due_at, changes, earliest",
    case("its pace", on(20, 23, 30), {}, None),
    case("its pace, though that is after the release", on(21, 0, 30), {}, None),
    case(
        "a failure",
        on(20, 23, 15),
        {"due_reason": DueReason.BACKOFF, "failures": 1},
        on(20, 23, 15),
    ),
    case(
        "its ttl, whatever its pace is",
        on(20, 23, 30),
        {"profile": make_profile(hints=Hints(ttl=4.25 * HOUR))},
        on(20, 23, 15),
    ),
    case(
        "the lifetime of its answer",
        on(20, 23, 30),
        {"lifetime": Lifetime(length=4.25 * HOUR, said_by=DueReason.MAX_AGE)},
        on(20, 23, 15),
    ),
    case(
        "what its server taught",
        on(20, 23, 30),
        {"learned_floor": 4.25 * HOUR},
        on(20, 23, 15),
    ),
    case("a rest", on(20, 23, 30), {"rests_until": on(20, 23, 20)}, on(20, 23, 20)),
)
def test_a_feed_is_put_off_past_its_time_before_a_release_by_limits_alone(
    due_at: datetime, changes: dict[str, Any], earliest: datetime | None
) -> None:
    at = moment(due_at, read_at=on(20, 19), **changes)

    if earliest is None:
        assert at == on(20, 22, 36), "no reason to come too late"
    else:
        assert at == earliest


@cases(
    "due_at, read_at",
    case("for one that was read in time", on(20, 23, 45), on(20, 22, 40)),
    case("for one that was read after it, too", on(21, 1, 30), on(21, 0, 30)),
)
def test_once_before_each_release_is_enough(due_at: datetime, read_at: datetime) -> None:
    again = moment(due_at, read_at=read_at)

    assert again == on(21, 22, 36)


def test_of_several_editions_the_first_that_comes_out_counts() -> None:
    at = moment(on(22, 23, 59), DAILY, MONDAYS, read_at=on(22, 22, 40))

    assert at == on(23, 4, 36)


@cases(
    "due_at, reason",
    case("put off", on(20, 12), DueReason.RELEASE),
    case("asked sooner", on(21, 0, 30), DueReason.RELEASE),
    case("neither", on(20, 23, 30), DueReason.TTL),
)
def test_the_reason_says_what_it_waits_for(due_at: datetime, reason: DueReason) -> None:
    feed = make_feed(policy=FetchPolicy(releases=(DAILY,)))
    before = DueReason.TTL if reason is DueReason.TTL else DueReason.ADAPTIVE
    state = read(on(20, 11), due_at, url=feed.url, due_reason=before)

    assert next_poll(feed, state, None)[1] is reason
