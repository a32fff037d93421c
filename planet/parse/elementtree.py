"""A well-formed document → RawFeed, by ElementTree: RSS 0.9 to 2.0, Atom, and their modules.

Only children of channels and entries count, and of media:content and media:group: what stands
deeper belongs to something else. Names are compared without regard to capitals, and namespaces as
they are met.
"""

from __future__ import annotations

import base64
import re
from contextlib import suppress
from html.entities import html5
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser
from xml.parsers.expat import ErrorString
from xml.sax.saxutils import escape

from planet.parse import coerce
from planet.parse.podcasting import collect_podcasting
from planet.parse.raw import (
    RawAccount,
    RawCategory,
    RawChannel,
    RawEntry,
    RawFeed,
    RawFile,
    RawLink,
    RawNode,
    RawPerson,
    RawText,
    RawTranscript,
)
from planet.text import policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MAX_DEPTH = 200
MAX_ATTRIBUTES = 200
"""Of one element: feedparser takes quadratic time over them."""
MAX_NAMESPACES = 200
"""Different ones in a document: feedparser looks through all of them at each element."""


class TooComplexError(Exception):
    """The document is nested too deeply, or has too many namespaces or attributes of an element."""


class NotWellFormedError(Exception):
    """The document is no XML, for the reason expat gives."""


class Tree(NamedTuple):
    """A document as it is well-formed."""

    root: Element
    prefixes: Mapping[str, str]
    """By the address of a namespace, what stands for it; empty where it needs nothing."""


def parse_tree(document: bytes) -> Tree:
    """Parse a document in UTF-8 without a document type, so that nothing in it declares entities.

    Raises:
        NotWellFormedError: it is no XML.
        TooComplexError: it is past the limits of this module.
    """
    builder = _LimitedBuilder()
    parser = XMLParser(target=builder)  # noqa: S314 - nothing declares entities
    try:
        parser.feed(document)
        return Tree(parser.close(), builder.prefixes)
    except ParseError as error:
        raise NotWellFormedError(ErrorString(error.code)) from error


class _LimitedBuilder:
    """Builds elements as ElementTree does, within the limits."""

    def __init__(self) -> None:
        builder = TreeBuilder()
        self._begin, self._finish = builder.start, builder.end
        self.data, self.close = builder.data, builder.close
        self._depth = 0
        self.prefixes: dict[str, str] = {}

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH or len(attributes) > MAX_ATTRIBUTES:
            raise TooComplexError
        self._begin(tag, attributes)

    def end(self, tag: str) -> None:
        self._depth -= 1
        self._finish(tag)

    def start_ns(self, prefix: str, uri: str) -> None:
        self.prefixes.setdefault(uri or "", prefix or "")
        if len(self.prefixes) > MAX_NAMESPACES:
            raise TooComplexError


_USERLAND = "backend.userland.com/rss"
# In lower case, with the prefix that the names here have for it.
_NAMESPACES = {
    "": "",
    # RSS and Atom.
    "http://blogs.law.harvard.edu/tech/rss": "",
    "http://purl.org/rss/1.0/": "",
    "http://my.netscape.com/rdf/simple/0.9/": "",
    "http://purl.org/rss/1.0/modules/rss091#": "",
    "http://purl.org/atom/ns#": "",
    "http://www.w3.org/2005/atom": "",
    # Modules.
    "http://purl.org/rss/1.0/modules/content/": "content_",
    "http://purl.org/dc/elements/1.1/": "dc_",
    "http://purl.org/dc/terms/": "dcterms_",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner_",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes_",
    "http://example.com/dtds/podcast-1.0.dtd": "itunes_",
    "http://source.scripting.com/": "source_",
    "http://purl.org/syndication/thread/1.0": "thr_",
    "http://search.yahoo.com/mrss": "media_",
    "http://search.yahoo.com/mrss/": "media_",
    "http://purl.org/rss/1.0/modules/syndication/": "sy_",
    "https://source.scripting.com/": "source_",
    "http://source.smallpict.com/2014/07/12/thesourcenamespace.html": "source_",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf_",
    "http://www.w3.org/1999/xhtml": "xhtml_",
}
_XML = "{http://www.w3.org/XML/1998/namespace}"
_RDF_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_PREFIXES = {_XML[:-1].lower(): "xml:", "{http://www.w3.org/1999/xlink": "xlink:"}


