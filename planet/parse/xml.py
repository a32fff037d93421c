"""RSS and Atom: an XML document → ParsedFeed.

One of two readers makes a `RawFeed` of the document; this module interprets it, for both.
"""

from __future__ import annotations

import re
from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.errors import ParseError
from planet.model import (
    EPISODE_KINDS,
    Enclosure,
    Episode,
    Hints,
    Origin,
    ParsedEntry,
    ParsedFeed,
    Person,
    Profile,
    ProfileLink,
    Text,
    TextKind,
    Transcript,
)
from planet.parse import coerce, compose, dates
from planet.parse.coerce import EntryTexts, Object, make_person, merge_people
from planet.parse.compose import Picture, add_pictures, list_pictures
from planet.parse.elementtree import (
    NotWellFormedError,
    TooComplexError,
    Tree,
    parse_tree,
    read_tree,
)
from planet.parse.identify import make_feed
from planet.parse.podcasting import read_podcasting
from planet.parse.repair import BARE_LESS_THAN, escape_matches, repair
from planet.parse.sniff import FeedDocument, cut_out_feed, make_not_a_feed_error
from planet.text import media, profiles
from planet.text.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.parse.raw import RawChannel, RawEntry, RawFeed, RawFile, RawNode, RawText


_PAGES = frozenset({None, "text/html", "application/xhtml+xml"})


def find_addresses(node: RawNode, rel: str) -> list[str]:
    """Return the addresses of the links of a relation: pages first, then all others."""
    links = [link for link in node.links if link.rel == rel]
    links.sort(key=lambda link: link.media_type not in _PAGES)
    return [link.href for link in links]


def read_people(node: RawNode, *bases: str | None) -> tuple[Person, ...]:
    """Return the authors."""
    return merge_people(make_person(author.name, author.url, *bases) for author in node.authors)


def read_categories(node: RawNode, *, keywords: bool) -> tuple[str, ...]:
    """Return the labels of the categories; with `keywords`, those of itunes:keywords, too."""
    # They were meant for a search engine of 2005, and read like it.
    return coerce.lines(
        category.name for category in node.categories if keywords or not category.is_keyword
    )


_XHTML = "application/xhtml+xml"
# What only looks like a tag: `<stdio.h>`, `<bob@mail.example>`, `<https://blog.example/>`.
_NO_TAG = re.compile(r"<(?=[a-zA-Z][\w+/-]*(?:[.@]|://))")


def read_text(raw: RawText | None, *bases: str | None) -> Text | None:
    """Read a text construct; return None when it is empty, or no text (RFC 4287 §4.1.3.1).

    Where the type is no media type ("markdown", "escaped"), a text is HTML when it looks like it.
    Its links are relative to its xml:base; where it has none, to the first of `bases` there is.
    """
    value = coerce.string(raw.value) if raw else None
    if raw is None or value is None:
        return None
    media_type = raw.media_type
    if "/" in media_type and not media_type.startswith(("text/", _XHTML)):
        return None
    kind = TextKind.TEXT
    if media_type == _XHTML:
        # As feedparser writes `<br/>`; HTML takes the end tag for another one.
        kind, value = TextKind.HTML, value.replace("</br>", "")
    elif media_type == "text/html" or ("/" not in media_type and coerce.is_markup(value)):
        kind, value = TextKind.HTML, _NO_TAG.sub("&lt;", value)
    nearest = next(filter(None, bases), None)
    if raw.base and nearest:
        # xml:base may be relative itself, to the document: the last base.
        nearest = coerce.link(raw.base, next(filter(None, reversed(bases)))) or nearest
    return Text(value=value[: coerce.MAX_TEXT], kind=kind, base=nearest)


def read_summary_and_content(raw: RawEntry, *bases: str | None, is_atom: bool) -> EntryTexts:
    """Return summary and content of an entry; a text that stands alone stays what it was called."""
    # Several: content:encoded and xhtml:body, or what is named below.
    texts = filter(None, (read_text(content, *bases) for content in raw.contents))
    content = max(texts, key=_richness, default=None)
    summary = read_text(raw.summary, *bases)
    # In RSS, what came after the description counts as content: itunes:summary, which has the same
    # as plain text.
    if not is_atom and content and summary and _richness(summary)[:2] > _richness(content)[:2]:
        content = None
    account = read_text(raw.account, *bases)
    if account and summary and not content and account.value != summary.value:
        summary, content = sorted((summary, account), key=_richness)
    shown = coerce.drop_empty_text(summary or account or read_text(raw.caption, *bases), content)
    if raw.markdown and not any(shown):
        return EntryTexts(None, coerce.markdown(raw.markdown, next(filter(None, bases), None)))
    return shown


