"""Which files there are, what makes them anew, and what none tells; health.json and digests."""

import io
import json
import re
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree as ET

import feedparser  # type: ignore[import-untyped]  # it ships no types
import pytest
from msgspec.structs import replace

from planet.model import (
    Edition,
    Feed,
    FeedHealth,
    FeedState,
    File,
    Moved,
    Pages,
    Podcast,
    Tag,
)
from planet.schedule.health import feed_health
from planet.site.feeds import facts, feed_files, health_file
from tests.cases import case, cases
from tests.docs import page, section
from tests.site.editions import make_digest
from tests.site.feeds.make import (
    ATOM,
    EDITION,
    MP3,
    NOON,
    RICH,
    TEXTS,
    Texts,
    make_edition,
    make_picked,
    make_post,
    make_source,
    problems,
    written,
)


def of(edition: Edition, pages: Pages | None = None) -> dict[str, str]:
    """The fingerprints of all files, by path."""
    made = feed_files(edition, pages=pages or Pages(), contents=Texts(), cover=None)
    return {file.path: file.fingerprint for file in made}


def test_the_planet_each_source_and_each_tag_have_feeds_and_podcasts_where_there_is_audio() -> None:
    posts, heard = ["atom.xml", "feed.json"], ["atom.xml", "feed.json", "podcast.xml"]

    found = sorted(written(RICH))

    assert found == sorted(
        [
            *(*heard, "digest.xml", "opml.xml"),
            *(f"source/{slug}/{name}" for slug in ("blog", "short", "terse") for name in posts),
            *(f"source/show/{name}" for name in heard),
            *(f"tag/{slug}/{name}" for slug in ("radio", "talk") for name in [*heard, "opml.xml"]),
        ]
    )


def test_only_texts_that_may_be_published_are_read_and_not_before_a_file_is_made() -> None:
    texts = Texts(TEXTS)
    made = list(feed_files(EDITION, pages=Pages(), contents=texts, cover=None))
    before = [*texts.asked]

    next(file for file in made if file.path == "atom.xml").make()

    assert (before, texts.asked) == ([], [1, 2, 3])


def test_a_source_has_feeds_where_the_site_is_to_have_them() -> None:
    one, two = make_source("one", has_feeds=False), make_source("two")
    edition = make_edition(make_post(1, one), make_post(2, two))

    documents = written(edition)

    of_sources = {path for path in documents if path.startswith("source/")}
    assert of_sources == {"source/two/atom.xml", "source/two/feed.json"}


def test_old_episodes_are_in_the_podcast_after_newer_posts_without_sound() -> None:
    spoken = make_post(9, enclosures=(MP3,))
    posts = [make_post(number) for number in range(1, 5)]

    documents = written(make_edition(*posts, spoken), pages=Pages(feed=1, source=1))

    assert b"https://one.example/9" not in documents["atom.xml"]
    assert b"https://one.example/9" in documents["podcast.xml"]
    assert b"https://one.example/9" in documents["source/one/podcast.xml"]


@cases(
    "changes",
    case("how it goes", {"standing": FeedHealth(failures=3, message="fails", asked_at=NOON)}),
    case("counts", {"newest": NOON, "count": 7}),
)
def test_what_feeds_do_not_show_of_a_source_does_not_touch_them(changes: dict[str, Any]) -> None:
    quiet, loud = make_source(), make_source(**changes)

    assert of(make_edition(make_post(1, quiet))) == of(make_edition(make_post(1, loud)))


@cases(
    "changes, touched",
    case("nothing shown", {"timezone": None, "keeps_until": NOON}, set[str]()),
    case("description", {"description": "new"}, {"atom.xml", "feed.json", "podcast.xml"}),
    case("one source fewer", {"sources": EDITION.sources[1:]}, {"opml.xml"}),
    case("its podcast", {"podcast": Podcast(title="Heard")}, {"podcast.xml"}),
)
def test_a_change_of_the_edition_touches_only_the_files_that_show_it(
    changes: dict[str, Any], touched: set[str]
) -> None:
    before, after = of(EDITION), of(replace(EDITION, **changes))

    assert {path for path in after if after[path] != before[path]} == touched


