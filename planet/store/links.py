"""What the text of each entry links to, for as long as the text is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.store import codec
from planet.store.schema import transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

_BATCH = 500
"""As in `store`."""


class Links:
    """The addresses that the texts of entries link to."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of(self, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """Those of these entries, by number; an entry of which they are not known is left out."""
        found: dict[int, tuple[str, ...]] = {}
        for start in range(0, len(numbers), _BATCH):
            batch = numbers[start : start + _BATCH]
            marks = ",".join("?" * len(batch))
            rows = self._connection.execute(
                f"SELECT number, packed FROM links WHERE number IN ({marks})",  # noqa: S608
                batch,
            ).fetchall()
            found |= {number: _unpacked(packed) for number, packed in rows}
        return found

    def put(self, links: Mapping[int, Sequence[str]]) -> None:
        """Store those of entries that have a text."""
        with transaction(self._connection):
            put_links(self._connection, links)


def put_links(connection: sqlite3.Connection, links: Mapping[int, Sequence[str]]) -> None:
    """Store what the texts of entries link to, within the caller's transaction."""
    connection.executemany(
        "INSERT OR REPLACE INTO links VALUES (?, ?)",
        [(number, codec.pack("\n".join(found))) for number, found in links.items()],
    )


def _unpacked(packed: bytes) -> tuple[str, ...]:
    return tuple(each for each in codec.unpack(packed).split() if codec.is_on_the_web(each))
