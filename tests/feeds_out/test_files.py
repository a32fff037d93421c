"""Which files there are, and what makes them be made again."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from planet.feeds import feeds
from planet.model import ContentMode, Pages, Standing
from tests.feeds_out.make import (
    MP3,
    NOON,
    Texts,
    make_edition,
    make_entry,
    make_post,
    make_source,
    written,
)
from tests.feeds_out.sample import EDITION, TEXTS

if TYPE_CHECKING:
    from planet.model import Edition, File


def of(edition: Edition, pages: Pages | None = None) -> dict[str, str]:
    """The fingerprints of all files, by path."""
    made = feeds(edition, pages=pages or Pages(), contents=Texts())
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


def test_nothing_is_read_before_a_file_is_made() -> None:
    texts = Texts(TEXTS)

    feeds(EDITION, pages=Pages(), contents=texts)

    assert texts.asked == []


def test_only_texts_that_may_be_published_are_read() -> None:
    texts = Texts(TEXTS)
    made = feeds(EDITION, pages=Pages(), contents=texts)

    next(file for file in made if file.path == "atom.xml").make()

    assert texts.asked == [1, 2, 3]


def test_a_post_beyond_the_limit_of_a_feed_does_not_touch_it() -> None:
    posts = [make_post(make_entry(number)) for number in range(1, 5)]
    pages = Pages(feed=3, source=2)

    before, after = of(make_edition(*posts[:3]), pages), of(make_edition(*posts), pages)

    assert before == after


def test_old_episodes_are_in_the_podcast_after_newer_posts_without_sound() -> None:
    spoken = make_post(make_entry(9, enclosures=(MP3,)))
    posts = [make_post(make_entry(number)) for number in range(1, 5)]

    documents = written(make_edition(*posts, spoken), pages=Pages(feed=1, source=1))

    assert b"https://one.example/9" not in documents["atom.xml"]
    assert b"https://one.example/9" in documents["podcast.xml"]
    assert b"https://one.example/9" in documents["source/one/podcast.xml"]


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"standing": Standing(trouble="fails", asked_at=NOON)}, id="how it goes"),
        pytest.param({"newest": NOON, "count": 7}, id="counts"),
    ],
)
def test_what_feeds_do_not_show_of_a_source_does_not_touch_them(changes: dict[str, Any]) -> None:
    quiet, loud = make_source(), make_source(**changes)

    before, after = (
        of(make_edition(make_post(None, quiet))),
        of(make_edition(make_post(None, loud))),
    )

    assert before == after


@pytest.mark.parametrize(
    ("changes", "touched"),
    [
        pytest.param({"timezone": None, "keeps_until": NOON}, set[str](), id="nothing shown"),
        pytest.param(
            {"description": "new"}, {"atom.xml", "feed.json", "podcast.xml"}, id="description"
        ),
        pytest.param({"sources": EDITION.sources[1:]}, {"opml.xml"}, id="one source fewer"),
    ],
)
def test_a_change_of_the_edition_touches_only_the_files_that_show_it(
    changes: dict[str, Any], touched: set[str]
) -> None:
    before, after = of(EDITION), of(replace(EDITION, **changes))

    assert {path for path in after if after[path] != before[path]} == touched


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
        return list(feeds(edition, pages=self.pages, contents=texts))

    def _idle(self) -> None:
        source = self.random.randrange(len(self.sources))
        self.sources[source] = replace(
            self.sources[source], standing=Standing(trouble="fails"), newest=NOON
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