def test_a_tag_has_the_posts_of_its_sources_and_no_podcast_without_sound() -> None:
    both, one = make_source("both", tags=("A", "B")), make_source("one", tags=("A", "A", "x"))
    posts = [
        make_post(1, both),
        make_post(2, one),
        make_post(3, make_source("other")),
    ]
    tags = (Tag(name="A", slug="a"), Tag(name="B", slug="b"))

    documents = written(make_edition(*posts, tags=tags))

    shown = {
        path: [item["id"] for item in json.loads(documents[path])["items"]]
        for path in ("tag/a/feed.json", "tag/b/feed.json")
    }
    assert shown == {
        "tag/a/feed.json": ["https://both.example/1", "https://one.example/2"],
        "tag/b/feed.json": ["https://both.example/1"],
    }
    assert not any(path.endswith("podcast.xml") for path in documents)


def test_only_feeds_of_the_whole_planet_say_how_many_posts_it_has() -> None:
    documents = written(RICH, pages=Pages(feed=2))

    said = {
        path: json.loads(document)["_planet"].get("posts")
        for path, document in documents.items()
        if path.endswith("feed.json")
    }
    assert {path: count for path, count in said.items() if count is not None} == {"feed.json": 8}
    assert "tag/talk/feed.json" in said


@cases(
    "changes, named",
    case("where there is one", {}, True),
    case("never, where there is none", {"hub": None}, False),
    case("never, without an address to tell of", {"link": None}, False),
)
def test_every_feed_names_the_hub_where_there_is_one(changes: dict[str, Any], named: bool) -> None:
    documents = written(replace(RICH, **changes), pages=Pages(feed=6))

    telling = {path for path, document in documents.items() if b"//hub.example/" in document}
    assert telling == {path for path in documents if named and not path.endswith("opml.xml")}


@cases(
    "said, url, expected",
    case("tag", "tag:a.example,2026:1", "https://a.example/f", "tag:a.example,2026:1"),
    case("web", "https://a.example/", "https://b.example/f", "https://a.example/"),
    case("not an IRI", "42", "https://a.example/f", "https://a.example/f"),
    case("secret", "https://a.example/?key=1", "https://b.example/f", "https://b.example/f"),
    case("nothing to tell", None, "file:///f", "urn:uuid:e6ed77eb-8910-5502-9af3-e72690a5d49d"),
)
def test_a_source_always_has_an_id_that_is_an_iri(
    said: str | None, url: str, expected: str
) -> None:
    assert facts.id_of(make_source(id=said, url=url)) == expected


@cases(
    "url",
    case("token", "https://one.example/feed?token=hunter2"),
)
def test_no_file_tells_a_secret(url: str) -> None:
    source = make_source(url=url, key=url)
    documents = written(make_edition(make_post(1, source, also_in=(source,))))

    assert [path for path, document in documents.items() if b"hunter2" in document] == []


# health.json: how it goes with the feeds that come in


def make_health(*feeds: Feed, **known: Any) -> File:
    """The file about these feeds, of each of which the same is known."""
    sources = []
    for feed in feeds:
        state = FeedState(key=feed.key, url=feed.url, **known)
        health = feed_health(feed, state, is_public=True)
        sources.append(make_source(feed.slug, key=feed.key, url=feed.url, standing=health))
    return health_file(make_edition(sources=tuple(sources)))


def make_feed(name: str = "one", **changes: Any) -> Feed:
    return Feed(**{"key": name, "slug": name, "url": f"https://{name}.example/feed"} | changes)


def said_of(*feeds: Feed, **known: Any) -> dict[str, Any]:
    """The document about these feeds."""
    file = make_health(*feeds, **known)
    assert file.path == "health.json"
    said: dict[str, Any] = json.loads(file.make())
    return said


