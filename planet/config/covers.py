"""Covers of podcasts that are files: whether they are what podcast players take.

Apple Podcasts wants them square, JPEG or PNG, and 1400 to 3000 pixels wide.
"""

from __future__ import annotations

from os import SEEK_CUR
from pathlib import Path
from typing import TYPE_CHECKING, Final

from planet.config.document import label
from planet.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from planet.config.document import Document, Trail
    from planet.config.nouns import Config

_NARROWEST, _WIDEST = 1400, 3000
_LARGEST = 5 * 1024 * 1024
"""Bytes. Players get a cover again and again; 3000 pixels square are fit into a tenth of it."""

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_PNG_HEADER: Final = b"\0\0\0\rIHDR"
_JPEG: Final = b"\xff\xd8\xff"
# ITU-T T.81, table B.1. Frame headers are C0 to CF but for DHT, JPG and DAC.
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_WITHOUT_LENGTH: Final = frozenset({0x01, *range(0xD0, 0xD8)})
_NO_FRAME_FOLLOWS: Final = frozenset({0x00, 0xD8, 0xD9, 0xDA})


def covers(config: Config, document: Document) -> Iterator[Problem]:
    """What is wrong with each cover that is a file, with the place where it is named."""
    named: list[tuple[Trail, object]] = [(("podcast", "cover"), config.podcast.cover)]
    named += [(("lists", name, "cover"), each.cover) for name, each in config.lists.items()]
    for location, cover in named:
        if isinstance(cover, Path) and (fault := _fault(cover)):
            trail = document.trail(location)
            words = f"{label(trail)} {document.quote(trail)} {fault}"
            yield Problem(document.place(trail), words)


def dimensions(image: BinaryIO) -> tuple[int, int]:
    """Width and height of a JPEG or PNG in pixels, from as little of it as says so.

    Raises:
        ValueError: it is neither, or damaged; the message is a predicate, with a way out.
    """
    begin = image.read(len(_PNG))
    if begin == _PNG:
        return _png_dimensions(image)
    if begin.startswith(_JPEG):
        image.seek(2)
        return _jpeg_dimensions(image)
    raise ValueError("is neither JPEG nor PNG; a cover must be one of them")


def _fault(cover: Path) -> str | None:
    """What is wrong with a cover, and what to do; None if it is as it should be."""
    try:
        # Not opened before it is known to be a file: to read a pipe takes for ever.
        if not cover.is_file():
            what = "is no file" if cover.exists() else "is not there"
            return f"{what}; put a JPEG or PNG in its place, or leave the setting out"
        if (size := cover.stat().st_size) > _LARGEST:
            return f"has {size / 1024**2:.1f} MiB; a cover may have 5, and less is better"
        with cover.open("rb") as image:
            width, height = dimensions(image)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    except ValueError as error:
        return str(error)
    if width == height and _NARROWEST <= width <= _WIDEST:
        return None
    return (
        f"is {width} × {height} pixels; "
        f"a cover must be square, {_NARROWEST} to {_WIDEST} pixels wide"
    )


def _png_dimensions(image: BinaryIO) -> tuple[int, int]:
    """What the chunk after the signature says (PNG, 11.2.1)."""
    if _read(image, len(_PNG_HEADER)) != _PNG_HEADER:
        raise _damaged()
    said = _read(image, 8)
    return int.from_bytes(said[:4]), int.from_bytes(said[4:])


def _jpeg_dimensions(image: BinaryIO) -> tuple[int, int]:
    """What the frame header says, which comes after other segments (ITU-T T.81, B.2.2)."""
    while True:
        marker = _marker(image)
        if marker in _WITHOUT_LENGTH:
            continue
        length = int.from_bytes(_read(image, 2))
        if marker in _FRAMES:
            said = _read(image, 5)
            return int.from_bytes(said[3:]), int.from_bytes(said[1:3])
        if marker in _NO_FRAME_FOLLOWS or length < 2:
            raise _damaged()
        image.seek(length - 2, SEEK_CUR)


def _marker(image: BinaryIO) -> int:
    """The code of the next segment: after FF, which may be repeated (ITU-T T.81, B.1.1.2)."""
    if _read(image, 1) != b"\xff":
        raise _damaged()
    while (code := _read(image, 1)) == b"\xff":
        pass
    return code[0]


def _read(image: BinaryIO, size: int) -> bytes:
    said = image.read(size)
    if len(said) < size:
        raise _damaged()
    return said


def _damaged() -> ValueError:
    return ValueError("is damaged; export the image again")
