"""How long a feed waits that is well, and why; jitter, and the lifetime of answers."""

from datetime import datetime, timedelta
from typing import Any

from planet.model import DueReason, Feed, FeedState, Fetched, FetchPolicy, Hints, Lifetime
from planet.schedule.waits import (
    answer_lifetime,
    stable_fraction,
)
from tests.builders import NOW, make_feed, make_profile
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    MINUTE,
    attempt,
    make_failed,
    make_read_state,
    make_same,
    wait_of,
)

LONG_AGO = NOW - 400 * DAY


def after(
    fetched: Fetched,
    policy: FetchPolicy | None = None,
    before: FeedState | None = None,
    **changes: Any,
) -> FeedState:
    """What is known after an attempt of a feed of which this was known."""
    feed = make_feed(policy=policy or FetchPolicy())
    return attempt(before or make_read_state(**changes), fetched, feed=feed)


def hinted(**hints: Any) -> dict[str, Any]:
    return {"profile": make_profile(hints=Hints(**hints))}


# The floor


# Chance


# What the validators are worth


# Its own pace


@cases(
    "known, policy, expected",
    case(
        "six hours, if none is known", {"changed_at": None}, FetchPolicy(), (6 * HOUR, "adaptive")
    ),
    case(
        "a tenth of the time without news",
        {"changed_at": NOW - 100 * HOUR},
        FetchPolicy(),
        (10 * HOUR, "adaptive"),
    ),
    case(
        "a tenth of the time without posts",
        {"changed_at": None, "posts": (NOW - 100 * HOUR,)},
        FetchPolicy(),
        (10 * HOUR, "adaptive"),
    ),
    case("no more than a day", {"changed_at": NOW - 100 * DAY}, FetchPolicy(), (DAY, "adaptive")),
    case(
        "no more than it may",
        {"changed_at": NOW - 100 * HOUR},
        FetchPolicy(max_interval=4 * HOUR),
        (4 * HOUR, "adaptive"),
    ),
    case(
        "three days without news for half a year",
        {
            "changed_at": LONG_AGO,
            "posts": tuple(LONG_AGO - number * 30.3 * DAY for number in range(9, -1, -1)),
        },
        FetchPolicy(),
        (3 * DAY, "adaptive"),
    ),
    case(
        "a day without news for less than that",
        {
            "changed_at": NOW - 179 * DAY,
            "posts": tuple(LONG_AGO - number * 30.3 * DAY for number in range(9, -1, -1)),
        },
        FetchPolicy(),
        (DAY, "adaptive"),
    ),
    case(
        "an hour after news from a clock that ran ahead",
        {"changed_at": NOW + DAY, "posts": (NOW + DAY,)},
        FetchPolicy(),
        (HOUR, "floor"),
    ),
)
def test_a_feed_waits_by_its_own_pace_up_to_a_day_or_three(
    known: dict[str, Any], policy: FetchPolicy, expected: tuple[timedelta, str]
) -> None:
    assert wait_of(after(make_same(), policy, **known)) == expected


# What its answer says


@cases(
    "kind, status",
    case("that was cut short", "truncated", 200),
    case("that answers no question", "unexpected_304", 304),
    case("that leads elsewhere", "redirect_loop", 301),
    case("that never came", "unreachable", None),
)
def test_there_is_no_lifetime_in_an_answer_that_is_none(kind: str, status: int | None) -> None:
    headers = {"cache-control": "max-age=360000"}

    state = after(make_failed(kind, status=status, headers=headers))

    assert state.due_reason == "backoff"


# What its publisher hints at


def test_the_longest_wait_gives_its_name() -> None:
    hints = Hints(ttl=2 * HOUR, sy=3 * HOUR)
    fetched = make_same(headers={"cache-control": "max-age=14400", "retry-after": "18000"})

    state = after(fetched, profile=make_profile(hints=hints), learned_floor=150 * MINUTE)

    assert wait_of(state) == (5 * HOUR, "retry_after")


# Hours and days to skip; now is a Friday noon


def next_of(hints: dict[str, Any], fetched: Fetched, feed: Feed | None = None) -> FeedState:
    before = make_read_state(**hinted(**hints))
    return attempt(before, fetched, feed=feed or make_feed())


@cases(
    "hints, start",
    case("the only hour", {"skip_hours": set(range(24)) - {12}}, NOW + DAY),
    case("the only day", {"skip_days": {0, 1, 2, 4, 5, 6}}, NOW + 5.5 * DAY),
    case(
        "the first hour of another day", {"skip_days": {4}, "skip_hours": {0, 1}}, NOW + 14 * HOUR
    ),
)
def test_a_feed_that_skips_hours_and_days_is_next_early_in_one_it_does_not(
    hints: dict[str, Any], start: datetime
) -> None:
    said = {name: frozenset(each) for name, each in hints.items()}

    state = next_of(said, make_same())

    assert state.due_at == start + 15 * MINUTE * stable_fraction("one", NOW, "skip")
    assert state.due_reason == "skip"


# Other agreements


# Another policy after the attempt


# What an answer says of its lifetime


NOON = "Fri, 20 Nov 2026 12:00:00 GMT"
ONE_PM = "Fri, 20 Nov 2026 13:00:00 GMT"


def by(said_by: DueReason, length: timedelta, *, implausible: bool = False) -> Lifetime:
    return Lifetime(length=length, said_by=said_by, implausible=implausible)


@cases(
    "headers, expected",
    case("nothing", {}, None),
    case(
        "what every PHP session says",
        {"expires": "Thu, 19 Nov 1981 08:52:00 GMT", "cache-control": "no-store"},
        by(DueReason.MAX_AGE, timedelta(0)),
    ),
    case(
        "when it expires after some has passed",
        {"expires": ONE_PM, "date": NOON, "age": "600"},
        by(DueReason.EXPIRES, 50 * MINUTE),
    ),
    case("a week", {"cache-control": "max-age=604800"}, by(DueReason.MAX_AGE, 7 * DAY)),
    case(
        "more than a week",
        {"cache-control": "max-age=604801", "age": "604000"},
        by(DueReason.MAX_AGE, DAY, implausible=True),
    ),
    case(
        "a year",
        {"expires": "Sat, 20 Nov 2027 12:00:00 GMT"},
        by(DueReason.EXPIRES, DAY, implausible=True),
    ),
)
def test_a_lifetime_is_what_an_answer_says_of_it(
    headers: dict[str, str], expected: Lifetime | None
) -> None:
    assert answer_lifetime(make_same(headers=headers)) == expected
