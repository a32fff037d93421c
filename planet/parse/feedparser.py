"""The only door to feedparser, and all that tames it: a document in UTF-8 → its dicts.

feedparser only gets to see an element tree in UTF-8, of which `repaired` has made what XML allows:
encodings, document types and whatever stands around the feed are dealt with before, so that nothing
it reads declares entities. Its own fetching, sanitising, resolving of addresses in HTML and reading
of dates stay unused: they are unsafe, or slow, or depend on the host.

What an element means is decided by feedparser's 150 handlers. What calls them for well-formed feeds
stands here, because that takes most of feedparser's time: from expat's events to the handlers, and
from the texts to the dicts. It does step by step what feedparser does, with the same results
(`tests/parse/test_same.py`). Besides, it

- gives up on documents that are built to cost time, but not over one element;
- knows the entities of HTML, which feeds use without declaring them.

Feeds that are not well-formed are left to feedparser's own parser for them.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from html.entities import html5
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.parsers.expat import ErrorString, ExpatError, ParserCreate
from xml.sax.saxutils import escape as xml_escape

import feedparser.api  # type: ignore[import-untyped]  # has no types
from feedparser.html import _cp1252  # type: ignore[import-untyped]  # has no types
from feedparser.urls import _urljoin, make_safe_absolute_uri  # type: ignore[import-untyped]  # has no types
from feedparser.util import FeedParserDict  # type: ignore[import-untyped]  # has no types

from planet.errors import ParseError
from planet.parse import values
from planet.parse.extras import ExtraHandlers

if TYPE_CHECKING:
    from collections.abc import Callable


# XML 1.0 §2.2: these are no characters, literally or by number. Nobody misses them.
_CONTROLS = bytes(byte for byte in range(0x20) if byte not in b"\t\n\r")
_NON_CHARACTERS = re.compile(b"\xef\xbf[\xbe\xbf]")
_BY_NUMBER = re.compile(rb"&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?")
_PREFIX = re.compile(rb"<([a-z]++):")
# RSS has no namespace; who gives it the prefix of one anyhow declares none.
_RSS_PREFIX = re.compile(rb"(</?|\s)rss:(?=[a-zA-Z])")
_BARE_AMPERSAND = re.compile(rb"&(?!(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z_][\w.-]*);)")
# In the title of a post about PHP, or XML: what feedparser takes for an instruction, or a section,
# and all up to the next end tag of an item with it.
_BARE_LESS_THAN = re.compile(rb"<(?=\?(?![^<]*\?>)|!\[(?!CDATA\[))")
# What is neither a name nor the number of a character as most are: 32 to 9999.
_ODD_REFERENCE = re.compile(
    rb"&(?!(?:[a-zA-Z_][\w.-]*|#(?:3[2-9]|[4-9]\d|[1-9]\d{2,3}|x[2-9a-fA-F][0-9a-fA-F]));)"
)
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
    document = document.translate(None, _CONTROLS)
    # A single byte is looked for twenty times as fast as two.
    if b"\xef" in document:
        document = _NON_CHARACTERS.sub(b"", document)
    if _ODD_REFERENCE.search(document):
        if not all(_is_character(*digits) for digits in set(_BY_NUMBER.findall(document))):
            document = _BY_NUMBER.sub(_if_character, document)
        document = _escaped(document, _BARE_AMPERSAND, b"&amp;")
    prefixes = _PREFIX.findall(document)
    if b"rss" in prefixes and b"xmlns:rss" not in document:
        document = _RSS_PREFIX.sub(rb"\1", document)
        prefixes = _PREFIX.findall(document)
    missing = b"".join(
        b' xmlns:%b="%b"' % (prefix, _NAMESPACES[prefix])
        for prefix in sorted(_NAMESPACES.keys() & prefixes)
        if b"xmlns:%b" % prefix not in document
    )
    return _ROOT_NAME.sub(rb"\g<0>" + missing, document, count=1) if missing else document


def _escaped(document: bytes, bare: re.Pattern[bytes], reference: bytes) -> bytes:
    """The document with a reference for each character that is bare, but in no CDATA."""
    pieces, end = [], 0
    while (start := document.find(b"<![CDATA[", end)) >= 0:
        pieces.append(bare.sub(reference, document[end:start]))
        end = document.find(b"]]>", start)
        end = len(document) if end < 0 else end
        pieces.append(document[start:end])
    pieces.append(bare.sub(reference, document[end:]))
    return b"".join(pieces)


def _if_character(reference: re.Match[bytes]) -> bytes:
    return reference[0] if _is_character(*reference.groups(b"")) else b""


def _is_character(hexadecimal: bytes, decimal: bytes) -> bool:
    digits, base = (hexadecimal, 16) if hexadecimal else (decimal, 10)
    number = int(digits, base) if len(digits) < 10 else 0
    valid = number in (9, 10, 13) or 32 <= number < 0xD800 or 0xE000 <= number < 0xFFFE
    return valid or 0x10000 <= number < 0x110000


MAX_DEPTH = 200
MAX_ATTRIBUTES = 200
"""Of one element: feedparser takes quadratic time over them."""
MAX_NAMESPACES = 200
"""Different ones in a document: feedparser looks through all of them at each element."""

# feedparser raises these over single elements (a text field in an item, a chapter without a start),
# and would lose the whole feed for them.
_FAILURES = (AttributeError, LookupError, TypeError, ValueError)
# No character of XML, so that no namespace can have it.
_SEPARATOR = "\x1f"
_XHTML = "application/xhtml+xml"
_USERLAND = "backend.userland.com/rss"
_INLINE = {"math": "http://www.w3.org/1998/Math/MathML", "svg": "http://www.w3.org/2000/svg"}
_ROOTS = ("feed", "rss")
# What an element leaves behind that stands where it does not belong.
_state = attrgetter(
    *("baseuri", "lang", "hasContent", "inauthor", "incontent", "incontributor", "inimage"),
    *("inpublisher", "insource", "intextinput", "svgOK", "_summaryKey"),
)
_IN_TEXTINPUT = frozenset({"title", "link", "description", "name"})
_IN_IMAGE = frozenset({"title", "link", "description", "url", "href", "width", "height"})
_TAGS = frozenset({"category", "tags", "itunes_keywords"})
_WRAPPER = "wrapper"
_DIVS = frozenset({"div", "xhtml:div"})
_LATIN_CONTROL = re.compile("[\x80-\x9f]")
_NO_REFERENCE = re.compile("&([A-Za-z0-9_]+);")
# feedparser's dicts keep some keys under another name.
_KEYS = {
    key: kept if isinstance(kept, str) else kept[0] for key, kept in FeedParserDict.keymap.items()
}


class TooComplexError(Exception):
    """The document is nested too deeply, or has too many namespaces or attributes of an element."""


class _Mended(ExtraHandlers):
    """What feedparser's two parsers, for well-formed and for broken feeds, do otherwise here."""

    resolve_relative_uris = False
    sanitize_html = False

    def _sync_author_detail(self: Any, key: str = "author") -> None:
        # feedparser looks for mail addresses with an expression that takes quadratic time, and
        # that finds one in "@ann@social.example".
        context = self._get_context()
        people, name = context.get(f"{key}s"), context.get(key)
        if people and not people[-1] and not self.inauthor and isinstance(name, str):
            people[-1]["name"] = values.without_mail(name[: values.MAX_LINE])

    def _is_base64(self: Any, attributes: dict[str, str], params: dict[str, str]) -> bool:
        # "markdown" and "escaped" are no media types, and so their text is no file in base64.
        kind = params["type"]
        is_file = "/" in kind and not kind.startswith("text/")
        is_file = is_file and not kind.endswith(("+xml", "/xml"))
        return is_file or attributes.get("mode") == "base64"

    def decode_entities(self: Any, element: str, words: str) -> str:
        # Called for each text, right before feedparser undoes UTF-8 that was taken for Latin-1.
        words = super().decode_entities(element, words)  # type: ignore[misc]
        return words if element == "id" else values.unmangled(words)

    def unknown_endtag(self: Any, tag: str) -> None:
        super().unknown_endtag(tag)  # type: ignore[misc]
        # feedparser keeps the base of an entry for those below, where the feed has none.
        self.baseuri = self.basestack[-1] if self.basestack else self.baseuri

    def _end_published(self: Any) -> None:
        self.pop("published")

    def _end_updated(self: Any) -> None:
        self.pop("updated")

    def _end_created(self: Any) -> None:
        self.pop("created")

    _end_issued = _end_pubdate = _end_published
    _end_modified = _end_lastbuilddate = _end_updated


