"""The files and pictures of an entry: enclosures and Media RSS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.model import Enclosure
from planet.parse import coerce
from planet.parse.compose import Picture
from planet.parse.elements import COVERS, Link, image_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.parse.tree import FeedElement


_SOUND = ("audio", "video")


def read_groups(item: FeedElement) -> list[list[FeedElement]]:
    """Return the files of Media RSS in groups: those of one group are the same thing."""
    nodes = item.among({"media:content", "media:group"})
    return [node["media:content"] if node.name == "media:group" else [node] for node in nodes]


def _medium(file: FeedElement) -> str:
    """Return what a media:content says it is, else what its type begins with."""
    return (file.get("medium") or (file.get("type") or "").partition("/")[0]).lower()


def _width(file: FeedElement) -> int:
    return coerce.number(file.get("width")) or 0


def read_enclosures(
    item: FeedElement, links: list[Link], groups: list[list[FeedElement]], base: str | None
) -> tuple[Enclosure, ...]:
    """Return the files of an entry, from enclosures and media:content, each address once."""
    enclosures = [(link.href, link.node) for link in links if link.rel == "enclosure"]
    # What the address was before a service put one of its own in its place; of one file only.
    if len(enclosures) == 1 and (original := item.last("feedburner:origenclosurelink")):
        enclosures = [(original, enclosures[0][1])]
    recordings = [file for group in groups for file in group if _medium(file) in _SOUND]
    once: dict[str, Enclosure] = {}
    for href, node in [*enclosures, *((file.get("url"), file) for file in recordings)]:
        if url := coerce.file(href, base):
            size = node.get("length") or node.get("fileSize") or node.get("filesize")
            file = Enclosure(
                url=url,
                media_type=coerce.media_type(node.get("type")),
                length=coerce.positive(size),
                duration=coerce.seconds(node.get("duration")),
                title=coerce.line(node.get("title")),
            )
            first = once.setdefault(url, file)
            once[url] = replace(first, duration=first.duration or file.duration)
    files = list(once.values())[: coerce.MAX_FILES]
    # itunes:duration is the entry's, and so is that of its one recording.
    duration = coerce.seconds(item.last("itunes:duration"))
    for place, file in enumerate(files):
        if duration and file.duration is None and not _is_image(file):
            files[place] = replace(file, duration=duration)
            break
    return tuple(files)


def _is_image(file: Enclosure) -> bool:
    return (file.media_type or "").startswith("image/")


def entry_images(
    item: FeedElement,
    within: list[FeedElement],
    groups: list[list[FeedElement]],
    files: tuple[Enclosure, ...],
) -> Iterator[str | None]:
    """Yield the addresses of the images that may stand for an entry, the best first."""
    covers = [image_address(node) for node in item.among(COVERS)]
    yield from list(filter(None, covers))[-1:]
    for node in [*item["media:thumbnail"], *within]:
        if node.name == "media:thumbnail":
            yield node.get("url") or node.words
    yield from (file.get("url") for group in groups for file in group if _medium(file) == "image")
    yield from (file.url for file in files if _is_image(file))


def largest_picture(
    group: list[FeedElement], base: str | None, caption: str | None
) -> Picture | None:
    """Return the largest picture in a group of files; None if one of them is audio or video.

    What has no words of its own gets the caption of its entry.
    """
    images = [file for file in group if _medium(file) == "image"]
    if any(_medium(file) in _SOUND for file in group):
        images = []
    for file in sorted(images, key=_width, reverse=True):
        if url := coerce.file(file.get("url"), base):
            title = coerce.line(file.last("media:title"))
            # A title of one word is mostly the name of the file.
            named = title if " " in (title or "") else None
            return Picture(
                url=url,
                alt=coerce.line(file.last("media:description")) or named or caption,
                width=_width(file),
                is_hidden=(file.last("media:rating") or "").casefold() == "adult",
            )
    return None
