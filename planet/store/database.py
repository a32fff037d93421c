"""The file `planet.sqlite` → a connection to it: held by a run, or only to be looked at."""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import timedelta
from hashlib import blake2b
from typing import IO, TYPE_CHECKING, Final

from planet.errors import StateError
from planet.store import polling
from planet.store.codec import PagesError, VersionError, add_functions, faults_named
from planet.store.migrations import can_migrate, migrate, version_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path


@contextmanager
def locked(folder: Path, *, shared: bool = False, name: str = "lock") -> Iterator[None]:
    """Hold the folder. The lock goes with the process, however that ends.

    It may be `shared` with others who do so; then who has it for themselves is waited for, a while.

    Raises:
        StateError: another run holds it, or the folder cannot be written.
    """
    path = folder / name
    tries = _TRIES if shared or name != "lock" else 1
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("a+")
    except (FileExistsError, NotADirectoryError) as error:
        file_there = next((path for path in (folder, *folder.parents) if path.is_file()), folder)
        raise _no_folder(file_there) from error
    except OSError as error:
        raise StateError(
            f"the state folder {folder} cannot be written: {error.strerror}"
        ) from error
    with file:
        while True:
            try:
                _lock(file.fileno(), shared=shared)
                break
            except OSError as error:
                tries -= 1
                if not tries:
                    raise StateError(f"another run is using the state folder {folder}") from error
            time.sleep(_AGAIN)
        yield


if sys.platform == "win32":  # pragma: no cover

    def _lock(number: int, *, shared: bool = False) -> None:
        import msvcrt

        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)

