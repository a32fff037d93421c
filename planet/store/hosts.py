"""The table `host`: what is known of servers, and what is remembered of runs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from planet.model import HostState, RunHistory
from planet.store import codec
from planet.store.faults import check_types, from_row

if TYPE_CHECKING:
    import sqlite3

    from planet.model.secrets import Redactor


_LOG = logging.getLogger(__name__)
_OF_RUNS: Final = ""
"""The host in the row that has the history of runs."""


class HostTable:
    """The servers that feeds come from, by `HostState.host`."""

    def __init__(self, connection: sqlite3.Connection, redactor: Redactor) -> None:
        self._connection = connection
        self._redactor = redactor
        self.is_changed = False
        """Whether anything was stored of how servers are to be asked."""

    def read(self) -> dict[str, HostState]:
        """Return what is known of all of them."""
        return self._read("host != ?", _OF_RUNS)

    def find(self, host: str) -> HostState | None:
        """Return what is known of one of them now."""
        return self._read("host = ?", self._redactor.hide(host)).get(host)

    @from_row
    def _read(self, where: str, value: str) -> dict[str, HostState]:
        show = self._redactor.show
        rows = self._connection.execute(
            f"SELECT host, state FROM host WHERE {where} ORDER BY host",  # noqa: S608 - constants
            (value,),
        )
        hosts: dict[str, HostState] = {}
        for row in check_types(rows, str, str):
            # Versions before kept port 80 apart from 443, which comes first here and counts.
            name, _, port = show(row["host"]).rpartition(":")
            host = f"{name}:443" if port == "80" else show(row["host"])
            hosts.setdefault(host, codec.decode(show(row["state"]), HostState, host=host))
        return hosts

    def put(self, state: HostState) -> None:
        """Store what is known of a server."""
        self.is_changed = True
        fields = codec.encode(state, without=["host"])
        self._put(self._redactor.hide(state.host), self._redactor.hide(fields))
        _LOG.debug("table host: state written")

    @from_row
    def history(self) -> RunHistory:
        """Return what is remembered of runs."""
        rows = self._connection.execute("SELECT state FROM host WHERE host = ?", (_OF_RUNS,))
        for row in check_types(rows, str):
            return codec.decode(row["state"], RunHistory)
        return RunHistory()

    def put_history(self, history: RunHistory) -> None:
        """Store what is remembered of runs."""
        self._put(_OF_RUNS, codec.encode(history))

    def _put(self, host: str, state: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO host VALUES (?, ?)", (host, state))
