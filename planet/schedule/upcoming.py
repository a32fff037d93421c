"""The next attempt: when, and why not sooner."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from planet.model import DueReason, Hints
from planet.schedule.chance import share
from planet.schedule.constants import FLOOR, JITTER, JITTER_BACKOFF, JITTER_MAX, SKIP_SPREAD
from planet.schedule.waits import Wait, least, waits

if TYPE_CHECKING:
    from datetime import datetime

    from planet.model import Feed, Fetched, Memory

_HOUR = timedelta(hours=1)
_WEEK = 7 * 24
"""Hours."""
_AFTER_FAILURE = frozenset(
    {
        DueReason.BACKOFF,
        DueReason.THROTTLED,
        DueReason.FORBIDDEN,
        DueReason.NOT_FOUND,
        DueReason.REJECTED,
    }
)
_AT_REST = frozenset({DueReason.RETRY_AFTER, DueReason.THROTTLED})


def settled(memory: Memory, feed: Feed, fetched: Fetched, *, ended: datetime) -> Memory:
    """With the attempt that ended then done, and the next one set: the longest wait counts."""
    if memory.given_up:
        return replace(memory, settled_at=ended, due_at=None, due_reason=DueReason.GIVEN_UP)
    found = waits(memory, feed.asking, fetched, ended=ended)
    # At most one: a 429 that says how long needs no other measure.
    rest = next((ended + wait.length for wait in found if wait.reason in _AT_REST), None)
    longest = max(found, key=lambda wait: wait.length)
    return replace(arranged(memory, feed, longest, ended=ended), rests_until=rest)


def soon(memory: Memory, feed: Feed, reason: DueReason, *, ended: datetime) -> Memory:
    """With the attempt that ended then done and not held against the feed: due after the floor."""
    wait = Wait(length=least(memory, feed.asking), reason=reason)
    return arranged(memory, feed, wait, ended=ended)


def arranged(memory: Memory, feed: Feed, wait: Wait, *, ended: datetime) -> Memory:
    """With the next attempt after this wait, a little more by chance, and not in skipped hours.

    A feed that is a file has no next time: it is read in every run.
    """
    if feed.is_file:
        return replace(memory, settled_at=ended, due_at=None, due_reason=None)
    hints = memory.profile.hints if memory.profile else Hints()
    due_at = ended + wait.length + _jitter(wait) * share(feed.key, ended, "jitter")
    allowed_at = _allowed(due_at, hints, share(feed.key, ended, "skip"))
    return replace(
        memory,
        settled_at=ended,
        due_at=allowed_at,
        due_reason=wait.reason if allowed_at == due_at else DueReason.SKIP,
    )


def skips(hints: Hints, moment: datetime) -> bool:
    """Whether a feed is not to be asked at the hour, or on the day, of a moment."""
    return moment.hour in hints.skip_hours or moment.weekday() in hints.skip_days


def _jitter(wait: Wait) -> timedelta:
    """The most that chance adds; nothing at the floor, or the next run would be missed there."""
    if wait.reason in _AFTER_FAILURE:
        return wait.length * JITTER_BACKOFF
    return min(max(wait.length - FLOOR, timedelta(0)) * JITTER, JITTER_MAX)


def _allowed(due_at: datetime, hints: Hints, drawn: float) -> datetime:
    """The moment itself, or one early in the first hour that the publisher does not exclude."""
    hour = due_at.replace(minute=0, second=0, microsecond=0)
    for later in range(_WEEK):
        start = hour + later * _HOUR
        if not skips(hints, start):
            return start + SKIP_SPREAD * drawn if later else due_at
    # All of them are excluded, which nobody means.
    return due_at
