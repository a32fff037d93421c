"""Locks of a state folder, and of the servers that are asked from it; they go with their holder."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, suppress
from datetime import timedelta
from hashlib import blake2b
from typing import IO, TYPE_CHECKING, Final

from planet.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path


@contextmanager
def lock_folder(folder: Path, *, shared: bool = False, name: str = "lock") -> Iterator[None]:
    """Hold a folder. The lock goes with the process, however that ends.

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
        raise no_folder(file_there) from error
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

    def _lock(number: int, *, shared: bool = False) -> None:  # noqa: ARG001 - it is always alone
        import msvcrt

        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)

else:

    def _lock(number: int, *, shared: bool = False) -> None:
        import fcntl

        fcntl.flock(number, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def lock_preparing(folder: Path) -> AbstractContextManager[None]:
    """Wait for those who prepare a file of a folder that is shared, and keep others waiting."""
    return lock_folder(folder, name="preparing")


def no_folder(file_there: Path) -> StateError:
    """Return the error for a file where the state needs a folder."""
    return StateError(
        f"the state needs a folder, and {file_there} is a file\n"
        "Move that away, or choose another folder (state in the config, or --state)."
    )


class LockFolder:
    """Locks for servers and feeds among all who share a folder: who holds one may ask.

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
        """Return whether another holds the lock of a host."""
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
