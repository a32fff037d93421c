"""How long a feed waits that is well, and why; jitter, and the lifetime of answers."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from planet.model import DueReason, Feed, FeedState, Fetched, FetchPolicy, Hints, Lifetime
from planet.schedule.waits import (
    answer_lifetime,
    apply_policy,
    renew_lifetime,
    stable_fraction,
)
from tests.builders import NOW, make_feed, make_profile
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
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


@cases(
    "policy, wait",
    case("no time, if agreed", FetchPolicy(min_interval=timedelta(0), agreed=True), timedelta(0)),
    case("no less than an hour unless agreed", FetchPolicy(min_interval=MINUTE), HOUR),
    case(
        "a hundred years",
        FetchPolicy(min_interval=36500 * DAY, max_interval=36500 * DAY),
        36500 * DAY,
    ),
)
def test_a_busy_feed_waits_from_the_end_of_a_request(policy: FetchPolicy, wait: timedelta) -> None:
    state = after(make_same(started=NOW - MINUTE, ended=NOW), policy)

    assert state.due_at is not None
    assert wait_of(state) == (wait, DueReason.FLOOR)
    assert state.settled_at == NOW
    assert state.rests_until is None


# Chance


def added_to(wait: timedelta, policy: FetchPolicy) -> list[timedelta]:
    """What chance adds to a wait, each of 500 times."""
    states = [after(make_same(when=NOW + n * SECOND), policy, changed_at=NOW) for n in range(500)]
    return [m.due_at - m.settled_at - wait for m in states if m.due_at and m.settled_at]


def test_chance_never_takes_off_and_adds_a_tenth_of_what_is_beyond_the_floor_at_most() -> None:
    added = added_to(3 * HOUR, FetchPolicy(min_interval=3 * HOUR))

    assert min(added) >= timedelta(0)
    assert 11 * MINUTE < max(added) < 12 * MINUTE
    assert min(added) < MINUTE


def test_chance_adds_nothing_at_the_floor() -> None:
    assert set(added_to(HOUR, FetchPolicy())) == {timedelta(0)}


def test_chance_adds_half_an_hour_at_most() -> None:
    added = added_to(10 * DAY, FetchPolicy(min_interval=10 * DAY, max_interval=10 * DAY))

    assert min(added) >= timedelta(0)
    assert 25 * MINUTE < max(added) < 30 * MINUTE


def test_chance_adds_a_quarter_at_most_after_a_failure() -> None:
    added = [
        state.due_at - state.settled_at - HOUR
        for number in range(500)
        if (state := after(make_failed("timeout", when=NOW + number * SECOND))).due_at
        if state.settled_at
    ]

    assert min(added) >= timedelta(0)
    assert 14 * MINUTE < max(added) < 15 * MINUTE


# What the validators are worth


@cases(
    "policy, validators, expected",
    case("a day without any", FetchPolicy(), frozenset(), (DAY, "unconditional")),
    case(
        "the longer interval that is set without any",
        FetchPolicy(min_interval=2 * DAY, max_interval=2 * DAY),
        frozenset(),
        (2 * DAY, "floor"),
    ),
)
def test_after_a_whole_answer_without_validators_a_feed_waits_a_day(
    policy: FetchPolicy, validators: frozenset[str], expected: tuple[timedelta, str]
) -> None:
    fetched = make_same(body_hash="aa", conditional=False, validators=validators)

    assert wait_of(after(fetched, policy)) == expected


def test_a_failure_after_whole_answers_does_not_make_a_feed_wait_less() -> None:
    state = after(make_failed("timeout"), validators=frozenset())

    assert wait_of(state) == (DAY, "backoff")


def test_of_a_server_that_ignores_validators_a_feed_waits_six_hours_after_three() -> None:
    fetched = make_same(body_hash="aa", same_etag=True)

    assert wait_of(after(fetched, identical=2)) == (6 * HOUR, "ignored")


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
    "headers, expected",
    case("as long as max-age", {"cache-control": "max-age=18000"}, (5 * HOUR, "max_age")),
    case("until Expires", {"expires": "Fri, 20 Nov 2026 17:00:00 GMT"}, (5 * HOUR, "expires")),
    case("until it may retry", {"retry-after": "18000"}, (5 * HOUR, "retry_after")),
)
def test_a_feed_waits_by_its_answer(
    headers: dict[str, str], expected: tuple[timedelta, str]
) -> None:
    assert wait_of(after(make_same(headers=headers))) == expected


def test_retry_after_is_remembered_even_when_something_else_takes_longer() -> None:
    state = after(make_same(headers={"retry-after": "60"}))

    assert wait_of(state) == (HOUR, "floor")
    assert state.rests_until == NOW + MINUTE


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


@cases(
    "hints, expected",
    case("as long as its ttl", {"ttl": 5 * HOUR}, (5 * HOUR, "ttl")),
    case("as long as its syndication module", {"sy": 5 * HOUR}, (5 * HOUR, "sy")),
)
def test_a_feed_waits_by_the_hint_of_its_publisher(
    hints: dict[str, Any], expected: tuple[timedelta, str]
) -> None:
    assert wait_of(after(make_same(), **hinted(**hints))) == expected


def test_the_longest_wait_gives_its_name() -> None:
    hints = Hints(ttl=2 * HOUR, sy=3 * HOUR)
    fetched = make_same(headers={"cache-control": "max-age=14400", "retry-after": "18000"})

    state = after(fetched, profile=make_profile(hints=hints), learned_floor=150 * MINUTE)

    assert wait_of(state) == (5 * HOUR, "retry_after")


def test_what_a_429_taught_counts_as_long_as_it_is_remembered() -> None:
    state = after(make_same(), learned_floor=3 * HOUR, throttled_at=NOW - DAY)

    assert wait_of(state) == (3 * HOUR, "learned")


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


def test_those_who_wait_for_an_hour_do_not_all_come_at_once() -> None:
    hints = {"skip_hours": frozenset({13})}

    moments = [
        next_of(hints, make_same(when=NOW + number * SECOND)).due_at for number in range(500)
    ]

    assert all(moment is not None for moment in moments)
    found = [moment for moment in moments if moment]
    assert NOW + 2 * HOUR <= min(found) < NOW + 2 * HOUR + MINUTE
    assert NOW + 2 * HOUR + 14 * MINUTE < max(found) < NOW + 2 * HOUR + 15 * MINUTE


def test_a_failure_is_not_repeated_in_hours_to_skip() -> None:
    state = next_of({"skip_hours": frozenset({13})}, make_failed("timeout"))

    assert state.due_reason == "skip"


# Other agreements


@cases(
    "known, expected",
    case("as agreed, while it is busy", {}, (10 * MINUTE, "floor")),
    case("longer, when it is not", {"changed_at": NOW - 100 * HOUR}, (10 * HOUR, "adaptive")),
    case("as long as it hints", hinted(ttl=20 * MINUTE), (20 * MINUTE, "ttl")),
)
def test_a_feed_whose_publisher_agreed_waits_as_agreed_while_it_is_busy(
    known: dict[str, Any], expected: tuple[timedelta, str]
) -> None:
    policy = FetchPolicy(min_interval=10 * MINUTE, agreed=True)

    assert wait_of(after(make_same(), policy, **known)) == expected


# Another policy after the attempt

LONG = FetchPolicy(min_interval=DAY, max_interval=DAY)
SHORT = FetchPolicy(min_interval=HOUR, max_interval=HOUR)


def due_in(state: FeedState) -> timedelta | None:
    return None if state.due_at is None else state.due_at - NOW


@cases(
    "policy, another, changes, wait",
    case("shorter", LONG, SHORT, {}, HOUR),
    case("longer", SHORT, LONG, {}, DAY),
    case("shorter than the feed wants", LONG, SHORT, hinted(ttl=5 * HOUR), 5 * HOUR),
    case("shorter than its server taught", LONG, SHORT, {"learned_floor": 3 * HOUR}, 3 * HOUR),
    case("shorter than it rests", LONG, SHORT, {"rests_until": NOW + 2 * HOUR}, 2 * HOUR),
)
def test_a_policy_that_is_changed_holds_from_the_last_attempt_on(
    policy: FetchPolicy, another: FetchPolicy, changes: dict[str, Any], wait: timedelta
) -> None:
    state = after(make_same(started=NOW - MINUTE, ended=NOW), policy, **changes)

    changed = apply_policy(replace(state, rests_until=changes.get("rests_until")), another)

    assert due_in(changed) == wait


def test_a_policy_that_is_changed_shortens_no_wait_after_a_failure() -> None:
    state = after(make_failed("http_503"), LONG)

    changed = apply_policy(state, SHORT)

    assert changed.due_at == state.due_at


def test_a_policy_changes_nothing_of_a_feed_that_was_never_asked() -> None:
    state = make_read_state(settled_at=None, due_at=None)

    assert apply_policy(state, SHORT) == state


def test_chance_is_spread_evenly_over_feeds_and_moments() -> None:
    by_feed = [stable_fraction(f"https://{n}.example/", NOW, "jitter") for n in range(5000)]
    by_moment = [stable_fraction("one", NOW + n * MINUTE, "jitter") for n in range(5000)]

    for drawn in (by_feed, by_moment):
        tenths = Counter(int(each * 10) for each in drawn)
        assert sorted(tenths) == list(range(10))
        assert all(400 < count < 600 for count in tenths.values())


def test_chance_can_be_repeated_but_differs_by_feed_moment_and_purpose() -> None:
    drawn = [
        stable_fraction("one", NOW, "jitter"),
        stable_fraction("two", NOW, "jitter"),
        stable_fraction("one", NOW + MINUTE, "jitter"),
        stable_fraction("one", NOW, "skip"),
    ]

    assert drawn[0] == stable_fraction("one", NOW, "jitter")
    assert len(set(drawn)) == 4


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


BEFORE = by(DueReason.EXPIRES, 5 * HOUR)


@cases(
    "status, headers, expected",
    case("lost by a 304 with an empty field", 304, {"cache-control": ""}, None),
    case("kept by what no server said", None, {}, BEFORE),
)
def test_the_lifetime_of_what_is_stored_is_that_of_the_last_answer(
    status: int | None, headers: dict[str, str], expected: Lifetime | None
) -> None:
    assert renew_lifetime(BEFORE, make_same(status=status, headers=headers)) == expected
