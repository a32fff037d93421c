"""A well-formed document → elements with the names feeds mean, each with a base.

Names are in lower case and have the customary prefix of their module (`dc:creator`), whatever the
prefix in the document; RSS and Atom themselves have none. Namespaces are read as they are met.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urljoin
from xml.parsers.expat import ErrorString, ExpatError, ParserCreate

from planet.parse import coerce

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_MAX_DEPTH = 200
_MAX_ATTRIBUTES = 200
"""Of one element: feedparser takes quadratic time over them."""
_MAX_NAMESPACES = 200
"""Different ones in a document: feedparser looks through all of them at each element."""
_MAX_BASE = 2_000
"""Characters of an xml:base, which is joined with the one around it."""

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
    "http://purl.org/rss/1.0/modules/content/": "content:",
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://purl.org/dc/terms/": "dcterms:",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner:",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes:",
    "http://source.scripting.com/": "source:",
    "https://source.scripting.com/": "source:",
    "http://purl.org/syndication/thread/1.0": "thr:",
    "http://purl.org/rss/1.0/modules/syndication/": "sy:",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf:",
    "http://www.w3.org/1999/xhtml": "xhtml:",
}
# What belongs to a module by a part of its namespace, which is written in many ways.
_PARTS = (
    (re.compile(r"backend\.userland\.com/rss"), ""),
    (re.compile(r"search\.yahoo\.com/mrss"), "media:"),
    (re.compile(r"podcast.*index|index.*podcast"), "podcast:"),
)
_XML = "http://www.w3.org/XML/1998/namespace}"
RDF_ABOUT = "http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
"""The attribute that names the subject of an element of RDF."""


class TooComplexError(Exception):
    """The document is nested too deeply, or has too many namespaces or attributes of an element."""


class NotWellFormedError(Exception):
    """The document is no XML, for the reason expat gives."""


class FeedElement:
    """An element: name, children, and inherited values."""

    __slots__ = ("_by_name", "attributes", "base", "children", "language", "name", "tail", "text")

    def __init__(self, name: str, attributes: dict[str, str], outer: FeedElement | None) -> None:
        self.name = name
        self.attributes = attributes
        self.children: list[FeedElement] = []
        self.text = ""
        """The text before the first child."""
        self.tail = ""
        """The text between this element and the next one."""
        self.base: str = outer.base if outer else ""
        """The base of relative addresses, as far as the document tells (xml:base)."""
        self.language: str | None = outer.language if outer else None
        self._by_name: dict[str, list[FeedElement]] | None = None
        if attributes:
            self._set_scope()

    def _set_scope(self) -> None:
        base = self.get(f"{_XML}base") or self.get("base")
        if base and len(base) <= _MAX_BASE:
            joined = join_url(self.base, base)
            if len(joined) <= _MAX_BASE:
                self.base = joined
        language = self.get(f"{_XML}lang", self.get("lang"))
        if language is not None:
            self.language = language or None

    def __getitem__(self, name: str) -> list[FeedElement]:
        """Return the children of a name."""
        if self._by_name is None:
            self._by_name = {}
            for child in self.children:
                self._by_name.setdefault(child.name, []).append(child)
        return self._by_name.get(name, [])

    def among(self, names: Collection[str]) -> list[FeedElement]:
        """Return the children with any of these names, in the order of the document."""
        return [child for child in self.children if child.name in names]

    def walk(self) -> Iterator[FeedElement]:
        """Yield the node and all descendants, in the order of the document."""
        yield self
        for child in self.children:
            yield from child.walk()

    def get(self, attribute: str, default: str | None = None) -> str | None:
        """Return the value of an attribute."""
        return self.attributes.get(attribute, default)

    @property
    def words(self) -> str:
        """The text, repaired, without the texts of inner elements, which do not belong there."""
        text = self.text
        if self.children:
            text += "".join([child.tail for child in self.children])
        return coerce.repair_encoding(text.strip())

    def last(self, *names: str) -> str | None:
        """Return the words of the last child with words, of the first name with such a child."""
        for name in names:
            for child in reversed(self[name]):
                if words := child.words:
                    return words
        return None


_THREE_SLASHES = re.compile(r"^(\w+://)/+")


def join_url(base: str, address: str) -> str:
    """Resolve an address against a base; return the address unchanged where there is none."""
    address = _THREE_SLASHES.sub(r"\1", address)
    if base and address:
        with suppress(ValueError):
            return urljoin(base, address)
    return address


class Tree:
    """A well-formed document."""

    def __init__(self, document: str) -> None:
        """Parse a document without a document type: nothing in it declares entities.

        Raises:
            NotWellFormedError: the document is no XML.
            TooComplexError: the document is past the limits of this module.
        """
        self.root = FeedElement("", {}, None)
        self._open = [self.root]
        self._pieces: list[str] = []
        self._prefixes: dict[str, str] = {}
        self._names: dict[str, str] = {}
        parser = ParserCreate("utf-8", "}")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._pieces.append
        parser.StartNamespaceDeclHandler = self._declare
        try:
            parser.Parse(document.encode("utf-8", "replace"), True)
        except ExpatError as error:
            raise NotWellFormedError(ErrorString(error.code)) from error
        self.root = self.root.children[0]

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._open) > _MAX_DEPTH or len(attributes) > _MAX_ATTRIBUTES:
            raise TooComplexError
        self._add_text()
        outer = self._open[-1]
        node = FeedElement(self._names.get(tag) or self._name(tag), attributes, outer)
        outer.children.append(node)
        self._open.append(node)

    def _end(self, tag: str) -> None:
        self._add_text()
        self._open.pop()

    def _add_text(self) -> None:
        node = self._open[-1]
        if self._pieces and node.children:
            node.children[-1].tail = "".join(self._pieces)
        elif self._pieces:
            node.text = "".join(self._pieces)
        self._pieces.clear()

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        self._prefixes.setdefault(uri or "", prefix or "")
        if len(self._prefixes) > _MAX_NAMESPACES:
            raise TooComplexError

    def _name(self, tag: str) -> str:
        namespace, _, local = tag.rpartition("}")
        uri = namespace.strip().lower()
        prefix = _NAMESPACES.get(uri)
        if prefix is None:
            prefix = next((own for part, own in _PARTS if part.search(uri)), None)
        if prefix is None:
            # Of a namespace that is misspelt, or nobody knows, the prefix tells what it is.
            own = self._prefixes.get(namespace, "").lower()
            prefix = f"{own}:" if own else ""
        name = self._names[tag] = f"{prefix}{local.lower()}"
        return name
