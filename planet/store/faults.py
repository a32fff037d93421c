"""What SQLite says when the store cannot be used → words with a way out."""

from __future__ import annotations

import os
import sqlite3
import zlib
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from planet.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from types import UnionType

P = ParamSpec("P")
T = TypeVar("T")

_DAMAGED = (
    "Put a backup of it in its place. Without one, move it away and run again: the planet then "
    "starts anew, without the entries that their feeds no longer list, and without the dates at "
    "which entries were first seen."
)
_WAYS_OUT = {
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_FULL: "Make room on its disk, and run again: nothing is lost.",
    sqlite3.SQLITE_IOERR: "See whether its disk is full or failing, and run again.",
    sqlite3.SQLITE_BUSY: "Another program has it open; run again when that has ended.",
}
"""By the primary result code, https://www.sqlite.org/rescode.html."""
_LONGEST = 512 - len("-journal")
"""What SQLite takes, less what it adds to the name of a file (MAX_PATHNAME in its os_unix.c)."""


@contextmanager
def faults_named(path: Path) -> Iterator[None]:
    """Say which file it is, and what to do about it.

    Raises:
        StateError: SQLite failed, or the file is empty. SQLite would take that for a new one, but
            a store that is there has tables (`schema.create`).
    """
    if path.is_file() and path.stat().st_size == 0:
        raise StateError(f"{path} cannot be used: it is empty\n{_DAMAGED}")
    try:
        yield
    except sqlite3.Error as error:
        raise fault(path, error) from error
    except NewerError as error:
        raise StateError(f"{path} cannot be used: {error}") from error


class NewerError(Exception):
    """A newer Planet wrote the file; the message goes on after the file's name."""


def fault(path: Path, error: sqlite3.Error) -> StateError:
    """What SQLite said of a file, and what to do about it."""
    what, way_out = str(error), _WAYS_OUT.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, "")
    if what.startswith("unable to open") and len(os.fsencode(path.resolve())) > _LONGEST:
        what = f"its path is too long for SQLite, which takes {_LONGEST} bytes"
        way_out = "Choose a shorter one for the state (state in the config, or --state)."
    if isinstance(error, _RowError) or "decode to UTF-8" in what:
        # That message goes on with the text, which is a feed's.
        what, way_out = "a row in it is damaged", _DAMAGED
    return StateError(f"{path} cannot be used: {what}\n{way_out}".rstrip())


_WRONG = (
    *(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
    zlib.error,
)
"""What comes of a value of another type, or of one that cannot be unpacked."""


class _RowError(sqlite3.DatabaseError):
    """What stands in a row is not what was written there."""


def typed(rows: Iterable[tuple[Any, ...]], *kinds: type | UnionType) -> list[tuple[Any, ...]]:
    """Rows whose columns have these types: SQLite lets anything stand anywhere."""
    found = list(rows)
    for row in found:
        if not all(map(isinstance, row, kinds)):
            raise _RowError
    return found


def from_row(make: Callable[P, T]) -> Callable[P, T]:
    """A function that makes something from a row, whose damage then is the file's.

    It does nothing else: so whatever is wrong in it is wrong with the row.
    """

    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return make(*args, **kwargs)
        except _WRONG as error:
            raise _RowError from error

    return made
