"""What a reading brought → rows: new entries, edits, what its feed still lists; and what goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planet.model import Kept, Seed
from planet.store import codec
from planet.store.links import put_links
from planet.store.signs import put_sign

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from datetime import datetime

    from planet.model import Draft, Reading


def keep_entries(
    connection: sqlite3.Connection, feed: int, reading: Reading, now: datetime
) -> Kept:
    """Store what a reading found new or edited in a feed, and what the feed still lists.

    Within the caller's transaction.
    """
    rows = connection.execute(
        "SELECT id, number, present FROM entry WHERE feed = ?", (feed,)
    ).fetchall()
    known = {row[0]: row[1] for row in rows}
    edited = 0
    # The last of the document first, so that a higher number is the newer one; of two with one id
    # the first in the document counts.
    drafts = {draft.id: draft for draft in reversed(reading.drafts)}
    for draft in drafts.values():
        number = known.get(draft.id)
        if number is None:
            number = _insert(connection, feed, draft, now)
        else:
            _update(connection, number, draft, now)
            edited += 1
        put_sign(connection, number, feed, draft.id, draft.link)
        _keep_text(connection, number, draft)
    listed = set(reading.ids)
    connection.executemany(
        "UPDATE entry SET present = ? WHERE number = ?",
        [
            (entry_id in listed, number)
            for entry_id, number, present in rows
            if (entry_id in listed) != bool(present)
        ],
    )
    again = sum(draft.seed is not None for draft in drafts.values())
    return Kept(added=len(drafts) - edited - again, edited=edited)


def retire_entries(
    connection: sqlite3.Connection,
    feeds: Iterable[str],
    entries_before: datetime,
    texts_before: datetime,
) -> tuple[int, int]:
    """Forget what is old, as `Store.retire` says; how many lost their text, and how many went.

    Within the caller's transaction.
    """
    old_texts, old_entries = codec.micros(texts_before), codec.micros(entries_before)
    wanted = set(feeds)
    left = [
        (number,)
        for number, key in connection.execute("SELECT number, key FROM feed")
        if key not in wanted
    ]
    connection.executemany("UPDATE entry SET present = 0 WHERE feed = ? AND present", left)
    # Without its digest an entry counts as edited: its text comes back with its feed.
    untold = connection.execute(
        "UPDATE entry SET digest = x'' WHERE dated < ? AND NOT present "
        "AND number IN (SELECT number FROM text)",
        (old_texts,),
    ).rowcount
    connection.execute(
        "DELETE FROM text WHERE number IN "
        "(SELECT number FROM entry WHERE dated < ? AND NOT present)",
        (old_texts,),
    )
    gone = connection.execute(
        "DELETE FROM entry WHERE dated < ? AND NOT present", (old_entries,)
    ).rowcount
    return untold, gone


def _insert(connection: sqlite3.Connection, feed: int, draft: Draft, now: datetime) -> int:
    seed = draft.seed or Seed(
        first_seen=now, changed_at=now, dated=draft.published or draft.updated or now
    )
    cursor = connection.execute(
        "INSERT INTO entry (number, feed, id, digest, first_seen, changed_at, dated, present, "
        "rank, link, title, summary, published, updated, more) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?)",
        (
            seed.number,
            feed,
            draft.id,
            bytes.fromhex(draft.digest),
            codec.micros(seed.first_seen),
            codec.micros(seed.changed_at),
            codec.micros(seed.dated),
            draft.rank,
            *_said(draft),
        ),
    )
    return int(cursor.lastrowid or 0)


def _update(connection: sqlite3.Connection, number: int, draft: Draft, now: datetime) -> None:
    """An edit: what it says is replaced, when it was met and filed is not."""
    connection.execute(
        "UPDATE entry SET digest = ?, changed_at = ?, present = 1, "
        "link = ?, title = ?, summary = ?, published = ?, updated = ?, more = ? "
        "WHERE number = ?",
        (bytes.fromhex(draft.digest), codec.micros(now), *_said(draft), number),
    )


def _keep_text(connection: sqlite3.Connection, number: int, draft: Draft) -> None:
    if draft.raw is None:
        connection.execute("DELETE FROM text WHERE number = ?", (number,))
        return
    raw = draft.raw.value
    clean = None if draft.content is None else codec.pack_against(draft.content, raw)
    connection.execute(
        "INSERT OR REPLACE INTO text VALUES (?, ?, ?, ?, ?, ?)",
        (number, draft.raw.kind, draft.raw.base, codec.pack(raw), clean, draft.cleaning),
    )
    if draft.links is not None:
        put_links(connection, {number: draft.links})


def _said(draft: Draft) -> tuple[Any, ...]:
    return (
        draft.link,
        draft.title,
        draft.summary,
        codec.micros(draft.published),
        codec.micros(draft.updated),
        codec.more(draft),
    )
