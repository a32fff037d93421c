"""The files and pictures of an entry: enclosures and Media RSS."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from planet.model import Enclosure, Text
from planet.parse import coerce
from planet.parse.compose import Picture
from planet.parse.elements import COVERS, Link, image_address, last_words, own_words, text_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.parse.tree import FeedElement


class MediaFile(NamedTuple):
    """A media:content."""

    node: FeedElement
    media_type: str
    medium: str
    """As it says, else what its type begins with."""

    @classmethod
    def of(cls, node: FeedElement) -> MediaFile:
        """Return the file that a node names."""
        media_type = (node.get("type") or "").lower()
        return cls(node, media_type, (node.get("medium") or media_type.partition("/")[0]).lower())

    @property
    def width(self) -> int:
        """Its width in pixels, 0 where that is not known."""
        return coerce.number(self.node.get("width")) or 0


_SOUND = ("audio", "video")


def read_media_files(node: FeedElement) -> list[MediaFile]:
    """Return a file, or all files of a group, which are the same thing."""
    files = node["media:content"] if node.name == "media:group" else [node]
    return [MediaFile.of(file) for file in files]


def read_enclosures(
    item: FeedElement, links: list[Link], groups: list[list[MediaFile]], base: str | None
) -> tuple[Enclosure, ...]:
    """Return the files of an entry, from enclosures and media:content, each address once."""
    once: dict[str, Enclosure] = {}
    for file in [*_find_links(item, links, base), *_find_media(groups, base)]:
        once[file.url] = _merge_files(once[file.url], file) if file.url in once else file
    files = list(once.values())[: coerce.MAX_FILES]
    # itunes:duration is the entry's, and so is that of its one recording.
    duration = coerce.seconds(last_words(item, "itunes:duration"))
    for place, file in enumerate(files):
        if duration and file.duration is None and not _is_image(file.media_type):
            files[place] = replace(file, duration=duration)
            break
    return tuple(files)


def _find_links(item: FeedElement, links: list[Link], base: str | None) -> Iterator[Enclosure]:
    enclosures = [link for link in links if link.rel == "enclosure"]
    # What the address was before a service put one of its own in its place; of one file only.
    original = last_words(item, "feedburner:origenclosurelink") if len(enclosures) == 1 else None
    for link in enclosures:
        if url := coerce.file(original) or coerce.file(link.href, base):
            yield Enclosure(
                url=url,
                media_type=coerce.media_type(link.media_type),
                length=coerce.positive(link.length),
                title=coerce.line(link.title),
            )


def _find_media(groups: list[list[MediaFile]], base: str | None) -> Iterator[Enclosure]:
    for file in (file for group in groups for file in group if file.medium in _SOUND):
        if url := coerce.file(file.node.get("url"), base):
            size = file.node.get("fileSize", file.node.get("filesize"))
            yield Enclosure(
                url=url,
                media_type=coerce.media_type(file.media_type),
                length=coerce.positive(size),
                duration=coerce.seconds(file.node.get("duration")),
            )


def _merge_files(one: Enclosure, other: Enclosure) -> Enclosure:
    """Unite what two places of an entry tell of a file."""
    return Enclosure(
        url=one.url,
        media_type=one.media_type or other.media_type,
        length=one.length or other.length,
        duration=one.duration or other.duration,
        title=one.title or other.title,
    )


def _is_image(media_type: str | None) -> bool:
    return media_type is not None and media_type.startswith("image/")


def entry_images(
    item: FeedElement,
    within: list[FeedElement],
    groups: list[list[MediaFile]],
    files: tuple[Enclosure, ...],
) -> Iterator[str | None]:
    """Yield the addresses of the images that may stand for an entry, the best first."""
    covers = [image_address(node) for node in item.among(COVERS)]
    yield from list(filter(None, covers))[-1:]
    thumbnails = [node for node in within if node.name == "media:thumbnail"]
    for node in [*item["media:thumbnail"], *thumbnails]:
        yield node.get("url") or own_words(node)
    for file in (file for group in groups for file in group if file.medium == "image"):
        yield file.node.get("url")
    yield from (file.url for file in files if _is_image(file.media_type))


def largest_picture(group: list[MediaFile], base: str | None) -> Picture | None:
    """Return the largest picture in a group of files; None if one of them is audio or video."""
    if any(file.medium in _SOUND for file in group):
        return None
    images = [file for file in group if file.medium == "image"]
    for file in sorted(images, key=lambda image: image.width, reverse=True):
        if url := coerce.file(file.node.get("url"), base):
            title = coerce.line(last_words(file.node, "media:title"))
            # A title of one word is mostly the name of the file.
            named = title if " " in (title or "") else None
            return Picture(
                url=url,
                alt=coerce.line(last_words(file.node, "media:description")) or named,
                width=file.width,
                is_hidden=(last_words(file.node, "media:rating") or "").casefold() == "adult",
            )
    return None


def add_caption(pictures: list[Picture], text: Text | None, own: Text | None) -> list[Picture]:
    """Give pictures without words the caption of their item, unless that is its only text."""
    caption = coerce.line(text_value(text))
    if not caption or own is None or coerce.line(own.value) == caption:
        return pictures
    return [replace(image, alt=image.alt or caption) for image in pictures]
