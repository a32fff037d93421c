"""What was decided about a reading → rows: new entries, edits, and what the feed still lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from planet.store.codec import micros
from planet.store.database import bump_generation
from planet.store.entries import columns_of, insert_entry, write_columns
from planet.store.texts import put_text

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from planet.model import Counts, EntryDates, NewEntry


class AddedEntry(NamedTuple):
    """An entry that was not stored before."""

    draft: NewEntry
    """What it says; without its text where that waits."""
    dates: EntryDates
    waits: bool
    """Whether it is held back, and its text waits to be read again."""


class EditDates(NamedTuple):
    """The moments of an entry that is written anew."""

    changed_at: datetime | None
    """None leaves it as it was."""
    dated: datetime
    updated: datetime | None


class EditedEntry(NamedTuple):
    """What an entry says now in place of what is stored; when it was met stays."""

    number: int
    first_id: str
    draft: NewEntry
    """As in `AddedEntry`."""
    dates: EditDates
    waits: bool
    """As in `AddedEntry`."""


class FeedChanges(NamedTuple):
    """What is to be stored of a reading of a feed."""

    added: Sequence[AddedEntry]
    """In the order in which they get their numbers."""
    edited: Sequence[EditedEntry]
    came_back: Collection[int]
    """The numbers of stored entries that the feed lists again."""
    left: Collection[int]
    """The numbers of those that it lists no more."""
    counts: Counts


def write_entries(
    connection: sqlite3.Connection, feed: int, changes: FeedChanges, *, is_kept: bool
) -> None:
    """Store what changed among the entries of a feed, within the caller's transaction.

    Where they are not kept, as of a feed that shows picks only, those that left its document go.
    """
    for entry in changes.added:
        insert_entry(connection, feed, entry, is_kept=is_kept)
    for edit in changes.edited:
        _write_edit(connection, edit)
    came_back, left = ([(number,) for number in part] for part in (changes.came_back, changes.left))
    connection.executemany("UPDATE entry SET present = 1 WHERE number = ?", came_back)
    if is_kept:
        connection.executemany("UPDATE entry SET present = 0 WHERE number = ?", left)
    elif left:
        connection.executemany("DELETE FROM entry WHERE number = ?", left)
        bump_generation(connection)


def _write_edit(connection: sqlite3.Connection, edit: EditedEntry) -> None:
    dates, draft = edit.dates, replace(edit.draft, updated=edit.dates.updated)
    columns = columns_of(draft) | {
        "id": draft.id,
        "first_id": None if edit.first_id == draft.id else edit.first_id,
        "digest": draft.digest,
        "waits": edit.waits,
        "dated": micros(dates.dated),
    }
    if dates.changed_at is not None:
        columns["changed_at"] = micros(dates.changed_at)
    write_columns(connection, edit.number, columns)
    put_text(connection, edit.number, draft)
