"""Pages in the planet's language, with posts in others."""

import unicodedata
from datetime import timedelta
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from planet.model import DueReason, FeedHealth, GivenUp
from planet.site.pages import load_theme
from planet.site.words import direction
from tests.site.editions import (
    NOON,
    drawn,
    hours_before,
    make_audio,
    make_edition,
    make_picked,
    make_post,
    make_source,
    make_whole_edition,
)
from tests.site.html import Document

THEMES = ["default", "classic", "headlines"]
POST = make_post(1, language="en", title="Tide, again?", enclosures=(make_audio(),))
PICKED = make_picked(2, make_source("two"), language="en", published=hours_before(99))


class Directions(HTMLParser):
    """The text by which each element with `dir="auto"` runs: its first letter decides.

    What stands in `bdi`, or in an element with a direction of its own, does not count (HTML
    Standard, "The dir attribute").
    """

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.said: list[str] = []
        # For each open element, where its text counts.
        self._open: list[list[int]] = [[]]
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"meta", "link", "img", "br", "hr", "input"}:
            return
        counts = [] if tag == "bdi" or dict(attrs).get("dir") else self._open[-1]
        if dict(attrs).get("dir") == "auto":
            counts = [len(self.said)]
            self.said.append("")
        self._open.append(counts)

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for place in self._open[-1]:
            self.said[place] += data

    def runs(self, text: str) -> set[str]:
        """How those elements run that this text stands in."""
        return {_runs(said) for said in self.said if text in said}


def _runs(text: str) -> str:
    kinds = [unicodedata.bidirectional(each) for each in text]
    return next((kind for kind in kinds if kind in {"L", "R", "AL"}), "")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("path", ["index.html", "2026/11/index.html", "source/one/index.html"])
def test_a_post_runs_as_its_own_text_whatever_the_language_of_the_planet(
    theme: str, path: str
) -> None:
    site = drawn(make_edition(POST, PICKED, language="ar"), theme=load_theme(theme))

    assert Directions(site[path]).runs("Tide, again?") == {"L"}


def test_what_the_planet_says_of_a_post_is_marked_as_its_own_language() -> None:
    site = drawn(make_edition(POST, language="de"))

    page = Document(site["index.html"])
    assert [each.attributes.get("lang") for each in page.all("article", "p")] == [
        None,  # how many sources there are
        *("en", "de"),  # the post, and where it is from
        "de",  # its file
        *(None, None, None),
    ]


@pytest.mark.parametrize(
    ("language", "theme"),
    [
        *((language, "default") for language in ("ar", "de", "ja", "ru", "zh-Hant", "tlh", "fa")),
        *(("ar", theme) for theme in THEMES[1:]),
    ],
)
def test_every_page_can_be_made_in_each_language(language: str, theme: str) -> None:
    edition = replace(make_whole_edition(), language=language)

    site = drawn(edition, theme=load_theme(theme))

    pages = [Document(body).all("html")[0] for path, body in site.items() if path.endswith(".html")]
    assert {(page["lang"], page["dir"]) for page in pages} == {(language, direction(language))}


def test_months_are_headings_where_they_are_titles_and_words_where_they_are_named() -> None:
    site = drawn(make_edition(POST, language="fr"))

    page = Document(site["2026/11/index.html"])
    assert page.texts("h1", "h2") == ["Novembre 2026", "Vendredi 20 novembre 2026"]


def test_how_a_feed_is_asked_for_is_said_in_the_language_of_the_planet() -> None:
    standing = FeedHealth(
        asked_at=NOON,
        answered_at=NOON,
        due_at=NOON + timedelta(hours=6),
        due_reason=DueReason.ADAPTIVE,
        wait=timedelta(hours=6),
    )
    gone = FeedHealth(given_up=GivenUp.GONE, given_up_at=NOON)
    failing = FeedHealth(trouble="503 Service Unavailable", trouble_since=NOON)
    sources = [
        make_source("one", standing=standing),
        make_source("two", standing=gone),
        make_source("three", standing=failing),
    ]

    site = drawn(make_edition(sources=sources, language="de"))

    page = Document(site["sources/health/index.html"])
    assert page.texts("p", class_="note")[:1] == [
        "Zuletzt gelesen: 20. November 2026, 12:00. "
        "Wird etwa alle 6 Stunden abgefragt: das passt dazu, wie oft dort etwas erscheint. "
        "Nächste Abfrage: 20. November 2026, 18:00."
    ]
    assert page.texts("p", class_="trouble") == [
        "Von hier kommt zurzeit nichts Neues. 503 Service Unavailable (seit 20. November 2026)",
        "Von hier kommt nichts Neues mehr. Der Herausgeber hat ihn für immer entfernt "
        "(seit 20. November 2026)",
    ]
    assert page.texts("bdi", lang="en") == ["503 Service Unavailable"]
