"""The tables `feed` and `host`: what is known of feeds, of lists of them, of their servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.model import FeedState, HostState
from planet.store import codec
from planet.store.database import Table, insert_rows, select, select_in
from planet.store.faults import from_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from datetime import datetime

    from planet.model import Feed
    from planet.model.secrets import Redactor


_LAST_YEAR = 9_000
"""Later there is no room for the waits that are added to a moment."""


def read_states(
    connection: sqlite3.Connection, secrets: Redactor, keys: Iterable[str] | None = None
) -> dict[str, FeedState]:
    """Return the states of feeds that were ever asked, by key: of these, or of all."""
    kind, sql = tuple[str, int | None, str], "SELECT key, attempted_at, state FROM feed"
    rows = (
        select(connection, kind, sql)
        if keys is None
        else select_in(connection, kind, f"{sql} WHERE key", keys)
    )
    return {key: _state(key, attempted_at, state, secrets) for key, attempted_at, state in rows}


@from_row
def _state(key: str, attempted_at: int | None, state: str, secrets: Redactor) -> FeedState:
    stored = codec.decode(secrets.show(state), FeedState)
    if stored.due_at and stored.due_at.year > _LAST_YEAR:
        raise ValueError("no such moment was written")
    return replace(stored, key=key, attempted_at=codec.moment(attempted_at))


def put_states(
    connection: sqlite3.Connection, states: Iterable[FeedState], secrets: Redactor
) -> list[int]:
    """Store states in the place of those before them; return the numbers of the feeds."""
    rows = [
        (state.key, codec.micros(state.attempted_at), secrets.hide(codec.encode(state)))
        for state in states
    ]
    stored = insert_rows(
        connection,
        "feed (key, attempted_at, state)",
        rows,
        "ON CONFLICT (key) DO UPDATE SET attempted_at = excluded.attempted_at, "
        "state = excluded.state RETURNING number",
    )
    return [number for (number,) in stored]


def put_attempts(
    connection: sqlite3.Connection, feeds: Iterable[Feed], at: datetime | None, secrets: Redactor
) -> None:
    """Store when feeds are about to be asked."""
    new = ((feed.key, FeedState(key=feed.key, url=feed.url)) for feed in feeds)
    insert_rows(
        connection,
        "feed (key, attempted_at, state)",
        [(key, codec.micros(at), secrets.hide(codec.encode(state))) for key, state in new],
        "ON CONFLICT (key) DO UPDATE SET attempted_at = excluded.attempted_at",
    )


def rename_feed(
    connection: sqlite3.Connection, old_key: str, feed: Feed, secrets: Redactor
) -> None:
    """Let what is known under an old key be known of this feed, within the caller's transaction."""
    attempts = connection.execute(
        "DELETE FROM feed WHERE key = ? RETURNING attempted_at", (feed.key,)
    ).fetchall()
    connection.execute(
        "UPDATE feed SET first_key = coalesce(first_key, key), key = ?, "
        "state = json_set(state, '$.url', ?), attempted_at = coalesce(?, attempted_at) "
        "WHERE key = ?",
        (feed.key, secrets.hide(feed.url), attempts[0][0] if attempts else None, old_key),
    )


class ListTable(Table):
    """The bodies of subscription lists, by the keys of these."""

    def read(self) -> dict[str, bytes]:
        """Return the last body of each list."""
        sql = "SELECT key, body FROM feed WHERE body NOTNULL"
        rows = select(self._connection, tuple[str, bytes], sql)
        return {key: self._redactor.show_bytes(body) for key, body in rows}

    def put(self, key: str, body: bytes) -> None:
        """Store the body of a list that was asked for and could be read."""
        row = self._redactor.hide_bytes(body), key
        self._connection.execute("UPDATE feed SET body = ? WHERE key = ?", row)


class HostTable(Table):
    """The servers that feeds come from, by `HostState.host`."""

    def read(self) -> dict[str, HostState]:
        """Return what is known of all of them."""
        rows = select(self._connection, tuple[str], "SELECT state FROM host ORDER BY host")
        hosts = [self._host(state) for (state,) in rows]
        return {host.host: host for host in hosts}

    def find(self, host: str) -> HostState | None:
        """Return what is known of one of them now."""
        sql = "SELECT state FROM host WHERE host = ?"
        rows = select(self._connection, tuple[str], sql, (self._redactor.hide(host),))
        return next((self._host(state) for (state,) in rows), None)

    def _host(self, state: str) -> HostState:
        return codec.decode(self._redactor.show(state), HostState)

    def put(self, state: HostState) -> None:
        """Store what is known of a server."""
        hide = self._redactor.hide
        row = hide(state.host), hide(codec.encode(state))
        self._connection.execute("INSERT OR REPLACE INTO host VALUES (?, ?)", row)
