"""What no mending makes XML, and formats that are met once in ten thousand feeds → ParsedFeed.

feedparser reads it: titles, links, ids, dates, texts and files. Its own fetching,
sanitising, resolving of addresses in HTML and reading of dates stay unused: they are unsafe, or
slow, or depend on the host.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

import feedparser  # type: ignore[import-untyped]  # has no types

from planet.errors import ParseError
from planet.model import Enclosure, ParsedEntry, ParsedFeed, Profile, Text, TextKind
from planet.parse import coerce, dates
from planet.parse.identify import make_feed
from planet.text.plain import plain

if TYPE_CHECKING:
    from planet.parse.coerce import Object

_HEADERS = {"content-type": "application/xml; charset=utf-8"}
# feedparser looks for mail addresses with an expression that takes quadratic time.
_LONG_AUTHOR = re.compile(
    r"(<(?:[\w-]+:)?(?:author|creator|managingeditor|webmaster|publisher|owner|name|email)"
    rf"(?:\s[^<>]*)?>\s*+(?:<!\[CDATA\[)?[^<\]]{{{coerce.MAX_LINE}}})[^<\]]+",
    re.IGNORECASE,
)


def read_damaged(document: str, base: str | None) -> ParsedFeed:
    """Read a document that was found at `base` as well as feedparser can.

    Raises:
        ParseError: `unreadable`.
    """
    try:
        parsed = feedparser.parse(
            BytesIO(_LONG_AUTHOR.sub(r"\1", document).encode("utf-8", "replace")),
            response_headers=_HEADERS,
            sanitize_html=False,
            resolve_relative_uris=False,
        )
        # Plain dicts: its own are slow, and have keys that are others.
        about = dict(parsed["feed"])
        entries = [dict(entry) for entry in parsed["entries"][: coerce.MAX_ENTRIES + 1]]
        version = str(parsed["version"] or "xml")
    except Exception as error:  # feedparser promises no set of exceptions
        reason = type(error).__name__
        raise ParseError("unreadable", f"the feed cannot be read ({reason})") from error
    profile = _profile(about, version, base)
    return make_feed(profile, entries, lambda entry: _entry(entry, profile, base))


def _profile(feed: Object, version: str, base: str | None) -> Profile:
    return Profile(
        format=version,
        id=coerce.line(feed.get("id")),
        title=_line(feed, "title"),
        link=coerce.link(feed.get("link"), base),
        description=_line(feed, "subtitle"),
        language=coerce.language(feed.get("language")),
        updated=dates.parse_date(feed.get("updated"), feed.get("published")),
        reader="feedparser",
    )


def _entry(entry: Object, feed: Profile, base: str | None) -> ParsedEntry:
    link = coerce.link(entry.get("feedburner_origlink")) or coerce.link(
        entry.get("link"), feed.link, base
    )
    nearest = link or feed.link or base
    contents = [_make_text(detail, nearest) for detail in coerce.dicts(entry.get("content"))]
    content = max(filter(None, contents), key=lambda text: len(text.value), default=None)
    summary = _text(entry, "summary", nearest)
    if content and summary and content.value == summary.value:
        # What feedparser takes for the summary where there is none.
        summary = None
    summary, content = coerce.drop_empty_text(summary, content)
    return ParsedEntry(
        # So that an entry stays the same when its feed is mended.
        id=(coerce.string(entry.get("id")) or "").replace("&amp;", "&"),
        link=link,
        title=_text(entry, "title", nearest),
        summary=summary,
        content=content,
        published=dates.parse_date(entry.get("published"), entry.get("created")),
        updated=dates.parse_date(entry.get("updated")),
        enclosures=tuple(
            Enclosure(
                url=url,
                media_type=coerce.media_type(link.get("type")),
                length=coerce.positive(link.get("length")),
            )
            for link in coerce.dicts(entry.get("links"))[: coerce.MAX_FILES]
            if link.get("rel") == "enclosure" and (url := coerce.file(link.get("href"), nearest))
        ),
        language=feed.language,
    )


def _text(node: Object, name: str, base: str | None) -> Text | None:
    value, detail = node.get(name), node.get(f"{name}_detail")
    # The detail may be that of a deeper element, such as the media:title of a picture.
    if isinstance(detail, dict) and detail.get("value") == value:
        return _make_text(detail, base)
    return _make_text({"value": value, "type": "text/html" if name == "summary" else ""}, base)


def _make_text(detail: Object, base: str | None) -> Text | None:
    value: Any = detail.get("value")
    words = coerce.string(coerce.repair_encoding(value)) if isinstance(value, str) else None
    if words is None:
        return None
    declared = str(detail.get("type") or "")
    is_html = "html" in declared or ("/" not in declared and coerce.is_markup(words))
    return coerce.text(words, TextKind.HTML if is_html else TextKind.TEXT, base)


def _line(node: Object, name: str) -> str | None:
    text = _text(node, name, None)
    return (plain(text, coerce.MAX_LINE) or None) if text else None
