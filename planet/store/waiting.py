"""Entries that a new feed had already and nobody sees: they wait without their texts.

A feed can bring hundreds of them, and `new_feed_entries` shows ten. What they say is read again,
from the body on disk, when more of them are to be shown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet import media
from planet.store.faults import typed

if TYPE_CHECKING:
    import sqlite3

    from planet.model import Draft


def is_held_back(rank: int | None, shown: int | None) -> bool:
    """Whether an entry of this rank is not seen while so many of a new feed are; None: all."""
    return rank is not None and shown is not None and rank >= shown


def can_wait(draft: Draft) -> bool:
    """Whether an entry can do without its text: what can be played is picked with its notes."""
    return draft.raw is not None and media.playable(draft) is None


def bare(draft: Draft) -> Draft:
    """The entry without its text, and with no more of a summary than what it is called by.

    It has no digest, so that it is another one for whoever shows it when its text is there.
    """
    return replace(
        draft,
        digest="",
        summary=None if draft.title else draft.summary,
        raw=None,
        content=None,
        links=None,
        cleaning=None,
    )


def put_waiting(connection: sqlite3.Connection, number: int, draft: Draft) -> None:
    """Write down that an entry waits, within the caller's transaction."""
    row = number, bytes.fromhex(draft.digest)
    connection.execute("INSERT OR REPLACE INTO waiting VALUES (?, ?)", row)


def drop_waiting(connection: sqlite3.Connection, number: int) -> None:
    """Write down that an entry does not wait any more, within the caller's transaction."""
    connection.execute("DELETE FROM waiting WHERE number = ?", (number,))


def first_waiting(connection: sqlite3.Connection) -> dict[str, int]:
    """The lowest rank of those that wait and that their feed still lists, by its key."""
    rows = connection.execute(
        "SELECT feed.key, min(rank) FROM waiting JOIN entry USING (number) "
        "JOIN feed ON feed.number = entry.feed WHERE present GROUP BY feed.key"
    )
    return dict(typed(rows, str, int | None))
