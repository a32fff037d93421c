"""A site → what is wrong with its pages when a browser shows them, and what is to blame."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from tests.browser.chromium import Tab
from tests.browser.gallery import Site, build

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Mapping, Sequence

    from tests.browser.chromium import Tab
    from tests.browser.gallery import Site
    from tests.browser.vectors import Vector

    Feeds = Callable[[Sequence[Vector]], Mapping[str, bytes]]


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


# Vectors → planets → pages → what each vector did

_BATCH = 512
"""Vectors on one planet: enough for its pages to be worth opening, few enough to look through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way from a feed to a page."""

    sanitizer: str
    images: str
    shift: int
    """Which formats the vectors come in, see `feeds.entries_of`."""

    def __str__(self) -> str:
        return f"{self.sanitizer}, {self.images}"


# In so many ways, each vector comes in every format.
WAYS = (
    Way(sanitizer="bleach", images="lazy", shift=0),
    Way(sanitizer="nh3", images="none", shift=1),
    Way(sanitizer="bleach", images="linked", shift=2),
    Way(sanitizer="nh3", images="lazy", shift=3),
    Way(sanitizer="bleach", images="none", shift=4),
    Way(sanitizer="nh3", images="linked", shift=0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Planets made in one way, and the tab in which they are opened."""

    tab: Tab
    tame: Tame
    counts: Counter[str]
    """What was done is added here."""
    way: Way = WAYS[0]

    def faults(self, vectors: Sequence[Vector], feeds: Feeds) -> dict[str, list[Fault]]:
        """What the first vectors did that did anything, by their ids; empty for nothing."""
        batches = [vectors[start : start + _BATCH] for start in range(0, len(vectors), _BATCH)]
        # Some sites are made while others are looked at.
        with ThreadPoolExecutor(2) as pool:
            sites = pool.map(lambda batch: self._site(batch, feeds), batches)
            for batch, site in zip(batches, sites, strict=True):
                if self._faults(site):
                    return self._culprit(batch, feeds)
        return {}

    def harm(self, vectors: Sequence[Vector]) -> dict[str, str]:
        """The worst that each does when it becomes part of a page as it is; empty for nothing."""
        return {vector.id: self._worst(vector) for vector in vectors}

    def _site(self, vectors: Sequence[Vector], feeds: Feeds) -> Site:
        with TemporaryDirectory() as folder:
            way = self.way
            site = build(Path(folder), feeds(vectors), sanitizer=way.sanitizer, images=way.images)
        assert entries_shown(site) == len(vectors)
        return site

    def _faults(self, site: Site) -> list[Fault]:
        """What is wrong with the pages of a site."""
        looks = [self._look(opening) for opening in openings(site)]
        self.counts["pages opened"] += len(looks)
        self.counts["images asked for by right"] += sum(look.images for look in looks)
        return list(dict.fromkeys(fault for look in looks for fault in look.faults))

    def _look(self, opening: Opening) -> Look:
        return look(self.tab, opening, images=self.way.images == "lazy", tame=self.tame)

    def _culprit(self, vectors: Sequence[Vector], feeds: Feeds) -> dict[str, list[Fault]]:
        """The first of the vectors that does it alone, or else all of them, with what it is."""
        faults = self._faults(self._site(vectors, feeds))
        if not faults or len(vectors) == 1:
            return {vector.id: faults for vector in vectors if faults}
        middle = len(vectors) // 2
        alone = self._culprit(vectors[:middle], feeds) or self._culprit(vectors[middle:], feeds)
        return alone or {f"{vectors[0].id} … {vectors[-1].id}, together": faults}

    def _worst(self, vector: Vector) -> str:
        opening = self.tame.with_text(_unescaped(vector.html))
        faults = look(self.tab, opening, images=True, tame=self.tame).faults
        done = {kind for kind, _ in faults}
        return next((kind for kind in KINDS if kind in done), "")


def _unescaped(text: str) -> str:
    """What a careless template makes of it: words become the address of a link, too."""
    return text if "<" in text else f'{text} <a href="{text}">x</a>'
