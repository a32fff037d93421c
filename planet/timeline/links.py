"""Posts, and what their texts link to → who links to what; pure.

A source's links to itself count for nothing: to its own posts, and to whatever is below its home
page or is its feed. What is known of a link depends on nothing but the posts, so it is the newest
post that says when "the last days" end, and not the clock.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

from planet.model import Linked, LinkGraph, Neighbour, Neighbours
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from planet.model import Edition, Filed, Source, Timeline

    Links: TypeAlias = Callable[[Sequence[int]], Mapping[int, Sequence[str]]]
    """Gives what the texts of entries link to, by their numbers, as `address.same` writes it."""


TOP_DAYS = timedelta(days=14)
"""What is linked to most is counted in so many days up to the newest post."""
DAYS = timedelta(days=90)
"""Neighbours are counted in so many."""
MAX_POSTS = 5_000
"""Of which posts no more than these are looked at, the newest."""
MAX_TOP = 50
MAX_NEIGHBOURS = 100

# A page such as index.html: the others beside it do not begin with its address.
_PAGE = re.compile(r"/[^/]*\.(?:[sx]?html?|php|aspx?|xml|rss|atom|json)$", re.IGNORECASE)


def graph(edition: Edition, links: Links) -> LinkGraph:
    """Who links to what, in an edition's last days."""
    # What is always there, such as a page with an address, is no sign of what is talked about.
    posts = edition.timeline.recent(DAYS, MAX_POSTS)
    found = links([post.number for post in posts])
    places = _Places(edition, {link for each in found.values() for link in each})
    sources = {source.key: source for source in edition.sources}
    linking = [
        (post, source, places.abroad(source, found.get(post.number, ())))
        for post in posts
        # The show of a picked episode may be no source.
        if (source := sources.get(post.source))
    ]
    newest = [each for each in linking if posts[0].when - each[0].when <= TOP_DAYS]
    top, is_shared = _top(newest, edition.timeline, places)
    return LinkGraph(top=top, is_shared=is_shared, neighbours=_neighbours(linking, places))


class _Places:
    """Whose place an address is."""

    def __init__(self, edition: Edition, targets: set[str]) -> None:
        # Almost every link of a post is written as `address.same` writes it. To be sure of each
        # costs more than all the rest.
        self._timeline = edition.timeline
        self.posts = edition.timeline.at(targets)
        self._sources = {source.key: source for source in edition.sources}
        # Of two sources with one home, the first.
        self._homes = {
            home: source for source in reversed(edition.sources) if (home := _home(source.link))
        }
        self._hosts = {_host(home) for home in self._homes}
        self._own: dict[str, tuple[str | None, str]] = {}
        self._known: dict[str, tuple[str, Source | None]] = {}

    def abroad(self, source: Source, links: Iterable[str]) -> list[str]:
        """Those links of a post that do not lead back to its source."""
        if source.key not in self._own:
            self._own[source.key] = _home(source.link), address.same(source.url)
        home, feed = self._own[source.key]
        return [link for link in links if link != feed and not self._is_at(link, home, source)]

    def whose(self, link: str) -> tuple[str, Source | None]:
        """The host of an address, and the source that it belongs to."""
        bare, owner = self._found(link)
        return _host(bare), owner

    def _is_at(self, link: str, home: str | None, source: Source) -> bool:
        bare, owner = self._found(link)
        is_below = home is not None and bare.startswith(home)
        return is_below or (owner is not None and owner.key == source.key)

    def _found(self, link: str) -> tuple[str, Source | None]:
        found = self._known.get(link)
        if found is None:
            bare = f"{_bare(link)}/"
            post = self.posts.get(link)
            owner = self._source_of(post) if post else self._neighbour(bare)
            found = self._known[link] = bare, owner
        return found

    def _source_of(self, post: Filed) -> Source:
        # The show of a picked episode may be no source.
        known = self._sources.get(post.source)
        return known or self._timeline.numbered([post.number])[post.number].source

    def _neighbour(self, bare: str) -> Source | None:
        """The source whose home is nearest above an address."""
        end = len(bare) if _host(bare) in self._hosts else 0
        while end > 0:
            if source := self._homes.get(bare[:end]):
                return source
            end = bare.rfind("/", 0, end - 1) + 1
        return None


def _top(
    linking: Sequence[tuple[Filed, Source, Sequence[str]]], timeline: Timeline, places: _Places
) -> tuple[tuple[Linked, ...], bool]:
    by_target: dict[str, dict[str, int]] = defaultdict(dict)
    for post, source, links in linking:
        for link in links:
            by_target[link].setdefault(source.key, post.number)
    shared = [(link, numbers) for link, numbers in by_target.items() if len(numbers) > 1]
    # Sorted by number of sources alone: among equals, what was linked to last stays first.
    shared.sort(key=lambda found: len(found[1]), reverse=True)
    top = (shared or list(by_target.items()))[:MAX_TOP]
    own = {link: places.posts[link].number for link, _ in top if link in places.posts}
    wanted = {number for _, numbers in top for number in numbers.values()}
    posts = timeline.numbered(wanted.union(own.values()))
    linked = tuple(
        Linked(
            address=link,
            post=posts[own[link]] if link in own else None,
            posts=tuple(posts[number] for number in numbers.values()),
        )
        for link, numbers in top
    )
    return linked, bool(shared)


def _neighbours(
    linking: Iterable[tuple[Filed, Source, Sequence[str]]], places: _Places
) -> dict[str, Neighbours]:
    links_to: dict[str, Counter[tuple[str, str | None]]] = defaultdict(Counter)
    linked_by: dict[str, Counter[tuple[str, str | None]]] = defaultdict(Counter)
    for _, source, links in linking:
        owners = list(map(places.whose, links))
        links_to[source.key].update(
            {(owner.title, owner.slug) if owner else (host, None) for host, owner in owners}
        )
        for key in {owner.key for _, owner in owners if owner}:
            linked_by[key][source.title, source.slug or None] += 1
    return {
        key: Neighbours(
            links_to=_counted(links_to.get(key, {})), linked_by=_counted(linked_by.get(key, {}))
        )
        for key in sorted(links_to.keys() | linked_by.keys())
        if links_to.get(key) or linked_by.get(key)
    }


def _counted(found: Mapping[tuple[str, str | None], int]) -> tuple[Neighbour, ...]:
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0][0], item[0][1] or ""))
    return tuple(
        Neighbour(name=name, slug=slug, posts=posts)
        for (name, slug), posts in ordered[:MAX_NEIGHBOURS]
    )


def _home(link: str | None) -> str | None:
    """What the addresses of a site begin with, without scheme; it ends in a slash."""
    bare = _bare(address.same(link)) if link else ""
    return f"{_PAGE.sub('', bare)}/" if bare else None


def _bare(link: str) -> str:
    """An address without scheme, without query, and without what most sites can do without."""
    rest = link.partition("://")[2].partition("?")[0]
    return rest.removeprefix("www.").rstrip("/")


def _host(bare: str) -> str:
    return bare.partition("/")[0]
