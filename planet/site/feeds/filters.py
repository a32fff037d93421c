"""The filters of the templates of feeds, by name."""

from __future__ import annotations

import uuid
from datetime import date
from typing import TYPE_CHECKING

from planet.model import Html
from planet.site.feeds import facts
from planet.site.feeds.channel import newest_change
from planet.text import address, media
from planet.text.languages import language_tag

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from planet.model import Post, Source
    from planet.site.words import Words


# The namespace that the Podcasting 2.0 specification gives for podcast:guid.
_GUIDS = uuid.UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")
# Characters that an itunes:author may have, by Apple's first specification.
_MAX_AUTHOR = 255


def _guid(address: str | None) -> str | None:
    """Return the podcast:guid of the feed at an address; neither scheme nor final slash matters."""
    return address and str(uuid.uuid5(_GUIDS, address.partition("://")[2].rstrip("/")))


def _notes(post: Post, words: Words) -> Html:
    """Return the short show notes as HTML; empty where there is no summary."""
    summary = facts.summary(post)
    return Html(facts.foreword(post, words) + facts.paragraph(summary) if summary else "")


def _cover(posts: Sequence[Post], own: str | None) -> str | None:
    """Return the channel's own image, else that of its first show, by title, that has one."""
    # By title and not by date: a cover must not change with every new episode.
    shows = sorted((post.source.title, post.source.key, post.source.image or "") for post in posts)
    return own or next((image for _, _, image in shows if image), None)


def _shorten_author(name: str | None) -> str | None:
    """Return a name that is not longer than Apple allows."""
    return f"{name[: _MAX_AUTHOR - 1]}…" if name and len(name) > _MAX_AUTHOR else name


def _explicit(post: Post) -> bool | None:
    """Return whether an episode is explicit, as it says itself, or else its show."""
    own = post.entry.episode.explicit if post.entry.episode else None
    return post.source.explicit if own is None else own


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
    "any_explicit": lambda posts: any(map(_explicit, posts)),
    "authors": facts.authors,
    "categories": facts.categories,
    "changes_by_source": _changes_by_source,
    "cover": _cover,
    "day": date.fromisoformat,
    "duration": _duration,
    "enclosures": facts.enclosures,
    "explicit": _explicit,
    "guid": _guid,
    "id_of": facts.id_of,
    "language": facts.language_of,
    "language_tag": language_tag,
    "media_type": media.media_type,
    "newest_change": newest_change,
    "notes": _notes,
    "positive": _positive,
    "short": _shorten_author,
    "subscribe_url": facts.subscribe_url,
    "summary": facts.summary,
    "truth": _truth,
    "without_secrets": address.without_secrets,
}
