"""The file `planet.sqlite` → a connection to it: held by a run, or only to be read."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from planet.errors import StateError
from planet.model.decoding import decoder_of
from planet.model.secrets import NO_REDACTOR, Redactor
from planet.store.faults import RowError, VersionError, from_row, name_faults
from planet.store.locks import lock_folder, no_folder
from planet.store.schema import STEPS, TABLES, VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path


Row = TypeVar("Row", bound=tuple[Any, ...])

FILE: Final = "planet.sqlite"


class Table:
    """One table or more of a store, read and written over its connection."""

    def __init__(self, connection: sqlite3.Connection, redactor: Redactor = NO_REDACTOR) -> None:
        self._connection = connection
        self._redactor = redactor
        """Hides the secrets in what a feed or a server says."""

    def _write(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Carry out a statement for each of these rows, in one transaction."""
        with transaction(self._connection):
            self._connection.executemany(statement, rows)


@contextmanager
def open_exclusive(folder: Path, *, waits: bool = False) -> Iterator[sqlite3.Connection]:
    """Open the file in a state folder, made if it is not there, held against other runs.

    `waits` is as for `lock_folder`.
    """
    path = folder / FILE
    with lock_folder(folder, waits=waits), name_faults(path):
        if not os.path.lexists(path):
            _create(path)
        # Whoever closes the file last takes this one away.
        was_killed = path.with_name(f"{path.name}-wal").exists()
        with closing(_connect(path)) as connection:
            if was_killed:
                _check_pages(connection)
            # What is committed outlives a killed process; a commit waits for no disk.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            migrate(connection)
            _check_version(connection)
            yield connection


@contextmanager
def open_readonly(folder: Path) -> Iterator[sqlite3.Connection | None]:
    """Open the file as it is, only to be read, also while a run holds it; None without one.

    Of one that an older Planet wrote it is a copy, which is brought to this version.
    """
    path = folder / FILE
    if not exists(folder):
        yield None
        return
    with name_faults(path), closing(_connect_readonly(path)) as reader:
        is_older = version_of(reader) in STEPS
        if not is_older:
            _check_version(reader)
            yield reader
    if is_older:
        with open_copy(folder) as copy:
            yield copy


@contextmanager
def open_copy(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open a copy of the file, or a new one, which SQLite removes when it is closed."""
    path = folder / FILE
    # Without a name it is a temporary file: of a large one, a few pages are in memory.
    with closing(_connect("")) as copy, name_faults(path):
        if exists(folder):
            with closing(_connect_readonly(path)) as reader:
                reader.backup(copy)
        else:
            _create_tables(copy)
        copy.execute("PRAGMA foreign_keys = ON")
        migrate(copy)
        _check_version(copy)
        yield copy


def exists(folder: Path) -> bool:
    """Return whether there is such a file in a state folder.

    Raises:
        StateError: the folder cannot be looked into, or is a file.
    """
    path = folder / FILE
    try:
        if path.is_file():
            return True
        file_there = next((parent for parent in path.parents if parent.is_file()), None)
    except OSError as error:
        raise StateError(f"{path} cannot be read: {error.strerror}") from error
    if file_there is not None:
        raise no_folder(file_there)
    return False


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all that is written inside, or none of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    connection.execute("COMMIT")


def bump_generation(connection: sqlite3.Connection) -> None:
    """Say that something has changed that a page could show; within the caller's transaction."""
    connection.execute("UPDATE planet SET generation = generation + 1")


_BATCH: Final = 500
"""Values in one statement: SQLite takes no more than 999 everywhere."""


def select(
    connection: sqlite3.Connection, kind: type[Row], statement: str, values: Sequence[Any] = ()
) -> list[Row]:
    """Return rows whose columns have the types of a tuple: SQLite lets anything stand anywhere.

    Raises:
        RowError: one has another type.
    """
    return _check_types(connection.execute(statement, values).fetchall(), kind)


@from_row
def _check_types(rows: list[Any], kind: type[Row]) -> list[Row]:
    decoder_of(kind)  # see there why it comes first
    return msgspec.convert(rows, list[kind])  # type: ignore[valid-type]  # it is a value here


def select_in(
    connection: sqlite3.Connection,
    kind: type[Row],
    statement: str,
    values: Iterable[Any],
    *first: Any,
) -> Iterator[Row]:
    """Yield the rows, as `select` does, of a statement that ends in a column, for these values."""
    values = list(values)
    for start in range(0, len(values), _BATCH):
        batch = values[start : start + _BATCH]
        marks = ",".join("?" * len(batch))
        yield from select(connection, kind, f"{statement} IN ({marks})", (*first, *batch))


def insert_rows(
    connection: sqlite3.Connection, into: str, rows: Sequence[tuple[Any, ...]], rest: str
) -> list[tuple[Any, ...]]:
    """Insert rows, many with each statement, which goes on with `rest`; return what that returns.

    A statement for each would hand the interpreter to another thread, and take it back, as often.
    """
    returned: list[tuple[Any, ...]] = []
    step = _BATCH // len(rows[0]) if rows else 1
    for start in range(0, len(rows), step):
        batch = rows[start : start + step]
        marks = ",".join([f"({','.join('?' * len(batch[0]))})"] * len(batch))
        values = [value for row in batch for value in row]
        statement = f"INSERT INTO {into} VALUES {marks} {rest}"  # noqa: S608 - constants
        returned += connection.execute(statement, values).fetchall()
    return returned


def _connect(path: Path | str) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def _connect_readonly(path: Path) -> sqlite3.Connection:
    """Return a connection that changes nothing, also for those who may not write beside it."""
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


def _check_version(connection: sqlite3.Connection) -> None:
    """Check that the tables are those of this Planet.

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


_NEWER: Final = "Update Planet, or choose another folder (state in the config, or --state)."
_OLDER: Final = (
    "Move it away and run again: entries, dates and ids of what the site shows are taken back from "
    "there."
)


def _check_pages(connection: sqlite3.Connection) -> None:
    """Check that the pages of a file hold together, which takes a second for each few 100 MB.

    Raises:
        RowError: they do not.
    """
    ((finding,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
    if finding != "ok":
        raise RowError