class _Loose(_Mended, feedparser.api.LooseFeedParser):  # type: ignore[misc]  # has no types
    def decode_entities(self, element: str, words: str) -> str:
        words = super().decode_entities(element, words)
        # An entry stays the same when its feed is mended.
        return words.replace("&amp;", "&") if element == "id" else words


class _Kept(dict[str, Any]):
    """What is kept of the feed or of an entry: feedparser's own dicts are slow, and warn."""

    def __hash__(self) -> int:  # type: ignore[override]  # feedparser has it for a key
        return id(self)


@dataclass(slots=True)
class _Element:
    """What feedparser makes of an element's name."""

    tag: str
    key: str
    ends_textinput: bool
    """Whether what follows it stands in no textinput any more."""
    ends_image: bool
    xmlns: str | None
    """The namespace of MathML or SVG, which their elements keep."""
    start: Callable[[_Strict, dict[str, str]], object] | None
    end: Callable[[_Strict], object] | None


class _Strict(_Mended, feedparser.api.StrictFeedParser):  # type: ignore[misc]  # has no types
    """feedparser's parser for well-formed feeds, on expat itself."""

    baseuri: str
    lang: str | None
    decls: dict[str, str]

    def __init__(self) -> None:
        super().__init__("", None, "utf-8")
        self.feeddata = _Kept()
        self._level = 0
        self._declared: set[tuple[str | None, str | None]] = set()
        self._elements: dict[str, _Element] = {}
        self._around: set[tuple[Any, ...]] = set()
        self._depths: dict[str, int] = {}

    @property
    def context(self) -> str | None:
        """All that an item's dict depends on besides its bytes; None where it is not one thing."""
        usual = self._matchnamespaces
        uses = self.namespaces_in_use.items()
        # A default namespace changes the names of its own elements only.
        others = [(key, uri) for key, uri in uses if key and uri.lower() not in usual]
        prefixes = [(key, name) for key, name in self.namespacemap.items() if key]
        context = self.version, sorted(others), sorted(prefixes), *self._around
        return repr(context) if len(self._around) == 1 else None

    def feed(self, document: bytes) -> None:
        """Read a whole document.

        Raises:
            ExpatError: it is not well-formed.
            TooComplexError: it is past the limits of this module.
        """
        parser = ParserCreate(namespace_separator=_SEPARATOR)
        parser.namespace_prefixes = True
        parser.buffer_text = True
        parser.StartNamespaceDeclHandler = self._declare
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self.handle_data
        # Where a document type might have declared it, an unknown entity is no error: it is
        # skipped, and the handler gets its name. Nothing is loaded for it.
        parser.UseForeignDTD(True)
        parser.SkippedEntityHandler = self._skipped
        parser.Parse(document, True)

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        self._declared.add((prefix, uri))
        if len(self._declared) > MAX_NAMESPACES:
            raise TooComplexError
        self.startPrefixMapping(prefix, (uri or "").strip())

    def track_namespace(self, prefix: str | None, uri: str) -> None:
        before = dict(self.namespacemap), dict(self.namespaces_in_use)
        super().track_namespace(prefix, uri)
        if (self.namespacemap, self.namespaces_in_use) != before:
            self._elements.clear()

    def _element(self, name: str) -> _Element:
        namespace, local, _ = _parts(name)
        local = local.lower()
        if _USERLAND in namespace.lower():
            namespace = f"http://{_USERLAND}"
        usual = self._matchnamespaces.get(namespace.lower())
        if not usual and namespace:
            uses = self.namespaces_in_use.items()
            usual = next((prefix for prefix, uri in uses if prefix and uri == namespace), None)
        tag = f"{usual}:{local}".lower() if usual else local
        prefix, _, suffix = tag.partition(":") if ":" in tag else ("", "", tag)
        prefix = self.namespacemap.get(prefix, prefix)
        key = f"{prefix}_{suffix}" if prefix else suffix
        element = self._elements[name] = _Element(
            tag,
            key,
            not prefix and tag not in _IN_TEXTINPUT,
            not prefix and tag not in _IN_IMAGE,
            namespace if namespace == _INLINE.get(local) else None,
            # Not of this parser: it would hold itself.
            getattr(_Strict, f"_start_{key}", None),
            getattr(_Strict, f"_end_{key}", None),
        )
        return element

    def _attributes(self, named: dict[str, str], xmlns: str | None) -> dict[str, str]:
        """Attributes by their usual prefix if their namespace has one, and as they are."""
        attrs, self.decls = self.decls, {}
        if xmlns:
            attrs["xmlns"] = xmlns
        prefixed = {}
        for name, value in named.items():
            key = name
            if _SEPARATOR in name:
                namespace, local, prefix = _parts(name)
                usual = self._matchnamespaces.get(namespace.lower())
                key = f"{usual}:{local}" if usual else local
                prefixed[f"{prefix}:{local}".lower()] = value
            attrs[key.lower()] = value
        attrs.update(prefixed)
        for key in ("rel", "type"):
            if key in attrs:
                attrs[key] = attrs[key].lower()
        return attrs

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        # startElementNS and unknown_starttag
        self._level += 1
        if self._level > MAX_DEPTH or len(attributes) > MAX_ATTRIBUTES:
            raise TooComplexError
        element = self._elements.get(name) or self._element(name)
        attrs: dict[str, str] = {}
        if attributes or element.xmlns or self.decls:
            attrs = self._attributes(attributes, element.xmlns)
        self.depth += 1
        try:
            if attrs or self.baseuri or (self.lang and element.tag in _ROOTS):
                self._inherit(element.tag, attrs)
            self.basestack.append(self.baseuri)
            self.langstack.append(self.lang)
            kind = self._kind(element.tag) if self.incontent else None
            if kind == _XHTML:
                self._start_inline(element.tag, attrs)
            elif kind is None:
                self._handle(element, attrs)
        except _FAILURES:
            return

    def _inherit(self, tag: str, attrs: dict[str, str]) -> None:
        if base := attrs.get("xml:base", attrs.get("base")) or self.baseuri:
            join = make_safe_absolute_uri if self.baseuri else _urljoin
            self.baseuri = join(self.baseuri, base) or self.baseuri
        lang = attrs.get("xml:lang", attrs.get("lang"))
        self.lang = self.lang if lang is None else lang or None
        if self.lang and tag in _ROOTS:
            self.feeddata["language"] = self.lang.replace("_", "-")
        for key, value in attrs.items():
            if key == "xmlns" or key.startswith("xmlns:"):
                self.track_namespace(key[6:] or None, value)

    def _kind(self, tag: str) -> str | None:
        """What an element in a text is: XHTML, a mere wrapper, or (None) an element of its own."""
        kind = self.contentparams.get("type", "xml")
        if not kind.endswith("xml"):
            if tag in _DIVS:
                return _WRAPPER
            # What says that it is escaped markup is none.
            kind = self.contentparams["type"] = _XHTML
        return _XHTML if kind == _XHTML else None

    def _handle(self, element: _Element, attrs: dict[str, str]) -> None:
        if element.ends_textinput:
            self.intextinput = 0
        if element.ends_image:
            self.inimage = 0
        if element.start is not None:
            try:
                element.start(self, attrs)
            except AttributeError:
                pass
            else:
                return
        if attrs:
            self._get_context()[_KEYS.get(element.key, element.key)] = attrs
        else:
            self.push(element.key, 1)

    def _start_inline(self, tag: str, attrs: dict[str, str]) -> None:
        prefix, colon, local = tag.partition(":")
        pairs = list(attrs.items())
        if colon and _INLINE.get(local) == self.namespaces_in_use.get(prefix, ""):
            pairs.append(("xmlns", _INLINE[local]))
        local = local if colon else tag
        if local == "svg":
            self.svgOK += 1
        self.handle_data(f"<{local}{self.strattrs(pairs)}>", escape=0)

    def _end(self, name: str) -> None:
        # endElementNS and unknown_endtag
        self._level -= 1
        element = self._elements.get(name) or self._element(name)
        try:
            if self.svgOK and element.tag.rpartition(":")[2] == "svg":
                self.svgOK -= 1
            if element.end is None or self.svgOK:
                self.pop(element.key)
            else:
                try:
                    element.end(self)
                except AttributeError:
                    self.pop(element.key)
            kind = self._kind(element.tag) if self.incontent else None
            if kind == _WRAPPER:
                return
            if kind == _XHTML:
                self.handle_data(f"</{element.tag.rpartition(':')[2]}>", escape=0)
            bases, languages = self.basestack, self.langstack
            bases.pop()
            self.baseuri = bases[-1] if bases else self.baseuri
            languages.pop()
            self.lang = languages[-1] if languages else self.lang
            self.depth -= 1
        except _FAILURES:
            return

    def _skipped(self, name: str, _is_parameter: bool) -> None:
        self.handle_data(html5.get(f"{name};", f"&{name};"))

    def handle_data(self, text: str, escape: int = 1) -> None:
        if self.elementstack:
            if escape and self.contentparams and self.contentparams.get("type") == _XHTML:
                text = xml_escape(text)
            self.elementstack[-1][2].append(text)

    def resolve_uri(self, uri: str) -> str:
        # Without a base, there is nothing to do but to mend `https:///`.
        if not self.baseuri and ":///" not in uri:
            return uri
        return super().resolve_uri(uri)  # type: ignore[no-any-return]

    def _start_item(self, attrs: dict[str, str]) -> None:
        self._around.add(_state(self))
        self._files, self._is_group = (), False
        self.entries.append(entry := _Kept())
        # feedparser looks them up again for each element.
        self.property_depth_map[entry] = self._depths = {}
        self.push("item", 0)
        self.inentry, self.guidislink, self.title_depth = 1, 0, -1
        if attrs:
            if about := self._get_attribute(attrs, "rdf:about"):
                self._get_context()["id"] = about
            self._cdf_common(attrs)

    _start_entry = _start_item

    def push_content(
        self, tag: str, attrs: dict[str, str], default_content_type: str, expecting_text: int
    ) -> None:
        self.incontent += 1
        if self.lang:
            self.lang = self.lang.replace("_", "-")
        kind = self.map_content_type(attrs.get("type", default_content_type))
        params = self.contentparams = {"type": kind, "language": self.lang, "base": self.baseuri}
        if self._is_base64(attrs, params):
            params["base64"] = 1
        self.push(tag, expecting_text)

    def pop(self, element: str, strip_whitespace: int = 1) -> str | None:
        if not self.elementstack or self.elementstack[-1][0] != element:
            return None
        if "base64" in self.contentparams:
            return super().pop(element, strip_whitespace)  # type: ignore[no-any-return]
        kind = self.contentparams.get("type")
        _, expecting_text, pieces = self.elementstack.pop()
        if kind == _XHTML and self.version == "atom10":
            pieces = _unwrapped(pieces)
        output = "".join(pieces)
        if strip_whitespace:
            output = output.strip()
        if not expecting_text:
            return output
        output = self._mended(element, output, kind)
        is_second = element == "title" and -1 < self.title_depth <= self.depth
        if is_second or element in _TAGS:
            return output
        if self.inentry and not self.insource:
            self._keep_of_entry(self.entries[-1], element, output)
        elif self.infeed or self.insource:
            self._keep_of_feed(self._get_context(), element, output)
        return output

    def _mended(self, element: str, output: str, kind: str | None) -> str:
        if element in self.can_be_relative_uri and (element != "id" or self.guidislink):
            output = self.resolve_uri(output) if output else output
        if not output.isascii():
            output = self.decode_entities(element, output)
        is_unsure = kind == "text/plain" and not self.version.startswith("atom")
        if is_unsure and ("&" in output or "</" in output) and self.looks_like_html(output):
            self.contentparams["type"] = "text/html"
        if not output.isascii():
            with suppress(UnicodeError):
                output = output.encode("iso-8859-1").decode()
            output = output.translate(_cp1252) if _LATIN_CONTROL.search(output) else output
        return output

    def _keep_of_entry(self, entry: dict[str, Any], element: str, output: str) -> None:
        if element == "content":
            entry.setdefault("content", []).append({**self.contentparams, "value": output})
        elif element == "link":
            if not self.inimage:
                output = entry["link"] = _NO_REFERENCE.sub(r"&\1", output.replace("&amp;", "&"))
                if output:
                    entry["links"][-1]["href"] = output
        else:
            element = "summary" if element == "description" else element
            depths = self._depths
            if self.depth <= depths.get(element, self.depth):
                depths[element] = self.depth
                entry[_KEYS.get(element, element)] = output
            if self.incontent:
                entry[f"{element}_detail"] = {**self.contentparams, "value": output}

    def _keep_of_feed(self, context: dict[str, Any], element: str, output: str) -> None:
        element = "subtitle" if element == "description" else element
        context[_KEYS.get(element, element)] = output
        if element == "link":
            output = context["link"] = _NO_REFERENCE.sub(r"&\1", output)
            context["links"][-1]["href"] = output
        elif self.incontent:
            context[f"{element}_detail"] = {**self.contentparams, "value": output}


