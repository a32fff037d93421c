"""What kind of file an enclosure is, and which of a post's files a podcast player can play."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planet.model import Enclosure, Entry

UNKNOWN = "application/octet-stream"
"""RFC 2046 §4.5.1: some bytes; as much as nothing said."""

# Not the mimetypes module: what it knows differs from host to host, and so would the feeds.
_BY_EXTENSION = {
    "aac": "audio/aac",
    "aif": "audio/aiff",
    "aiff": "audio/aiff",
    "flac": "audio/flac",
    "m4a": "audio/mp4",
    "m4b": "audio/mp4",
    "mp3": "audio/mpeg",
    "oga": "audio/ogg",
    "ogg": "audio/ogg",
    "opus": "audio/ogg",
    "wav": "audio/wav",
    "weba": "audio/webm",
    "m4v": "video/mp4",
    "mkv": "video/x-matroska",
    "mov": "video/quicktime",
    "mp4": "video/mp4",
    "ogv": "video/ogg",
    "webm": "video/webm",
    "avif": "image/avif",
    "gif": "image/gif",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "png": "image/png",
    "svg": "image/svg+xml",
    "webp": "image/webp",
    "epub": "application/epub+zip",
    "pdf": "application/pdf",
    "torrent": "application/x-bittorrent",
    "zip": "application/zip",
}
# RFC 6838 §4.2; parameters that follow are not part of it.
_NAME = r"[a-z0-9][a-z0-9!#$&^_.+-]*"
_DECLARED = re.compile(rf"\s*({_NAME}/{_NAME})\s*(?:;|$)", re.ASCII | re.IGNORECASE)


def media_type(enclosure: Enclosure) -> str | None:
    """What its source says it is, without parameters, else what its extension says."""
    declared = _DECLARED.match(enclosure.media_type or "")
    if declared and declared[1].lower() != UNKNOWN:
        return declared[1].lower()
    path = enclosure.url.partition("#")[0].partition("?")[0]
    return _BY_EXTENSION.get(path.rpartition(".")[2].lower())


def playable(entry: Entry) -> Enclosure | None:
    """The first of its files that is audio or video."""
    for enclosure in entry.enclosures:
        if (media_type(enclosure) or "").startswith(("audio/", "video/")):
            return enclosure
    return None
