"""A walk through pages with the keyboard alone."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.chromium import View
from tests.browser.gallery import EVERYTHING, THEMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from tests.browser.gallery import Site

    Stop = dict[str, Any]

pytestmark = pytest.mark.browser

PARTS = ["header", "main", "aside", "footer"]
"""Of a page, in the order in which one reads."""

_MANY = 500
"""More stops than any page has."""
# Which of all elements has the focus, where it is on the page, and what shows that.
_HERE = """() => {
  const here = document.activeElement, box = here.getBoundingClientRect();
  const style = getComputedStyle(here);
  const part = here.closest("header.site, main, aside, footer.site");
  return {
    number: [...document.querySelectorAll("*")].indexOf(here),
    what: here.outerHTML.slice(0, 120),
    tag: here.localName,
    part: part ? part.localName : "",
    top: box.top + scrollY, bottom: box.bottom + scrollY, left: box.left,
    in_view: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
    outline: here.matches(":focus-visible") && style.outlineStyle !== "none"
      && parseFloat(style.outlineWidth) >= 2 && style.outlineColor !== "rgba(0, 0, 0, 0)",
  };
}"""
_LISTENS = """
window.scrolled = new Promise((done) => {
  document.activeElement.addEventListener("scroll", () => done(true));
});"""
_TABBABLE = """() => [...document.querySelectorAll(
    "a[href], button, input, select, summary, audio, video, .wide")]
  .filter((each) => each.checkVisibility() && each.type !== "hidden")
  .map((each) => [...document.querySelectorAll("*")].indexOf(each))"""


@pytest.fixture(scope="module")
def view(running: Browser) -> View:
    view = View(running)
    view.resize(390, 900)
    return view


@pytest.fixture(scope="module", params=THEMES)
def site(request: pytest.FixtureRequest, sites: dict[str, Site]) -> Site:
    return sites[f"{request.param}, {EVERYTHING}"]


@pytest.fixture(scope="module")
def stops(view: View, site: Site) -> list[Stop]:
    """Where the Tab key leads on the front page of a theme."""
    view.show(site, "index.html")
    return list(walk(view))


def test_tab_comes_by_everything_once_and_out(view: View, site: Site, stops: list[Stop]) -> None:
    view.show(site, "index.html")

    assert [stop["number"] for stop in stops] == view.call(_TABBABLE)


def test_tab_goes_as_one_reads(stops: list[Stop]) -> None:
    assert out_of_order(stops) == []


def test_tab_goes_as_one_reads_on_a_wide_screen(view: View, site: Site) -> None:
    view.resize(1280, 900)
    view.show(site, "index.html")

    stops = list(walk(view))

    view.resize(390, 900)
    assert out_of_order(stops) == []


def test_it_is_seen_where_the_focus_is(stops: list[Stop]) -> None:
    hidden = [stop["what"] for stop in stops if not (stop["in_view"] and stop["outline"])]

    assert hidden == []


def test_the_way_back_is_the_same(view: View, site: Site, stops: list[Stop]) -> None:
    view.show(site, "index.html")

    back = [stop["number"] for stop in walk(view, shift=True)]

    assert back[::-1] == [stop["number"] for stop in stops]


def test_the_first_link_leads_past_the_header(view: View, site: Site) -> None:
    view.show(site, "index.html")
    view.press("Tab")
    first = view.call(_HERE)
    view.press("Enter")
    view.press("Tab")
    second = view.call(_HERE)

    assert 'class="skip"' in first["what"]
    assert first["in_view"]
    assert second["part"] == "main"
    assert second["number"] == view.call(
        "() => [...document.querySelectorAll('*')].indexOf(document.querySelector('main a'))"
    )


def test_a_table_that_is_too_wide_is_reached_and_scrolled(view: View, site: Site) -> None:
    view.show(site, "source/blog/index.html")
    reached = [stop["tag"] for stop in walk(view, until="div")]
    view.value(f"{_LISTENS}\n;null")
    view.press("ArrowRight")

    assert reached[-1] == "div"
    assert view.value("window.scrolled")


def walk(view: View, *, shift: bool = False, until: str = "") -> Iterator[Stop]:
    """Each element that the focus comes to, until it leaves the page or is in the wanted one."""
    first = last = None
    for _ in range(_MANY):
        view.press("Tab", shift=shift)
        stop: Stop = view.call(_HERE)
        if stop["tag"] == "body" or (stop["number"] == first != last):
            return
        # Inside of a player it goes from button to button.
        if stop["number"] != last:
            yield stop
        last = stop["number"]
        first = last if first is None else first
        if stop["tag"] == until:
            return
    raise AssertionError("the page does not let the focus go")


def out_of_order(stops: list[Stop]) -> list[tuple[Stop, Stop]]:
    """Stops that come one after the other, and do not stand so on the page."""
    # The link over the header is seen only while it has the focus.
    return [pair for pair in pairwise(stops[1:]) if not follows(*pair)]


def follows(one: Stop, other: Stop) -> bool:
    """Whether a reader comes to the other after the one: below it, or beside it in its line."""
    if one["part"] != other["part"]:
        return PARTS.index(one["part"]) < PARTS.index(other["part"])
    # What can be pressed in one line reaches a little into the next.
    if (other["top"] + other["bottom"]) / 2 >= one["bottom"]:
        return True
    return bool(other["left"] >= one["left"] and other["bottom"] > one["top"])
