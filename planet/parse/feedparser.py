"""The only door to feedparser, and all that tames it: a document in UTF-8 → its dicts.

feedparser only gets to see an element tree in UTF-8, of which `repaired` has made what XML allows:
encodings, document types and whatever stands around the feed are dealt with before, so that its
parser for well-formed XML can be used, and so that nothing it reads declares entities. Its own
fetching, sanitising and resolving of addresses in HTML stay unused: the first two are unsafe, and
all of them slow. It asks `xml.sax` for a driver by module name and finds `create_parser` here.
Compared with the driver of the standard library, this one

- joins adjacent text before it calls back, which saves a quarter of feedparser's time;
- gives up on documents that are built to cost time, but not over one element;
- knows the entities of HTML, which feeds use without declaring them.
"""

from __future__ import annotations

import io
import re
from contextlib import suppress
from html.entities import html5
from typing import TYPE_CHECKING, Any
from xml.parsers.expat import ErrorString, ExpatError, ParserCreate
from xml.sax import SAXException
from xml.sax.xmlreader import AttributesNSImpl, XMLReader

import feedparser  # type: ignore[import-untyped]  # has no types
import feedparser.api  # type: ignore[import-untyped]  # has no types

from planet.errors import ParseError
from planet.parse import values

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.sax.xmlreader import InputSource

# XML 1.0 §2.2: these are no characters, literally or by number. Nobody misses them.
_CONTROLS = bytes(byte for byte in range(0x20) if byte not in b"\t\n\r")
_NON_CHARACTERS = re.compile(b"\xef\xbf[\xbe\xbf]")
_BY_NUMBER = re.compile(rb"&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?")
_PREFIX = re.compile(rb"<([a-z]+):")
# RSS has no namespace; who gives it the prefix of one anyhow declares none.
_RSS_PREFIX = re.compile(rb"(</?|\s)rss:(?=[a-zA-Z])")
_BARE_AMPERSAND = re.compile(rb"&(?!(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z_][\w.-]*);)")
_ROOT_NAME = re.compile(rb"<[^\s/>]+")
# The modules that feeds use without declaring them, by their customary prefix.
_NAMESPACES = {
    b"atom": b"http://www.w3.org/2005/Atom",
    b"content": b"http://purl.org/rss/1.0/modules/content/",
    b"dc": b"http://purl.org/dc/elements/1.1/",
    b"feedburner": b"http://rssnamespace.org/feedburner/ext/1.0",
    b"itunes": b"http://www.itunes.com/dtds/podcast-1.0.dtd",
    b"media": b"http://search.yahoo.com/mrss/",
    b"podcast": b"https://podcastindex.org/namespace/1.0",
    b"slash": b"http://purl.org/rss/1.0/modules/slash/",
    b"sy": b"http://purl.org/rss/1.0/modules/syndication/",
    b"thr": b"http://purl.org/syndication/thread/1.0",
    b"wfw": b"http://wellformedweb.org/CommentAPI/",
}


def repaired(document: bytes) -> bytes:
    """A document in UTF-8 that begins with its root element, without what XML forbids."""
    document = _NON_CHARACTERS.sub(b"", document.translate(None, _CONTROLS))
    if b"&#" in document:
        document = _BY_NUMBER.sub(_if_character, document)
    if _BARE_AMPERSAND.search(document):
        document = b"".join(_with_ampersands(document))
    if b"<rss:" in document and b"xmlns:rss" not in document:
        document = _RSS_PREFIX.sub(rb"\1", document)
    missing = b"".join(
        b' xmlns:%b="%b"' % (prefix, _NAMESPACES[prefix])
        for prefix in sorted(_NAMESPACES.keys() & _PREFIX.findall(document))
        if b"xmlns:%b" % prefix not in document
    )
    return _ROOT_NAME.sub(rb"\g<0>" + missing, document, count=1) if missing else document


def _with_ampersands(document: bytes) -> Iterator[bytes]:
    """The document with each ampersand escaped that begins no reference and is in no CDATA."""
    end = 0
    while (start := document.find(b"<![CDATA[", end)) >= 0:
        yield _BARE_AMPERSAND.sub(b"&amp;", document[end:start])
        end = document.find(b"]]>", start)
        end = len(document) if end < 0 else end
        yield document[start:end]
    yield _BARE_AMPERSAND.sub(b"&amp;", document[end:])


def _if_character(reference: re.Match[bytes]) -> bytes:
    digits, base = (reference[1], 16) if reference[1] else (reference[2], 10)
    number = int(digits, base) if len(digits) < 10 else 0
    valid = number in (9, 10, 13) or 32 <= number < 0xD800 or 0xE000 <= number < 0xFFFE
    return reference[0] if valid or 0x10000 <= number < 0x110000 else b""


MAX_DEPTH = 200
MAX_ATTRIBUTES = 200
"""Of one element: feedparser takes quadratic time over them."""
MAX_NAMESPACES = 200
"""Different ones in a document: feedparser looks through all of them at each element."""

# feedparser raises these over single elements (a text field in an item, a chapter without a start),
# and would lose the whole feed for them.
_FAILURES = (AttributeError, LookupError, TypeError, ValueError)
_Name = tuple[tuple[str | None, str], str]
_NO_ATTRIBUTES = AttributesNSImpl({}, {})
# No character of XML, so that no namespace can have it.
_SEPARATOR = "\x1f"


class TooComplexError(Exception):
    """The document is nested too deeply, or has too many namespaces or attributes of an element."""


