"""Feeds, and what they say of themselves → Source: the operator's words go first."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from planet.model import Source, Standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planet.model import Feed, Memory


def sources(
    feeds: Iterable[Feed], memories: Mapping[str, Memory], standings: Mapping[str, Standing]
) -> dict[str, Source]:
    """The feeds as they are shown, by key. `standings` says how it goes with them."""
    return {
        feed.key: _source(feed, memories.get(feed.key), standings.get(feed.key, Standing()))
        for feed in feeds
    }


def _source(feed: Feed, memory: Memory | None, standing: Standing) -> Source:
    profile = memory.profile if memory else None
    return Source(
        key=feed.key,
        slug=feed.slug,
        url="" if feed.is_hidden else feed.url,
        title=feed.name or (profile and profile.title) or _fallback(feed.url),
        # What a feed is known by is often its address.
        id=profile.id if profile and not feed.is_hidden else None,
        link=feed.link or (profile.link if profile else None),
        description=profile.description if profile else None,
        author=feed.author or (profile.author if profile else None),
        image=feed.image or (profile.image if profile else None),
        face=feed.image,
        language=feed.language or (profile.language if profile else None),
        rights=profile.rights if profile else None,
        explicit=profile.explicit if profile else None,
        tags=feed.tags,
        content=feed.content,
        standing=standing,
    )


def _fallback(url: str) -> str:
    """What to call a feed that has no title, or never answered."""
    parts = urlsplit(url)
    return parts.hostname or parts.path.rpartition("/")[2] or url
