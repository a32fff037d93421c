"""What is known of a feed, after a change of the config or at the operator's word."""

from __future__ import annotations

from dataclasses import replace
from statistics import median_low
from typing import TYPE_CHECKING

from planet.model import DueReason, Memory
from planet.schedule.constants import CLOCK_LEAP, FLOOR
from planet.schedule.moved import is_same

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta

    from planet.model import Feed


def known_of(feed: Feed, memory: Memory | None) -> Memory:
    """What is known of a feed at the address that the config has now.

    Of another address than before, how asking went says nothing; what was read there is still the
    feed's past. An address that the feed had moved to anyway is not another one.
    """
    if memory is None:
        return Memory(key=feed.key, url=feed.url)
    moved = memory.moved
    if moved and is_same(moved.to, feed.url) and (moved.adopted or _is_well(memory)):
        return replace(memory, url=feed.url, moved=None)
    if memory.url == feed.url:
        return memory
    return Memory(
        key=memory.key,
        url=feed.url,
        profile=memory.profile,
        processed_hash=memory.processed_hash,
        reader=memory.reader,
        unreadable=memory.unreadable,
        unreadable_kind=memory.unreadable_kind,
        changed_at=memory.changed_at,
        posts=memory.posts,
        health=memory.health,
        # A run that was killed may have asked there already.
        attempted_at=memory.attempted_at if memory.interrupted else None,
    )


def ran_ahead(memory: Memory, now: datetime) -> bool:
    """Whether the clock was ahead at the last attempt; by a little, other clocks may be."""
    return memory.attempted_at is not None and memory.attempted_at > now + FLOOR


def believable(now: datetime, before: datetime | None, answered: Sequence[datetime]) -> datetime:
    """The latest moment that the present can be, for what must not be done too soon.

    `now` is what the clock says, `before` what the last run took for the present, `answered` what
    the clocks of servers said in this one. Where no server said anything a leap counts for
    `CLOCK_LEAP` in each run.
    """
    if answered:
        return min(now, median_low(answered))
    return now if before is None else min(now, before + CLOCK_LEAP)


def corrected(memory: Memory, now: datetime) -> Memory:
    """What is known of a feed, with an attempt of a clock that ran ahead taken for one of now."""
    if not ran_ahead(memory, now):
        return memory
    return replace(
        memory,
        attempted_at=now,
        settled_at=now,
        due_at=None if memory.given_up else now + _floor(memory),
        due_reason=DueReason.GIVEN_UP if memory.given_up else DueReason.FLOOR,
        rests_until=None,
        posts=tuple(post for post in memory.posts if post <= now),
        changed_at=memory.changed_at and min(memory.changed_at, now),
        succeeded_at=memory.succeeded_at and min(memory.succeeded_at, now),
        failing_since=memory.failing_since and min(memory.failing_since, now),
    )


def revived(memory: Memory) -> Memory:
    """A feed to be asked again as if it had not failed before: one that was given up at once."""
    settled_at = None if memory.given_up else memory.settled_at
    return replace(
        memory,
        given_up=None,
        given_up_at=None,
        due_at=settled_at and settled_at + _floor(memory),
        due_reason=DueReason.FLOOR if settled_at else None,
        failures=0,
        failing_since=None,
        strikes=0,
        struck_since=None,
        error_kind=None,
        error=None,
    )


def _floor(memory: Memory) -> timedelta:
    return max(FLOOR, memory.learned_floor or FLOOR)


def _is_well(memory: Memory) -> bool:
    return not memory.failures and not memory.given_up
