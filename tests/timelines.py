"""Timelines without a store: what is to be shown is said at once, and looked through."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from zoneinfo import ZoneInfo

from planet.model import (
    Entry,
    Feed,
    Filters,
    Pick,
    PickList,
    Podcast,
    Post,
    Source,
    Tag,
    Timeline,
)
from planet.timeline.assemble import Rules, merge
from planet.timeline.edition import lists_of, picked_posts, tags, with_post_counts


@dataclass(frozen=True, kw_only=True)
class Merged:
    """What is made of entries at once, each of which is held against all others."""

    posts: tuple[Post, ...]
    timeless: tuple[Post, ...]
    sources: tuple[Source, ...]
    tags: tuple[Tag, ...]
    lists: tuple[PickList, ...]

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
    rules = Rules(
        feeds=feeds,
        sources=sources,
        picked=picked,
        planet=Filters(),
        zone=zone,
        cleaning=cleaning,
    )
    posts, _ = merge(entries, rules)
    timeline = Timeline(posts)
    told = with_post_counts(sources, timeline)
    return Merged(
        posts=tuple(timeline.dated),
        timeless=tuple(timeline.undated),
        sources=told,
        tags=tags(told),
        lists=lists_of(picked, lists),
    )
