"""What a reading brought → rows: new entries, edits, and what its feed still lists.

What is decided here is decided by pure functions, which stand first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec.structs import replace

from planet.model import Counts, Entry, NewEntry, RestoredEntry
from planet.store.codec import micros
from planet.store.database import bump_generation
from planet.store.dedupe import put_dedupe_keys
from planet.store.entries import (
    columns_of,
    insert_entry,
    is_held_back,
    mark_removed,
    read_entries,
    write_columns,
)
from planet.store.texts import clean_text, put_text, read_texts
from planet.store.transforms import let_wait, put_back
from planet.text import media
from planet.text.plain import plain

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from planet.model import ParseResult, Text


def first_dates(draft: NewEntry, *, oldest: datetime | None, now: datetime) -> RestoredEntry:
    """Return how an entry is dated that is met now; `oldest` is the first date in its feed."""
    # What was there before anybody looked, and does not say since when, is no news.
    claim = oldest if _is_page(draft) else draft.published or draft.updated
    return RestoredEntry(first_seen=now, changed_at=now, dated=claim or now)


class EditDates(NamedTuple):
    """The moments of an entry that was written anew."""

    changed_at: datetime
    dated: datetime
    updated: datetime | None


def edit_dates(
    entry: Entry, draft: NewEntry, *, edited_at: datetime | None, has_other_words: bool
) -> EditDates:
    """Return the moments of an entry as they are once it says what `draft` says.

    `edited_at` is when its publisher's edit was seen; None when it is no edit. The publisher tells
    when it was with a date that is new; where it does not, and the words are others, it was then.
    """
    claims = {moment for moment in (draft.published, draft.updated) if moment}
    claims_before = {moment for moment in (entry.published, entry.updated) if moment}
    moments = {moment for moment in (draft.updated, entry.updated) if moment}
    if edited_at:
        if claims and (not claims_before or max(claims) > max(claims_before)):
            moments.add(max(claims))
        elif has_other_words:
            moments.add(edited_at)
    is_dated_now = entry.rank is not None and claims and not claims_before
    return EditDates(
        changed_at=edited_at or entry.changed_at,
        dated=(draft.published or draft.updated or entry.dated) if is_dated_now else entry.dated,
        updated=max(moments, default=None),
    )


def can_wait(draft: NewEntry) -> bool:
    """Return whether an entry can do without its text: what can be played is picked with notes."""
    return draft.raw is not None and media.find_playable(draft) is None


def without_text(draft: NewEntry) -> NewEntry:
    """Return the entry without its text, and with no more of a summary than what it is called by.

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


def in_order_of_numbers(drafts: Sequence[NewEntry]) -> list[NewEntry]:
    """Return the entries of a document in the order in which they get their numbers.

    The last of the document is first, so that a higher number is the newer one; pages go before
    all. Of two with one id, the first in the document counts.
    """
    by_id = {draft.id: draft for draft in reversed(drafts)}
    return sorted(by_id.values(), key=lambda draft: not _is_page(draft))


def _is_page(draft: NewEntry) -> bool:
    """Return the same as `Entry.is_page`."""
    return draft.rank is not None and not (draft.published or draft.updated)


_STORED: Final = (
    "SELECT id, entry.number, first_id, present, rank, entry.digest, waiting.digest AS waiting "
    "FROM entry LEFT JOIN waiting ON waiting.number = entry.number WHERE feed = ? AND kept"
)


def keep_entries(
    connection: sqlite3.Connection,
    feed: int,
    reading: ParseResult,
    now: datetime,
    *,
    shown: int | None,
    transforms: bool,
) -> Counts:
    """Store what a reading found new or edited in a feed, and what the feed still lists.

    `shown` and `transforms` as in `Store.keep`. Within the caller's transaction.
    """
    is_replaced = _drop_told(connection, reading.drafts)
    stored = {row["id"]: row for row in connection.execute(_STORED, (feed,)).fetchall()}
    added = edited = back = 0
    for draft in in_order_of_numbers(reading.drafts):
        row = stored.get(draft.former_id or draft.id)
        rank, waited = (row["rank"], row["waiting"]) if row else (draft.rank, None)
        may_wait = row is None or waited is not None
        waits = may_wait and is_held_back(rank, shown) and can_wait(draft)
        kept = without_text(draft) if waits else draft
        if row is None:
            dates = draft.restored or first_dates(draft, oldest=reading.oldest, now=now)
            number = insert_entry(connection, feed, kept, dates)
            first_id = draft.former_id or draft.id
            added += draft.restored is None
        else:
            number, first_id = row["number"], row["first_id"] or row["id"]
            # What it was before it waited, or before another cleaner made its text: no edit.
            is_same = draft.digest == (row["digest"] if waited is None else waited).hex()
            is_edit = not (is_same or reading.read_anew or draft.former_id)
            if is_same and waited is not None:
                columns = {
                    "digest": bytes.fromhex(kept.digest),
                    "present": 1,
                    "value": columns_of(kept)["value"],
                }
                write_columns(connection, number, columns)
            else:
                put_back(connection, number)
                _write_edit(connection, number, kept, now if is_edit else None)
            back += is_same
            edited += not is_same
        put_dedupe_keys(connection, number, feed, first_id, draft.link)
        put_text(connection, number, kept)
        if transforms and not waits:
            let_wait(connection, number)
        if waits:
            connection.execute(
                "INSERT OR REPLACE INTO waiting VALUES (?, ?)",
                (number, bytes.fromhex(draft.digest)),
            )
        elif waited is not None:
            connection.execute("DELETE FROM waiting WHERE number = ?", (number,))
    if back or is_replaced:
        bump_generation(connection)
    _mark_listed(connection, stored.values(), reading)
    return Counts(added=added, edited=edited)


