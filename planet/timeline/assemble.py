"""Entries + rules + now → posts, each with its reason. Pure.

This is all that decides what a site shows: the site itself, `why` and `preview` call `assemble`.
The order: filters turn entries away, what is left gets its date, and of what several feeds have
one is shown.

    select      → which entries are wanted, and why the others are not
    merge       → one post for what is the same, picks among them
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec

from planet.model import Feed
from planet.text.html import Cleaning
from planet.timeline.edition import (
    Days,
    fingerprint_source,
    make_post,
    merge,
    own_picks,
    picked_posts,
)
from planet.timeline.select import Search, select

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime, timedelta
    from zoneinfo import ZoneInfo

    from planet.config import Config
    from planet.model import Entry, Filters, Post, Source
    from planet.timeline.select import Decision, PlainTexts


@dataclass(frozen=True, kw_only=True)
class Rules:
    """By what is decided what a site shows."""

    feeds: Mapping[str, Feed]
    """Those that the site shows, in the operator's order."""
    sources: Mapping[str, Source]
    """The same as they are shown, by key, with what they carry."""
    picked: Sequence[Post]
    """The posts of all picks (`picked_posts`)."""
    planet: Filters
    zone: ZoneInfo
    cleaning: str
    """The version of the cleaner that makes the posts' texts, and how their images are shown."""
    retention: timedelta
    """How long entries are kept that their feeds no longer list."""

    @cached_property
    def own_picks(self) -> Mapping[int, Post]:
        """The picks on the planet's own list, by the number of their entry (negative)."""
        return {post.entry.number: post for post in own_picks(self.picked)}

    @cached_property
    def marks(self) -> Mapping[str, str]:
        """Fingerprints of what is shown of each source beside its posts, by key."""
        return {
            key: fingerprint_source(source, self.cleaning) for key, source in self.sources.items()
        }


def settings_shown(feed: Feed) -> tuple[object, ...]:
    """Return the settings of a feed that a page may show, without secrets.

    Where the feed stands in the config, and how it is asked, is none of them.
    """
    return *_shown(feed), _words(feed.filters)


_NOT_SHOWN = (
    *("place", "policy", "redactor", "include", "is_led", "filters", "links", "transform"),
    "face",
)
_shown = attrgetter(*(name for name in Feed.__struct_fields__ if name not in _NOT_SHOWN))
_words = cache(repr)
"""Most feeds have the same filters: none."""


def make_rules(config: Config, feeds: Mapping[str, Feed], sources: Mapping[str, Source]) -> Rules:
    """Return the rules of a site that shows these feeds, which are shown as these sources."""
    version = f"{Cleaning(sanitizer=config.sanitizer).version}-{config.pages.images}"
    return Rules(
        feeds=feeds,
        sources=sources,
        picked=picked_posts(config.picks, sources, zone=config.timezone, cleaning=version),
        planet=config.filters,
        zone=config.timezone,
        cleaning=version,
        retention=config.retention.entries,
    )


class AssembledPost(msgspec.Struct, frozen=True, kw_only=True):
    """An entry, or a pick, as it is filed, and what became of it."""

    post: Post
    decision: Decision | None
    """What the filters decided; None of a pick, which passes none."""
    instead: int | None = None
    """The number of the post that is shown in its place, where it is the same as another."""

    @property
    def number(self) -> int:
        """The number of its entry; negative for a pick."""
        return self.post.entry.number

    @property
    def is_shown(self) -> bool:
        """Whether the site shows it."""
        return self.instead is None and (self.decision is None or self.decision.kept)


def assemble(
    entries: Iterable[Entry],
    rules: Rules,
    *,
    picks: Iterable[Post],
    texts: PlainTexts,
    now: datetime,
    released: datetime | None = None,
) -> list[AssembledPost]:
    """Decide about entries, and about picks of the planet's own list, what a site shows of them.

    Entries are decided together: those that may be the same, all of a feed whose filters count
    (`recent`, `random`), and all there are if the planet's filters count, must come in one call.
    Entries of feeds that the site does not show are left out. `texts` gives plain texts to filters
    that look at them. `released` is as in `select`; moments are in UTC.
    """
    days = Days(rules.zone)
    decisions = select(
        (entry for entry in entries if entry.feed in rules.feeds),
        rules.feeds,
        planet=rules.planet,
        search=Search(rules.sources, texts),
        now=now,
        released=released,
    )
    by_number = {decision.entry.number: decision for decision in decisions}
    merged = merge(
        [decision.entry for decision in decisions if decision.kept],
        rules.feeds,
        rules.sources,
        days=days,
        marks=rules.marks,
        picked=picks,
    )
    shown = {post.entry.number: post for post in merged.posts}
    assembled = [
        AssembledPost(post=post, decision=by_number.get(number)) for number, post in shown.items()
    ]
    for number, decision in by_number.items():
        if number not in shown:
            entry = decision.entry
            filed = make_post(entry, rules.feeds[entry.feed], rules.sources, days=days, marks=None)
            assembled.append(
                AssembledPost(post=filed, decision=decision, instead=merged.instead.get(number))
            )
    return assembled
