"""Editions in which everything occurs that a feed can say, and what is wrong with their files."""

import io
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import feedparser  # type: ignore[import-untyped]  # it ships no types
import jsonschema  # type: ignore[import-untyped]  # it ships no types
import listparser
from msgspec.structs import replace

from planet.model import (
    ContentMode,
    DigestItem,
    DigestSection,
    Edition,
    Enclosure,
    Episode,
    Html,
    Owner,
    Pages,
    Person,
    Podcast,
    Post,
    Source,
    Tag,
    Timeline,
    Transcript,
)
from planet.site.feeds import feed_files
from tests.builders import NOW as NOON
from tests.builders import make_source
from tests.site import editions

__all__ = ["NOON", "make_source"]

MP3 = Enclosure(url="https://one.example/1.mp3", media_type="audio/mpeg", length=1234)


def make_post(number: int = 1, source: Source | None = None, **changes: Any) -> Post:
    """A post with a summary; the higher its number, the older it is."""
    return editions.make_post(number, source or make_source(), **_said(number) | changes)


def make_picked(number: int, source: Source, *, note: str | None = None, **changes: Any) -> Post:
    """A post that was picked when it is dated."""
    return editions.make_picked(number, source, note=note, **_said(number) | changes)


def _said(number: int) -> dict[str, Any]:
    words = {"title": f"Title {number}", "summary": f"Summary {number}"}
    return {"when": NOON - timedelta(hours=number), **words}


def make_edition(*posts: Post, **changes: Any) -> Edition:
    """An edition of these posts, and of their sources unless others are given."""
    link = "https://planet.example/"
    return editions.make_edition(*posts, **{"title": "Planet Test", "link": link, **changes})


class Texts:
    """A store of texts that remembers which it was asked for."""

    def __init__(self, texts: Mapping[int, str] | None = None) -> None:
        self.texts = dict(texts or {})
        self.asked: list[int] = []

    def __call__(self, numbers: Sequence[int]) -> Mapping[int, Html]:
        self.asked += numbers
        return {number: Html(self.texts[number]) for number in numbers if number in self.texts}


def written(
    edition: Edition,
    texts: Mapping[int, str] | None = None,
    pages: Pages | None = None,
    cover: str | None = None,
) -> dict[str, bytes]:
    """Every file of an edition's feeds, by its path."""
    made = feed_files(edition, pages=pages or Pages(), contents=Texts(texts), cover=cover)
    return {file.path: file.make() for file in made}


# Editions in which everything occurs that a feed can say

SHOW = make_source(
    "show",
    title="The Show",
    id="urn:uuid:0d3f3c9e-0a4f-4ad0-8f0e-5f0b7d8f0c11",
    description="Talk & more talk",
    author="Ann",
    image="https://show.example/cover.jpg",
    language="de-DE",
    rights="CC BY",
    explicit=False,
    tags=("Talk", "Radio"),
)
BLOG = make_source("blog", title="A Blog", language="en")
SHORT = make_source("short", title="Short", content=ContentMode.SUMMARY)
TERSE = make_source("terse", title="Terse", content=ContentMode.TITLE)

EPISODE = make_post(
    1,
    SHOW,
    also_in=(BLOG,),
    id="https://show.example/?e=1&x=2",
    link="https://show.example/1",
    title="Pilot <one>",
    summary="We begin & end.",
    authors=(Person(name="Bea", url="https://bea.example/"), Person(name="Cem")),
    categories=("pilots", "talk", "pilots"),
    published=NOON - timedelta(hours=1),
    updated=NOON,
    changed_at=NOON + timedelta(minutes=5),
    enclosures=(
        Enclosure(url="https://show.example/1.pdf", title="Slides"),
        Enclosure(
            url="https://cdn.example/1.mp3?a=1&b=2",
            media_type="audio/mpeg",
            length=12345678,
            duration=1800,
        ),
        Enclosure(url="https://cdn.example/1.mp3?a=1&b=2", media_type="audio/mpeg"),
    ),
    image="https://show.example/1.jpg",
    comments="https://show.example/1#comments",
    rights="CC BY-SA",
    episode=Episode(
        number=1,
        season=2,
        kind="trailer",
        explicit=True,
        chapters="https://show.example/1.json",
        transcripts=(
            Transcript(url="https://show.example/1.vtt", media_type="text/vtt", language="de"),
        ),
        persons=(Person(name="Bea", url="https://bea.example/"),),
    ),
)
ARTICLE = make_post(
    2,
    BLOG,
    language="fr",
    published=NOON - timedelta(hours=2),
    in_reply_to=("https://else.example/?a=1&b=2", "https://else.example/2"),
)
NOTE = make_post(3, BLOG, id="urn:uuid:9f6b6fb0-7d5c-4cf7-b7f6-0c6c1f2ad001", link=None, title=None)
SUMMARY = make_post(4, SHORT)
TITLE = make_post(5, TERSE, link=None)

