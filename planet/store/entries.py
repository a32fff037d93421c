"""The table `entry`: what feeds list and listed, and how it is read and written.

Columns are what queries ask for. All other fields of an entry are one JSON value.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from planet.model import Entry, Origin, Picks
from planet.store import codec
from planet.store.codec import micros
from planet.store.database import Table, select, select_in
from planet.store.faults import from_row
from planet.store.texts import put_text

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from planet.model import NewEntry
    from planet.store.readings import AddedEntry


_EVER: Final = datetime.max.replace(tzinfo=UTC)
OF_FEEDS: Final = "FROM entry JOIN feed ON feed.number = entry.feed"
_ENTRIES: Final = (
    "SELECT entry.number, feed.key, id, iif(waits, '', digest), first_seen, changed_at, dated, "
    f"rank, first_key, first_id, origin, value {OF_FEEDS}"
)


class EntryRow(NamedTuple):
    """What of a stored entry decides whether what its feed says now is news."""

    number: int
    first_id: str
    """Its id when it was first seen."""
    digest: str
    """Empty where its text is to be read again with its feed."""
    waits: bool
    """Whether it is held back, and stored without its text."""
    rank: int | None
    """As in `Entry`."""
    is_listed: bool
    """Whether its feed had it when it was last read."""


class _FullRow(NamedTuple):
    """A row of `_ENTRIES`."""

    number: int
    feed: str
    id: str
    digest: str
    first_seen: int
    changed_at: int
    dated: int
    rank: int | None
    first_key: str | None
    first_id: str | None
    origin: str | None
    value: str


class EntryTable(Table):
    """The entries of all feeds."""

    def of_feeds(self, keys: Iterable[str], *, picks: Picks = Picks.ALSO) -> list[Entry]:
        """Return all entries of these feeds, in the order in which they were first met.

        With `Picks.ONLY` they are what can be picked of feeds that show picks only.
        """
        where = f"kept = {int(picks is Picks.ALSO)} AND feed.key"
        entries = read_entries(self._connection, where, set(keys))
        return sorted(entries, key=lambda entry: entry.number)

    def by_number(self, numbers: Iterable[int]) -> list[Entry]:
        """Return the entries with these numbers."""
        return read_entries(self._connection, "entry.number", numbers)

    def newest(
        self, keys: Iterable[str], limit: int, *, picks: Picks = Picks.ALSO
    ) -> tuple[Entry, ...]:
        """Return the newest entries of these feeds together, the newest first; `picks` as above."""
        # A date in the future, by mistake or to stay on top, counts from when it was first seen.
        # One value for all keys: there may be any number of them.
        rows = select(
            self._connection,
            _FullRow,
            f"{_ENTRIES} WHERE kept = ? AND feed.key IN (SELECT value FROM json_each(?)) "  # noqa: S608
            "ORDER BY min(dated, first_seen) DESC, entry.number DESC LIMIT ?",
            (picks is Picks.ALSO, json.dumps([*keys]), limit),
        )
        return tuple(map(_entry, rows))

    def rows(self, key: str, *, picks: Picks = Picks.ALSO) -> dict[str, EntryRow]:
        """Return what decides what is news to a feed, by the ids of its entries.

        With `Picks.ONLY` they are what can be picked.
        """
        rows = select(
            self._connection,
            tuple[str, int, str, str, int, int | None, int],
            "SELECT id, entry.number, coalesce(first_id, id), digest, waits, rank, present "
            f"{OF_FEEDS} WHERE key = ? AND kept = ?",
            (key, picks is Picks.ALSO),
        )
        return {
            entry_id: EntryRow(number, first_id, digest, bool(waits), rank, bool(is_listed))
            for entry_id, number, first_id, digest, waits, rank, is_listed in rows
        }

    def first_waiting(self) -> dict[str, int]:
        """Return how many `shown` first ones leave all waiting entries so, by the key of a feed."""
        rows = select(
            self._connection,
            tuple[str, int],
            f"SELECT feed.key, min(rank) {OF_FEEDS} WHERE waits AND present GROUP BY feed.key",
        )
        return dict(rows)

    def unlisted(self, *, before: datetime = _EVER) -> frozenset[int]:
        """Return the numbers of the entries that their feeds no longer list.

        With `before` they are those that `Store.retire` would forget of feeds that there are.
        """
        sql = "SELECT number FROM entry WHERE NOT present AND dated < ?"
        rows = select(self._connection, tuple[int], sql, (micros(before),))
        return frozenset(number for (number,) in rows)

    def keep_listed(self, keys: Sequence[str]) -> None:
        """Let all entries of these feeds count as listed, so that none is too old to be kept."""
        self._connection.executemany(
            "UPDATE entry SET present = 1 WHERE kept AND NOT present "
            "AND feed = (SELECT number FROM feed WHERE key = ?)",
            [(key,) for key in keys],
        )

    def origins(self) -> dict[str, list[Origin]]:
        """Return where feeds have entries from, by their keys; what was met first stands first."""
        rows = select(
            self._connection,
            tuple[str, str],
            f"SELECT feed.key, origin {OF_FEEDS} WHERE kept AND origin NOTNULL "
            "GROUP BY entry.feed, origin ORDER BY min(entry.number)",
        )
        origins: dict[str, list[Origin]] = {}
        for key, origin in rows:
            origins.setdefault(key, []).append(codec.decode(origin, Origin))
        return origins

    def exist(self) -> bool:
        """Return whether there is any entry, of whichever feed."""
        return self._connection.execute("SELECT 1 FROM entry LIMIT 1").fetchone() is not None

    def drop_episodes(self, *, except_of: Iterable[str]) -> None:
        """Forget what could be picked of feeds that do not show picks only any more."""
        wanted = set(except_of)
        sql = "SELECT key, number FROM feed WHERE number IN (SELECT feed FROM entry WHERE NOT kept)"
        rows = select(self._connection, tuple[str, int], sql)
        gone = [(number,) for key, number in rows if key not in wanted]
        if gone:
            self._write("DELETE FROM entry WHERE feed = ? AND NOT kept", gone)


def read_entries(
    connection: sqlite3.Connection, column: str, values: Iterable[object]
) -> list[Entry]:
    """Return the entries that have one of these values in a column."""
    rows = select_in(connection, _FullRow, f"{_ENTRIES} WHERE {column}", values)
    return [_entry(row) for row in rows]


_WITHOUT_COLUMN = (
    *("title", "summary", "authors", "categories", "enclosures", "image", "comments", "rights"),
    *("in_reply_to", "language", "episode", "withheld", "transformed"),
    *("link", "published", "updated"),
)
"""The fields of an entry that no query asks for."""


@from_row
def _entry(row: _FullRow) -> Entry:
    columns = row._asdict() | {
        "first_seen": codec.exact_moment(row.first_seen),
        "changed_at": codec.exact_moment(row.changed_at),
        "dated": codec.exact_moment(row.dated),
        "origin": None if row.origin is None else codec.decode(row.origin, Origin),
    }
    return codec.decode(columns.pop("value"), Entry, **columns)


def columns_of(draft: NewEntry) -> dict[str, Any]:
    """Return the columns that have what an entry says, but for its id and its digest."""
    fields = ((name, getattr(draft, name)) for name in _WITHOUT_COLUMN)
    return {
        "origin": codec.encode(draft.origin) if draft.origin else None,
        "value": codec.encode({name: field for name, field in fields if field not in (None, ())}),
    }


def insert_entry(
    connection: sqlite3.Connection, feed: int, entry: AddedEntry, *, is_kept: bool
) -> None:
    """Insert an entry as it was or is met, with its text, within the caller's transaction."""
    draft, dates, waits = entry
    row = {
        "feed": feed,
        "kept": is_kept,
        "id": draft.id,
        "digest": draft.digest,
        "waits": waits,
        "first_seen": micros(dates.first_seen),
        "changed_at": micros(dates.changed_at),
        "dated": micros(dates.dated),
        "present": 1,
        "rank": draft.rank,
        **columns_of(draft),
    }
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    cursor = connection.execute(
        f"INSERT INTO entry ({names}) VALUES ({marks})",  # noqa: S608 - constants
        tuple(row.values()),
    )
    put_text(connection, int(cursor.lastrowid or 0), draft)


def write_columns(connection: sqlite3.Connection, number: int, columns: Mapping[str, Any]) -> None:
    """Write columns of an entry, within the caller's transaction."""
    names = " = ?, ".join(columns)
    connection.execute(
        f"UPDATE entry SET {names} = ? WHERE number = ?",  # noqa: S608 - constants
        (*columns.values(), number),
    )
