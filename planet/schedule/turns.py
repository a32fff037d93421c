"""Feeds and what is known of them → whose turn it is, in the order in which to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.errors import GAVE_UP
from planet.model import Turn
from planet.schedule.constants import FLOOR, floor

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from planet.model import Feed, Memory


def due(
    feeds: Iterable[Feed], memories: Mapping[str, Memory], *, reader: str, now: datetime
) -> list[Turn]:
    """The feeds that may be asked now: important ones first, then those due longest.

    A feed read from disk is due in every run. `reader` is the version of the parser.
    """
    return _turns(
        (feed for feed in feeds if _is_due(feed, memories.get(feed.key), now)), memories, reader
    )


def forced(feeds: Iterable[Feed], memories: Mapping[str, Memory], *, reader: str) -> list[Turn]:
    """All feeds, due or not; each is still asked with its validators."""
    return _turns(feeds, memories, reader)


def unread(feeds: Iterable[Feed], memories: Mapping[str, Memory], *, reader: str) -> list[Turn]:
    """The feeds whose body on disk may hold more than the stored entries.

    A run that was killed, or a newer parser, leaves them so; no request is needed to mend it.
    """
    return [
        turn
        for feed in feeds
        if feed.enabled and not _given_up(memory := memories.get(feed.key))
        if (turn := _turn(feed, memory, reader)).reread
    ]


def _turns(feeds: Iterable[Feed], memories: Mapping[str, Memory], reader: str) -> list[Turn]:
    """The turns of those that are enabled, in the order in which to ask."""
    asked = [feed for feed in feeds if feed.enabled]
    asked.sort(key=lambda feed: _order(feed, memories.get(feed.key)))
    return [_turn(feed, memories.get(feed.key), reader) for feed in asked]


def _is_due(feed: Feed, memory: Memory | None, now: datetime) -> bool:
    if feed.is_file or memory is None or memory.attempted_at is None:
        return True
    if memory.attempted_at > now + FLOOR:
        # The clock ran ahead when this was written down; a little ahead, other clocks may be.
        return True
    if memory.interrupted:
        # A request went out, and nobody lived to write down when the next may: the floor holds.
        return memory.attempted_at + floor(feed.asking) <= now
    return memory.due_at is None or memory.due_at <= now


def _order(feed: Feed, memory: Memory | None) -> tuple[int, float]:
    due_at = memory.due_at if memory else None
    return -feed.priority, due_at.timestamp() if due_at else 0.0


def _given_up(memory: Memory | None) -> bool:
    """Whether its body took too long: it is tried again, but not before the feed is due."""
    return memory is not None and memory.unreadable_kind in GAVE_UP


def _turn(feed: Feed, memory: Memory | None, reader: str) -> Turn:
    read = memory is not None and memory.reader == reader and not _given_up(memory)
    known_hash = memory.processed_hash if memory and read else None
    return Turn(
        feed=feed,
        known_hash=known_hash,
        reread=known_hash is None or (memory is not None and memory.interrupted),
        answered_url=memory.answered_url if memory else None,
    )
