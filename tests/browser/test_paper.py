"""Pages on paper: dark on light, with all that is read, and nothing that is pressed."""

import math
import re

import pytest

from planet.site.pages import load_theme
from tests.browser.chromium import Chromium
from tests.browser.gallery import EVERYTHING, THEMES
from tests.browser.sites import Site
from tests.browser.view import View
from tests.site.editions import drawn, hours_before, make_edition, make_post

pytestmark = pytest.mark.browser

SHEET = (717, 1045)
"""What Chromium leaves for words of a sheet of A4, in CSS pixels."""

every_theme = pytest.mark.parametrize("theme", THEMES)
every_page = pytest.mark.parametrize("path", ["index.html", "source/show/index.html"])

_PRESSED = """() => [...document.querySelectorAll(
    "nav, aside, .skip, .onward, form, button, select, input, audio, video")]
  .filter((each) => each.checkVisibility()).map((each) => each.outerHTML.slice(0, 200))"""
# The lightness of each colour that words have, and of what they stand on.
_LIGHT = """() => {
  const light = (colour) => {
    const [red, green, blue, alpha] = colour.match(/[\\d.]+/g).map(Number);
    return alpha === 0 ? 255 : 0.3 * red + 0.6 * green + 0.1 * blue;
  };
  const styles = [...document.querySelectorAll("body *")]
    .filter((each) => each.checkVisibility() && each.innerText?.trim())
    .map((each) => getComputedStyle(each));
  return {
    words: Math.max(...styles.map((style) => light(style.color))),
    ground: Math.min(light(getComputedStyle(document.body).backgroundColor),
      ...styles.map((style) => light(style.backgroundColor))),
  };
}"""


@pytest.fixture(scope="module")
def view(running: Chromium) -> View:
    return View(running)


@every_theme
@every_page
def test_words_are_dark_on_light(view: View, sites: dict[str, Site], theme: str, path: str) -> None:
    view.emulate(scheme="dark", media="print")
    view.show(sites[f"{theme}, {EVERYTHING}"], path)

    light = view.call(_LIGHT)

    assert light["words"] < 110
    assert light["ground"] > 200


@every_theme
@every_page
def test_no_button_is_on_paper(view: View, sites: dict[str, Site], theme: str, path: str) -> None:
    view.emulate(media="print")
    view.show(sites[f"{theme}, {EVERYTHING}"], path)

    assert view.call(_PRESSED) == []


@every_theme
def test_posts_that_are_folded_are_there(view: View, sites: dict[str, Site], theme: str) -> None:
    view.emulate(media="print")
    view.show(_site(theme, posts=9), "index.html")

    heights = view.value(
        "[...document.querySelectorAll('h3')].map((each) => each.getBoundingClientRect().height)"
    )
    assert len(heights) == 9
    assert min(heights) > 0
    summaries = "[...document.querySelectorAll('summary')]"
    assert not view.value(f"{summaries}.some((each) => each.checkVisibility())")


@every_theme
@pytest.mark.parametrize("length", ["short", "long"])
def test_sheets_are_filled(view: View, theme: str, length: str) -> None:
    site, path = {
        "short": (_site(theme, posts=40), "index.html"),
        "long": (_site(theme, posts=4, text="<p>A paragraph.</p>" * 40), "source/one/index.html"),
    }[length]
    view.emulate()
    view.show(site, path)
    sheets = len(re.findall(rb"/Type\s*/Page\b", view.pdf()))
    view.emulate(media="print")
    view.resize(*SHEET)

    needed = view.value("document.documentElement.scrollHeight") / SHEET[1]

    assert sheets <= math.ceil(needed * 1.15)


def _site(theme: str, *, posts: int, text: str = "") -> Site:
    words = "What a post says in its first lines, so that it is known what it is about."
    return drawn(
        make_edition(
            *(make_post(n, when=hours_before(3 * n), summary=words) for n in range(posts)),
            description="After this a sheet may end, and should not.",
        ),
        contents=dict.fromkeys(range(posts), text),
        theme=load_theme(theme),
    )
