"""The only door to feedparser, and what it is given: a document → RawFeed.

It reads what is not well-formed, and formats that are met once in ten thousand feeds. Its own
fetching, sanitising, resolving of addresses in HTML and reading of dates stay unused: they are
unsafe, or slow, or depend on the host.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

import feedparser  # type: ignore[import-untyped]  # has no types

from planet.errors import ParseError
from planet.parse import coerce
from planet.parse.raw import (
    RawCategory,
    RawChannel,
    RawEntry,
    RawFeed,
    RawFile,
    RawLink,
    RawNode,
    RawPerson,
    RawText,
    RawTranscript,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEADERS = {"content-type": "application/xml; charset=utf-8"}
# feedparser looks for mail addresses with an expression that takes quadratic time.
_LONG_AUTHOR = re.compile(
    r"(<(?:[\w-]+:)?(?:author|creator|managingeditor|webmaster|publisher|owner|name|email)"
    rf"(?:\s[^<>]*)?>\s*+(?:<!\[CDATA\[)?[^<\]]{{{coerce.MAX_LINE}}})[^<\]]+",
    re.IGNORECASE,
)
_ITUNES = "http://www.itunes.com/"
_EXPLICIT = {True: "yes", False: "clean"}


def parse_damaged(document: str) -> RawFeed:
    """Read a document as well as feedparser can.

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
        feed = dict(parsed["feed"])
        entries = [dict(entry) for entry in parsed["entries"][: coerce.MAX_ENTRIES + 1]]
        version = parsed["version"]
    except Exception as error:  # feedparser promises no set of exceptions
        reason = type(error).__name__
        raise ParseError("unreadable", f"the feed cannot be read ({reason})") from error
    return RawFeed(str(version or ""), _channel(feed), [_entry(entry) for entry in entries])


def _channel(feed: Mapping[str, Any]) -> RawChannel:
    channel = RawChannel(
        ttl=_string(feed, "ttl"),
        period=_string(feed, "sy_updateperiod"),
        frequency=_string(feed, "sy_updatefrequency"),
        # It keeps the last one only.
        hours=_strings(feed, "hour"),
        days=_strings(feed, "day"),
    )
    _fill(channel, feed)
    channel.summary = _text(feed, "subtitle") or _text(feed, "summary")
    channel.images += [*_strings(feed, "logo"), *_strings(feed, "icon")]
    return channel


def _entry(raw: Mapping[str, Any]) -> RawEntry:
    entry = RawEntry(
        contents=[_construct(detail) for detail in coerce.dicts(raw.get("content"))],
        original=_string(raw, "feedburner_origlink"),
        comments=_string(raw, "comments"),
        markdown=_string(raw, "source_markdown"),
        media=[(_file(file),) for file in coerce.dicts(raw.get("media_content"))],
        thumbnails=[
            url
            for thumbnail in coerce.dicts(raw.get("media_thumbnail"))
            if (url := _string(thumbnail, "url"))
        ],
        duration=_string(raw, "itunes_duration"),
        episode=_string(raw, "itunes_episode"),
        season=_string(raw, "itunes_season"),
        episode_type=_string(raw, "itunes_episodetype"),
        chapters=_string(coerce.part(raw, "podcast_chapters"), "url"),
    )
    _fill(entry, raw)
    copied = [text.value for text in entry.contents]
    if "summary_detail" not in raw and _string(raw, "summary") in copied:
        entry.summary = None
    thread = coerce.part(raw, "thr_in-reply-to")
    entry.answered = [
        *(_strings(thread, "href") or _strings(thread, "ref")),
        *_strings(raw, "source_inreplyto"),
    ]
    # Of several it keeps the last one, without its words if it has attributes.
    if name := _string(raw, "podcast_person"):
        entry.persons.append(RawPerson(name))
    if url := _string(coerce.part(raw, "podcast_transcript"), "url"):
        transcript = coerce.part(raw, "podcast_transcript")
        entry.transcripts.append(
            RawTranscript(url, _string(transcript, "type"), _string(transcript, "language"))
        )
    if isinstance(source := raw.get("source"), dict):
        entry.source = RawNode()
        _fill(entry.source, source)
        if url := _string(source, "href"):
            entry.source.links.append(RawLink(url, "self"))
    return entry


