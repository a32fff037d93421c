"""A body → ParsedFeed: RSS, Atom, JSON Feed and h-feed, as they are met in the wild.

The body is decoded and looked at (`sniff`), and given to the readers of the formats it looks like,
one after the other, until one succeeds. Each reader is a module for one family of formats; foreign
data ends there.

Other doors:

    coerce     a value of any type in a feed → text, link, number, person, or None
    compose    texts with pictures, links and quotations around them; posts → a feed
    dates      a date as feeds write dates → datetime
    discovery  a web page → the feeds named there
    sniff      a body → text, and the formats of feeds like it; which answers may have a feed
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from planet.errors import ParseError
from planet.parse.sniff import (
    FeedDocument,
    decode_body,
    looks_like_page,
    looks_like_xml,
    make_not_a_feed_error,
)
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from planet.model import IncludeKind, ParsedFeed

PARSER = "15"
"""The version of this package's results. A new one has every feed read again."""


def parse(
    body: bytes,
    *,
    url: str,
    content_type: str | None = None,
    pages: bool = True,
    include: frozenset[IncludeKind] = frozenset(),
    formats: Iterable[InputFormat] | None = None,
) -> ParsedFeed:
    """Parse the body of a feed.

    `url` is the address of the answer, a web address or not; `content_type` is the header as sent;
    with `pages`, a web page with microformats is a feed, too; `include` names the posts of an
    account that are wanted besides the account's own; `formats` are tried in order, `FORMATS` by
    default, but the declared one (`content_type`) first. At most 1,000 entries are kept, in the
    order of the document.

    Raises:
        ParseError: `empty`, `not_a_feed` (a web page, or anything else), or `unreadable`.
    """
    text = decode_body(body, content_type).strip("\ufeff\0 \t\r\n")
    if not text:
        raise ParseError("empty", "the answer is empty")
    document = FeedDocument(text=text, base=address.make_absolute(url), include=include)
    likely = [one for one in (FORMATS if formats is None else formats) if one.looks(text)]
    declared = (content_type or "").lower()
    likely.sort(key=lambda one: one.declared not in declared)
    if pages and _PAGES.looks(text):
        # Last, because posts in a feed may look like pages.
        likely.append(_PAGES)
    failures = []
    for candidate in likely:
        try:
            feed: ParsedFeed = import_module(candidate.module).read(document)
        except ParseError as failure:
            failures.append(failure)
        else:
            return feed
    raise failures[0] if failures else make_not_a_feed_error(text)


class InputFormat(NamedTuple):
    """A family of feed formats."""

    module: str
    """The one that reads it, with `read(document)`, which raises ParseError only. It is loaded when
    it is first needed: most feeds need one."""
    declared: str
    """A part of the media types of the format."""
    looks: Callable[[str], bool]
    """Whether a text without leading blanks looks like the format."""


FORMATS = (
    InputFormat("planet.parse.jsonfeed", "json", lambda text: text[0] == "{"),
    InputFormat("planet.parse.xml", "xml", looks_like_xml),
)
"""The formats of feeds; `planet.social.FORMATS` has those of accounts, too."""
_PAGES = InputFormat("planet.parse.microformats", "html", looks_like_page)