def _unwrapped(pieces: list[str]) -> list[str]:
    """The pieces of XHTML without the one `div` around all of it (RFC 4287 §3.1.1.3)."""
    while len(pieces) > 1 and not pieces[-1].strip():
        pieces.pop()
    while len(pieces) > 1 and not pieces[0].strip():
        del pieces[0]
    begins = bool(pieces) and (pieces[0] == "<div>" or pieces[0].startswith("<div "))
    if not begins or pieces[-1] != "</div>":
        return pieces
    depth = 0
    for piece in pieces[:-1]:
        if piece.startswith("</"):
            depth -= 1
            if depth == 0:
                return pieces
        elif piece.startswith("<") and not piece.endswith("/>"):
            depth += 1
    return pieces[1:-1]


def _parts(name: str) -> tuple[str, str, str]:
    """Namespace, local name and prefix of a name as expat gives it."""
    namespace, separator, rest = name.partition(_SEPARATOR)
    if not separator:
        return "", name, ""
    local, _, prefix = rest.partition(_SEPARATOR)
    return namespace.strip(), local, prefix


class Parsed(NamedTuple):
    """What feedparser makes of a document."""

    feed: dict[str, Any]
    entries: list[dict[str, Any]]
    version: str
    fault: str | None
    """What is wrong with the XML, in expat's words."""
    context: str | None
    """All that an entry depends on besides its own bytes; None where entries differ in that."""


