"""The table `feed`: what is known of feeds; and `list`: the last lists of them that could be read.

A state is decoded when it is looked at.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, NamedTuple

from planet.model import FeedState, Picks
from planet.store import codec
from planet.store.database import insert_rows
from planet.store.faults import check_types, from_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from planet.model import Feed
    from planet.model.secrets import Redactor


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


class FeedStates(MutableMapping[str, FeedState]):
    """The states of all feeds that were ever asked, by key. What is put in here is not stored."""

    def __init__(self, connection: sqlite3.Connection, secrets: Redactor) -> None:
        rows = connection.execute(f"SELECT {_COLUMNS} FROM feed")  # noqa: S608 - constants
        self._rows: dict[str, _Row | None] = {
            row["key"]: _Row._make(row) for row in check_types(rows, *_TYPES)
        }
        self._states: dict[str, FeedState] = {}
        self._secrets = secrets

    def __getitem__(self, key: str) -> FeedState:
        if key not in self._states and (row := self._rows[key]):
            self._states[key] = _state(row, self._secrets)
        return self._states[key]

    def __setitem__(self, key: str, state: FeedState) -> None:
        self._rows[key] = None
        self._states[key] = state

    def __delitem__(self, key: str) -> None:
        del self._rows[key]
        self._states.pop(key, None)

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    # What rows tell without being decoded

    def attempted_after(self, moment: datetime) -> list[str]:
        """Return the keys of the feeds that were asked later than this."""
        at = codec.micros(moment) or 0
        return [key for key, row in self._rows.items() if row and (row.attempted_at or 0) > at]

    def attempted_before(self, moment: datetime) -> dict[str, FeedState]:
        """Return the feeds that were asked last before this."""
        at = codec.micros(moment) or 0
        old = [key for key, row in self._rows.items() if row and (row.attempted_at or at) < at]
        return {key: self[key] for key in old}

    def last_success(self, keys: Iterable[str]) -> datetime | None:
        """Return when the last of these feeds was read."""
        counts = [row.succeeded_at for key in keys if (row := self._rows.get(key))]
        moments = [state.succeeded_at for state in self._states.values() if state.succeeded_at]
        stored = codec.moment(max(filter(None, counts), default=None))
        return max([*moments, *([stored] if stored else [])], default=None)

    def is_idle(self, feed: Feed, now: datetime, *, reader: str) -> bool:
        """Return whether a feed is not due, and `reader` has read what came of it."""
        row = self._rows.get(feed.key)
        if not row or row.settled_at is None or self.is_interrupted(feed.key):
            return False
        if row.url != self._secrets.hide(feed.url) or row.reader != reader:
            return False
        is_waiting = row.given_up is not None or (row.due_at or 0) > (codec.micros(now) or 0)
        return is_waiting and (row.picks or Picks.ALSO) == feed.picks

    def is_interrupted(self, key: str) -> bool:
        """Return the same as `FeedState.interrupted`."""
        state = self._rows.get(key) or self._states.get(key)
        if state is None or state.attempted_at is None:
            return False
        return state.settled_at is None or state.settled_at < state.attempted_at  # type: ignore[operator]  # both are of one kind

    def is_well(self, key: str) -> bool:
        """Return the same as `FeedState.is_well`; True for a feed of which nothing is known."""
        state = self._rows.get(key) or self._states.get(key)
        return state is None or bool(state.is_well)

    def answered_url(self, key: str) -> str | None:
        """Return the same as `FeedState.answered_url`."""
        state = self._rows.get(key) or self._states.get(key)
        return self._secrets.show(state.answered_url) if state and state.answered_url else None


@from_row
def _state(row: _Row, secrets: Redactor) -> FeedState:
    return codec.decode(
        secrets.show(row.state),
        FeedState,
        key=row.key,
        url=secrets.show(row.url),
        attempted_at=codec.moment(row.attempted_at),
        settled_at=codec.moment(row.settled_at),
        due_at=codec.moment(row.due_at),
        succeeded_at=codec.moment(row.succeeded_at),
        answered_url=row.answered_url and secrets.show(row.answered_url),
        given_up=row.given_up,
        reader=row.reader,
        picks=row.picks or Picks.ALSO,
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


def read_titles(connection: sqlite3.Connection, secrets: Redactor) -> dict[str, str]:
    """Return what feeds call themselves, by key, without the state of each being decoded."""
    rows = connection.execute(
        "SELECT key, json_extract(state, '$.profile.title') AS title FROM feed"
    )
    return {
        row["key"]: secrets.show(row["title"])
        for row in check_types(rows, str, str | None)
        if row["title"] is not None
    }


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
