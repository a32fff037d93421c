"""The table `entry`: what feeds list and listed, and what becomes of it when they are read again.

Columns are what queries ask for. All other fields of an entry are one JSON value; its text stands
beside them (`texts`).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from planet.model import Entry, EntryDates, NewEntry, Origin, Picks, TransformOutcome
from planet.store import codec
from planet.store.codec import micros
from planet.store.database import Table
from planet.store.texts import TextTable, text_columns, text_fields

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from planet.model import Counts, Transformed


class EntryRow(NamedTuple):
    """The facts of a stored entry that decide whether an entry in the feed is news."""

    number: int
    first_id: str
    """The first id."""
    digest: str
    """Empty where the text is to be read again with the feed."""
    waits: bool
    """Whether the entry is held back, and stored without the text."""
    rank: int | None
    """As in `Entry`."""
    is_listed: bool
    """Whether the entry was in the last reading of the feed."""


class StoredEntry(NamedTuple):
    """An entry with text and moments."""

    draft: NewEntry
    dates: EntryDates


class EntryChange(NamedTuple):
    """A new entry, or the present form of a stored one."""

    draft: NewEntry
    """The entry; without the text where that waits."""
    dates: EntryDates
    waits: bool
    """Whether the entry is held back, and the text waits to be read again."""
    number: int | None = None
    """None for a new entry."""
    first_id: str | None = None
    """The first id."""


class FeedChanges(NamedTuple):
    """The changes by a reading of a feed."""

    entries: Sequence[EntryChange]
    """In the order in which the new ones get their numbers."""
    listed: Collection[int]
    """The numbers of the stored entries that the feed lists."""
    counts: Counts


class TransformResult(NamedTuple):
    """What a program of the operator's made of an entry."""

    changes: Mapping[str, Any]
    """The fields of `NewEntry` that are others now."""
    transformed: Transformed


_EVER: Final = datetime.max.replace(tzinfo=UTC)
_MOMENTS: Final = ("first_seen", "changed_at", "dated")
_COLUMNS: Final = ("number", "feed", "first_key", "id", "first_id", *_MOMENTS, "rank", "origin")
"""The fields of an entry that are columns; its digest is none while its text waits."""
_OF_BOTH: Final = set(NewEntry.__struct_fields__) & set(Entry.__struct_fields__)
_IN_VALUE: Final = sorted(_OF_BOTH - {*_COLUMNS, "digest"})
_ENTRIES: Final = f"SELECT {', '.join(_COLUMNS)}, iif(waits, '', digest), value FROM entry"
_LISTED: Final = "IN (SELECT value FROM json_each(?))"