else:

    def _lock(number: int, *, shared: bool = False) -> None:
        import fcntl

        fcntl.flock(number, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


class LockFolder:
    """Whose turn it is to ask a server, or for a feed, among all who share a folder.

    Each has a file, whose lock the system takes back however its holder ends; that of a server was
    written to when the last request there was over.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: dict[str, IO[bytes]] = {}

    def take(self, host: str, gap: timedelta = timedelta(0)) -> float:
        """Take the turn of a host; else the seconds after which to try again."""
        path = self._folder / blake2b(host.encode(), digest_size=16).hexdigest()
        self._folder.mkdir(exist_ok=True)
        file = path.open("ab")
        try:
            _lock(file.fileno())
            used = os.fstat(file.fileno())
            is_gone = not path.exists() or path.stat().st_ino != used.st_ino
        except OSError:
            is_gone = True
        # A clock that was set back since makes nobody wait for longer than the gap.
        wait = min(used.st_mtime - time.time(), 0.0) + gap.total_seconds() if not is_gone else 0.0
        if is_gone or (used.st_size and wait > 0):
            file.close()
            return max(wait, _AGAIN)
        self._held[host] = file
        return 0.0

    def leave(self, host: str, *, asked: bool) -> None:
        """Let the next one ask a host, a gap after this one if it `asked`."""
        if (held := self._held.pop(host, None)) is not None:
            with held as file:
                if asked:
                    file.truncate(0)
                    file.write(b".")

    def leave_all(self) -> None:
        """Let others ask whomever this one has not let go."""
        for host in [*self._held]:
            self.leave(host, asked=True)

    def is_taken(self, host: str) -> bool:
        """Whether it is another's turn."""
        if host in self._held or self.take(host):
            return host not in self._held
        self.leave(host, asked=False)
        return False

    def tidy(self) -> None:
        """Drop the files of servers that nobody has asked for a day."""
        for path in [*self._folder.glob("*")]:
            with suppress(OSError):
                if path.stat().st_mtime < time.time() - _DAY:
                    path.unlink()


_TRIES: Final = 200
_AGAIN: Final = 0.05
"""Seconds after which one looks again whether a server is free."""
_DAY: Final = 86_400

VERSION: Final = 27
"""Of the tables (PRAGMA user_version); one more with each change of them, which is a step in
`migrations`."""

_TABLES = """
CREATE TABLE planet (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    generation INTEGER NOT NULL,  -- one more with each change that a page could show
    believed   INTEGER,           -- what the last run took for the present
    name       TEXT NOT NULL      -- of this planet alone, wherever its state lies
);
INSERT INTO planet VALUES (1, 0, NULL, lower(hex(randomblob(6))));

CREATE TABLE feed (
    number       INTEGER PRIMARY KEY,
    key          TEXT NOT NULL UNIQUE,
    first_key    TEXT,            -- its first key, where that was another
    url          TEXT NOT NULL,
    attempted_at INTEGER,         -- these as in FeedState
    settled_at   INTEGER,
    due_at       INTEGER,
    succeeded_at INTEGER,
    answered_url TEXT,
    given_up     TEXT,
    reader       TEXT,
    picks        TEXT,
    is_well      INTEGER NOT NULL DEFAULT 1,
    state        TEXT NOT NULL DEFAULT '{}'  -- JSON: its other fields
);

CREATE TABLE entry (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again, not even when deleted
    feed       INTEGER NOT NULL REFERENCES feed ON DELETE CASCADE,
    kept       INTEGER NOT NULL,  -- 0: an episode that can be picked, as long as its feed has it
    id         TEXT NOT NULL,
    first_id   TEXT,              -- as its feed first said it, where that was another
    digest     BLOB NOT NULL,
    first_seen INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    dated      INTEGER NOT NULL,
    present    INTEGER NOT NULL,  -- whether its feed had it when last read
    rank       INTEGER,
    link       TEXT,
    title      TEXT,
    published  INTEGER,
    updated    INTEGER,
    more       TEXT,              -- JSON: the fields most entries do not have
    origin     TEXT,              -- JSON
    checksum   INTEGER NOT NULL DEFAULT 0, -- `codec.ENTRY_CHECKSUM`
    generation INTEGER NOT NULL DEFAULT 0, -- of the planet, when it was last written
    summary    TEXT
);
-- Without the id, which would be kept twice: an entry is looked for among those of its feed.
CREATE INDEX entry_of ON entry (feed, kept);
CREATE INDEX entry_origin ON entry (feed, origin) WHERE origin NOTNULL AND kept;
CREATE INDEX entry_gone ON entry (dated) WHERE NOT present;
CREATE INDEX entry_generation ON entry (generation);

CREATE TABLE removed (            -- entries that are gone, until each site is made without them
    number     INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL   -- of the planet, when they went
);

CREATE TABLE text (
    number   INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
    cleaning TEXT NOT NULL,       -- the version of the cleaner; empty: it is as its feed sent it
    kind     TEXT NOT NULL,
    base     TEXT,                -- of the addresses in one that is not clean yet
    checksum INTEGER NOT NULL,    -- of all of these but `links`
    links    BLOB,                -- the addresses that it links to, a line each
    value    BLOB NOT NULL        -- last: the others are read without the pages of a long text
);

CREATE TABLE waiting (            -- entries that are stored without their texts
    number INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
    digest BLOB NOT NULL          -- theirs; it is empty in `entry` as long as they wait
);

CREATE TABLE transform (          -- entries that a program is to see, or saw
    number   INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
    waits    INTEGER NOT NULL,
    dated    INTEGER,             -- these as its feed says it, where the program changed it
    original BLOB                 -- JSON of a NewEntry
);

CREATE TABLE restored (
    feed       TEXT NOT NULL,     -- its key
    uid        TEXT NOT NULL,     -- as published; empty in the row that holds for all others
    number     INTEGER,
    first_seen INTEGER NOT NULL,
    filed      INTEGER NOT NULL,
    modified   INTEGER NOT NULL,
    PRIMARY KEY (feed, uid)
) WITHOUT ROWID;

CREATE TABLE lost (
    edition TEXT PRIMARY KEY,     -- as in `digest`
    posts   INTEGER NOT NULL      -- what its site showed when the state was lost
) WITHOUT ROWID;

CREATE TABLE host (
    host  TEXT PRIMARY KEY,       -- host:port
    state TEXT NOT NULL           -- JSON: the fields of a HostState
) WITHOUT ROWID;

CREATE TABLE list (
    key  TEXT PRIMARY KEY,        -- of a subscription list on the web
    body BLOB NOT NULL            -- the last one that could be read
);

CREATE TABLE digest (
    edition TEXT NOT NULL,        -- its folder in the output folder; empty for that folder itself
    name    TEXT NOT NULL,
    packed  BLOB NOT NULL,        -- JSON of a Digest
    PRIMARY KEY (edition, name)
);

CREATE TABLE release (
    edition TEXT PRIMARY KEY,     -- as in `digest`
    moment  INTEGER NOT NULL      -- what was found later was not in it when it was last made
) WITHOUT ROWID;

CREATE TABLE publication (
    output      TEXT PRIMARY KEY,
    config_hash TEXT NOT NULL,    -- fingerprint of config, theme and program
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

CREATE TABLE pinged (
    output TEXT NOT NULL,
    hub    TEXT NOT NULL,
    path   TEXT NOT NULL,
    digest TEXT NOT NULL,         -- of the file, as in `file`, when the hub was told of it
    PRIMARY KEY (output, hub, path)
) WITHOUT ROWID;

CREATE TABLE dedupe (
    number INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
    feed   INTEGER NOT NULL,
    link   INTEGER,               -- equal for links that are the same; where it is not `id`
    id     INTEGER NOT NULL       -- equal for ids that are published as one
);
CREATE INDEX dedupe_link ON dedupe (link, feed) WHERE link NOTNULL;
CREATE INDEX dedupe_id ON dedupe (id, feed);

CREATE TABLE site (
    id           INTEGER PRIMARY KEY,
    folder       TEXT NOT NULL UNIQUE,  -- as `edition` in `digest`
    rules        TEXT NOT NULL,         -- fingerprint of what concerns all entries
    generation   INTEGER NOT NULL,      -- of the state that its posts were assembled from
    assembled_at INTEGER NOT NULL,
    released     INTEGER
);
CREATE TABLE source (
    id    INTEGER PRIMARY KEY,
    site  INTEGER NOT NULL,
    key   TEXT NOT NULL,              -- of a feed
    place INTEGER NOT NULL,           -- in the operator's order
    rules TEXT NOT NULL,              -- fingerprint of what concerns its entries
    UNIQUE (site, key)
);
CREATE TABLE post (
    site        INTEGER NOT NULL,
    number      INTEGER NOT NULL,     -- of the entry; -1 is the first pick, -2 the second
    source      INTEGER,
    reason      TEXT NOT NULL,
    detail      TEXT,
    by_planet   INTEGER NOT NULL,     -- whether the planet's filters decided
    too_slow    TEXT,                 -- JSON: filters that took too long, and passed it
    until       INTEGER,              -- when time alone changes the decision
    shown       INTEGER NOT NULL,     -- 1: among the others, 2: without a date; 0: it is not
    filed       INTEGER NOT NULL,
    day         INTEGER NOT NULL,     -- 20261123
    modified    INTEGER NOT NULL,
    arrived     INTEGER NOT NULL,
    playable    INTEGER NOT NULL,
    family      INTEGER,              -- the lowest number of those that share a dedupe key
    instead     INTEGER,              -- the post that is shown in its place
    also_in     TEXT,                 -- JSON: the keys of other feeds that have it
    uid         TEXT,                 -- the published id, where it is not that of the entry
    fingerprint INTEGER NOT NULL,     -- of what is shown of it
    feed_order  INTEGER NOT NULL,     -- decides between posts of one moment
    PRIMARY KEY (site, number)
) WITHOUT ROWID;
CREATE INDEX post_when ON post (site, shown, filed, feed_order, number);
CREATE INDEX post_day ON post (site, day) WHERE shown = 1;
CREATE INDEX post_source ON post (source, shown, filed, feed_order, number);
CREATE INDEX post_until ON post (site, until) WHERE until NOTNULL;
CREATE INDEX post_family ON post (site, family) WHERE family NOTNULL;
CREATE INDEX post_playable ON post (site, filed, feed_order, number) WHERE playable AND shown = 1;
CREATE TABLE part (
    site     INTEGER NOT NULL,
    source   INTEGER NOT NULL,        -- 0 in the row of a day
    kind     INTEGER NOT NULL,        -- 20261123; of a source what is `shown`, or -1: too old
    posts    INTEGER NOT NULL,
    newest   INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    playable INTEGER NOT NULL,
    mark     INTEGER NOT NULL,        -- the sum of what `fingerprint` begins with
    PRIMARY KEY (site, source, kind)
) WITHOUT ROWID;
"""
_ALL = f"{_TABLES} PRAGMA user_version = {VERSION};"


def create(path: Path) -> None:
    """Make a file with its tables in it, or none at all: so an empty one is known to be damaged.

    It begins with what `polling.json` beside it has.
    """
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(new, isolation_level=None)) as connection:
            connection.executescript(f"BEGIN; {_ALL} COMMIT;")
            polling.restore(connection, path.parent)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def check_version(connection: sqlite3.Connection) -> None:
    """See whether the tables are those of this Planet.

    Raises:
        VersionError: a newer Planet wrote the file, or one from before there were migrations.
    """
    version = version_of(connection)
    if version != VERSION:
        other, way_out = ("a newer", _NEWER) if version > VERSION else ("an older", _OLDER)
        raise VersionError(
            f"it was written by {other} Planet (its version is {version}, "
            f"this one knows {VERSION})\n{way_out}"
        )


