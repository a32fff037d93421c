"""Feeds and what is known of them → whose turn it is, in the order in which to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    turns = [feed for feed in feeds if feed.enabled and _is_due(feed, memories.get(feed.key), now)]
    turns.sort(key=lambda feed: _order(feed, memories.get(feed.key)))
    return [_turn(feed, memories.get(feed.key), reader) for feed in turns]


def forced(feeds: Iterable[Feed], memories: Mapping[str, Memory], *, reader: str) -> list[Turn]:
    """All feeds, due or not; each is still asked with its validators."""
    turns = sorted(
        (feed for feed in feeds if feed.enabled),
        key=lambda feed: _order(feed, memories.get(feed.key)),
    )
    return [_turn(feed, memories.get(feed.key), reader) for feed in turns]


def unread(feeds: Iterable[Feed], memories: Mapping[str, Memory], *, reader: str) -> list[Turn]:
    """The feeds whose body on disk may hold more than the stored entries.

    A run that was killed, or a newer parser, leaves them so; no request is needed to mend it.
    """
    turns = (_turn(feed, memories.get(feed.key), reader) for feed in feeds if feed.enabled)
    return [turn for turn in turns if turn.reread]


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


def _turn(feed: Feed, memory: Memory | None, reader: str) -> Turn:
    known_hash = memory.processed_hash if memory and memory.reader == reader else None
    return Turn(
        feed=feed,
        known_hash=known_hash,
        reread=known_hash is None or (memory is not None and memory.interrupted),
        answered_url=memory.answered_url if memory else None,
    )
