"""The tables `feed`, `list` and `host`: what is known of feeds, of lists of them, of their servers.

The table `host` has what is remembered of runs, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from planet.model import FeedState, HostState, Picks
from planet.store import codec
from planet.store.database import insert_rows, select_in
from planet.store.faults import check_types, from_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from datetime import datetime

    from planet.model import Feed
    from planet.model.secrets import Redactor


_OF_RUNS: Final = ""
"""The host in the row that has the history of runs."""


class _Row(NamedTuple):
    """A row of the table `feed`; moments are counted as `codec.micros` does."""

    key: str
    url: str
    attempted_at: int | None
    settled_at: int | None
    due_at: int | None
    succeeded_at: int | None
    answered_url: str | None
    given_up: str | None
    reader: str | None
    picks: str | None
    is_well: int
    state: str


_TYPES = (str, str, *[int | None] * 4, *[str | None] * 4, int, str)
_COLUMNS = ", ".join(_Row._fields)
_OWN = _Row._fields[:-2]
"""The fields of a state that have a column of their own; the others are in `state`."""
_SET = ", ".join(f"{name} = excluded.{name}" for name in _Row._fields)
_PUT = f"ON CONFLICT (key) DO UPDATE SET {_SET} RETURNING number"


def read_states(
    connection: sqlite3.Connection, secrets: Redactor, keys: Iterable[str] | None = None
) -> dict[str, FeedState]:
    """Return the states of feeds that were ever asked, by key: of these, or of all."""
    sql = f"SELECT {_COLUMNS} FROM feed"  # noqa: S608 - constants
    rows = (
        connection.execute(sql) if keys is None else select_in(connection, f"{sql} WHERE key", keys)
    )
    return {row["key"]: _state(row, secrets) for row in check_types(rows, *_TYPES)}


@from_row
def _state(row: sqlite3.Row, secrets: Redactor) -> FeedState:
    return codec.decode(
        secrets.show(row["state"]),
        FeedState,
        key=row["key"],
        url=secrets.show(row["url"]),
        attempted_at=codec.moment(row["attempted_at"]),
        settled_at=codec.moment(row["settled_at"]),
        due_at=codec.moment(row["due_at"]),
        succeeded_at=codec.moment(row["succeeded_at"]),
        answered_url=row["answered_url"] and secrets.show(row["answered_url"]),
        given_up=row["given_up"],
        reader=row["reader"],
        picks=row["picks"] or Picks.ALSO,
    )


def put_states(
    connection: sqlite3.Connection, states: Iterable[FeedState], secrets: Redactor
) -> list[int]:
    """Store states in the place of those before them; return the numbers of the feeds."""
    rows = [_row(state, secrets) for state in states]
    stored = insert_rows(connection, f"feed ({_COLUMNS})", rows, _PUT)
    return [row["number"] for row in stored]


def _row(state: FeedState, secrets: Redactor) -> _Row:
    return _Row(
        key=state.key,
        url=secrets.hide(state.url),
        attempted_at=codec.micros(state.attempted_at),
        settled_at=codec.micros(state.settled_at),
        due_at=codec.micros(state.due_at),
        succeeded_at=codec.micros(state.succeeded_at),
        answered_url=state.answered_url and secrets.hide(state.answered_url),
        given_up=state.given_up,
        reader=state.reader,
        picks=None if state.picks is Picks.ALSO else state.picks,
        is_well=state.is_well,
        state=secrets.hide(codec.encode(state, without=_OWN)),
    )


def put_attempts(
    connection: sqlite3.Connection, feeds: Iterable[Feed], at: datetime | None, secrets: Redactor
) -> None:
    """Store when feeds are about to be asked."""
    insert_rows(
        connection,
        "feed (key, url, attempted_at)",
        [(feed.key, secrets.hide(feed.url), codec.micros(at)) for feed in feeds],
        "ON CONFLICT (key) DO UPDATE SET attempted_at = excluded.attempted_at",
    )


def rename_feed(
    connection: sqlite3.Connection, old_key: str, feed: Feed, secrets: Redactor
) -> None:
    """Let what is known under an old key be known of this feed, within the caller's transaction."""
    row = connection.execute(
        "DELETE FROM feed WHERE key = ? RETURNING attempted_at", (feed.key,)
    ).fetchone()
    connection.execute(
        "UPDATE feed SET first_key = coalesce(first_key, key), key = ?, url = ?, "
        "attempted_at = coalesce(?, attempted_at) WHERE key = ?",
        (feed.key, secrets.hide(feed.url), row["attempted_at"] if row else None, old_key),
    )


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


class HostTable:
    """The servers that feeds come from, by `HostState.host`."""

    def __init__(self, connection: sqlite3.Connection, redactor: Redactor) -> None:
        self._connection = connection
        self._redactor = redactor
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
        fields = codec.encode(state, without=["host"])
        self._put(self._redactor.hide(state.host), self._redactor.hide(fields))

    def _put(self, host: str, state: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO host VALUES (?, ?)", (host, state))