def parsed(document: bytes, base: str | None) -> Parsed:
    """A document at an address → what feedparser makes of it, in plain dicts.

    Raises:
        ParseError: `unreadable`.
    """
    parser, fault = _Strict(), None
    parser.extras_base = base
    try:
        try:
            parser.feed(document)
            context = parser.context
        except ExpatError as error:
            parser, fault, context = _Loose("", None, "utf-8", {}), ErrorString(error.code), None
            parser.extras_base = base
            parser.feed(_escaped(document, _BARE_LESS_THAN, b"&lt;").decode())
    except TooComplexError as error:
        raise ParseError("unreadable", "the feed is too complex to be one") from error
    except Exception as error:  # feedparser promises no set of exceptions
        reason = type(error).__name__
        raise ParseError("unreadable", f"the feed cannot be read ({reason})") from error
    entries = [_plain(entry) for entry in parser.entries]
    return Parsed(_plain(parser.feeddata), entries, parser.version, fault, context)


def _plain(kept: dict[str, Any]) -> dict[str, Any]:
    """A plain dict, and plain dicts in its lists: feedparser's own are slow, and warn."""
    plain = dict(kept)
    for key, value in kept.items():
        if value.__class__ is list and value and isinstance(value[0], FeedParserDict):
            plain[key] = [dict(part) if isinstance(part, dict) else part for part in value]
    return plain
