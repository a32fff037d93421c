"""The result of an attempt → the waits of the feed and the server, with reasons."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from planet.model import DueReason, GivenUp, Hints, Lifetime
from planet.schedule import constants as c
from planet.schedule.constants import policy_floor
from planet.schedule.rhythm import Wait, predict_next
from planet.text import headers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.model import Feed, FeedState, Fetched, FetchPolicy


class Ladder(NamedTuple):
    """How failures of one cause in a row go on: each wait is twice the one before."""

    first: timedelta | None
    """The first wait; None is the usual wait of the feed."""
    most: timedelta
    reason: DueReason
    given_up: GivenUp | None = None
    """Why the feed is given up in the end; None: asked for ever, if seldom."""
    strikes: int = 1
    """Failures in a row before that."""
    span: timedelta = c.PATIENCE
    """The least time from the first of them to the last."""


_PASSING: Final = Ladder(None, c.BACKOFF_MAX, DueReason.BACKOFF)
_FORBIDDEN: Final = Ladder(
    c.FORBIDDEN, c.LADDER_MAX, DueReason.FORBIDDEN, GivenUp.FORBIDDEN, c.FORBIDDEN_STRIKES
)
_REJECTED: Final = Ladder(c.REJECTED, c.LADDER_MAX, DueReason.REJECTED, GivenUp.REJECTED)
_LADDERS: Final[Mapping[str, Ladder | None]] = {
    # No failure: the server asked us to come later or rests, or our time was up.
    **dict.fromkeys(("host_cooldown", "out_of_time", "retry_later")),
    # It may pass with the next request, as all that is not in this table: R26, R32.
    **dict.fromkeys(("http_408", "http_425"), _PASSING),
    # Without Retry-After, and no less than what the 429s have taught: R25.
    "http_429": Ladder(c.FLOOR, c.THROTTLED_MAX, DueReason.THROTTLED),
    # Whoever insists is banned: R28.
    **dict.fromkeys((f"http_{status}" for status in (401, 402, 403, 407, 451)), _FORBIDDEN),
    "bot_challenge": _FORBIDDEN,
    # Video platforms answer 404 for hours: R29.
    "http_404": _PASSING._replace(given_up=GivenUp.NOT_FOUND, strikes=c.NOT_FOUND_STRIKES),
    # Its publisher said so: R30.
    "http_410": _PASSING._replace(given_up=GivenUp.GONE, span=timedelta(0)),
    # Each try costs its publisher bandwidth: R38.
    "too_large": _REJECTED._replace(given_up=None),
    # Nothing says that its server means it: R7.
    "unexpected_304": Ladder(c.UNEXPECTED_304, c.UNEXPECTED_304, DueReason.BACKOFF),
}
"""By the kind of a `FeedError`; None where nobody failed."""


def find_ladder(kind: str) -> Ladder | None:
    """Return how failures of the kind of a `FeedError` go on; None where nobody failed."""
    # Something is wrong with the request, which a repetition does not mend: R31.
    other = _REJECTED if re.fullmatch(r"http_4\d\d", kind) else _PASSING
    return _LADDERS.get(kind, other)


UNREACHABLE: Final = frozenset({"dns", "connect_timeout", "tls", "refused", "unreachable"})
"""The kinds of error before a request could be sent."""

NETWORK: Final = UNREACHABLE | {"timeout", "truncated"}
"""The kinds of error that our own connection may be to blame for."""

UNASKED: Final = UNREACHABLE | {
    *("bad_redirect", "redirect_loop", "private_address", "retry_later", "host_cooldown")
}
"""The kinds of error of attempts in which no request reached the server that has the feed."""


def schedule_next(state: FeedState, feed: Feed, fetched: Fetched, *, ended: datetime) -> FeedState:
    """Return the state with the attempt closed, and due again after the longest wait (R22)."""
    if state.given_up:
        return replace(state, settled_at=ended, due_at=None, due_reason=DueReason.GIVEN_UP)
    waits = _list_waits(state, feed.policy, fetched, ended)
    # At most one: a 429 that says how long needs no other measure.
    rest = next((ended + wait.length for wait in waits if wait.reason in _AT_REST), None)
    longest = max(waits, key=lambda wait: wait.length)
    return _set_due(state, feed, longest, ended, rests_until=rest)


def retry_at_floor(state: FeedState, feed: Feed, reason: DueReason, fetched: Fetched) -> FeedState:
    """Return the state with the attempt closed, and due again after the floor, failed or not."""
    wait = Wait(min_interval(state, feed.policy), reason)
    return _set_due(state, feed, wait, fetched.ended, state.rests_until)


def min_interval(state: FeedState, policy: FetchPolicy) -> timedelta:
    """Return the least time between two requests for a feed, by its policy and its 429s."""
    return max(policy_floor(policy), state.learned_floor or timedelta(0))


def state_floor(state: FeedState) -> timedelta:
    """Return the least time between two requests for a feed, by its 429s alone."""
    return max(c.FLOOR, state.learned_floor or c.FLOOR)


def correct_clock(state: FeedState, now: datetime) -> FeedState:
    """Date an attempt that is later than `now` as of now: the clock was ahead when it was made.

    Clocks may differ by an hour.
    """
    if state.attempted_at is None or state.attempted_at <= now + c.FLOOR:
        return state
    return replace(
        state,
        attempted_at=now,
        settled_at=now,
        due_at=None if state.given_up else now + state_floor(state),
        due_reason=DueReason.GIVEN_UP if state.given_up else DueReason.FLOOR,
        rests_until=None,
        posts=tuple(post for post in state.posts if post <= now),
        changed_at=state.changed_at and min(state.changed_at, now),
        succeeded_at=state.succeeded_at and min(state.succeeded_at, now),
        failing_since=state.failing_since and min(state.failing_since, now),
    )


def _list_waits(
    state: FeedState, policy: FetchPolicy, fetched: Fetched, ended: datetime
) -> list[Wait]:
    """List every wait after an attempt that `state` has recorded already.

    Of equally long ones the first counts: what the server said, the failure, the floor, the rest.
    """
    kind = fetched.error.kind if fetched.error else None
    requested = retry_after(fetched)
    fresh = state.lifetime
    if fetched.error:  # only the lifetime of the error itself
        fresh = answer_lifetime(fetched) if (fetched.status or 0) >= 400 else None
    usual = [*_list_minimum_waits(state, policy), *_pace_wait(state, policy, ended)]
    longest = max(wait.length for wait in usual)
    has_said_when = kind == "http_429" and requested
    return [
        *_wait_if_set(requested, DueReason.RETRY_AFTER),  # R27
        *_wait_if_set(
            policy_floor(policy) if kind == "host_cooldown" else None, DueReason.HOST
        ),  # R25
        *([] if has_said_when else _failure_wait(state, kind, longest, ended)),  # R25 to R31
        *usual,
        *_wait_if_set(state.learned_floor, DueReason.LEARNED),  # R25
        *([Wait(fresh.length, fresh.said_by)] if fresh else []),  # R11, R14
    ]


def _wait_if_set(length: timedelta | None, reason: DueReason) -> list[Wait]:
    """Return this wait; none where it has no length."""
    return [] if length is None else [Wait(length, reason)]


def _list_minimum_waits(state: FeedState, policy: FetchPolicy) -> list[Wait]:
    """List the waits of a feed without failures that we must not shorten."""
    hints = state.profile.hints if state.profile else Hints()
    is_whole = state.whole_at is not None and not state.validators
    is_ignored = state.identical >= c.IGNORED_AFTER
    return [
        *_wait_if_set(policy_floor(policy), DueReason.FLOOR),  # R23
        *_wait_if_set(policy.whole_interval if is_whole else None, DueReason.UNCONDITIONAL),  # R23
        *_wait_if_set(c.FLOOR_IGNORED if is_ignored else None, DueReason.IGNORED),  # R9
        *_wait_if_set(hints.ttl and min(hints.ttl, c.HINT_MAX), DueReason.TTL),  # R15
        *_wait_if_set(hints.sy and min(hints.sy, c.HINT_MAX), DueReason.SY),  # R16
    ]


_BY_POLICY = frozenset({DueReason.ADAPTIVE, DueReason.PATTERN, DueReason.FLOOR})


def earliest_request(state: FeedState, policy: FetchPolicy) -> datetime | None:
    """Return when a feed may be asked at the earliest: its due time, without its own pace."""
    if state.due_reason not in _BY_POLICY or state.settled_at is None or state.due_at is None:
        return state.due_at
    return min(state.due_at, _end_of_minimum_waits(state, policy, state.settled_at))


def _end_of_minimum_waits(state: FeedState, policy: FetchPolicy, start: datetime) -> datetime:
    """Return when all waits are over that begin at `start` and that we must not shorten."""
    lengths = [wait.length for wait in _list_minimum_waits(state, policy)]
    fresh = state.lifetime.length if state.lifetime else timedelta(0)
    end = start + max(*lengths, fresh, state.learned_floor or timedelta(0))
    return max(end, state.rests_until or end)


def apply_policy(state: FeedState, policy: FetchPolicy) -> FeedState:
    """Return the state due as early as it may be under this policy, its own pace left aside.

    Waits that the server, the feed or a failure asks for stay as they are.
    """
    earliest = earliest_request(state, policy)
    if state.settled_at is None or earliest is None:
        return state
    return replace(state, due_at=max(earliest, state.settled_at + policy_floor(policy)))


def _pace_wait(state: FeedState, policy: FetchPolicy, ended: datetime) -> list[Wait]:
    """Return the wait by the feed's own pace (R20), if it was ever read."""
    if state.succeeded_at is None:
        return []
    news = max([*state.posts[-1:], *filter(None, [state.changed_at])], default=ended)
    limit = policy.max_interval * (c.LONG_QUIET_FACTOR if ended - news >= c.LONG_QUIET else 1)
    wait = predict_next(state.posts, changed_at=state.changed_at, after=ended, limit=limit)
    length = min(wait.length, limit)
    # Its publisher said how often it may be asked, and it posts as often as that.
    return [] if policy.agreed and length <= c.FLOOR else [Wait(length, wait.reason)]


