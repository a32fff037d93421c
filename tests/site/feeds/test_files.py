"""Which files there are, and what makes them be made again."""

import json
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from planet.model import Edition, FeedHealth, Pages, Podcast, Tag
from planet.site.feeds import FORMATS, feed_files
from planet.site.pages import load_theme
from planet.site.pages.context import SiteContext
from planet.site.pages.frame import Frame
from planet.site.pages.page_kinds import KINDS
from tests.cases import case, cases
from tests.site.editions import make_whole_edition
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

ROOT = Path(__file__).parents[3]


def of(edition: Edition, pages: Pages | None = None) -> dict[str, str]:
    """The fingerprints of all files, by path."""
    made = feed_files(edition, pages=pages or Pages(), contents=Texts(), cover=None)
    return {file.path: file.fingerprint for file in made}


def test_pages_name_the_feeds_that_are_there_and_no_others() -> None:
    edition = make_whole_edition()
    theme, pages = load_theme("default"), Pages(rss=True)
    frame = Frame.of(edition, pages, theme)
    site = SiteContext(edition=edition, pages=pages, theme=theme, contents=Texts(), frame=frame)

    named = {
        feed.path
        for kind in KINDS.values()
        for spec in kind.query(site)
        for feed in spec.feeds
        if not feed.own_address
    }

    assert named == of(edition, pages).keys()
    assert {path.rpartition("/")[2] for path in named} == {each.file for each in FORMATS.values()}


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


def test_a_post_beyond_the_limit_of_a_feed_touches_its_source_alone() -> None:
    posts = [make_post(make_entry(number)) for number in range(1, 6)]
    pages = Pages(feed=3, source=2)

    before, after = of(make_edition(*posts[:4]), pages), of(make_edition(*posts), pages)

    of_source = {"source/one/atom.xml", "source/one/feed.json"}
    assert {path for path in after if after[path] != before[path]} == of_source


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


def test_a_list_has_all_of_its_picks_whatever_the_length_of_the_planets_feeds() -> None:
    listed = RICH.lists[1]

    documents = written(RICH, pages=Pages(feed=1))

    assert documents["lists/road-trips/podcast.xml"].count(b"<item>") == len(listed.posts)


def test_files_differ_in_their_fingerprints_even_when_made_from_the_same() -> None:
    fingerprints = of(EDITION).values()

    assert len(set(fingerprints)) == len(fingerprints)


def test_an_edition_without_posts_still_has_feeds() -> None:
    documents = written(make_edition(sources=(make_source(),)))

    assert documents.keys() == {
        "atom.xml",
        "feed.json",
        "opml.xml",
        "source/one/atom.xml",
        "source/one/feed.json",
    }