_NEWER = "Update Planet, or choose another folder (state in the config, or --state)."
_OLDER = (
    "Move it away and run again: entries, dates and ids of what the site shows are taken back from "
    "there."
)


def _check_pages(connection: sqlite3.Connection) -> None:
    """See whether the pages of a file hold together, which takes a second for each few 100 MB.

    Raises:
        DatabaseError: they do not.
    """
    ((finding,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
    if finding != "ok":
        raise PagesError


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


FILE = "planet.sqlite"


@contextmanager
def held(folder: Path) -> Iterator[sqlite3.Connection]:
    """To the file in a state folder, made if it is not there, held against other runs."""
    path = folder / FILE
    with locked(folder), faults_named(path):
        if not os.path.lexists(path):
            create(path)
        # Whoever closes the file last takes this one away.
        was_killed = path.with_name(f"{path.name}-wal").exists()
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            if was_killed:
                _check_pages(connection)
            # What is committed outlives a killed process; a commit waits for no disk.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            add_functions(connection)
            migrate(connection, version=VERSION)
            check_version(connection)
            yield connection


@contextmanager
def shared(folder: Path) -> Iterator[sqlite3.Connection]:
    """To the file in a state folder, made if it is not there, beside others who share it."""
    path = folder / FILE
    if not _is_current(path):
        with alone(folder):
            if not _is_current(path):
                with held(folder):
                    pass
    with (
        locked(folder, shared=True),
        faults_named(path),
        closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as connection,
    ):
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        add_functions(connection)
        check_version(connection)
        yield connection


def _is_current(path: Path) -> bool:
    """Return whether there is a file that can be used without being made or migrated first."""
    if not is_there(path):
        return False
    with faults_named(path), closing(reader_of(path)) as reader:
        return not can_migrate(reader, version=VERSION)


def alone(folder: Path) -> AbstractContextManager[None]:
    """Wait for those who prepare a file of a folder that is shared, and keep others waiting."""
    return locked(folder, name="preparing")


@contextmanager
def looked_at(folder: Path) -> Iterator[sqlite3.Connection | None]:
    """To the file as it is, only to be read, also while a run holds it; None without one.

    Of one that an older Planet wrote it is a copy in memory, which is brought to this version.
    """
    path = folder / FILE
    if not is_there(path):
        yield None
        return
    with ExitStack() as stack:
        stack.enter_context(faults_named(path))
        reader = stack.enter_context(closing(reader_of(path)))
        if can_migrate(reader, version=VERSION):
            copy = stack.enter_context(closing(sqlite3.connect(":memory:", isolation_level=None)))
            reader.backup(copy)
            migrate(copy, version=VERSION)
            copy.execute("PRAGMA query_only = ON")
            reader = copy
        add_functions(reader)
        check_version(reader)
        yield reader


@contextmanager
def copied(folder: Path) -> Iterator[sqlite3.Connection]:
    """To a copy of the file, or to a new one, which SQLite removes when it is closed."""
    path = folder / FILE
    # Without a name it is a temporary file, of which only the pages in use are in memory.
    with closing(sqlite3.connect("", isolation_level=None)) as copy, faults_named(path):
        if is_there(path):
            with closing(reader_of(path)) as reader:
                reader.backup(copy)
        else:
            copy.executescript(_ALL)
            polling.restore(copy, folder)
        copy.execute("PRAGMA foreign_keys = ON")
        add_functions(copy)
        migrate(copy, version=VERSION)
        check_version(copy)
        yield copy


def is_there(path: Path) -> bool:
    """Whether there is such a file.

    Raises:
        StateError: its folder cannot be looked into, or is a file.
    """
    try:
        if path.is_file():
            return True
        file_there = next((parent for parent in path.parents if parent.is_file()), None)
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
