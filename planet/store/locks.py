"""The lock of a state folder, which goes with its holder, and the pause after the holder before."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from planet.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def lock_folder(folder: Path, *, waits: bool = False) -> Iterator[None]:
    """Hold a folder. The lock goes with the process, however that ends.

    One that another holds is waited for, for some minutes, where the caller `waits`.

    Raises:
        StateError: another run holds it, or the folder cannot be written.
    """
    path = folder / _NAME
    tries = _TRIES if waits else _FEW_TRIES
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("a+")
    except (FileExistsError, NotADirectoryError) as error:
        file_there = next((path for path in (folder, *folder.parents) if path.is_file()), folder)
        raise no_folder(file_there) from error
    except OSError as error:
        raise StateError(
            f"the state folder {folder} cannot be written: {error.strerror}"
        ) from error
    with file:
        while True:
            try:
                _lock(file.fileno())
                break
            except OSError as error:
                tries -= 1
                if not tries:
                    raise StateError(
                        f"another run is using the state folder {folder}\n"
                        "Wait until it has ended: the lock goes with its process."
                    ) from error
            time.sleep(_AGAIN)
        yield


if sys.platform == "win32":  # pragma: no cover

    def _lock(number: int) -> None:
        import msvcrt

        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)

else:

    def _lock(number: int) -> None:
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)


def no_folder(file_there: Path) -> StateError:
    """Return the error for a file where the state needs a folder."""
    return StateError(
        f"the state needs a folder, and {file_there} is a file\n"
        "Move that away, or choose another folder (state in the config, or --state)."
    )


def put_pause(folder: Path, seconds: float) -> None:
    """Let whoever holds the folder next ask nobody for so many seconds."""
    until = time.time() + seconds
    os.utime(folder / _NAME, (until, until))


def read_pause(folder: Path) -> float:
    """Return the seconds for which nobody is to be asked, after whoever held the folder before."""
    wait = (folder / _NAME).stat().st_mtime - time.time()
    # A clock that was set back since makes nobody wait for longer.
    return min(max(wait, 0.0), _LONGEST_PAUSE)


_NAME: Final = "lock"
_LONGEST_PAUSE: Final = 10.0
"""Seconds."""
_TRIES: Final = 12_000
"""Some ten minutes: longer than a run takes."""
_FEW_TRIES: Final = 20
"""A second: a process that was being started as its holder ended has the lock a moment longer."""
_AGAIN: Final = 0.05
"""Seconds after which one looks again whether the folder is free."""
