"""The file `planet.sqlite` → a connection to it: held by a run, or only to be looked at."""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from planet.errors import StateError
from planet.store import codec, timeline
from planet.store.codec import NewerError, faults_named

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder. The lock goes with the process, however that ends.

    Raises:
        StateError: another run holds it, or the folder cannot be written.
    """
    path = folder / "lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("a+")
    except (FileExistsError, NotADirectoryError) as error:
        file_there = next((each for each in (folder, *folder.parents) if each.is_file()), folder)
        raise _no_folder(file_there) from error
    except OSError as error:
        raise StateError(
            f"the state folder {folder} cannot be written: {error.strerror}"
        ) from error
    with file:
        try:
            _lock(file.fileno())
        except OSError as error:
            raise StateError(f"another run is using the state folder {folder}") from error
        yield


if sys.platform == "win32":  # pragma: no cover

    def _lock(number: int) -> None:
        import msvcrt

        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)

else:

    def _lock(number: int) -> None:
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)


_FIRST = """
CREATE TABLE feed (
    number       INTEGER PRIMARY KEY,
    key          TEXT NOT NULL UNIQUE,
    url          TEXT NOT NULL,
    memory       TEXT NOT NULL DEFAULT '{}',  -- JSON: what `memories` makes of a Memory
    attempted_at INTEGER                      -- on its own, because it is written on its own
);

CREATE TABLE entry (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again, not even when deleted
    feed       INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
    id         TEXT NOT NULL,
    digest     BLOB NOT NULL,
    first_seen INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    dated      INTEGER NOT NULL,
    present    INTEGER NOT NULL,  -- whether its feed had it when last read
    rank       INTEGER,
    link       TEXT,
    title      TEXT,
    summary    TEXT,
    published  INTEGER,
    updated    INTEGER,
    more       TEXT,              -- JSON: the fields most entries do not have
    UNIQUE (feed, id)
);

CREATE INDEX entry_gone ON entry (dated) WHERE NOT present;

CREATE TABLE text (
    number   INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
    kind     TEXT NOT NULL,
    base     TEXT,
    raw      BLOB NOT NULL,
    clean    BLOB,
    cleaning TEXT                 -- the version of the cleaner that made `clean`
);

CREATE TABLE list (
    key  TEXT PRIMARY KEY,  -- of a subscription list on the web
    body BLOB NOT NULL      -- the last one that could be read
);

CREATE TABLE publication (
    output      TEXT PRIMARY KEY,
    recipe      TEXT NOT NULL,    -- fingerprint of config, theme and program
    listed      TEXT NOT NULL,    -- fingerprint of the feeds of subscription lists
    generation  INTEGER NOT NULL, -- of the state it was made from
    keeps_until INTEGER,
    entries     INTEGER NOT NULL
);

CREATE TABLE file (
    output      TEXT NOT NULL,
    path        TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    digest      TEXT NOT NULL,
    size        INTEGER NOT NULL,
    mtime       INTEGER NOT NULL, -- nanoseconds, as the file system has it
    PRIMARY KEY (output, path)
) WITHOUT ROWID;

CREATE TABLE planet (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    generation INTEGER NOT NULL   -- one more with each change that a page could show
);
INSERT INTO planet VALUES (1, 0);
"""

_HOSTS = """
CREATE TABLE host (
    host   TEXT PRIMARY KEY,  -- host:port
    memory TEXT NOT NULL      -- JSON: what `memories` makes of a HostMemory
) WITHOUT ROWID;
"""

_DIGESTS = """
CREATE TABLE digest (
    name   TEXT PRIMARY KEY,
    packed BLOB NOT NULL      -- JSON: what `digests` makes of a Digest
);

CREATE TABLE told (
    output TEXT NOT NULL,
    hub    TEXT NOT NULL,
    path   TEXT NOT NULL,
    digest TEXT NOT NULL,     -- of the file, as in `file`, when the hub was told of it
    PRIMARY KEY (output, hub, path)
) WITHOUT ROWID;
"""

_LINKS = """
CREATE TABLE links (
    number INTEGER PRIMARY KEY REFERENCES text ON DELETE CASCADE,
    packed BLOB NOT NULL      -- the addresses that the text links to, a line each
);
"""

_EDITIONS = """
CREATE TABLE digest_of (
    edition TEXT NOT NULL,    -- its folder in the output folder; empty for that folder itself
    name    TEXT NOT NULL,
    packed  BLOB NOT NULL,    -- JSON: what `digests` makes of a Digest
    PRIMARY KEY (edition, name)
);
INSERT INTO digest_of SELECT '', name, packed FROM digest;
DROP TABLE digest;
ALTER TABLE digest_of RENAME TO digest;
CREATE TABLE release (
    edition TEXT PRIMARY KEY, -- as in `digest`
    moment  INTEGER NOT NULL  -- what was found later was not in it when it was last made
) WITHOUT ROWID;
"""

_SEEDS = """
CREATE TABLE seed (
    feed       TEXT NOT NULL,        -- its key
    uid        TEXT NOT NULL,        -- as published; empty in the row that holds for all others
    number     INTEGER,
    first_seen INTEGER NOT NULL,
    filed      INTEGER NOT NULL,
    modified   INTEGER NOT NULL,
    PRIMARY KEY (feed, uid)
) WITHOUT ROWID;
"""

_WAITING = """
ALTER TABLE text ADD COLUMN excerpt BLOB;  -- the summary of the entry, packed against `raw`