def _richness(candidate: Text) -> tuple[bool, bool, int]:
    shows = not coerce.shows_nothing(candidate)
    return shows, candidate.kind is TextKind.HTML, len(candidate.value)


# RSS 1.0 syndication module.
_PERIODS = {
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(weeks=1),
    "monthly": timedelta(days=30),
    "yearly": timedelta(days=365),
}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# RSS 0.91 counts from 1 to 24, RSS 2.0 from 0 to 23: both ends are midnight (RSS Best Practices).
_HOURS = {f"{hour:0{width}}": hour % 24 for hour in range(25) for width in (1, 2)}
_EXPLICIT = {
    **dict.fromkeys(("yes", "true", "explicit"), True),
    **dict.fromkeys(("no", "false", "clean"), False),
}


def read_profile(channel: RawChannel, *, version: str, base: str | None) -> Profile:
    """Read the profile of a feed that was found at `base`."""
    link = coerce.first_link([*find_addresses(channel, "alternate"), channel.page], base)
    authors = read_people(channel, link, base)
    return Profile(
        format=version,
        id=coerce.line(channel.id),
        title=_line(channel.title),
        link=link,
        description=_line(channel.summary),
        author=authors[0].name if authors else None,
        image=coerce.first_link(channel.images, link, base),
        language=coerce.language(channel.language),
        rights=_line(channel.rights),
        updated=dates.parse_date(channel.updated, channel.published),
        # Here the same scheme has the categories of the podcast, too.
        categories=read_categories(channel, keywords=True),
        links=_profile_links(channel),
        explicit=_explicit(channel),
        hints=_hints(channel, coerce.links(find_addresses(channel, "hub"), base)),
    )


_MAX_LINKS = 20
_MAX_SERVICE = 40
"""Characters in the name of a service."""


def _profile_links(channel: RawChannel) -> tuple[ProfileLink, ...]:
    """Return the pages of accounts (source:account), the first of each service.

    The service of some is not known, and nobody can tell where their page is. Mail addresses are
    not kept, as of other people in feeds.
    """
    links: dict[str, ProfileLink] = {}
    for account in channel.accounts:
        service, name = coerce.line(account.service), coerce.line(account.name)
        url = profiles.profile_url(service, name) if service and name else None
        if service and url and len(service) <= _MAX_SERVICE and not profiles.is_mail(url):
            links.setdefault(service.lower(), ProfileLink(name=service.lower(), url=url))
    return tuple(links.values())[:_MAX_LINKS]


def _line(raw: RawText | None) -> str | None:
    words = read_text(raw)
    return (plain(words, coerce.MAX_LINE) or None) if words else None


def _explicit(node: RawNode) -> bool | None:
    return _EXPLICIT.get((node.explicit or "").strip().casefold())


def _hints(channel: RawChannel, hubs: tuple[str, ...]) -> Hints:
    hours = frozenset(_HOURS[hour] for hour in channel.hours if hour in _HOURS)
    days = frozenset(_DAYS.index(day.lower()) for day in channel.days if day.lower() in _DAYS)
    return Hints(
        ttl=coerce.minutes(channel.ttl),
        sy=_sy(channel),
        # A publisher who excludes everything does not mean it.
        skip_hours=hours if len(hours) < 24 else frozenset(),
        skip_days=days if len(days) < 7 else frozenset(),
        hubs=hubs,
    )


def _sy(channel: RawChannel) -> timedelta | None:
    """Divide sy:updatePeriod by sy:updateFrequency; return None without the module."""
    if channel.period is None and channel.frequency is None:
        return None
    period = _PERIODS.get((coerce.line(channel.period) or "daily").lower())
    frequency = coerce.positive(channel.frequency) or 1
    return period / min(frequency, 10_000) if period else None


def read_enclosures(raw: RawEntry, base: str | None) -> tuple[Enclosure, ...]:
    """Return the files of an entry, from enclosures and media:content, each address once."""
    once: dict[str, Enclosure] = {}
    for file in _enclosures(raw, base):
        once[file.url] = _merge_files(once[file.url], file) if file.url in once else file
    files = list(once.values())[: coerce.MAX_FILES]
    # itunes:duration is the entry's, and so is that of its one recording.
    duration = coerce.seconds(raw.duration)
    for place, file in enumerate(files):
        if duration and file.duration is None and not _is_image(file.media_type):
            files[place] = replace(file, duration=duration)
            break
    return tuple(files)