def _drop_told(connection: sqlite3.Connection, drafts: Sequence[NewEntry]) -> bool:
    """Drop what the site told of entries of which their feed says more; return if there was any."""
    gone = [
        (replaced, restored.number)
        for draft in drafts
        if (restored := draft.restored) and (replaced := restored.replaces) is not None
    ]
    connection.executemany("DELETE FROM entry WHERE number = ?", [(number,) for number, _ in gone])
    # Others get its number again.
    mark_removed(connection, [(number,) for number, new in gone if number != new])
    return bool(gone)


def _mark_listed(
    connection: sqlite3.Connection, rows: Collection[sqlite3.Row], reading: ParseResult
) -> None:
    """Write down which of the entries that were stored before their feed still lists."""
    renamed = {draft.former_id: draft.id for draft in reading.drafts if draft.former_id}
    listed = set(reading.ids)
    changed = [
        (is_listed, row["number"])
        for row in rows
        if (is_listed := renamed.get(row["id"], row["id"]) in listed) != bool(row["present"])
    ]
    connection.executemany("UPDATE entry SET present = ? WHERE number = ?", changed)


def keep_episodes(
    connection: sqlite3.Connection, feed: int, result: ParseResult, now: datetime
) -> Counts:
    """Let what can be picked of a feed that shows picks only be what its document lists.

    Within the caller's transaction.
    """
    rows = connection.execute("SELECT id, number FROM entry WHERE feed = ? AND NOT kept", (feed,))
    numbers = {row["id"]: row["number"] for row in rows.fetchall()}
    gone = [(numbers[entry_id],) for entry_id in numbers.keys() - set(result.ids)]
    connection.executemany("DELETE FROM entry WHERE number = ?", gone)
    if gone:
        bump_generation(connection)
    # The last of the document first, so that a higher number is the newer one.
    drafts = {draft.id: draft for draft in reversed(result.drafts)}
    for draft in drafts.values():
        number = numbers.get(draft.id)
        if number is None:
            draft = replace(draft, rank=None)
            dates = draft.restored or first_dates(draft, oldest=None, now=now)
            number = insert_entry(connection, feed, draft, dates, is_kept=False)
        else:
            _write_edit(connection, number, draft, now)
        put_text(connection, number, draft)
    edited = len(drafts.keys() & numbers.keys())
    return Counts(added=len(drafts) - edited, edited=edited)


def _write_edit(
    connection: sqlite3.Connection, number: int, draft: NewEntry, edited_at: datetime | None
) -> None:
    """Replace what an entry says; when it was met, and where it is filed, stays.

    `edited_at` as in `edit_dates`.
    """
    (entry,) = read_entries(connection, "entry.number", [number])
    text = read_texts(connection, [number]).get(number)
    is_other = draft.title != entry.title or _has_other_words(text, draft)
    dates = edit_dates(entry, draft, edited_at=edited_at, has_other_words=is_other)
    first_id = entry.first_id or entry.id
    columns: dict[str, Any] = columns_of(draft) | {
        "id": draft.id,
        "first_id": None if first_id == draft.id else first_id,
        "digest": bytes.fromhex(draft.digest),
        "present": 1,
        "changed_at": micros(dates.changed_at),
        "dated": micros(dates.dated),
        "updated": micros(dates.updated),
    }
    write_columns(connection, number, columns)


def _has_other_words(stored: Text | None, draft: NewEntry) -> bool:
    """Return whether the text of an entry is stored, and says something else.

    Addresses in it do not count: they change when its site moves, and with each signature.
    """
    text = draft.raw if draft.content is None else clean_text(draft.content)
    return stored is not None and (text is None or plain(text) != plain(stored))
