"""The file `planet.sqlite`: the lock, connections, tables, rows, and faults in words.

In JSON, moments are written as in RFC 3339, spans as in ISO 8601, and fields with their default are
left out. Rows are checked against the types of the noun; unknown fields are passed over.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import time
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from planet.errors import StateError
from planet.model.decoding import decoder_of
from planet.store.schema import STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


T = TypeVar("T")

FILE: Final = "planet.sqlite"

_DAMAGED: Final = (
    "Put a backup of it in its place. Without one, move it away and run again: what feed.json of "
    "the site has is taken back from there."
)
_ELSEWHERE: Final = "choose another folder (state in the config, or --state)."
_WAYS_OUT: Final = {
    sqlite3.SQLITE_ERROR: _DAMAGED,  # such as a table that is missing
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_FULL: "Make room on its disk, and run again: nothing is lost.",
    sqlite3.SQLITE_IOERR: "See whether its disk is full or failing, and run again.",
    sqlite3.SQLITE_BUSY: "Another program has it open; run again when that has ended.",
    sqlite3.SQLITE_CANTOPEN: (
        f"Make its folder writable, or, if its path is longer than 500 bytes, {_ELSEWHERE}"
    ),
}
"""By the primary result code, https://www.sqlite.org/rescode.html."""

# Sets in order: what has not changed is written with the same bytes.
_ENCODER = msgspec.json.Encoder(order="deterministic")
_WRONG = ArithmeticError, LookupError, RecursionError, TypeError, ValueError, zlib.error
"""Errors of a value that has another type, or cannot be unpacked; msgspec's are ValueErrors."""


class FileFault(sqlite3.DatabaseError):
    """A fault of the file, unknown to SQLite."""

    def __init__(self, what: str = "a row in it is damaged", way_out: str = _DAMAGED) -> None:
        """Say the fault and the remedy."""
        super().__init__(what)
        self.way_out = way_out


def encode(value: object) -> str:
    """Return a noun as one line of JSON."""
    return _ENCODER.encode(value).decode()


def decode(stored: str, kind: type[T]) -> T:
    """Return the noun from the JSON of `encode`.

    Raises:
        FileFault: the row is damaged.
    """
    try:
        return decoder_of(kind)(stored)
    except _WRONG as error:
        raise FileFault from error


def pack(value: object) -> bytes:
    """Return the JSON of a noun, compressed."""
    return zlib.compress(_ENCODER.encode(value))


def unpack(packed: bytes, kind: type[T]) -> T:
    """Return the noun from the bytes of `pack`.

    Raises:
        FileFault: the row is damaged.
    """
    try:
        return decode(zlib.decompress(packed).decode(), kind)
    except _WRONG as error:
        raise FileFault from error


class Table:
    """One table or more of a store, read and written over the connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def _select(self, kind: type[T], statement: str, *values: Any) -> list[T]:
        """Return rows whose columns have the types of a tuple: SQLite takes any in every column.

        Raises:
            FileFault: a row is damaged.
        """
        rows = self._connection.execute(statement, values).fetchall()
        decoder_of(kind)  # see there why it comes first
        try:
            return msgspec.convert(rows, list[kind])  # type: ignore[valid-type]  # a value here
        except _WRONG as error:
            raise FileFault from error

    def _execute(self, statement: str, *values: Any) -> int:
        """Carry out a statement in a transaction; return the number of changed rows."""
        with self._transaction():
            return self._connection.execute(statement, values).rowcount

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Write everything inside, or nothing; an inner transaction is a part of the outer one."""
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.execute("COMMIT")

    def _bump_generation(self) -> None:
        """Note a change for the pages."""
        self._execute("UPDATE planet SET generation = generation + 1")


def connect(path: Path | str) -> sqlite3.Connection:
    """Connect to a file, or, without a name, to a temporary one, removed in the end."""
    return sqlite3.connect(path, isolation_level=None)


def connect_readonly(path: Path) -> sqlite3.Connection:
    """Connect without the right to write, also in a read-only folder; a missing file is empty.

    Raises:
        StateError: the folder cannot be read.
    """
    try:
        path.stat()
    except FileNotFoundError:
        return connect("")
    except OSError as error:
        raise StateError(f"{path} cannot be read: {error.strerror}") from error
    if os.access(path.parent, os.W_OK):
        # SQLite makes files beside it while somebody writes, and takes them away again.
        options = "mode=rw"
    else:
        # SQLite needs none while nobody writes.
        is_still = not path.with_name(f"{path.name}-wal").exists()
        options = "mode=ro&immutable=1" if is_still else "mode=ro"
    address = f"{path.absolute().as_uri()}?{options}"
    reader = sqlite3.connect(address, uri=True, isolation_level=None)
    reader.execute("PRAGMA query_only = ON")
    return reader


def migrate(connection: sqlite3.Connection, steps: Sequence[str] = STEPS) -> None:
    """Bring the tables of a file to the version of this Planet, step by step.

    Raises:
        FileFault: the file has newer tables.
    """
    version = version_of(connection)
    if version > len(steps):
        words = f"its version is {version}, this one knows {len(steps)}"
        way_out = f"Update Planet, or {_ELSEWHERE}"
        raise FileFault(f"it was written by a newer Planet ({words})", way_out)
    for number, step in enumerate(steps[version:], version + 1):
        connection.executescript(f"BEGIN; {step}; PRAGMA user_version = {number}; COMMIT;")


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the tables: the number of the last step."""
    ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    return int(version)


@contextmanager
def name_faults(path: Path) -> Iterator[None]:
    """Raise a StateError with the name of the file and a remedy, for a fault of the file."""
    try:
        yield
    except sqlite3.Error as error:
        if "decode to UTF-8" in str(error):
            # SQLite's words go on with the text, which is a feed's.
            error = FileFault()
        way_out = getattr(error, "way_out", None)
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
        words = f"{path} cannot be used: {error}\n{way_out or _WAYS_OUT.get(code, '')}"
        raise StateError(words.rstrip()) from error


# The lock of the folder goes with the process that holds it, however that ends

_LOCK: Final = "lock"
_TRIES: Final = 12_000
"""Some ten minutes: longer than a run takes."""
_FEW_TRIES: Final = 20
"""A second: a process that was being started as its holder ended has the lock a moment longer."""
_AGAIN: Final = 0.05
"""Seconds between two tries."""


@contextmanager
def lock_folder(folder: Path, *, waits: bool) -> Iterator[None]:
    """Make a folder if missing, and keep other runs out.

    Raises:
        StateError: another run holds the folder (after some minutes, where the caller `waits`), or
            the folder cannot be used.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / _LOCK).open("a+")
    except OSError as error:
        words = f"the state folder {folder} cannot be used: {error.strerror}"
        if isinstance(error, FileExistsError | NotADirectoryError):
            words += f"\nMove the file in its place away, or {_ELSEWHERE}"
        raise StateError(words) from error
    with file:
        for tries_left in reversed(range(_TRIES if waits else _FEW_TRIES)):
            try:
                _lock_file(file.fileno())
                break
            except OSError as error:
                if not tries_left:
                    raise StateError(
                        f"another run is using the state folder {folder}\n"
                        "Wait until it has ended: the lock goes with its process."
                    ) from error
            time.sleep(_AGAIN)
        yield


if sys.platform == "win32":  # pragma: no cover

    def _lock_file(number: int) -> None:
        import msvcrt

        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)

else:

    def _lock_file(number: int) -> None:
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
