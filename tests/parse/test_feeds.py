"""Feeds as they are read: each file in `tests/feeds` is a case, with its expectation beside it."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import fields

from planet.errors import ParseError
from planet.model import TextKind
from planet.parse import parse
from planet.social import FORMATS
from tests.cases import case, cases


def plainly(value: object) -> Any:
    """Nouns as plain JSON values: defaults are left out, so that expectations stay short."""
    if isinstance(value, Struct):
        content = [(field, getattr(value, field.name)) for field in fields(value)]
        return {field.name: plainly(item) for field, item in content if item != field.default}
    if isinstance(value, tuple | list):
        return [plainly(part) for part in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value


FEEDS = Path(__file__).parents[1] / "feeds"
URL = "https://feed.example/dir/feed.xml"
EXPECTED = ".expected.json"

RSS = '<rss version="2.0"><channel><title>{title}</title>{items}</channel></rss>'


def read(body: bytes, **arguments: Any) -> Any:
    try:
        return plainly(parse(body, **{"url": URL, "formats": FORMATS, **arguments}))
    except ParseError as error:
        return {"error": {"kind": error.kind, "message": str(error)}}


def rss(title: str = "A feed", items: str = "") -> bytes:
    return RSS.format(title=title, items=items).encode()


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, id=file.name)
        for file in sorted(FEEDS.iterdir())
        if not file.name.endswith(EXPECTED)
    ],
)
def test_a_feed_is_read_as_expected(file: Path) -> None:
    expected = json.loads((FEEDS / f"{file.name}{EXPECTED}").read_text(encoding="utf-8"))

    feed = read(file.read_bytes())

    assert feed == expected


@cases(
    "content_type",
    case("none", None),
    case("a page's", "text/html"),
    case("another format's", "application/feed+json"),
    case("a picture's", "image/png"),
)
def test_what_a_feed_is_declared_as_does_not_matter(content_type: str | None) -> None:
    feed = parse(rss(), url=URL, content_type=content_type)

    assert feed.profile.title == "A feed"


@pytest.mark.parametrize("content_type", ["application/feed+json", "application/xml"])
def test_the_next_reader_is_tried_when_one_fails(content_type: str) -> None:
    body = b'{"a warning": [' + rss()

    feed = parse(body, url=URL, content_type=content_type)

    assert feed.profile.title == "A feed"


def test_when_all_readers_fail_the_first_says_why() -> None:
    feed = read(b'{"broken": "<rss>', content_type="application/json")

    assert feed == {
        "error": {"kind": "unreadable", "message": "the JSON is damaged (JSONDecodeError)"}
    }


def test_a_feed_in_a_file_has_no_base_but_its_own() -> None:
    items = "<item><guid>1</guid><description>x</description><link>relative</link></item>"

    feed = parse(rss(items=items), url="file:///home/ann/feed.xml")

    assert [(entry.link, entry.summary and entry.summary.base) for entry in feed.entries] == [
        (None, None)
    ]


@cases(
    "body",
    case("RSS", rss(items="".join(f"<item><guid>{n}</guid></item>" for n in range(1001)))),
    case(
        "JSON Feed",
        json.dumps(
            {
                "version": "https://jsonfeed.org/version/1.1",
                "items": [{"id": n} for n in range(1001)],
            }
        ).encode(),
    ),
)
def test_only_the_first_thousand_entries_are_read(body: bytes) -> None:
    feed = parse(body, url=URL)

    assert [entry.id for entry in feed.entries] == [str(n) for n in range(1000)]
    assert feed.notes == ("only the first 1000 of 1001 entries are read",)


def test_a_feed_may_be_two_hundred_levels_deep_and_no_deeper() -> None:
    # The first three are those of the item.
    deep, deeper = (
        rss(items=f"<item><guid>1</guid>{'<x>' * levels}{'</x>' * levels}</item>")
        for levels in (197, 198)
    )

    assert [entry.id for entry in parse(deep, url=URL).entries] == ["1"]
    assert read(deeper)["error"]["message"] == "the feed is too complex to be one"


# A chapter that does not say when it starts: feedparser raises TypeError over it.
TRAP = """<item xmlns:psc="http://podlove.org/simple-chapters"><guid isPermaLink="false">1</guid>
<psc:chapters><psc:chapter/></psc:chapters><title>Kept</title></item>"""


def test_a_feed_on_which_the_library_fails_is_told_as_unreadable() -> None:
    assert [len(parse(rss(items=TRAP), url=URL).entries), read(rss("Fish <chips", TRAP))] == [
        1,
        {"error": {"kind": "unreadable", "message": "the feed cannot be read (TypeError)"}},
    ]


def test_the_language_of_a_part_of_xhtml_stays() -> None:
    body = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><content type="xhtml">
        <div xmlns="http://www.w3.org/1999/xhtml"><p xml:lang="fr">Oui</p></div></content></entry>
        </feed>"""

    content = parse(body.encode(), url=URL).entries[0].content

    assert content is not None
    assert content.value == '<p lang="fr">Oui</p>'


