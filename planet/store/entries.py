"""What a reading brought → rows: new entries, edits, what its feed still lists; and what goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planet.model import Kept, Seed, Text, TextKind
from planet.plain import plain
from planet.store import codec
from planet.store.schema import show
from planet.store.signs import put_sign
from planet.store.texts import drop_texts, keep_text
from planet.store.waiting import bare, can_wait, drop_waiting, is_held_back, put_waiting

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from datetime import datetime

    from planet.model import Draft, Reading


def keep_entries(
    connection: sqlite3.Connection,
    feed: int,
    reading: Reading,
    now: datetime,
    shown: int | None,
) -> Kept:
    """Store what a reading found new or edited in a feed, and what the feed still lists.

    `shown` as in `Store.keep`. Within the caller's transaction.
    """
    rows = connection.execute(
        "SELECT id, entry.number, present, rank, waiting.digest, first_id FROM entry "
        "LEFT JOIN waiting ON waiting.number = entry.number WHERE feed = ?",
        (feed,),
    ).fetchall()
    known = {row[0]: row[1:] for row in rows}
    edited = back = 0
    # The last of the document first, so that a higher number is the newer one; pages before all;
    # of two with one id the first in the document counts.
    drafts = {draft.id: draft for draft in reversed(reading.drafts)}
    drafts = dict(sorted(drafts.items(), key=lambda item: not _is_page(item[1])))
    for draft in drafts.values():
        stored_as = draft.former_id or draft.id
        number, _, rank, waited, first_id = known.get(stored_as, (None, 0, draft.rank, None, None))
        waits = (
            (number is None or waited is not None) and is_held_back(rank, shown) and can_wait(draft)
        )
        kept = bare(draft) if waits else draft
        if number is None:
            number = _insert(connection, feed, kept, reading.oldest, now)
        elif waited is not None and waited.hex() == draft.digest:
            _give_back(connection, number, kept)
            back += 1
        else:
            _update(
                connection, number, kept, now, is_edit=not (reading.read_anew or draft.former_id)
            )
            edited += 1
        put_sign(connection, number, feed, first_id or stored_as, draft.link)
        keep_text(connection, number, kept)
        if waits:
            put_waiting(connection, number, draft)
        elif waited is not None:
            drop_waiting(connection, number)
    if back:
        show(connection)
    renamed = {draft.former_id: draft.id for draft in drafts.values()}
    listed = set(reading.ids)
    connection.executemany(
        "UPDATE entry SET present = ? WHERE number = ?",
        [
            (is_listed, number)
            for entry_id, number, present, *_ in rows
            if (is_listed := renamed.get(entry_id, entry_id) in listed) != bool(present)
        ],
    )
    again = sum(draft.seed is not None for draft in drafts.values())
    return Kept(added=len(drafts) - edited - back - again, edited=edited)


def retire_entries(
    connection: sqlite3.Connection,
    feeds: Iterable[str],
    entries_before: datetime,
    texts_before: datetime,
) -> tuple[int, int]:
    """Forget what is old, as `Store.retire` says; how many lost their text, and how many went.

    Within the caller's transaction.
    """
    wanted = set(feeds)
    left = [
        (number,)
        for number, key in connection.execute("SELECT number, key FROM feed")
        if key not in wanted
    ]
    connection.executemany("UPDATE entry SET present = 0 WHERE feed = ? AND present", left)
    untold = drop_texts(connection, texts_before)
    gone = connection.execute(
        "DELETE FROM entry WHERE dated < ? AND NOT present", (codec.micros(entries_before),)
    ).rowcount
    return untold, gone


def _insert(
    connection: sqlite3.Connection,
    feed: int,
    draft: Draft,
    oldest: datetime | None,
    now: datetime,
) -> int:
    # What was there before anybody looked, and does not say since when, is no news.
    claim = oldest if _is_page(draft) else draft.published or draft.updated
    seed = draft.seed or Seed(first_seen=now, changed_at=now, dated=claim or now)
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


def _is_page(draft: Draft) -> bool:
    """As `Entry.is_page`."""
    return draft.rank is not None and not (draft.published or draft.updated)


def _update(
    connection: sqlite3.Connection, number: int, draft: Draft, now: datetime, *, is_edit: bool
) -> None:
    """What an entry says is replaced; when it was met and filed is not.

    `is_edit` tells that its publisher changed it: when, it says with a date that is new; where it
    does not, and its words are others, it was now.
    """
    title, raw, kind, rank, dated, changed_at, *before = connection.execute(
        "SELECT title, raw, kind, rank, dated, changed_at, published, updated "
        "FROM entry LEFT JOIN text USING (number) WHERE entry.number = ?",
        (number,),
    ).fetchone()
    *said, published, updated, more = _said(draft)
    claims, claims_before = set(filter(None, (published, updated))), set(filter(None, before))
    moments = set(filter(None, (updated, before[1])))
    if is_edit:
        changed_at = codec.micros(now)
        newest = max(claims, default=0)
        if newest > max(claims_before, default=0):
            moments.add(newest)
        elif draft.title != title or (raw and _words(draft.raw) != _words(_text(kind, raw))):
            moments.add(changed_at)
    if rank is not None and claims and not claims_before:
        dated = published or updated
    connection.execute(
        "UPDATE entry SET id = ?, first_id = nullif(coalesce(first_id, id), ?), digest = ?, "
        "changed_at = ?, dated = ?, present = 1, link = ?, title = ?, summary = ?, published = ?, "
        "updated = ?, more = ? WHERE number = ?",
        (
            *(draft.id, draft.id, bytes.fromhex(draft.digest), changed_at, dated),
            *(*said, published, max(moments, default=None), more, number),
        ),
    )


def _words(text: Text | None) -> str | None:
    """What a text says: addresses in it change when its site moves, and with each signature."""
    return plain(text) if text else None


def _text(kind: str, raw: bytes) -> Text:
    return Text(kind=TextKind(kind), value=codec.unpack(raw))


def _give_back(connection: sqlite3.Connection, number: int, draft: Draft) -> None:
    """What an entry said before it waited: no edit."""
    connection.execute(
        "UPDATE entry SET digest = ?, present = 1, summary = ? WHERE number = ?",
        (bytes.fromhex(draft.digest), _summary(draft), number),
    )


def _summary(draft: Draft) -> bytes | None:
    """The summary, where it is not kept with the text."""
    return None if draft.raw or draft.summary is None else codec.pack(draft.summary)


def _said(draft: Draft) -> tuple[Any, ...]:
    return (
        codec.link_of(draft),
        draft.title,
        _summary(draft),
        codec.micros(draft.published),
        codec.micros(draft.updated),
        codec.more(draft),
    )
