"""RSS and Atom: an XML document → ParsedFeed. feedparser's dicts go no further than here."""

from __future__ import annotations

import re
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
from planet.parse.extras import extras
from planet.parse.feedparser import parsed, repaired
from planet.parse.sniff import feed_element, not_a_feed
from planet.parse.values import attached, different, identified, person, pictured
from planet.text import media
from planet.text.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planet.model import Person
    from planet.parse import KnownItems
    from planet.parse.extras import Extras


# itunes:keywords were meant for a search engine of 2005, and read like it.
_KEYWORDS = "http://www.itunes.com/"
_PAGES = frozenset({"text/html", "application/xhtml+xml"})


def linked(said: Mapping[str, Any], rel: str) -> list[object]:
    """Where the links of a relation lead."""
    links = [each for each in values.dicts(said.get("links")) if each.get("rel") == rel]
    # A stable sort: pages first, then what else there is.
    links.sort(key=lambda each: each.get("type") not in _PAGES)
    return [each.get("href") for each in links]


def page(said: Mapping[str, Any], *bases: str | None) -> str | None:
    """The page a feed or an entry stands for: the first alternate link that is one."""
    return values.first_link(linked(said, "alternate"), *bases)


def people(said: Mapping[str, Any], *bases: str | None) -> tuple[Person, ...]:
    """The authors."""
    authors = values.dicts(said.get("authors"))
    return different(person(each.get("name"), each.get("href"), *bases) for each in authors)


def categories(said: Mapping[str, Any], *, keywords: bool) -> tuple[str, ...]:
    """The categories, by their labels; `keywords` tells whether those of iTunes are any."""
    tags = values.dicts(said.get("tags"))
    return values.lines(
        each.get("label") or each.get("term")
        for each in tags
        if keywords or each.get("scheme") != _KEYWORDS
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
    known = [base for base in bases if base]
    # xml:base may be relative itself, to the document: the last base.
    own = values.link(detail.get("base"), known[-1]) if known else None
    return Text(
        value=value[: values.MAX_TEXT], kind=kind, base=own or (known[0] if known else None)
    )


def named(
    said: Mapping[str, Any], name: str, *bases: str | None, kind: TextKind = TextKind.TEXT
) -> Text | None:
    """The text that a feed or an entry has under a name; of that kind where it is not said."""
    value, detail = said.get(name), said.get(f"{name}_detail")
    # The detail may be that of a deeper element, such as the media:title of a picture.
    if not isinstance(detail, dict) or detail.get("value") != value:
        media_type = "text/html" if kind is TextKind.HTML else "text/plain"
        detail = {"value": value, "type": media_type}
    return text(detail, *bases)


def summary_and_content(
    entry: Mapping[str, Any], *bases: str | None, is_atom: bool
) -> tuple[Text | None, Text | None]:
    """What an entry has of either; a text that stands alone stays what it was called."""
    contents = [each for said in values.dicts(entry.get("content")) if (each := text(said, *bases))]
    # Several: content:encoded and xhtml:body, or what is named below.
    content = max(contents, key=_richness, default=None)
    summary = named(entry, "summary", *bases, kind=TextKind.HTML)
    said = [each.get("value") for each in values.dicts(entry.get("content"))]
    if "summary_detail" not in entry and entry.get("summary") in said:
        # feedparser's copy of the content.
        return None, content
    # In RSS, feedparser calls content what came after the description: itunes:summary, which has
    # the same as plain text, or media:description, which is about a picture.
    if not is_atom and content and summary and _richness(summary)[:2] > _richness(content)[:2]:
        return summary, None
    return values.telling(summary, content)


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
    link = page(feed, base) or values.link(feed.get("link"), base)
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
        updated=dates.moment(feed.get("updated")) or dates.moment(feed.get("published")),
        # Here the same scheme has the categories of the podcast, too.
        categories=categories(feed, keywords=True),
        explicit=more.explicit,
        hints=_hints(feed, more, base),
    )


def _line(feed: Mapping[str, Any], name: str) -> str | None:
    said = named(feed, name)
    return (plain(said, values.MAX_LINE) or None) if said else None


