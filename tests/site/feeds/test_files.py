"""Which files there are, what makes them be made again, and what none of them tells."""

import json
from typing import Any
from xml.etree import ElementTree as ET

from msgspec.structs import replace

from planet.model import Edition, FeedHealth, Pages, Podcast, Tag
from planet.site.feeds import facts, feed_files
from tests.cases import case, cases
from tests.site.feeds.make import (
    MP3,
    NOON,
    Texts,
    make_edition,
    make_entry,
    make_post,
    make_source,
    written,
)
from tests.site.feeds.sample import EDITION, RICH, TEXTS


def of(edition: Edition, pages: Pages | None = None) -> dict[str, str]:
    """The fingerprints of all files, by path."""
    made = feed_files(edition, pages=pages or Pages(), contents=Texts(), cover=None)
    return {file.path: file.fingerprint for file in made}


def test_the_planet_and_each_source_have_their_feeds_and_podcasts_where_there_is_audio() -> None:
    written_paths = written(EDITION).keys()

    assert sorted(written_paths) == [
        "atom.xml",
        "feed.json",
        "opml.xml",
        "podcast.xml",
        "source/blog/atom.xml",
        "source/blog/feed.json",
        "source/short/atom.xml",
        "source/short/feed.json",
        "source/show/atom.xml",
        "source/show/feed.json",
        "source/show/podcast.xml",
        "source/terse/atom.xml",
        "source/terse/feed.json",
    ]


def test_only_texts_that_may_be_published_are_read_and_not_before_a_file_is_made() -> None:
    texts = Texts(TEXTS)
    made = list(feed_files(EDITION, pages=Pages(), contents=texts, cover=None))
    before = [*texts.asked]

    next(file for file in made if file.path == "atom.xml").make()

    assert (before, texts.asked) == ([], [1, 2, 3])


def test_a_source_has_feeds_where_the_site_is_to_have_them() -> None:
    one, two = make_source("one", has_feeds=False), make_source("two")
    edition = make_edition(make_post(make_entry(1), one), make_post(make_entry(2), two))

    documents = written(edition)

    of_sources = {path for path in documents if path.startswith("source/")}
    assert of_sources == {"source/two/atom.xml", "source/two/feed.json"}


def test_old_episodes_are_in_the_podcast_after_newer_posts_without_sound() -> None:
    spoken = make_post(make_entry(9, enclosures=(MP3,)))
    posts = [make_post(make_entry(number)) for number in range(1, 5)]

    documents = written(make_edition(*posts, spoken), pages=Pages(feed=1, source=1))

    assert b"https://one.example/9" not in documents["atom.xml"]
    assert b"https://one.example/9" in documents["podcast.xml"]
    assert b"https://one.example/9" in documents["source/one/podcast.xml"]


@cases(
    "changes",
    case("how it goes", {"standing": FeedHealth(trouble="fails", asked_at=NOON)}),
    case("counts", {"newest": NOON, "count": 7}),
)
def test_what_feeds_do_not_show_of_a_source_does_not_touch_them(changes: dict[str, Any]) -> None:
    quiet, loud = make_source(), make_source(**changes)

    before, after = (
        of(make_edition(make_post(None, quiet))),
        of(make_edition(make_post(None, loud))),
    )

    assert before == after


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


def test_each_tag_and_list_has_its_feeds_and_a_list_has_them_without_any_picks() -> None:
    paths = [path for path in written(RICH) if path.startswith(("tag/", "lists/"))]

    assert sorted(paths) == [
        "lists/empty/atom.xml",
        "lists/empty/podcast.xml",
        "lists/road-trips/atom.xml",
        "lists/road-trips/podcast.xml",
        "tag/radio/atom.xml",
        "tag/radio/feed.json",
        "tag/radio/opml.xml",
        "tag/radio/podcast.xml",
        "tag/talk/atom.xml",
        "tag/talk/feed.json",
        "tag/talk/opml.xml",
        "tag/talk/podcast.xml",
    ]


def test_a_tag_has_the_posts_of_its_sources_and_no_podcast_without_sound() -> None:
    both, one = make_source("both", tags=("A", "B")), make_source("one", tags=("A", "A", "x"))
    posts = [
        make_post(make_entry(1), both),
        make_post(make_entry(2), one),
        make_post(make_entry(3), make_source("other")),
    ]
    tags = (Tag(name="A", slug="a"), Tag(name="B", slug="b"))

    documents = written(make_edition(*posts, tags=tags))

    shown = {
        path: [item["id"] for item in json.loads(documents[path])["items"]]
        for path in ("tag/a/feed.json", "tag/b/feed.json")
    }
    assert shown == {
        "tag/a/feed.json": ["https://one.example/1", "https://one.example/2"],
        "tag/b/feed.json": ["https://one.example/1"],
    }
    assert not any(path.endswith("podcast.xml") for path in documents)


HUB = "https://hub.example/"
LINK = "{http://www.w3.org/2005/Atom}link"


def hubs(edition: Edition) -> dict[str, list[str | None]]:
    """The hubs that each feed names, by path."""
    documents = written(edition, pages=Pages(feed=6))
    found: dict[str, list[str | None]] = {}
    for path, document in documents.items():
        if path.endswith("feed.json"):
            said = json.loads(document).get("hubs", [])
            found[path] = [hub["url"] for hub in said if hub["type"] == "WebSub"]
        elif path.endswith(("atom.xml", "podcast.xml", "digest.xml")):
            links = ET.fromstring(document).iter(LINK)
            found[path] = [link.get("href") for link in links if link.get("rel") == "hub"]
    return found


@cases(
    "edition, expected",
    case("once", RICH, [HUB]),
    case("never, where there is none", replace(RICH, hub=None), []),
    case("never, without an address to tell of", replace(RICH, link=None), []),
)
def test_every_feed_names_the_hub_once_where_there_is_one(
    edition: Edition, expected: list[str]
) -> None:
    found = hubs(edition)

    assert found == dict.fromkeys(found, expected)


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
    documents = written(make_edition(make_post(None, source, also_in=(source,))))

    assert [path for path, document in documents.items() if b"hunter2" in document] == []
