"""A page → what a look at it finds, in light and dark, wide and narrow."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser

from tests.browser.chromium import View
from tests.browser.gallery import pages_of
from tests.browser.sites import Site

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
