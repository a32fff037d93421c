"""What the templates of feeds can do with what they see, by name."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from planet.site.feeds import facts, podcast
from planet.site.feeds.channel import newest_change
from planet.text import address, media
from planet.text.languages import language_tag

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from planet.model import Post, Source


def _changes_by_source(posts: Sequence[Post]) -> Mapping[Source, datetime]:
    """Return the newest change of the posts of each source."""
    # Not by key: picked episodes of one show that is gone may know it by different names.
    by_source: dict[Source, list[Post]] = {}
    for post in posts:
        by_source.setdefault(post.source, []).append(post)
    return {source: newest_change(own) for source, own in by_source.items()}


def _duration(post: Post) -> int | None:
    playable = media.find_playable(post.entry)
    return (playable and playable.duration) or None


def _truth(claim: bool | None) -> str | None:
    return None if claim is None else str(claim).lower()


def _positive(number: int | None) -> str | None:
    """Return the number as text; None for 0, by which feeds mean that they do not know."""
    return str(number) if number is not None and number > 0 else None


FILTERS: Mapping[str, Callable[..., object]] = {
    "any_explicit": lambda posts: any(map(podcast.explicit, posts)),
    "authors": facts.authors,
    "categories": facts.categories,
    "changes_by_source": _changes_by_source,
    "cover": podcast.cover,
    "day": date.fromisoformat,
    "duration": _duration,
    "enclosures": facts.enclosures,
    "explicit": podcast.explicit,
    "guid": podcast.guid,
    "id_of": facts.id_of,
    "language": facts.language_of,
    "language_tag": language_tag,
    "media_type": media.media_type,
    "newest_change": newest_change,
    "notes": podcast.notes,
    "positive": _positive,
    "short": podcast.shorten_author,
    "subscribe_url": facts.subscribe_url,
    "summary": facts.summary,
    "truth": _truth,
    "without_secrets": address.without_secrets,
}