def _failure_wait(
    state: FeedState, kind: str | None, usual: timedelta, ended: datetime
) -> list[Wait]:
    """Return the wait of a feed that fails, if it does; `state` has counted the failure already.

    `kind` is that of the error of this attempt, None if its body could not be read; `usual` is the
    wait without the failure.
    """
    if not state.failures or state.error_kind is None:
        return []
    ladder, learned = find_ladder(kind or state.error_kind), state.learned_floor or timedelta(0)
    if ladder is None:
        return []
    if ladder.given_up is GivenUp.NOT_FOUND and state.succeeded_at is None:
        return [Wait(c.NOT_FOUND, DueReason.NOT_FOUND)]
    if ladder.first is not None:
        length = double(ladder.first, state.strikes - 1, most=ladder.most)
        if ladder.reason is DueReason.THROTTLED:
            # The learned floor is twice what it was before.
            length = min(max(2 * usual, learned, length), ladder.most)
        return [Wait(length, ladder.reason)]
    is_long = state.failing_since and ended - state.failing_since >= c.BACKOFF_PATIENCE
    most = c.BACKOFF_MAX_LATER if is_long else ladder.most
    start = max(usual, learned, c.FLOOR)
    return [Wait(double(start, state.failures - 1, most=most), ladder.reason)]


