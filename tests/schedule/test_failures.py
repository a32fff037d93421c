"""What a failure costs a feed, and when our own connection is down and no feed is to blame."""

from datetime import timedelta
from itertools import starmap
from typing import Any

import pytest
from msgspec.structs import replace

from planet.model import Feed, FeedState, Fetched, GivenUp, PolledFeed
from planet.schedule import is_outage, undo_attempt
from tests.builders import NOW, make_feed
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    MINUTE,
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


# When a server says how long


# When a server says that we come too often


# When nobody failed


@cases(
    "kind, status, reason",
    case("redirect to a server that rests", "host_cooldown", 301, "host_cooldown"),
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


# When it is given up


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


# A body that is no feed


# When our own connection is down, and no feed is to blame

KINDS = ("dns", "connect_timeout", "tls", "refused", "unreachable", "timeout", "truncated")


def tried(feeds: int, hosts: int, kinds: tuple[str, ...] = KINDS) -> list[tuple[Feed, Fetched]]:
    """Feeds spread over hosts, each with one of these failures."""
    return [
        (
            make_feed(f"f{n}", url=f"https://h{n % hosts}.example/{n}"),
            make_failed(kinds[n % len(kinds)]),
        )
        for n in range(feeds)
    ]


@cases(
    "attempts, expected",
    case("ten feeds on five hosts in all manners", tried(10, 5), True),
    case("nine feeds", tried(9, 9), False),
    case("four hosts", tried(50, 4), False),
    case("none at all", [], False),
    *(
        case(f"all but one: {words}", [*tried(20, 20), (make_feed(), other)], False)
        for words, other in {
            "not modified": make_same(),
            "a new body": make_new(),
            "an error of a server": make_failed("http_500"),
            "a redirect": make_failed("retry_later", status=302),
            "an answer that makes no sense": make_failed("broken_answer"),
        }.items()
    ),
    case(
        "all but a file",
        [*tried(10, 5), (make_feed(url="file:///feed.xml"), make_new(status=None))],
        True,
    ),
    case(
        "all but a body from disk",
        [*tried(10, 5), (make_feed(), make_new(status=None, asked=False))],
        True,
    ),
    case(
        "files alone",
        [(make_feed(str(n), url="file:///x"), make_failed("no_file")) for n in range(20)],
        False,
    ),
    case("nine feeds twice", tried(9, 9) + tried(9, 9), False),
)
def test_it_is_an_outage_when_all_of_ten_feeds_at_five_hosts_fail(
    attempts: list[tuple[Feed, Fetched]], expected: bool
) -> None:
    assert is_outage(starmap(PolledFeed, attempts)) is expected


@cases(
    "known, wait",
    case("was well", {}, HOUR),
    case(
        "was failing",
        {
            "failures": 9,
            "failing_since": NOW - DAY,
            "strikes": 2,
            "error_kind": "http_404",
            "error": "it is gone",
        },
        HOUR,
    ),
    case("was throttled", {"learned_floor": 3 * HOUR, "throttled_at": NOW - DAY}, 3 * HOUR),
)
def test_an_outage_changes_nothing_but_the_next_time(known: dict[str, Any], wait: Any) -> None:
    before = make_read_state(**known)
    fetched = make_failed("dns", started=NOW - MINUTE, ended=NOW)

    after = undo_attempt(before, make_feed(), fetched)

    assert wait_of(after) == (wait, "outage")
    assert replace(after, due_at=None) == replace(
        before, attempted_at=NOW - MINUTE, settled_at=NOW, due_at=None, due_reason=after.due_reason
    )
