"""Untrusted bytes → kind and size of a picture.

SVG is none: the scripts of such a document run where a browser opens the document alone.
"""

from __future__ import annotations

from io import BytesIO
from typing import Final, NamedTuple

MAX_FACE: Final = 100_000
"""Bytes of the picture of a source: pages show many of them, small."""
MAX_FACE_SIDE: Final = 2048
"""Pixels. A file may claim any number, and a browser unpacks them all."""

_BEGINNINGS: Final = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"\0\0\1\0", "ico"),
)
KINDS: Final = frozenset({kind for _, kind in _BEGINNINGS} | {"webp"})
"""The ends of the names of such files, by which servers tell their types."""


class PictureInfo(NamedTuple):
    """The kind of a picture, by the bytes."""

    kind: str
    """One of `KINDS`."""
    width: int
    height: int

    @property
    def is_face(self) -> bool:
        """Return whether the picture is small enough for a source."""
        return max(self.width, self.height) <= MAX_FACE_SIDE


def identify_picture(data: bytes) -> PictureInfo | None:
    """Return the kind and size in pixels of a picture; None for no picture."""
    kind = next((kind for start, kind in _BEGINNINGS if data.startswith(start)), None)
    if kind is None and data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        kind = "webp"
    if kind is None:
        return None
    if kind == "ico":
        # Sides have one byte each. Browsers show no picture in it that is larger than it says.
        return PictureInfo(kind, 256, 256)
    # Imported late: most planets have no pictures, and it imports a lot.
    import imagesize  # type: ignore[import-untyped]  # has no types

    try:
        width, height = imagesize.get(BytesIO(data))
    except Exception:  # noqa: BLE001 - the library promises no set of exceptions
        return None
    return PictureInfo(kind, width, height) if width > 0 and height > 0 else None