def _hints(feed: Mapping[str, Any], more: Extras, base: str | None) -> Hints:
    # A publisher who excludes everything does not mean it.
    hours = more.skip_hours if len(more.skip_hours) < 24 else ()
    days = more.skip_days if len(more.skip_days) < 7 else ()
    return Hints(
        ttl=values.minutes(feed.get("ttl")),
        sy=_sy(feed),
        skip_hours=frozenset(hours),
        skip_days=frozenset(days),
        hubs=values.hubs(linked(feed, "hub"), base),
    )


def _sy(feed: Mapping[str, Any]) -> timedelta | None:
    """sy:updatePeriod divided by sy:updateFrequency; None without the module."""
    if "sy_updateperiod" not in feed and "sy_updatefrequency" not in feed:
        return None
    said = values.line(feed.get("sy_updateperiod")) or "daily"
    period = _PERIODS.get(said.lower())
    frequency = values.positive(feed.get("sy_updatefrequency")) or 1
    return period / min(frequency, 10_000) if period else None


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


def entry(said: dict[str, Any], *, feed: Profile, base: str | None) -> ParsedEntry:
    """An entry of the feed that was found at `base`."""
    link = _link(said, feed.link, base)
    # Trap: what a relative address is relative to, when there is no xml:base. By RFC 4287 it is
    # the feed's address; by what publishers do, the page the text was taken from.
    bases = (link, feed.link, base)
    is_atom = feed.format.startswith("atom")
    summary, content = summary_and_content(said, *bases, is_atom=is_atom)
    published = dates.moment(said.get("published")) or dates.moment(said.get("created"))
    nearest = next((each for each in bases if each), None)
    files = enclosures(said, nearest)
    # The one picture beside a recording is its cover, mostly that of the show.
    more = extras(said)
    is_cover = len(more.pictures) == 1 and any(map(media.plays, files))
    pictures = [] if is_cover else more.pictures
    return ParsedEntry(
        id=values.string(said.get("id")) or "",
        link=link,
        title=named(said, "title", *bases),
        summary=summary,
        content=pictured(content, summary, [*pictures, *attached(files)]),
        authors=people(said, *bases),
        categories=categories(said, keywords=False),
        published=published,
        updated=dates.moment(said.get("updated")),
        enclosures=files,
        image=image(said, files, nearest),
        # RSS comments; Atom replies (RFC 4685 §4).
        comments=values.first_link([said.get("comments"), *linked(said, "replies")], nearest),
        rights=values.line(said.get("rights")),
        origin=_origin(said.get("source"), nearest),
        language=_language(said) or feed.language,
        episode=_episode(said, more),
    )


def _link(said: Mapping[str, Any], *bases: str | None) -> str | None:
    return (
        # What the link was before a service put one of its own in its place.
        values.link(said.get("feedburner_origlink"))
        or page(said, *bases)
        # Here feedparser has lent the id, which only is an address when it is a whole one.
        or values.link(said.get("link"))
    )


def _origin(source: object, base: str | None) -> Origin | None:
    if not isinstance(source, dict):
        return None
    source = dict(source)
    origin = Origin(
        id=values.line(source.get("id")),
        title=values.line(source.get("title")),
        link=page(source, base),
        # RSS gives the address of the feed there (RSS 2.0, <source>).
        url=values.first_link(linked(source, "self"), base)
        or values.link(source.get("href"), base),
    )
    return origin if origin != Origin() else None


def _language(said: Mapping[str, Any]) -> str | None:
    """The language of an entry by xml:lang, which is inherited, or dc:language."""
    details = [said.get("summary_detail"), said.get("title_detail")]
    texts = [*values.dicts(said.get("content")), *values.dicts(details)]
    candidates = [said.get("language"), *(each.get("language") for each in texts)]
    return next((found for each in candidates if (found := values.language(each))), None)