def test_what_is_long_is_cut() -> None:
    items = (
        f"<item><guid>1</guid><category>{'c' * 5000}</category>"
        f"<description>{'d' * 1_000_001}</description></item>"
        f"<item><guid isPermaLink='false'>{'i' * 5000}</guid></item>"
    )

    entries = parse(rss(title="t" * 5000, items=items), url=URL).entries

    assert [len(category) for category in entries[0].categories] == [1000]
    assert entries[0].summary is not None
    assert len(entries[0].summary.value) == 1_000_000
    assert entries[1].id == "hash:" + entries[1].id[5:]
    assert len(entries[1].id) == 21


def test_ids_stay_when_other_entries_come() -> None:
    old = "<item><guid>same</guid><title>Old</title></item><item><guid>same</guid></item>"
    new = "<item><guid>same</guid><title>New</title></item>" + old

    before = parse(rss(items=old), url=URL).entries
    after = parse(rss(items=new), url=URL).entries

    assert [entry.id for entry in after[1:]] == [entry.id for entry in before]


def dated(title: str, day: int) -> str:
    return f"<item><title>{title}</title><pubDate>{day:02} Nov 2026 09:00 GMT</pubDate></item>"


def test_ids_that_are_made_stay_when_a_feed_dates_everything_anew() -> None:
    before = parse(rss(items=dated("A", 3) + dated("B", 3)), url=URL).entries
    after = parse(rss(items=dated("A", 4) + dated("B", 4)), url=URL).entries

    assert [entry.id for entry in after] == [entry.id for entry in before]


@cases(
    "title, expected",
    case("by number", "The Hitchhiker&#039;s Guide", "The Hitchhiker's Guide"),
    case("by name", "&quot;A&quot; &amp; &#x42;", '"A" & B'),
    case("once", "&amp;lt;b&amp;gt;", "&lt;b&gt;"),
    case("still plain text", "a < b <i> &lt;p&gt;", "a < b <i> <p>"),
    case("no known reference", "&nosuch;", "&nosuch;"),
)
def test_a_title_of_a_json_feed_is_plain_text_with_references_decoded(
    title: str, expected: str
) -> None:
    item = {"id": "1", "title": title, "content_text": "x"}

    entry = parse(json.dumps({"items": [item]}).encode(), url=URL).entries[0]

    assert entry.title is not None
    assert (entry.title.value, entry.title.kind) == (expected, TextKind.TEXT)


def test_names_in_a_json_feed_have_their_references_decoded() -> None:
    feed = {
        "title": "O&#039;Neill&quot;s",
        "authors": [{"name": "Ann O&#039;Neill"}],
        "items": [{"id": "1", "content_text": "x", "authors": [{"name": "Q &amp; A"}]}],
    }

    read = parse(json.dumps(feed).encode(), url=URL)

    assert (read.profile.title, read.profile.author) == ("O'Neill\"s", "Ann O'Neill")
    assert [author.name for author in read.entries[0].authors] == ["Q & A"]