def double(start: timedelta, times: int, *, most: timedelta) -> timedelta:
    """Double a time so many times, but to no more than `most`."""
    # Both bounds on the way, so that years of failures overflow nothing.
    return min(min(start, most) * (1 << min(times, 16)), most)


def retry_after(fetched: Fetched) -> timedelta | None:
    """Return the Retry-After of an answer, up to what is plausible (R27); None without one."""
    length = headers.retry_after(fetched.headers, received_at=fetched.ended)
    most = c.RETRY_AFTER_MAX if fetched.error else c.RETRY_AFTER_WELL_MAX
    return None if length is None else min(length, most)


def renew_lifetime(before: Lifetime | None, fetched: Fetched) -> Lifetime | None:
    """Return the lifetime of the stored body after a 200 or 304.

    A 304 without one renews the one from before, which begins again now (RFC 9111 §3.2).
    """
    if not fetched.is_whole and not {"cache-control", "expires"} & fetched.headers.keys():
        return before
    return answer_lifetime(fetched)


def answer_lifetime(fetched: Fetched) -> Lifetime | None:
    """Return how long an answer is fresh from the moment it came (R11); None if it does not say.

    max-age goes before Expires, and `Age` is taken off. More than `LIFETIME_PLAUSIBLE` is taken
    for a mistake.
    """
    length, said_by = headers.max_age(fetched.headers), DueReason.MAX_AGE
    if length is None:
        length = headers.expires(fetched.headers, received_at=fetched.ended)
        said_by = DueReason.EXPIRES
    if length is None:
        return None
    if length > c.LIFETIME_PLAUSIBLE:
        return Lifetime(length=c.LIFETIME_DEFAULT, said_by=said_by)
    left = max(timedelta(0), length - headers.age(fetched.headers))
    return Lifetime(length=left, said_by=said_by)


