"""Whether an attempt counts for a feed or against it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet.model import Failure, GivenUp
from planet.schedule.causes import LIMITS, cause

if TYPE_CHECKING:
    from datetime import datetime

    from planet.errors import FeedError
    from planet.model import Feed, Memory


def judged(memory: Memory, feed: Feed, error: FeedError | None, at: datetime) -> Memory:
    """Counted as a success or as one more failure; either may be the last."""
    if error is not None:
        return _failed(memory, error.kind, str(error), at)
    if memory.unreadable is not None and memory.unreadable_kind is not None:
        # The server said that the body we could not read has not changed.
        return _failed(memory, memory.unreadable_kind, memory.unreadable, at)
    memory = replace(
        memory,
        succeeded_at=at,
        failures=0,
        failing_since=None,
        strikes=0,
        struck_since=None,
        error_kind=None,
        error=None,
    )
    if memory.profile and memory.profile.hints.expired and not feed.is_file:
        return replace(memory, given_up=GivenUp.EXPIRED, given_up_at=at)
    return memory


def _failed(memory: Memory, kind: str, words: str, at: datetime) -> Memory:
    why = cause(kind)
    again = memory.error_kind is not None and cause(memory.error_kind) is why
    strikes = memory.strikes + 1 if again else 1
    since = (memory.struck_since if again else None) or at
    limit = LIMITS.get(why)
    enough = limit is not None and strikes >= limit.strikes and at - since >= limit.span
    given_up = limit.given_up if limit and enough else memory.given_up
    return replace(
        memory,
        failures=memory.failures + 1,
        failing_since=memory.failing_since or at,
        strikes=strikes,
        struck_since=since,
        error_kind=kind,
        error=words,
        last_failure=Failure(at=at, kind=kind, message=words),
        given_up=given_up,
        given_up_at=memory.given_up_at or (at if given_up else None),
    )
