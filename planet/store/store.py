"""The store itself: one connection, and each read and write the program needs."""

from __future__ import annotations

import json
import logging
from contextlib import contextmanager, nullcontext
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING, cast

from planet.model import Counts, Digest, HostState, Picks, RunHistory
from planet.model.secrets import NO_REDACTOR, Redactor
from planet.store import codec, polling, states
from planet.store.codec import from_row, select_in, typed
from planet.store.database import (
    FILE,
    copied,
    held,
    is_there,
    looked_at,
    shared,
    show,
    transaction,
)
from planet.store.entries import (
    NEXT_GENERATION,
    RestoredEntries,
    Transforms,
    drop_texts,
    is_held_back,
    keep_entries,
    keep_episodes,
    mark_changed,
)
from planet.store.posts import PostTable
from planet.store.publications import Publications
from planet.store.states import FeedStates
from planet.store.texts import TextTable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from planet.model import Entry, Feed, FeedState, Origin, ParseResult


_LOG = logging.getLogger(__name__)
_SMALL = 250
"""Pages: a megabyte."""


class Upkeep:
    """Looks after the store: what is in it, and what it need not hold any more."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def counts(self) -> dict[str, int]:
        """How many feeds, entries and texts there are."""
        tables = {"feeds": "feed", "entries": "entry", "texts": "text"}
        return {
            name: self._connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for name, table in tables.items()
        }

    def unlisted(self) -> frozenset[int]:
        """The numbers of the entries that their feeds no longer list."""
        rows = self._connection.execute("SELECT number FROM entry WHERE NOT present")
        return frozenset(number for (number,) in rows)

    def without_entries(self) -> frozenset[str]:
        """The keys of the feeds, and lists of feeds, of which no entry is stored."""
        rows = self._connection.execute(
            "SELECT key FROM feed WHERE number NOT IN (SELECT feed FROM entry)"
        )
        return frozenset(key for (key,) in rows)

    def forget(self, keys: Iterable[str]) -> None:
        """Drop all that is known of these feeds, or lists of feeds, that no page shows."""
        rows = [(key,) for key in keys]
        with transaction(self._connection):
            self._connection.executemany("DELETE FROM feed WHERE key = ?", rows)
            self._connection.executemany("DELETE FROM list WHERE key = ?", rows)

    def tidy(self) -> None:
        """`compact` where more than a third of the file is room: it pays, and comes seldom."""
        (pages,) = self._connection.execute("PRAGMA page_count").fetchone()
        (free,) = self._connection.execute("PRAGMA freelist_count").fetchone()
        if 3 * free > pages > _SMALL:
            self.compact()

    def compact(self) -> None:
        """Give the room of what was dropped back to the disk."""
        self._connection.execute("VACUUM")


class Digests:
    """The digests of each edition, which is named by its folder, by name."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self, edition: str = "") -> tuple[Digest, ...]:
        """Those of an edition that were made so far, the newest first."""
        rows = self._connection.execute(
            "SELECT packed FROM digest WHERE edition = ? ORDER BY name DESC", (edition,)
        )
        return tuple(_digest(packed) for (packed,) in rows)

    def keep(self, digest: Digest, edition: str = "") -> None:
        """Store a digest that was just made. One that is there already is never replaced.

        It is no change of what is known (`Store.generation`): an edition is made anew when a digest
        is due.

        Raises:
            IntegrityError: there is one of that name.
        """
        packed = codec.pack(codec.text(codec.plain(digest)))
        with transaction(self._connection):
            self._connection.execute(
                "INSERT INTO digest VALUES (?, ?, ?)", (edition, digest.name, packed)
            )

    def forget_after(self, moment: datetime) -> None:
        """Drop those that were made later; within the caller's transaction."""
        rows = self._connection.execute("SELECT edition, name, packed FROM digest").fetchall()
        self._connection.executemany(
            "DELETE FROM digest WHERE edition = ? AND name = ?",
            [(edition, name) for edition, name, packed in rows if _digest(packed).made_at > moment],
        )


@from_row
def _digest(packed: bytes) -> Digest:
    digest = Digest(**codec.from_plain(Digest, json.loads(codec.unpack(packed))))
    # It becomes the name of a folder.
    date.fromisoformat(digest.name)
    return digest


