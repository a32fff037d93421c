"""Assembled posts → `model.Timeline`: what a site shows, newest first, whole and in memory."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, Any

from planet.model import FairShare, Filed, Part, Post
from planet.text import media
from planet.timeline.edition import feed_order

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from datetime import date, datetime, timedelta


class PostTimeline:
    """The posts of an edition in memory: `model.Timeline`."""

    def __init__(self, posts: Iterable[Post]) -> None:
        """Put posts into the order of a timeline, whatever order they come in.

        Posts of one moment stand by feed; those of one feed as the feed lists them.
        """
        ordered = sorted(
            posts,
            key=lambda post: (post.when, feed_order(post.entry), post.entry.number),
            reverse=True,
        )
        self.dated = [post for post in ordered if not post.entry.is_timeless]
        """Those with a place among the others."""
        self.undated = [post for post in ordered if post.entry.is_timeless]
        """Those without, which only the page of their source shows."""

    @cached_property
    def _by_day(self) -> dict[date, list[Post]]:
        return _group(self.dated, lambda post: post.day)

    @cached_property
    def _by_source(self) -> dict[str, list[Post]]:
        return _group(self.dated, lambda post: post.source.key)

    @cached_property
    def _undated_by_source(self) -> dict[str, list[Post]]:
        return _group(self.undated, lambda post: post.source.key)

    @cached_property
    def days(self) -> Mapping[date, Part]:
        """As `model.Timeline.days`."""
        return _sum_up(self._by_day)

    @cached_property
    def sources(self) -> Mapping[str, Part]:
        """As `model.Timeline.sources`."""
        return _sum_up(self._by_source)

    @cached_property
    def timeless(self) -> Mapping[str, Part]:
        """As `model.Timeline.timeless`."""
        return _sum_up(self._undated_by_source)

    @property
    def picked(self) -> list[tuple[str, str]]:
        """As `model.Timeline.picked`."""
        return [(post.entry.feed, post.entry.id) for post in self.dated if post.picked]

    def posts(
        self,
        limit: int | None = None,
        *,
        sources: Collection[str] | None = None,
        timeless: bool = False,
        playable: bool = False,
        arrived_after: datetime | None = None,
    ) -> Iterator[Post]:
        """As `model.Timeline.posts`."""
        found: Iterable[Post] = (*self.dated, *self.undated) if timeless else self.dated
        if sources is not None:
            found = (post for post in found if post.source.key in sources)
        if playable:
            found = (post for post in found if media.find_playable(post.entry))
        if arrived_after is not None:
            found = (post for post in found if _arrived_at(post) > arrived_after)
        return islice(found, limit)

    def fair_share(self, limit: int, per_source: int) -> FairShare:
        """As `model.Timeline.fair_share`."""
        chosen: list[Post] = []
        counts: dict[tuple[date, str], int] = defaultdict(int)
        rest: dict[tuple[date, str], int] = defaultdict(int)
        for day, posts in self._by_day.items():
            if len(chosen) >= limit:
                break
            for post in posts:
                key = day, post.source.key
                counts[key] += not post.picked
                is_within = post.picked or counts[key] <= per_source
                if is_within and len(chosen) < limit:
                    chosen.append(post)
                elif not post.picked:
                    rest[key] += 1
        met = {(post.day, post.source.key) for post in chosen if not post.picked}
        return FairShare(tuple(chosen), {key: rest[key] for key in rest if key in met})

    def numbered(self, numbers: Collection[int]) -> Mapping[int, Post]:
        """As `model.Timeline.numbered`."""
        wanted = set(numbers)
        posts = (*self.dated, *self.undated)
        return {post.entry.number: post for post in posts if post.entry.number in wanted}

    def recent(self, span: timedelta, limit: int) -> list[Filed]:
        """As `model.Timeline.recent`."""
        if not self.dated:
            return []
        since = self.dated[0].when - span
        recent = (post for post in self.dated if post.when >= since and not post.entry.is_page)
        return [_place(post) for post in islice(recent, limit)]

    def at(self, addresses: Collection[str]) -> dict[str, Filed]:
        """As `model.Timeline.at`."""
        links = ((post, (post.entry.link or "").partition("#")[0]) for post in self.dated)
        return {link: _place(post) for post, link in links if link in addresses}


def _group(posts: Iterable[Post], key_of: Callable[[Post], Any]) -> dict[Any, list[Post]]:
    groups: dict[Any, list[Post]] = {}
    for post in posts:
        groups.setdefault(key_of(post), []).append(post)
    return groups


def _sum_up(groups: Mapping[Any, list[Post]]) -> dict[Any, Part]:
    return {
        key: Part(
            posts=len(posts),
            newest=posts[0].when,
            modified=max(post.modified for post in posts),
            playable=any(media.find_playable(post.entry) for post in posts),
            mark=_hash(posts),
        )
        for key, posts in groups.items()
    }


def _hash(posts: Iterable[Post]) -> str:
    """Return a hash of all that is shown of posts."""
    hashed = blake2b(digest_size=8)
    for post in posts:
        hashed.update(f"{post.fingerprint} {post.uid}\n".encode(errors="backslashreplace"))
    return hashed.hexdigest()


def _place(post: Post) -> Filed:
    return Filed(number=post.entry.number, source=post.source.key, when=post.when)


def _arrived_at(post: Post) -> datetime:
    """Return when a post arrived: first seen, but not before the moment it is filed under."""
    return post.when if post.picked else max(post.entry.first_seen, post.when)
