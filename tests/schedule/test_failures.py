"""What a failure costs a feed, and when our own connection is down and no feed is to blame."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from planet.model import FeedState, GivenUp
from planet.schedule import undo_attempt
from tests.builders import NOW, make_feed
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    MINUTE,
    TICK,
    attempt,
    make_failed,
    make_read_state,
    wait_of,
)


def after(kind: str, before: FeedState | None = None, **changes: Any) -> FeedState:
    """What is known of a feed after a failure of this kind."""
    return attempt(before, make_failed(kind, **changes))


def waits_of(kind: str, times: int) -> list[float]:
    """The waits, in hours, of a feed that fails so and so many times within one moment."""
    found, state = [], None
    for _ in range(times):
        state = after(kind, state)
        found.append(wait_of(state)[0] / HOUR)
    return found


def failing(kind: str, *, asked: int, over: timedelta) -> FeedState:
    """A feed that has failed so often, at even distances over so long a time, the last time now."""
    state = make_read_state()
    for number in range(asked):
        when = NOW - over + over * number / (asked - 1)
        state = after(kind, state, when=when)
    return state


# How long it waits


@pytest.mark.parametrize(
    "kind",
    [
        *(f"http_{status}" for status in (500, 599, 408, 204, 300)),
        *("dns", "truncated", "empty", "unheard_of"),
    ],
)
def test_a_wait_doubles_up_to_a_day_after_a_trouble_that_passes(kind: str) -> None:
    assert waits_of(kind, 7) == [1, 2, 4, 8, 16, 24, 24]
    assert after(kind).due_reason == "backoff"


@cases(
    "first, reason, kinds",
    case("from four hours", 4, "forbidden", ("http_401", "http_402", "http_407", "http_451")),
    case("from a day", 24, "rejected", ("too_large", "http_400", "http_406", "http_499")),
)
def test_a_wait_doubles_up_to_a_week_where_it_is_refused(
    first: float, reason: str, kinds: tuple[str, ...]
) -> None:
    waits = [min(first * 2**times, 168) for times in range(8)]

    assert [waits_of(kind, 8) for kind in kinds] == [waits] * len(kinds)
    assert {after(kind).due_reason for kind in kinds} == {reason}


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
    case("404s within a fortnight", "http_404", 99, 14 * DAY - TICK, None),
    case("four 403s", "http_403", 4, 40 * DAY, None),
    case("429s", "http_429", 99, 400 * DAY, None),
    case("a name that is not found", "dns", 99, 400 * DAY, None),
    case("answers that are too large", "too_large", 99, 400 * DAY, None),
    case("servers that rest", "host_cooldown", 99, 400 * DAY, None),
)
def test_a_feed_is_given_up_after_so_many_failures_in_so_long(
    kind: str, asked: int, over: timedelta, given_up: GivenUp | None
) -> None:
    state = failing(kind, asked=asked, over=over)

    assert state.given_up == given_up
    assert state.given_up_at == (NOW if given_up else None)
    assert (state.due_at is None) == (given_up is not None)


# When our own connection is down, and no feed is to blame


@cases(
    "known, wait",
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
