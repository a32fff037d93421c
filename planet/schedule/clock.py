"""A clock that was wrong → feed states that are right by the clock of now."""

from __future__ import annotations

from statistics import median_low
from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.model import ClockMark, DueReason
from planet.schedule import constants as c
from planet.schedule.waits import state_floor

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta

    from planet.model import FeedState


def is_from_future(state: FeedState, now: datetime) -> bool:
    """Tell whether the last attempt is dated later than `now`, by more than clocks may differ."""
    return state.attempted_at is not None and state.attempted_at > now + c.FLOOR


def estimate_now(
    now: datetime, last: datetime | None, server_times: Sequence[datetime]
) -> datetime:
    """Return the present for what must not happen too soon: `now`, or earlier in case of doubt.

    `last` is what the last run took for the present, `server_times` are the `Date` headers of this
    one. Without any of these, the clock may be ahead of the last run by `CLOCK_LEAP` at most.
    """
    if server_times:
        return min(now, median_low(server_times))
    return now if last is None else min(now, last + c.CLOCK_LEAP)


def correct_clock(state: FeedState, now: datetime) -> FeedState:
    """Date an attempt that is later than `now` as of now: the clock was ahead when it was made."""
    if not is_from_future(state, now):
        return state
    return replace(
        state,
        attempted_at=now,
        settled_at=now,
        due_at=None if state.given_up else now + state_floor(state),
        due_reason=DueReason.GIVEN_UP if state.given_up else DueReason.FLOOR,
        rests_until=None,
        clock_mark=_make_clock_mark(state),
        posts=tuple(post for post in state.posts if post <= now),
        changed_at=state.changed_at and min(state.changed_at, now),
        succeeded_at=state.succeeded_at and min(state.succeeded_at, now),
        failing_since=state.failing_since and min(state.failing_since, now),
    )


def _make_clock_mark(state: FeedState) -> ClockMark | None:
    """Return the last attempt as it was dated, or the earlier one of which there is a mark."""
    at = state.attempted_at
    if at is None or (state.clock_mark and state.clock_mark.attempted_at <= at):
        return state.clock_mark
    due_at = at + state_floor(state) if state.interrupted or state.due_at is None else state.due_at
    return ClockMark(attempted_at=at, due_at=due_at, rests_until=state.rests_until)


def mark_clock_setback(state: FeedState, by: timedelta) -> FeedState:
    """Mark a feed just asked with the time of asking by the clock before it was set back.

    It was set back `by` so much. When it is set forward again, the waits in the mark hold.
    """
    mark = _make_clock_mark(replace(state, clock_mark=None))
    if mark is None:
        return state
    moments = (mark.due_at, mark.rests_until)
    due_at, rests_until = (moment and moment + by for moment in moments)
    later = ClockMark(attempted_at=mark.attempted_at + by, due_at=due_at, rests_until=rests_until)
    return replace(state, clock_mark=later)
