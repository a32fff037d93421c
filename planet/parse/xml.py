"""RSS 0.9 to 2.0, Atom and their modules: an XML document → ParsedFeed.

Only children of channels and entries count, and of media:content and media:group: deeper elements
belong to something else. A document in damaged XML is repaired, else feedparser reads the feed.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.errors import ParseError
from planet.model import (
    EPISODE_KINDS,
    Episode,
    Funding,
    Origin,
    ParsedEntry,
    ParsedFeed,
    Person,
    Profile,
    Text,
    TextKind,
)
from planet.parse import coerce, compose, dates
from planet.parse.coerce import make_person, merge_people
from planet.parse.compose import EntryTexts, add_pictures, list_pictures, make_feed
from planet.parse.damaged import read_damaged, repair
from planet.parse.elements import (
    Link,
    channel_images,
    entry_images,
    find_addresses,
    largest_picture,
    read_answered,
    read_categories,
    read_enclosures,
    read_explicit,
    read_funding,
    read_groups,
    read_hints,
    read_identity,
    read_links,
    read_people,
    read_transcripts,
)
from planet.parse.sniff import FeedDocument, cut_out_feed, make_not_a_feed_error
from planet.parse.tree import RDF_ABOUT, FeedElement, NotWellFormedError, TooComplexError, Tree
from planet.text import media
from planet.text.plain import plain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


# A feed without entries is a feed, but not if they only cannot be found.
_CUT_OFF = frozenset({"no element found", "unclosed token", "unclosed CDATA section"})
_ENTRY = re.compile(r"<(?:[\w.-]+:)?(?:item|entry)[\s/>]")


def read(document: FeedDocument) -> ParsedFeed:
    """Read the feed in a document; see `planet.parse.parse`.

    Raises:
        ParseError: `not_a_feed` or `unreadable`.
    """
    element, fault = cut_out_feed(document.text), ""
    try:
        if feed := _FeedReader(_parse(element), document.base).read():
            return feed
    except NotWellFormedError as error:
        fault = str(error)
    except TooComplexError as error:
        raise ParseError("unreadable", "the feed is too complex to be one") from error
    feed = read_damaged(element, document.base)
    if feed.profile.format == "xml" and not feed.entries and feed.profile.title is None:
        raise make_not_a_feed_error(document.text)
    if not fault:
        return feed
    if not feed.entries and (fault in _CUT_OFF or _ENTRY.search(element)):
        raise ParseError("unreadable", f"the feed is damaged ({fault}) and no entry can be read")
    return replace(feed, notes=(f"not well-formed XML ({fault}): read by feedparser", *feed.notes))


def _parse(element: str) -> FeedElement:
    try:
        return Tree(element).root
    except NotWellFormedError:
        return Tree(repair(element)).root


_ITEMS = frozenset({"item", "entry"})
_PUBLISHED = ("published", "issued", "pubdate", "dcterms:issued")
_CREATED = ("created", "dcterms:created")
_UPDATED = ("updated", "modified", "lastbuilddate", "dc:date", "dcterms:modified")
_CONTENTS = frozenset({"content", "content:encoded", "fullitem", "body", "xhtml:body"})
_SUMMARIES = frozenset({"description", "summary", "abstract", "itunes:summary"})
_TITLES = ("title", "dc:title")
_DESCRIPTIONS = ("description", "subtitle", "tagline", "dc:description", "itunes:subtitle")
_RIGHTS = ("rights", "copyright", "dc:rights")
_LANGUAGES = ("language", "dc:language")


def _format(root: FeedElement) -> str:
    """Return the format of a document, such as `rss20`; empty for no feed."""
    number = (root.get("version") or "").replace(".", "")
    match root.name:
        case "rss":
            return "rss20" if number.startswith("2") else f"rss{number[:3]}"
        # Their names have no prefix in a namespace of RSS alone.
        case "rdf:rdf" if root["channel"] or root["item"]:
            return "rss10"
        case "feed" | "entry":
            return f"atom{number[:2] or '10'}"
    return ""


class _FeedReader:
    """The reader of one document found at `base`."""

    def __init__(self, root: FeedElement, base: str | None) -> None:
        self._root = root
        self._base = base
        self._format = _format(root)
        self._is_atom = self._format.startswith("atom")
        self._feed = Profile(format=self._format)
        self._funding: tuple[Funding, ...] = ()

    def read(self) -> ParsedFeed | None:
        """Return the feed; None for a document of another kind."""
        if not self._format:
            return None
        if self._root.name == "entry":
            # An entry document (RFC 4287 §2) is a feed that says nothing about itself.
            return make_feed(self._feed, [self._root], self._entry)
        channel = next(iter(self._root["channel"]), self._root)
        items = channel.among(_ITEMS)
        if channel is not self._root:
            # Of RSS 1.0, they stand beside the channel.
            items += self._root.among(_ITEMS)
        if not items and any(node.name in _ITEMS for node in self._root.walk()):
            return None
        self._feed = self._profile(channel)
        self._funding = read_funding(channel, self._base)
        return make_feed(self._feed, items, self._entry)

    # What a feed says about itself.

    def _profile(self, channel: FeedElement) -> Profile:
        (own_id, page), links = read_identity(channel), read_links(channel)
        link = coerce.first_link([*find_addresses(links, "alternate"), page], self._base)
        authors = read_people(channel, link, self._base)
        owners = [make_person(node.last("itunes:name", "name")) for node in channel["itunes:owner"]]
        names = [person.name for person in (*authors, *owners) if person]
        return Profile(
            format=self._format,
            id=coerce.line(own_id),
            title=self._line(channel, *_TITLES),
            link=link,
            description=self._line(channel, *_DESCRIPTIONS, "itunes:summary", "summary"),
            author=next(iter(names), None),
            image=coerce.first_link(channel_images(channel), link, self._base),
            language=coerce.language(channel.last(*_LANGUAGES), channel.language),
            rights=self._line(channel, *_RIGHTS),
            updated=dates.parse_date(*map(channel.last, _UPDATED + _PUBLISHED)),
            explicit=read_explicit(channel),
            hints=read_hints(channel),
        )

    def _line(self, node: FeedElement, *names: str) -> str | None:
        words = self._first_text([part for name in names for part in node[name]])
        return (plain(words, coerce.MAX_LINE) or None) if words else None

    # An entry.

    def _entry(self, item: FeedElement) -> ParsedEntry:
        (own_id, page), links, groups = read_identity(item), read_links(item), read_groups(item)
        link = self._link(item, page, links)
        # Trap: what a relative address is relative to, when there is no xml:base. By RFC 4287 it
        # is the feed's address; by what publishers do, the page the text was taken from.
        bases = (link, self._feed.link, self._base)
        nearest = next(filter(None, bases), None)
        within = [
            part for node in item.among({"media:content", "media:group"}) for part in node.walk()
        ]
        answered, origin = read_answered(item), self._origin(item, nearest)
        summary, content = compose.mention_answered(self._texts(item, within, bases), answered)
        files = read_enclosures(item, links, groups, nearest)
        is_heard = any(map(media.plays, files))
        caption = self._line(item, "media:description")
        largest = (largest_picture(group, self._base, caption) for group in groups)
        pictures = list(filter(None, largest))
        if is_heard and len(pictures) == 1:
            # The one picture beside a recording is its cover, mostly that of the show.
            pictures = []
        titles = [part for name in _TITLES for part in item[name]]
        inner = [node for node in (*item["media:title"], *within) if node.name == "media:title"]
        texts = (*item.among(_CONTENTS), *item.among(_SUMMARIES), *titles, item)
        return ParsedEntry(
            id=coerce.string(own_id or item.get(RDF_ABOUT)) or "",
            link=link,
            title=self._first_text([*titles, *inner], *bases),
            summary=summary,
            content=add_pictures(content, summary, [*pictures, *list_pictures(files)]),
            authors=_without_source(read_people(item, *bases), origin),
            categories=coerce.lines(
                category for node in (item, *within) for category in read_categories(node)
            ),
            published=dates.parse_date(*map(item.last, _PUBLISHED + _CREATED)),
            updated=dates.parse_date(*map(item.last, _UPDATED)),
            enclosures=files,
            image=coerce.first_link(entry_images(item, within, groups, files), nearest),
            # RSS comments; Atom replies (RFC 4685 §4).
            comments=coerce.first_link(
                [item.last("comments"), *find_addresses(links, "replies")], nearest
            ),
            in_reply_to=answered,
            rights=self._line(item, *_RIGHTS),
            origin=origin,
            language=coerce.language(
                item.last(*_LANGUAGES), *(node.language for node in texts), self._feed.language
            ),
            episode=self._episode(item, is_heard=is_heard),
        )

    def _link(self, item: FeedElement, page: str | None, links: list[Link]) -> str | None:
        return (
            # What the link was before a service put one of its own in its place.
            coerce.link(item.last("feedburner:origlink"))
            or coerce.first_link(find_addresses(links, "alternate"), self._feed.link, self._base)
            # An id is an address only when it is a whole one,
            or coerce.link(page)
            # An empty reference is the base itself (RFC 3986 §4.4).
            or coerce.first_link(node.base for node in item["link"] if node.get("href") == "")
        )

    def _texts(
        self, item: FeedElement, within: list[FeedElement], bases: tuple[str | None, ...]
    ) -> EntryTexts:
        """Return summary and content; a single text keeps the role of its name."""
        contents = self._all_texts(item.among(_CONTENTS), *bases)
        briefs = self._all_texts(item.among(_SUMMARIES), *bases)
        summary = next(iter(briefs), None)
        # Which is the whole one shows when they are compared: itunes:summary is one, too.
        content = max(contents or briefs[1:], key=_richness, default=None)
        if content and summary and not self._is_atom:
            brief, whole = _richness(summary), _richness(content)
            # What is called a content is the whole text, unless it has no markup where another has.
            content = None if (brief[:2] > whole[:2] if contents else brief >= whole) else content
        named = [*item["dc:description"], *item["media:description"]]
        inner = [node for node in within if node.name == "media:description"]
        summary = summary or self._first_text([*named, *inner], *bases)
        return compose.drop_empty_text(summary, content)

    def _origin(self, item: FeedElement, base: str | None) -> Origin | None:
        if not item["source"]:
            return None
        source = item["source"][0]
        links = read_links(source)
        origin = Origin(
            id=coerce.line(read_identity(source)[0]),
            title=self._line(source, *_TITLES) or coerce.line(source.words),
            link=coerce.first_link(find_addresses(links, "alternate"), base),
            # RSS gives the address of the feed there (RSS 2.0, <source>).
            url=coerce.first_link([*find_addresses(links, "self"), source.get("url")], base),
        )
        return origin if origin != Origin() else None

    def _episode(self, item: FeedElement, *, is_heard: bool) -> Episode | None:
        kind = (item.last("itunes:episodetype") or "").lower()
        chapters = (node.get("url") for node in item["podcast:chapters"])
        episode = Episode(
            number=coerce.positive(item.last("itunes:episode")),
            season=coerce.positive(item.last("itunes:season")),
            kind=kind if kind in EPISODE_KINDS else None,
            explicit=read_explicit(item),
            chapters=coerce.first_link(chapters, self._base),
            transcripts=read_transcripts(item, self._base),
            persons=merge_people(
                make_person(node.words, node.get("href"), self._base)
                for node in item["podcast:person"]
            ),
            # What an episode does not say itself, its show says.
            funding=read_funding(item, self._base) or (self._funding if is_heard else ()),
        )
        return episode if episode != Episode() else None

    # A text.

    def _all_texts(self, nodes: Collection[FeedElement], *bases: str | None) -> list[Text]:
        return [text for node in nodes if (text := self._text(node, *bases))]

    def _first_text(self, nodes: Collection[FeedElement], *bases: str | None) -> Text | None:
        return next(filter(None, (self._text(node, *bases) for node in nodes)), None)

    def _text(self, node: FeedElement, *bases: str | None) -> Text | None:
        """Read a text construct; None when it is empty, or no text (RFC 4287 §4.1.3.1).

        Links are relative to the xml:base of the node, else to the first of `bases`.
        """
        kind = (node.get("type") or _TYPES.get(node.name, "text/plain")).lower()
        kind = _KINDS.get(kind, kind)
        if "/" in kind and not kind.startswith(("text/", _XHTML)):
            return None
        value = node.text
        if node.children:
            kind, value = self._inline(node, kind)
        elif kind == _XHTML:
            value = escape(value, quote=False)
        words = coerce.string(coerce.repair_encoding(value.strip()))
        if words is None:
            return None
        # Where the type is no media type ("markdown", "escaped"), a text is HTML when it looks like
        # it; so is plain text of RSS.
        is_vague = "/" not in kind or (kind == "text/plain" and not self._is_atom)
        form = TextKind.HTML if kind == _XHTML else TextKind.TEXT
        if kind == "text/html" or (is_vague and coerce.is_markup(words)):
            form, words = TextKind.HTML, _NO_TAG.sub("&lt;", words)
        nearest = next(filter(None, bases), None)
        if node.base and nearest:
            # xml:base may be relative itself, to the document: the last base.
            nearest = coerce.link(node.base, next(filter(None, reversed(bases)))) or nearest
        return Text(value=words[: coerce.MAX_TEXT], kind=form, base=nearest)

    def _inline(self, node: FeedElement, kind: str) -> tuple[str, str]:
        """Return type and value of a text with inner elements, whatever the declared type."""
        only = node.children[0]
        is_wrapped = (
            len(node.children) == 1
            and _local_name(only) == "div"
            and not node.text.strip()
            and not only.tail.strip()
        )
        if is_wrapped and kind != _XHTML and not only.children:
            return kind, only.text
        # RFC 4287 §3.1.1.3: the div is no part of the content.
        return _XHTML, _write_content(only if is_wrapped and self._format == "atom10" else node)


_XHTML = "application/xhtml+xml"
# The types of texts that declare none.
_TYPES = {"body": _XHTML, "xhtml:body": _XHTML}
_TYPES |= dict.fromkeys(("description", "media:description", "dc:description"), "text/html")
_TYPES |= dict.fromkeys(("content:encoded", "fullitem"), "text/html")
_KINDS = {"text": "text/plain", "plain": "text/plain", "html": "text/html", "xhtml": _XHTML}
# What only looks like a tag: `<stdio.h>`, `<bob@mail.example>`, `<https://blog.example/>`.
_NO_TAG = re.compile(r"<(?=[a-zA-Z][\w+/-]*(?:[.@]|://))")


def _local_name(node: FeedElement) -> str:
    return node.name.rpartition(":")[2]


def _write_content(node: FeedElement) -> str:
    """Return the content of a node as HTML."""
    pieces = [escape(node.text, quote=False)]
    for child in node.children:
        name = _local_name(child)
        attributes = "".join(
            f' {key.lower().rpartition("}")[2]}="{escape(value)}"'
            for key, value in child.attributes.items()
        )
        # HTML takes the end tag of `<br/>` for another one.
        end = "" if name == "br" else f"</{name}>"
        tail = escape(child.tail, quote=False)
        pieces.append(f"<{name}{attributes}>{_write_content(child)}{end}{tail}")
    return "".join(pieces)


def _without_source(people: Iterable[Person], origin: Origin | None) -> tuple[Person, ...]:
    """Return people without the name of the source that planets put behind their own."""
    behind = f" ({origin.title})" if origin and origin.title else ""
    return tuple(replace(one, name=one.name and one.name.removesuffix(behind)) for one in people)


def _richness(text: Text) -> tuple[bool, bool, int]:
    # A description counts as HTML, but one without tags is no richer than plain text.
    has_markup = text.kind is TextKind.HTML and "<" in text.value
    return not coerce.shows_nothing(text), has_markup, len(text.value)
