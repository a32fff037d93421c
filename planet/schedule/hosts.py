"""The answer of a server → how long all feeds there are left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.model import HostState
from planet.schedule import constants as c
from planet.schedule.constants import policy_floor
from planet.schedule.waits import double, retry_after
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, timedelta

    from planet.model import Feed, FeedState, Fetched


def is_resting(state: HostState | None, *, now: datetime) -> bool:
    """Tell whether a server must not be asked for anything now."""
    if state is None or state.rests_until is None or state.rests_until <= now:
        return False
    return not _is_from_future(state, now)


def find_host(
    feed: Feed, state: FeedState | None, hosts: Mapping[str, HostState]
) -> HostState | None:
    """Return the state of the server at the address where a feed is asked."""
    return hosts.get(address.server((state.asked_url if state else None) or feed.url))


def request_gap(host: str, state: HostState | None, setting: timedelta) -> timedelta:
    """Return the least time between two requests to a server.

    It is the operator's `setting`, or longer where a server of that name needs it (`GAPS`). Each
    429 that still counts doubles it.
    """
    least = max([setting, *(c.GAPS[name] for name in c.GAPS if _is_below(host, name))])
    if state is None or not state.throttles:
        return least
    return max(least, double(max(least, c.GAP_THROTTLED), state.throttles, most=c.GAP_MAX))


def update_host(before: HostState | None, feed: Feed, fetched: Fetched) -> HostState | None:
    """Return the state of the server that answered last, after an attempt; None where it has none.

    A 429 of one feed holds for all feeds of the server (R25), and so do two feeds with 503 within
    ten minutes (R26).
    """
    host = address.server(fetched.url)
    if not host or fetched.status is None:
        return before
    state = before or HostState(host=host)
    if _is_from_future(state, fetched.ended):
        state = HostState(host=host, throttles=state.throttles, throttled_at=fetched.ended)
    at, throttles = fetched.ended, state.throttles
    if fetched.status == 429:
        throttles = min(throttles + 1, c.THROTTLES_MAX)
        # Without Retry-After, twice the floor of the feed, or more if this was said before.
        longer = double(c.FLOOR, throttles - 1, most=c.THROTTLED_MAX)
        usual = min(max(2 * policy_floor(feed.policy), longer), c.THROTTLED_MAX)
        state = replace(state, throttles=throttles, throttled_at=at)
        state = _extend_rest(state, at + (retry_after(fetched) or usual))
    elif throttles and state.throttled_at and at - state.throttled_at >= c.LEARNED_FOR:
        # One less, which halves the gap.
        state = replace(state, throttles=throttles - 1, throttled_at=at)
    if fetched.signature and fetched.error is None:
        state = replace(state, signature=fetched.signature)
    if fetched.status == 503:
        state = _record_overload(state, feed, fetched)
    return None if state == HostState(host=host) and before is None else state


def _record_overload(state: HostState, feed: Feed, fetched: Fetched) -> HostState:
    """Record a 503; if another feed has just had one, the server rests for the larger wait."""
    until = fetched.ended + max(retry_after(fetched) or c.FLOOR, policy_floor(feed.policy), c.FLOOR)
    together = (
        state.overloaded_feed not in (None, feed.key)
        and state.overloaded_at is not None
        and fetched.ended - state.overloaded_at <= c.OVERLOAD
    )
    if together:
        state = _extend_rest(state, until, state.overloaded_until)
    return replace(
        state, overloaded_feed=feed.key, overloaded_at=fetched.ended, overloaded_until=until
    )


def _extend_rest(state: HostState, *until: datetime | None) -> HostState:
    """Let a server rest until the last of these moments; a rest is never shortened."""
    return replace(state, rests_until=max(filter(None, (state.rests_until, *until))))


def _is_from_future(state: HostState, now: datetime) -> bool:
    """Tell whether the state is dated later than `now`, by more than clocks may differ."""
    marks = (state.throttled_at, state.overloaded_at)
    return any(mark is not None and mark > now + c.FLOOR for mark in marks)


def _is_below(host: str, parent: str) -> bool:
    """Tell whether a `host:port` has this name, or is a subdomain of it."""
    return f".{host.rpartition(':')[0]}".endswith(f".{parent}")
