"""What an operator may want to know and do of what is stored, beside the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.store.schema import transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

_SMALL = 250
"""Pages: a megabyte."""


class Upkeep:
    """Looks after the store: what is in it, and what it need not hold any more."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def counts(self) -> dict[str, int]:
        """How many feeds, entries and texts there are."""
        tables = {"feeds": "feed", "entries": "entry", "texts": "text"}
        return {
            name: self._connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for name, table in tables.items()
        }

    def unlisted(self) -> frozenset[int]:
        """The numbers of the entries that their feeds no longer list."""
        rows = self._connection.execute("SELECT number FROM entry WHERE NOT present")
        return frozenset(number for (number,) in rows)

    def without_entries(self) -> frozenset[str]:
        """The keys of the feeds, and lists of feeds, of which no entry is stored."""
        rows = self._connection.execute(
            "SELECT key FROM feed WHERE number NOT IN (SELECT feed FROM entry)"
        )
        return frozenset(key for (key,) in rows)

    def forget(self, keys: Iterable[str]) -> None:
        """Drop all that is known of these feeds, or lists of feeds, that no page shows."""
        rows = [(key,) for key in keys]
        with transaction(self._connection):
            self._connection.executemany("DELETE FROM feed WHERE key = ?", rows)
            self._connection.executemany("DELETE FROM list WHERE key = ?", rows)

    def tidy(self) -> None:
        """`compact` where more than a third of the file is room: it pays, and comes seldom."""
        (pages,) = self._connection.execute("PRAGMA page_count").fetchone()
        (free,) = self._connection.execute("PRAGMA freelist_count").fetchone()
        if 3 * free > pages > _SMALL:
            self.compact()

    def compact(self) -> None:
        """Give the room of what was dropped back to the disk."""
        self._connection.execute("VACUUM")
