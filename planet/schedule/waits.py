"""How long a feed waits after an attempt, for each reason there is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from planet.model import DueReason, Hints
from planet.schedule import freshness
from planet.schedule.causes import Cause, cause
from planet.schedule.constants import (
    FLOOR,
    FLOOR_IGNORED,
    HINT_MAX,
    IGNORED_AFTER,
    LONG_QUIET,
    LONG_QUIET_FACTOR,
    floor,
)
from planet.schedule.ladders import step
from planet.schedule.rhythm import expected

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from planet.model import Asking, Fetched, Lifetime, Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A time from the end of an attempt, and why the feed is not asked before it is over."""

    length: timedelta
    reason: DueReason


def waits(memory: Memory, asking: Asking, fetched: Fetched, *, ended: datetime) -> list[Wait]:
    """Every wait after the attempt that ended then, of which `memory` knows the outcome already.

    The longest one counts. Of equal ones the first does: what the server said, what went wrong,
    the floor, the rest.
    """
    kind = fetched.error.kind if fetched.error else None
    asked_for = freshness.retry_after(fetched)
    said = {
        DueReason.RETRY_AFTER: asked_for,
        DueReason.HOST: floor(asking) if kind == "host_cooldown" else None,
    }
    normal = _normal(memory, asking, ended)
    lifetime = _lifetime(memory, fetched)
    return [
        *_lengths(said),
        *_after_failure(memory, kind, asked_for, normal, ended),
        *normal,
        *_lengths({DueReason.LEARNED: memory.learned_floor}),
        *_lengths({lifetime.said_by: lifetime.length} if lifetime else {}),
    ]


def least(memory: Memory, asking: Asking) -> timedelta:
    """The least time between two requests, whatever came of the first."""
    return max(floor(asking), memory.learned_floor or timedelta(0))


def _normal(memory: Memory, asking: Asking, ended: datetime) -> list[Wait]:
    """The waits of a feed in good order, but for what its server taught or has just said.

    The floor is always the first of them.
    """
    hints = memory.profile.hints if memory.profile else Hints()
    whole = memory.whole_at is not None and not memory.validators
    found = _lengths(
        {
            DueReason.FLOOR: floor(asking),
            DueReason.UNCONDITIONAL: asking.whole_interval if whole else None,
            DueReason.IGNORED: FLOOR_IGNORED if memory.identical >= IGNORED_AFTER else None,
            DueReason.TTL: min(hints.ttl, HINT_MAX) if hints.ttl else None,
            DueReason.SY: min(hints.sy, HINT_MAX) if hints.sy else None,
        }
    )
    rhythm = _rhythm(memory, asking, ended)
    return [*found, rhythm] if rhythm else found


def _lengths(said: Mapping[DueReason, timedelta | None]) -> list[Wait]:
    """The waits there are, in the order given."""
    return [
        Wait(length=length, reason=reason) for reason, length in said.items() if length is not None
    ]


def _rhythm(memory: Memory, asking: Asking, ended: datetime) -> Wait | None:
    """The wait by the feed's own pace; None while there never was one."""
    if memory.succeeded_at is None:
        return None
    news = [*memory.posts[-1:], *filter(None, [memory.changed_at])]
    long_quiet = bool(news) and ended - max(news) >= LONG_QUIET
    limit = asking.max_interval * (LONG_QUIET_FACTOR if long_quiet else 1)
    moment, reason = expected(memory.posts, changed_at=memory.changed_at, after=ended, limit=limit)
    length = min(moment - ended, limit)
    if asking.agreed and length <= FLOOR:
        # It posts as often as anyone may ask, and its publisher said how often that is.
        return None
    return Wait(length=length, reason=reason)


def _after_failure(
    memory: Memory,
    kind: str | None,
    asked_for: timedelta | None,
    normal: list[Wait],
    ended: datetime,
) -> list[Wait]:
    """The wait of a feed that fails; none while it does not.

    `kind` is that of the error of this attempt; a body that could not be read has none of its own.
    """
    if not memory.failures or memory.error_kind is None:
        return []
    why = cause(kind or memory.error_kind)
    if why is Cause.DEFERRED or (why is Cause.THROTTLED and asked_for):
        return []
    base = max(wait.length for wait in normal)
    length, reason = step(memory, why, normal=base, ended=ended)
    return [Wait(length=length, reason=reason)]


def _lifetime(memory: Memory, fetched: Fetched) -> Lifetime | None:
    """How long nobody need ask again: after an error, only what the error itself says of it."""
    if not fetched.error:
        return memory.lifetime
    return freshness.lifetime(fetched) if (fetched.status or 0) >= 400 else None
