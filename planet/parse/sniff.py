"""Text → the formats to try, by what it looks like; what it was declared as decides ties.

A Content-Type is wrong too often to be believed (feeds come as text/html, pages as rss+xml), so it
never makes a reader be tried that the text does not look like.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planet.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from planet.model import Aside, ParsedFeed

# Anywhere outside comments, because what should not precede it often does: warnings of PHP, a page
# around it. `channel` and `entry` stand for RSS without its root and for Atom entry documents.
_ROOT = re.compile(
    r"<!--|<((?:[a-z_][\w.-]*:)?(?:rss|feed|rdf|channel|entry))(?=[\s/>])", re.IGNORECASE
)
_PAGE = re.compile(r"<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_MICROFORMATS = re.compile(r"\b(?:h-entry|hentry)\b")
_HEAD = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A family of feed formats that one reader reads."""

    declared: str
    """A part of the media types it is served as."""
    looks: Callable[[str], bool]
    read: Callable[[str, str | None, frozenset[Aside]], ParsedFeed]
    """Text, the address it came from if that is one, and what is wanted of an account besides its
    own posts → the feed. Raises ParseError only."""


def formats(text: str, content_type: str | None, *, pages: bool) -> list[Format]:
    """The formats a text without leading blanks looks like, the likeliest first.

    A web page is one of them only with `pages`, and then the last: a feed that is declared as a
    page has posts that look like pages.

    Raises:
        ParseError: it looks like none.
    """
    found = [each for each in FORMATS if each.looks(text)]
    declared = (content_type or "").lower()
    found.sort(key=lambda each: each.declared not in declared)
    if pages and _PAGES.looks(text):
        found.append(_PAGES)
    if not found:
        raise not_a_feed(text)
    return found


def not_a_feed(text: str) -> ParseError:
    """The error for a text in which no reader finds a feed."""
    if _PAGE.search(text[:_HEAD]):
        return ParseError("not_a_feed", "this is a web page, not a feed")
    return ParseError("not_a_feed", "this is neither RSS nor Atom nor JSON Feed")


def feed_element(text: str) -> str:
    """The part of a text from a feed's start tag, which it has, to its last end tag.

    What stands before is of no use to anyone, and dangerous: the document type declaration is
    where external entities and entities that expand without end are declared. What stands behind
    (statistics, scripts of a host) would only make the document ill-formed.
    """
    root = _root(text)
    start, name = (root.start(), root[1]) if root else (0, "")
    end = text.rfind(f"</{name}", start)
    # Whole in any case: the last character of a feed is lost more often than its last word.
    return f"{text[start:end]}</{name}>" if end > 0 else text[start:]


def page_in(text: str) -> str:
    """The part of a text from where the page begins that is in it."""
    found = _PAGE.search(text)
    return text[found.start() :] if found else text


def _looks_like_json(text: str) -> bool:
    return text.startswith("{")


def _looks_like_xml(text: str) -> bool:
    return _root(text) is not None


def _root(text: str) -> re.Match[str] | None:
    found = _ROOT.search(text)
    while found and not found[1]:
        end = text.find("-->", found.end())
        found = _ROOT.search(text, end) if end > 0 else None
    return found


def _looks_like_bluesky(text: str) -> bool:
    return text.startswith("{") and '"feed"' in text


def _looks_like_activity(text: str) -> bool:
    return text.startswith("{") and "www.w3.org/ns/activitystreams" in text


def _looks_like_page(text: str) -> bool:
    page, root = _PAGE.search(text[:_HEAD]), _root(text)
    # Not what a post in a feed has for a text.
    begins_it = page is not None and (root is None or page.start() < root.start())
    return begins_it and _MICROFORMATS.search(text) is not None


def _read_json(text: str, base: str | None, include: frozenset[Aside]) -> ParsedFeed:
    from planet.parse import jsonfeed

    return jsonfeed.read(text, base=base)


def _read_xml(text: str, base: str | None, include: frozenset[Aside]) -> ParsedFeed:
    from planet.parse import feedparser

    return feedparser.read(text, base=base)


def _read_bluesky(text: str, base: str | None, include: frozenset[Aside]) -> ParsedFeed:
    from planet.parse import bluesky

    return bluesky.read(text, base=base, include=include)


def _read_activity(text: str, base: str | None, include: frozenset[Aside]) -> ParsedFeed:
    from planet.parse import activity

    return activity.read(text, base=base, include=include)


def _read_page(text: str, base: str | None, include: frozenset[Aside]) -> ParsedFeed:
    from planet.parse import hfeed

    return hfeed.read(text, base=base)


FORMATS = (
    Format(declared="json", looks=_looks_like_activity, read=_read_activity),
    Format(declared="json", looks=_looks_like_json, read=_read_json),
    Format(declared="xml", looks=_looks_like_xml, read=_read_xml),
    Format(declared="json", looks=_looks_like_bluesky, read=_read_bluesky),
)
"""Every format of feeds that is read; a new one is a line here and a module."""
_PAGES = Format(declared="html", looks=_looks_like_page, read=_read_page)