class _Names(dict[str, str]):
    """The name by which an element is known here, by its tag."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        super().__init__()
        self._prefixes = prefixes

    def __missing__(self, tag: str) -> str:
        namespace, _, local = tag.rpartition("}")
        uri = namespace[1:].strip().lower()
        prefix = _NAMESPACES.get(uri)
        if _USERLAND in uri:
            prefix = ""
        elif "search.yahoo.com/mrss" in uri:
            prefix = "media_"
        elif "podcast" in uri and "index" in uri:
            prefix = "podcast_"
        elif prefix is None:
            # Of a namespace that is misspelt, or nobody knows, the prefix tells what it is.
            own = self._prefixes.get(namespace[1:], "").lower()
            prefix = f"{own}_" if own else ""
        name = self[tag] = f"{prefix}{local.lower()}"
        return name


class _XmlScope(NamedTuple):
    """What holds for an element and all that is in it: xml:base and xml:lang."""

    base: str = ""
    language: str | None = None

    def of(self, element: Element) -> _XmlScope:
        """Return the scope in an element of this one."""
        if not element.attrib:
            return self
        base = element.get(f"{_XML}base") or element.get("base")
        language = element.get(f"{_XML}lang", element.get("lang"))
        if base is None and language is None:
            return self
        joined = _join_url(self.base, base) if base else self.base
        return _XmlScope(
            self.base if _NO_WEB.match(joined) else joined,
            self.language if language is None else language or None,
        )


# javascript: and the like, which nothing can be relative to.
_NO_WEB = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_THREE_SLASHES = re.compile(r"^(\w+://)/+")


def _join_url(base: str, address: str) -> str:
    address = _THREE_SLASHES.sub(r"\1", address)
    if base and address:
        with suppress(ValueError):
            return urljoin(base, address)
    return address


def read_tree(tree: Tree) -> RawFeed | None:
    """Read the elements of a feed; return None for a document that is no feed known here."""
    return _TreeReader(tree).read()


class _TreeReader:
    def __init__(self, tree: Tree) -> None:
        self._root = tree.root
        self._names = _Names(tree.prefixes)
        self._version = self._version_of(tree.root)
        self._is_atom = self._version.startswith("atom")

    def _version_of(self, root: Element) -> str:
        uris = {tag.rpartition("}")[0].lower() for tag in (root.tag, *(part.tag for part in root))}
        version = root.get("version", "")
        match self._names[root.tag]:
            case "rss":
                versions = {"0.91": "091u", "0.92": "092", "0.93": "093", "0.94": "094"}
                return f"rss{'20' if version.startswith('2.') else versions.get(version, '')}"
            case "rdf_rdf" if "{http://purl.org/rss/1.0/" in uris:
                return "rss10"
            case "rdf_rdf" if "{http://my.netscape.com/rdf/simple/0.9/" in uris:
                return "rss090"
            case "feed" if "{http://www.w3.org/2005/atom" in uris:
                return "atom10"
            case "feed":
                versions = {"0.1": "01", "0.2": "02", "0.3": "03"}
                return f"atom{versions.get(version, '')}"
        return ""

    def read(self) -> RawFeed | None:
        if not self._version:
            return None
        outer = _XmlScope().of(self._root)
        channel = next(self._children(self._root, _CHANNEL), self._root)
        scope = outer.of(channel)
        entries = [self._entry(item, scope) for item in self._children(channel, _ITEMS)]
        if channel is not self._root:
            # Of RSS 1.0, they stand beside the channel.
            entries += [self._entry(item, outer) for item in self._children(self._root, _ITEMS)]
        if not entries and any(self._names[part.tag] in _ITEMS for part in self._root.iter()):
            return None
        return RawFeed(self._version, self._channel(channel, scope), entries)

    def _children(self, element: Element, names: frozenset[str]) -> Iterator[Element]:
        return (child for child in element if self._names[child.tag] in names)

    def _parts(self, elements: Iterable[Element]) -> dict[str, list[Element]]:
        """Return elements, such as the children of one, by their names."""
        parts: dict[str, list[Element]] = {}
        for child in elements:
            parts.setdefault(self._names[child.tag], []).append(child)
        return parts

    def _channel(self, element: Element, scope: _XmlScope) -> RawChannel:
        parts = self._parts(element)
        channel = RawChannel(
            ttl=_last(parts, "ttl"),
            period=_last(parts, "sy_updateperiod"),
            frequency=_last(parts, "sy_updatefrequency"),
            hours=[_words(hour) for part in parts.get("skiphours", ()) for hour in part],
            days=[_words(day) for part in parts.get("skipdays", ()) for day in part],
            accounts=[
                RawAccount(account.get("service", ""), _words(account))
                for account in parts.get("source_account", ())
            ],
        )
        self._fill(channel, element, parts, scope)
        channel.language = channel.language or scope.language
        if not channel.authors:
            owners = (self._parts(owner) for owner in parts.get("itunes_owner", ()))
            channel.authors = [RawPerson(_last(own, "itunes_name", "name")) for own in owners]
        texts = ("description", "subtitle", "tagline", "dc_description", "itunes_subtitle")
        channel.summary = self._text(parts, scope, *texts, "itunes_summary", "summary")
        addresses = [self._image(image, scope) for image in self._children(element, _IMAGES)]
        # Of several, the last one; of the pictures of Atom, the one that is no mere symbol.
        channel.images = list(filter(None, addresses))[-1:]
        for name in ("logo", "icon"):
            channel.images += [
                _join_url(scope.of(part).base, _words(part)) for part in parts.get(name, ())
            ]
        return channel

    def _image(self, image: Element, scope: _XmlScope) -> str | None:
        """Return the address of an itunes:image, or of the image of a channel."""
        if self._names[image.tag] != "image":
            return image.get("href") or image.get("url")
        url = _last(self._parts(image), "url")
        return _join_url(scope.of(image).base, url) if url else None

    def _fill(
        self, node: RawNode, element: Element, parts: dict[str, list[Element]], scope: _XmlScope
    ) -> None:
        """Set what feeds, entries and sources have in common."""
        for part in self._children(element, _IDS):
            if value := coerce.repair_latin(_own_text(part)):
                is_link = part.get("isPermaLink", "true") == "true"
                node.id = _join_url(scope.of(part).base, value) if is_link else value
                node.page = node.page or (node.id if is_link else None)
        node.links = self._links(parts, scope)
        node.title = self._text(parts, scope, "title", "dc_title")
        node.authors = self._authors(element, scope)
        node.categories = list(self._categories(element))
        node.published = self._last_of(element, _PUBLISHED)
        node.updated = self._last_of(element, _UPDATED)
        node.created = self._last_of(element, _CREATED)
        node.rights = self._text(parts, scope, "rights", "copyright", "dc_rights")
        node.language = self._last_of(element, _LANGUAGES)
        node.explicit = _last(parts, "itunes_explicit")
        node.podcasting = collect_podcasting(element, self._names)

    def _last_of(self, element: Element, names: frozenset[str]) -> str | None:
        """Return the words of the last child with one of these names that has any."""
        words = [_words(child) for child in self._children(element, names)]
        return next(filter(None, reversed(words)), None)

    def _links(self, parts: dict[str, list[Element]], scope: _XmlScope) -> list[RawLink]:
        links = []
        for element in parts.get("link", ()):
            base = scope.of(element).base
            rel = element.get("rel", "alternate").lower()
            href = _address(element)
            if href is None and (words := _words(element)):
                href = _BARE_REFERENCE.sub(r"&\1", words.replace("&amp;", "&"))
            if href:
                links.append(
                    RawLink(
                        _join_url(base, href),
                        rel,
                        _lower(element.get("type")),
                        element.get("length"),
                        element.get("title"),
                    )
                )
        for element in parts.get("enclosure", ()):
            if href := _address(element):
                media_type, length = _lower(element.get("type")), element.get("length")
                links.append(RawLink(href, "enclosure", media_type, length, element.get("title")))
        return links

    def _authors(self, node: Element, scope: _XmlScope) -> list[RawPerson]:
        authors = []
        for element in self._children(node, _AUTHORS):
            if len(element):
                own = self._parts(element)
                name, mail = (
                    _last(own, "name", "itunes_name"),
                    _last(own, "email", "itunes_email"),
                )
                url = _last(own, "uri", "url", "homepage")
                url = url and _join_url(scope.of(element).base, url)
                authors.append(RawPerson(name or (None if url else mail), url))
            else:
                authors.append(RawPerson(_words(element)))
        return authors

    def _categories(self, node: Element) -> Iterator[RawCategory]:
        for element in self._children(node, _CATEGORIES):
            name = self._names[element.tag]
            words = _words(element)
            if name == "categories":
                inner = (part for part in element.iter() if self._names[part.tag] == "category")
                yield from (RawCategory(_words(part)) for part in inner)
            elif name == "itunes_category":
                for part in element.iter():
                    if label := part.get("text"):
                        yield RawCategory(label, is_keyword=True)
            elif name in ("media_keywords", "itunes_keywords"):
                for label in filter(None, map(str.strip, words.split(","))):
                    yield RawCategory(label, is_keyword=name == "itunes_keywords")
            else:
                is_keyword = element.get("scheme", element.get("domain")) == _ITUNES
                label, term = element.get("label"), element.get("term")
                # In RSS, and often in Atom, the term is the text.
                for title in (label or term or words, words if term else None):
                    if title:
                        yield RawCategory(title, is_keyword)

    def _entry(self, element: Element, outer: _XmlScope) -> RawEntry:
        scope = outer.of(element)
        parts = self._parts(element)
        entry = RawEntry(
            original=_last(parts, "feedburner_origlink"),
            comments=_last(parts, "comments"),
            duration=_last(parts, "itunes_duration"),
            episode=_last(parts, "itunes_episode"),
            season=_last(parts, "itunes_season"),
            episode_type=_last(parts, "itunes_episodetype"),
        )
        self._fill(entry, element, parts, scope)
        if entry.comments:
            entry.comments = _join_url(scope.base, entry.comments)
        entry.markdown = _last(parts, "source_markdown")
        answered = [reply.get("href") or reply.get("ref") for reply in parts.get(_THREAD, ())]
        answered += map(_words, parts.get("source_inreplyto", ()))
        entry.answered = list(filter(None, answered))
        entry.id = entry.id or element.get(_RDF_ABOUT)
        entry.has_permalink = any(
            guid.get("isPermaLink") == "true" for guid in parts.get("guid", ())
        )
        entry.images = [
            address
            for image in self._children(element, _COVERS)
            if (address := self._image(image, scope))
        ][-1:]
        self._read_texts(entry, element, scope)
        self._read_media(entry, element, parts, scope)
        entry.account = self._text(parts, scope, "dc_description")
        self._read_podcast(entry, parts)
        for source in parts.get("source", ())[:1]:
            entry.source = self._source(source, scope)
        return entry

    def _source(self, element: Element, outer: _XmlScope) -> RawNode:
        source, parts, scope = RawNode(), self._parts(element), outer.of(element)
        self._fill(source, element, parts, scope)
        if url := element.get("url"):
            # RSS gives the address of the feed there (RSS 2.0, <source>).
            source.links.append(RawLink(url, "self"))
        if not len(element) and (words := _words(element)):
            source.title = RawText(words)
        return source

    def _read_texts(self, entry: RawEntry, item: Element, scope: _XmlScope) -> None:
        contents = list(self._children(item, _CONTENTS))
        entry.contents = self._constructs(contents, scope)
        summaries = self._constructs(self._children(item, _SUMMARIES), scope)
        spoken = self._constructs(self._children(item, _SPOKEN), scope)
        if contents:
            entry.summary = next(iter(summaries or spoken), None)
        elif texts := self._constructs(self._children(item, _SUMMARIES | _SPOKEN), scope):
            # Which is the whole one shows when they are compared.
            entry.summary, *entry.contents = texts

    def _constructs(self, elements: Iterable[Element], scope: _XmlScope) -> list[RawText]:
        return list(filter(None, (self._construct(element, scope) for element in elements)))

    def _text(
        self, parts: dict[str, list[Element]], scope: _XmlScope, *names: str
    ) -> RawText | None:
        """Return the text under the first of these names that has one."""
        for name in names:
            for element in parts.get(name, ()):
                if text := self._construct(element, scope):
                    return text
        return None

    def _construct(self, element: Element, outer: _XmlScope) -> RawText | None:
        """Read an element as a text; None when it is empty, or no text (RFC 4287 §4.1.3.1)."""
        name = self._names[element.tag]
        kind = (element.get("type") or _TYPES.get(name, "text/plain")).lower()
        kind = _KINDS.get(kind, kind)
        if "/" in kind and not kind.startswith(("text/", _XHTML)):
            return None
        if len(element):
            inner = self._inline(element, kind)
            kind, value = inner.media_type, inner.value
        elif kind == _XHTML:
            value = escape(element.text or "")
        else:
            value = element.text or ""
        if element.get("mode") == "base64":
            with suppress(ValueError):
                value = base64.b64decode(value).decode()
        value = coerce.repair_encoding(value.strip())
        if not value:
            return None
        if kind == "text/plain" and not self._is_atom and looks_like_html(value):
            kind = "text/html"
        scope = outer.of(element)
        return RawText(value, kind, scope.base or None, scope.language)

    def _inline(self, element: Element, kind: str) -> RawText:
        """Return a text with elements in it, whatever type it declares."""
        only = element[0]
        is_wrapped = (
            len(element) == 1 and _local(only) == "div" and not _has_text_around(only, element)
        )
        if is_wrapped and kind != _XHTML and not len(only):
            return RawText(only.text or "", kind)
        # RFC 4287 §3.1.1.3: the div is no part of the content.
        is_wrapped = is_wrapped and self._version == "atom10"
        pieces: list[str] = []
        _write_content(only if is_wrapped else element, pieces)
        return RawText("".join(pieces), _XHTML)

    def _read_media(
        self, entry: RawEntry, item: Element, parts: dict[str, list[Element]], scope: _XmlScope
    ) -> None:
        # Most items have none.
        if not any(name.startswith("media_") for name in parts):
            return
        own = list(self._children(item, _MEDIA))
        for element in own:
            is_group = self._names[element.tag] == "media_group"
            files = [part for part in element if self._names[part.tag] == "media_content"]
            files = files if is_group else [element]
            entry.media.append(tuple(self._file(file) for file in files))
        within = self._parts(part for one in own for part in one.iter() if part is not one)
        for thumbnail in (*parts.get("media_thumbnail", ()), *within.get("media_thumbnail", ())):
            if url := thumbnail.get("url") or _words(thumbnail):
                entry.thumbnails.append(url)
        entry.title = (
            entry.title
            or self._text(parts, scope, "media_title")
            or self._text(within, scope, "media_title")
        )
        for element in own:
            entry.categories += self._categories(element)
        entry.caption = self._text(parts, scope, "media_description")
        entry.caption_of_all = coerce.line(entry.caption.value) if entry.caption else None
        entry.caption = entry.caption or self._text(within, scope, "media_description")

    def _file(self, element: Element) -> RawFile:
        parts = self._parts(element)
        media_type = element.get("type", "").lower()
        medium = (element.get("medium") or media_type.partition("/")[0]).lower()
        return RawFile(
            url=element.get("url"),
            media_type=media_type,
            medium=medium,
            length=element.get("fileSize", element.get("filesize")),
            duration=element.get("duration"),
            width=element.get("width"),
            title=_last(parts, "media_title"),
            description=_last(parts, "media_description"),
            is_hidden=(_last(parts, "media_rating") or "").casefold() == "adult",
        )

    def _read_podcast(self, entry: RawEntry, parts: dict[str, list[Element]]) -> None:
        for element in parts.get("podcast_chapters", ()):
            entry.chapters = element.get("url")
        entry.transcripts = [
            RawTranscript(element.get("url"), element.get("type"), element.get("language"))
            for element in parts.get("podcast_transcript", ())
        ]
        entry.persons = [
            RawPerson(_words(element), element.get("href"))
            for element in parts.get("podcast_person", ())
        ]


_CHANNEL = frozenset({"channel"})
_ITEMS = frozenset({"item", "entry"})
_IDS = frozenset({"id", "guid"})
_AUTHORS = frozenset({"author", "managingeditor", "dc_creator", "dc_author", "itunes_author"})
_CATEGORIES = frozenset(
    {"category", "categories", "keywords", "dc_subject", "media_category", "media_keywords"}
    | {"itunes_category", "itunes_keywords"}
)
_COVERS = frozenset({"itunes_image", "itunes_link"})
_IMAGES = _COVERS | {"image"}
_PUBLISHED = frozenset({"published", "issued", "pubdate", "dcterms_issued"})
_UPDATED = frozenset({"updated", "modified", "lastbuilddate", "dc_date", "dcterms_modified"})
_CREATED = frozenset({"created", "dcterms_created"})
_LANGUAGES = frozenset({"language", "dc_language"})
_CONTENTS = frozenset({"content", "content_encoded", "fullitem", "body", "xhtml_body"})
_SUMMARIES = frozenset({"description", "summary", "abstract"})
_SPOKEN = frozenset({"itunes_summary"})
_MEDIA = frozenset({"media_content", "media_group"})
_THREAD = "thr_in-reply-to"
_ITUNES = "http://www.itunes.com/"
_XHTML = "application/xhtml+xml"
# What a text is that does not say so.
_TYPES = {
    **dict.fromkeys(("description", "media_description", "dc_description"), "text/html"),
    **dict.fromkeys(("content_encoded", "fullitem"), "text/html"),
    **dict.fromkeys(("body", "xhtml_body"), _XHTML),
}
_KINDS = {"text": "text/plain", "plain": "text/plain", "html": "text/html", "xhtml": _XHTML}
# Left over where the query of an address was taken for references.
_BARE_REFERENCE = re.compile("&([A-Za-z0-9_]+);")


def _own_text(element: Element) -> str:
    """Return the text of an element, without that of elements in it, which do not belong there."""
    pieces = (element.text, *(child.tail for child in element))
    return "".join(filter(None, pieces)).strip()


def _words(element: Element) -> str:
    return coerce.repair_encoding(_own_text(element))


def _last(parts: Mapping[str, list[Element]], *names: str) -> str | None:
    """Return the last words that any element has under the first name with such elements."""
    for name in names:
        for element in reversed(parts.get(name, ())):
            if words := _words(element):
                return words
    return None


def _address(element: Element) -> str | None:
    return element.get("url") or element.get("uri") or element.get("href")


def _lower(words: str | None) -> str | None:
    return words.lower() if words else None


def _local(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _has_text_around(inner: Element, outer: Element) -> bool:
    return bool((outer.text or "").strip() or (inner.tail or "").strip())


def _write_content(element: Element, pieces: list[str]) -> None:
    """Add what is in an element, as feedparser writes XHTML: made ids depend on it."""
    pieces.append(escape(element.text or ""))
    for child in element:
        name = _local(child).lower()
        attributes = "".join(f" {_attribute(key)}={_quote(value)}" for key, value in child.items())
        pieces.append(f"<{name}{attributes}>")
        _write_content(child, pieces)
        pieces.append(f"</{name}>")
        pieces.append(escape(child.tail or ""))


def _attribute(key: str) -> str:
    namespace, _, name = key.lower().rpartition("}")
    return f"{_PREFIXES.get(namespace, '')}{name}"


def _quote(value: str) -> str:
    return '"' + escape(value, {'"': "&quot;"}) + '"'


_TAGS = re.compile(r"</?(\w+)")
_END_TAG = re.compile(r"</\w+>")
_REFERENCES = re.compile(r"&(?:#\w+|(\w+));")
_ELEMENTS = frozenset(
    {*policy.ELEMENTS, *policy.RENAMED, "area", "big", "button", "fieldset", "font", "form"}
    | {"input", "label", "legend", "map", "meter", "option", "progress", "select", "textarea"}
)


def looks_like_html(words: str) -> bool:
    """Return whether a text that should be plain has end tags or references, all of HTML."""
    references = _REFERENCES.findall(words) if "&" in words else []
    if not references and not ("</" in words and _END_TAG.search(words)):
        return False
    return all(name.lower() in _ELEMENTS for name in _TAGS.findall(words)) and all(
        f"{name};" in html5 for name in filter(None, references)
    )
