"""Picked episodes in the feeds: filed when they were picked, with what is said of the pick."""

import json
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree as ET

from msgspec.structs import replace

from planet.model import ContentMode, Post
from tests.cases import case, cases
from tests.site.feeds.checks import ATOM, CONTENT
from tests.site.feeds.make import (
    MP3,
    NOON,
    make_edition,
    make_entry,
    make_picked,
    make_source,
    written,
)

MAY = datetime(2024, 5, 3, 23, 59, tzinfo=UTC)
GONE = make_source("gone", slug="", link=None, has_feeds=False)


def picked(note: str | None = None, *, source: dict[str, Any] | None = None, **entry: Any) -> Post:
    said = {"published": MAY, "when": NOON, "summary": "S", "enclosures": (MP3,)} | entry
    return make_picked(make_entry(-1, **said), replace(GONE, **(source or {})), note=note)


def notes(post: Post, text: str | None = None) -> dict[str, str | None]:
    """What stands in the show notes, by where they are."""
    documents = written(make_edition(post, sources=()), {-1: text} if text else {})
    entry = ET.fromstring(documents["atom.xml"]).find(f"{ATOM}entry")
    item = ET.fromstring(documents["podcast.xml"]).find("channel/item")
    assert entry is not None
    assert item is not None
    return {
        "atom": entry.findtext(f"{ATOM}content"),
        "json": json.loads(documents["feed.json"])["items"][0].get("content_html"),
        "rss": item.findtext(f"{CONTENT}encoded"),
        "description": item.findtext("description"),
    }


DAY = "<p><em>Published 3 May 2024</em></p>"


@cases(
    "post, text, full, description",
    case(
        "note, date, text",
        picked("Why <not>?"),
        "<p>T</p>",
        f"<p>Why &lt;not&gt;?</p>{DAY}<p>T</p>",
        f"<p>Why &lt;not&gt;?</p>{DAY}<p>S</p>",
    ),
    case(
        "note, text",
        picked("a\nb", published=None),
        "<p>T</p>",
        "<p>a<br>b</p><p>T</p>",
        "<p>a<br>b</p><p>S</p>",
    ),
    case("no excerpt", picked(summary=None), "<p>T</p>", f"{DAY}<p>T</p>", f"{DAY}<p>T</p>"),
    case(
        "no text", picked(summary="<S>"), None, f"{DAY}<p>&lt;S&gt;</p>", f"{DAY}<p>&lt;S&gt;</p>"
    ),
    case(
        "only the title may be told",
        picked(source={"content": ContentMode.TITLE}),
        "<p>T</p>",
        DAY,
        DAY,
    ),
)
def test_the_note_comes_first_then_the_original_date_then_the_text(
    post: Post, text: str | None, full: str, description: str
) -> None:
    found = notes(post, text)

    # What the description says already is not said twice.
    encoded = full if full != description else None
    assert found == {"atom": full, "json": full, "rss": encoded, "description": description}


def test_a_show_that_is_gone_is_told_with_each_pick_as_it_was_then() -> None:
    posts = [
        make_picked(make_entry(-number, published=MAY), replace(GONE, title=title))
        for number, title in ((1, "New name"), (2, "Old name"))
    ]

    documents = written(make_edition(*posts, sources=()))

    atom = ET.fromstring(documents["atom.xml"])
    titles = [each.findtext(f"{ATOM}title") for each in atom.iter(f"{ATOM}source")]
    items = json.loads(documents["feed.json"])["items"]
    assert titles == [item["_planet"]["source"]["title"] for item in items]
    assert {*titles} == {"New name", "Old name"}