CREATE TABLE waiting (         -- entries that are stored without their texts, see `waiting`
    number INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
    digest BLOB NOT NULL       -- theirs; it is empty in `entry` as long as they wait
);
"""
_CLOCK = """
ALTER TABLE planet ADD COLUMN believed INTEGER;  -- what the last run took for the present
"""
_IDENTITY = f"""
ALTER TABLE feed ADD COLUMN first_key TEXT;  -- its first key, where that was another
ALTER TABLE entry ADD COLUMN first_id TEXT;  -- as its feed first said it, where that was another
{codec.AGAIN}
"""
_MIGRATIONS = (
    _FIRST,
    _HOSTS,
    _DIGESTS,
    _LINKS,
    _EDITIONS,
    codec.TABLE,
    _SEEDS,
    _WAITING,
    _CLOCK,
    _IDENTITY,
    timeline.TABLES + timeline.TRIGGERS + timeline.SIGNS,
)
"""Number n brings a file from version n to n + 1 (PRAGMA user_version)."""


def create(path: Path) -> None:
    """A file with its tables in it, or none at all: so an empty one is known to be damaged."""
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(new, isolation_level=None)) as connection:
            bring_up_to_date(connection)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Create or migrate the tables; a version is reached whole or not at all.

    Raises:
        NewerError: a newer Planet wrote the file.
    """
    version = _version(connection)
    if version > len(_MIGRATIONS):
        raise NewerError(
            f"it was written by a newer Planet (its version is {version}, "
            f"this one knows {len(_MIGRATIONS)})\n{_NEWER}"
        )
    codec.functions(connection)
    for number in range(version, len(_MIGRATIONS)):
        connection.executescript(
            f"BEGIN IMMEDIATE; {_MIGRATIONS[number]} PRAGMA user_version = {number + 1}; COMMIT;"
        )


_NEWER = "Update Planet, or choose another folder (state in the config, or --state)."


def is_up_to_date(connection: sqlite3.Connection) -> bool:
    """Whether the tables are those of this Planet."""
    return _version(connection) == len(_MIGRATIONS)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is written inside, or none of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    connection.execute("COMMIT")


def show(connection: sqlite3.Connection) -> None:
    """Something has changed that a page could show; within the caller's transaction."""
    connection.execute("UPDATE planet SET generation = generation + 1")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


_FILE = "planet.sqlite"


@contextmanager
def held(folder: Path) -> Iterator[sqlite3.Connection]:
    """To the file in a state folder, made if it is not there, held against other runs."""
    path = folder / _FILE
    with locked(folder), faults_named(path):
        if not os.path.lexists(path):
            create(path)
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            # What is committed outlives a killed process; a commit waits for no disk.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            bring_up_to_date(connection)
            yield connection
        finally:
            connection.close()


@contextmanager
def looked_at(folder: Path) -> Iterator[sqlite3.Connection | None]:
    """To the file as it is, only to be read, also while a run holds it; None without one."""
    path = folder / _FILE
    if not is_there(path):
        yield None
        return
    with faults_named(path), closing(reader_of(path)) as reader:
        if is_up_to_date(reader):
            yield reader
            return
        # Only a run may change the file; until one does, it is read as that run will find it.
        with copied(folder) as copy:
            yield copy


@contextmanager
def copied(folder: Path) -> Iterator[sqlite3.Connection]:
    """To a copy of the file in memory, or to a new one there: whatever is written, no disk has."""
    path = folder / _FILE
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy, faults_named(path):
        if is_there(path):
            with closing(reader_of(path)) as reader:
                reader.backup(copy)
        copy.execute("PRAGMA foreign_keys = ON")
        bring_up_to_date(copy)
        yield copy


def is_there(path: Path) -> bool:
    """Whether there is such a file.

    Raises:
        StateError: its folder cannot be looked into, or is a file.
    """
    try:
        if path.is_file():
            return True
        file_there = next((each for each in path.parents if each.is_file()), None)
    except OSError as error:
        raise StateError(f"{path} cannot be read: {error.strerror}") from error
    if file_there is not None:
        raise _no_folder(file_there)
    return False


def _no_folder(file_there: Path) -> StateError:
    return StateError(
        f"the state needs a folder, and {file_there} is a file\n"
        "Move that away, or choose another folder (state in the config, or --state)."
    )


def reader_of(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing, also for those who may not write beside the file."""
    address, still = path.absolute().as_uri(), not path.with_name(f"{path.name}-wal").exists()
    if os.access(path.parent, os.W_OK):
        # It makes files beside it while somebody writes, and takes them away again.
        options = "mode=rw"
    else:
        # It needs none while nobody writes.
        options = "mode=ro&immutable=1" if still else "mode=ro"
    reader = sqlite3.connect(f"{address}?{options}", uri=True, isolation_level=None)
    reader.execute("PRAGMA query_only = ON")
    return reader
