"""`docs/themes.md` says what templates see: all of it, and nothing else."""

import re
from pathlib import Path

import pytest

from planet.model import Pages, Picking
from planet.site.pages import load_theme
from planet.site.pages.drawing import _HIDDEN, Drawer
from planet.site.pages.listing import describe_site, list_pages
from planet.site.pages.nouns import Canvas, Page
from planet.site.words import speak
from tests.docs import EXAMPLE_THEMES, page, section
from tests.site.editions import make_whole_edition

ROOT = Path(__file__).parents[2]
DOCS = page("themes.md")
EDITION, PAGES = make_whole_edition(), Pages(picking=Picking.FORM, search=True)
THEME = load_theme("classic")
SITE = describe_site(EDITION, PAGES, THEME)
BY_KIND = {one.kind: one for one in list_pages(EDITION, PAGES, THEME, SITE)}


def shown(kind: str) -> Canvas:
    return Canvas(BY_KIND[kind], lambda numbers: {})


def nouns() -> dict[str, object]:
    """One of each noun, by its heading in the documentation."""
    front, podcast = shown("front"), shown("podcast")
    return {
        "Site": SITE,
        "Page": BY_KIND["front"],
        "Feed": BY_KIND["front"].feeds[0],
        "Post": front.posts[0],
        "Source": front.posts[0].source,
        "Day": front.variables()["days"][0],
        "Pick": podcast.posts[0].pick,
        "Link": shown("links").variables()["links"][0],
    }


INSIDE = {
    "Page": {"site", "picture", "shows_texts", "shows_pictures", *_HIDDEN},
    "Site": {"local"},
    "Feed": {"of", "folder", "name", "hint", "count", "index"},
    "Pick": {"count", "index"},
}
"""What a noun has besides, of which templates have no need."""


@pytest.mark.parametrize("heading", nouns())
def test_every_attribute_of_a_noun_is_documented_and_no_other(heading: str) -> None:
    noun = nouns()[heading]
    said = section(DOCS, heading)
    names = {name for name in dir(noun) if name[0] != "_"} - INSIDE.get(heading, set())

    first = {name for line in re.findall(r"^- (.+?)(?::|$)", said, re.M) for name in _names(line)}

    assert names - _names(said) == set()
    assert first - names == set()


def _names(text: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", text))


@pytest.mark.parametrize("one", BY_KIND.values(), ids=BY_KIND)
def test_what_a_template_is_given_is_documented(one: Page) -> None:
    rows = re.findall(r"^\| (`\w+\.html`.*?) \|.*\|(.*?)\|$", DOCS, re.M)
    (said,) = (variables for names, variables in rows if f"`{one.kind}.html`" in names)

    assert one.values.keys() <= _names(said)


def test_every_filter_is_documented() -> None:
    said = _names(section(DOCS, "Filters")) | {"tint"}

    assert Drawer(THEME, SITE).filters.keys() <= said


def test_every_word_that_is_called_is_documented() -> None:
    called = {name for name, word in vars(speak("en")).items() if callable(word)}
    lines = re.findall(r"^- With a n\w+: (.+)$", DOCS, re.MULTILINE)

    assert set(re.findall(r"`(\w+)\(", " ".join(lines))) == {
        name for name in called if name[0] != "_"
    }


def test_the_gallery_shows_every_theme_in_a_small_picture() -> None:
    pictures = re.findall(r"\]\((gallery/\w+\.webp)\)", page("gallery.md"))
    sizes = [(ROOT / "docs" / picture).stat().st_size for picture in pictures]

    shipped = {folder.name for folder in (ROOT / "themes").iterdir()}
    assert {*pictures} == {f"gallery/{name}.webp" for name in (shipped | EXAMPLE_THEMES.keys())}
    assert max(sizes) <= 80_000
