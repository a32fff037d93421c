"""What can be picked of feeds that show picks only: a cache, beside the store.

`episodes.sqlite` in the state folder has, of each of these feeds, the episodes that its document
lists now, and nothing else. It knows nothing that could not be read again from the bodies on disk,
but when undated episodes were first seen: when it is lost, damaged, or of another version, it
begins anew.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from planet.store import listed
from planet.store.connection import is_there, reader_of
from planet.store.faults import fault
from planet.store.schema import transaction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from planet.model import Entry, Kept, Reading, Text

T = TypeVar("T")

_FILE = "episodes.sqlite"
_OF_THE_HOST = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
"""Failures that another file would not mend, https://www.sqlite.org/rescode.html."""


class Episodes:
    """The episodes of feeds that show picks only. Every method that writes is one transaction.

    A file that turns out to be damaged begins anew, and is empty then.

    Raises:
        StateError: by any method: the file cannot be used for another reason.
    """

    def __init__(
        self,
        path: Path,
        connect: Callable[[Path], sqlite3.Connection],
        begin: Callable[[Path], sqlite3.Connection],
    ) -> None:
        self._path = path
        self._begin = begin
        try:
            self._connection = connect(path)
        except sqlite3.Error as error:
            raise fault(path, error) from error

    @classmethod
    @contextmanager
    def open(cls, folder: Path) -> Iterator[Episodes]:
        """Those in a state folder that is held against other runs (`Store.open`)."""
        episodes = cls(folder / _FILE, _connected, _begun)
        with closing(episodes):
            # What is damaged where no run ever looks would stay so.
            episodes._ask(_check_whole)
            yield episodes

    @classmethod
    @contextmanager
    def look(cls, folder: Path) -> Iterator[Episodes]:
        """Those in a state folder as they are, only to be read, also while a run holds it."""
        path = folder / _FILE
        episodes = cls(path, reader_of if is_there(path) else _begun_in_memory, _begun_in_memory)
        with closing(episodes):
            episodes._ask(_check_version)
            yield episodes

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def hashes(self) -> dict[str, str | None]:
        """Of each feed, the hash of the body its episodes were read from; None: not all were."""
        return self._ask(lambda db: dict(db.execute("SELECT key, hash FROM feed").fetchall()))

    def digests(self, key: str) -> dict[str, str]:
        """The id and digest of each episode of a feed."""
        statement = (
            "SELECT id, digest FROM entry JOIN feed ON feed.number = entry.feed WHERE key = ?"
        )
        rows = self._ask(lambda db: db.execute(statement, (key,)).fetchall())
        return {row[0]: row[1].hex() for row in rows}

    def newest(self, keys: Iterable[str], limit: int | None = None) -> dict[str, tuple[Entry, ...]]:
        """The newest episodes of each of these feeds, newest first; without a limit, all.

        Their numbers are theirs alone, -1,000,000 or less; `notes` has their texts by them.
        """
        return {key: self._ask(partial(listed.newest, key=key, limit=limit)) for key in keys}

    def notes(self, number: int) -> Text | None:
        """The show notes of an episode as its feed sent them: untrusted."""
        return self._ask(partial(listed.notes, number=number))

    def keep(self, key: str, reading: Reading, *, body_hash: str | None, now: datetime) -> Kept:
        """Store what a reading found new or edited in a feed, and forget what it does not list."""

        def work(db: sqlite3.Connection) -> Kept:
            with transaction(db):
                return listed.keep(db, key, reading, body_hash, now)

        return self._ask(work)

    def rename(self, old_key: str, new_key: str) -> None:
        """What is there under an old key is another's from now on."""
        statement = "UPDATE OR REPLACE feed SET key = ? WHERE key = ?"
        self._ask(lambda db: db.execute(statement, (new_key, old_key)))

    def keep_only(self, keys: Iterable[str]) -> None:
        """Forget all feeds but these."""
        gone = self.hashes().keys() - set(keys)
        if gone:
            rows = [(key,) for key in gone]
            self._ask(lambda db: db.executemany("DELETE FROM feed WHERE key = ?", rows))

    def _ask(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What comes of some work on the file, or if the file is damaged, on a new one."""
        try:
            try:
                return work(self._connection)
            except sqlite3.Error as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in _OF_THE_HOST:
                    raise
            self._connection.close()
            self._connection = self._begin(self._path)
            return work(self._connection)
        except sqlite3.Error as error:
            raise fault(self._path, error) from error


def _connected(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA foreign_keys = ON")
    return db


def _begun(path: Path) -> sqlite3.Connection:
    for log in ("", "-wal", "-shm", "-journal"):
        path.with_name(f"{path.name}{log}").unlink(missing_ok=True)
    db = _connected(path)
    # What is deleted is given back to the disk.
    db.execute("PRAGMA auto_vacuum = FULL")
    db.execute("PRAGMA journal_mode = WAL")
    db.executescript(f"BEGIN; {listed.TABLES} COMMIT;")
    return db


def _begun_in_memory(_: Path) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(listed.TABLES)
    return db


def _check_version(db: sqlite3.Connection) -> None:
    """Raises sqlite3.DatabaseError when the file is not one of this version."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version != listed.VERSION:
        raise sqlite3.DatabaseError(version)


def _check_whole(db: sqlite3.Connection) -> None:
    """Raises sqlite3.DatabaseError when the file is damaged, too."""
    _check_version(db)
    (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(found)
