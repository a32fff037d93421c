"""One run at a time in a state folder."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from planet.errors import StateError

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
        raise StateError(
            f"the state needs a folder, and {file_there} is a file\n"
            "Move that away, or choose another folder (state in the config, or --state)."
        ) from error
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
