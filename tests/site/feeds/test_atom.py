"""Atom and JSON Feed: as much as a source allows, and the same in both."""

import calendar
import dataclasses
import io
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree as ET

import feedparser  # type: ignore[import-untyped]  # it ships no types

from planet.model import ContentMode, Edition, Person
from tests.cases import case, cases
from tests.site.feeds.make import (
    ATOM,
    EDITION,
    LANG,
    TEXTS,
    VALIDATOR,
    make_edition,
    make_entry,
    make_post,
    make_source,
    written,
)


def entries(edition: Edition, path: str = "atom.xml") -> list[ET.Element]:
    return ET.fromstring(written(edition, TEXTS)[path]).findall(f"{ATOM}entry")


@cases(
    "mode, link, expected",
    case("full", ContentMode.FULL, "https://x.example/", ["summary", "content"]),
    case("summary", ContentMode.SUMMARY, "https://x.example/", ["summary"]),
    case("title", ContentMode.TITLE, "https://x.example/", ["summary"]),
    case("title, linking nowhere", ContentMode.TITLE, None, ["content"]),
)
def test_only_as_much_of_an_entry_is_published_as_its_source_allows(
    mode: ContentMode, link: str | None, expected: list[str]
) -> None:
    post = make_post(make_entry(2, link=link), make_source(content=mode))

    [entry] = entries(make_edition(post))

    words = [
        e.tag.removeprefix(ATOM) for e in entry if e.tag in {f"{ATOM}summary", f"{ATOM}content"}
    ]
    assert words == expected
    assert ("Full article" in "".join(entry.itertext())) is (mode is ContentMode.FULL)
    assert ("Summary 2" in "".join(entry.itertext())) is (mode is not ContentMode.TITLE)


@cases(
    "entry, source, expected",
    case("own", {"authors": (Person(name="A"), Person(name="B"))}, {}, ["A (One)", "B (One)"]),
    case("source's author", {}, {"author": "S"}, ["S (One)"]),
    case("source", {}, {}, ["One"]),
)
def test_every_entry_names_its_author_and_its_source(
    entry: dict[str, Any], source: dict[str, Any], expected: list[str]
) -> None:
    post = make_post(make_entry(**entry), make_source(**source))

    [element] = entries(make_edition(post))

    assert [name.text for name in element.findall(f"{ATOM}author/{ATOM}name")] == expected


@cases(
    "entry, source, expected",
    case("own", "fr", "de", "fr"),
    case("source's", None, "de", "de"),
    case("nonsense", "not a language", "de", "de"),
    case("unknown", None, None, None),
)
def test_an_entry_says_its_language_where_that_is_known(
    entry: str | None, source: str | None, expected: str | None
) -> None:
    post = make_post(make_entry(language=entry), make_source(language=source))

    [element] = entries(make_edition(post))

    assert element.get(LANG) == expected


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What a reader gets to know of an entry, whatever the format."""

    id: str
    link: str | None
    title: str | None
    published: datetime
    updated: datetime | None
    files: tuple[tuple[str, str | None, int | None], ...]
    html: str | None


def feedparser_items(document: bytes) -> list[Item]:
    parsed = feedparser.parse(
        io.BytesIO(document), sanitize_html=False, resolve_relative_uris=False
    )
    assert not parsed.bozo
    return [
        Item(
            id=entry.id,
            # Not entry.link, which is the id where there is no link.
            link=next((a.href for a in entry.get("links", ()) if a.rel == "alternate"), None),
            title=entry.get("title"),
            published=_moment(entry.published_parsed),
            updated=_moment(entry.updated_parsed) if "updated_parsed" in entry else None,
            files=tuple(
                (file.href, file.get("type"), int(file.length) if file.get("length") else None)
                for file in entry.get("enclosures", ())
            ),
            html=next((c.value for c in entry.get("content", ()) if c.type == "text/html"), None),
        )
        for entry in parsed.entries
    ]


def json_items(document: bytes) -> list[Item]:
    feed = json.loads(document)
    VALIDATOR.validate(feed)
    return [
        Item(
            id=item["id"],
            link=item.get("url"),
            title=item.get("title"),
            published=datetime.fromisoformat(item["date_published"]),
            updated=datetime.fromisoformat(item["date_modified"]),
            files=tuple(
                (file["url"], file["mime_type"], file.get("size_in_bytes"))
                for file in item.get("attachments", ())
            ),
            html=item.get("content_html"),
        )
        for item in feed["items"]
    ]


def model_items(edition: Edition) -> list[Item]:
    """What the edition itself says."""
    return [
        Item(
            id=post.uid,
            link=post.entry.link,
            title=post.entry.title,
            published=post.when,
            updated=post.modified,
            files=tuple(
                {
                    file.url: (file.url, file.media_type or "application/pdf", file.length)
                    for file in reversed(post.entry.enclosures)
                }.values()
            )[::-1],
            html=TEXTS.get(post.entry.number) if post.source.content == "full" else None,
        )
        for post in edition.timeline.posts()
    ]


def _moment(parsed: Any) -> datetime:
    return datetime.fromtimestamp(calendar.timegm(parsed), tz=UTC)


def test_atom_and_json_feed_read_back_as_the_same_entries() -> None:
    documents = written(EDITION, TEXTS)
    expected = model_items(EDITION)

    from_json = json_items(documents["feed.json"])
    from_atom = feedparser_items(documents["atom.xml"])

    assert from_json == expected
    # Atom must have a title: that of a note is empty.
    assert from_atom == [dataclasses.replace(item, title=item.title or "") for item in expected]


def test_a_podcast_reads_back_as_the_episodes() -> None:
    [episode] = feedparser_items(written(EDITION, TEXTS)["podcast.xml"])

    expected = model_items(EDITION)[0]
    assert episode == dataclasses.replace(
        expected, title="The Show: Pilot <one>", updated=None, files=expected.files[1:]
    )


@cases(
    "title, summary, text, expected",
    case("text", "T", "S", "<p>C</p>", ("<p>C</p>", None)),
    case("summary", "T", "S", None, (None, "S")),
    case("title", "T", None, None, (None, "T")),
    case("nothing", None, None, None, (None, "one.example/1")),
)
def test_an_item_always_holds_something_to_read(
    title: str | None,
    summary: str | None,
    text: str | None,
    expected: tuple[str | None, str | None],
) -> None:
    edition = make_edition(make_post(make_entry(title=title, summary=summary)))

    feed = json.loads(written(edition, {1: text} if text else {})["feed.json"])

    [item] = feed["items"]
    assert (item.get("content_html"), item.get("content_text")) == expected


def test_an_item_says_where_it_comes_from_and_when_it_was_first_seen() -> None:
    here, there = make_source("here"), make_source("there", link=None, url="file:///f")
    post = make_post(make_entry(), here, also_in=(there,))

    feed = json.loads(written(make_edition(post))["feed.json"])

    assert feed["items"][0]["_planet"] == {
        "source": {
            "slug": "here",
            "title": "Here",
            "url": "https://here.example/",
            "feed_url": "https://here.example/feed",
        },
        # Its address is not for the public.
        "also_in": [
            {
                "slug": "there",
                "id": "urn:uuid:48f4ced6-cd2d-51b2-ae8e-4b748d634010",
                "title": "There",
            }
        ],
        "first_seen": "2026-11-20T11:00:00Z",
    }
