"""HTML that readers of formats write into the text of a post: what is there beside its text.

It is as safe as what came, and is cleaned like that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from html import escape, unescape
from typing import TYPE_CHECKING

from planet.model import Text, TextKind
from planet.parse.coerce import MAX_FILES
from planet.text import media
from planet.text.plain import shorten, split_at_addresses

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from planet.model import Enclosure


ANSWERS, LIKES, SHARES, KEEPS = "↩", "♥", "↻", "★"
_WARNS = "⚠"
_MAX_SHOWN = 80
_IMAGE = re.compile(r"<img\b[^>]*+(?:>|\Z)", re.IGNORECASE)
_TAG = re.compile("<[a-z/!]", re.IGNORECASE)
# What tells the sizes of one picture apart: photo-1024x768.jpg, photo-scaled.jpg, photo_b.jpg?w=9.
_SIZE = re.compile(r"(?:[-_](?:\d+x\d+|\d+w|scaled|[a-z]))?(?:\.\w+)?$")
_SIZED = re.compile(r"(?:w|h|s|q|width|height|size|resize|fit|quality|dpr|auto|format|crop)=")
_FACES = re.compile(r"https?://(?:[\w-]+\.)?gravatar\.com/avatar/", re.IGNORECASE)


def paragraphs(words: str) -> str:
    """Plain text with its line ends, and links for its addresses."""
    parts = (_link_addresses(part.strip()) for part in words.replace("\r\n", "\n").split("\n\n"))
    return "".join(f"<p>{part}</p>" for part in parts if part).replace("\n", "<br>")


def _link_addresses(words: str) -> str:
    pieces = [
        escape(before) + (f'<a href="{escape(address)}">{escape(address)}</a>' if address else "")
        for before, address in split_at_addresses(words)
    ]
    return "".join(pieces)


def anchor(url: str, words: str | None = None) -> str:
    """A link; without words of its own it shows the address, as people write it."""
    address = shorten(url.partition("://")[2].rstrip("/") or url, _MAX_SHOWN)
    shown = words if words and words != url else address
    return f'<a href="{escape(url)}">{escape(shown)}</a>'


def mention(sign: str, url: str, words: str | None = None) -> str:
    """What a post does to another one."""
    return f"<p>{sign} {anchor(url, words)}</p>"


def warning(words: str, url: str | None) -> str:
    """What a post is not shown in full for, and where it is."""
    return f"<p>{_WARNS} {anchor(url, words) if url else escape(words)}</p>"


def reference(url: str, title: str | None = None, about: str | None = None) -> str:
    """A page that a post is about."""
    return f"<p>{anchor(url, title)}{f'<br>{escape(about)}' if about else ''}</p>"


def picture(src: str, alt: str | None = None, *, href: str | None = None) -> str:
    """An image, which leads to `href`."""
    image = f'<img src="{escape(src)}" alt="{escape(alt or "")}">'
    return f'<p><a href="{escape(href)}">{image}</a></p>' if href else f"<p>{image}</p>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture that belongs to a post, and is not in its text."""

    url: str
    alt: str | None = None
    width: int = 0
    is_hidden: bool = False
    """Whether its publisher warns of it."""


def add_pictures(
    content: Text | None, summary: Text | None, pictures: Sequence[Picture]
) -> Text | None:
    """The content of a post with all its pictures below: those that its text does not show.

    The summary serves where there is no content, unless there is nothing to add.
    """
    if not pictures:
        return content
    own = content if content and content.value.strip() else summary
    shown = " ".join(_IMAGE.findall(own.value)) if own and own.kind is TextKind.HTML else ""
    once: dict[str, Picture] = {}
    for image in pictures:
        name = _drop_size(image.url)
        if not _FACES.match(image.url) and not (shown and name.rpartition("/")[2] in shown):
            first = once.get(name, image)
            largest = max(first, image, key=lambda size: size.width)
            once[name] = replace(largest, alt=first.alt or image.alt)
    html = "".join(
        warning(image.alt or image.url.partition("://")[2], image.url)
        if image.is_hidden
        # A link around a picture without words would have no name.
        else picture(image.url, image.alt, href=image.url if image.alt else None)
        for image in list(once.values())[:MAX_FILES]
    )
    if not html:
        return content
    if own is None or own.value.strip() in {image.alt for image in once.values()}:
        return Text(value=html, kind=TextKind.HTML)
    words = own.value
    if own.kind is TextKind.TEXT:
        words = paragraphs(words)
    elif not _TAG.search(words):
        words = paragraphs(unescape(words))
    return replace(own, value=words + html, kind=TextKind.HTML)


def _drop_size(url: str) -> str:
    """What is alike in the addresses of one picture in several sizes."""
    path, _, query = url.partition("#")[0].partition("?")
    kept = "&".join(pair for pair in query.split("&") if not _SIZED.match(pair))
    return f"{path}?{kept}" if kept else _SIZE.sub("", path)


def list_pictures(files: Iterable[Enclosure], *, is_hidden: bool = False) -> list[Picture]:
    """The pictures among the files of a post."""
    return [
        Picture(url=file.url, alt=file.title, is_hidden=is_hidden)
        for file in files
        if media.is_picture(file)
    ]
