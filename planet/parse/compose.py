"""Texts of a post with what stands beside them, and posts as a feed: for readers of all formats.

The HTML written here is as safe as the feed's own, and is cleaned with the text.
"""

from __future__ import annotations

import re
from collections import Counter
from hashlib import blake2b
from html import escape, unescape
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from planet.model import MADE_ID, Enclosure, ParsedEntry, ParsedFeed, Profile, Text, TextKind
from planet.parse.coerce import MAX_ENTRIES, MAX_FILES, shows_nothing
from planet.text import media
from planet.text.html import make_paragraphs
from planet.text.plain import one_line, shorten, split_at_addresses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


T = TypeVar("T")

ANSWERS, LIKES, SHARES, KEEPS = "↩", "♥", "↻", "★"
_WARNS = "⚠"
_MAX_SHOWN = 80
_IMAGE = re.compile(r"<img\b[^>]*+(?:>|\Z)", re.IGNORECASE)
_TAG = re.compile("<[a-z/!]", re.IGNORECASE)
# What tells the sizes of one picture apart: photo-1024x768.jpg, photo-scaled.jpg, photo_b.jpg?w=9.
_SIZE = re.compile(r"(?:[-_](?:\d+x\d+|\d+w|scaled|[a-z]))?(?:\.\w+)?$")
_SIZED = re.compile(r"(?:w|h|s|q|width|height|size|resize|fit|quality|dpr|auto|format|crop)=")
_FACES = re.compile(r"https?://(?:[\w-]+\.)?gravatar\.com/avatar/", re.IGNORECASE)


def anchor(url: str, words: str | None = None) -> str:
    """Write a link; without `words` the text is the address without the scheme."""
    address = shorten(url.partition("://")[2].rstrip("/") or url, _MAX_SHOWN)
    shown = words if words and words != url else address
    return f'<a href="{escape(url)}">{escape(shown)}</a>'


def mention(sign: str, url: str, words: str | None = None) -> str:
    """Write a link to an answered, liked, shared or kept post, with a sign."""
    return f"<p>{sign} {anchor(url, words)}</p>"


def surround(
    content: Text | None, summary: Text | None, *, before: str = "", after: str = ""
) -> Text | None:
    """Return the content of a post, else the summary, with HTML above and below.

    Without such HTML, the content stays as sent.
    """
    if not (before or after):
        return content
    own = content if content and content.value.strip() else summary or Text(value="")
    html = own.value
    if own.kind is TextKind.TEXT:
        html = make_paragraphs(html)
    elif not _TAG.search(html):
        html = make_paragraphs(unescape(html))
    return replace(own, value=f"{before}{html}{after}", kind=TextKind.HTML)


def shows(text: Text | None, url: str) -> bool:
    """Return whether a text has an address already: as a link, or as the source of a picture."""
    if text is None or text.kind is TextKind.HTML:
        return text is not None and f'"{escape(url)}"' in text.value
    return any(address == url for _, address in split_at_addresses(text.value))


class EntryTexts(NamedTuple):
    """The two texts of an entry."""

    summary: Text | None
    content: Text | None


def drop_empty_text(summary: Text | None, content: Text | None) -> EntryTexts:
    """Return both texts, without an empty one beside a full one."""
    if summary and content and shows_nothing(summary) != shows_nothing(content):
        return EntryTexts(None, content) if shows_nothing(summary) else EntryTexts(summary, None)
    return EntryTexts(summary, content)


def mention_answered(texts: EntryTexts, urls: Iterable[str]) -> EntryTexts:
    """Return the texts of a post with links to the answered posts above the content.

    Links that stand in the text already are left out. The summary has the post's own words.
    """
    own = texts.content or texts.summary
    before = "".join(mention(ANSWERS, url) for url in urls if not shows(own, url))
    if not before:
        return texts
    return EntryTexts(texts.summary or own, surround(texts.content, texts.summary, before=before))


def warning(words: str, url: str | None) -> str:
    """Write a warning about hidden content, with a link."""
    return f"<p>{_WARNS} {anchor(url, words) if url else escape(words)}</p>"


