"""What can be picked of feeds that show picks only: a cache, beside the store.

`episodes.sqlite` in the state folder has, of each of these feeds, the episodes that its document
lists now, and nothing else. It knows nothing that could not be read again from the bodies on disk,
but when undated episodes were first seen: when it is lost, damaged, or of another version, it
begins anew.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from planet.model import Counts, Text, TextKind
from planet.store import codec
from planet.store.codec import fault
from planet.store.database import is_there, reader_of, transaction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from planet.model import Entry, NewEntry, ParseResult


VERSION = 1
"""Of the tables (PRAGMA user_version)."""

TABLES = f"""
CREATE TABLE feed (
    number INTEGER PRIMARY KEY,
    key    TEXT NOT NULL UNIQUE,
    hash   TEXT               -- of the body that its episodes were read from
);

CREATE TABLE entry (          -- as in planet.sqlite
    number     INTEGER PRIMARY KEY,
    feed       INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
    id         TEXT NOT NULL,
    digest     BLOB NOT NULL,
    first_seen INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    dated      INTEGER NOT NULL,
    link       TEXT,
    title      TEXT,
    summary    TEXT,
    published  INTEGER,
    updated    INTEGER,
    more       TEXT,
    kind       TEXT,          -- of the show notes, which follow packed
    base       TEXT,
    raw        BLOB,
    UNIQUE (feed, id)
);

PRAGMA user_version = {VERSION};
"""
_COLUMNS = re.sub("rank|first_key|first_id", "NULL", codec.ENTRY_COLUMNS)

_FIRST_NUMBER = -1_000_000
"""Numbers of entries from here downward are for episodes."""


def newest(db: sqlite3.Connection, *, key: str, limit: int | None) -> tuple[Entry, ...]:
    """The newest episodes of a feed, newest first; without a limit, all."""
    # A date in the future, by mistake or to stay on top, counts from when it was first seen.
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM entry "  # noqa: S608 - a constant
        "JOIN feed ON feed.number = entry.feed WHERE key = ? "
        "ORDER BY min(dated, first_seen) DESC, entry.number DESC LIMIT ?",
        (key, -1 if limit is None else limit),
    ).fetchall()
    found = map(codec.entry_from, rows)
    return tuple(replace(entry, number=_FIRST_NUMBER - entry.number) for entry in found)


def notes(db: sqlite3.Connection, *, number: int) -> Text | None:
    """The show notes of the episode with this number."""
    statement = "SELECT kind, base, raw FROM entry WHERE number = ? AND raw NOTNULL"
    row = db.execute(statement, (_FIRST_NUMBER - number,)).fetchone()
    return Text(kind=TextKind(row[0]), base=row[1], value=codec.unpack(row[2])) if row else None


def keep(
    db: sqlite3.Connection, key: str, reading: ParseResult, body_hash: str | None, now: datetime
) -> Counts:
    """Bring a feed to what a reading found, within the caller's transaction."""
    db.execute("INSERT OR IGNORE INTO feed (key) VALUES (?)", (key,))
    (feed,) = db.execute("SELECT number FROM feed WHERE key = ?", (key,)).fetchone()
    known = dict(db.execute("SELECT id, number FROM entry WHERE feed = ?", (feed,)).fetchall())
    gone = [(known[each],) for each in known.keys() - set(reading.ids)]
    db.executemany("DELETE FROM entry WHERE number = ?", gone)
    # The last of the document first, so that a higher number is the newer one.
    drafts = {draft.id: draft for draft in reversed(reading.drafts)}
    for draft in drafts.values():
        said = _said(draft)
        if draft.id in known:
            db.execute(_UPDATE, (*said, codec.micros(now), known[draft.id]))
        else:
            seen = codec.micros(now)
            dated = codec.micros(draft.published or draft.updated or now)
            db.execute(_INSERT, (*said, seen, feed, draft.id, seen, dated))
    # When the file began anew after `digests`, those that were known are to be read again.
    whole = set(reading.ids) <= known.keys() | drafts.keys()
    db.execute("UPDATE feed SET hash = ? WHERE number = ?", (body_hash if whole else None, feed))
    edited = len(drafts.keys() & known.keys())
    return Counts(added=len(drafts) - edited, edited=edited)


_SAID = "digest, link, title, summary, published, updated, more, kind, base, raw, changed_at"
_INSERT = (
    f"INSERT INTO entry ({_SAID}, feed, id, first_seen, dated) "  # noqa: S608 - a constant
    f"VALUES ({', '.join('?' * (len(_SAID.split()) + 4))})"
)
_UPDATE = f"UPDATE entry SET ({_SAID}) = ({', '.join('?' * len(_SAID.split()))}) WHERE number = ?"  # noqa: S608


def _said(draft: NewEntry) -> tuple[Any, ...]:
    raw = draft.raw
    return (
        bytes.fromhex(draft.digest),
        draft.link,
        draft.title,
        draft.summary,
        codec.micros(draft.published),
        codec.micros(draft.updated),
        codec.more(draft),
        raw.kind if raw else None,
        raw.base if raw else None,
        codec.pack(raw.value) if raw else None,
    )


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
        return {key: self._ask(partial(newest, key=key, limit=limit)) for key in keys}

    def notes(self, number: int) -> Text | None:
        """The show notes of an episode as its feed sent them: untrusted."""
        return self._ask(partial(notes, number=number))

    def keep(
        self, key: str, reading: ParseResult, *, body_hash: str | None, now: datetime
    ) -> Counts:
        """Store what a reading found new or edited in a feed, and forget what it does not list."""

        def work(db: sqlite3.Connection) -> Counts:
            with transaction(db):
                return keep(db, key, reading, body_hash, now)

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
    db.executescript(f"BEGIN; {TABLES} COMMIT;")
    return db


def _begun_in_memory(_: Path) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(TABLES)
    return db


def _check_version(db: sqlite3.Connection) -> None:
    """Raises sqlite3.DatabaseError when the file is not one of this version."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version != VERSION:
        raise sqlite3.DatabaseError(version)


def _check_whole(db: sqlite3.Connection) -> None:
    """Raises sqlite3.DatabaseError when the file is damaged, too."""
    _check_version(db)
    (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(found)
