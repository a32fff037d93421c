"""Posts and the links in their texts → the most linked addresses; pure.

Links of a source to itself count for nothing: to own posts, to the feed, to pages below the home
page. All depends on posts alone: the newest post is the end of "the last days", not the clock.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import timedelta
from itertools import islice, takewhile
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from planet.model import ContentMode, Linked, LinkGraph
from planet.text import address
from planet.text.html import find_links_with_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from planet.model import Edition, Html, Post

    Contents: TypeAlias = Callable[[Sequence[int]], Mapping[int, Html]]
    Links: TypeAlias = Callable[[Sequence[int]], Mapping[int, Sequence[str]]]
    """Gives the normalized addresses that the texts of entries link to, by the entries' numbers."""


TOP_DAYS = timedelta(days=14)
"""The days up to the newest post in which links are counted."""
MAX_POSTS = 5_000
"""Of which posts no more than these are looked at, the newest."""
MAX_TOP = 50
PER_POST = 3
"""Links of one post among the newest: its bibliography is not all that is told."""
MAX_TITLE = 100
"""Characters of the name of an address in posts."""
_NAMING = 5
"""How many posts that link to an address, the newest, are asked what they call it."""
_MIN_TITLE = 15
"""Bytes: less is "this article", but a title in Chinese, where five characters say more."""

# A page such as index.html: the others beside it do not begin with its address.
_PAGE = re.compile(r"/[^/]*\.(?:[sx]?html?|php|aspx?|xml|rss|atom|json)$", re.IGNORECASE)


def build_link_graph(edition: Edition, links: Links, contents: Contents) -> LinkGraph:
    """Return the most linked addresses of the last days of an edition, with titles."""
    posts = _list_recent(edition.timeline.dated)
    by_post = links([post.entry.number for post in posts])
    sources = {source.key: source for source in edition.sources}
    homes = {key: _home(source.link) for key, source in sources.items()}
    feeds = {key: address.normalize(source.url) for key, source in sources.items()}
    # Of several posts at one address, the oldest.
    at = {(post.entry.link or "").partition("#")[0]: post for post in edition.timeline.dated}
    linking: dict[str, dict[str, Post]] = defaultdict(dict)
    times = Counter[str]()
    for post in posts:
        # The show of a picked episode may be no source.
        if (key := post.source.key) not in sources:
            continue
        home, feed = homes[key], feeds[key]
        # Almost every link is as `address.normalize` writes it. To be sure of each one
        # costs more than all the rest.
        for link in by_post.get(post.entry.number, ()):
            is_own = link == feed or (home and _below(link).startswith(home))
            if not is_own and not (link in at and at[link].source.key == key):
                # Several feeds of one site are one voice.
                linking[link].setdefault(home or key, post)
                times[link] += 1
    shared = [link for link, by_source in linking.items() if len(by_source) > 1]
    # Sorted by number of sources alone: among equals, what was linked to last stays first.
    shared.sort(key=lambda link: len(linking[link]), reverse=True)
    top = [
        Linked(address=link, post=at.get(link), posts=tuple(linking[link].values()))
        for link in (shared or _newest(linking, times))[:MAX_TOP]
    ]
    return LinkGraph(top=_choose_titles(top, contents), is_shared=bool(shared))


def _list_recent(dated: Sequence[Post]) -> list[Post]:
    """Return the posts of the last days, without pages.

    Pages are always there: their links are no news.
    """
    if not dated:
        return []
    since = dated[0].when - TOP_DAYS
    recent = takewhile(lambda post: post.when >= since, dated)
    return list(islice((post for post in recent if not post.entry.is_page), MAX_POSTS))


def _newest(linking: Mapping[str, Mapping[str, Post]], times: Mapping[str, int]) -> list[str]:
    """Return links of one source each, a few of each post, without repeated ones."""
    seen: Counter[int] = Counter()
    few = []
    for link, by_source in linking.items():
        (post,) = by_source.values()
        seen[post.entry.number] += 1
        if seen[post.entry.number] <= PER_POST and times[link] == 1:
            few.append(link)
    return few


def _choose_titles(top: Sequence[Linked], contents: Contents) -> tuple[Linked, ...]:
    """Return the links with the title in most posts; among equals, the longest."""
    elsewhere = {linked.address: linked.posts[:_NAMING] for linked in top if not linked.post}
    naming = {
        post.entry.number
        for posts in elsewhere.values()
        for post in posts
        if post.source.content is ContentMode.FULL
    }
    titles: dict[str, Counter[str]] = {link: Counter() for link in elsewhere}
    for text in contents(sorted(naming)).values():
        # A post that says it twice says it once.
        for link, words in dict.fromkeys(find_links_with_words(text)):
            if link in titles and _is_title(words):
                titles[link][words] += 1
    return tuple(
        replace(linked, title=max((count, len(words), words) for words, count in counts.items())[2])
        if (counts := titles.get(linked.address))
        else linked
        for linked in top
    )


def _is_title(words: str) -> bool:
    is_address = "://" in words or (" " not in words and "/" in words)
    return not is_address and len(words) <= MAX_TITLE and len(words.encode()) >= _MIN_TITLE


def _home(link: str | None) -> str | None:
    """Return the beginning of all addresses of a site, without scheme, with a slash at the end."""
    bare = _bare(address.normalize(link)) if link else ""
    return f"{_PAGE.sub('', bare)}/" if bare else None


def _below(link: str) -> str:
    """Return the beginning of addresses at or below a link, without scheme and query."""
    return f"{_bare(link)}/"


def _bare(link: str) -> str:
    """Return an address without scheme, query, `www.` and slash at the end."""
    rest = link.partition("://")[2].partition("?")[0]
    return rest.removeprefix("www.").rstrip("/")
