"""How the waits of a feed grow while it fails."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from planet.model import DueReason
from planet.schedule.causes import Cause
from planet.schedule.constants import (
    BACKOFF_MAX,
    BACKOFF_MAX_LATER,
    BACKOFF_PATIENCE,
    FLOOR,
    FORBIDDEN,
    LADDER_MAX,
    LEARNED_FLOOR_MAX,
    LEARNED_FOR,
    NOT_FOUND,
    REJECTED,
    THROTTLED_MAX,
    UNEXPECTED_304,
    floor,
)

if TYPE_CHECKING:
    from datetime import datetime

    from planet.model import Asking, Memory


def step(
    memory: Memory, why: Cause, *, normal: timedelta, ended: datetime
) -> tuple[timedelta, DueReason]:
    """The wait after a failure, and its name.

    `memory` has counted the failure already, and learned from it; `normal` is how long the feed
    would wait in good order, without what it learned.
    """
    learned = memory.learned_floor or timedelta(0)
    if why is Cause.THROTTLED:
        # What was learned is twice what it was before.
        ladder = doubled(FLOOR, memory.strikes - 1, most=THROTTLED_MAX)
        return min(max(2 * normal, learned, ladder), THROTTLED_MAX), DueReason.THROTTLED
    if why is Cause.FORBIDDEN:
        return doubled(FORBIDDEN, memory.strikes - 1, most=LADDER_MAX), DueReason.FORBIDDEN
    if why in (Cause.REJECTED, Cause.TOO_LARGE):
        return doubled(REJECTED, memory.strikes - 1, most=LADDER_MAX), DueReason.REJECTED
    if why is Cause.NOT_FOUND and memory.succeeded_at is None:
        return NOT_FOUND, DueReason.NOT_FOUND
    if why is Cause.UNEXPECTED_304:
        return UNEXPECTED_304, DueReason.BACKOFF
    most = BACKOFF_MAX
    if memory.failing_since and ended - memory.failing_since >= BACKOFF_PATIENCE:
        most = BACKOFF_MAX_LATER
    start = max(normal, learned, FLOOR)
    return doubled(start, memory.failures - 1, most=most), DueReason.BACKOFF


def doubled(start: timedelta, times: int, *, most: timedelta) -> timedelta:
    """`start`, doubled so many times, but no more than `most`."""
    # Both bounds on the way, so that years of failures overflow nothing.
    return min(min(start, most) * (1 << min(times, 16)), most)


def taught(memory: Memory, asking: Asking, *, at: datetime) -> Memory:
    """What a 429 teaches: twice the least interval, from now on."""
    learned = doubled(max(memory.learned_floor or FLOOR, floor(asking)), 1, most=LEARNED_FLOOR_MAX)
    return replace(memory, learned_floor=learned, throttled_at=at)


def eased(memory: Memory, asking: Asking, *, at: datetime) -> Memory:
    """What is left of that after any other answer: half of it when the last 429 is long ago."""
    if memory.learned_floor is None or memory.throttled_at is None:
        return memory
    if at - memory.throttled_at < LEARNED_FOR:
        return memory
    half = memory.learned_floor / 2
    if half <= max(FLOOR, floor(asking)):
        return replace(memory, learned_floor=None, throttled_at=None)
    return replace(memory, learned_floor=half, throttled_at=at)
