"""RSS and Atom: an XML document → ParsedFeed. feedparser's dicts go no further than here."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from datetime import timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, cast

from planet.errors import ParseError
from planet.model import (
    EPISODE_KINDS,
    Enclosure,
    Episode,
    Hints,
    Origin,
    ParsedEntry,
    ParsedFeed,
    Profile,
    Text,
    TextKind,
)
from planet.parse import dates, values
from planet.parse.extras import NOTHING, extras
from planet.parse.feedparser import parsed, repaired
from planet.parse.sniff import feed_element, not_a_feed
from planet.parse.values import attached, different, listed, person, pictured
from planet.text import media
from planet.text.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planet.model import Person, SeenItems
    from planet.parse.extras import Extras
    from planet.parse.sniff import Document
    from planet.parse.values import Object, Picture


# itunes:keywords were meant for a search engine of 2005, and read like it.
_KEYWORDS = "http://www.itunes.com/"
_PAGES = frozenset({"text/html", "application/xhtml+xml"})


def by_relation(raw: Object) -> Mapping[str, list[Object]]:
    """The links of a feed or an entry; of a relation that it has none of, an empty list."""
    links: dict[str, list[Object]] = defaultdict(list)
    for link in values.dicts(raw.get("links")):
        links[str(link.get("rel"))].append(link)
    return links


def addresses(links: list[Object]) -> list[object]:
    """Where links lead: first to pages, then to what else there is."""
    if len(links) > 1:
        links = sorted(links, key=lambda link: link.get("type") not in _PAGES)
    return [link.get("href") for link in links]


def people(raw: Object, *bases: str | None) -> tuple[Person, ...]:
    """The authors."""
    authors = values.dicts(raw.get("authors"))
    return different(person(author.get("name"), author.get("href"), *bases) for author in authors)


def categories(raw: Object, *, keywords: bool) -> tuple[str, ...]:
    """The categories, by their labels; `keywords` tells whether those of iTunes are any."""
    tags = values.dicts(raw.get("tags"))
    return values.lines(
        tag.get("label") or tag.get("term")
        for tag in tags
        if keywords or tag.get("scheme") != _KEYWORDS
    )


def image_address(value: object) -> object:
    """The address of an image element, in whatever form it is there."""
    return value.get("href") if isinstance(value, dict) else value


_XHTML = "application/xhtml+xml"
# What only looks like a tag: `<stdio.h>`, `<bob@mail.example>`, `<https://blog.example/>`.
_NO_TAG = re.compile(r"<(?=[a-zA-Z][\w+/-]*(?:[.@]|://))")


def text(detail: object, *bases: str | None) -> Text | None:
    """A text construct as a Text; None when it is empty, or is no text (RFC 4287 §4.1.3.1).

    Where the type is no media type ("markdown", "escaped"), a text is HTML when it looks like it.
    Its links are relative to its xml:base; where it has none, to the first of `bases` there is.
    """
    if not isinstance(detail, dict):
        return None
    value = values.string(detail.get("value"))
    media_type = str(detail.get("type") or "")
    if value is None or ("/" in media_type and not media_type.startswith(("text/", _XHTML))):
        return None
    kind = TextKind.TEXT
    if media_type == _XHTML:
        # As feedparser writes `<br/>`; HTML takes the end tag for another one.
        kind, value = TextKind.HTML, value.replace("</br>", "")
    elif media_type == "text/html" or ("/" not in media_type and values.is_markup(value)):
        kind, value = TextKind.HTML, _NO_TAG.sub("&lt;", value)
    nearest, own = next(filter(None, bases), None), detail.get("base")
    if own and nearest:
        # xml:base may be relative itself, to the document: the last base.
        nearest = values.link(own, next(filter(None, reversed(bases)))) or nearest
    return Text(value=value[: values.MAX_TEXT], kind=kind, base=nearest)


def named(
    raw: Object, name: str, *bases: str | None, kind: TextKind = TextKind.TEXT
) -> Text | None:
    """The text that a feed or an entry has under a name; of that kind where it names none."""
    value, detail = raw.get(name), raw.get(f"{name}_detail")
    # The detail may be that of a deeper element, such as the media:title of a picture.
    if not isinstance(detail, dict) or detail.get("value") != value:
        media_type = "text/html" if kind is TextKind.HTML else "text/plain"
        detail = {"value": value, "type": media_type}
    return text(detail, *bases)


def summary_and_content(
    raw: Object, *bases: str | None, is_atom: bool
) -> tuple[Text | None, Text | None]:
    """What an entry has of either; a text that stands alone stays what it was called."""
    contents = values.dicts(raw.get("content"))
    # Several: content:encoded and xhtml:body, or what is named below.
    texts = filter(None, (text(detail, *bases) for detail in contents))
    content = max(texts, key=_richness, default=None)
    is_copy = "summary_detail" not in raw and any(
        # feedparser's copy of the content.
        raw.get("summary") == detail.get("value")
        for detail in contents
    )
    summary = None if is_copy else named(raw, "summary", *bases, kind=TextKind.HTML)
    # In RSS, feedparser calls content what came after the description: itunes:summary, which has
    # the same as plain text.
    if not is_atom and content and summary and _richness(summary)[:2] > _richness(content)[:2]:
        content = None
    account = named(raw, "dc_description", *bases, kind=TextKind.HTML)
    if account and summary and not content and account.value != summary.value:
        summary, content = sorted((summary, account), key=_richness)
    caption = named(raw, "media_description", *bases, kind=TextKind.HTML)
    return values.telling(summary or account or caption, content)


def _richness(candidate: Text) -> tuple[bool, bool, int]:
    shows = not values.shows_nothing(candidate)
    return shows, candidate.kind is TextKind.HTML, len(candidate.value)


# RSS 1.0 syndication module.
_PERIODS = {
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(weeks=1),
    "monthly": timedelta(days=30),
    "yearly": timedelta(days=365),
}


def profile(feed: dict[str, Any], *, format: str, base: str | None) -> Profile:
    """The profile of a feed that was found at `base`."""
    links = by_relation(feed)
    link = values.first_link([*addresses(links["alternate"]), feed.get("link")], base)
    authors = people(feed, link, base)
    images = [image_address(feed.get("image")), feed.get("logo"), feed.get("icon")]
    more = extras(feed)
    return Profile(
        format=format,
        id=values.line(feed.get("id")),
        title=_line(feed, "title"),
        link=link,
        description=_line(feed, "subtitle") or _line(feed, "summary"),
        author=authors[0].name if authors else None,
        image=values.first_link(images, link, base),
        language=values.language(feed.get("language")),
        rights=_line(feed, "rights"),
        updated=dates.moment(feed.get("updated"), feed.get("published")),
        # Here the same scheme has the categories of the podcast, too.
        categories=categories(feed, keywords=True),
        explicit=more.explicit,
        hints=_hints(feed, more, values.hubs(addresses(links["hub"]), base)),
    )


def _line(feed: Object, name: str) -> str | None:
    text = named(feed, name)
    return (plain(text, values.MAX_LINE) or None) if text else None


def _hints(feed: Object, more: Extras, hubs: tuple[str, ...]) -> Hints:
    # A publisher who excludes everything does not mean it.
    hours = more.skip_hours if len(more.skip_hours) < 24 else ()
    days = more.skip_days if len(more.skip_days) < 7 else ()
    return Hints(
        ttl=values.minutes(feed.get("ttl")),
        sy=_sy(feed),
        skip_hours=frozenset(hours),
        skip_days=frozenset(days),
        hubs=hubs,
    )


def _sy(feed: Object) -> timedelta | None:
    """sy:updatePeriod divided by sy:updateFrequency; None without the module."""
    if "sy_updateperiod" not in feed and "sy_updatefrequency" not in feed:
        return None
    period = _PERIODS.get((values.line(feed.get("sy_updateperiod")) or "daily").lower())
    frequency = values.positive(feed.get("sy_updatefrequency")) or 1
    return period / min(frequency, 10_000) if period else None


def enclosures(raw: Object, links: list[Object], base: str | None) -> tuple[Enclosure, ...]:
    """The files that belong to an entry, those of `links` and of media:content, by address once."""
    once: dict[str, Enclosure] = {}
    for file in _enclosures(raw, links, base):
        once[file.url] = _merged(once[file.url], file) if file.url in once else file
    files = list(once.values())[: values.MAX_FILES]
    # itunes:duration is the entry's, and so is that of its one recording.
    duration = values.seconds(raw.get("itunes_duration"))
    for place, file in enumerate(files):
        if duration and file.duration is None and not _is_image(file.media_type):
            files[place] = replace(file, duration=duration)
            break
    return tuple(files)


def image(raw: Object, files: tuple[Enclosure, ...], base: str | None) -> str | None:
    """The address of the image that stands for an entry."""
    contents = values.dicts(raw.get("media_content"))
    candidates = [
        image_address(raw.get("image")),
        *(thumbnail.get("url") for thumbnail in values.dicts(raw.get("media_thumbnail"))),
        *(content.get("url") for content in contents if _shows(content, "image")),
        *(file.url for file in files if _is_image(file.media_type)),
    ]
    return values.first_link(candidates, base)


def _enclosures(raw: Object, links: list[Object], base: str | None) -> Iterator[Enclosure]:
    for link in links:
        if url := values.file(link.get("href"), base):
            media_type = values.media_type(link.get("type"))
            yield Enclosure(
                url=url,
                # What feedparser puts where an Atom link says nothing.
                media_type=None if media_type == "text/html" else media_type,
                length=values.positive(link.get("length")),
                title=values.line(link.get("title")),
            )
    for content in values.dicts(raw.get("media_content")):
        plays = _shows(content, "audio") or _shows(content, "video")
        if plays and (url := values.file(content.get("url"), base)):
            yield Enclosure(
                url=url,
                media_type=values.media_type(content.get("type")),
                length=values.positive(content.get("filesize")),
                duration=values.seconds(content.get("duration")),
            )


def _merged(one: Enclosure, other: Enclosure) -> Enclosure:
    """What two places of an entry tell of a file."""
    return Enclosure(
        url=one.url,
        media_type=one.media_type or other.media_type,
        length=one.length or other.length,
        duration=one.duration or other.duration,
        title=one.title or other.title,
    )


def _shows(content: Object, medium: str) -> bool:
    """Whether a media:content is of a medium: as it says, else by its type."""
    named = content.get("medium")
    return named == medium if named else str(content.get("type")).startswith(f"{medium}/")


def _is_image(media_type: str | None) -> bool:
    return media_type is not None and media_type.startswith("image/")


_NO_EPISODE, _NO_ORIGIN = Episode(), Origin()
_NUMBERS = ("itunes_episode", "itunes_season", "itunes_episodetype")


def entry(raw: dict[str, Any], *, feed: Profile, base: str | None) -> ParsedEntry:
    """An entry of the feed that was found at `base`."""
    links = by_relation(raw)
    more = extras(raw)
    guid = raw.get("id") if more.has_permalink else None
    link = _link(raw, links["alternate"], feed.link, base) or _permalink(guid, feed.link, base)
    # Trap: what a relative address is relative to, when there is no xml:base. By RFC 4287 it is
    # the feed's address; by what publishers do, the page the text was taken from.
    bases = (link, feed.link, base)
    nearest = next(filter(None, bases), None)
    is_atom = feed.format.startswith("atom")
    summary, content = summary_and_content(raw, *bases, is_atom=is_atom)
    files = enclosures(raw, links["enclosure"], nearest)
    # The one picture beside a recording is its cover, mostly that of the show.
    is_cover = len(more.pictures) == 1 and any(map(media.plays, files))
    pictures = [] if is_cover else _with_caption(more, summary or content)
    return ParsedEntry(
        id=values.string(raw.get("id")) or "",
        link=link,
        title=named(raw, "title", *bases),
        summary=summary,
        content=pictured(content, summary, [*pictures, *attached(files)]),
        authors=people(raw, *bases),
        categories=categories(raw, keywords=False),
        published=dates.moment(raw.get("published"), raw.get("created")),
        updated=dates.moment(raw.get("updated")),
        enclosures=files,
        image=image(raw, files, nearest),
        # RSS comments; Atom replies (RFC 4685 §4).
        comments=values.first_link([raw.get("comments"), *addresses(links["replies"])], nearest),
        rights=values.line(raw.get("rights")),
        origin=_origin(raw.get("source"), nearest),
        language=_language(raw, feed),
        episode=_episode(raw, more),
    )


def _link(raw: Object, pages: list[Object], *bases: str | None) -> str | None:
    return (
        # What the link was before a service put one of its own in its place.
        values.link(raw.get("feedburner_origlink"))
        or values.first_link(addresses(pages), *bases)
        # Here feedparser has lent the id, which only is an address when it is a whole one.
        or values.link(raw.get("link"))
    )


def _permalink(guid: object, *bases: str | None) -> str | None:
    """Where a relative guid leads that says it is a link; numbers and names say so by mistake."""
    is_path = isinstance(guid, str) and ("/" in guid or guid.startswith("?"))
    return values.link(guid, *bases) if is_path else None


def _with_caption(more: Extras, own: Text | None) -> list[Picture]:
    """The pictures of an item, with its caption where they have none and it has another text."""
    if not more.caption or own is None or values.line(own.value) == more.caption:
        return more.pictures
    return [replace(image, alt=image.alt or more.caption) for image in more.pictures]


def _origin(source: object, base: str | None) -> Origin | None:
    if not isinstance(source, dict):
        return None
    source = dict(source)
    links = by_relation(source)
    origin = Origin(
        id=values.line(source.get("id")),
        title=values.line(source.get("title")),
        link=values.first_link(addresses(links["alternate"]), base),
        # RSS gives the address of the feed there (RSS 2.0, <source>).
        url=values.first_link([*addresses(links["self"]), source.get("href")], base),
    )
    return origin if origin != _NO_ORIGIN else None


def _language(raw: Object, feed: Profile) -> str | None:
    """The language of an entry by xml:lang, which is inherited, or dc:language; else its feed's."""
    details = [raw.get("summary_detail"), raw.get("title_detail")]
    texts = [*values.dicts(raw.get("content")), *values.dicts(details)]
    named = (text.get("language") for text in texts)
    return values.language(raw.get("language"), *named, feed.language)


