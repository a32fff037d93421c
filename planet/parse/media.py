"""Files and images of an entry: RSS enclosures, Atom links, Media RSS, iTunes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planet.model import Enclosure
from planet.parse import values
from planet.parse.parts import image_address

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MAX_ENCLOSURES = 50


def enclosures(entry: Mapping[str, Any], base: str | None) -> tuple[Enclosure, ...]:
    """The files that belong to an entry, each address once, as feedparser has them."""
    found: dict[str, Enclosure] = {}
    for each in _enclosures(entry, base):
        before = found.get(each.url)
        found[each.url] = each if before is None else _merged(before, each)
    files = list(found.values())[:_MAX_ENCLOSURES]
    # itunes:duration is the entry's, and so is that of its one recording.
    duration = values.seconds(entry.get("itunes_duration"))
    for place, each in enumerate(files):
        if duration and each.duration is None and not _is_image(each.media_type):
            files[place] = replace(each, duration=duration)
            break
    return tuple(files)


def image(entry: Mapping[str, Any], files: tuple[Enclosure, ...], base: str | None) -> str | None:
    """The address of the image that stands for an entry."""
    contents = values.dicts(entry.get("media_content"))
    candidates = [
        image_address(entry.get("image")),
        *(each.get("url") for each in values.dicts(entry.get("media_thumbnail"))),
        *(each.get("url") for each in contents if _shows(each, "image")),
        *(each.url for each in files if _is_image(each.media_type)),
    ]
    return values.first_link(candidates, base)


def _enclosures(entry: Mapping[str, Any], base: str | None) -> Iterator[Enclosure]:
    for each in values.dicts(entry.get("links")):
        if each.get("rel") == "enclosure" and (url := values.file(each.get("href"), base)):
            media_type = _media_type(each.get("type"))
            yield Enclosure(
                url=url,
                # What feedparser puts where an Atom link says nothing.
                media_type=None if media_type == "text/html" else media_type,
                length=values.positive(each.get("length")),
                title=values.line(each.get("title")),
            )
    for each in values.dicts(entry.get("media_content")):
        plays = _shows(each, "audio") or _shows(each, "video")
        if plays and (url := values.file(each.get("url"), base)):
            yield Enclosure(
                url=url,
                media_type=_media_type(each.get("type")),
                length=values.positive(each.get("filesize")),
                duration=values.seconds(each.get("duration")),
            )


def _merged(one: Enclosure, other: Enclosure) -> Enclosure:
    """What is said of a file in two places."""
    return Enclosure(
        url=one.url,
        media_type=one.media_type or other.media_type,
        length=one.length or other.length,
        duration=one.duration or other.duration,
        title=one.title or other.title,
    )


def _shows(content: Mapping[str, Any], medium: str) -> bool:
    """Whether a media:content is of a medium: as it says, else by its type."""
    said = content.get("medium")
    return said == medium if said else str(content.get("type")).startswith(f"{medium}/")


def _is_image(media_type: str | None) -> bool:
    return media_type is not None and media_type.startswith("image/")


def _media_type(value: object) -> str | None:
    said = values.line(value)
    return said.lower() if said and "/" in said else None
