"""The store itself: one connection, the tables, and what is written to several of them at once."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from planet.model import Picks
from planet.model.secrets import NO_REDACTOR, Redactor
from planet.store import codec, database, feeds
from planet.store.database import bump_generation, select, transaction
from planet.store.entries import EntryTable
from planet.store.feeds import HostTable, ListTable
from planet.store.pictures import PictureTable
from planet.store.publications import DigestTable, Publications
from planet.store.readings import write_entries
from planet.store.seen import SeenTable
from planet.store.texts import TextTable, drop_texts
from planet.store.transforms import TransformTable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from planet.model import Feed, FeedState
    from planet.store.readings import FeedChanges


_SMALL = 250
"""Pages: a megabyte."""


class Store:
    """What is known. Every method that writes is one transaction: done whole, or not at all.

    When the file cannot be read or written, the `with` block of `open` ends with a `StateError`.
    """

    def __init__(self, connection: sqlite3.Connection, redactor: Redactor = NO_REDACTOR) -> None:
        self._connection = connection
        self._redactor = redactor
        self._later: list[FeedState] = []
        """What is stored with the next attempts."""
        self.digests = DigestTable(connection)
        self.entries = EntryTable(connection)
        self.hosts = HostTable(connection, redactor)
        self.lists = ListTable(connection, redactor)
        self.pictures = PictureTable(connection)
        self.publications = Publications(connection)
        self.seen = SeenTable(connection)
        self.texts = TextTable(connection)
        self.transforms = TransformTable(connection)

    @classmethod
    @contextmanager
    def open(
        cls, folder: Path, redactor: Redactor = NO_REDACTOR, *, waits: bool = False
    ) -> Iterator[Store]:
        """Open the store in a state folder, made if it is not there, held against other runs.

        `redactor` hides the secrets in what is known of feeds. One that another holds is waited
        for where the caller `waits`.
        """
        with database.open_exclusive(folder, waits=waits) as connection:
            store = cls(connection, redactor)
            try:
                yield store
            finally:
                store.flush()

    @classmethod
    @contextmanager
    def look(cls, folder: Path, redactor: Redactor = NO_REDACTOR) -> Iterator[Store | None]:
        """Open the store as it is, only to be read, also while a run holds it; None without one."""
        with database.open_readonly(folder) as connection:
            yield None if connection is None else cls(connection, redactor)

    @staticmethod
    def exists(folder: Path) -> bool:
        """Return whether there is a store in a state folder.

        Raises:
            StateError: the folder cannot be looked into, or is a file.
        """
        return database.exists(folder)

    @classmethod
    @contextmanager
    def copy(cls, folder: Path, redactor: Redactor = NO_REDACTOR) -> Iterator[Store]:
        """Open a store in memory that begins as the one in a state folder, or as a new one."""
        with database.open_copy(folder) as connection:
            yield cls(connection, redactor)

    # Feeds

    def states(self, keys: Iterable[str] | None = None) -> dict[str, FeedState]:
        """Return what is known of feeds that were ever asked, by key: of these, or of all."""
        self.flush()
        return feeds.read_states(self._connection, self._redactor, keys)

    def attempt(self, asked: Iterable[Feed], at: datetime | None) -> None:
        """Write down when feeds are about to be asked, in one transaction that is synced (R45).

        Other commits outlive a killed process but may go with the power: what they brought is then
        read again. Who was asked must not be forgotten, so each wave of attempts is worth a sync;
        for a file nobody is asked.
        """
        asked = list(asked)
        self.flush()
        mode = "NORMAL" if all(feed.is_file for feed in asked) else "FULL"
        self._connection.execute(f"PRAGMA synchronous = {mode}")
        try:
            with transaction(self._connection):
                feeds.put_attempts(self._connection, asked, at, self._redactor)
        finally:
            self._connection.execute("PRAGMA synchronous = NORMAL")

    def flush(self) -> None:
        """Store what `keep_later` was given."""
        if self._later:
            feeds.put_states(self._connection, self._later, self._redactor)
            self._later.clear()

    def keep_later(self, state: FeedState) -> None:
        """Store what is known of a feed with the next attempts, or when it is wanted.

        Whoever is killed before has asked, and does not know what came.
        """
        self._later.append(state)

    def keep(
        self,
        state: FeedState,
        changes: FeedChanges | None = None,
        *,
        shows: bool = False,
    ) -> None:
        """Store what is known of a feed, and what changed among its entries.

        `shows` says that something a page shows of the feed has changed besides its entries.
        """
        if changes is None:
            # What is to be stored later may be of the same feed.
            self.flush()
        with transaction(self._connection):
            (feed,) = feeds.put_states(self._connection, [state], self._redactor)
            if changes:
                is_kept = state.picks is not Picks.ONLY
                write_entries(self._connection, feed, changes, is_kept=is_kept)
            if shows or (changes and (changes.added or changes.edited)):
                bump_generation(self._connection)

    def rename(self, old_key: str, feed: Feed) -> None:
        """Let what is known under an old key, entries and all, be this feed's from now on.

        The ids that are published stay as they are. Of the feed itself, nothing may be known yet
        but that it is being asked.
        """
        with transaction(self._connection):
            feeds.rename_feed(self._connection, old_key, feed, self._redactor)
            bump_generation(self._connection)

    def retire(
        self, wanted: Iterable[str], *, entries_before: datetime, texts_before: datetime
    ) -> int:
        """Forget what is older than this and no longer in its feed; count the entries that went.

        An entry that its feed still has must stay: forgotten, it would come back as new. `wanted`
        are the keys of the feeds there are; entries of others count as gone.
        """
        keys = set(wanted)
        with transaction(self._connection):
            rows = select(self._connection, tuple[int, str], "SELECT number, key FROM feed")
            self._connection.executemany(
                "UPDATE entry SET present = 0 WHERE feed = ? AND kept AND present",
                [(number,) for number, key in rows if key not in keys],
            )
            without_text = drop_texts(self._connection, texts_before)
            removed = self._connection.execute(
                "DELETE FROM entry WHERE dated < ? AND NOT present RETURNING number",
                (codec.micros(entries_before),),
            ).fetchall()
            self.seen.forget(entries_before)
            if removed or without_text:
                bump_generation(self._connection)
        (pages,) = self._connection.execute("PRAGMA page_count").fetchone()
        (free,) = self._connection.execute("PRAGMA freelist_count").fetchone()
        # Where more than a third of the file is room: that pays, and comes seldom.
        if 3 * free > pages > _SMALL:
            self._connection.execute("VACUUM")
        return len(removed)

    def forget(self, keys: Iterable[str]) -> None:
        """Drop all that is known of these feeds, or lists of feeds, that no page shows."""
        with transaction(self._connection):
            self._connection.executemany("DELETE FROM feed WHERE key = ?", [(key,) for key in keys])

    def forget_left(self, known: Collection[str], *, before: datetime) -> None:
        """Drop what is known of feeds and lists of feeds that are not among the `known` keys.

        They were last asked before that moment, and no entry of theirs is stored any more.
        """
        rows = select(
            self._connection,
            tuple[str],
            "SELECT key FROM feed WHERE attempted_at < ? "
            "AND number NOT IN (SELECT feed FROM entry)",
            (codec.micros(before),),
        )
        if left := [key for (key,) in rows if key not in known]:
            self.forget(left)

    # The planet

    @property
    def believed(self) -> datetime | None:
        """The moment that the last run took for the present (`schedule.estimate_now`)."""
        sql = "SELECT believed FROM planet"
        ((believed,),) = select(self._connection, tuple[int | None], sql)
        return codec.moment(believed)

    def believe(self, moment: datetime) -> None:
        """Write down what a run takes for the present."""
        self._connection.execute("UPDATE planet SET believed = ?", (codec.micros(moment),))

    def correct(self, now: datetime) -> None:
        """Take for things of now what a clock that ran ahead dated later.

        Digests and releases of the future are forgotten: until then there would be no other.
        """
        at = codec.micros(now)
        with transaction(self._connection):
            self._connection.execute(
                "UPDATE entry SET dated = iif(dated = first_seen, :now, dated), first_seen = :now, "
                "changed_at = min(changed_at, :now) WHERE first_seen > :now",
                {"now": at},
            )
            self._connection.execute("UPDATE site SET released = NULL WHERE released > ?", (at,))
            self.digests.forget_after(now)
            bump_generation(self._connection)

    @property
    def name(self) -> str:
        """What keeps apart what is of this planet where there are others: in a cache they share."""
        ((name,),) = select(self._connection, tuple[str], "SELECT name FROM planet")
        return name

    @property
    def generation(self) -> int:
        """Grows whenever something changes that a page could show."""
        sql = "SELECT generation FROM planet"
        ((generation,),) = select(self._connection, tuple[int], sql)
        return generation