def find_image(raw: RawEntry, files: tuple[Enclosure, ...], base: str | None) -> str | None:
    """Return the address of the image that stands for an entry."""
    candidates = [
        *raw.images,
        *raw.thumbnails,
        *(file.url for group in raw.media for file in group if file.medium == "image"),
        *(file.url for file in files if _is_image(file.media_type)),
    ]
    return coerce.first_link(candidates, base)


def _enclosures(raw: RawEntry, base: str | None) -> Iterator[Enclosure]:
    for link in raw.links:
        if link.rel == "enclosure" and (url := coerce.file(link.href, base)):
            yield Enclosure(
                url=url,
                media_type=coerce.media_type(link.media_type),
                length=coerce.positive(link.length),
                title=coerce.line(link.title),
            )
    for file in (file for group in raw.media for file in group):
        if file.medium in ("audio", "video") and (url := coerce.file(file.url, base)):
            yield Enclosure(
                url=url,
                media_type=coerce.media_type(file.media_type),
                length=coerce.positive(file.length),
                duration=coerce.seconds(file.duration),
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


def _picture(group: tuple[RawFile, ...], base: str | None) -> Picture | None:
    """Return the largest picture in a group of files; None if one of them is audio or video."""
    if any(file.medium in ("audio", "video") for file in group):
        return None
    images = [file for file in group if file.medium == "image"]
    for file in sorted(images, key=_width, reverse=True):
        if url := coerce.file(file.url, base):
            title = coerce.line(file.title)
            # A title of one word is mostly the name of the file.
            alt = coerce.line(file.description) or (title if " " in (title or "") else None)
            return Picture(url=url, alt=alt, width=_width(file), is_hidden=file.is_hidden)
    return None


def _width(file: RawFile) -> int:
    return coerce.number(file.width) or 0


_NO_EPISODE, _NO_ORIGIN = Episode(), Origin()
_NOTHING: Object = MappingProxyType({})


def read_entry(
    raw: RawEntry, *, feed: Profile, base: str | None, show: Object = _NOTHING
) -> ParsedEntry:
    """Read an entry of the feed that was found at `base`.

    `show` is what the feed says in the podcast namespace of all its episodes.
    """
    link = _link(raw, feed.link, base)
    # Trap: what a relative address is relative to, when there is no xml:base. By RFC 4287 it is
    # the feed's address; by what publishers do, the page the text was taken from.
    bases = (link, feed.link, base)
    nearest = next(filter(None, bases), None)
    is_atom = feed.format.startswith("atom")
    answered = coerce.links(raw.answered)  # what is not absolute is an id, and no address
    texts = read_summary_and_content(raw, *bases, is_atom=is_atom)
    summary, content = compose.mention_answered(texts, answered)
    files = read_enclosures(raw, nearest)
    # The one picture beside a recording is its cover, mostly that of the show.
    pictures = [picture for group in raw.media if (picture := _picture(group, base))]
    is_cover = len(pictures) == 1 and any(map(media.plays, files))
    pictures = [] if is_cover else _add_caption(pictures, raw.caption_of_all, summary or content)
    return ParsedEntry(
        id=coerce.string(raw.id) or "",
        link=link,
        title=read_text(raw.title, *bases),
        summary=summary,
        content=add_pictures(content, summary, [*pictures, *list_pictures(files)]),
        authors=read_people(raw, *bases),
        categories=read_categories(raw, keywords=False),
        published=dates.parse_date(raw.published, raw.created),
        updated=dates.parse_date(raw.updated),
        enclosures=files,
        image=find_image(raw, files, nearest),
        # RSS comments; Atom replies (RFC 4685 §4).
        comments=coerce.first_link([raw.comments, *find_addresses(raw, "replies")], nearest),
        in_reply_to=answered,
        rights=coerce.line(raw.rights and raw.rights.value),
        origin=_origin(raw.source, nearest),
        language=_language(raw, feed),
        episode=_episode(raw, base, show if any(map(media.plays, files)) else _NOTHING),
    )


def _link(raw: RawEntry, *bases: str | None) -> str | None:
    return (
        # What the link was before a service put one of its own in its place.
        coerce.link(raw.original)
        or coerce.first_link(find_addresses(raw, "alternate"), *bases)
        # An id is an address only when it is a whole one,
        or coerce.link(raw.page)
        # or says that it is. Numbers and names say so by mistake.
        or (coerce.link(raw.id, *bases) if raw.has_permalink and _is_path(raw.id or "") else None)
    )


def _is_path(guid: str) -> bool:
    return "/" in guid or guid.startswith("?")


def _add_caption(pictures: list[Picture], caption: str | None, own: Text | None) -> list[Picture]:
    """Give pictures without words the caption of their item, unless that is its only text."""
    if not caption or own is None or coerce.line(own.value) == caption:
        return pictures
    return [replace(image, alt=image.alt or caption) for image in pictures]


def _origin(source: RawNode | None, base: str | None) -> Origin | None:
    if source is None:
        return None
    origin = Origin(
        id=coerce.line(source.id),
        title=coerce.line(source.title and source.title.value),
        link=coerce.first_link(find_addresses(source, "alternate"), base),
        url=coerce.first_link(find_addresses(source, "self"), base),
    )
    return origin if origin != _NO_ORIGIN else None


def _language(raw: RawEntry, feed: Profile) -> str | None:
    """Return the language by dc:language or an inherited xml:lang, else that of the feed."""
    texts = [*raw.contents, raw.summary, raw.title]
    return coerce.language(raw.language, *(text.language for text in texts if text), feed.language)


def _episode(raw: RawEntry, base: str | None, show: Object) -> Episode | None:
    kind = (coerce.line(raw.episode_type) or "").lower()
    episode = Episode(
        number=coerce.positive(raw.episode),
        season=coerce.positive(raw.season),
        kind=kind if kind in EPISODE_KINDS else None,
        explicit=_explicit(raw),
        chapters=coerce.file(raw.chapters, base),
        transcripts=tuple(_transcripts(raw, base))[: coerce.MAX_FILES],
        persons=merge_people(
            make_person(someone.name, someone.url, base) for someone in raw.persons
        ),
        **read_podcasting(raw.podcasting, base, show=show),
    )
    return episode if episode != _NO_EPISODE else None


def _transcripts(raw: RawEntry, base: str | None) -> Iterator[Transcript]:
    for transcript in raw.transcripts:
        url = coerce.file(transcript.url, base)
        media_type = coerce.line(transcript.media_type)
        if url and media_type:
            language = coerce.language(transcript.language)
            yield Transcript(url=url, media_type=media_type, language=language)


# A feed without entries is a feed, but not if they only cannot be found.
_CUT_OFF = frozenset({"no element found", "unclosed token", "unclosed CDATA section"})
_ENTRY = re.compile(r"<(?:[\w.-]+:)?(?:item|entry)[\s/>]")


def read(document: FeedDocument) -> ParsedFeed:
    """Read the feed in a document; see `planet.parse.parse`.

    Raises:
        ParseError: `not_a_feed` or `unreadable`.
    """
    element, base = cut_out_feed(document.text), document.base
    mended, fault, raw = element, None, None
    try:
        raw = read_tree(_parse(element))
    except NotWellFormedError as error:
        fault, mended = str(error), escape_matches(repair(element), BARE_LESS_THAN, "&lt;")
    except TooComplexError as error:
        raise ParseError("unreadable", "the feed is too complex to be one") from error
    if raw is None:
        # A run in which all feeds are well-formed needs none of it.
        from planet.parse.feedparser import parse_damaged

        raw = parse_damaged(mended)
    if not raw.version and not raw.entries and raw.channel.title is None:
        raise make_not_a_feed_error(document.text)
    if fault and not raw.entries and (fault in _CUT_OFF or _ENTRY.search(element)):
        raise ParseError("unreadable", f"the feed is damaged ({fault}) and no entry can be read")
    odd = [f"not well-formed XML ({fault}): read as well as possible"] if fault else []
    feed = interpret(raw, base)
    return replace(feed, notes=(*odd, *feed.notes))


def interpret(raw: RawFeed, base: str | None) -> ParsedFeed:
    """Interpret a feed that was found at `base`, whichever reader read it."""
    about = read_profile(raw.channel, version=raw.version or "xml", base=base)
    show = raw.channel.podcasting
    return make_feed(
        about, raw.entries, lambda item: read_entry(item, feed=about, base=base, show=show)
    )


def _parse(element: str) -> Tree:
    try:
        return parse_tree(element.encode("utf-8", "replace"))
    except NotWellFormedError:
        return parse_tree(repair(element).encode("utf-8", "replace"))
