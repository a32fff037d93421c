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


class _Loose(feedparser.api.LooseFeedParser):  # type: ignore[misc]  # has no types
    """Its parser for broken feeds, which looks for mail addresses in quadratic time as well."""

    def _sync_author_detail(self, key: str = "author") -> None:
        context = self._get_context()
        if isinstance(context.get(key), str):
            context[key] = without_mail(context[key][: values.MAX_LINE]) or ""
        super()._sync_author_detail(key)


feedparser.api.LooseFeedParser = _Loose

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
