"""Vectors → planets → pages → what each vector did."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.browser.pages import KINDS, entries_shown, look, openings
from tests.browser.sites import build

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Mapping, Sequence

    from tests.browser.pages import Fault, Look, Opening, Tame
    from tests.browser.sites import Site
    from tests.browser.tab import Tab
    from tests.browser.vectors import Vector

    Feeds = Callable[[Sequence[Vector]], Mapping[str, bytes]]

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
