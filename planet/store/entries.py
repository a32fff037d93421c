"""The table `entry`: what feeds list and listed, and how it is read and written.

Columns are what queries ask for. All other fields of an entry are one JSON value.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from planet.model import Entry, Origin, Picks
from planet.store import codec
from planet.store.codec import micros, moment
from planet.store.database import select_in, transaction
from planet.store.faults import check_types, from_row
from planet.store.texts import put_text

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.model import EntryDates, NewEntry


OF_FEEDS: Final = "FROM entry JOIN feed ON feed.number = entry.feed"
_COLUMNS: Final = (
    *("entry.number", "feed.key", "digest", "first_seen", "changed_at", "dated", "rank"),
    *("first_key", "id", "first_id", "link", "published", "updated", "origin", "value"),
)
_ENTRIES: Final = f"SELECT {', '.join(_COLUMNS)} {OF_FEEDS}"


class EntryRow(NamedTuple):
    """What of a stored entry decides whether what its feed says now is news."""

    number: int
    first_id: str
    """Its id when it was first seen."""
    digest: str
    """Empty where its text is not stored, so that it is read again with its feed."""
    waiting: str | None
    """The digest of an entry that is held back, and waits for its text; None if it does not."""
    rank: int | None
    """As in `Entry`."""
    is_listed: bool
    """Whether its feed had it when it was last read."""


class EntryTable:
    """The entries of all feeds."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of_feeds(self, keys: Iterable[str], *, picks: Picks = Picks.ALSO) -> list[Entry]:
        """Return all entries of these feeds, in the order in which they were first met.

        With `Picks.ONLY` they are what can be picked of feeds that show picks only.
        """
        where = f"kept = {int(picks is Picks.ALSO)} AND feed.key"
        entries = read_entries(self._connection, where, set(keys))
        return sorted(entries, key=lambda entry: entry.number)

    def numbered(self, numbers: Iterable[int]) -> list[Entry]:
        """Return the entries with these numbers."""
        return read_entries(self._connection, "entry.number", numbers)

    def newest(
        self, keys: Iterable[str], limit: int, *, picks: Picks = Picks.ALSO
    ) -> tuple[Entry, ...]:
        """Return the newest entries of these feeds together, the newest first; `picks` as above."""
        # A date in the future, by mistake or to stay on top, counts from when it was first seen.
        # One value for all keys: there may be any number of them.
        rows = self._connection.execute(
            f"{_ENTRIES} WHERE kept = ? AND feed.key IN (SELECT value FROM json_each(?)) "  # noqa: S608
            "ORDER BY min(dated, first_seen) DESC, entry.number DESC LIMIT ?",
            (picks is Picks.ALSO, json.dumps([*keys]), limit),
        )
        return tuple(map(_entry, rows))

    @from_row
    def rows(self, key: str, *, picks: Picks = Picks.ALSO) -> dict[str, EntryRow]:
        """Return what decides what is news to a feed, by the ids of its entries.

        With `Picks.ONLY` they are what can be picked.
        """
        rows = self._connection.execute(
            "SELECT id, entry.number, first_id, entry.digest, waiting.digest AS waiting, rank, "
            "present FROM entry JOIN feed ON feed.number = entry.feed "
            "LEFT JOIN waiting ON waiting.number = entry.number WHERE key = ? AND kept = ?",
            (key, picks is Picks.ALSO),
        )
        kinds = (str, int, str | None, bytes, bytes | None, int | None, int)
        return {
            row["id"]: EntryRow(
                number=row["number"],
                first_id=row["first_id"] or row["id"],
                digest=row["digest"].hex(),
                waiting=None if row["waiting"] is None else row["waiting"].hex(),
                rank=row["rank"],
                is_listed=bool(row["present"]),
            )
            for row in check_types(rows, *kinds)
        }

    def first_waiting(self) -> dict[str, int]:
        """Return how many `shown` first ones leave all waiting entries so, by the key of a feed."""
        rows = self._connection.execute(
            "SELECT feed.key, min(rank) AS rank FROM waiting JOIN entry USING (number) "
            "JOIN feed ON feed.number = entry.feed WHERE present GROUP BY feed.key"
        )
        return {row["key"]: row["rank"] for row in check_types(rows, str, int | None)}

    def unlisted(self) -> frozenset[int]:
        """Return the numbers of the entries that their feeds no longer list."""
        rows = self._connection.execute("SELECT number FROM entry WHERE NOT present")
        return frozenset(row["number"] for row in rows)

    def retiring(self, *, entries_before: datetime) -> frozenset[int]:
        """Return the numbers of the entries that `Store.retire` would forget of feeds there are."""
        rows = self._connection.execute(
            "SELECT number FROM entry WHERE dated < ? AND NOT present",
            (micros(entries_before),),
        )
        return frozenset(row["number"] for row in rows)

    def keep_listed(self, keys: Sequence[str]) -> None:
        """Let all entries of these feeds count as listed, so that none is too old to be kept."""
        self._connection.executemany(
            "UPDATE entry SET present = 1 WHERE kept AND NOT present "
            "AND feed = (SELECT number FROM feed WHERE key = ?)",
            [(key,) for key in keys],
        )

    @from_row
    def origins(self) -> dict[str, list[Origin]]:
        """Return where feeds have entries from, by their keys; what was met first stands first."""
        rows = self._connection.execute(
            f"SELECT feed.key, origin {OF_FEEDS} "
            "WHERE kept AND origin NOTNULL GROUP BY entry.feed, origin ORDER BY min(entry.number)"
        )
        origins: dict[str, list[Origin]] = {}
        for key, origin in check_types(rows, str, str):
            origins.setdefault(key, []).append(codec.decode(origin, Origin))
        return origins

    def exist(self) -> bool:
        """Return whether there is any entry, of whichever feed."""
        return self._connection.execute("SELECT 1 FROM entry LIMIT 1").fetchone() is not None

    def drop_episodes(self, *, except_of: Iterable[str]) -> None:
        """Forget what could be picked of feeds that do not show picks only any more."""
        wanted = set(except_of)
        rows = self._connection.execute(
            "SELECT key, number FROM feed WHERE number IN (SELECT feed FROM entry WHERE NOT kept)"
        ).fetchall()
        gone = [(row["number"],) for row in rows if row["key"] not in wanted]
        if gone:
            with transaction(self._connection):
                self._connection.executemany("DELETE FROM entry WHERE feed = ? AND NOT kept", gone)