def _fill(node: RawNode, raw: Mapping[str, Any]) -> None:
    """Set what feeds, entries and sources have in common."""
    node.id = (raw.get("id") if isinstance(raw.get("id"), str) else None) or None
    # So that an entry stays the same when its feed is mended.
    node.id = node.id and node.id.replace("&amp;", "&")
    node.page = _string(raw, "link")
    node.links = [
        RawLink(
            href,
            str(link.get("rel")),
            _media_type(link),
            _string(link, "length"),
            _string(link, "title"),
        )
        for link in coerce.dicts(raw.get("links"))
        if (href := _string(link, "href"))
    ]
    node.title = _text(raw, "title")
    node.summary = _text(raw, "summary", "text/html")
    authors = coerce.dicts(raw.get("authors"))
    node.authors = [
        RawPerson(_string(author, "name"), _string(author, "href")) for author in authors
    ]
    if authors and (last := node.authors[-1]).name:
        # Its own way to take a mail address out of the last one's name leaves a part of it.
        whole = _string(raw, "author")
        if whole and whole != f"{last.name} ({authors[-1].get('email')})":
            node.authors[-1] = RawPerson(whole, last.url)
    node.categories = [
        RawCategory(name, tag.get("scheme") == _ITUNES)
        for tag in coerce.dicts(raw.get("tags"))
        if (name := _string(tag, "label") or _string(tag, "term"))
    ]
    node.published = _string(raw, "published")
    node.updated = _string(raw, "updated")
    node.created = _string(raw, "created")
    node.rights = _text(raw, "rights")
    node.language = _string(raw, "language")
    image = raw.get("image")
    node.images = _strings(image, "href") if isinstance(image, dict) else _strings(raw, "image")
    explicit = raw.get("itunes_explicit")
    node.explicit = _EXPLICIT.get(explicit) if isinstance(explicit, bool) else None


def _text(raw: Mapping[str, Any], name: str, media_type: str = "text/plain") -> RawText | None:
    """Return the text under a name, of `media_type` where it declares none."""
    value, detail = raw.get(name), raw.get(f"{name}_detail")
    # The detail may be that of a deeper element, such as the media:title of a picture.
    if isinstance(detail, dict) and detail.get("value") == value:
        return _construct(detail)
    return RawText(coerce.repair_encoding(value), media_type) if isinstance(value, str) else None


def _construct(detail: Mapping[str, Any]) -> RawText:
    return RawText(
        coerce.repair_encoding(str(detail.get("value") or "")),
        str(detail.get("type") or ""),
        _string(detail, "base"),
        _string(detail, "language"),
    )


def _file(content: Mapping[str, Any]) -> RawFile:
    media_type = _string(content, "type") or ""
    return RawFile(
        url=_string(content, "url"),
        media_type=media_type,
        medium=(_string(content, "medium") or media_type.partition("/")[0]).lower(),
        length=_string(content, "filesize"),
        duration=_string(content, "duration"),
        width=_string(content, "width"),
    )


def _media_type(link: Mapping[str, Any]) -> str | None:
    media_type = _string(link, "type")
    # What feedparser puts where a link says nothing.
    return None if media_type == "text/html" else media_type


def _string(raw: Mapping[str, Any], name: str) -> str | None:
    value = raw.get(name)
    return (coerce.repair_encoding(value) or None) if isinstance(value, str) else None


def _strings(raw: Mapping[str, Any], name: str) -> list[str]:
    value = _string(raw, name)
    return [value] if value else []
