"""A site → what is wrong with its pages when a browser shows them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from tests.browser.sites import Site
from tests.browser.tab import Tab

Fault: TypeAlias = tuple[str, str]
"""A kind, and what is known of it."""
KINDS = ("script", "navigation", "request", "cover", "swallow", "violation", "markup")
"""What a page can do that it should not, the worst first."""

_STRICT = (
    "default-src 'none'; style-src 'self'; img-src * data:; media-src *; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
_FEEDS = frozenset({"atom.xml", "feed.json", "podcast.xml", "opml.xml"})
_POLICY = re.compile(rb'<meta http-equiv="Content-Security-Policy"[^>]*>')


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    site: Site
    path: str
    policy: str | None = None
    """The Content-Security-Policy that is sent with it, beside what it says itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What was seen of a page."""

    faults: tuple[Fault, ...]
    images: int
    """How many were asked for, with every right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tame:
    """A site as it is as long as nobody means harm, and what its pages are like."""

    site: Site
    """Without policies. Its page at `PAGE` has several entries, one with the text `TEXT`."""
    shapes: frozenset[str]
    """Where elements stand outside of entries."""

    PAGE: ClassVar = "source/rss/index.html"
    TEXT: ClassVar = b"<p>Tame</p>"

    def with_text(self, html: str) -> Opening:
        """The page with something else in the place of that text, just as it is."""
        page = self.site[self.PAGE].replace(self.TEXT, html.encode("utf-8", "replace"), 1)
        return Opening(site={**self.site, self.PAGE: page}, path=self.PAGE)


def openings(site: Site) -> Iterator[Opening]:
    """Every page, without any policy and with its own and a strict one; and the planet's feeds."""
    bare = without_policies(site)
    for path in shown(site):
        yield Opening(site=bare, path=path)
        # What Chromium itself adds to show XML breaks a strict policy.
        if path.endswith(".html"):
            yield Opening(site=site, path=path, policy=_STRICT)


def look(tab: Tab, opening: Opening, *, images: bool, tame: Tame) -> Look:
    """Open a page and use it as a reader would; with `images`, those of entries may be loaded."""
    site, path = opening.site, opening.path
    visit = tab.open(site, path, policy=opening.policy)
    allowed = frozenset(visit.images if images else ())
    expected = site[path].count(b"<article") if path.endswith(".html") else 0
    found = [
        *visit.faults,
        *(("request", f"Image {url}") for url in visit.asked if url not in allowed),
        *(("swallow", f"unlike a tame page: {shape}") for shape in visit.shapes - tame.shapes),
    ]
    if visit.articles != expected:
        found.append(("swallow", f"{visit.articles} entries in the place of {expected}"))
    return Look(faults=tuple(found), images=len(allowed.intersection(visit.asked)))


def shown(site: Site) -> list[str]:
    """The files of a site that people open: every page, and the planet's own feeds."""
    return [path for path in site if path.endswith(".html") or path in _FEEDS]


def entries_shown(site: Site) -> int:
    """How many entries there are on the pages of all sources."""
    pages = (path for path in shown(site) if path.startswith("source/"))
    return sum(site[path].count(b"<article") for path in pages)


def without_policies(site: Site) -> Site:
    """The site with the pages' own policies taken out."""
    return {path: _POLICY.sub(b"", body) for path, body in site.items()}
