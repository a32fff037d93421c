"""The table `transform`: entries that go through a program of the operator's.

An entry has what the program made of it where it had its feed's words, so that whoever reads it
need not know. What its feed says of it stays here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec.structs import replace

from planet.model import Entry, NewEntry
from planet.store import codec
from planet.store.codec import micros, moment
from planet.store.database import bump_generation, select_in, transaction
from planet.store.entries import columns_of, read_entries, write_columns
from planet.store.faults import check_types, from_row
from planet.store.texts import put_text, text_fields

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.model import Transformed


class SentEntry(NamedTuple):
    """What an entry says, with its text, and when it is dated."""

    draft: NewEntry
    dated: datetime


class TransformResult(NamedTuple):
    """What a program made of an entry."""

    changes: Mapping[str, Any]
    """The fields of `NewEntry` that are others now."""
    transformed: Transformed


class TransformTable:
    """Entries that a program is to see, or saw."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def waiting(self) -> dict[str, list[int]]:
        """Return the numbers of the entries that no program has seen yet, by feed."""
        waiting: dict[str, list[int]] = {}
        rows = self._connection.execute(
            "SELECT feed.key, entry.number FROM transform JOIN entry USING (number) "
            "JOIN feed ON feed.number = entry.feed WHERE waits ORDER BY entry.number"
        )
        for row in check_types(rows, str, int):
            waiting.setdefault(row["key"], []).append(row["number"])
        return waiting

    def as_sent(self, numbers: Sequence[int]) -> dict[int, SentEntry]:
        """Return entries as their feeds say them, also where a program changed them."""
        sql = "SELECT number, dated, original FROM transform WHERE original NOTNULL AND number"
        originals = {row["number"]: row for row in select_in(self._connection, sql, numbers)}
        return {
            number: SentEntry(replace(entry.draft, transformed=None), entry.dated)
            if (row := originals.get(number)) is None
            else SentEntry(_unpack(row["original"]), moment(row["dated"]) or entry.dated)
            for number, entry in _read(self._connection, numbers).items()
        }

    def put(self, results: Mapping[int, TransformResult]) -> None:
        """Store what a program made of entries, by their numbers."""
        with transaction(self._connection):
            for number, (changes, transformed) in results.items():
                before = _read(self._connection, [number])[number]
                after = replace(before.draft, **changes, transformed=transformed)
                original = (micros(before.dated), _pack(before.draft)) if changes else (None, None)
                self._connection.execute(
                    "INSERT OR REPLACE INTO transform VALUES (?, 0, ?, ?)", (number, *original)
                )
                moved = after.published if "published" in changes else None
                _write(self._connection, number, SentEntry(after, moved or before.dated))
            bump_generation(self._connection)

    def again(self, keys: Iterable[str]) -> None:
        """Let all entries of these feeds wait once more, and be as their feeds say.

        Those of other feeds are as their feeds say, too. An entry whose text was forgotten waits
        for no program.
        """
        with transaction(self._connection):
            seen = self._connection.execute("SELECT number FROM transform WHERE NOT waits")
            for (number,) in seen.fetchall():
                _write(self._connection, number, self.as_sent([number])[number])
            self._connection.execute("DELETE FROM transform")
            self._connection.executemany(
                "INSERT INTO transform (number, waits) SELECT entry.number, 1 FROM entry "
                "JOIN feed ON feed.number = entry.feed "
                "WHERE key = ? AND kept AND digest != x''",
                [(key,) for key in keys],
            )
            bump_generation(self._connection)


_OF_BOTH: Final = tuple(set(NewEntry.__struct_fields__) & set(Entry.__struct_fields__))
_LINKS: Final = frozenset({"links"})
"""They are found again in the text when they are wanted."""


def let_wait(connection: sqlite3.Connection, number: int) -> None:
    """Let an entry wait for a program, within the caller's transaction."""
    connection.execute("INSERT INTO transform (number, waits) VALUES (?, 1)", (number,))


def forget_transform(connection: sqlite3.Connection, number: int) -> None:
    """Let no program have seen an entry, nor be to see it; within the caller's transaction."""
    connection.execute("DELETE FROM transform WHERE number = ?", (number,))


def drop_originals_of_texts(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Forget the texts that entries had before a program; within the caller's transaction."""
    sql = "SELECT number, original FROM transform WHERE original NOTNULL AND number"
    for row in list(select_in(connection, sql, numbers)):
        draft = replace(_unpack(row["original"]), raw=None, content=None, cleaning=None)
        connection.execute(
            "UPDATE transform SET original = ? WHERE number = ?", (_pack(draft), row["number"])
        )


def _read(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, SentEntry]:
    texts = text_fields(connection, numbers)
    entries = {}
    for entry in read_entries(connection, "entry.number", numbers):
        fields = {name: getattr(entry, name) for name in _OF_BOTH}
        draft = NewEntry(**fields | texts.get(entry.number, {}))
        entries[entry.number] = SentEntry(draft, entry.dated)
    return entries


def _write(connection: sqlite3.Connection, number: int, entry: SentEntry) -> None:
    """Let an entry say this, without any sign that its publisher edited it."""
    draft = entry.draft
    write_columns(connection, number, {"dated": micros(entry.dated), **columns_of(draft)})
    put_text(connection, number, draft)


def _pack(draft: NewEntry) -> bytes:
    return codec.pack(codec.encode(draft, without=_LINKS))


@from_row
def _unpack(packed: bytes) -> NewEntry:
    return codec.decode(codec.unpack(packed), NewEntry)
