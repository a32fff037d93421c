"""What a page says of the addresses of its feeds.

A page names its feeds in `<link rel="alternate" type="…">` (RSS Advisory Board, "RSS
Autodiscovery"). Nothing here is believed: whoever asks at such an address sees what is there.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final

import msgspec

from planet.model import Text
from planet.parse.sniff import decode_body
from planet.text import address
from planet.text.headers import media_type
from planet.text.plain import plain
from planet.text.policy import read_attributes

if TYPE_CHECKING:
    from collections.abc import Mapping


_RANKS: Final = {
    "application/atom+xml": 0,
    "application/rss+xml": 0,
    "application/rdf+xml": 1,
    "application/feed+json": 1,
    "application/xml": 2,
    "text/xml": 2,
    # Many pages name themselves so, in a form that is no feed.
    "application/json": 3,
}
# A feed of what readers say is a feed of its own, and seldom the one that is meant.
_COMMENTS: Final = re.compile(r"\bcomments?\b|\bkommentare?\b|\bcommentaires?\b|\bcomentarios?\b")
_MAX_TITLE: Final = 100
_MAX_ALTERNATES: Final = 50


class Alternate(msgspec.Struct, frozen=True, kw_only=True):
    """A feed that a page names."""

    url: str
    """An absolute http or https address."""
    title: str | None
    media_type: str


def find_alternates(
    body: bytes, url: str, content_type: str | None = None
) -> tuple[Alternate, ...]:
    """Return the feeds that the page at `url` names, each once, the most likely first.

    Its own feed comes before that of its comments, RSS and Atom before others, then the order of
    the page counts.
    """
    page = _LinkReader()
    # Never `close`: it reads a tag that does not end again from each of its characters.
    page.feed(decode_body(body, content_type))
    base = address.make_absolute(page.base, url) or url
    once: dict[str, Alternate] = {}
    for link in page.links:
        declared_type = media_type(link.get("type"))
        relations = link.get("rel", "").lower().split()
        target = address.make_absolute(link.get("href"), base)
        if declared_type in _RANKS and "alternate" in relations and target:
            title = plain(Text(value=link.get("title", "")), _MAX_TITLE) or None
            feed = Alternate(url=address.normalize(target), title=title, media_type=declared_type)
            once.setdefault(feed.url, feed)
    return tuple(sorted(once.values(), key=_rank)[:_MAX_ALTERNATES])


def is_feed_type(link_type: str | None) -> bool:
    """Return whether a media type is one that feeds have."""
    return media_type(link_type) in _RANKS


def _rank(feed: Alternate) -> tuple[bool, int]:
    about = f"{feed.title or ''} {feed.url}".lower()
    return bool(_COMMENTS.search(about)), _RANKS[feed.media_type]


class _LinkReader(HTMLParser):
    """Collects the links of a document."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[Mapping[str, str]] = []
        self.base: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "base" and tag.rpartition(":")[2] != "link":
            return
        # The library decodes attributes as if they were text: `?a=1&copy=2` would be another page.
        written = (self.get_starttag_text() or "").removesuffix(">")
        given = {name: value for name, value in read_attributes(written).items() if value}
        if tag != "base":
            self.links.append(given)
        elif self.base is None:
            self.base = given.get("href")

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        # By HTML §13.2.5.42 `<![` begins a comment; the inherited method raises AssertionError.
        return self.parse_bogus_comment(i, report)
