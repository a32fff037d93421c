"""RSS 0.9 to 2.0, Atom and their modules: an XML document → ParsedFeed.

Only children of channels and entries count, and of media:content and media:group: what stands
deeper belongs to something else. What is no XML is mended, and what stays none feedparser reads.
"""

from __future__ import annotations

import re
from html.entities import html5
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

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
from planet.parse.coerce import EntryTexts, make_person, merge_people
from planet.parse.compose import add_pictures, list_pictures
from planet.parse.elements import (
    Identity,
    Link,
    channel_images,
    find_addresses,
    join_address,
    last_words,
    last_words_of,
    own_words,
    read_answered,
    read_categories,
    read_explicit,
    read_funding,
    read_hints,
    read_links,
    read_people,
    read_transcripts,
    text_value,
)
from planet.parse.files import (
    add_caption,
    entry_images,
    largest_picture,
    read_enclosures,
    read_media_files,
)
from planet.parse.identify import make_feed
from planet.parse.repair import escape_bare_tags, repair
from planet.parse.sniff import FeedDocument, cut_out_feed, make_not_a_feed_error
from planet.parse.tree import (
    RDF_ABOUT,
    FeedElement,
    NotWellFormedError,
    TooComplexError,
    Tree,
    local_name,
)
from planet.text import media, policy
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
    element = cut_out_feed(document.text)
    mended, fault = element, ""
    try:
        if feed := _FeedReader(_parse(element), document.base).read():
            return feed
    except NotWellFormedError as error:
        fault, mended = str(error), escape_bare_tags(repair(element))
    except TooComplexError as error:
        raise ParseError("unreadable", "the feed is too complex to be one") from error
    # A run in which all feeds are well-formed needs none of it.
    from planet.parse.damaged import read_damaged

    feed = read_damaged(mended, document.base)
    if feed.profile.format == "xml" and not feed.entries and feed.profile.title is None:
        raise make_not_a_feed_error(document.text)
    if not fault:
        return feed
    if not feed.entries and (fault in _CUT_OFF or _ENTRY.search(element)):
        raise ParseError("unreadable", f"the feed is damaged ({fault}) and no entry can be read")
    return replace(feed, notes=(f"not well-formed XML ({fault}): read by feedparser", *feed.notes))


def _parse(element: str) -> Tree:
    try:
        return Tree(element.encode("utf-8", "replace"))
    except NotWellFormedError:
        return Tree(repair(element).encode("utf-8", "replace"))


_ITEMS = frozenset({"item", "entry"})
_PUBLISHED = frozenset({"published", "issued", "pubdate", "dcterms:issued"})
_UPDATED = frozenset({"updated", "modified", "lastbuilddate", "dc:date", "dcterms:modified"})
_CREATED = frozenset({"created", "dcterms:created"})
_LANGUAGES = frozenset({"language", "dc:language"})
_CONTENTS = frozenset({"content", "content:encoded", "fullitem", "body", "xhtml:body"})
_SUMMARIES = frozenset({"description", "summary", "abstract"})
_SPOKEN = frozenset({"itunes:summary"})
_DESCRIPTIONS = ("description", "subtitle", "tagline", "dc:description", "itunes:subtitle")
_RIGHTS = ("rights", "copyright", "dc:rights")
_NO_EPISODE, _NO_ORIGIN = Episode(), Origin()


def _format(tree: Tree) -> str:
    """Return the format of a document, such as `rss20`; empty for one that is no feed."""
    number = (tree.root.get("version") or "").replace(".", "")
    match tree.root.name:
        case "rss":
            return "rss20" if number.startswith("2") else f"rss{number[:3]}"
        case "rdf:rdf" if "http://purl.org/rss/1.0/" in tree.namespaces:
            return "rss10"
        case "rdf:rdf" if "http://my.netscape.com/rdf/simple/0.9/" in tree.namespaces:
            return "rss090"
        case "feed" | "entry" if "http://www.w3.org/2005/atom" in tree.namespaces:
            return "atom10"
        case "feed":
            return f"atom{number[:2]}"
    return ""