class _Driver(XMLReader):
    """As much of a SAX2 driver with namespaces as feedparser needs."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0
        self._names: dict[str, _Name] = {}
        self._namespaces: set[tuple[str | None, str | None]] = set()

    def setFeature(self, name: str, state: object) -> None:
        """Nothing to set: namespaces are always on, external entities always off."""

    def parse(self, source: InputSource) -> None:  # type: ignore[override]  # never a file name
        """Read a whole document.

        Raises:
            SAXException: it is not well-formed.
            TooComplexError: it is past the limits of this module.
        """
        handler = self.getContentHandler()
        parser = ParserCreate(namespace_separator=_SEPARATOR)
        parser.namespace_prefixes = True
        parser.buffer_text = True
        parser.StartNamespaceDeclHandler = self._declare
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = handler.characters
        # Where a document type might have declared it, an unknown entity is no error but is
        # skipped, and we are told its name. Nothing is loaded for it.
        parser.UseForeignDTD(True)
        parser.SkippedEntityHandler = self._skipped
        stream = source.getByteStream()
        try:
            parser.Parse(stream.read() if stream else b"", True)
        except ExpatError as error:
            raise SAXException(ErrorString(error.code), error) from error

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        self._namespaces.add((prefix, uri))
        if len(self._namespaces) > MAX_NAMESPACES:
            raise TooComplexError
        self.getContentHandler().startPrefixMapping(prefix, (uri or "").strip())

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH or len(attributes) > MAX_ATTRIBUTES:
            raise TooComplexError
        found = _NO_ATTRIBUTES
        if attributes:
            names = [self._qualified(each) for each in attributes]
            pairs = [pair for pair, _ in names]
            found = AttributesNSImpl(
                dict(zip(pairs, attributes.values(), strict=True)), dict(names)
            )
        with suppress(*_FAILURES):
            self.getContentHandler().startElementNS(self._qualified(name)[0], None, found)

    def _end(self, name: str) -> None:
        self._depth -= 1
        with suppress(*_FAILURES):
            self.getContentHandler().endElementNS(self._qualified(name)[0], None)

    def _skipped(self, name: str, _is_parameter: bool) -> None:
        self.getContentHandler().characters(html5.get(f"{name};", f"&{name};"))

    def _qualified(self, name: str) -> _Name:
        """What expat calls "namespace local prefix", as ((namespace, local), prefix:local)."""
        found = self._names.get(name)
        if found is None:
            namespace, separator, rest = name.partition(_SEPARATOR)
            local, _, prefix = rest.partition(_SEPARATOR)
            pair = (namespace.strip(), local) if separator else (None, name)
            found = self._names[name] = (pair, f"{prefix}:{local}" if prefix else pair[1])
        return found


def create_parser() -> XMLReader:
    """A driver for one document, as `xml.sax.make_parser` expects it."""
    return _Driver()


# What feedparser has no arguments for. First the driver it parses well-formed XML with.
feedparser.api.PREFERRED_XML_PARSERS[:] = [__name__]


class _Mended:
    """What feedparser's two parsers, for well-formed and for broken feeds, do otherwise here."""

    def _sync_author_detail(self: Any, key: str = "author") -> None:
        # feedparser looks for mail addresses with an expression that takes quadratic time, and
        # that finds one in "@ann@social.example".
        context = self._get_context()
        people, name = context.get(f"{key}s"), context.get(key)
        if people and not people[-1] and not self.inauthor and isinstance(name, str):
            people[-1]["name"] = values.without_mail(name[: values.MAX_LINE])

    def _is_base64(self: Any, attributes: dict[str, str], params: dict[str, str]) -> bool:
        # "markdown" and "escaped" are no media types, and so their text is no file in base64.
        is_file = "/" in params["type"] or attributes.get("mode") == "base64"
        return is_file and super()._is_base64(attributes, params)  # type: ignore[misc]

    def decode_entities(self: Any, element: str, words: str) -> str:
        # Called for each text, right before feedparser undoes UTF-8 that was taken for Latin-1.
        words = super().decode_entities(element, words)  # type: ignore[misc]
        return words if element == "id" else values.unmangled(words)


class _Strict(_Mended, feedparser.api.StrictFeedParser):  # type: ignore[misc]  # has no types
    pass


class _Loose(_Mended, feedparser.api.LooseFeedParser):  # type: ignore[misc]  # has no types
    def decode_entities(self, element: str, words: str) -> str:
        words = super().decode_entities(element, words)
        # An entry stays the same when its feed is mended.
        return words.replace("&amp;", "&") if element == "id" else words


feedparser.api.StrictFeedParser, feedparser.api.LooseFeedParser = _Strict, _Loose


def parsed(document: bytes) -> tuple[dict[str, Any], str | None]:
    """What feedparser makes of a document, and what is wrong with its XML, in expat's words.

    The feed and each entry are plain dicts: feedparser's own answer to some names with the value of
    another (`updated` may be the date of publication), and warn while they do.

    Raises:
        ParseError: `unreadable`.
    """
    try:
        found = feedparser.parse(
            # Never the bytes themselves: feedparser opens a file of that name.
            io.BytesIO(document),
            sanitize_html=False,
            resolve_relative_uris=False,
            response_headers={"content-type": "application/xml; charset=utf-8"},
        )
    except TooComplexError as error:
        raise ParseError("unreadable", "the feed is too complex to be one") from error
    except Exception as error:  # feedparser promises no set of exceptions
        reason = type(error).__name__
        raise ParseError("unreadable", f"the feed cannot be read ({reason})") from error
    fault = str(found["bozo_exception"]) if found["bozo"] else None
    entries = [dict(each) for each in found["entries"]]
    return {**found, "feed": dict(found["feed"]), "entries": entries}, fault
