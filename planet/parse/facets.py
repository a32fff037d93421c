"""The text of a post on Bluesky with its facets → HTML (https://docs.bsky.app, "Rich text").

A facet says what a range of the text is: a link, somebody's name, a tag. Ranges count bytes of
UTF-8. One that is outside the text, cuts a character in two or overlaps another does not count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from planet.parse import markup, values
from planet.parse.atproto import SITE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FEATURE = "app.bsky.richtext.facet#"
_MAX_FACETS = 300
_BREAKS = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Range:
    start: int
    end: int
    url: str


def html(record: Mapping[str, Any]) -> str:
    """The text of a post's record, in paragraphs."""
    text = (values.string(record.get("text")) or "")[: values.MAX_TEXT]
    said = text.encode()
    pieces, done = [], 0
    for each in sorted(_ranges(record, said), key=lambda each: (each.start, -each.end)):
        if each.start < done:
            continue
        words = said[each.start : each.end].decode()
        pieces += [
            escape(said[done : each.start].decode()),
            markup.anchor(each.url, " ".join(words.split()) or None),
        ]
        done = each.end
    pieces.append(escape(said[done:].decode()))
    parts = (part.strip() for part in _BREAKS.split("".join(pieces)))
    return "".join(f"<p>{part}</p>" for part in parts if part).replace("\n", "<br>")


def tags(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The tags in a text, then those beside it."""
    said = [
        feature.get("tag")
        for facet in values.dicts(record.get("facets"))[:_MAX_FACETS]
        for feature in values.dicts(facet.get("features"))
    ]
    beside = record.get("tags")
    return values.lines([*said, *(beside if isinstance(beside, list) else [])])


def _ranges(record: Mapping[str, Any], said: bytes) -> Iterator[_Range]:
    for facet in values.dicts(record.get("facets"))[:_MAX_FACETS]:
        index = facet.get("index")
        if not isinstance(index, dict):
            continue
        start, end = _offset(index.get("byteStart"), said), _offset(index.get("byteEnd"), said)
        urls = (_url(feature) for feature in values.dicts(facet.get("features")))
        url = next(filter(None, urls), None)
        if url and start is not None and end is not None and start < end:
            yield _Range(start=start, end=end, url=url)


def _offset(value: object, said: bytes) -> int | None:
    """A place between two characters."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= len(said):
        return None
    # 10xxxxxx goes on with a character (RFC 3629 §3).
    return None if value < len(said) and said[value] & 0xC0 == 0x80 else value


def _url(feature: Mapping[str, Any]) -> str | None:
    kind = str(feature.get("$type")).removeprefix(_FEATURE)
    if kind == "link":
        return values.link(feature.get("uri"))
    named = values.string(feature.get({"mention": "did", "tag": "tag"}.get(kind, "")))
    if named is None:
        return None
    folder = "profile" if kind == "mention" else "hashtag"
    return f"{SITE}/{folder}/{quote(named, safe=':')}"
