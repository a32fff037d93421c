"""When a feed is asked that is only wanted when an edition comes out."""

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from planet.model import DueReason, FeedState, FetchPolicy, Hints, Lifetime, Timetable, Weekday
from planet.schedule import is_measuring, next_poll, select_due, usual_interval
from planet.schedule.constants import RUNS_HOLD, RUNS_SEEN
from planet.schedule.due import due_before_release, plan_poll
from tests.builders import make_feed, make_profile, make_state
from tests.cases import case, cases
from tests.schedule.states import BOTH, HOUR, MINUTE, make_known

DAILY = Timetable(at=time(0), zone=ZoneInfo("UTC"))
MONDAYS = Timetable(at=time(6), days=(Weekday.MONDAY,), zone=ZoneInfo("UTC"))
WRITTEN = 72 * MINUTE


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
    run_every: timedelta = WRITTEN,
    **changes: Any,
) -> datetime:
    """When such a feed is to be asked."""
    feed = make_feed(name, policy=FetchPolicy(releases=releases or (DAILY,)))
    return due_before_release(due_at, feed, read(read_at, due_at, **changes), run_every=run_every)


@cases(
    "run_every, expected",
    case("84 minutes", WRITTEN, on(20, 22, 36)),
    case("less where there are more runs", 12 * MINUTE, on(20, 23, 46)),
    case("more where there are fewer", 3 * HOUR, on(20, 20, 30)),
)
def test_it_waits_for_the_time_before_a_release(run_every: timedelta, expected: datetime) -> None:
    assert moment(on(20, 12), read_at=on(20, 11), run_every=run_every) == expected


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


def test_after_a_run_that_was_killed_the_floor_holds_also_before_a_release() -> None:
    feed = make_feed(policy=FetchPolicy(releases=(DAILY,)))
    state = read(on(20, 20), on(20, 21), url=feed.url, attempted_at=on(20, 22, 50))

    assert plan_poll(feed, state)[0] == on(20, 23, 50)


def test_a_feed_that_would_list_the_first_of_its_posts_no_more_is_asked_sooner() -> None:
    busy = tuple(on(20, 8) + number * timedelta(minutes=30) for number in range(8))

    assert moment(on(20, 13), read_at=on(20, 12), posts=busy) == on(20, 15)


def test_a_feed_that_posts_little_is_not() -> None:
    calm = tuple(on(number, 8) for number in range(1, 20))

    assert moment(on(20, 13), read_at=on(20, 12), posts=calm) == on(20, 22, 36)


@cases(
    "gaps, expected",
    case("of nothing", [], 72),
    case("of too few", [30, 30], 72),
    case("of a schedule", [30] * 20, 30),
    case("of a schedule that is kept badly", [70, 75, 80, 72, 71, 95, 150, 72, 74, 73, 600], 150),
)
def test_the_usual_time_between_runs(gaps: list[int], expected: int) -> None:
    runs = [on(1, 0)]
    for gap in gaps:
        runs.append(runs[-1] + gap * MINUTE)

    assert usual_interval(runs) == expected * MINUTE


ZONES = [
    *("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu"),
    *("Pacific/Kiritimati", "Pacific/Pago_Pago", "Australia/Lord_Howe"),
]


@cases(
    "counted, since, expected",
    case("none", 0, MINUTE, True),
    case("too few", RUNS_SEEN - 1, WRITTEN, True),
    case("all of them", RUNS_SEEN, WRITTEN, False),
    case("all of them, but long ago", RUNS_SEEN, RUNS_HOLD, True),
)
def test_whether_the_time_between_runs_is_measured_where_there_were(
    counted: int, since: timedelta, expected: bool
) -> None:
    runs = [on(1, 0) + number * WRITTEN for number in range(counted)]
    last = runs[-1] if runs else on(1, 0)

    assert is_measuring((*runs, last + since)) is expected


def test_it_is_measured_anew_with_as_many_runs_after_a_while() -> None:
    runs = [on(1, 0) + number * WRITTEN for number in range(RUNS_SEEN)]
    now, counted = runs[-1] + RUNS_HOLD, 0

    while is_measuring((*runs, now)):
        runs, counted, now = [*runs, now][-RUNS_SEEN:], counted + 1, now + 6 * HOUR

    assert counted == RUNS_SEEN
    assert usual_interval(runs) == 6 * HOUR


@pytest.mark.parametrize("zone", ZONES)
@cases(
    "hours",
    case("the runs that `init` writes", 1.2),
    case("hourly runs", 1),
    case("a run every forty minutes", 2 / 3),
    case("a run every three hours", 3),
    case("a run every eight hours", 8),
    case("a daily run", 24),
)
def test_over_a_quarter_of_a_year_it_is_read_once_before_each_release(
    zone: str, hours: float
) -> None:
    # Summer time ends in it; by its pace, a feed would be asked at any time of the day.
    release = Timetable(at=time(0), zone=ZoneInfo(zone))
    feed = make_feed(zone, policy=FetchPolicy(releases=(release,)))
    now = start = on(1, 12) - timedelta(days=60)
    state = read(now, now + 5 * HOUR, url=feed.url)
    asked: list[datetime] = []

    while now < start + timedelta(days=90):
        now += hours * HOUR
        if select_due(make_known([feed], {zone: state}), now=now, run_every=hours * HOUR):
            asked.append(now)
            pace = HOUR * (2 + len(asked) * 7 % 23)
            state = read(now, now + pace, url=feed.url)

    days = [release.next(at) for at in asked]
    assert len(days) == len(set(days))
    assert len(days) in (89, 90, 91), "in each time between two releases"
    slowest = max(release.next(at) - at for at in asked)
    assert slowest <= max(hours * HOUR * 7 / 6, 24 * HOUR * (hours == 24))
