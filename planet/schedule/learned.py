"""Where the name in the config leads: how long that is believed, and when it is forgotten."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet.schedule.constants import RESOLVED_FOR

if TYPE_CHECKING:
    from datetime import datetime

    from planet.errors import FeedError
    from planet.model import Feed, Fetched, Memory, Profile, Resolved

_NO_MORE = frozenset({"http_404", "http_410", "not_a_feed", "private_address"})
"""The kinds of error that say that the posts are not there any more."""


def believed(memory: Memory, *, now: datetime) -> Resolved | None:
    """Where to ask for the posts; None when the name has to be followed.

    It is followed again from time to time, because people move and rename themselves.
    """
    at = memory.resolved_at
    return memory.resolved if at is not None and now - at < RESOLVED_FOR else None


def learned(memory: Memory, fetched: Fetched) -> Memory:
    """With what an answer brought of where the name leads, if it did."""
    if fetched.resolved is None:
        return memory
    return replace(memory, resolved=fetched.resolved, resolved_at=fetched.ended)


def is_lost(memory: Memory, fetched: Fetched, error: FeedError | None) -> bool:
    """Whether a failure says that the posts are elsewhere by now, so that the name tells more.

    Not when they were looked for just now, nor when that was of no use the last time.
    """
    return (
        memory.resolved is not None
        and fetched.resolved is None
        and error is not None
        and error.kind in _NO_MORE
        and error.kind != memory.error_kind
    )


def forgotten(memory: Memory) -> Memory:
    """To be asked by its name again."""
    return replace(memory, resolved=None, resolved_at=None, answered_url=None)


def named(profile: Profile, resolved: Resolved | None) -> Profile:
    """What a feed says of itself, and where it does not, what was said on the way to it."""
    if resolved is None:
        return profile
    return replace(
        profile,
        title=profile.title or resolved.name,
        link=profile.link or resolved.page,
        image=profile.image or resolved.image,
    )


def discreet(profile: Profile, feed: Feed) -> Profile:
    """What a feed says of itself, without secrets of the config.

    Feeds name their own address, and what they say of themselves is shown on the site.
    """
    veil = feed.veil
    if veil is None:
        return profile

    def redacted(text: str | None) -> str | None:
        return veil.redact(text) if text else text

    return replace(
        profile,
        id=redacted(profile.id),
        title=redacted(profile.title),
        link=veil.public(profile.link) if profile.link else None,
        description=redacted(profile.description),
        author=redacted(profile.author),
        image=None if profile.image and veil.covers(profile.image) else profile.image,
        rights=redacted(profile.rights),
        categories=tuple(each for each in profile.categories if not veil.covers(each)),
    )
