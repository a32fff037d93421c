"""The store itself: one connection, the tables, and changes of several tables at once."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from planet.model import Digest, EntryDates, FeedState, HostState, Picks, Timestamp
from planet.model.secrets import NO_REDACTOR, Redactor
from planet.store.database import (
    FILE,
    FileFault,
    Table,
    connect,
    connect_readonly,
    decode,
    encode,
    lock_folder,
    migrate,
    name_faults,
    version_of,
)
from planet.store.entries import EntryTable, TextTable
from planet.store.records import DigestTable, Publication, Publications, Records
from planet.store.schema import STEPS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from planet.model import Feed
    from planet.store.entries import FeedChanges


_SMALL: Final = 250
"""Pages: a megabyte."""
_LAST_YEAR: Final = 9_000
"""Later there is no room for the waits that are added to a moment."""


class Store(Table):
    """The state. Every change is one transaction: done whole, or not at all.

    When the file cannot be read or written, the `with` block of `open` ends with a `StateError`.
    """

    def __init__(self, connection: sqlite3.Connection, redactor: Redactor = NO_REDACTOR) -> None:
        """Hide secrets by `redactor` in the states of feeds and servers."""
        super().__init__(connection)
        self.feeds = Records(connection, "feed", FeedState, redactor)
        """Feeds and subscription lists; beside a list is its last body. See `states`."""
        self.hosts = Records(connection, "host", HostState, redactor)
        """The servers that feeds come from, by `HostState.host`."""
        self.publications = Publications(connection, "site", Publication)
        self.digests = DigestTable(connection, "digest", Digest)
        self.seen = Records(connection, "seen", EntryDates)
        """Dates of entries of a lost state, by published id, until their feeds are read."""
        self.entries = EntryTable(connection)
        self.texts = TextTable(connection)

    @classmethod
    @contextmanager
    def open(
        cls, folder: Path, redactor: Redactor = NO_REDACTOR, *, waits: bool = False
    ) -> Iterator[Store]:
        """Open the store in a state folder, made if missing, and keep other runs out.

        Where the caller `waits`, the end of another run is waited for.
        """
        path = folder / FILE
        with lock_folder(folder, waits=waits), name_faults(path), closing(connect(path)) as file:
            # A commit outlives a killed process, and waits for no disk.
            file.execute("PRAGMA journal_mode = WAL")
            file.execute("PRAGMA synchronous = NORMAL")
            migrate(file)
            yield cls(file, redactor)

    @classmethod
    @contextmanager
    def look(cls, folder: Path, redactor: Redactor = NO_REDACTOR) -> Iterator[Store]:
        """Open the store as of one moment, only to be read, also while a run holds it.

        Without a file in the folder, the store is empty. Of older tables a copy is migrated.
        """
        path = folder / FILE
        with (
            name_faults(path),
            closing(connect_readonly(path)) as file,
            closing(connect("")) as copy,
        ):
            is_older = version_of(file) < len(STEPS)
            if is_older:
                file.backup(copy)
            connection = copy if is_older else file
            migrate(connection)
            connection.execute("BEGIN")
            yield cls(connection, redactor)

    @classmethod
    @contextmanager
    def copy(cls, folder: Path, redactor: Redactor = NO_REDACTOR) -> Iterator[Store]:
        """Open a copy of the store as of one moment; the copy is lost in the end."""
        with cls.look(folder) as store, closing(connect("")) as copy:
            store._connection.backup(copy)
            yield cls(copy, redactor)

    # Feeds

    def states(self, keys: Iterable[str] | None = None) -> dict[str, FeedState]:
        """Return the states of feeds, by key: of these, or of all."""
        states = self.feeds.read(keys)
        if any(state.due_at and state.due_at.year > _LAST_YEAR for state in states.values()):
            raise FileFault
        return states

    def attempt(self, asked: Iterable[Feed], at: datetime) -> None:
        """Write down the moment before feeds are asked, in one synced transaction (R45).

        Other commits outlive a killed process, but may go with the power: then answers are read
        again. Attempts must not be forgotten.
        """
        feeds = {feed.key: feed for feed in asked}
        before = self.states(feeds)
        states = {
            key: before.get(key) or FeedState(key=key, url=feed.url) for key, feed in feeds.items()
        }
        self._connection.execute("PRAGMA synchronous = FULL")
        try:
            self.feeds.put({key: replace(one, attempted_at=at) for key, one in states.items()})
        finally:
            self._connection.execute("PRAGMA synchronous = NORMAL")

    def keep(
        self, state: FeedState, changes: FeedChanges | None = None, *, shows: bool = False
    ) -> None:
        """Store the state of a feed, and the changes of the entries.

        `shows` tells of a change for the pages besides the entries.
        """
        with self._transaction():
            self.feeds.put({state.key: state})
            if changes:
                self.entries.write(state.key, changes, is_kept=state.picks is not Picks.ONLY)
            if shows or (changes and changes.entries):
                self._bump_generation()

    def rename(self, old_key: str, feed: Feed) -> None:
        """Give the state and the entries under an old key to this feed.

        Published ids stay as they are. The feed may have no state so far but an attempt.
        """
        states = self.states([old_key, feed.key])
        state, asked = states[old_key], states.get(feed.key)
        attempted_at = (asked and asked.attempted_at) or state.attempted_at
        state = replace(state, key=feed.key, url=feed.url, attempted_at=attempted_at)
        with self._transaction():
            self.forget([feed.key])
            self.feeds.drop([old_key])
            self.feeds.put({feed.key: state})
            self.entries.rename_feed(old_key, feed.key)
            self._bump_generation()

    def retire(
        self, wanted: Iterable[str], *, entries_before: datetime, texts_before: datetime
    ) -> int:
        """Forget older entries and texts gone from their feeds; count the deleted entries.

        A listed entry must stay: forgotten, the entry would come back as new. `wanted` are the keys
        of the present feeds; entries of others count as gone.
        """
        with self._transaction():
            self.entries.unlist(except_of=[*wanted])
            without_text = self.entries.drop_unlisted_texts(texts_before)
            removed = self.entries.drop_unlisted(entries_before)
            seen = self.seen.read().items()
            self.seen.drop([uid for uid, dates in seen if dates.dated < entries_before])
            if removed or without_text:
                self._bump_generation()
        ((pages, free),) = self._connection.execute(
            "SELECT page_count, freelist_count FROM pragma_page_count, pragma_freelist_count"
        )
        # Where more than a third of the file is room: that pays, and comes seldom.
        if 3 * free > pages > _SMALL:
            self._connection.execute("VACUUM")
        return removed

    def forget(self, keys: Collection[str]) -> None:
        """Drop the states and entries of these feeds, or lists of feeds, of which no page tells."""
        with self._transaction():
            self.entries.drop_feeds(keys)
            self.feeds.drop(keys)

    def forget_left(self, known: Collection[str], *, before: datetime) -> None:
        """Drop the states of feeds and lists of feeds without a `known` key.

        Only feeds last asked before the moment, and without any stored entry, are dropped.
        """
        rows = self._select(tuple[str], "SELECT DISTINCT feed FROM entry")
        wanted = {*known, *(key for (key,) in rows)}
        self.feeds.drop(
            [
                key
                for key, state in self.states().items()
                if key not in wanted and state.attempted_at and state.attempted_at < before
            ]
        )

    # The planet

    @property
    def believed(self) -> datetime | None:
        """The present as of the last run (`run.trusted_now`)."""
        ((believed,),) = self._select(tuple[str | None], "SELECT believed FROM planet")
        return None if believed is None else decode(believed, Timestamp)

    def believe(self, moment: datetime) -> None:
        """Write down the present as of this run."""
        self._execute("UPDATE planet SET believed = ?", encode(moment))

    @property
    def name(self) -> str:
        """The name of this planet, alone of its kind in a cache shared with others."""
        ((name,),) = self._select(tuple[str], "SELECT name FROM planet")
        return name

    @property
    def generation(self) -> int:
        """The number of changes for the pages."""
        ((generation,),) = self._select(tuple[int], "SELECT generation FROM planet")
        return generation
