"""The table `restored`: entries of the published site, until their feeds are read again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from planet.model import PublishedEntry, RestoredEntry
from planet.store.codec import exact_moment, micros
from planet.store.database import bump_generation, transaction
from planet.store.entries import insert_entry
from planet.store.faults import check_types, from_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from planet.model import Feed, NewEntry
    from planet.model.secrets import Redactor


_OTHERS: Final = ""
"""The id in the row that holds for all other entries of a feed."""


class KnownEntry(NamedTuple):
    """What the site told of an entry, and the number that was set aside for it."""

    number: int
    entry: PublishedEntry


class KnownEntries(NamedTuple):
    """What the site told of the entries of a feed."""

    entries: dict[str, KnownEntry]
    """By their published ids."""
    others_before: datetime | None
    """All others are no newer than this; None when nothing is known of the feed."""


class RestoredEntries:
    """The entries of the published site, by the feed they will come back with.

    Where the site has told what they say, they are entries already, which their feed does not list.
    """

    def __init__(self, connection: sqlite3.Connection, redactor: Redactor) -> None:
        self._connection = connection
        self._redactor = redactor

    def put(
        self,
        published: Sequence[PublishedEntry],
        feeds: Mapping[str, Feed],
        *,
        others_before: datetime,
    ) -> None:
        """Store what is known of entries, newest first; `feeds` are theirs, by slug.

        Numbers are set aside for them, so that they will stand in this order again. What these
        feeds have besides is no newer than `others_before`.
        """
        early = micros(others_before)
        rows: list[tuple[str | int | None, ...]] = [
            (feed.key, _OTHERS, None, early, early, early) for feed in feeds.values()
        ]
        numbered = list(enumerate(reversed(published), 1))
        for number, entry in numbered:
            moments = map(micros, (entry.first_seen, entry.filed, entry.modified))
            rows.append((feeds[entry.slug].key, entry.uid, number, *moments))
        with transaction(self._connection):
            self._connection.execute("DELETE FROM restored")
            self._connection.executemany("INSERT INTO restored VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._connection.execute("DELETE FROM sqlite_sequence WHERE name = 'entry'")
            self._connection.execute(
                "INSERT INTO sqlite_sequence VALUES ('entry', ?)", (len(published),)
            )
            for number, entry in numbered:
                if entry.draft is not None:
                    self._insert(number, entry, entry.draft, feeds[entry.slug])
            bump_generation(self._connection)

    def _insert(self, number: int, entry: PublishedEntry, draft: NewEntry, feed: Feed) -> None:
        """Store what an entry says until its feed says it; of the feed, nothing else is known."""
        self._connection.execute(
            "INSERT OR IGNORE INTO feed (key, url) VALUES (?, ?)",
            (feed.key, self._redactor.hide(feed.url)),
        )
        ((feed_number,),) = self._connection.execute(
            "SELECT number FROM feed WHERE key = ?", (feed.key,)
        )
        restored = RestoredEntry(
            number=number,
            first_seen=entry.first_seen,
            changed_at=max(entry.first_seen, entry.modified),
            dated=entry.filed,
        )
        draft = replace(draft, id=entry.uid, digest="", rank=None, restored=restored)
        insert_entry(self._connection, feed_number, draft, restored)
        self._connection.execute("UPDATE entry SET present = 0 WHERE number = ?", (number,))

    @from_row
    def of(self, key: str) -> KnownEntries:
        """Return what is known of the entries of a feed."""
        rows = self._connection.execute(
            "SELECT uid, number, first_seen, filed, modified FROM restored WHERE feed = ?", (key,)
        )
        entries: dict[str, KnownEntry] = {}
        others_before: datetime | None = None
        for row in check_types(rows, str, int | None, int, int, int):
            if row["uid"] == _OTHERS:
                others_before = exact_moment(row["filed"])
                continue
            entry = PublishedEntry(
                slug="",
                uid=row["uid"],
                first_seen=exact_moment(row["first_seen"]),
                filed=exact_moment(row["filed"]),
                modified=exact_moment(row["modified"]),
            )
            entries[row["uid"]] = KnownEntry(row["number"], entry)
        return KnownEntries(entries, others_before)

    def exist(self) -> bool:
        """Return whether any are waiting for their feed."""
        return self._connection.execute("SELECT 1 FROM restored LIMIT 1").fetchone() is not None

    def rename(self, old_key: str, key: str) -> None:
        """Move the entries of two feeds that become one to the old one, which gets the new key.

        Within the caller's transaction, before the feeds are one.
        """
        these = (
            "WHERE number IN (SELECT number FROM restored WHERE restored.feed = :key AND "
            "number NOTNULL) AND EXISTS (SELECT 1 FROM feed WHERE key = :old_key)"
        )
        old = "SET feed = (SELECT number FROM feed WHERE key = :old_key)"
        for statement in (
            f"UPDATE entry {old} {these}",
            "UPDATE OR IGNORE restored SET feed = :key WHERE feed = :old_key",
            "DELETE FROM restored WHERE feed = :old_key",
        ):
            self._connection.execute(statement, {"old_key": old_key, "key": key})

    def drop(self, key: str) -> None:
        """Forget the entries of a feed, which have come back; within the caller's transaction."""
        self._connection.execute("DELETE FROM restored WHERE feed = ?", (key,))
