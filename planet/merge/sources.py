"""Feeds, and what they say of themselves → Source: the operator's words go first."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from planet.model import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planet.model import Feed, Memory


def sources(
    feeds: Iterable[Feed], memories: Mapping[str, Memory], troubles: Mapping[str, str]
) -> dict[str, Source]:
    """The feeds as they are shown, by key. `troubles` has what is wrong with some of them."""
    return {feed.key: _source(feed, memories.get(feed.key), troubles) for feed in feeds}


def _source(feed: Feed, memory: Memory | None, troubles: Mapping[str, str]) -> Source:
    profile = memory.profile if memory else None
    words = troubles.get(feed.key)
    return Source(
        key=feed.key,
        slug=feed.slug,
        url=feed.url,
        title=feed.name or (profile and profile.title) or _fallback(feed.url),
        id=profile.id if profile else None,
        link=feed.link or (profile.link if profile else None),
        description=profile.description if profile else None,
        author=feed.author or (profile.author if profile else None),
        image=feed.image or (profile.image if profile else None),
        language=feed.language or (profile.language if profile else None),
        rights=profile.rights if profile else None,
        explicit=profile.explicit if profile else None,
        tags=feed.tags,
        content=feed.content,
        trouble=words,
        trouble_since=memory.failing_since if memory and words else None,
    )


def _fallback(url: str) -> str:
    """What to call a feed that has no title, or never answered."""
    parts = urlsplit(url)
    return parts.hostname or parts.path.rpartition("/")[2] or url
