"""What readers and the operator are told of a feed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from planet.model import Hints, Memory

if TYPE_CHECKING:
    from datetime import datetime

TROUBLE = 3
"""Failures in a row after which readers and operator are told: every feed has hiccups."""

QUIET = timedelta(days=90)
"""A feed without a new entry for so long is quiet."""


def trouble(memory: Memory | None) -> str | None:
    """What is wrong with a feed, once it matters; None while it is well or only hiccuping.

    It matters at once when the feed is given up.
    """
    if memory is None or (memory.failures < TROUBLE and not memory.given_up):
        return None
    return memory.error


def quiet_since(memory: Memory) -> datetime | None:
    """When its last entry was posted, if that was long ago when it last answered."""
    if memory.succeeded_at is None or not memory.posts:
        return None
    last = memory.posts[-1]
    return last if memory.succeeded_at - last >= QUIET else None


def shows(before: Memory | None, after: Memory) -> bool:
    """Whether a page could show a difference between the two."""
    return _shown(before) != _shown(after)


def _shown(memory: Memory | None) -> tuple[object, ...]:
    if memory is None:
        return _shown(Memory(key="", url=""))
    profile = memory.profile
    if profile is not None:
        # Most feeds change these with each request; no page has them.
        profile = replace(profile, updated=None, hints=Hints())
    words = trouble(memory)
    since = memory.failing_since if words else None
    return profile, words, since, memory.given_up, memory.adopted_url, quiet_since(memory)