EDITION = make_edition(
    EPISODE,
    ARTICLE,
    NOTE,
    SUMMARY,
    TITLE,
    description="All of it",
    owner=Owner(name="Olga", email="olga@planet.example", url="https://olga.example/"),
    sources=(BLOG, SHORT, TERSE, SHOW),
)
TEXTS = {
    1: '<p>We begin <em>here</em> &amp; end ]]&gt; <a href="https://x.example/?a=1&amp;b=2">x</a></p>',
    2: "<p>Full article</p>",
    4: "<p>Never shown</p>",
    5: "<p>Never shown</p>",
}

GONE = make_source("gone", slug="", title="Gone Show", url="https://gone.example/rss", link=None)
"""A show that is no source of the planet any more."""

PICK = make_picked(
    1,
    GONE,
    note="Listen to the end,\nit is <worth> it.",
    when=NOON,
    link="https://gone.example/7",
    id="https://gone.example/7",
    title="The seventh",
    summary="About seven & eight.",
    published=datetime(2024, 5, 3, 23, 30, tzinfo=UTC),
    enclosures=(
        Enclosure(url="https://gone.example/7.m4a", media_type="audio/x-m4a", length=7000),
    ),
)
OLD = make_post(6, BLOG, when=datetime(2026, 10, 31, 8, tzinfo=UTC))
OLDER = make_post(7, SHORT, when=datetime(2026, 9, 1, 8, tzinfo=UTC))

TOLD = (
    DigestItem(
        uid="https://show.example/?e=1&x=2",
        heading="Pilot <one>",
        link="https://show.example/1?a=1&b=2",
        summary="We begin & end. " * 9,
    ),
    DigestItem(uid="urn:x", heading="From here to there"),
)
SECTIONS = (
    DigestSection(source="The Show", link="https://show.example/", items=TOLD),
    DigestSection(
        source="日本語のブログ",
        items=(DigestItem(uid="urn:y", heading="長い題名" * 20, summary="."),),
    ),
)

RICH = replace(
    EDITION,
    timeline=Timeline((PICK, *EDITION.timeline.posts(), OLD, OLDER)),
    hub="https://hub.example/",
    podcast=Podcast(
        title="Heard on Planet Test",
        description="Episodes worth an hour.",
        cover="https://planet.example/own.jpg",
        category="Arts > Books",
    ),
    tags=(Tag(name="Radio", slug="radio"), Tag(name="Talk", slug="talk")),
    digests=tuple(editions.make_digest(day, *SECTIONS) for day in (20, 19)),
)
"""The same with picks, tags, digests, a hub, and months that are over."""
RICH_TEXTS = {**TEXTS, -1: "<p>All of seven</p>", 6: "<p>October</p>"}


# Every file of a site's feeds, held against schemas and readers that others keep

ATOM = "{http://www.w3.org/2005/Atom}"
LANG = "{http://www.w3.org/XML/1998/namespace}lang"
ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
CONTENT = "{http://purl.org/rss/1.0/modules/content/}"

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "schemas" / "jsonfeed-1.1.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def problems(documents: Mapping[str, bytes]) -> dict[str, list[str]]:
    """What is wrong with files, by path; those with nothing wrong are left out."""
    found = {path: _of_file(path, document) for path, document in documents.items()}
    return {path: wrong for path, wrong in found.items() if wrong}


def _of_file(path: str, document: bytes) -> list[str]:
    """What a schema or a reader says against one file, in words."""
    match path.rpartition("/")[2]:
        case "atom.xml" | "digest.xml":
            return _of_feed(document, "atom10")
        case "podcast.xml":
            return _of_feed(document, "rss20")
        case "opml.xml":
            read = listparser.parse(document)
            return [str(read.bozo_exception)] if read.bozo else []
        case "feed.json":
            return [error.message for error in VALIDATOR.iter_errors(json.loads(document))]
        case _:
            return []


def _of_feed(document: bytes, version: str) -> list[str]:
    read = feedparser.parse(io.BytesIO(document))
    wrong = [f"is {read.version!r}"] * (read.version != version)
    wrong += [str(read.bozo_exception)] if read.bozo else []
    ids = [entry.get("id") for entry in read.entries]
    wrong += ["an entry without an id, or two with one"] * (len({*ids} - {None}) < len(ids))
    wrong += [
        f"{entry.id} has no date" for entry in read.entries if not entry.get("published_parsed")
    ]
    return wrong + ["the feed has no title"] * ("title" not in read.feed)