def _episode(raw: Object, more: Extras) -> Episode | None:
    if more is NOTHING and not any(map(raw.get, _NUMBERS)):
        return None
    kind = (values.line(raw.get("itunes_episodetype")) or "").lower()
    episode = Episode(
        number=values.positive(raw.get("itunes_episode")),
        season=values.positive(raw.get("itunes_season")),
        kind=kind if kind in EPISODE_KINDS else None,
        explicit=more.explicit,
        chapters=more.chapters,
        transcripts=tuple(more.transcripts[: values.MAX_FILES]),
        persons=different(more.persons),
    )
    return episode if episode != _NO_EPISODE else None


# A feed without entries is a feed, but not if they only cannot be found.
_CUT_OFF = frozenset({"no element found", "unclosed token", "unclosed CDATA section"})
_ENTRY = re.compile(rb"<(?:[\w.-]+:)?(?:item|entry)[\s/>]")


# Where an item begins; and what it cannot begin in, with how that ends.
_ITEM = re.compile(rb"<(?:(item|entry)(?=[\s>])|!--|!\[CDATA\[|\?)")
_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}


def read(document: Document) -> ParsedFeed:
    """What the feed in a document says; see `planet.parse.parse`.

    Raises:
        ParseError: `not_a_feed` or `unreadable`.
    """
    element = repaired(feed_element(document.text).encode("utf-8", "replace"))
    feed = _read(document, *_hashed(element, document.seen), document.seen)
    return feed or cast("ParsedFeed", _read(document, *_hashed(element), None))


