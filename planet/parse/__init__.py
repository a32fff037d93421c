"""A body → ParsedFeed: RSS, Atom, JSON Feed, h-feed and more, as they are met in the wild.

The body is decoded (`charset`), looked at (`sniff`), and given to the readers it may be for, one
after the other, until one of them can read it. Each reader is a module that knows one family of
formats; foreign data ends there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet import address
from planet.errors import ParseError
from planet.parse.charset import decoded
from planet.parse.sniff import formats

if TYPE_CHECKING:
    from planet.model import Aside, ParsedFeed

__all__ = ["PARSER", "parse"]

PARSER = "5"
"""The version of what this package makes of a body. A new one has every feed read again."""


def parse(
    body: bytes,
    *,
    url: str,
    content_type: str | None = None,
    pages: bool = True,
    include: frozenset[Aside] = frozenset(),
) -> ParsedFeed:
    """What a feed's body says.

    `url` is the address that answered, a web address or not; `content_type` is the header as it
    came; `pages` tells whether a web page with microformats is a feed; `include` is what is wanted
    of an account besides its own posts. At most 1,000 entries are kept, in the order of the
    document.

    Raises:
        ParseError: `empty`, `not_a_feed` (a web page, or anything else), or `unreadable`.
    """
    text, odd = decoded(body, content_type)
    text = text.strip("\ufeff\0 \t\r\n")
    if not text:
        raise ParseError("empty", "the answer is empty")
    base = address.web(url)
    failures = []
    for each in formats(text, content_type, pages=pages):
        try:
            feed = each.read(text, base, include)
        except ParseError as failure:
            failures.append(failure)
        else:
            return replace(feed, notes=odd + feed.notes)
    raise failures[0]