_AFTER_FAILURE = {ladder.reason for ladder in _LADDERS.values() if ladder} | {DueReason.NOT_FOUND}
_AT_REST = frozenset({DueReason.RETRY_AFTER, DueReason.THROTTLED})


def _set_due(
    state: FeedState, feed: Feed, wait: Wait, ended: datetime, rests_until: datetime | None
) -> FeedState:
    """Return the state due after this wait and some jitter, and not in skipped hours (R17).

    A feed that is a file has no due time: it is read in every run.
    """
    due_at, reason = None, None
    if not feed.is_file:
        length, reason = wait
        # Nothing is added at the floor, or the next run would be missed there.
        most = min(max(length - c.FLOOR, timedelta(0)) * c.JITTER, c.JITTER_MAX)
        if reason in _AFTER_FAILURE:
            most = length * c.JITTER_BACKOFF
        due_at = earliest = ended + length + most * stable_fraction(feed.key, ended, "jitter")
        hints = state.profile.hints if state.profile else Hints()
        if is_skipped(hints, earliest):
            due_at = _next_allowed(earliest, hints, stable_fraction(feed.key, ended, "skip"))
            reason = reason if due_at == earliest else DueReason.SKIP
    return replace(
        state, settled_at=ended, due_at=due_at, due_reason=reason, rests_until=rests_until
    )


def is_skipped(hints: Hints, moment: datetime) -> bool:
    """Tell whether a feed is not to be asked at the hour, or on the day, of a moment."""
    return moment.hour in hints.skip_hours or moment.weekday() in hints.skip_days


def _next_allowed(due_at: datetime, hints: Hints, fraction: float) -> datetime:
    """Return a moment early in the next hour that is not skipped; `due_at` if all hours are."""
    hour = due_at.replace(minute=0, second=0, microsecond=0)
    for later in range(1, 7 * 24):
        start = hour + timedelta(hours=later)
        if not is_skipped(hints, start):
            return start + c.SKIP_SPREAD * fraction
    # All of them are excluded, which nobody means.
    return due_at


_BITS = 53
"""As many as a float below 1 tells apart; with more, the largest numbers would round up to it."""


def stable_fraction(key: str, at: datetime, purpose: str) -> float:
    """Return a number from 0 up to, but not including, 1, spread evenly over feeds and moments.

    It is the same for the same arguments; `purpose` tells several of one feed and moment apart.
    """
    seed = f"{purpose}\n{at.timestamp()}\n{key}"
    drawn = int.from_bytes(blake2b(seed.encode(), digest_size=8).digest(), "big")
    return (drawn >> (64 - _BITS)) / (1 << _BITS)
