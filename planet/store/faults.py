"""What SQLite and damaged rows raise → a `StateError` that names the file and says what to do."""

from __future__ import annotations

import os
import sqlite3
import zlib
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import msgspec

from planet.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


P = ParamSpec("P")
Made = TypeVar("Made")

_DAMAGED = (
    "Put a backup of it in its place. Without one, move it away and run again: what feed.json of "
    "the site has is taken back from there."
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
def name_faults(path: Path) -> Iterator[None]:
    """Say of what goes wrong inside which file it is, and what to do about it.

    Raises:
        StateError: SQLite failed, or the file is empty. SQLite would take that for a new one, but
            a store that is there has tables (`schema`).
    """
    if path.is_file() and path.stat().st_size == 0:
        raise StateError(f"{path} cannot be used: it is empty\n{_DAMAGED}")
    try:
        yield
    except sqlite3.Error as error:
        raise state_error(path, error) from error
    except VersionError as error:
        raise StateError(f"{path} cannot be used: {error}") from error


class VersionError(Exception):
    """Another Planet wrote the file; the message goes on after the file's name."""


def state_error(path: Path, error: sqlite3.Error) -> StateError:
    """Return what is wrong with a file, and what to do about it."""
    what, way_out = str(error), _WAYS_OUT.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, "")
    if what.startswith("unable to open") and len(os.fsencode(path.resolve())) > _LONGEST:
        what = f"its path is too long for SQLite, which takes {_LONGEST} bytes"
        way_out = "Choose a shorter one for the state (state in the config, or --state)."
    if "decode to UTF-8" in what:
        # That message goes on with the text, which is a feed's.
        error = RowError()
    if isinstance(error, RowError):
        what, way_out = "a row in it is damaged", _DAMAGED
    return StateError(f"{path} cannot be used: {what}\n{way_out}".rstrip())


_WRONG = (
    *(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
    *(zlib.error, msgspec.MsgspecError),
)
"""What comes of a value of another type, or of one that cannot be unpacked."""


class RowError(sqlite3.DatabaseError):
    """What stands in a row is not what was written there."""


def from_row(make: Callable[P, Made]) -> Callable[P, Made]:
    """Decorate a function that makes something from a row: what goes wrong in it is `RowError`.

    It does nothing else, so whatever is wrong in it is wrong with the row.
    """

    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> Made:
        try:
            return make(*args, **kwargs)
        except _WRONG as error:
            raise RowError from error

    return made
