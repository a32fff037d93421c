"""Entries that go through a program of the operator's: those that wait, and what came of others.

An entry has what the program made of it where it had its feed's words, so that whoever reads it
need not know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec.structs import replace

from planet.model import Entry, Html, NewEntry, TransformOutcome
from planet.store.codec import micros
from planet.store.database import Table, bump_generation, select, transaction
from planet.store.entries import OF_FEEDS, columns_of, read_entries, write_columns
from planet.store.texts import AS_SENT, StoredText, TextTable, put_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from planet.model import Transformed


class StoredEntry(NamedTuple):
    """What an entry says, with its text, and when it is dated."""

    draft: NewEntry
    dated: datetime


class TransformResult(NamedTuple):
    """What a program made of an entry."""

    changes: Mapping[str, Any]
    """The fields of `NewEntry` that are others now."""
    transformed: Transformed


_OF_BOTH: Final = tuple(set(NewEntry.__struct_fields__) & set(Entry.__struct_fields__))


class TransformTable(Table):
    """Entries that a program is to see, or saw."""

    def waiting(self) -> dict[str, list[int]]:
        """Return the numbers of the entries that no program has seen, or one failed on, by feed."""
        waiting: dict[str, list[int]] = {}
        rows = select(
            self._connection,
            tuple[str, int],
            f"SELECT feed.key, entry.number {OF_FEEDS} "
            "WHERE kept AND json_extract(value, '$.transformed.outcome') IN (?, ?) "
            "ORDER BY entry.number",
            (TransformOutcome.WAITING, TransformOutcome.FAILED),
        )
        for key, number in rows:
            waiting.setdefault(key, []).append(number)
        return waiting

    def read(self, numbers: Sequence[int]) -> dict[int, StoredEntry]:
        """Return what entries say, with their texts, by their numbers."""
        texts = TextTable(self._connection).read_stored(numbers)
        entries = {}
        for entry in read_entries(self._connection, "entry.number", numbers):
            fields = {name: getattr(entry, name) for name in _OF_BOTH}
            if entry.number in texts:
                fields |= _text_fields(texts[entry.number])
            draft = NewEntry(**fields)
            entries[entry.number] = StoredEntry(draft, entry.dated)
        return entries

    def put(self, results: Mapping[int, TransformResult]) -> None:
        """Store what a program made of entries, by their numbers, as no edit of their feed's."""
        with transaction(self._connection):
            for number, (draft, dated) in self.read(list(results)).items():
                changes, transformed = results[number]
                after = replace(draft, **changes, transformed=transformed)
                if "published" in changes and after.published:
                    dated = after.published
                columns = {"dated": micros(dated), **columns_of(after)}
                write_columns(self._connection, number, columns)
                put_text(self._connection, number, after)
            bump_generation(self._connection)


def _text_fields(stored: StoredText) -> dict[str, Any]:
    """Return the fields of a `NewEntry` that have its text as it is stored."""
    text, cleaning = stored
    if cleaning == AS_SENT:
        return {"raw": text}
    return {"content": Html(text.value), "cleaning": cleaning}
