"""A page → what a look at it finds, in light and dark, wide and narrow."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest
from playwright.sync_api import Browser

from planet.model import Pages, Text, TextKind
from planet.site.pages import load_theme
from planet.text.html import Cleaning, clean
from tests.browser.chromium import PICTURE, View
from tests.browser.gallery import THEMES, Site, pages_of
from tests.cases import case, cases
from tests.site.editions import (
    NOON,
    drawn,
    hours_before,
    make_audio,
    make_edition,
    make_post,
    make_source,
)

AXE = os.environ.get("PLANET_AXE")
"""Where axe.min.js of axe-core is; without it, nothing is found by it."""
NARROW = 320
"""CSS pixels; WCAG 2.2, 1.4.10."""

# axe wants a tabindex on what scrolls. Browsers let the keyboard into tables and code wider than
# their page as they are, and with a tabindex each would be a stop; `test_keyboard` goes there.
_AXE = """async (rules) => {
  const options = rules ? {runOnly: {type: "rule", values: rules}} : {};
  const found = await axe.run(document, {resultTypes: ["violations"], ...options});
  const scrolls = (rule, node) =>
    rule === "scrollable-region-focusable" && /^<(table|pre)\\b/.test(node.html);
  return found.violations.flatMap((rule) => rule.nodes
    .filter((node) => !scrolls(rule.id, node))
    .map((node) => `${rule.id}: ${node.html.slice(0, 200)}`));
}"""
_BLOCKING = """() => performance.getEntriesByType("resource")
  .filter((each) => each.renderBlockingStatus === "blocking")
  .map((each) => new URL(each.name).pathname.slice(1))"""
_WIDER = """() => {
  const room = document.documentElement.clientWidth;
  if (document.scrollingElement.scrollWidth <= room) return [];
  const wide = [...document.querySelectorAll("body *")]
    .filter((each) => each.getBoundingClientRect().right > room + 1);
  return [`${document.scrollingElement.scrollWidth}px`, ...wide.map((each) => each.outerHTML)]
    .map((each) => each.slice(0, 200)).slice(0, 3);
}"""
# A link in a sentence is as high as its line; all else is to be met with a thumb (WCAG 2.2, 2.5.8).
_SMALL = """() => [...document.querySelectorAll("a, button, summary, select, input")]
  .filter((each) => each.checkVisibility() && !each.closest(".content, .note, .skip, bdi, pre"))
  .filter((each) => [...each.getClientRects()].some((box) => box.width && box.height < 24))
  .map((each) => `${each.getClientRects()[0].height}px: ${each.outerHTML.slice(0, 200)}`)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What was seen of a page."""

    asked: tuple[str, ...]
    """What it asked for: paths of files of the site, and whole addresses of what is elsewhere."""
    blocking: tuple[str, ...]
    """What had to come before anything was drawn."""
    findings: tuple[str, ...]
    """What axe found in light and, of colours, in dark."""
    wider: tuple[str, ...]
    """What makes it scroll sideways where there is little room."""
    small: tuple[str, ...]
    """What is hard to hit with a thumb."""


def looks(
    browser: Browser, sites: Mapping[str, Site], *, whole: bool
) -> dict[tuple[str, str], Look]:
    """What is seen of each page, by the name of its site and its path; or of front pages only."""
    view, script = View(browser), Path(AXE).read_text(encoding="utf-8") if AXE else None
    return {
        (name, path): _look(view, site, path, script)
        for name, site in sites.items()
        for path in (pages_of(site) if whole else ["index.html"])
    }


def _look(view: View, site: Site, path: str, axe: str | None) -> Look:
    view.resize(1000)
    view.emulate()
    view.show(site, path)
    findings = _findings(view, axe) if axe else []
    asked, blocking = tuple(view.asked), tuple(view.call(_BLOCKING))
    view.resize(NARROW)
    if axe:
        # Small targets are a fault where others are near them, as on a phone.
        findings += view.call(_AXE, ["target-size"])
    return Look(
        asked=asked,
        blocking=blocking,
        findings=tuple(findings),
        wider=tuple(view.call(_WIDER)),
        small=tuple(view.call(_SMALL)),
    )


def _findings(view: View, axe: str) -> list[str]:
    view.value(f"{axe}\n;null")
    light: list[str] = view.call(_AXE, None)
    # Nothing but colours depends on the scheme.
    view.emulate(scheme="dark")
    dark: list[str] = view.call(_AXE, ["color-contrast", "link-in-text-block"])
    return [*light, *(f"in dark: {each}" for each in dark)]


# Every page of every theme, looked at in Chromium; without `--all-pages`, the front pages only

Looks: TypeAlias = dict[tuple[str, str], Look]

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def seen(running: Browser, sites: dict[str, Site], all_pages: bool) -> Looks:
    return looks(running, sites, whole=all_pages)


@pytest.mark.skipif(AXE is None, reason="PLANET_AXE does not say where axe.min.js of axe-core is")
def test_axe_finds_nothing(seen: Looks) -> None:
    assert {page: look.findings for page, look in seen.items() if look.findings} == {}


def test_nobody_else_is_asked_for_more_than_pictures(seen: Looks, sites: dict[str, Site]) -> None:
    elsewhere = {
        (name, path, asked)
        for (name, path), look in seen.items()
        for asked in look.asked
        # Pagefind writes its files beside the pages, and these sites are drawn without it.
        if asked not in sites[name] and not asked.startswith("search/pagefind/")
    }

    assert {asked for _, _, asked in elsewhere} <= {PICTURE}
    assert all(b"pictures.example" in sites[name][path] for name, path, _ in elsewhere)


def test_nothing_is_waited_for_but_the_styles(seen: Looks) -> None:
    waited = {path.rpartition(".")[2] for look in seen.values() for path in look.blocking}

    assert waited == {"css"}


def test_no_page_scrolls_sideways_on_a_small_phone(seen: Looks) -> None:
    assert {page: look.wider for page, look in seen.items() if look.wider} == {}


def test_what_can_be_pressed_is_large_enough_for_a_thumb(seen: Looks) -> None:
    assert {page: look.small for page, look in seen.items() if look.small} == {}


every_theme = pytest.mark.parametrize("theme", THEMES)

LONG = make_source("long", title="Breaking News, World News and Video from the Port of Wrenhaven")
SHORT = make_source("short", title="A name as most blogs have it")
BY_TWO = make_edition(
    make_post(1, LONG, title="A title that is longer than there is room for in one line " * 3),
    make_post(2, SHORT, when=hours_before(1)),
    *(make_post(n, SHORT, when=hours_before(n / 2)) for n in (3, 4)),
)
_NAMES = """() => [...document.querySelectorAll("article .h-card")]
  .filter((name) => name.checkVisibility()).map((name) => name.innerText)"""
_LINES = """(most) => [...document.querySelectorAll("article .h-card bdi, article h3")]
  .filter((line) => line.checkVisibility())
  .map((line) => line.getBoundingClientRect().height / parseFloat(getComputedStyle(line).fontSize))
  .filter((height) => height > 2 * most)"""
_CUT = """() => [...document.querySelectorAll("article .h-card bdi")]
  .filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.innerText)"""
# Links whose ring is cut off at their left, above or below by what they are in.
_RINGS = """() => [...document.querySelectorAll("main a")].filter((link) => {
  if (!link.checkVisibility()) return false;
  link.focus();
  const {outlineWidth, outlineOffset} = getComputedStyle(link);
  const ring = parseFloat(outlineWidth) + parseFloat(outlineOffset);
  const around = [];
  for (let box = link.parentElement; box; box = box.parentElement)
    if (getComputedStyle(box).overflow === "hidden") around.push(box.getBoundingClientRect());
  return [...link.getClientRects()].some(({left, top, bottom}) => around.some((box) =>
    left - ring < box.left - 1 || top - ring < box.top - 1 || bottom + ring > box.bottom + 1));
}).map((link) => link.outerHTML)"""
_PLACES = """() => [...document.querySelectorAll("main :not(button)")]
  .map((part) => [part.tagName, part.getBoundingClientRect().top])"""
_LINES_OF_TEXT = """() => {
  const text = document.querySelector(".content p").firstChild, range = document.createRange();
  const lines = new Map();
  for (let at = 0; at < text.length; at++) {
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    const {top} = range.getBoundingClientRect();
    lines.set(top, (lines.get(top) || 0) + 1);
  }
  return [...lines.values()].slice(0, -1);
}"""
# What a line holds follows from its letters: those of another face are for no theme to know.
_HAS_LETTERS = """() => {
  const context = document.createElement("canvas").getContext("2d");
  const width = (font) => { context.font = font; return context.measureText("mi").width; };
  return width("40px P052, monospace") !== width("40px monospace");
}"""


def needs_letters(view: View) -> None:
    """Skip a test that measures lines where the machine has not the letters of the theme."""
    if not view.call(_HAS_LETTERS):
        pytest.skip("P052 is not there (fonts-urw-base35)")


# Texts as publishers and Planet itself nest them.
_BLOCKS = "<p>One</p><p>Two</p><ul><li>Three</li></ul><h2>Four</h2><p>Five</p><p>Six</p>"
_NESTED = f"""{_BLOCKS}<div>{_BLOCKS}<div>{_BLOCKS}</div></div><h3>A heading</h3>
<blockquote>{_BLOCKS}</blockquote><details><summary>More</summary>{_BLOCKS}</details>
<ul><li><p>One</p><p>Two</p></li></ul><p>One</p><h4>A heading</h4><h5>Another</h5><p>Two</p>"""
# Paragraphs that stand together, and headings nearer to what is above them than to their own text.
_GLUED = """() => {
  document.querySelectorAll(".content details").forEach((more) => { more.open = true; });
  const gap = (above, below) =>
    below.getBoundingClientRect().top - above.getBoundingClientRect().bottom;
  const parts = [...document.querySelectorAll(".content :is(p, h4, h5, h6)")];
  return parts.filter((part) => {
    const before = part.previousElementSibling, after = part.nextElementSibling;
    if (part.matches("p")) return before?.matches("p") && gap(before, part) < 8;
    if (!before || before.matches("h4, h5, h6, summary")) return false;
    return gap(before, part) < 2 * gap(part, after);
  }).map((part) => part.outerHTML);
}"""
_FIRST_SCREEN = """() => [
  document.querySelector("header.site").getBoundingClientRect().bottom,
  [...document.querySelectorAll("article")]
    .filter((post) => post.getBoundingClientRect().bottom <= innerHeight).length,
]"""
_LINKS = """() => {
  const links = [...document.querySelectorAll("header.site nav li")];
  return [links.length, new Set(links.map((link) => link.getBoundingClientRect().top)).size];
}"""
_LOADED = """async () => {
  const height = () => document.documentElement.scrollHeight;
  const images = [...document.querySelectorAll(".content img")], before = height();
  if (images.some((image) => image.complete)) return "loaded before";
  images.forEach((image) => { image.loading = "eager"; });
  await Promise.all(images.map((image) => image.decode()));
  return height() - before;
}"""
# Of a printed page: what can be pressed, what stays folded, and the colours.
_ON_PAPER = """() => [
  [...document.querySelectorAll("nav, button, summary, audio, video, .skip")]
    .filter((each) => each.checkVisibility()).length,
  [...document.querySelectorAll("details.rest *")]
    .filter((each) => each.localName !== "summary" && !each.checkVisibility()).length,
  getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor,
]"""


@pytest.fixture(scope="module")
def view(running: Browser) -> View:
    return View(running)


@every_theme
def test_a_source_is_named_once_over_its_posts(view: View, theme: str) -> None:
    view.show(drawn(BY_TWO, theme=load_theme(theme)), "index.html")

    assert view.call(_NAMES) == [LONG.title, SHORT.title]


@pytest.mark.parametrize("width", [360, 1000])
def test_a_headline_has_two_lines_at_most(view: View, width: int) -> None:
    view.resize(width)
    view.show(drawn(BY_TWO, theme=load_theme("headlines")), "index.html")

    assert view.call(_LINES, 2) == []
    assert view.call(_LINES, 1) != []
    assert view.call(_CUT) == []


@cases(
    "width, height, masthead, posts",
    case("a laptop", 1280, 900, 230, 9),
    case("a phone", 390, 844, 200, 4),
)
def test_so_many_posts_stand_on_a_first_screen(
    view: View, width: int, height: int, masthead: int, posts: int
) -> None:
    view.resize(width, height)
    told = "What the post is about, in a few more words than one line of a phone can hold."
    edition = make_edition(
        *(
            make_post(n, make_source(f"s{n}"), when=hours_before(n / 10), summary=told)
            for n in range(12)
        ),
        description="What the neighbours write",
    )

    view.show(drawn(edition), "index.html")

    end, shown = view.call(_FIRST_SCREEN)
    assert end <= masthead
    assert shown >= posts


@every_theme
def test_a_full_line_of_text_has_some_66_letters(view: View, theme: str) -> None:
    view.resize(1440)
    words = "Whoever publishes should consider how comfortably people read long lines. " * 30
    site = drawn(BY_TWO, contents={1: f"<p>{words}</p>"}, theme=load_theme(theme))

    view.show(site, "source/long/index.html")

    needs_letters(view)
    lines = view.call(_LINES_OF_TEXT)
    assert 60 <= sum(lines) / len(lines) <= 72


@every_theme
def test_paragraphs_have_their_space_and_headings_are_near_their_text(
    view: View, theme: str
) -> None:
    text = clean(Text(value=_NESTED, kind=TextKind.HTML), Cleaning())
    view.show(drawn(BY_TWO, contents={1: text}, theme=load_theme(theme)), "source/long/index.html")

    assert view.call("() => document.querySelectorAll('.content p').length") > 15
    assert view.call(_GLUED) == []


def test_five_links_of_the_header_stand_in_one_line_on_a_phone(view: View) -> None:
    view.resize(360)
    episode = make_post(1, enclosures=(make_audio(1),))

    view.show(drawn(make_edition(episode), pages=Pages(search=True)), "about/index.html")

    needs_letters(view)
    assert view.call(_LINKS) == [5, 1]


@every_theme
@pytest.mark.parametrize("path", ["index.html", "2026/11/index.html"])
def test_the_ring_around_a_link_is_seen(view: View, theme: str, path: str) -> None:
    view.resize(1000)
    # So many that the page of their day lists their titles.
    many = (make_post(n, SHORT, title="Words " * 40, summary="More", when=NOON) for n in range(99))
    edition = make_edition(make_post(99, LONG, summary="More"), make_post(100, SHORT), *many)

    view.show(drawn(edition, theme=load_theme(theme)), path)

    assert view.call(_RINGS) == []


@every_theme
@pytest.mark.parametrize("path", ["podcast/index.html", "subscribe/index.html"])
def test_the_script_moves_nothing(view: View, theme: str, path: str) -> None:
    view.resize(360)
    edition = make_edition(
        make_post(1, enclosures=(make_audio(1),), when=hours_before(9999)),
        link="https://planet.example/",
    )
    site = drawn(edition, pages=Pages(script=True), theme=load_theme(theme))
    view.show({path: body for path, body in site.items() if not path.endswith(".js")}, path)
    before = view.call(_PLACES)

    view.show(site, path)

    assert view.call("() => document.querySelectorAll('.feeds button').length") > 0
    assert view.call(_PLACES) == before


@every_theme
@pytest.mark.parametrize("between", ["", "<br>", "</p><p>"])
def test_pictures_without_sizes_move_nothing(view: View, theme: str, between: str) -> None:
    picture = f'<img src="{PICTURE}" alt="" loading="lazy">'
    text = f"{'<p>Words</p>' * 200}<p>{picture}{between}{picture}</p><p>Words</p>"
    site = drawn(BY_TWO, contents={1: text}, theme=load_theme(theme))
    view.show(site, "source/long/index.html")

    assert view.call(_LOADED) == 0


@every_theme
def test_on_paper_a_text_is_whole_and_black_and_nothing_is_to_be_pressed(
    view: View, theme: str
) -> None:
    text = "<p>What the post says, in some words.</p>" * 200
    site = drawn(BY_TWO, contents={1: text}, theme=load_theme(theme))
    view.resize(720)
    view.show(site, "source/long/index.html")

    view.page.emulate_media(media="print", color_scheme="dark")
    seen, wider = view.call(_ON_PAPER), view.call(_WIDER)
    printed = view.page.pdf(format="A4")

    view.page.emulate_media(media="screen", color_scheme="light")
    assert seen == [0, 0, "rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    assert wider == []
    assert len(re.findall(rb"/Type /Page\b", printed)) >= 3
