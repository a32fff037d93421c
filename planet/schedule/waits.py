"""How long a feed waits after an attempt, for each reason there is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING

from planet.model import DueReason, Hints, Lifetime
from planet.schedule.causes import Cause, cause
from planet.schedule.constants import (
    BACKOFF_MAX,
    BACKOFF_MAX_LATER,
    BACKOFF_PATIENCE,
    FLOOR,
    FLOOR_IGNORED,
    FORBIDDEN,
    HINT_MAX,
    IGNORED_AFTER,
    JITTER,
    JITTER_BACKOFF,
    JITTER_MAX,
    LADDER_MAX,
    LEARNED_FLOOR_MAX,
    LEARNED_FOR,
    LIFETIME_DEFAULT,
    LIFETIME_PLAUSIBLE,
    LONG_QUIET,
    LONG_QUIET_FACTOR,
    NOT_FOUND,
    REJECTED,
    RETRY_AFTER_MAX,
    RETRY_AFTER_WELL_MAX,
    SKIP_SPREAD,
    THROTTLED_MAX,
    UNEXPECTED_304,
    floor,
)
from planet.schedule.rhythm import expected
from planet.text import headers

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from planet.model import Feed, FeedState, Fetched, FetchPolicy


def step(
    memory: FeedState, why: Cause, *, normal: timedelta, ended: datetime
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


def taught(memory: FeedState, asking: FetchPolicy, *, at: datetime) -> FeedState:
    """What a 429 teaches: twice the least interval, from now on."""
    learned = doubled(max(memory.learned_floor or FLOOR, floor(asking)), 1, most=LEARNED_FLOOR_MAX)
    return replace(memory, learned_floor=learned, throttled_at=at)


def eased(memory: FeedState, asking: FetchPolicy, *, at: datetime) -> FeedState:
    """What is left of that after any other answer: half of it when the last 429 is long ago."""
    if memory.learned_floor is None or memory.throttled_at is None:
        return memory
    if at - memory.throttled_at < LEARNED_FOR:
        return memory
    half = memory.learned_floor / 2
    if half <= max(FLOOR, floor(asking)):
        return replace(memory, learned_floor=None, throttled_at=None)
    return replace(memory, learned_floor=half, throttled_at=at)


_FIELDS = frozenset({"cache-control", "expires"})


def lifetime(fetched: Fetched) -> Lifetime | None:
    """How long this answer is good for from the moment it came; None if it does not say.

    max-age goes before Expires, and the time it lay in caches is taken off. Nobody means more than
    `LIFETIME_PLAUSIBLE`.
    """
    said_by = DueReason.MAX_AGE
    length = headers.max_age(fetched.headers)
    if length is None:
        said_by = DueReason.EXPIRES
        length = headers.expires(fetched.headers, received=fetched.ended)
    if length is None:
        return None
    if length > LIFETIME_PLAUSIBLE:
        return Lifetime(length=LIFETIME_DEFAULT, said_by=said_by, implausible=True)
    left = max(timedelta(0), length - headers.age(fetched.headers))
    return Lifetime(length=left, said_by=said_by)


def renewed(before: Lifetime | None, fetched: Fetched) -> Lifetime | None:
    """The lifetime of what is stored, after an answer that was no error.

    A 304 that says nothing of it leaves it as it was, to be counted from now (RFC 9111 §3.2).
    """
    if fetched.status != 200 and not _FIELDS & fetched.headers.keys():
        return before
    return lifetime(fetched)


def retry_after(fetched: Fetched) -> timedelta | None:
    """How long the server asks to be left alone, up to what is plausible; None if it does not."""
    said = headers.retry_after(fetched.headers, received=fetched.ended)
    if said is None:
        return None
    return min(said, RETRY_AFTER_MAX if fetched.error else RETRY_AFTER_WELL_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A time from the end of an attempt, and why the feed is not asked before it is over."""

    length: timedelta
    reason: DueReason


def waits(
    memory: FeedState, asking: FetchPolicy, fetched: Fetched, *, ended: datetime
) -> list[Wait]:
    """Every wait after the attempt that ended then, of which `memory` knows the outcome already.

    The longest one counts. Of equal ones the first does: what the server said, what went wrong,
    the floor, the rest.
    """
    kind = fetched.error.kind if fetched.error else None
    asked_for = retry_after(fetched)
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


def least(memory: FeedState, asking: FetchPolicy) -> timedelta:
    """The least time between two requests, whatever came of the first."""
    return max(floor(asking), memory.learned_floor or timedelta(0))


def _normal(memory: FeedState, asking: FetchPolicy, ended: datetime) -> list[Wait]:
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


def _rhythm(memory: FeedState, asking: FetchPolicy, ended: datetime) -> Wait | None:
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
    memory: FeedState,
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


def _lifetime(memory: FeedState, fetched: Fetched) -> Lifetime | None:
    """How long nobody need ask again: after an error, only what the error itself says of it."""
    if not fetched.error:
        return memory.lifetime
    return lifetime(fetched) if (fetched.status or 0) >= 400 else None


_BITS = 53
"""As many as a float below 1 tells apart; with more, the largest numbers would round up to it."""


def share(key: str, at: datetime, purpose: str) -> float:
    """A number from 0 up to, but not including, 1, spread evenly over feeds and moments.

    `purpose` tells apart what one feed draws at one moment.
    """
    said = f"{purpose}\n{at.timestamp()}\n{key}"
    drawn = int.from_bytes(blake2b(said.encode(), digest_size=8).digest(), "big")
    return (drawn >> (64 - _BITS)) / (1 << _BITS)


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


def settled(memory: FeedState, feed: Feed, fetched: Fetched, *, ended: datetime) -> FeedState:
    """With the attempt that ended then done, and the next one set: the longest wait counts."""
    if memory.given_up:
        return replace(memory, settled_at=ended, due_at=None, due_reason=DueReason.GIVEN_UP)
    found = waits(memory, feed.asking, fetched, ended=ended)
    # At most one: a 429 that says how long needs no other measure.
    rest = next((ended + wait.length for wait in found if wait.reason in _AT_REST), None)
    longest = max(found, key=lambda wait: wait.length)
    return replace(arranged(memory, feed, longest, ended=ended), rests_until=rest)


def soon(memory: FeedState, feed: Feed, reason: DueReason, *, ended: datetime) -> FeedState:
    """With the attempt that ended then done and not held against the feed: due after the floor."""
    wait = Wait(length=least(memory, feed.asking), reason=reason)
    return arranged(memory, feed, wait, ended=ended)


def arranged(memory: FeedState, feed: Feed, wait: Wait, *, ended: datetime) -> FeedState:
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