class EntryTable(Table):
    """The entries of all feeds."""

    def _read(self, rest: str, *values: Any) -> list[Entry]:
        return [*map(_entry, self._connection.execute(f"{_ENTRIES} WHERE {rest}", values))]

    def of_feeds(self, keys: Iterable[str], *, picks: Picks = Picks.ALSO) -> list[Entry]:
        """Return all entries of these feeds, in the order in which they were first met.

        With `Picks.ONLY` they are what can be picked of feeds that show picks only.
        """
        where = f"kept = ? AND feed {_LISTED}"
        entries = self._read(where, picks is Picks.ALSO, codec.encode([*keys]))
        return sorted(entries, key=lambda entry: entry.number)

    def by_number(self, numbers: Iterable[int]) -> list[Entry]:
        """Return the entries with these numbers."""
        return self._read(f"number {_LISTED}", codec.encode([*numbers]))

    def rows(self, key: str, *, picks: Picks = Picks.ALSO) -> dict[str, EntryRow]:
        """Return what decides what is news to a feed, by the ids of its entries.

        With `Picks.ONLY` they are what can be picked.
        """
        rows = self._select(
            tuple[str, int, str, str, int, int | None, int],
            "SELECT id, number, coalesce(first_id, id), digest, waits, rank, present FROM entry "
            "WHERE feed = ? AND kept = ?",
            key,
            picks is Picks.ALSO,
        )
        return {
            entry_id: EntryRow(number, first_id, digest, bool(waits), rank, bool(is_listed))
            for entry_id, number, first_id, digest, waits, rank, is_listed in rows
        }

    def drafts(self, numbers: Sequence[int]) -> dict[int, StoredEntry]:
        """Return entries with their texts, by number."""
        texts = TextTable(self._connection).read_stored(numbers)
        drafts = {}
        for entry in self.by_number(numbers):
            fields = {name: getattr(entry, name) for name in _OF_BOTH}
            draft = NewEntry(**fields, **text_fields(texts.get(entry.number)))
            dates = EntryDates(**{name: getattr(entry, name) for name in _MOMENTS})
            drafts[entry.number] = StoredEntry(draft, dates)
        return drafts

    def unlisted(self, *, before: datetime = _EVER) -> frozenset[int]:
        """Return the numbers of the entries that their feeds no longer list.

        With `before` they are those that `Store.retire` would forget of feeds that there are.
        """
        sql = "SELECT number FROM entry WHERE NOT present AND dated < ?"
        return frozenset(number for (number,) in self._select(tuple[int], sql, micros(before)))

    def find_untransformed(self) -> dict[str, list[int]]:
        """Return the numbers of the entries that no program has seen, or one failed on, by feed."""
        numbers: dict[str, list[int]] = {}
        rows = self._select(
            tuple[str, int],
            "SELECT feed, number FROM entry "
            "WHERE kept AND json_extract(value, '$.transformed.outcome') IN (?, ?) ORDER BY number",
            TransformOutcome.WAITING,
            TransformOutcome.FAILED,
        )
        for key, number in rows:
            numbers.setdefault(key, []).append(number)
        return numbers

    def origins(self) -> dict[str, list[Origin]]:
        """Return where feeds have entries from, by their keys; what was met first stands first."""
        rows = self._select(
            tuple[str, str],
            "SELECT feed, origin FROM entry WHERE kept AND origin NOTNULL "
            "GROUP BY feed, origin ORDER BY min(number)",
        )
        origins: dict[str, list[Origin]] = {}
        for key, origin in rows:
            origins.setdefault(key, []).append(codec.decode(origin, Origin))
        return origins

    def exist(self) -> bool:
        """Return whether there is any entry, of whichever feed."""
        return bool(self._select(tuple[int], "SELECT 1 FROM entry LIMIT 1"))

    def write(self, feed: str, changes: FeedChanges, *, is_kept: bool) -> None:
        """Store what changed among the entries of a feed.

        Where they are not kept, as of a feed that shows picks only, those that left its document
        go.
        """
        with self._transaction():
            self._list(feed, changes.listed, is_kept=is_kept)
            for draft, dates, waits, number, first_id in changes.entries:
                columns = _columns(draft, dates) | {"waits": waits}
                if number is None:
                    of_feed = {"feed": feed, "kept": is_kept, "present": True, "rank": draft.rank}
                    self._insert(columns | of_feed)
                else:
                    first_id = None if first_id == draft.id else first_id
                    self._update(number, columns | {"first_id": first_id})

    def _list(self, feed: str, numbers: Collection[int], *, is_kept: bool) -> None:
        values = feed, is_kept, codec.encode(sorted(numbers))
        if not is_kept:
            where = f"feed = ? AND kept = ? AND NOT number {_LISTED}"
            if self._execute(f"DELETE FROM entry WHERE {where}", *values):
                self._bump_generation()
            return
        where = f"feed = ? AND kept = ? AND present <> (number {_LISTED})"
        self._execute(f"UPDATE entry SET present = NOT present WHERE {where}", *values)

    def _insert(self, columns: Mapping[str, Any]) -> None:
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        sql = f"INSERT INTO entry ({names}) VALUES ({marks})"
        self._connection.execute(sql, (*columns.values(),))

    def _update(self, number: int, columns: Mapping[str, Any]) -> None:
        names = " = ?, ".join(columns)
        sql = f"UPDATE entry SET {names} = ? WHERE number = ?"
        self._connection.execute(sql, (*columns.values(), number))

    def put_transformed(self, results: Mapping[int, TransformResult]) -> None:
        """Store what a program made of entries, by their numbers, as no edit of their feed's.

        An entry has what the program made of it where it had its feed's words, so that whoever
        reads it need not know.
        """
        with self._transaction():
            for number, (draft, dates) in self.drafts([*results]).items():
                changes, transformed = results[number]
                after = replace(draft, **changes, transformed=transformed)
                if "published" in changes and after.published:
                    dates = replace(dates, dated=after.published)
                self._update(number, _columns(after, dates))
            self._bump_generation()

    def keep_listed(self, keys: Sequence[str]) -> None:
        """Let all entries of these feeds count as listed, so that none is too old to be kept."""
        where = f"WHERE kept AND NOT present AND feed {_LISTED}"
        self._execute(f"UPDATE entry SET present = 1 {where}", codec.encode(keys))

    def unlist(self, *, except_of: Collection[str]) -> None:
        """Let the entries of all feeds but these count as no longer listed."""
        others = "SELECT feed FROM entry EXCEPT SELECT value FROM json_each(?)"
        sql = f"UPDATE entry SET present = 0 WHERE kept AND present AND feed IN ({others})"
        self._execute(sql, codec.encode([*except_of]))

    def drop_episodes(self, *, except_of: Iterable[str]) -> None:
        """Forget what could be picked of feeds that do not show picks only any more."""
        sql = f"DELETE FROM entry WHERE NOT kept AND NOT feed {_LISTED}"
        self._execute(sql, codec.encode([*except_of]))

    def drop_unlisted(self, before: datetime) -> int:
        """Forget the entries from before this that their feeds no longer list; count them."""
        sql = "DELETE FROM entry WHERE dated < ? AND NOT present"
        return self._execute(sql, micros(before))

    def drop_feeds(self, keys: Iterable[str]) -> None:
        """Forget all entries of these feeds."""
        self._execute(f"DELETE FROM entry WHERE feed {_LISTED}", codec.encode([*keys]))

    def rename_feed(self, old_key: str, key: str) -> None:
        """Let the entries of a feed be those of another key; published ids stay as they are."""
        sql = "UPDATE entry SET first_key = coalesce(first_key, feed), feed = ? WHERE feed = ?"
        self._execute(sql, key, old_key)

    def redate(self, now: datetime) -> None:
        """Let entries be of now that a clock which ran ahead dated later."""
        self._connection.execute(
            "UPDATE entry SET dated = iif(dated = first_seen, :now, dated), first_seen = :now, "
            "changed_at = min(changed_at, :now) WHERE first_seen > :now",
            {"now": micros(now)},
        )


@codec.from_row
def _entry(row: Sequence[Any]) -> Entry:
    *columns, digest, value = row
    fields = dict(zip(_COLUMNS, columns, strict=True)) | {"digest": digest}
    fields |= {name: codec.moment(fields[name]) for name in _MOMENTS}
    fields["origin"] = fields["origin"] and msgspec.json.decode(fields["origin"])
    return codec.convert(msgspec.json.decode(value) | fields, Entry)


def _columns(draft: NewEntry, dates: EntryDates) -> dict[str, Any]:
    """Return the columns that have what an entry says, and its moments."""
    fields = ((name, getattr(draft, name)) for name in _IN_VALUE)
    return {
        "id": draft.id,
        "digest": draft.digest,
        "origin": codec.encode(draft.origin) if draft.origin else None,
        "value": codec.encode({name: field for name, field in fields if field not in (None, ())}),
        **{name: micros(getattr(dates, name)) for name in _MOMENTS},
        **text_columns(draft),
    }
