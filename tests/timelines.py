"""Timelines without a store: what is to be shown is said at once, and looked through."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from planet.model import (
    Entry,
    FairShare,
    Feed,
    FeedHealth,
    Filed,
    Part,
    Pick,
    PickList,
    Podcast,
    Post,
    Source,
    Tag,
)
from planet.text import media
from planet.timeline.edition import (
    Days,
    feed_order,
    fingerprint_source,
    lists_of,
    merge,
    picked_posts,
    tags,
    with_post_counts,
)


def newest_first(posts: Iterable[Post]) -> list[Post]:
    """Return posts in the order of a timeline, whatever came first from the network.

    Those of one moment stand by feed; those of one feed with what it listed first, first.
    """
    return sorted(
        posts,
        key=lambda post: (post.when, feed_order(post.entry), post.entry.number),
        reverse=True,
    )


@dataclass(frozen=True)
class Listed:
    """A timeline of these posts, newest first."""

    shown: tuple[Post, ...] = ()
    without_date: tuple[Post, ...] = ()

    @property
    def days(self) -> dict[date, Part]:
        return _parts(self.shown, lambda post: post.day)

    @property
    def months(self) -> dict[tuple[int, int], Part]:
        return _parts(self.shown, lambda post: (post.day.year, post.day.month))

    @property
    def sources(self) -> dict[str, Part]:
        return _parts(self.shown, lambda post: post.source.key)

    @property
    def timeless(self) -> dict[str, Part]:
        return _parts(self.without_date, lambda post: post.source.key)

    @property
    def picked(self) -> list[tuple[str, str]]:
        return [(post.entry.feed, post.entry.id) for post in self.shown if post.picked]

    def posts(
        self,
        limit: int | None = None,
        *,
        period: tuple[int, ...] = (),
        sources: Collection[str] | None = None,
        timeless: bool = False,
        playable: bool = False,
        arrived_after: datetime | None = None,
    ) -> Iterator[Post]:
        found = (
            post
            for post in (*self.shown, *(self.without_date if timeless else ()))
            if (post.day.year, post.day.month, post.day.day)[: len(period)] == period
            and (sources is None or post.source.key in sources)
            and (not playable or media.find_playable(post.entry))
            and (arrived_after is None or _arrived(post) > arrived_after)
        )
        return islice(found, limit)

    def fair_share(self, limit: int, per_source: int) -> FairShare:
        chosen: list[Post] = []
        counts: dict[tuple[date, str], list[Post]] = defaultdict(list)
        for post in self.shown:
            own = counts[post.day, post.source.key]
            if not post.picked:
                own.append(post)
            if (post.picked or len(own) <= per_source) and len(chosen) < limit:
                chosen.append(post)
        met = {(post.day, post.source.key) for post in chosen}
        rest = {key: sum(post not in chosen for post in counts[key]) for key in met}
        return FairShare(tuple(chosen), {key: count for key, count in rest.items() if count})

    def latest(self, limit: int) -> Iterator[Post]:
        for key in dict.fromkeys(post.source.key for post in (*self.shown, *self.without_date)):
            yield from self.posts(limit, sources=(key,), timeless=key not in self.sources)

    def numbered(self, numbers: Collection[int]) -> dict[int, Post]:
        return {post.entry.number: post for post in self.shown if post.entry.number in numbers}

    def recent(self, span: timedelta, limit: int) -> list[Filed]:
        return [
            _filed(post)
            for post in self.shown
            if self.shown[0].when - post.when <= span and not post.entry.is_page
        ][:limit]

    def at(self, addresses: Collection[str]) -> dict[str, Filed]:
        links = ((post, (post.entry.link or "").partition("#")[0]) for post in self.shown)
        return {link: _filed(post) for post, link in links if link in addresses}


def _parts(posts: Sequence[Post], of: Callable[[Post], Any]) -> dict[Any, Part]:
    found: dict[Any, list[Post]] = defaultdict(list)
    for post in posts:
        found[of(post)].append(post)
    return {
        key: Part(
            posts=len(of_part),
            newest=of_part[0].when,
            modified=max(post.modified for post in of_part),
            playable=any(media.find_playable(post.entry) for post in of_part),
            mark=_mark(of_part),
        )
        for key, of_part in found.items()
    }


def _mark(posts: Sequence[Post]) -> str:
    said = [(post.fingerprint, post.source, post.also_in) for post in posts]
    bare = [
        (
            fingerprint,
            *(
                replace(each, newest=None, count=0, standing=FeedHealth())
                for each in (source, *others)
            ),
        )
        for fingerprint, source, others in said
    ]
    return hashlib.sha256(repr(bare).encode(errors="backslashreplace")).hexdigest()


def _filed(post: Post) -> Filed:
    return Filed(number=post.entry.number, source=post.source.key, when=post.when)


def _arrived(post: Post) -> datetime:
    return post.when if post.picked else max(post.entry.first_seen, post.when)


@dataclass(frozen=True, kw_only=True)
class Merged:
    """What is made of entries at once, each of which is held against all others."""

    posts: tuple[Post, ...]
    timeless: tuple[Post, ...]
    sources: tuple[Source, ...]
    tags: tuple[Tag, ...]
    lists: tuple[PickList, ...]

    @property
    def timeline(self) -> Listed:
        return Listed(self.posts, self.timeless)

    @property
    def updated(self) -> datetime:
        return max(post.modified for post in self.posts)


def merged(
    entries: Sequence[Entry],
    feeds: Mapping[str, Feed],
    sources: Mapping[str, Source],
    *,
    zone: ZoneInfo,
    picks: Sequence[Pick] = (),
    lists: Mapping[str, Podcast] = MappingProxyType({}),
    cleaning: str = "",
) -> Merged:
    """The posts of entries and picks, newest first, and what follows from them."""
    picked = picked_posts(picks, sources, zone=zone, cleaning=cleaning)
    marks = {key: fingerprint_source(source, cleaning) for key, source in sources.items()}
    posts, _ = merge(entries, feeds, sources, days=Days(zone), marks=marks, picked=picked)
    posts = newest_first(posts)
    timeless = tuple(post for post in posts if post.entry.is_timeless)
    dated = tuple(post for post in posts if not post.entry.is_timeless)
    told = with_post_counts(sources, Listed(dated, timeless))
    return Merged(
        posts=dated, timeless=timeless, sources=told, tags=tags(told), lists=lists_of(picked, lists)
    )