def test_it_tells_of_all_feeds_in_the_order_of_the_sources() -> None:
    said = said_of(make_feed("one"), make_feed("two"), settled_at=NOON, failures=2)

    assert said["version"] == 1
    assert (said["planet"]["feeds"], said["planet"]["failing"]) == (2, 2)
    assert [(each["slug"], each["title"], each["url"]) for each in said["feeds"]] == [
        ("one", "One", "https://one.example/feed"),
        ("two", "Two", "https://two.example/feed"),
    ]
    assert said["feeds"][0]["asked_at"] == "2026-11-20T12:00:00+00:00"


def test_it_tells_no_secret() -> None:
    url = "https://user:hunter2@one.example/feed?token=hunter2"

    said = said_of(make_feed(key=url, url=url), moved=Moved(to=f"{url}/new", since=NOON))

    assert "hunter2" not in json.dumps(said)


def test_it_is_made_again_when_anything_in_it_changes() -> None:
    marks = [make_health(make_feed(), failures=failures).fingerprint for failures in (1, 1, 2)]

    assert marks[0] == marks[1] != marks[2]


def documented(heading: str) -> list[str]:
    """The members in the list below a heading."""
    text = section(section(page("machines.md"), "health.json"), heading)
    names = " ".join(re.findall(r"^- (.+?): ", text, re.MULTILINE))
    return re.findall(r"`(\w+)`", names)


def test_every_member_is_documented() -> None:
    said = said_of(make_feed())

    assert documented("The document") == list(said)
    assert documented("planet") == list(said["planet"])
    assert documented("feeds") == list(said["feeds"][0])


# Digests as a feed, and what Planet itself says in feeds in its language


def test_an_entry_never_changes_when_others_come_after_it() -> None:
    def entries(*days: int) -> list[bytes]:
        digests = tuple(map(make_digest, days))
        document = ET.fromstring(written(make_edition(digests=digests))["digest.xml"])
        return [ET.tostring(entry) for entry in document.findall(f"{ATOM}entry")]

    before, after = entries(18, 17), entries(20, 19, 18, 17)

    assert after[2:] == before


@cases(
    "edition, expected",
    case("none to be made", make_edition(digests=None), []),
    case("none made yet", make_edition(digests=()), ["digest.xml"]),
    case("one made", make_edition(digests=(make_digest(),)), ["digest.xml"]),
)
def test_there_are_feeds_of_digests_where_digests_are_made(
    edition: Edition, expected: list[str]
) -> None:
    documents = written(edition)

    assert [path for path in documents if path.startswith("digest")] == expected
    assert problems({path: documents[path] for path in expected}) == {}


@pytest.mark.parametrize(
    ("language", "title", "entry"),
    [
        ("en", "Digest", "Digest of 20 November 2026"),
        ("de", "Überblick", "Überblick vom 20. November 2026"),
        ("ja", "ダイジェスト", "2026年11月20日のダイジェスト"),
        ("ar", "الملخص", "ملخص 20 نوفمبر 2026"),
    ],
)
def test_a_digest_is_called_in_the_language_of_the_planet(
    language: str, title: str, entry: str
) -> None:
    files = written(make_edition(digests=(make_digest(),), language=language))

    parsed = feedparser.parse(io.BytesIO(files["digest.xml"]))
    assert (parsed.feed.title, parsed.entries[0].title) == (f"Planet Test: {title}", entry)


def test_when_a_pick_was_published_is_said_as_the_planet_speaks() -> None:
    post = make_picked(1, make_source(), published=datetime(2024, 5, 3, tzinfo=UTC))

    files = written(make_edition(post, language="de"))

    parsed = feedparser.parse(io.BytesIO(files["atom.xml"]))
    assert parsed.entries[0].content[0].value.startswith("<p><em>Erschienen am 3. Mai 2024</em>")
