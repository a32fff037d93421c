"""What an attempt brought → what is known of the feed from now on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet.errors import FeedError
from planet.model import Memory, Outcome, Reading
from planet.schedule.constants import FLOOR

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
    memory = replace(before or Memory(key=feed.key, url=feed.url), url=feed.url)
    if fetched.outcome is Outcome.NEW:
        memory = _read(memory, fetched, result, reader)
    memory = _judged(memory, fetched, result)
    if not fetched.asked:
        return replace(memory, settled_at=memory.attempted_at)
    due_at, reason = _next(feed.asking, memory, fetched.ended)
    return replace(
        memory,
        attempted_at=fetched.started,
        settled_at=fetched.ended,
        due_at=due_at,
        due_reason=reason,
        status=fetched.status,
        moved_to=memory.moved_to if fetched.error else fetched.permanent_url,
    )


def trouble(memory: Memory | None) -> str | None:
    """What is wrong with a feed, once it matters; None while it is well or only hiccuping."""
    if memory is None or memory.failures < TROUBLE:
        return None
    return memory.error


def shows(before: Memory | None, after: Memory) -> bool:
    """Whether a page could show a difference between the two."""
    return before is None or _shown(before) != _shown(after)


def _shown(memory: Memory) -> tuple[object, ...]:
    words = trouble(memory)
    return memory.profile, words, memory.failing_since if words else None


def _read(
    memory: Memory, fetched: Fetched, result: Reading | FeedError | None, reader: str
) -> Memory:
    """A body was read: with success or not, these bytes need not be read again."""
    memory = replace(
        memory,
        processed_hash=fetched.body_hash,
        reader=reader,
        answered_url=fetched.url,
        unreadable=isinstance(result, FeedError),
    )
    if isinstance(result, Reading):
        memory = replace(memory, profile=result.profile)
        if result.drafts:
            memory = replace(memory, changed_at=fetched.ended)
    return memory


def _judged(memory: Memory, fetched: Fetched, result: Reading | FeedError | None) -> Memory:
    """Counted as a success or as one more failure."""
    error = fetched.error or (result if isinstance(result, FeedError) else None)
    if error is None and not memory.unreadable:
        return replace(
            memory,
            succeeded_at=fetched.ended,
            failures=0,
            failing_since=None,
            error_kind=None,
            error=None,
        )
    if error is not None:
        memory = replace(memory, error_kind=error.kind, error=str(error))
    # Without an error the server said that the body we could not read has not changed.
    return replace(
        memory,
        failures=memory.failures + 1,
        failing_since=memory.failing_since or fetched.ended,
    )


def _next(asking: Asking, memory: Memory, ended: datetime) -> tuple[datetime, str]:
    """When to ask again, and why then."""
    if not memory.failures:
        return ended + asking.min_interval, "floor"
    base = max(asking.min_interval, FLOOR)
    # The exponent is bounded so that a feed that fails for years does not overflow a timedelta.
    wait = base * 2 ** min(memory.failures - 1, 16)
    return ended + max(base, min(wait, asking.max_interval)), "backoff"
