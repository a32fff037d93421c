"""A web page → the addresses of the feeds named there.

A page names feeds in `<link rel="alternate" type="…">` (RSS Advisory Board, "RSS Autodiscovery").
Whether there are feeds at these addresses is for the asker to see.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from planet.model import Text
from planet.parse.sniff import decode_body
from planet.text import address
from planet.text.headers import media_type
from planet.text.plain import plain
from planet.text.policy import read_attributes

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
_NO_PAGE: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1|\Z)", re.DOTALL | re.IGNORECASE
)
# With an end to quotes, so that nothing is read twice where one is missing.
_TAG: Final = re.compile(
    r"<(base|(?:[\w-]+:)?link)(?=[\s/])((?:[^<>\"']|\"[^\"]{0,2000}\"|'[^']{0,2000}')*+)",
    re.IGNORECASE,
)
_MAX_TITLE: Final = 100
_MAX_ALTERNATES: Final = 50


class Alternate(msgspec.Struct, frozen=True, kw_only=True):
    """A feed named by a page."""

    url: str
    """An absolute http or https address."""
    title: str | None
    media_type: str


def find_alternates(
    body: bytes, url: str, content_type: str | None = None
) -> tuple[Alternate, ...]:
    """Return the feeds named by the page at `url`, each once, the most likely first.

    Feeds of posts come before feeds of comments, RSS and Atom before others, then the order of the
    page counts.
    """
    page = _NO_PAGE.sub("", decode_body(body, content_type))
    tags = [(name.lower(), read_attributes(written)) for name, written in _TAG.findall(page)]
    bases = [tag["href"] for name, tag in tags if name == "base" and tag.get("href")]
    base = address.make_absolute(bases[0], url) if bases else None
    once: dict[str, Alternate] = {}
    for name, tag in tags:
        declared_type = media_type(tag.get("type"))
        relations = (tag.get("rel") or "").lower().split()
        target = address.make_absolute(tag.get("href"), base or url)
        if name != "base" and declared_type in _RANKS and "alternate" in relations and target:
            title = plain(Text(value=tag.get("title") or ""), _MAX_TITLE) or None
            feed = Alternate(url=address.normalize(target), title=title, media_type=declared_type)
            once.setdefault(feed.url, feed)
    return tuple(sorted(once.values(), key=_rank)[:_MAX_ALTERNATES])


def is_feed_type(link_type: str | None) -> bool:
    """Return whether a media type is one of feeds."""
    return media_type(link_type) in _RANKS


def _rank(feed: Alternate) -> tuple[bool, int]:
    about = f"{feed.title or ''} {feed.url}".lower()
    return bool(_COMMENTS.search(about)), _RANKS[feed.media_type]
