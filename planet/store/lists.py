"""The table `list`: the last body of each subscription list on the web that could be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.store.faults import check_types

if TYPE_CHECKING:
    import sqlite3

    from planet.model.secrets import Redactor


class ListTable:
    """The bodies of subscription lists, by the keys of these."""

    def __init__(self, connection: sqlite3.Connection, redactor: Redactor) -> None:
        self._connection = connection
        self._redactor = redactor

    def read(self) -> dict[str, bytes]:
        """Return the last body of each list."""
        rows = check_types(self._connection.execute("SELECT key, body FROM list"), str, bytes)
        return {row["key"]: self._redactor.show_bytes(row["body"]) for row in rows}

    def put(self, key: str, body: bytes) -> None:
        """Store the body of a list that could be read."""
        row = key, self._redactor.hide_bytes(body)
        self._connection.execute("INSERT OR REPLACE INTO list VALUES (?, ?)", row)