class _FeedReader:
    """Reads one document that was found at `base`."""

    def __init__(self, tree: Tree, base: str | None) -> None:
        self._root = tree.root
        self._base = base
        self._format = _format(tree)
        self._is_atom = self._format.startswith("atom")
        self._feed = Profile(format=self._format)
        self._funding: tuple[Funding, ...] = ()

    def read(self) -> ParsedFeed | None:
        """Return the feed; None for a document that is no feed known here."""
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
        page = Identity.of(channel).page
        links = read_links(channel)
        link = coerce.first_link([*find_addresses(links, "alternate"), page], self._base)
        authors = read_people(channel, link, self._base)
        if not authors:
            owners = [last_words(owner, "itunes:name", "name") for owner in channel["itunes:owner"]]
            authors = merge_people(map(make_person, owners))
        return Profile(
            format=self._format,
            id=coerce.line(Identity.of(channel).id),
            title=self._line(channel, "title", "dc:title"),
            link=link,
            description=self._line(channel, *_DESCRIPTIONS, "itunes:summary", "summary"),
            author=authors[0].name if authors else None,
            image=coerce.first_link(channel_images(channel), link, self._base),
            language=coerce.language(last_words_of(channel, _LANGUAGES) or channel.language),
            rights=self._line(channel, *_RIGHTS),
            updated=dates.parse_date(
                last_words_of(channel, _UPDATED), last_words_of(channel, _PUBLISHED)
            ),
            explicit=read_explicit(channel),
            hints=read_hints(channel, coerce.links(find_addresses(links, "hub"), self._base)),
        )

    def _line(self, node: FeedElement, *names: str) -> str | None:
        words = self._first_text(node, names)
        return (plain(words, coerce.MAX_LINE) or None) if words else None

    # An entry.

    def _entry(self, item: FeedElement) -> ParsedEntry:
        identity, links = Identity.of(item), read_links(item)
        link = self._link(item, identity, links)
        # Trap: what a relative address is relative to, when there is no xml:base. By RFC 4287 it
        # is the feed's address; by what publishers do, the page the text was taken from.
        bases = (link, self._feed.link, self._base)
        nearest = next(filter(None, bases), None)
        answered = read_answered(item)
        media_nodes = item.among({"media:content", "media:group"})
        groups = [read_media_files(node) for node in media_nodes]
        within = [part for node in media_nodes for part in node.walk()]
        texts = self._texts(item, within, bases)
        summary, content = compose.mention_answered(texts, answered)
        files = read_enclosures(item, links, groups, nearest)
        is_heard = any(map(media.plays, files))
        # The one picture beside a recording is its cover, mostly that of the show.
        pictures = [picture for group in groups if (picture := largest_picture(group, self._base))]
        if len(pictures) == 1 and is_heard:
            pictures = []
        origin = self._origin(item, nearest)
        own_caption = self._first_text(item, ("media:description",))
        pictures = add_caption(pictures, own_caption, summary or content)
        return ParsedEntry(
            id=coerce.string(identity.id or item.get(RDF_ABOUT)) or "",
            link=link,
            title=self._own_or_inner(item, within, ("title", "dc:title", "media:title"), bases),
            summary=summary,
            content=add_pictures(content, summary, [*pictures, *list_pictures(files)]),
            authors=_without_source(read_people(item, *bases), origin),
            categories=coerce.lines(
                category for node in [item, *media_nodes] for category in read_categories(node)
            ),
            published=dates.parse_date(
                last_words_of(item, _PUBLISHED), last_words_of(item, _CREATED)
            ),
            updated=dates.parse_date(last_words_of(item, _UPDATED)),
            enclosures=files,
            image=coerce.first_link(entry_images(item, within, groups, files), nearest),
            # RSS comments; Atom replies (RFC 4685 §4).
            comments=coerce.first_link(
                [join_address(item, "comments"), *find_addresses(links, "replies")], nearest
            ),
            in_reply_to=answered,
            rights=coerce.line(text_value(self._first_text(item, _RIGHTS))),
            origin=origin,
            language=self._language(item),
            episode=self._episode(item, is_heard=is_heard),
        )

    def _link(self, item: FeedElement, identity: Identity, links: list[Link]) -> str | None:
        bases = (self._feed.link, self._base)
        return (
            # What the link was before a service put one of its own in its place.
            coerce.link(last_words(item, "feedburner:origlink"))
            or coerce.first_link(find_addresses(links, "alternate"), *bases)
            # An id is an address only when it is a whole one,
            or coerce.link(identity.page)
            # An empty reference is the base itself (RFC 3986 §4.4).
            or coerce.first_link(node.base for node in item["link"] if node.get("href") == "")
        )

    def _own_or_inner(
        self,
        item: FeedElement,
        within: list[FeedElement],
        names: tuple[str, ...],
        bases: tuple[str | None, ...],
    ) -> Text | None:
        """Return the text under the first of these names, else under the last one in its files."""
        inner = (node for node in within if node.name == names[-1])
        texts = (self._text(node, *bases) for node in inner)
        return self._first_text(item, names, *bases) or next(filter(None, texts), None)

    def _texts(
        self, item: FeedElement, within: list[FeedElement], bases: tuple[str | None, ...]
    ) -> EntryTexts:
        """Return summary and content; a text that stands alone stays what it was called."""
        content = max(self._all_texts(item, _CONTENTS, bases), key=_richness, default=None)
        if content:
            summaries = self._all_texts(item, _SUMMARIES, bases)
            summary = next(iter(summaries or self._all_texts(item, _SPOKEN, bases)), None)
            is_worse = summary is not None and _richness(content)[:2] < _richness(summary)[:2]
        else:
            # Which is the whole one shows when they are compared: itunes:summary is one, too.
            texts = self._all_texts(item, _SUMMARIES | _SPOKEN, bases)
            summary, content = next(iter(texts), None), max(texts[1:], key=_richness, default=None)
            is_worse = bool(summary and content) and max(texts, key=_richness) is summary
        if is_worse and not self._is_atom:
            content = None
        named = ("dc:description", "media:description")
        summary = summary or self._own_or_inner(item, within, named, bases)
        return coerce.drop_empty_text(summary, content)

    def _origin(self, item: FeedElement, base: str | None) -> Origin | None:
        source = next(iter(item["source"]), None)
        if source is None:
            return None
        links, title = read_links(source), own_words(source)
        if source.children:
            title = text_value(self._first_text(source, ("title", "dc:title"))) or ""
        origin = Origin(
            id=coerce.line(Identity.of(source).id),
            title=coerce.line(title),
            link=coerce.first_link(find_addresses(links, "alternate"), base),
            # RSS gives the address of the feed there (RSS 2.0, <source>).
            url=coerce.first_link([*find_addresses(links, "self"), source.get("url")], base),
        )
        return origin if origin != _NO_ORIGIN else None

    def _language(self, item: FeedElement) -> str | None:
        """Return the language by dc:language or an inherited xml:lang, else that of the feed."""
        texts = [*item.among(_CONTENTS), *item.among(_SUMMARIES), *item["title"]]
        inherited = [node.language for node in [*texts, item]]
        return coerce.language(last_words_of(item, _LANGUAGES), *inherited, self._feed.language)

    def _episode(self, item: FeedElement, *, is_heard: bool) -> Episode | None:
        kind = (coerce.line(last_words(item, "itunes:episodetype")) or "").lower()
        chapters = [node.get("url") for node in item["podcast:chapters"]]
        episode = Episode(
            number=coerce.positive(last_words(item, "itunes:episode")),
            season=coerce.positive(last_words(item, "itunes:season")),
            kind=kind if kind in EPISODE_KINDS else None,
            explicit=read_explicit(item),
            chapters=coerce.file(next(reversed(chapters), None), self._base),
            transcripts=tuple(read_transcripts(item, self._base))[: coerce.MAX_FILES],
            persons=merge_people(
                make_person(own_words(node), node.get("href"), self._base)
                for node in item["podcast:person"]
            ),
            # What an episode does not say itself, its show says.
            funding=read_funding(item, self._base) or (self._funding if is_heard else ()),
        )
        return episode if episode != _NO_EPISODE else None

    # A text.

    def _first_text(
        self, node: FeedElement, names: Iterable[str], *bases: str | None
    ) -> Text | None:
        """Return the text under the first of these names that has one."""
        for name in names:
            for part in node[name]:
                if text := self._text(part, *bases):
                    return text
        return None

    def _all_texts(
        self, item: FeedElement, names: Collection[str], bases: tuple[str | None, ...]
    ) -> list[Text]:
        return [text for node in item.among(names) if (text := self._text(node, *bases))]

    def _text(self, node: FeedElement, *bases: str | None) -> Text | None:
        """Read a text construct; None when it is empty, or no text (RFC 4287 §4.1.3.1).

        Its links are relative to its xml:base; where it has none, to the first of `bases`.
        """
        kind = (node.get("type") or _TYPES.get(node.name, "text/plain")).lower()
        kind = _KINDS.get(kind, kind)
        if "/" in kind and not kind.startswith(("text/", _XHTML)):
            return None
        value = node.text
        if node.children:
            kind, value = self._inline(node, kind)
        elif kind == _XHTML:
            value = escape(value)
        words = coerce.string(coerce.repair_encoding(value.strip()))
        if words is None:
            return None
        form = TextKind.TEXT
        if kind == _XHTML:
            # Made ids depend on how `<br/>` is written; HTML takes its end tag for another one.
            form, words = TextKind.HTML, words.replace("</br>", "")
        elif (
            kind == "text/html"
            # Where the type is no media type ("markdown", "escaped"), a text is HTML when it looks
            # like it; so is plain text of RSS.
            or ("/" not in kind and coerce.is_markup(words))
            or (kind == "text/plain" and not self._is_atom and _looks_like_html(words))
        ):
            form, words = TextKind.HTML, _NO_TAG.sub("&lt;", words)
        nearest = next(filter(None, bases), None)
        if node.base and nearest:
            # xml:base may be relative itself, to the document: the last base.
            nearest = coerce.link(node.base, next(filter(None, reversed(bases)))) or nearest
        return Text(value=words[: coerce.MAX_TEXT], kind=form, base=nearest)

    def _inline(self, node: FeedElement, kind: str) -> tuple[str, str]:
        """Return type and value of a text with elements in it, whatever type it declares."""
        only = node.children[0]
        is_wrapped = (
            len(node.children) == 1
            and local_name(only.name) == "div"
            and not node.text.strip()
            and not only.tail.strip()
        )
        if is_wrapped and kind != _XHTML and not only.children:
            return kind, only.text
        pieces: list[str] = []
        # RFC 4287 §3.1.1.3: the div is no part of the content.
        _write_content(only if is_wrapped and self._format == "atom10" else node, pieces)
        return _XHTML, "".join(pieces)