def reference(url: str, title: str | None = None, about: str | None = None) -> str:
    """Write a link to the page a post is about."""
    return f"<p>{anchor(url, title)}{f'<br>{escape(about)}' if about else ''}</p>"


def picture(src: str, alt: str | None = None, *, href: str | None = None) -> str:
    """Write an image in a paragraph, with a link to `href`."""
    image = f'<img src="{escape(src)}" alt="{escape(alt or "")}">'
    return f'<p><a href="{escape(href)}">{image}</a></p>' if href else f"<p>{image}</p>"


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """A picture beside the text of a post."""

    url: str
    alt: str | None = None
    width: int = 0
    is_hidden: bool = False
    """Whether the publisher warns of the picture."""


def add_pictures(
    content: Text | None, summary: Text | None, pictures: Sequence[Picture]
) -> Text | None:
    """Return the content of a post, else the summary, with pictures below.

    Pictures in the text already are left out.
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
    return surround(content, summary, after=html)


def _drop_size(url: str) -> str:
    """Remove the size from the address of a picture."""
    path, _, query = url.partition("#")[0].partition("?")
    kept = "&".join(pair for pair in query.split("&") if not _SIZED.match(pair))
    return f"{path}?{kept}" if kept else _SIZE.sub("", path)


def list_pictures(files: Iterable[Enclosure], *, is_hidden: bool = False) -> list[Picture]:
    """Return the pictures among the files of a post."""
    return [
        Picture(url=file.url, alt=file.title, is_hidden=is_hidden)
        for file in files
        if media.is_picture(file)
    ]


# A feed

_MAX_ID = 1_000


def make_feed(
    profile: Profile, posts: Sequence[T], entry: Callable[[T], ParsedEntry | None], *notes: str
) -> ParsedFeed:
    """Make a feed of the first `MAX_ENTRIES` posts, but those for which `entry` is None.

    An entry without an id gets the link for an id, else a hash of the words; an empty entry is left
    out. Of entries with the same id, link and title (without a title: text) only the first is kept.
    Other entries with the same id all get a hash of link and title added to the id: the first one
    as well, because another is first after every new entry.
    """
    entries = [one for one in map(entry, posts[:MAX_ENTRIES]) if one and _says_something(one)]
    distinct: dict[tuple[str, str | None, str | None], ParsedEntry] = {}
    for one in entries:
        title = _value(one.title or one.summary or one.content)
        distinct.setdefault((_find_id(one), one.link, title), one)
    uses = Counter(own for own, _, _ in distinct)
    unique: dict[str, ParsedEntry] = {}
    for (own, *distinction), one in distinct.items():
        made = own if uses[own] == 1 else f"{own}#{_hash(tuple(distinction))}"
        unique.setdefault(made, one if made == one.id else replace(one, id=made))
    if shared := sum(count for count in uses.values() if count > 1):
        notes = (f"entries that share their id with another: {shared}", *notes)
    if repeated := len(entries) - len(distinct):
        notes = (f"entries that are there twice: {repeated}", *notes)
    if len(posts) > MAX_ENTRIES:
        notes = (*notes, f"only the first {MAX_ENTRIES} of {len(posts)} entries are read")
    return ParsedFeed(profile=profile, entries=tuple(unique.values()), notes=notes)


def _says_something(entry: ParsedEntry) -> bool:
    texts = (entry.title, entry.summary, entry.content)
    return bool(entry.id or entry.link or entry.enclosures) or any(texts)


def _find_id(entry: ParsedEntry) -> str:
    """Return the id of an entry, its link, or a hash: of a long one, else of its words.

    Dates and bases do not count: they change in an entry that stays.
    """
    own = one_line(entry.id) or entry.link or ""
    if own:
        return own if len(own) <= _MAX_ID else f"{MADE_ID}{_hash(own)}"
    words = tuple(map(_value, (entry.title, entry.content, entry.summary)))
    files = tuple(file.url for file in entry.enclosures)
    return f"{MADE_ID}{_hash(words if any(words) else files)}"


def _value(text: Text | None) -> str | None:
    return text.value if text else None


def _hash(value: object) -> str:
    return blake2b(repr(value).encode(), digest_size=8).hexdigest()