def _hashed(document: bytes, seen: SeenItems | None = None) -> tuple[bytes, list[str]]:
    """The document with nothing in those items that were seen, and the hashes of all items.

    What ends with the first end tag of that name, and is no whole item, leaves a document behind
    that is not well-formed.
    """
    pieces, hashes, end = [], [], 0
    while match := _ITEM.search(document, end):
        start, end = end, match.start()
        last = _ENDS.get(match[0]) or b"</%b>" % match[1]
        until = document.find(last, match.end())
        if until < 0:
            break
        until += len(last)
        if match[1]:
            item = document[end:until]
            # What declares a prefix may change how feedparser names what stands elsewhere.
            is_alone = b"xmlns:" not in item
            hashes.append(blake2b(item, digest_size=8).hexdigest() if is_alone else "")
            if seen and hashes[-1] in seen.ids:
                pieces += [document[start:end], b"<%b/>" % match[1]]
                start = until
        pieces.append(document[start:until])
        end = until
    return b"".join((*pieces, document[end:])), hashes


def _read(
    document: Document, element: bytes, hashes: list[str], seen: SeenItems | None
) -> ParsedFeed | None:
    """What the feed in an element of a document says besides items that were seen.

    None when the whole has to be read: when these items may be others than they were.
    """
    base = document.base
    channel, items, version, fault, context = parsed(element, base)
    if seen and (fault or len(items) != len(hashes)):
        return None
    if not version and not items and "title" not in channel:
        raise not_a_feed(document.text)
    if fault and not items and (fault in _CUT_OFF or _ENTRY.search(element)):
        raise ParseError("unreadable", f"the feed is damaged ({fault}) and no entry can be read")
    about = profile(channel, format=version or "xml", base=base)
    left_out = [seen.ids.get(item_hash) for item_hash in hashes] if seen else [None] * len(items)
    new = [None if left else item for item, left in zip(items, left_out, strict=True)]
    feed = listed(about, new, lambda item: entry(item, feed=about, base=base) if item else None)
    context = context and _hash(context, base, about.format, about.link, about.language)
    ids = [*filter(None, left_out), *(entry.id for entry in feed.entries)]
    # With a note, an entry depends on others.
    if feed.notes or fault or len(set(ids)) != len(items) or len(items) != len(hashes):
        context = None
    if seen and context != seen.context:
        return None
    odd = [f"not well-formed XML ({fault}): read as well as possible"] if fault else []
    return replace(
        feed,
        notes=(*odd, *feed.notes),
        context=context,
        hashes=tuple(hashes) if context else (),
    )


def _hash(*context: object) -> str:
    return blake2b(repr(context).encode("utf-8", "replace"), digest_size=8).hexdigest()
