"""What a server has said of all its feeds: until when it rests, and how fast it may be asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet.model import HostState
from planet.schedule.constants import (
    FLOOR,
    GAP_MAX,
    GAP_THROTTLED,
    GAPS,
    LEARNED_FOR,
    OUTAGE_FEEDS,
    OUTAGE_HOSTS,
    OVERLOAD,
    THROTTLED_MAX,
    THROTTLES_403,
    THROTTLES_MAX,
    floor,
)
from planet.schedule.waits import NETWORK, doubled, retry_after
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime, timedelta

    from planet.model import Feed, FeedState, Fetched


def rests(state: HostState | None, *, now: datetime) -> bool:
    """Whether a server must not be asked for anything now."""
    if state is None or state.rests_until is None or state.rests_until <= now:
        return False
    return not _ran_ahead(state, now)


def host_of(
    feed: Feed, state: FeedState | None, hosts: Mapping[str, HostState]
) -> HostState | None:
    """What is known of the server that a feed is asked at."""
    return hosts.get(address.host((state.asked_url if state else None) or feed.url))


def gap(host: str, state: HostState | None, asked: timedelta) -> timedelta:
    """The least time between two requests to a server.

    It is what the operator set, or what a server of that name needs. Each 429 that still counts
    doubles it.
    """
    least = max([asked, *(GAPS[name] for name in GAPS if _is_of(host, [name]))])
    if state is None or not state.throttles:
        return least
    return max(least, doubled(max(least, GAP_THROTTLED), state.throttles, most=GAP_MAX))


def host_after(before: HostState | None, feed: Feed, fetched: Fetched) -> HostState | None:
    """What is known of the server that answered last, after an attempt; None is nothing.

    A 429 of one feed holds for all of them, and so do two feeds that say 503 within ten minutes.
    """
    host = address.host(fetched.url)
    if not host or fetched.status is None:
        return before
    state = before or HostState(host=host)
    if _ran_ahead(state, fetched.ended):
        state = HostState(host=host, throttles=state.throttles, throttled_at=fetched.ended)
    if fetched.status == 429:
        state = _slower(state, fetched.ended)
        wait = retry_after(fetched) or _default(state, feed)
        state = _resting(state, fetched.ended + wait)
    elif fetched.status == 403 and _is_of(host, THROTTLES_403):
        state = _slower(state, fetched.ended)
    else:
        state = _eased(state, fetched.ended)
    if fetched.signature and fetched.error is None:
        state = replace(state, signature=fetched.signature)
    if fetched.status == 503:
        state = _overloaded(state, feed, fetched)
    return None if state == HostState(host=host) and before is None else state


def _slower(state: HostState, at: datetime) -> HostState:
    throttles = min(state.throttles + 1, THROTTLES_MAX)
    return replace(state, throttles=throttles, throttled_at=at)


def _eased(state: HostState, at: datetime) -> HostState:
    """With one throttle less, when the last is long ago: that halves the gap."""
    if not state.throttles or state.throttled_at is None or at - state.throttled_at < LEARNED_FOR:
        return state
    return replace(state, throttles=state.throttles - 1, throttled_at=at)


def _default(state: HostState, feed: Feed) -> timedelta:
    """How long a server rests that does not say how long."""
    ladder = doubled(FLOOR, state.throttles - 1, most=THROTTLED_MAX)
    return min(max(2 * floor(feed.policy), ladder), THROTTLED_MAX)


def _overloaded(state: HostState, feed: Feed, fetched: Fetched) -> HostState:
    """After a 503: the server rests when another feed has just had one, for the larger wait."""
    until = fetched.ended + max(retry_after(fetched) or FLOOR, floor(feed.policy), FLOOR)
    together = (
        state.overloaded_feed not in (None, feed.key)
        and state.overloaded_at is not None
        and fetched.ended - state.overloaded_at <= OVERLOAD
    )
    if together:
        state = _resting(state, until, state.overloaded_until)
    return replace(
        state,
        overloaded_feed=feed.key,
        overloaded_at=fetched.ended,
        overloaded_until=until,
    )


def _resting(state: HostState, *until: datetime | None) -> HostState:
    """Resting until the last of these moments; nobody shortens a rest."""
    return replace(state, rests_until=max(filter(None, (state.rests_until, *until))))


def _ran_ahead(state: HostState, now: datetime) -> bool:
    """Whether the clock was ahead when this was written; by a little, other clocks may be."""
    marks = (state.throttled_at, state.overloaded_at)
    return any(mark is not None and mark > now + FLOOR for mark in marks)


def _is_of(host: str, names: Iterable[str]) -> bool:
    """Whether a `host:port` is one of these names, or below one."""
    name = host.rpartition(":")[0]
    return any(name == parent or name.endswith(f".{parent}") for parent in names)


def is_outage(attempts: Iterable[tuple[Feed, Fetched]]) -> bool:
    """Whether a run has reached nobody, though it tried enough to tell.

    Files and bodies from disk say nothing of that.
    """
    tried = [(feed, fetched) for feed, fetched in attempts if fetched.asked and not feed.is_file]
    feeds = {feed.key for feed, _ in tried}
    hosts = {address.host(feed.url) or address.host(came.url) for feed, came in tried}
    if len(feeds) < OUTAGE_FEEDS or len(hosts) < OUTAGE_HOSTS:
        return False
    return all(fetched.error and fetched.error.kind in NETWORK for _, fetched in tried)