class Store:
    """What is known. Every method that writes is one transaction: done whole, or not at all.

    When the file cannot be read or written, the `with` block of `open` ends with a `StateError`.
    """

    def __init__(self, connection: sqlite3.Connection, redactor: Redactor = NO_REDACTOR) -> None:
        self._connection = connection
        self._redactor = redactor
        self._later: list[FeedState] = []
        self.has_polled = False
        """Whether anything was stored of how feeds were asked (`polling`)."""
        self.digests = Digests(connection)
        self.publications = Publications(connection)
        self.restored = RestoredEntries(connection, redactor)
        self.texts = TextTable(connection)
        self.transforms = Transforms(connection)
        self.upkeep = Upkeep(connection)

    @classmethod
    @contextmanager
    def open(cls, folder: Path, redactor: Redactor = NO_REDACTOR) -> Iterator[Store]:
        """The store in a state folder, made if it is not there, held against other runs.

        `redactor` hides the secrets in what is known of feeds.
        """
        with held(folder) as connection:
            store = cls(connection, redactor)
            try:
                yield store
            finally:
                store.flush()
                if store.has_polled:
                    polling.write(connection, folder)

    @classmethod
    @contextmanager
    def share(cls, folder: Path) -> Iterator[Store]:
        """The store in a folder that is no planet's, made if it is not there, beside others."""
        with shared(folder) as connection:
            yield cls(connection)

    @classmethod
    @contextmanager
    def look(cls, folder: Path, redactor: Redactor = NO_REDACTOR) -> Iterator[Store | None]:
        """The store as it is, only to be read, also while a run holds it; None without one."""
        with looked_at(folder) as connection:
            yield None if connection is None else cls(connection, redactor)

    @staticmethod
    def exists(folder: Path) -> bool:
        """Return whether there is a store in a state folder.

        Raises:
            StateError: the folder cannot be looked into, or is a file.
        """
        return is_there(folder / FILE)

    @classmethod
    @contextmanager
    def copy(cls, folder: Path, redactor: Redactor = NO_REDACTOR) -> Iterator[Store]:
        """Open a copy of the store in a state folder, or a new one, which goes when it is closed.

        It may be made while a run holds that store.
        """
        with copied(folder) as connection:
            yield cls(connection, redactor)

    # Feeds

    def states(self) -> FeedStates:
        """What is known of each feed ever asked for, by key."""
        self.flush()
        return FeedStates(self._connection, self._redactor)

    @contextmanager
    def wave(self) -> Iterator[None]:
        """Write the attempts inside down in one transaction that is on the disk when it ends (R45).

        Other commits outlive a killed process but may go with the power: what they brought is then
        read again. Who was asked must not be forgotten, so each wave of attempts is worth a sync.
        """
        self._connection.execute("PRAGMA synchronous = FULL")
        try:
            with transaction(self._connection):
                yield
        finally:
            self._connection.execute("PRAGMA synchronous = NORMAL")

    def attempt(self, feeds: Iterable[Feed], at: datetime | None) -> None:
        """Write down when feeds are about to be asked, and only that: a crash must not hide it."""
        feeds = list(feeds)
        self.flush()
        self.has_polled = True
        # Nobody is asked for a file.
        with self.wave() if any(not feed.is_file for feed in feeds) else nullcontext():
            codec.insert(
                self._connection,
                "feed (key, url, attempted_at)",
                [(feed.key, self._redactor.hide(feed.url), codec.micros(at)) for feed in feeds],
                "ON CONFLICT (key) DO UPDATE SET attempted_at = excluded.attempted_at",
            )
        _LOG.debug("table feed: attempts written: %d", len(feeds))

    def flush(self) -> None:
        """Store what `keep` was to store later."""
        if self._later:
            states.put_states(self._connection, self._later, self._redactor)
            _LOG.debug("table feed: states written: %d", len(self._later))
            self._later.clear()
            self.has_polled = True

    def claim(self, feed: Feed, at: datetime, *, after: datetime | None) -> bool:
        """As `attempt`, unless another has done so since the attempt that was made `after`.

        Within the caller's `wave`.
        """
        cursor = self._connection.execute(
            "INSERT INTO feed (key, url, attempted_at) VALUES (?, ?, ?) ON CONFLICT (key) "
            "DO UPDATE SET attempted_at = excluded.attempted_at WHERE attempted_at IS ?",
            (feed.key, self._redactor.hide(feed.url), codec.micros(at), codec.micros(after)),
        )
        return cursor.rowcount == 1

    def keep(
        self,
        state: FeedState,
        reading: ParseResult | None = None,
        *,
        now: datetime | None = None,
        shows: bool = False,
        shown: int | None = None,
        transforms: bool = False,
        later: bool = False,
    ) -> Counts:
        """Store what is known of a feed, and what a reading brought `now`, if there was one.

        If there was none, that may be done `later`: with the next attempts, or when it is wanted.
        Whoever is killed before has asked, and does not know what came.

        `shows` says that something a page shows of the feed has changed besides its entries. Only
        `shown` of those that it had when it was new are seen (None: all): the others wait, without
        their texts, until there is room for them and they are read again. With `transforms`, what
        is new or edited waits for a program (`Transforms`).
        """
        kept = Counts()
        if reading is None and not shows:
            self._later.append(state)
            if not later:
                self.flush()
            return kept
        self.has_polled = True
        with transaction(self._connection):
            (feed,) = states.put_states(self._connection, [state], self._redactor)
            if reading and now:
                if state.picks is Picks.ONLY:
                    kept = keep_episodes(self._connection, feed, reading, now)
                else:
                    kept = keep_entries(
                        self._connection, feed, reading, now, shown, transforms=transforms
                    )
                    self.restored.drop(state.key)
            if shows or kept.added or kept.edited:
                show(self._connection)
        _LOG.debug(
            "tables feed and entry: new entries written: %d, edited: %d",
            kept.added,
            kept.edited,
        )
        return kept

    def rename(self, old_key: str, feed: Feed) -> None:
        """What is known under an old key, entries and all, is this feed's from now on.

        The ids that are published stay as they are. Of the feed itself, nothing may be known yet
        but that it is being asked, and what the site told of its entries.
        """
        with transaction(self._connection):
            self.restored.rename(old_key, feed.key)
            attempted = self._connection.execute(
                "DELETE FROM feed WHERE key = ? RETURNING attempted_at", (feed.key,)
            ).fetchone() or (None,)
            self._connection.execute(
                "UPDATE feed SET first_key = coalesce(first_key, key), key = ?, url = ?, "
                "attempted_at = coalesce(?, attempted_at) WHERE key = ?",
                (feed.key, self._redactor.hide(feed.url), *attempted, old_key),
            )
            show(self._connection)

    # Hosts and lists

    @from_row
    def hosts(self, only: str | None = None) -> dict[str, HostState]:
        """What is known of the servers that feeds come from, or of one, by `HostState.host`."""
        show, one = self._redactor.show, only and self._redactor.hide(only)
        query = (
            "SELECT host, state FROM host WHERE host = coalesce(?, host) AND host != '' "
            "ORDER BY host"
        )
        hosts: dict[str, HostState] = {}
        for stored, more in typed(self._connection.execute(query, (one,)), str, str):
            # Versions before kept port 80 apart from 443, which comes first here and counts.
            name, _, port = show(stored).rpartition(":")
            host = f"{name}:443" if port == "80" else show(stored)
            fields = codec.from_plain(HostState, json.loads(show(more)))
            hosts.setdefault(host, HostState(host=host, **fields))
        return hosts

    def host(self, name: str) -> HostState | None:
        """What is known of one of them now."""
        return self.hosts(name).get(name)

    def keep_host(self, state: HostState) -> None:
        """Store what is known of a server."""
        more = codec.text(codec.plain(state, leave_out=frozenset({"host"})))
        self.has_polled = True
        row = self._redactor.hide(state.host), self._redactor.hide(more)
        self._connection.execute("INSERT OR REPLACE INTO host VALUES (?, ?)", row)
        _LOG.debug("table host: state written")

    @property
    @from_row
    def history(self) -> RunHistory:
        """What is remembered of runs."""
        # In the row of a host without a name, which no server has.
        rows = typed(self._connection.execute("SELECT state FROM host WHERE host = ''"), str)
        return RunHistory(**codec.from_plain(RunHistory, json.loads(rows[0][0] if rows else "{}")))

    def keep_history(self, history: RunHistory) -> None:
        """Store what is remembered of runs."""
        row = (codec.text(codec.plain(history)),)
        self._connection.execute("INSERT OR REPLACE INTO host VALUES ('', ?)", row)

    def lists(self) -> dict[str, bytes]:
        """The last body of each subscription list on the web that could be read, by key."""
        rows = self._connection.execute("SELECT key, body FROM list")
        return {key: self._redactor.show_bytes(body) for key, body in typed(rows, str, bytes)}

    def keep_list(self, key: str, body: bytes) -> None:
        """Store the body of a subscription list that could be read."""
        row = key, self._redactor.hide_bytes(body)
        self._connection.execute("INSERT OR REPLACE INTO list VALUES (?, ?)", row)

    # Entries

    def entry_digests(
        self, key: str, *, shown: int | None = None, picks: Picks = Picks.ALSO
    ) -> dict[str, str]:
        """The id and digest of each entry of a feed; with `Picks.ONLY`, of what can be picked.

        The digest is empty where the entry is to be read again, because its text is not stored and
        `shown` of the feed's first entries are seen (as in `keep`). Entries that the site told, and
        the feed has not yet (`RestoredEntries`), are left out.
        """
        rows = self._connection.execute(
            "SELECT id, entry.digest, waiting.digest, rank FROM entry "
            "JOIN feed ON feed.number = entry.feed "
            "LEFT JOIN waiting ON waiting.number = entry.number WHERE key = ? AND kept = ? "
            "AND entry.number NOT IN "
            "(SELECT number FROM restored WHERE restored.feed = key AND number NOTNULL)",
            (key, picks is Picks.ALSO),
        )
        return {
            entry_id: (waiting if waiting and is_held_back(rank, shown) else digest).hex()
            for entry_id, digest, waiting, rank in typed(rows, str, bytes, bytes | None, int | None)
        }

    def first_waiting(self) -> dict[str, int]:
        """Of feeds with entries that wait, by key: how many `shown` first ones leave them all."""
        rows = self._connection.execute(
            "SELECT feed.key, min(rank) FROM waiting JOIN entry USING (number) "
            "JOIN feed ON feed.number = entry.feed WHERE present GROUP BY feed.key"
        )
        return dict(typed(rows, str, int | None))

    def entries(self, keys: Iterable[str], *, picks: Picks = Picks.ALSO) -> list[Entry]:
        """All entries of these feeds, in the order in which they were first met.

        With `Picks.ONLY` it is what can be picked of feeds that show picks only.
        """
        rows = chain.from_iterable(
            self._connection.execute(
                f"{codec.ENTRIES} WHERE feed.key = ? AND kept = ?", (key, picks is Picks.ALSO)
            )
            for key in set(keys)
        )
        return sorted(map(codec.entry_from, rows), key=lambda entry: entry.number)

    @from_row
    def origins(self) -> dict[str, list[Origin]]:
        """Where feeds have entries from, by the feed's key; what was met first stands first."""
        rows = self._connection.execute(
            "SELECT feed.key, origin FROM entry JOIN feed ON feed.number = entry.feed "
            "WHERE kept AND origin NOTNULL GROUP BY entry.feed, origin ORDER BY min(entry.number)"
        )
        origins: dict[str, list[Origin]] = {}
        for key, origin in typed(rows, str, str):
            origins.setdefault(key, []).append(codec.origin_from(origin))
        return origins

    def titles(self) -> dict[str, str]:
        """What feeds call themselves, by key, without the state of each being decoded."""
        self.flush()
        rows = self._connection.execute(
            "SELECT key, json_extract(state, '$.profile.title') FROM feed"
        )
        return {
            key: self._redactor.show(title)
            for key, title in typed(rows, str, str | None)
            if title is not None
        }

    def listed(self, key: str) -> set[str]:
        """The ids of the entries that a feed had when it was last read."""
        rows = self._connection.execute(
            "SELECT id FROM entry JOIN feed ON feed.number = entry.feed WHERE key = ? AND kept "
            "AND present",
            (key,),
        )
        return {entry_id for (entry_id,) in rows}

    def newest_episodes(self, key: str, limit: int) -> tuple[Entry, ...]:
        """The newest that can be picked of a feed that shows picks only."""
        # A date in the future, by mistake or to stay on top, counts from when it was first seen.
        rows = self._connection.execute(
            f"{codec.ENTRIES} WHERE feed.key = ? AND NOT kept "
            "ORDER BY min(dated, first_seen) DESC, entry.number DESC LIMIT ?",
            (key, limit),
        )
        return tuple(map(codec.entry_from, rows))

    def drop_episodes(self, *, except_of: Iterable[str]) -> None:
        """Forget what could be picked of feeds that do not show picks only any more."""
        wanted = set(except_of)
        rows = self._connection.execute(
            "SELECT key, number FROM feed WHERE number IN (SELECT feed FROM entry WHERE NOT kept)"
        ).fetchall()
        gone = [(number,) for key, number in rows if key not in wanted]
        if gone:
            with transaction(self._connection):
                self._connection.executemany("DELETE FROM entry WHERE feed = ? AND NOT kept", gone)

    def entries_numbered(self, numbers: Iterable[int]) -> list[Entry]:
        """Return the entries with these numbers."""
        rows = select_in(self._connection, f"{codec.ENTRIES} WHERE entry.number", numbers)
        return list(map(codec.entry_from, rows))

    def posts(self, folder: str) -> PostTable:
        """Return the posts of the site in this folder of the output folder."""
        return PostTable(self._connection, folder)

    def drop_other_sites(self, folders: Collection[str]) -> None:
        """Drop the posts of sites that are not in these folders."""
        rows = self._connection.execute("SELECT folder FROM site")
        for (folder,) in typed(rows, str):
            if folder not in folders:
                with transaction(self._connection):
                    self.posts(folder).forget()

    def retire(
        self, feeds: Iterable[str], *, entries_before: datetime, texts_before: datetime
    ) -> int:
        """Forget what is older than this and no longer in its feed; how many entries went.

        An entry that its feed still has must stay: forgotten, it would come back as new. `feeds`
        are the keys of the feeds there are; those of others count as gone.
        """
        wanted = set(feeds)
        with transaction(self._connection):
            left = [
                (number,)
                for number, key in self._connection.execute("SELECT number, key FROM feed")
                if key not in wanted
            ]
            self._connection.executemany(
                "UPDATE entry SET present = 0 WHERE feed = ? AND kept AND present", left
            )
            texts_gone = drop_texts(self._connection, texts_before)
            removed = self._connection.execute(
                "DELETE FROM entry WHERE dated < ? AND NOT present RETURNING number",
                (codec.micros(entries_before),),
            ).fetchall()
            self._connection.executemany(
                f"INSERT INTO removed VALUES (?, {NEXT_GENERATION})",  # noqa: S608 - constants
                removed,
            )
            if removed or texts_gone:
                show(self._connection)
        self.upkeep.tidy()
        return len(removed)

    def retiring(self, *, entries_before: datetime) -> frozenset[int]:
        """The numbers of the entries that `retire` would forget of the feeds there are."""
        rows = self._connection.execute(
            "SELECT number FROM entry WHERE dated < ? AND NOT present",
            (codec.micros(entries_before),),
        )
        return frozenset(number for (number,) in rows)

    @property
    @from_row
    def believed(self) -> datetime | None:
        """The moment that the last run took for the present (`schedule.estimate_now`)."""
        (believed,) = self._connection.execute("SELECT believed FROM planet").fetchone()
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
            numbers = self._connection.execute(
                "UPDATE entry SET dated = iif(dated = first_seen, :now, dated), first_seen = :now, "
                "changed_at = min(changed_at, :now) WHERE first_seen > :now RETURNING number",
                {"now": at},
            ).fetchall()
            mark_changed(self._connection, numbers)
            self._connection.execute("DELETE FROM release WHERE moment > ?", (at,))
            self.digests.forget_after(now)
            show(self._connection)

    @property
    def name(self) -> str:
        """What keeps apart what is of this planet where there are others: in a cache they share."""
        ((name,),) = typed(self._connection.execute("SELECT name FROM planet"), str)
        return cast("str", name)

    @property
    def has_entries(self) -> bool:
        """Whether there is any entry, of whichever feed."""
        return self._connection.execute("SELECT 1 FROM entry LIMIT 1").fetchone() is not None

    @property
    def generation(self) -> int:
        """Grows whenever something changes that a page could show."""
        ((generation,),) = typed(self._connection.execute("SELECT generation FROM planet"), int)
        return cast("int", generation)
