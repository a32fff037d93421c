"""Builders for the model's nouns: each states what matters to a test, and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from planet.model import (
    Enclosure,
    Entry,
    Feed,
    FeedState,
    Fetched,
    Filters,
    NewEntry,
    ParseResult,
    Pick,
    Post,
    Profile,
    Show,
    Source,
    Tag,
    Text,
    Timeline,
)
from planet.timeline.assemble import Rules, merge
from planet.timeline.edition import tags, with_post_counts

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
"""The clock of the tests: a Friday noon."""


def make_feed(key: str = "one", **changes: Any) -> Feed:
    return replace(Feed(key=key, url=f"https://{key}.example/feed", slug=key), **changes)


def make_source(name: str = "one", **changes: Any) -> Source:
    """A source with a feed of its own, of which the site has feeds, too."""
    source = Source(
        key=name,
        slug=name,
        url=f"https://{name}.example/feed",
        title=name.title(),
        link=f"https://{name}.example/",
        own_format="atom",
        has_feeds=True,
    )
    return replace(source, **changes)


def make_profile(**changes: Any) -> Profile:
    return replace(Profile(format="atom10", title="One"), **changes)


def make_entry(number: int = 1, **changes: Any) -> Entry:
    """An entry of the feed `one`, seen and dated now; `when` sets all its moments at once."""
    when = changes.pop("when", NOW)
    entry = Entry(
        number=number,
        feed="one",
        id=str(number),
        digest=make_digest(number),
        first_seen=when,
        changed_at=when,
        dated=when,
    )
    return replace(entry, **changes)


def make_draft(entry_id: str = "1", **changes: Any) -> NewEntry:
    """A draft whose digest tells it from others that say something else."""
    draft = NewEntry(id=entry_id, digest=make_digest(entry_id, sorted(changes.items())))
    if isinstance(changes.get("raw"), str):
        changes["raw"] = Text(value=changes["raw"])
    return replace(draft, **changes)


def make_reading(*drafts: NewEntry, **changes: Any) -> ParseResult:
    """A reading of a feed that lists these drafts and nothing else, unless `ids` says so."""
    reading = ParseResult(
        profile=make_profile(), drafts=drafts, ids=tuple(draft.id for draft in drafts)
    )
    return replace(reading, **changes)


def make_fetched(**changes: Any) -> Fetched:
    """An answer from the feed `one`: "not modified", unless a body or an error is given."""
    when = changes.pop("when", NOW)
    fetched = Fetched(
        started=when,
        ended=when,
        url="https://one.example/feed",
        status=200 if "body" in changes else 304,
    )
    return replace(fetched, **changes)


def make_state(key: str = "one", **changes: Any) -> FeedState:
    return replace(FeedState(key=key, url=f"https://{key}.example/feed"), **changes)


def make_digest(*parts: object) -> str:
    return blake2b(repr(parts).encode(), digest_size=8).hexdigest()


def make_pick(entry_id: str = "1", **changes: Any) -> Pick:
    """An episode of the feed `one`, picked now for the planet's own list."""
    pick = Pick(
        feed="one",
        id=entry_id,
        picked_at=NOW,
        title=f"Episode {entry_id}",
        enclosures=(Enclosure(url=f"https://one.example/{entry_id}.mp3", media_type="audio/mpeg"),),
        show=Show(title="One"),
    )
    return replace(pick, **changes)


# Timelines without a store: what is to be shown is said at once, and looked through


@dataclass(frozen=True, kw_only=True)
class Merged:
    """What is made of entries at once, each of which is held against all others."""

    posts: tuple[Post, ...]
    timeless: tuple[Post, ...]
    sources: tuple[Source, ...]
    tags: tuple[Tag, ...]

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
    cleaning: str = "",
) -> Merged:
    """The posts of entries and picks, newest first, and what follows from them."""
    rules = Rules(
        feeds=feeds,
        sources=sources,
        picks=picks,
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
    )
