"""Feeds that lead to the same address for good → which one of them is asked for all (R35)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.model import DueReason
from planet.schedule import constants as c
from planet.schedule.attempts import NO_MORE_THERE, clear_failures, current_state
from planet.schedule.waits import state_floor
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from planet.model import Feed, FeedState


def find_merges(
    feeds: Sequence[Feed], states: Mapping[str, FeedState], *, place_of: Callable[[Feed], object]
) -> dict[str, str]:
    """Return the key of each feed that is merged into another one, with the key of that one.

    The one that is asked is that whose address all lead to, else the first of the config that has
    adopted it. Feeds with different settings are not merged; `place_of` gives the editions that
    show a feed.
    """
    polled = [feed for feed in feeds if feed.is_asked and not feed.is_file]
    by_address: dict[str, Feed] = {}
    for feed in polled:
        by_address.setdefault(address.normalize(feed.url), feed)
    groups: dict[str, list[Feed]] = {}
    for feed in polled:
        groups.setdefault(_permanent_address(feed, by_address, states), []).append(feed)
    merges = {}
    for target, group in groups.items():
        there = [feed for feed in group if _current_address(feed, states) == target]
        survivor = by_address.get(target) or (there or group)[0]
        if _has_lost_posts(survivor, states.get(survivor.key)):
            continue
        for feed in group:
            state = states.get(feed.key)
            is_asked = feed is survivor or state is None or state.given_up is not None
            if (
                not is_asked
                and _is_covered(feed, survivor)
                and place_of(feed) == place_of(survivor)
            ):
                merges[feed.key] = survivor.key
    return merges


def _permanent_address(
    feed: Feed, by_address: Mapping[str, Feed], states: Mapping[str, FeedState]
) -> str:
    """Return the address to which a feed leads for good; its own without one, or in a loop.

    A permanent redirect counts once it is adopted, or at once where it leads to another feed.
    """
    own = url = address.normalize(feed.url)
    visited = {own}
    current: Feed | None = feed
    while current is not None:
        moved = current_state(current, states.get(current.key)).moved
        to = address.normalize(moved.to) if moved else url
        if moved is None or to == url or not (moved.adopted or to in by_address):
            return url
        if to in visited:
            return own
        visited.add(to)
        url, current = to, by_address.get(to)
    return url


def _current_address(feed: Feed, states: Mapping[str, FeedState]) -> str:
    """Return the address at which a feed is asked while it is not merged."""
    return address.normalize(current_state(feed, states.get(feed.key)).adopted_url or feed.url)


def _has_lost_posts(feed: Feed, state: FeedState | None) -> bool:
    """Tell whether a feed has no posts at its address any more, so that none is merged into it."""
    state = current_state(feed, state)
    return state.given_up is not None or state.error_kind in NO_MORE_THERE


def _is_covered(feed: Feed, survivor: Feed) -> bool:
    """Tell whether another feed has the same settings, and all of its tags."""
    return _settings(feed) == _settings(survivor) and set(feed.tags) <= set(survivor.tags)


def _settings(feed: Feed) -> tuple[object, ...]:
    policy = feed.policy
    shown = feed.filters, feed.content, feed.picks, feed.include, feed.transform
    return *shown, policy.auth, policy.headers, policy.releases


def set_merged_into(state: FeedState, into: str | None) -> FeedState:
    """Return the state of a feed that is merged into another one, or with None into none."""
    at = state.settled_at or state.attempted_at
    if into is None:
        due_at = at and at + state_floor(state)
        return replace(state, merged_into=None, due_at=due_at, due_reason=DueReason.FLOOR)
    return replace(
        clear_failures(state),
        merged_into=into,
        due_at=at and at + c.MERGED_AGAIN,
        due_reason=DueReason.MERGED,
    )
