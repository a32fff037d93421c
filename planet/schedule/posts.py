"""When a feed posts, as far as one can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.schedule.constants import RECENT_POSTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime


def posted(claims: Sequence[datetime | None], *, seen: datetime, first: bool) -> list[datetime]:
    """When the entries were posted that a reading found to be new.

    An entry that claims a moment that can be is believed; any other was posted when it was first
    seen. When all claim the same moment it is the one the document was made at, and none is
    believed. Of what the first reading finds, being seen first says nothing.
    """
    believed = len(claims) == 1 or len(set(claims)) > 1
    moments = [claim if believed and claim and claim <= seen else None for claim in claims]
    return [moment or seen for moment in moments if moment or not first]


def recent(before: Iterable[datetime], new: Iterable[datetime]) -> tuple[datetime, ...]:
    """The last moments of posts, each once, oldest first."""
    return tuple(sorted({*before, *new})[-RECENT_POSTS:])
