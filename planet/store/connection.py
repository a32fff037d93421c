"""The file `planet.sqlite` → a connection to it: held by a run, or only to be looked at."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from planet.errors import StateError
from planet.store.faults import faults_named
from planet.store.lock import locked
from planet.store.schema import bring_up_to_date, create, is_up_to_date

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
        StateError: its folder cannot be looked into.
    """
    try:
        return path.is_file()
    except OSError as error:
        raise StateError(f"{path} cannot be read: {error.strerror}") from error


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
