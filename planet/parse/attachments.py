"""Files and addresses of a thing in ActivityStreams: text, Links, and lists of both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from planet.model import Enclosure
from planet.parse import values

if TYPE_CHECKING:
    from collections.abc import Iterator

Object = Mapping[str, Any]

_MAX_LINKS = 200
_MAX_FILES = 50
_PAGE = "text/html"
_PLAYED = ("audio/", "video/")
_TALL = 1080
"""Lines of a video from which on more are of no use to those who watch it on the way."""
_DURATION = re.compile(r"PT(?:(\d{1,4})H)?(?:(\d{1,6})M)?(?:(\d{1,8})(?:\.\d*)?S)?")


def page(said: Object, base: str | None) -> str | None:
    """The page of a thing for people: among its links the one that is a page, else the first."""
    links = list(_links(said.get("url")))
    links.sort(key=lambda each: _media_type(each) not in (_PAGE, None))
    return values.first_link([*(each.get("href") for each in links), said.get("id")], base)


def files(post: Object, base: str | None) -> tuple[Enclosure, ...]:
    """The files that belong to a post, each address once: its own recording, then its attachments.

    Of a recording that is there in several sizes, the best one that can be watched on the way.
    """
    attached = post.get("attachment")
    found: dict[str, Enclosure] = {}
    for each in (post, *values.dicts(attached if isinstance(attached, list) else [attached])):
        if (file := _file(each, base, is_post=each is post)) is not None:
            found.setdefault(file.url, file)
    return tuple(islice(found.values(), _MAX_FILES))


def _file(said: Object, base: str | None, *, is_post: bool) -> Enclosure | None:
    links = [{"href": said.get("href")}, *_links(said.get("url"))]
    if is_post:
        links = [each for each in links if (_media_type(each) or "").startswith(_PLAYED)]
    links.sort(key=_rank)
    for each in links:
        if url := values.file(each.get("href"), base):
            media_type = _media_type(each) or _media_type(said)
            if media_type == _PAGE:
                continue
            return Enclosure(
                url=url,
                media_type=media_type,
                length=values.positive(each.get("size")),
                duration=_seconds(said.get("duration")),
                title=None if is_post else values.line(said.get("name")),
            )
    return None


def _rank(link: Object) -> tuple[bool, int]:
    """First what is tallest, if not too tall; then the least tall."""
    height = values.number(link.get("height")) or 0
    return height > _TALL, height if height > _TALL else -height


def _links(value: object, *, deeper: bool = True) -> Iterator[Object]:
    """What an `url` has as Links; those that a playlist has beside itself are among them."""
    for each in islice(value if isinstance(value, list) else [value], _MAX_LINKS):
        if isinstance(each, str):
            yield {"href": each}
        elif isinstance(each, dict):
            yield each
            if deeper:
                yield from _links(each.get("tag"), deeper=False)


def _media_type(said: Object) -> str | None:
    found = values.line(said.get("mediaType"))
    return found.lower() if found and "/" in found else None


def _seconds(value: object) -> int | None:
    """A duration of xsd:duration, as far as recordings have one."""
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    hours, minutes, seconds = (int(each or 0) for each in found.groups())
    return values.seconds(3600 * hours + 60 * minutes + seconds)
