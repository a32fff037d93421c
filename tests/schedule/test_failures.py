"""What a failure costs a feed: how long it waits, and when it is given up."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from planet.model import FeedState, FetchPolicy, GivenUp, Hints
from tests.builders import NOW, make_draft, make_feed, make_profile, make_reading
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    MINUTE,
    NOT_A_FEED,
    TICK,
    attempt,
    make_failed,
    make_new,
    make_read_state,
    make_same,
    wait_of,
)


def after(kind: str, before: FeedState | None = None, **changes: Any) -> FeedState:
    """What is known of a feed after a failure of this kind."""
    return attempt(before, make_failed(kind, **changes))


def waits_of(kind: str, times: int, before: FeedState | None = None, **changes: Any) -> list[float]:
    """The waits, in hours, of a feed that fails so and so many times within one moment."""
    found = []
    for _ in range(times):
        before = after(kind, before, **changes)
        wait, _ = wait_of(before)
        found.append(wait / HOUR)
    return found


def failing(
    kind: str, *, asked: int, over: timedelta, before: FeedState | None = None
) -> FeedState:
    """A feed that has failed so often, at even distances over so long a time, the last time now."""
    state = before
    for number in range(asked):
        when = NOW - over + over * number / (asked - 1)
        state = after(kind, state, when=when)
    assert state is not None
    return state


# How long it waits


@pytest.mark.parametrize(
    "kind",
    [
        *(f"http_{status}" for status in (500, 502, 503, 504, 520, 599, 408, 425, 204, 226, 300)),
        *("timeout", "connect_timeout", "dns", "tls", "refused", "unreachable", "truncated"),
        *("empty", "bad_coding", "bad_redirect", "redirect_loop", "private_address"),
        *("broken_answer", "bad_list", "unheard_of"),
    ],
)
def test_a_wait_doubles_up_to_a_day_after_a_trouble_that_passes(kind: str) -> None:
    assert waits_of(kind, 7) == [1, 2, 4, 8, 16, 24, 24]
    assert after(kind).due_reason == "backoff"


@pytest.mark.parametrize(
    "kind", ["bot_challenge", *(f"http_{n}" for n in (401, 402, 403, 407, 451))]
)
def test_a_wait_doubles_from_four_hours_to_a_week_where_it_is_forbidden(kind: str) -> None:
    assert waits_of(kind, 8) == [4, 8, 16, 32, 64, 128, 168, 168]
    assert after(kind).due_reason == "forbidden"


@pytest.mark.parametrize(
    "kind",
    [
        "too_large",
        *(f"http_{n}" for n in (400, 405, 406, 409, 414, 415, 418, 421, 422, 426, 431, 499)),
    ],
)
def test_a_wait_doubles_from_a_day_to_a_week_where_it_is_rejected(kind: str) -> None:
    assert waits_of(kind, 5) == [24, 48, 96, 168, 168]
    assert after(kind).due_reason == "rejected"


def test_an_address_at_which_there_never_was_anything_is_tried_once_a_day() -> None:
    assert waits_of("http_404", 4) == [24, 24, 24, 24]
    assert after("http_404").due_reason == "not_found"


def test_a_feed_that_worked_and_is_not_found_is_tried_like_any_that_fails() -> None:
    assert waits_of("http_404", 7, make_read_state()) == [1, 2, 4, 8, 16, 24, 24]
    assert after("http_404", make_read_state()).due_reason == "backoff"


def test_an_answer_to_no_question_is_waited_for_a_day() -> None:
    assert waits_of("unexpected_304", 3, status=304) == [24, 24, 24]
    assert after("unexpected_304").due_reason == "backoff"


@cases(
    "policy, known, hours",
    case("from its own interval", FetchPolicy(min_interval=3 * HOUR), {}, [3, 6, 12, 24, 24]),
    case(
        "never less than its own interval",
        FetchPolicy(min_interval=2 * DAY, max_interval=2 * DAY),
        {},
        [48, 48, 48],
    ),
    case(
        "from an hour, whatever was agreed",
        FetchPolicy(min_interval=MINUTE, agreed=True),
        {},
        [1, 2, 4],
    ),
    case("from its own pace", FetchPolicy(), {"changed_at": NOW - 100 * HOUR}, [10, 20, 24]),
    case(
        "from what a 429 taught",
        FetchPolicy(),
        {"learned_floor": 3 * HOUR, "throttled_at": NOW},
        [3, 6, 12],
    ),
    case(
        "from the hint of its publisher",
        FetchPolicy(),
        {"profile": make_profile(hints=Hints(ttl=5 * HOUR))},
        [5, 10, 20],
    ),
)
def test_the_waits_of_a_feed_that_fails_grow_from_its_interval(
    policy: FetchPolicy, known: dict[str, Any], hours: list[float]
) -> None:
    state: FeedState | None = make_read_state(**known)
    found = []

    for _ in hours:
        state = attempt(state, make_failed("timeout"), feed=make_feed(policy=policy))
        found.append(wait_of(state)[0] / HOUR)

    assert found == hours


def test_a_feed_that_has_failed_for_ever_has_a_due_time() -> None:
    policy = FetchPolicy(min_interval=36500 * DAY, max_interval=36500 * DAY)
    before = make_read_state(failures=10**6, strikes=10**6, error_kind="http_403", error="")

    for kind in ("timeout", "http_403", "http_429", "http_400"):
        state = attempt(before, make_failed(kind), feed=make_feed(policy=policy))
        assert wait_of(state)[0] == 36500 * DAY


def test_each_kind_of_trouble_has_a_ladder_of_its_own() -> None:
    state: FeedState | None = None
    found = []

    for kind in ("http_403", "http_403", "http_500", "http_403", "http_400", "http_400"):
        state = after(kind, state)
        found.append(wait_of(state)[0] / HOUR)

    assert found == [4, 8, 4, 4, 24, 48]
    assert state is not None
    assert (state.failures, state.strikes) == (6, 2)


# When a server says how long


@cases(
    "kind, said, expected",
    case("as long as anyhow", "http_503", "3600", (HOUR, "retry_after")),
    case("no less than anyhow", "http_503", "60", (HOUR, "backoff")),
    case("if it forbids", "http_403", "259200", (3 * DAY, "retry_after")),
    case("if it redirects later", "retry_later", "7200", (2 * HOUR, "retry_after")),
)
def test_a_server_is_left_alone_so_long(
    kind: str, said: str, expected: tuple[timedelta, str]
) -> None:
    state = after(kind, make_read_state(), headers={"retry-after": said})

    assert wait_of(state) == expected


def test_how_long_a_server_wants_to_be_left_alone_is_remembered_until_the_next_answer() -> None:
    first = after("http_503", headers={"retry-after": "7200"})
    second = after("http_503", first)

    assert (first.rests_until, second.rests_until) == (NOW + 2 * HOUR, None)


# When a server says that we come too often


def test_429s_double_the_wait_up_to_a_day_when_they_do_not_say_how_long() -> None:
    state = make_read_state()
    found = []

    for _ in range(6):
        state = after("http_429", state)
        found.append((wait_of(state), state.learned_floor, state.rests_until))

    assert found == [
        ((hours * HOUR, "throttled"), hours * HOUR, NOW + hours * HOUR)
        for hours in (2, 4, 8, 16, 24, 24)
    ]


@cases(
    "policy, learned, taught",
    case("the floor", FetchPolicy(), None, 2 * HOUR),
    case("its own interval", FetchPolicy(min_interval=3 * HOUR), None, 6 * HOUR),
    case("the longer of two", FetchPolicy(min_interval=3 * HOUR), 2 * HOUR, 6 * HOUR),
    case("what was taught before", FetchPolicy(), 3 * HOUR, 6 * HOUR),
    case("up to a day", FetchPolicy(), 13 * HOUR, DAY),
    case(
        "an hour, if agreed to less", FetchPolicy(min_interval=MINUTE, agreed=True), None, 2 * HOUR
    ),
)
def test_a_429_doubles(policy: FetchPolicy, learned: timedelta | None, taught: timedelta) -> None:
    before = make_read_state(learned_floor=learned, throttled_at=NOW if learned else None)

    state = attempt(before, make_failed("http_429"), feed=make_feed(policy=policy))

    assert (state.learned_floor, state.throttled_at) == (taught, NOW)


@cases(
    "learned, throttled_at, left, changed_at",
    case("kept a fortnight", 8 * HOUR, NOW - 14 * DAY + TICK, 8 * HOUR, NOW - 14 * DAY + TICK),
    case("halved after that", 8 * HOUR, NOW - 14 * DAY, 4 * HOUR, NOW),
    case("forgotten when it is the floor", 2 * HOUR, NOW - 14 * DAY, None, None),
    case("kept while it is above the floor", 2.5 * HOUR, NOW - 14 * DAY, 1.25 * HOUR, NOW),
)
@pytest.mark.parametrize("kind", [None, "http_500"], ids=["by a good answer", "by an error"])
def test_what_a_429_taught_is_halved_each_fortnight(
    kind: str | None,
    learned: timedelta,
    throttled_at: datetime,
    left: timedelta | None,
    changed_at: datetime | None,
) -> None:
    before = make_read_state(learned_floor=learned, throttled_at=throttled_at)

    state = attempt(before, make_failed(kind) if kind else make_same())

    assert (state.learned_floor, state.throttled_at) == (left, changed_at)


def test_what_a_429_taught_is_forgotten_when_it_is_less_than_the_interval_of_the_feed() -> None:
    before = make_read_state(learned_floor=8 * HOUR, throttled_at=NOW - 14 * DAY)
    feed = make_feed(policy=FetchPolicy(min_interval=5 * HOUR))

    state = attempt(before, make_same(), feed=feed)

    assert (state.learned_floor, state.throttled_at) == (None, None)


# When nobody failed


@cases(
    "kind, status, reason",
    case("redirect to a server that rests", "host_cooldown", 301, "host_cooldown"),
    case("redirect for which it is too early", "retry_later", 302, "floor"),
    case("run that ended before its answer", "out_of_time", 200, "floor"),
)
def test_no_feed_is_blamed_where_nobody_failed(kind: str, status: int, reason: str) -> None:
    before = make_read_state(
        failures=2,
        failing_since=NOW - DAY,
        strikes=2,
        struck_since=NOW - DAY,
        error_kind="http_404",
        error="it is gone",
    )

    state = after(kind, before, status=status)

    assert wait_of(state) == (HOUR, reason)
    for name in ("failures", "failing_since", "strikes", "struck_since", "error_kind", "error"):
        assert getattr(state, name) == getattr(before, name)
    assert (state.health.failed, state.status) == (0, status)


def test_what_ran_out_of_time_has_its_turn_an_hour_later_however_seldom_it_is_asked() -> None:
    before = make_read_state(posts=tuple(NOW - 9 * days * DAY for days in (4, 3, 2, 1)))

    assert wait_of(after("out_of_time", before)) == (HOUR, "floor")


# When it is given up


def test_a_feed_that_is_gone_is_given_up_at_once() -> None:
    state = after("http_410", make_read_state(), headers={"retry-after": "60"})

    assert (state.given_up, state.given_up_at) == (GivenUp.GONE, NOW)
    assert (state.due_at, state.due_reason, state.rests_until) == (None, "given_up", None)
    assert (state.failures, state.error_kind, state.settled_at) == (1, "http_410", NOW)


@cases(
    "kind, asked, over, given_up",
    case("eight 404s in a fortnight", "http_404", 8, 14 * DAY, GivenUp.NOT_FOUND),
    case("seven 404s", "http_404", 7, 40 * DAY, None),
    case("404s within a fortnight", "http_404", 99, 14 * DAY - TICK, None),
    case("five 403s in a fortnight", "http_403", 5, 14 * DAY, GivenUp.FORBIDDEN),
    case("four 403s", "http_403", 4, 40 * DAY, None),
    case("403s within a fortnight", "http_403", 99, 14 * DAY - TICK, None),
    case("five challenges", "bot_challenge", 5, 14 * DAY, GivenUp.FORBIDDEN),
    case("other 4xx for a fortnight", "http_400", 2, 14 * DAY, GivenUp.REJECTED),
    case("other 4xx for less", "http_400", 99, 14 * DAY - TICK, None),
    case("429s", "http_429", 99, 400 * DAY, None),
    case("5xx", "http_500", 99, 400 * DAY, None),
    case("408s", "http_408", 99, 400 * DAY, None),
    case("425s", "http_425", 99, 400 * DAY, None),
    case("a name that is not found", "dns", 99, 400 * DAY, None),
    case("answers that are too large", "too_large", 99, 400 * DAY, None),
    case("answers to no question", "unexpected_304", 99, 400 * DAY, None),
    case("servers that rest", "host_cooldown", 99, 400 * DAY, None),
)
@cases("before", case("from the first", None), case("later", make_read_state()))
def test_a_feed_is_given_up_after_so_many_failures_in_so_long(
    before: FeedState | None, kind: str, asked: int, over: timedelta, given_up: GivenUp | None
) -> None:
    state = failing(kind, asked=asked, over=over, before=before)

    assert state.given_up == given_up
    assert state.given_up_at == (NOW if given_up else None)
    assert (state.due_at is None) == (given_up is not None)


@cases(
    "between, given_up",
    case("another of its like", "http_403", GivenUp.FORBIDDEN),
    case("a like one", "http_401", GivenUp.FORBIDDEN),
    case("no failure", "host_cooldown", GivenUp.FORBIDDEN),
    case("another failure", "http_500", None),
    case("a 429", "http_429", None),
)
def test_failures_towards_giving_up_stay_in_a_row_unless_others_come_between(
    between: str, given_up: GivenUp | None
) -> None:
    state = failing("http_403", asked=20, over=20 * DAY)
    state = make_read_state(
        failures=state.failures,
        failing_since=state.failing_since,
        strikes=state.strikes,
        struck_since=state.struck_since,
        error_kind=state.error_kind,
        error=state.error,
    )

    last = after("http_403", after(between, state))

    assert last.given_up == given_up


def test_a_success_ends_a_row_of_failures() -> None:
    before = make_read_state(
        failures=7,
        failing_since=NOW - DAY,
        strikes=5,
        struck_since=NOW - DAY,
        error_kind="timeout",
        error="it takes too long",
    )

    state = attempt(before, make_same())

    assert (state.failures, state.failing_since, state.strikes) == (0, None, 0)
    assert (state.struck_since, state.error_kind, state.error) == (None, None, None)
    assert state.succeeded_at == NOW


def test_a_failure_that_goes_on_began_when_it_began() -> None:
    first = after("http_404", when=NOW - DAY)

    second = after("http_404", first)
    third = after("http_500", second)

    assert (second.failures, second.failing_since) == (2, NOW - DAY)
    assert (second.strikes, second.struck_since) == (2, NOW - DAY)
    assert (third.failures, third.failing_since) == (3, NOW - DAY)
    assert (third.strikes, third.struck_since) == (1, NOW)
    assert (third.error_kind, third.error) == ("http_500", "it is http_500")


def test_a_feed_that_says_it_is_over_is_read_and_then_given_up() -> None:
    profile = make_profile(hints=Hints(expired=True))
    reading = make_reading(make_draft(), profile=profile, posted=(NOW - DAY,))

    state = attempt(make_read_state(), make_new(), reading)

    assert (state.given_up, state.given_up_at) == (GivenUp.EXPIRED, NOW)
    assert (state.due_at, state.due_reason) == (None, "given_up")
    assert (state.failures, state.error, state.posts) == (0, None, (NOW - DAY,))
    assert state.profile == profile


def test_a_file_that_says_it_is_over_is_still_read() -> None:
    feed = make_feed(url="file:///feed.json")
    reading = make_reading(profile=make_profile(hints=Hints(expired=True)))

    state = attempt(None, make_new(status=None), reading, feed=feed)

    assert state.given_up is None


# A body that is no feed


def test_a_body_that_cannot_be_read_goes_on_failing_while_it_is_not_modified() -> None:
    first = attempt(make_read_state(), make_new(), NOT_A_FEED)

    second = attempt(first, make_same(when=NOW + DAY))

    assert (second.failures, second.failing_since) == (2, NOW)
    assert (second.error_kind, second.error) == ("not_a_feed", "this is a web page")
    assert wait_of(first) == (HOUR, "backoff")


def test_a_body_that_cannot_be_read_is_what_is_wrong_once_the_server_is_back() -> None:
    first = attempt(make_read_state(), make_new(), NOT_A_FEED)
    second = after("http_500", first)

    third = attempt(second, make_same())

    assert (third.failures, third.error_kind) == (3, "not_a_feed")


def test_a_file_that_is_not_there_is_not_given_up_and_waits_for_nothing() -> None:
    feed = make_feed(url="file:///feed.xml")
    state: FeedState | None = None

    for day in range(40):
        fetched = make_failed("no_file", when=NOW + day * DAY, url="file:///feed.xml")
        state = attempt(state, fetched, feed=feed)

    assert state is not None
    assert (state.failures, state.given_up, state.due_at) == (40, None, None)
