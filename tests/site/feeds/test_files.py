"""Which files there are, and what makes them be made again."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from planet.model import ContentMode, Edition, FeedHealth, File, Pages, Podcast, Tag
from planet.site.feeds import FORMATS, feeds
from planet.site.pages import load_theme
from planet.site.pages.frame import Frame
from planet.site.pages.kinds import KINDS, Drawing
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
    made = feeds(edition, pages=pages or Pages(), contents=Texts(), cover=None)
    return {file.path: file.fingerprint for file in made}


def test_pages_name_the_feeds_that_are_there_and_no_others() -> None:
    edition = make_whole_edition()
    theme, pages = load_theme("default"), Pages()
    frame = Frame.of(edition, pages, theme)
    site = Drawing(edition=edition, pages=pages, theme=theme, contents=Texts(), frame=frame)

    named = {
        feed.path for kind in KINDS.values() for spec in kind.pages(site) for feed in spec.feeds
    }

    others = {"digest.txt", "opml.xml"}
    assert named == of(edition).keys() - others
    assert {path.rpartition("/")[2] for path in named | others} == {
        "digest.txt",
        *(each.file for each in FORMATS.values()),
    }


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


def test_nothing_is_read_before_a_file_is_made() -> None:
    texts = Texts(TEXTS)

    feeds(EDITION, pages=Pages(), contents=texts, cover=None)

    assert texts.asked == []


def test_only_texts_that_may_be_published_are_read() -> None:
    texts = Texts(TEXTS)
    made = feeds(EDITION, pages=Pages(), contents=texts, cover=None)

    next(file for file in made if file.path == "atom.xml").make()

    assert texts.asked == [1, 2, 3]


def test_a_post_beyond_the_limit_of_a_feed_touches_its_source_and_the_archive_of_its_month() -> (
    None
):
    posts = [make_post(make_entry(number)) for number in range(1, 6)]
    pages = Pages(feed=3, source=2)

    before, after = of(make_edition(*posts[:4]), pages), of(make_edition(*posts), pages)

    of_source = {"source/one/atom.xml", "source/one/feed.json"}
    assert {path for path in after if after[path] != before[path]} == {
        "2026/11/atom.xml",
        *of_source,
    }


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


PROGRAM = """
import hashlib
from planet.model import Pages
from tests.site.feeds.make import written
from tests.site.feeds.sample import RICH, RICH_TEXTS
for path, document in written(RICH, RICH_TEXTS, Pages(feed=6), cover="cover.png").items():
    print(path, hashlib.sha256(document).hexdigest())
"""


def test_the_bytes_are_the_same_in_other_processes_and_zones() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
        ).stdout
        for seed, zone in (("1", "Pacific/Kiritimati"), ("2", "America/Adak"))
    ]

    assert said[0] == said[1]
    assert len(said[0].splitlines()) > 20


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


class History:
    """A planet to which something happens at each step; its store gives the texts of the time."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.sources = [make_source(name) for name in ("one", "two", "three")]
        self.entries = [make_entry(number) for number in range(1, 9)]
        self.title = "Planet Test"
        self.pages = Pages(feed=5, source=3)

    def step(self) -> list[File]:
        """Let something happen, or nothing, and say which files there are then."""
        self.random.choice(
            [self._idle, self._edit, self._add, self._speak, self._rename, self._mute, self._title]
        )()
        posts = [
            make_post(entry, self.sources[entry.number % len(self.sources)])
            for entry in sorted(self.entries, key=lambda entry: entry.dated, reverse=True)
        ]
        edition = make_edition(*posts, title=self.title, sources=tuple(self.sources))
        texts = Texts({entry.number: f"<p>{entry.digest}</p>" for entry in self.entries})
        return list(feeds(edition, pages=self.pages, contents=texts, cover=None))

    def _idle(self) -> None:
        source = self.random.randrange(len(self.sources))
        self.sources[source] = replace(
            self.sources[source], standing=FeedHealth(trouble="fails"), newest=NOON
        )

    def _edit(self) -> None:
        index = self.random.randrange(len(self.entries))
        entry = self.entries[index]
        self.entries[index] = replace(
            entry, digest=f"{entry.digest}'", changed_at=entry.changed_at + timedelta(hours=1)
        )

    def _add(self) -> None:
        number = len(self.entries) + 1
        self.entries.append(make_entry(number, when=NOON + timedelta(hours=number)))

    def _speak(self) -> None:
        index = self.random.randrange(len(self.entries))
        self.entries[index] = replace(self.entries[index], enclosures=(MP3,))

    def _rename(self) -> None:
        index = self.random.randrange(len(self.sources))
        self.sources[index] = replace(self.sources[index], title=self.sources[index].title + "!")

    def _mute(self) -> None:
        index = self.random.randrange(len(self.sources))
        mode = self.random.choice(list(ContentMode))
        self.sources[index] = replace(self.sources[index], content=mode)

    def _title(self) -> None:
        self.title = self.random.choice(["Planet Test", "Another"])


@pytest.mark.parametrize("seed", range(5))
def test_equal_fingerprints_mean_equal_bytes_all_through_a_history(seed: int) -> None:
    history = History(seed)
    kept: dict[tuple[str, str], bytes] = {}
    kept_again = 0

    for _ in range(40):
        for file in history.step():
            key = file.path, file.fingerprint
            kept_again += key in kept
            assert kept.setdefault(key, file.make()) == file.make()

    # Else nothing was shown: most steps leave most files alone.
    assert kept_again > len(kept)