def _episode(said: Mapping[str, Any], more: Extras) -> Episode | None:
    kind = (values.line(said.get("itunes_episodetype")) or "").lower()
    episode = Episode(
        number=values.positive(said.get("itunes_episode")),
        season=values.positive(said.get("itunes_season")),
        kind=kind if kind in EPISODE_KINDS else None,
        explicit=more.explicit,
        chapters=more.chapters,
        transcripts=tuple(more.transcripts[:50]),
        persons=different(more.persons),
    )
    return episode if episode != Episode() else None


# A feed without entries is a feed, but not if they only cannot be found.
_CUT_OFF = frozenset({"no element found", "unclosed token", "unclosed CDATA section"})
_ENTRY = re.compile(rb"<(?:[\w.-]+:)?(?:item|entry)[\s/>]")


# Where an item begins; and what it cannot begin in, with how that ends.
_ITEM = re.compile(rb"<(?:(item|entry)(?=[\s>])|!--|!\[CDATA\[|\?)")
_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}


def read(text: str, *, base: str | None, known: KnownItems | None = None) -> ParsedFeed:
    """What the feed in a text says; see `planet.parse.parse`.

    Raises:
        ParseError: `not_a_feed` or `unreadable`.
    """
    document = repaired(feed_element(text).encode("utf-8", "replace"))
    if known:
        feed = _read(text, *_hashed(document, known), base, known)
        if feed:
            return feed
    return cast("ParsedFeed", _read(text, *_hashed(document), base))


def _hashed(document: bytes, known: KnownItems | None = None) -> tuple[bytes, list[str]]:
    """The document with nothing in those items that are known, and the hashes of all items.

    What ends with the first end tag of that name, and is no whole item, leaves a document behind
    that is not well-formed.
    """
    pieces, hashes, end = [], [], 0
    while found := _ITEM.search(document, end):
        start, end = end, found.start()
        last = _ENDS.get(found[0]) or b"</%b>" % found[1]
        until = document.find(last, found.end())
        if until < 0:
            break
        until += len(last)
        if found[1]:
            item = document[end:until]
            # What declares a prefix may change how feedparser names what stands elsewhere.
            is_alone = b"xmlns:" not in item
            hashes.append(blake2b(item, digest_size=8).hexdigest() if is_alone else "")
            if known and hashes[-1] in known.ids:
                pieces += [document[start:end], b"<%b/>" % found[1]]
                start = until
        pieces.append(document[start:until])
        end = until
    return b"".join((*pieces, document[end:])), hashes


def _read(
    text: str,
    document: bytes,
    hashes: list[str],
    base: str | None,
    known: KnownItems | None = None,
) -> ParsedFeed | None:
    """What the feed in a document says besides items that are known.

    None when the whole has to be read: when these items may be others than they were.
    """
    found, items, version, fault, context = parsed(document, base)
    if known and (fault or len(items) != len(hashes)):
        return None
    if not version and not items and "title" not in found:
        raise not_a_feed(text)
    if fault and not items and (fault in _CUT_OFF or _ENTRY.search(document)):
        raise ParseError("unreadable", f"the feed is damaged ({fault}) and no entry can be read")
    about = profile(found, format=version or "xml", base=base)
    left_out = [known.ids.get(item_hash) for item_hash in hashes] if known else []
    entries, notes = identified(
        entry(item, feed=about, base=base)
        for place, item in enumerate(items[: values.MAX_ENTRIES])
        if not (known and left_out[place])
    )
    context = context and _hash(context, base, about.format, about.link, about.language)
    ids = [*filter(None, left_out), *(entry.id for entry in entries)]
    if notes or fault or len(set(ids)) != len(items) or len(items) != len(hashes):
        context = None
    if known and context != known.context:
        return None
    if fault:
        notes = (f"not well-formed XML ({fault}): read as well as possible", *notes)
    if len(items) > values.MAX_ENTRIES:
        notes = (*notes, values.too_many(len(items)))
    return ParsedFeed(
        profile=about,
        entries=entries,
        notes=notes,
        context=context,
        hashes=tuple(hashes) if context else (),
    )


def _hash(*context: object) -> str:
    return blake2b(repr(context).encode("utf-8", "replace"), digest_size=8).hexdigest()
