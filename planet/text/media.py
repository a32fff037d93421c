"""The kind of file of an enclosure or a cover, and the files of posts for players."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planet.model import Enclosure, Facts, Post


UNKNOWN = "application/octet-stream"
"""RFC 2046 §4.5.1: some bytes; as much as nothing said."""

_PNG = b"\x89PNG"

# Not the mimetypes module: what it knows differs from host to host, and so would the feeds.
_TYPES = """
    audio/aac aac, audio/flac flac, audio/mp4 m4a m4b, audio/mpeg mp3, audio/ogg oga ogg opus,
    audio/wav wav, video/mp4 m4v mp4, video/quicktime mov, video/webm webm, image/avif avif,
    image/gif gif, image/jpeg jpeg jpg, image/png png, image/svg+xml svg, image/webp webp,
    application/epub+zip epub, application/pdf pdf
"""
_BY_EXTENSION = {
    extension: kind
    for kind, *extensions in map(str.split, _TYPES.split(","))
    for extension in extensions
}
# RFC 6838 §4.2; parameters that follow are not part of it.
_NAME = r"[a-z0-9][a-z0-9!#$&^_.+-]*"
_DECLARED = re.compile(rf"\s*({_NAME}/{_NAME})\s*(?:;|$)", re.ASCII | re.IGNORECASE)


def media_type(enclosure: Enclosure) -> str | None:
    """Return the media type by the source, without parameters, else by the extension."""
    declared = _DECLARED.match(enclosure.media_type or "")
    if declared and declared[1].lower() != UNKNOWN:
        return declared[1].lower()
    path = enclosure.url.partition("#")[0].partition("?")[0]
    return _BY_EXTENSION.get(path.rpartition(".")[2].lower())


def plays(enclosure: Enclosure) -> bool:
    """Return whether a file is audio or video."""
    return (media_type(enclosure) or "").startswith(("audio/", "video/"))


def is_picture(enclosure: Enclosure) -> bool:
    """Return whether a file is a picture, which is shown with the text."""
    return (media_type(enclosure) or "").startswith("image/")


def find_playable(entry: Facts) -> Enclosure | None:
    """Return the first audio or video of an entry."""
    return next(filter(plays, entry.enclosures), None)


class Playable(msgspec.Struct, frozen=True, kw_only=True):
    """A post with the one file for players."""

    post: Post
    enclosure: Enclosure


def cover_path(image: bytes) -> str:
    """Return the path on the site of the podcast's own cover, a PNG or JPEG."""
    return f"podcast/cover.{'png' if image.startswith(_PNG) else 'jpg'}"


def list_playables(posts: Iterable[Post], limit: int) -> tuple[Playable, ...]:
    """Return the first posts with audio or video, at most `limit`, each file's address once."""
    once: dict[str, Playable] = {}
    for post in posts:
        # Most posts have no files at all, and are asked by the hundred thousand.
        if post.entry.enclosures and (enclosure := find_playable(post.entry)):
            if len(once) == limit:
                break
            once.setdefault(enclosure.url, Playable(post=post, enclosure=enclosure))
    return tuple(once.values())