_XHTML = "application/xhtml+xml"
# What a text is that does not say so.
_TYPES = {
    **dict.fromkeys(("description", "media:description", "dc:description"), "text/html"),
    **dict.fromkeys(("content:encoded", "fullitem"), "text/html"),
    **dict.fromkeys(("body", "xhtml:body"), _XHTML),
}
_KINDS = {"text": "text/plain", "plain": "text/plain", "html": "text/html", "xhtml": _XHTML}
# What only looks like a tag: `<stdio.h>`, `<bob@mail.example>`, `<https://blog.example/>`.
_NO_TAG = re.compile(r"<(?=[a-zA-Z][\w+/-]*(?:[.@]|://))")
_TAGS = re.compile(r"</?(\w+)")
_END_TAG = re.compile(r"</\w+>")
_REFERENCES = re.compile(r"&(?:#\w+|(\w+));")
_ELEMENTS = frozenset(
    {*policy.ELEMENTS, *policy.RENAMED, "area", "big", "button", "fieldset", "font", "form"}
    | {"input", "label", "legend", "map", "meter", "option", "progress", "select", "textarea"}
)


def _looks_like_html(words: str) -> bool:
    """Return whether a text that should be plain has end tags or references, all of HTML."""
    references = _REFERENCES.findall(words) if "&" in words else []
    if not references and not ("</" in words and _END_TAG.search(words)):
        return False
    return all(name.lower() in _ELEMENTS for name in _TAGS.findall(words)) and all(
        f"{name};" in html5 for name in filter(None, references)
    )


def _write_content(node: FeedElement, pieces: list[str]) -> None:
    """Add what is in a node, as feedparser writes XHTML: made ids depend on it."""
    pieces.append(escape(node.text))
    for child in node.children:
        name = local_name(child.name)
        attributes = "".join(
            f" {key.lower().rpartition('}')[2]}={_quote(value)}"
            for key, value in child.attributes.items()
        )
        pieces.append(f"<{name}{attributes}>")
        _write_content(child, pieces)
        pieces.append(f"</{name}>")
        pieces.append(escape(child.tail))


def _quote(value: str) -> str:
    return '"' + escape(value, {'"': "&quot;"}) + '"'


def _without_source(people: Iterable[Person], origin: Origin | None) -> tuple[Person, ...]:
    """Return people without the name of their source behind their own, where a planet puts it."""
    behind = f" ({origin.title})" if origin and origin.title else ""
    return tuple(replace(one, name=one.name and one.name.removesuffix(behind)) for one in people)


def _richness(text: Text) -> tuple[bool, bool, int]:
    # A description counts as HTML, but one without tags is no richer than plain text.
    has_markup = text.kind is TextKind.HTML and "<" in text.value
    return not coerce.shows_nothing(text), has_markup, len(text.value)
