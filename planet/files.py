"""A file of the operator's → replaced whole, its permissions kept."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from planet.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path


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
        try:
            # Nobody may read what was not to be read, not even before it has its permissions.
            number = os.open(
                beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if goal.exists() else 0o666
            )
            with os.fdopen(number, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(number)
            if goal.exists():
                _take_after(beside, goal)
            beside.replace(goal)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error


def _take_after(beside: Path, path: Path) -> None:
    """Give a new file the owner and the permissions of the one it is to replace."""
    was = path.stat()
    with suppress(PermissionError):
        os.chown(beside, was.st_uid, was.st_gid)
    shutil.copymode(path, beside)
