"""feedparser's own way from a document to its dicts: what ours is compared with.

As Planet used it before it had a way of its own: with the parser class that mends feedparser's
handlers, and a driver that knows the entities of HTML.
"""

from contextlib import suppress
from html.entities import html5
from typing import Any
from xml.parsers.expat import ParserCreate
from xml.sax.xmlreader import AttributesNSImpl

import feedparser.api  # type: ignore[import-untyped]  # has no types

from planet.parse.feedparser import _Mended

_FAILURES = (AttributeError, LookupError, TypeError, ValueError)
_SEPARATOR = "\x1f"
_Name = tuple[tuple[str | None, str], str]


class _Parser(_Mended, feedparser.api.StrictFeedParser):  # type: ignore[misc]  # has no types
    pass


def dicts(document: bytes) -> tuple[dict[str, Any], list[dict[str, Any]], str]:
    """The feed, its entries and its format.

    Raises:
        ExpatError: the document is not well-formed.
    """
    handler = _Parser("", None, "utf-8")
    parser = ParserCreate(namespace_separator=_SEPARATOR)
    parser.namespace_prefixes = True
    parser.buffer_text = True

    def declare(prefix: str | None, uri: str | None) -> None:
        handler.startPrefixMapping(prefix, (uri or "").strip())

    def start(name: str, attributes: dict[str, str]) -> None:
        names = [_qualified(attribute) for attribute in attributes]
        pairs = [pair for pair, _ in names]
        given = AttributesNSImpl(dict(zip(pairs, attributes.values(), strict=True)), dict(names))
        with suppress(*_FAILURES):
            handler.startElementNS(_qualified(name)[0], None, given)

    def end(name: str) -> None:
        with suppress(*_FAILURES):
            handler.endElementNS(_qualified(name)[0], None)

    def skipped(name: str, _is_parameter: bool) -> None:
        handler.characters(html5.get(f"{name};", f"&{name};"))

    parser.StartNamespaceDeclHandler = declare
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = handler.characters
    parser.UseForeignDTD(True)
    parser.SkippedEntityHandler = skipped
    parser.Parse(b"<?xml version='1.0' encoding='utf-8'?>\n" + document, True)
    return dict(handler.feeddata), [dict(entry) for entry in handler.entries], handler.version


def _qualified(name: str) -> _Name:
    """What expat calls "namespace local prefix", as ((namespace, local), prefix:local)."""
    namespace, separator, rest = name.partition(_SEPARATOR)
    local, _, prefix = rest.partition(_SEPARATOR)
    pair = (namespace.strip(), local) if separator else (None, name)
    return pair, f"{prefix}:{local}" if prefix else pair[1]
