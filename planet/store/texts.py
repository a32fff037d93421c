"""The texts of entries as their feeds sent them, and what was made from them, packed together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planet.model import Html, Text, TextKind
from planet.store import codec
from planet.store.faults import from_row, typed
from planet.store.links import put_links
from planet.store.schema import transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.model import Draft

_BATCH = 500
"""As in `store`."""

_SAME = b""
"""Stands for a base that is the entry's link."""
_LINK = f"SELECT {codec.LINK} FROM entry WHERE entry.number = text.number"  # noqa: S608 - constants
_BASE = f"CASE WHEN base = x'' THEN ({_LINK}) ELSE base END"
_RAW = f"SELECT number, kind, {_BASE}, raw FROM text WHERE"  # noqa: S608 - constants


def keep_text(connection: sqlite3.Connection, number: int, draft: Draft) -> None:
    """Store the text of an entry, or that it has none; within the caller's transaction."""
    if draft.raw is None:
        connection.execute("DELETE FROM text WHERE number = ?", (number,))
        return
    raw, base = draft.raw.value, draft.raw.base
    connection.execute(
        "INSERT OR REPLACE INTO text (number, kind, base, raw, clean, cleaning, excerpt) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            number,
            draft.raw.kind,
            _SAME if base is not None and base == draft.link else base,
            codec.pack(raw),
            None if draft.content is None else codec.pack_against(draft.content, raw),
            draft.cleaning,
            None if draft.summary is None else codec.pack_against(draft.summary, raw),
        ),
    )
    if draft.links is not None:
        put_links(connection, {number: draft.links})


def drop_texts(connection: sqlite3.Connection, before: datetime) -> int:
    """Forget the texts of entries from before this that their feeds no longer list; how many.

    Without its digest an entry counts as edited: its text comes back with its feed. Within the
    caller's transaction.
    """
    old = connection.execute(
        "SELECT number, raw, excerpt FROM text JOIN entry USING (number) "
        "WHERE dated < ? AND NOT present",
        (codec.micros(before),),
    ).fetchall()
    excerpts = [
        (codec.pack(codec.unpack_against(excerpt, codec.unpack(raw))), number)
        for number, raw, excerpt in old
        if excerpt is not None
    ]
    connection.executemany("UPDATE entry SET summary = ? WHERE number = ?", excerpts)
    numbers = [(number,) for number, _, _ in old]
    connection.executemany("UPDATE entry SET digest = x'' WHERE number = ?", numbers)
    connection.executemany("DELETE FROM text WHERE number = ?", numbers)
    return len(old)


def contents(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, Html]:
    """The clean texts of entries; those without one are left out."""
    statement = "SELECT number, raw, clean FROM text WHERE clean NOTNULL"
    return {
        number: Html(codec.unpack_against(clean, codec.unpack(raw)))
        for number, raw, clean in _select_in(connection, statement, numbers)
    }


def raw_texts(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, Text]:
    """The texts of entries as their feeds sent them: untrusted."""
    return _texts(_select_in(connection, f"{_RAW} 1", numbers))


def uncleaned(
    connection: sqlite3.Connection, numbers: Sequence[int], *, cleaning: str
) -> dict[int, Text]:
    """The raw texts of those entries whose clean text this cleaner did not make."""
    return _texts(_select_in(connection, f"{_RAW} cleaning IS NOT ?", numbers, cleaning))


def put_clean(connection: sqlite3.Connection, texts: Mapping[int, Html], *, cleaning: str) -> None:
    """Store clean texts beside the raw ones they were made from."""
    with transaction(connection):
        statement = "SELECT number, raw FROM text WHERE 1"
        for number, raw in _select_in(connection, statement, list(texts)):
            clean = codec.pack_against(texts[number], codec.unpack(raw))
            connection.execute(
                "UPDATE text SET clean = ?, cleaning = ? WHERE number = ?",
                (clean, cleaning, number),
            )


@from_row
def _texts(rows: Iterator[tuple[Any, ...]]) -> dict[int, Text]:
    return {
        number: Text(value=codec.unpack(raw), kind=TextKind(kind), base=base)
        for number, kind, base, raw in typed(rows, int, str, str | None, bytes)
    }


def _select_in(
    connection: sqlite3.Connection, statement: str, numbers: Sequence[int], *first: str
) -> Iterator[tuple[Any, ...]]:
    """The rows of a statement that ends in conditions, for these numbers."""
    for start in range(0, len(numbers), _BATCH):
        batch = numbers[start : start + _BATCH]
        marks = ",".join("?" * len(batch))
        # All at once: a cursor that is left open outlives the connection when a row is damaged.
        yield from connection.execute(
            f"{statement} AND number IN ({marks})", (*first, *batch)
        ).fetchall()
