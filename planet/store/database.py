"""The file `planet.sqlite` → a connection to it: held by a run, or only to be read."""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

from planet.errors import StateError
from planet.store import codec
from planet.store.locks import lock_folder, no_folder
from planet.store.schema import STEPS, TABLES, VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


Row = TypeVar("Row", bound=tuple[Any, ...])

FILE: Final = "planet.sqlite"

_DAMAGED: Final = (
    "Put a backup of it in its place. Without one, move it away and run again: what feed.json of "
    "the site has is taken back from there."
)
_NEWER: Final = "Update Planet, or choose another folder (state in the config, or --state)."
_OLDER: Final = (
    "Move it away and run again: entries, dates and ids of what the site shows are taken back from "
    "there."
)
_WAYS_OUT: Final = {
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_FULL: "Make room on its disk, and run again: nothing is lost.",
    sqlite3.SQLITE_IOERR: "See whether its disk is full or failing, and run again.",
    sqlite3.SQLITE_BUSY: "Another program has it open; run again when that has ended.",
}
"""By the primary result code, https://www.sqlite.org/rescode.html."""
_LONGEST: Final = 512 - len("-journal")
"""What SQLite takes, less what it adds to the name of a file (MAX_PATHNAME in its os_unix.c)."""


class Table:
    """One table or more of a store, read and written over its connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def _select(self, kind: type[Row], statement: str, *values: Any) -> list[Row]:
        """Return rows whose columns have the types of a tuple.

        Raises:
            RowError: one has another type.
        """
        rows = self._connection.execute(statement, values).fetchall()
        return codec.convert(rows, list[kind])  # type: ignore[valid-type]  # it is a value here

    def _execute(self, statement: str, *values: Any) -> int:
        """Carry out a statement in a transaction; return how many rows it has changed."""
        with self._transaction():
            return self._connection.execute(statement, values).rowcount

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Write all that is written inside, or none of it."""
        with transaction(self._connection):
            yield

    def _bump_generation(self) -> None:
        """Say that something has changed that a page could show."""
        self._execute("UPDATE planet SET generation = generation + 1")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all that is written inside, or none of it; one inside another is a part of that."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    connection.execute("COMMIT")


@contextmanager
def open_exclusive(folder: Path, *, waits: bool = False) -> Iterator[sqlite3.Connection]:
    """Open the file in a state folder, made if it is not there, held against other runs.

    `waits` is as for `lock_folder`.
    """
    path = folder / FILE
    with lock_folder(folder, waits=waits), _name_faults(path):
        if not os.path.lexists(path):
            _create(path)
        with closing(_connect(path)) as connection:
            # What is committed outlives a killed process; a commit waits for no disk.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            migrate(connection)
            _check_version(connection, path)
            yield connection


@contextmanager
def open_readonly(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open the file, only to be read, also while a run holds it; all that is read is of one moment.

    Without a file there are empty tables. Of one that an older Planet wrote there is a copy, which
    is brought to this version.
    """
    path = folder / FILE
    # Without a name it is a temporary file: of a large one, a few pages are in memory.
    with _name_faults(path), closing(_connect("")) as copy, ExitStack() as stack:
        connection = copy
        if not _exists(path):
            _create_tables(copy)
        else:
            connection = stack.enter_context(closing(_connect_readonly(path)))
            if version_of(connection) in STEPS:
                connection.backup(copy)
                migrate(copy)
                connection = copy
        _check_version(connection, path)
        connection.execute("BEGIN")
        yield connection


@contextmanager
def open_copy(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open a copy of the file as `open_readonly` does; SQLite removes it when it is closed."""
    with open_readonly(folder) as reader, closing(_connect("")) as copy:
        reader.backup(copy)
        yield copy


def _exists(path: Path) -> bool:
    """Return whether there is such a file.

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
        raise no_folder(file_there)
    return False


def _connect(path: Path | str) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def _connect_readonly(path: Path) -> sqlite3.Connection:
    """Return a connection that changes nothing, also for those who may not write beside it."""
    if os.access(path.parent, os.W_OK):
        # It makes files beside it while somebody writes, and takes them away again.
        options = "mode=rw"
    else:
        # It needs none while nobody writes.
        is_still = not path.with_name(f"{path.name}-wal").exists()
        options = "mode=ro&immutable=1" if is_still else "mode=ro"
    address = f"{path.absolute().as_uri()}?{options}"
    reader = sqlite3.connect(address, uri=True, isolation_level=None)
    reader.execute("PRAGMA query_only = ON")
    return reader


def _create(path: Path) -> None:
    """Make a file with its tables in it, or none at all: so an empty one is known to be damaged."""
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    try:
        with closing(_connect(new)) as connection:
            _create_tables(connection)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def _create_tables(connection: sqlite3.Connection) -> None:
    connection.executescript(f"BEGIN; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;")


def migrate(connection: sqlite3.Connection, steps: Mapping[int, str] = STEPS) -> None:
    """Take all steps that lead on from the tables of a state, in one transaction, or none."""
    if version_of(connection) not in steps:
        return
    with transaction(connection):
        # Another process may have been here while this one waited.
        while (version := version_of(connection)) in steps:
            for statement in steps[version].split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version + 1}")


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the tables, as `PRAGMA user_version` has it."""
    ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    return int(version)


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    """Check that the tables are those of this Planet.

    Raises:
        StateError: a newer Planet wrote the file, or one from before there were migrations.
    """
    version = version_of(connection)
    if version != VERSION:
        other, way_out = ("a newer", _NEWER) if version > VERSION else ("an older", _OLDER)
        raise StateError(
            f"{path} cannot be used: it was written by {other} Planet (its version is {version}, "
            f"this one knows {VERSION})\n{way_out}"
        )


@contextmanager
def _name_faults(path: Path) -> Iterator[None]:
    """Say of what SQLite finds wrong inside which file it is, and what to do about it.

    Raises:
        StateError: SQLite failed, or the file is empty. SQLite would take that for a new one, but
            a store that is there has tables (`schema`).
    """
    if path.is_file() and path.stat().st_size == 0:
        raise StateError(f"{path} cannot be used: it is empty\n{_DAMAGED}")
    try:
        yield
    except sqlite3.Error as error:
        what, way_out = str(error), _WAYS_OUT.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, "")
        if what.startswith("unable to open") and len(os.fsencode(path.resolve())) > _LONGEST:
            what = f"its path is too long for SQLite, which takes {_LONGEST} bytes"
            way_out = "Choose a shorter one for the state (state in the config, or --state)."
        elif what.startswith("no such"):
            # A version without a number of its own, from before the first release.
            what, way_out = f"its tables are of another Planet ({what})", _OLDER
        elif isinstance(error, codec.RowError) or "decode to UTF-8" in what:
            # What SQLite says goes on with the text, which is a feed's.
            what, way_out = "a row in it is damaged", _DAMAGED
        raise StateError(f"{path} cannot be used: {what}\n{way_out}".rstrip()) from error
