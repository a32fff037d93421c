"""A file of the operator's → replaced whole, its permissions kept; by one at a time."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from planet.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def alone_with(path: Path, *, patience: float = 10) -> Iterator[None]:
    """Keep whoever else comes here from the file, who waits: what is read can be written changed.

    No file of its own is left behind for that. Nobody waits longer than `patience`, in seconds, for
    the folder may be locked by somebody else for a reason of their own; and where folders cannot be
    locked, nobody waits.
    """
    with ExitStack() as stack:
        # Windows opens no folders, and not every network drive has locks: better two at once there
        # than none. The file itself will not do, for it is replaced.
        with suppress(OSError):
            number = os.open(path.resolve().parent, os.O_RDONLY)
            stack.callback(os.close, number)
            until = time.monotonic() + patience
            while not _locked(number) and time.monotonic() < until:
                time.sleep(0.02)
        yield


def _locked(number: int) -> bool:
    """Whether nobody else has a lock on it now; it is ours then, until it is closed."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def write_whole(path: Path, content: bytes) -> None:
    """Put other content into a file, or make it; where the path is a link, what it leads to.

    The file is replaced by one that was written beside it, and so is whole at any moment. It keeps
    its permissions, and its owner where that is allowed.

    Raises:
        OutputError: it cannot be written, and is as it was.
    """
    goal = path.resolve()
    beside = goal.with_name(f".{goal.name}-{secrets.token_hex(4)}")
    try:
        before = goal.stat() if goal.exists() else None
        # Nobody may read what was not to be read, not even before it has its permissions.
        mode = 0o600 if before else 0o666
        number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(number)
            if before:
                with suppress(PermissionError):
                    os.chown(beside, before.st_uid, before.st_gid)
                shutil.copymode(goal, beside)
            beside.replace(goal)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