def read_entries(
    connection: sqlite3.Connection, column: str, values: Iterable[object]
) -> list[Entry]:
    """Return the entries that have one of these values in a column."""
    return [_entry(row) for row in select_in(connection, f"{_ENTRIES} WHERE {column}", values)]


_WITHOUT_COLUMN = (
    *("title", "summary", "authors", "categories", "enclosures", "image", "comments", "rights"),
    *("in_reply_to", "language", "episode", "withheld", "transformed"),
)
"""The fields of an entry that no query asks for."""


@from_row
def _entry(row: sqlite3.Row) -> Entry:
    origin = row["origin"]
    return codec.decode(
        row["value"],
        Entry,
        number=row["number"],
        feed=row["key"],
        id=row["id"],
        digest=row["digest"].hex(),
        first_seen=codec.exact_moment(row["first_seen"]),
        changed_at=codec.exact_moment(row["changed_at"]),
        dated=codec.exact_moment(row["dated"]),
        rank=row["rank"],
        link=row["link"],
        published=moment(row["published"]),
        updated=moment(row["updated"]),
        first_key=row["first_key"],
        first_id=row["first_id"],
        origin=None if origin is None else codec.decode(origin, Origin),
    )


def columns_of(draft: NewEntry) -> dict[str, Any]:
    """Return the columns that have what an entry says, but for its id."""
    return {
        "link": draft.link,
        "published": micros(draft.published),
        "updated": micros(draft.updated),
        "origin": codec.encode(draft.origin) if draft.origin else None,
        "value": codec.encode(
            {
                name: value
                for name in _WITHOUT_COLUMN
                if (value := getattr(draft, name)) not in (None, ())
            }
        ),
    }


def insert_entry(
    connection: sqlite3.Connection,
    feed: int,
    draft: NewEntry,
    dates: EntryDates,
    *,
    is_kept: bool = True,
) -> int:
    """Insert an entry as it was or is met, with its text; return its number.

    Within the caller's transaction.
    """
    row = {
        "feed": feed,
        "kept": is_kept,
        "id": draft.id,
        "digest": bytes.fromhex(draft.digest),
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
    number = int(cursor.lastrowid or 0)
    put_text(connection, number, draft)
    return number


def write_columns(connection: sqlite3.Connection, number: int, columns: Mapping[str, Any]) -> None:
    """Write columns of an entry, within the caller's transaction."""
    names = " = ?, ".join(columns)
    connection.execute(
        f"UPDATE entry SET {names} = ? WHERE number = ?",  # noqa: S608 - constants
        (*columns.values(), number),
    )


def drop_digests(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Let entries count as edited: then their texts come back with their feeds.

    Within the caller's transaction.
    """
    rows = [(number,) for number in numbers]
    connection.executemany("UPDATE entry SET digest = x'' WHERE number = ?", rows)
