"""Posts, and what their texts link to → who links to what; pure.

A source's links to itself count for nothing: to its own posts, and to whatever is below its home
page or is its feed. What is known of a link depends on nothing but the posts, so it is the newest
post that says when "the last days" end, and not the clock.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from planet.model import Linked, LinkGraph, Neighbour, Neighbours
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from planet.model import Edition, Filed, Source, Timeline

    Links: TypeAlias = Callable[[Sequence[int]], Mapping[int, Sequence[str]]]
    """Gives what the texts of entries link to, by their numbers, as `address.same` writes it."""

    _Name: TypeAlias = tuple[str, str | None]
    """The title of a source and its slug, or a host."""


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
    by_post = links([post.number for post in posts])
    at = edition.timeline.at({link for linked in by_post.values() for link in linked})
    sources = {source.key: source for source in edition.sources}
    homes = {key: _home(source.link) for key, source in sources.items()}
    feeds = {key: address.same(source.url) for key, source in sources.items()}
    targets = _targets(edition, by_post, at)
    newest: dict[str, dict[str, int]] = defaultdict(dict)
    links_to: dict[str, Counter[_Name]] = defaultdict(Counter)
    linked_by: dict[str, Counter[_Name]] = defaultdict(Counter)
    for post in posts:
        # The show of a picked episode may be no source.
        if (source := sources.get(post.source)) is None:
            continue
        home, feed = homes[source.key], feeds[source.key]
        abroad = {
            link: target
            for link in by_post.get(post.number, ())
            if link != feed
            and (target := targets[link]).source != source.key
            and not (home and target.bare.startswith(home))
        }
        if posts[0].when - post.when <= TOP_DAYS:
            for link in abroad:
                newest[link].setdefault(source.key, post.number)
        links_to[source.key].update({target.name for target in abroad.values()})
        for key in {target.source for target in abroad.values() if target.source}:
            linked_by[key][source.title, source.slug or None] += 1
    top, is_shared = _top(newest, edition.timeline, at)
    neighbours = {
        key: Neighbours(links_to=_counted(links_to[key]), linked_by=_counted(linked_by[key]))
        for key in sorted(links_to.keys() | linked_by.keys())
        if links_to[key] or linked_by[key]
    }
    return LinkGraph(top=top, is_shared=is_shared, neighbours=neighbours)


class _Target(NamedTuple):
    """Whose place an address is."""

    bare: str
    """Without scheme and query; it ends in a slash."""
    source: str | None
    """The key of the source that it belongs to."""
    name: _Name


def _targets(
    edition: Edition, by_post: Mapping[int, Sequence[str]], at: Mapping[str, Filed]
) -> dict[str, _Target]:
    sources = {source.key: source for source in edition.sources}
    # Of two sources with one home, the first.
    homes = {home: source for source in reversed(edition.sources) if (home := _home(source.link))}
    hosts = {_host(home) for home in homes}
    targets = {}
    # Almost every link of a post is written as `address.same` writes it. To be sure of each costs
    # more than all the rest.
    for link in {link for linked in by_post.values() for link in linked}:
        bare = f"{_bare(link)}/"
        host = _host(bare)
        owner: Source | None = None
        if post := at.get(link):
            # The show of a picked episode may be no source.
            owner = sources.get(post.source) or (
                edition.timeline.numbered([post.number])[post.number].source
            )
        elif host in hosts:
            owner = _nearest(bare, homes)
        name = (owner.title, owner.slug) if owner else (host, None)
        targets[link] = _Target(bare, owner.key if owner else None, name)
    return targets


def _nearest(bare: str, homes: Mapping[str, Source]) -> Source | None:
    """The source whose home is nearest above an address."""
    end = len(bare)
    while end > 0:
        if source := homes.get(bare[:end]):
            return source
        end = bare.rfind("/", 0, end - 1) + 1
    return None


def _top(
    by_target: Mapping[str, dict[str, int]], timeline: Timeline, at: Mapping[str, Filed]
) -> tuple[tuple[Linked, ...], bool]:
    shared = [(link, numbers) for link, numbers in by_target.items() if len(numbers) > 1]
    # Sorted by number of sources alone: among equals, what was linked to last stays first.
    shared.sort(key=lambda row: len(row[1]), reverse=True)
    top = (shared or list(by_target.items()))[:MAX_TOP]
    own = {link: at[link].number for link, _ in top if link in at}
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


def _counted(posts: Mapping[_Name, int]) -> tuple[Neighbour, ...]:
    ordered = sorted(posts.items(), key=lambda item: (-item[1], item[0][0], item[0][1] or ""))
    return tuple(
        Neighbour(name=name, slug=slug, posts=count)
        for (name, slug), count in ordered[:MAX_NEIGHBOURS]
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
