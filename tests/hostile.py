"""Strategies: words, feeds and bytes that nobody sends who means well."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

FEEDS = Path(__file__).parent / "feeds"

calm = settings(
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)

_FRAGMENTS = (
    *["<b>", "</b>", "<p>", "</div>", "<br/>", "<i a='", "<a href='javascript:alert(1)'>", "<img "],
    *["<script>", "</script>", "<style>", "<!--", "-->", "<![CDATA[", "]]>", "<!", "<?", "</", "<"],
    *["&amp;", "&lt;", "&#x1b;", "&#0;", "&nbsp;", "&nosuch;", "&#8217", "&", ";", '"', "'", "::"],
    *["\0", "\x1b[31m", "\r\n", "\t", "\u202e", "\u2028", "\ufeff", "\ufffe", "\x85", "\x9b"],
    *["##[", "../", "con", "hash:", "https://a.example/?b=1&c", "//b.example\\@c", "é", "囍", "🦆"],
)
_DATES = (
    *["Tue, 03 Nov 2026 09:00:00 GMT", "2026-11-03T09:00:00.123456+14:00", "2026-11-03", "1e9"],
    *["Thu, 01 Jan 1970 00:00:00 GMT", "9999-12-31", "24:00 3 Nov 98", "1700000000", "", "00:00"],
)
_ADDRESSES = (
    *["https://a.example/1", "/relative", "HTTPS://Ä.example/ü?q=%zz", "javascript:alert(1)"],
    *["https://a.example/'\"<>&", "http://[::1", "http://a.example:99999/", "  //b.example/x  "],
)

_pieces = st.one_of(st.sampled_from(_FRAGMENTS), st.text(max_size=6))
texts = st.lists(_pieces, max_size=8).map("".join)
"""Any text, often with what means something to somebody."""

_dates = st.one_of(st.sampled_from(_DATES), texts)
_addresses = st.one_of(st.sampled_from(_ADDRESSES), texts)


@st.composite
def _rss_item(draw: st.DrawFn) -> str:
    # As it should be written, or as it is when nobody cares.
    careful = draw(st.booleans())
    said = {
        "guid": texts,
        "link": _addresses,
        "title": texts,
        "description": texts,
        "pubDate": _dates,
        "author": texts,
        "category": texts,
    }
    names = draw(st.lists(st.sampled_from(sorted(said)), max_size=7))
    values = {name: draw(said[name]) for name in names}
    return "".join(
        f"<{name}>{escape(value) if careful else value}</{name}>" for name, value in values.items()
    )


@st.composite
def _atom_entry(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(["text", "html", "xhtml", "image/png", ""]))
    said = {"id": escape(draw(texts))}
    said |= {name: escape(draw(_dates)) for name in ("updated", "published")}
    words = {name: escape(draw(texts)) for name in ("title", "summary", "content")}
    href = escape(draw(_addresses), {'"': "&quot;"})
    return (
        "".join(f"<{name}>{value}</{name}>" for name, value in said.items())
        + "".join(f'<{name} type="{kind}">{value}</{name}>' for name, value in words.items())
        + f'<link href="{href}"/>'
    )


def _rss(items: list[str]) -> bytes:
    inside = "".join(f"<item>{item}</item>" for item in items)
    title = "<title>A feed</title>"
    document = f"<rss version='2.0'><channel>{title}{inside}</channel></rss>"
    return document.encode("utf-8", "replace")


def _atom(entries: list[str]) -> bytes:
    inside = "".join(f"<entry>{entry}</entry>" for entry in entries)
    title = "<title>A feed</title>"
    document = f'<feed xmlns="http://www.w3.org/2005/Atom">{title}{inside}</feed>'
    return document.encode("utf-8", "replace")


_json_item = st.fixed_dictionaries(
    {"content_text": texts},
    optional={
        "id": st.one_of(texts, st.integers(), st.none()),
        "url": _addresses,
        "title": texts,
        "content_html": texts,
        "date_published": _dates,
        "tags": st.lists(st.one_of(texts, st.none()), max_size=3),
    },
)


def _json(items: Sequence[Mapping[str, object]]) -> bytes:
    version = "https://jsonfeed.org/version/1.1"
    return json.dumps({"version": version, "title": "A feed", "items": items}).encode()


feeds = st.one_of(
    st.lists(_rss_item(), min_size=1, max_size=3).map(_rss),
    st.lists(_atom_entry(), min_size=1, max_size=3).map(_atom),
    st.lists(_json_item, min_size=1, max_size=3).map(_json),
)
"""Feeds of all formats, with such texts everywhere."""

_samples = sorted(path for path in FEEDS.iterdir() if not path.name.endswith(".expected.json"))


@st.composite
def _damaged(draw: st.DrawFn) -> bytes:
    """A feed with a piece of it replaced by others."""
    body = draw(st.one_of(st.sampled_from(_samples).map(Path.read_bytes), feeds))
    start = draw(st.integers(0, len(body)))
    end = draw(st.integers(start, min(len(body), start + 40)))
    again = draw(st.integers(0, len(body)))
    piece = draw(st.one_of(st.binary(max_size=8), texts.map(lambda said: said.encode("utf-16"))))
    return body[:start] + piece + body[end:] + body[again : again + 200]


bodies = st.one_of(st.binary(), texts.map(lambda said: said.encode("utf-8", "replace")), _damaged())
"""Anything a server may send."""
