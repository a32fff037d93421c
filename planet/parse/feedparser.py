"""The door to feedparser: an XML document → ParsedFeed. Its dicts go no further than this package.

feedparser only gets to see an element tree in UTF-8: encodings, document types and whatever stands
around the feed are dealt with before, so that its parser for well-formed XML can be used, and so
that nothing it reads declares entities. Its own fetching, sanitising and resolving of addresses in
HTML stay unused: the first two are unsafe, and all of them slow.
"""

from __future__ import annotations

import io
import re
from typing import Any

import feedparser  # type: ignore[import-untyped]  # has no types
import feedparser.api  # type: ignore[import-untyped]  # has no types

from planet.errors import ParseError
from planet.model import ParsedFeed
from planet.parse import values
from planet.parse.channel import profile
from planet.parse.entry import entry
from planet.parse.expat import TooComplexError
from planet.parse.extras import extras
from planet.parse.ids import identified
from planet.parse.people import without_mail
from planet.parse.repair import repaired
from planet.parse.sniff import feed_element, not_a_feed

# What feedparser has no arguments for. First the driver it parses well-formed XML with.
feedparser.api.PREFERRED_XML_PARSERS[:] = ["planet.parse.expat"]


class _Mended:
    """What feedparser's two parsers, for well-formed and for broken feeds, do otherwise here."""

    def _sync_author_detail(self: Any, key: str = "author") -> None:
        # feedparser looks for mail addresses with an expression that takes quadratic time, and
        # that finds one in "@ann@social.example".
        context = self._get_context()
        people, name = context.get(f"{key}s"), context.get(key)
        if people and not people[-1] and not self.inauthor and isinstance(name, str):
            people[-1]["name"] = without_mail(name[: values.MAX_LINE])

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

# A feed without entries is a feed, but not if they only cannot be found.
_CUT_OFF = frozenset({"no element found", "unclosed token", "unclosed CDATA section"})
_ENTRY = re.compile(rb"<(?:[\w.-]+:)?(?:item|entry)[\s/>]")


def read(text: str, *, base: str | None) -> ParsedFeed:
    """What the feed in a text says; see `planet.parse.parse`.

    Raises:
        ParseError: `not_a_feed` or `unreadable`.
    """
    document = repaired(feed_element(text).encode("utf-8", "replace"))
    found = _parsed(document)
    if not found["version"] and not found["entries"] and "title" not in found["feed"]:
        raise not_a_feed(text)
    fault = _fault(found)
    if fault and not found["entries"] and (fault in _CUT_OFF or _ENTRY.search(document)):
        raise ParseError("unreadable", f"the feed is damaged ({fault}) and no entry can be read")
    more = extras(document, base)
    about = profile(found["feed"], format=found["version"] or "xml", extras=more, base=base)
    entries, notes = identified(
        entry(dict(each), feed=about, extras=more.item(place), base=base)
        for place, each in enumerate(found["entries"][: values.MAX_ENTRIES])
    )
    if fault:
        notes = (f"not well-formed XML ({fault}): read as well as possible", *notes)
    if len(found["entries"]) > values.MAX_ENTRIES:
        notes = (*notes, values.too_many(len(found["entries"])))
    return ParsedFeed(profile=about, entries=entries, notes=notes)


def _parsed(document: bytes) -> dict[str, Any]:
    try:
        return dict(
            feedparser.parse(
                # Never the bytes themselves: feedparser opens a file of that name.
                io.BytesIO(document),
                sanitize_html=False,
                resolve_relative_uris=False,
                response_headers={"content-type": "application/xml; charset=utf-8"},
            )
        )
    except TooComplexError as error:
        raise ParseError("unreadable", "the feed is too complex to be one") from error
    except Exception as error:  # feedparser promises no set of exceptions
        reason = type(error).__name__
        raise ParseError("unreadable", f"the feed cannot be read ({reason})") from error


def _fault(found: dict[str, Any]) -> str | None:
    """What is wrong with the XML, in expat's words."""
    return str(found["bozo_exception"]) if found["bozo"] else None
