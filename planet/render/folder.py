"""A folder of a theme → its files, read whole; what leads out of it is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.errors import ThemeError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def files(folder: Path, below: str) -> dict[str, bytes]:
    """What is in a folder below this one, by its path there, in a fixed order.

    Hidden files and copies (`style.css~`) are left out. A folder that is not there is empty.

    Raises:
        ThemeError: a file cannot be read, or is a link that leads out of the folder.
    """
    return {path: read(folder, f"{below}/{path}") for path in _paths(folder / below)}


def read(folder: Path, path: str) -> bytes:
    """One file in a folder.

    Raises:
        ThemeError: it is not there, cannot be read, or is a link that leads out of the folder.
    """
    file = folder / path
    # What a theme links to would be published.
    if not file.resolve().is_relative_to(folder.resolve()):
        raise ThemeError(f"{file}  is a link that leads out of the theme")
    try:
        return file.read_bytes()
    except FileNotFoundError as error:
        raise ThemeError(f"{file}  is missing") from error
    except OSError as error:
        raise ThemeError(f"{file}  cannot be read: {error.strerror}") from error


def decoded(file: Path, body: bytes) -> str:
    """The text of a file.

    Raises:
        ThemeError: it is not UTF-8; the message names the line.
    """
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise ThemeError(f"{file}:{line}  is not UTF-8") from error


def _paths(folder: Path) -> Iterator[str]:
    for file in sorted(folder.rglob("*")):
        path = file.relative_to(folder)
        hidden = any(part.startswith(".") for part in path.parts) or file.name.endswith("~")
        if file.is_file() and not hidden:
            yield path.as_posix()
