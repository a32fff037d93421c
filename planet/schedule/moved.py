"""Where permanent redirects lead, and when a feed is asked there directly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet import address
from planet.model import Moved
from planet.schedule.constants import ADOPT_SPAN, ADOPT_TIMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from planet.errors import FeedError
    from planet.model import Feed, Fetched, Memory

_GONE = frozenset({"http_404", "http_410"})
_NO_MORE = {True: _GONE | {"not_a_feed", "private_address"}, False: _GONE | {"dns"}}
"""The kinds of error that end the asking at an adopted address, and at one that redirected."""


def followed(moved: Moved | None, feed: Feed, fetched: Fetched) -> Moved | None:
    """Where the feed has moved, after an attempt that brought it.

    The target is adopted once it is proven, or at once when it is the same address over TLS.
    Nothing is adopted that gives TLS up.
    """
    adopted = moved if moved and moved.adopted else None
    asked = adopted.to if adopted else feed.url
    target = fetched.permanent_url
    if target is None or is_same(target, asked) or _is_downgrade(asked, target):
        return adopted
    if moved and is_same(moved.to, target):
        led = replace(moved, times=moved.times + 1)
    else:
        led = Moved(to=target, since=fetched.ended)
    return replace(led, adopted=_is_upgrade(asked, target) or _is_proven(led, fetched.ended))


def must_switch(moved: Moved | None, feed: Feed, fetched: Fetched, error: FeedError | None) -> bool:
    """Whether a failure says to ask at the feed's other address, whichever of the two it is.

    An adopted address that has no feed any more was not meant; an address that redirected, and is
    no more, was meant to be replaced.
    """
    if moved is None or error is None or error.kind not in _NO_MORE[moved.adopted]:
        return False
    # Of the two it must be the one that redirected, not where it led.
    return moved.adopted or is_same(fetched.url, feed.url)


def switched(memory: Memory) -> Memory:
    """To be asked at its other address: the adopted one, or again the configured one."""
    if memory.moved is None or memory.moved.adopted:
        return replace(memory, moved=None, answered_url=None)
    return replace(memory, moved=replace(memory.moved, adopted=True))


def renamed(feeds: Iterable[Feed], memories: Mapping[str, Memory]) -> list[tuple[str, Feed]]:
    """The feeds that are the former ones at a new address, each with its former key.

    So it is when the operator replaced an address by the one it redirects to: the feed of the new
    one is unknown, and the one that led there is no longer in the config.
    """
    wanted = list(feeds)
    configured = {feed.key for feed in wanted}
    left = {
        address.same(memory.moved.to): key
        for key, memory in memories.items()
        if memory.moved and key not in configured
    }
    unknown = [feed for feed in wanted if feed.key not in memories]
    found = [(left.pop(address.same(feed.url), None), feed) for feed in unknown]
    return [(key, feed) for key, feed in found if key is not None]


def is_same(one: str, other: str) -> bool:
    """Whether every server must treat two addresses as equal."""
    return address.same(one) == address.same(other)


def _is_proven(moved: Moved, now: datetime) -> bool:
    return moved.times >= ADOPT_TIMES and now - moved.since >= ADOPT_SPAN


def _is_upgrade(asked: str, target: str) -> bool:
    """Whether the target is the same, but for http made https."""
    plain, secure = address.same(asked), address.same(target)
    return plain.startswith("http:") and secure == plain.replace("http:", "https:", 1)


def _is_downgrade(asked: str, target: str) -> bool:
    return _is_secure(asked) and not _is_secure(target)


def _is_secure(url: str) -> bool:
    return address.same(url).startswith("https:")
