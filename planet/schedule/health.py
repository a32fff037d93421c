"""What an attempt brought → what is known of the feed from now on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet.errors import FeedError
from planet.model import Hints, Memory, Outcome, Reading
from planet.schedule.constants import FLOOR, floor

if TYPE_CHECKING:
    from datetime import datetime

    from planet.model import Asking, Feed, Fetched

TROUBLE = 3
"""Failures in a row after which readers and operator are told: every feed has hiccups."""


def remember(
    before: Memory | None,
    feed: Feed,
    fetched: Fetched,
    result: Reading | FeedError | None,
    *,
    reader: str,
) -> Memory:
    """What is known of a feed after an attempt.

    `result` is what its body came to, if a new one came; `reader` the version of the parser.
    """
    known = before or Memory(key=feed.key, url=feed.url)
    answered_url = known.answered_url if fetched.error else fetched.url
    memory = replace(known, url=feed.url, answered_url=answered_url)
    if fetched.outcome is Outcome.NEW:
        memory = _read(memory, fetched, result, reader)
    error = fetched.error or (result if isinstance(result, FeedError) else None)
    if fetched.asked:
        memory = replace(
            memory,
            attempted_at=fetched.started,
            status=fetched.status,
            moved_to=memory.moved_to if error or memory.unreadable else fetched.permanent_url,
        )
        return _settled(_judged(memory, error, fetched.ended), feed.asking, fetched.ended)
    if memory.interrupted and memory.attempted_at is not None:
        # What the killed run would have written, had it lived.
        judged = _judged(memory, error, memory.attempted_at)
        return _settled(judged, feed.asking, memory.attempted_at)
    # A body read anew says nothing about the server, unless it was the body that was at fault.
    was_at_fault = before is not None and before.unreadable is not None
    return _judged(memory, error, fetched.ended) if error or was_at_fault else memory


def trouble(memory: Memory | None) -> str | None:
    """What is wrong with a feed, once it matters; None while it is well or only hiccuping."""
    if memory is None or memory.failures < TROUBLE:
        return None
    return memory.error


def shows(before: Memory | None, after: Memory) -> bool:
    """Whether a page could show a difference between the two."""
    return _shown(before) != _shown(after)


def _shown(memory: Memory | None) -> tuple[object, ...]:
    if memory is None:
        return None, None, None
    profile = memory.profile
    if profile is not None:
        # Most feeds change these with each request; no page has them.
        profile = replace(profile, updated=None, hints=Hints())
    words = trouble(memory)
    return profile, words, memory.failing_since if words else None


def _read(
    memory: Memory, fetched: Fetched, result: Reading | FeedError | None, reader: str
) -> Memory:
    """A body was read: with success or not, these bytes need not be read again."""
    memory = replace(
        memory,
        processed_hash=fetched.body_hash,
        reader=reader,
        unreadable=None,
        unreadable_kind=None,
    )
    if isinstance(result, FeedError):
        return replace(memory, unreadable=str(result), unreadable_kind=result.kind)
    if isinstance(result, Reading):
        changed_at = fetched.ended if result.drafts else memory.changed_at
        return replace(memory, profile=result.profile, changed_at=changed_at)
    return memory


def _judged(memory: Memory, error: FeedError | None, at: datetime) -> Memory:
    """Counted as a success or as one more failure."""
    if error is None and memory.unreadable is None:
        return replace(
            memory,
            succeeded_at=at,
            failures=0,
            failing_since=None,
            error_kind=None,
            error=None,
        )
    # Without an error the server said that the body we could not read has not changed.
    kind, words = (error.kind, str(error)) if error else (memory.unreadable_kind, memory.unreadable)
    return replace(
        memory,
        failures=memory.failures + 1,
        failing_since=memory.failing_since or at,
        error_kind=kind,
        error=words,
    )


def _settled(memory: Memory, asking: Asking, at: datetime) -> Memory:
    """With the attempt that ended then done, and the next one set."""
    due_at, reason = _next(asking, memory, at)
    return replace(memory, settled_at=at, due_at=due_at, due_reason=reason)


def _next(asking: Asking, memory: Memory, ended: datetime) -> tuple[datetime, str]:
    """When to ask again, and why then."""
    if not memory.failures:
        return ended + floor(asking), "floor"
    base = max(asking.min_interval, FLOOR)
    # The exponent is bounded so that a feed that fails for years does not overflow a timedelta.
    wait = base * 2 ** min(memory.failures - 1, 16)
    return ended + max(base, min(wait, asking.max_interval)), "backoff"
