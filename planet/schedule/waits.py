"""What an attempt brought → how long the feed waits, and its server, and why."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum, auto
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

from planet.model import DueReason, GivenUp, Hints, HostState, Lifetime
from planet.schedule import constants as c
from planet.schedule.constants import policy_floor
from planet.schedule.rhythm import predict_next
from planet.text import address, headers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planet.model import Feed, FeedState, Fetched, FetchPolicy


class Cause(Enum):
    """What kind of trouble a failure is: it decides when to try again, and when to stop."""

    PASSING = auto()
    """5xx, 408, 425, a server that cannot be reached, a body that is no feed: it may pass."""
    DEFERRED = auto()
    """Nobody failed: the server asked us to come later, or is left alone for now, or we had no more
    time to ask, or to read what came."""
    THROTTLED = auto()
    FORBIDDEN = auto()
    NOT_FOUND = auto()
    GONE = auto()
    REJECTED = auto()
    TOO_LARGE = auto()
    UNEXPECTED_304 = auto()


class Limit(NamedTuple):
    """How much trouble of one kind it takes until a feed is given up: both at least."""

    strikes: int
    span: timedelta
    """From the first strike to the last."""
    given_up: GivenUp


LIMITS: Final[Mapping[Cause, Limit]] = {
    Cause.GONE: Limit(1, timedelta(0), GivenUp.GONE),
    Cause.NOT_FOUND: Limit(c.NOT_FOUND_STRIKES, c.PATIENCE, GivenUp.NOT_FOUND),
    Cause.FORBIDDEN: Limit(c.FORBIDDEN_STRIKES, c.PATIENCE, GivenUp.FORBIDDEN),
    Cause.REJECTED: Limit(1, c.PATIENCE, GivenUp.REJECTED),
}
"""A feed with any other trouble is asked for ever, if seldom."""

UNREACHABLE: Final = frozenset({"dns", "connect_timeout", "tls", "refused", "unreachable"})
"""The kinds of error before anything could be asked."""

NETWORK: Final = UNREACHABLE | {"timeout", "truncated"}
"""The kinds of error that our own connection may be to blame for."""

UNASKED: Final = UNREACHABLE | {
    *("bad_redirect", "redirect_loop", "private_address", "retry_later", "host_cooldown")
}
"""The kinds of error of attempts that never got to ask the server that has the feed."""

_CAUSES: Final = {
    "http_404": Cause.NOT_FOUND,
    "http_408": Cause.PASSING,
    "http_410": Cause.GONE,
    "http_425": Cause.PASSING,
    "http_429": Cause.THROTTLED,
    "bot_challenge": Cause.FORBIDDEN,
    "host_cooldown": Cause.DEFERRED,
    "out_of_time": Cause.DEFERRED,
    "retry_later": Cause.DEFERRED,
    "too_slow": Cause.DEFERRED,
    "too_large": Cause.TOO_LARGE,
    "unexpected_304": Cause.UNEXPECTED_304,
    **{f"http_{status}": Cause.FORBIDDEN for status in (401, 402, 403, 407, 451)},
}
_REJECTION: Final = re.compile(r"http_4\d\d")


def classify_error(kind: str) -> Cause:
    """The cause behind the kind of a `FeedError`."""
    if kind in _CAUSES:
        return _CAUSES[kind]
    return Cause.REJECTED if _REJECTION.fullmatch(kind) else Cause.PASSING


Wait = tuple[timedelta, DueReason]
"""A time from the end of an attempt, and why the feed is not asked before it is over."""


def schedule_next(state: FeedState, feed: Feed, fetched: Fetched, *, ended: datetime) -> FeedState:
    """With the attempt that ended then done, and the next one set: the longest wait counts."""
    if state.given_up:
        return replace(state, settled_at=ended, due_at=None, due_reason=DueReason.GIVEN_UP)
    waits = _list_waits(state, feed.policy, fetched, ended)
    # At most one: a 429 that says how long needs no other measure.
    rest = next((ended + length for length, reason in waits if reason in _AT_REST), None)
    longest = max(waits, key=lambda wait: wait[0])
    return _set_due(state, feed, longest, ended, rests_until=rest)


def retry_at_floor(state: FeedState, feed: Feed, reason: DueReason, fetched: Fetched) -> FeedState:
    """With the attempt done and not held against the feed: due after the floor."""
    wait = min_interval(state, feed.policy), reason
    return _set_due(state, feed, wait, fetched.ended, state.rests_until)


def min_interval(state: FeedState, policy: FetchPolicy) -> timedelta:
    """The least time between two requests, whatever came of the first."""
    return max(policy_floor(policy), state.learned_floor or timedelta(0))


def _list_waits(
    state: FeedState, policy: FetchPolicy, fetched: Fetched, ended: datetime
) -> list[Wait]:
    """Every wait after an attempt of which `state` knows the outcome already.

    Of equal ones the first counts: what the server said, what went wrong, the floor, the rest.
    """
    kind = fetched.error.kind if fetched.error else None
    asked_for = retry_after(fetched)
    fresh = state.lifetime
    if fetched.error:  # then only what the error itself says of it
        fresh = answer_lifetime(fetched) if (fetched.status or 0) >= 400 else None

    in_good_order = [*_list_minimum_waits(state, policy), _rhythm_wait(state, policy, ended)]
    normal = max(length for length, _ in in_good_order if length is not None)
    waits = [
        (asked_for, DueReason.RETRY_AFTER),
        (policy_floor(policy) if kind == "host_cooldown" else None, DueReason.HOST),
        _failure_wait(state, kind, asked_for, normal, ended),
        *in_good_order,
        (state.learned_floor, DueReason.LEARNED),
        *([(fresh.length, fresh.said_by)] if fresh else []),
        (c.MERGED_AGAIN if state.merged_into else None, DueReason.MERGED),
    ]
    return [(length, reason) for length, reason in waits if length is not None]


def _list_minimum_waits(
    state: FeedState, policy: FetchPolicy
) -> list[tuple[timedelta | None, DueReason]]:
    """The waits of a feed in good order that are not ours to shorten."""
    hints = state.profile.hints if state.profile else Hints()
    is_whole = state.whole_at is not None and not state.validators
    return [
        (policy_floor(policy), DueReason.FLOOR),
        (policy.whole_interval if is_whole else None, DueReason.UNCONDITIONAL),
        (c.FLOOR_IGNORED if state.identical >= c.IGNORED_AFTER else None, DueReason.IGNORED),
        (hints.ttl and min(hints.ttl, c.HINT_MAX), DueReason.TTL),
        (hints.sy and min(hints.sy, c.HINT_MAX), DueReason.SY),
    ]


def earliest_request(state: FeedState, policy: FetchPolicy) -> datetime | None:
    """Return when a feed may be asked at the earliest: its due time, without its own pace."""
    if state.due_reason not in _BY_PACE or state.settled_at is None or state.due_at is None:
        return state.due_at
    lengths = [length for length, _ in _list_minimum_waits(state, policy) if length is not None]
    fresh = state.lifetime.length if state.lifetime else timedelta(0)
    length = max(*lengths, fresh, state.learned_floor or timedelta(0))
    earliest = min(state.due_at, state.settled_at + length)
    return max(earliest, state.rests_until or earliest)


def apply_policy(state: FeedState, policy: FetchPolicy) -> FeedState:
    """Return the state with the due time that its last attempt would have set under this policy.

    What the server, the feed or a failure asks for holds as it is.
    """
    if state.settled_at is None or state.due_at is None:
        return state
    at = state.due_at
    if not state.failures and state.due_reason in _BY_POLICY:
        lengths = [length for length, _ in _list_minimum_waits(state, policy) if length is not None]
        fresh = state.lifetime.length if state.lifetime else timedelta(0)
        at = state.settled_at + max(*lengths, fresh, state.learned_floor or timedelta(0))
        at = max(at, state.rests_until or at)
    return replace(state, due_at=max(at, state.settled_at + policy_floor(policy)))


_BY_PACE = frozenset({DueReason.ADAPTIVE, DueReason.PATTERN})
_BY_POLICY = _BY_PACE | {DueReason.FLOOR}


def _rhythm_wait(
    state: FeedState, policy: FetchPolicy, ended: datetime
) -> tuple[timedelta | None, DueReason]:
    """The wait by the feed's own pace; none while there never was one."""
    if state.succeeded_at is None:
        return None, DueReason.ADAPTIVE
    news = [*state.posts[-1:], *filter(None, [state.changed_at])]
    is_long_quiet = bool(news) and ended - max(news) >= c.LONG_QUIET
    limit = policy.max_interval * (c.LONG_QUIET_FACTOR if is_long_quiet else 1)
    if state.turnover is not None:
        limit = min(limit, state.turnover / 2)
    moment, reason = predict_next(
        state.posts,
        changed_at=state.changed_at,
        after=ended,
        limit=limit,
        is_irregular=state.is_irregular,
    )
    length = min(moment - ended, limit)
    # One that posts as often as anyone may ask, and whose publisher said how often that is.
    return (None if policy.agreed and length <= c.FLOOR else length), reason


def _failure_wait(
    state: FeedState,
    kind: str | None,
    asked_for: timedelta | None,
    normal: timedelta,
    ended: datetime,
) -> tuple[timedelta | None, DueReason]:
    """The wait of a feed that fails; none while it does not.

    `kind` is that of the error of this attempt: a body that could not be read has none of its own.
    `state` has counted the failure already, and learned from it; `normal` is how long the feed
    would wait in good order, without what it learned.
    """
    if not state.failures or state.error_kind is None:
        return None, DueReason.BACKOFF
    why, learned = classify_error(kind or state.error_kind), state.learned_floor or timedelta(0)
    if why is Cause.DEFERRED or (why is Cause.THROTTLED and asked_for):
        return None, DueReason.BACKOFF
    if why is Cause.THROTTLED:
        # What was learned is twice what it was before.
        ladder = double(c.FLOOR, state.strikes - 1, most=c.THROTTLED_MAX)
        return min(max(2 * normal, learned, ladder), c.THROTTLED_MAX), DueReason.THROTTLED
    if why is Cause.FORBIDDEN:
        return double(c.FORBIDDEN, state.strikes - 1, most=c.LADDER_MAX), DueReason.FORBIDDEN
    if why in (Cause.REJECTED, Cause.TOO_LARGE):
        return double(c.REJECTED, state.strikes - 1, most=c.LADDER_MAX), DueReason.REJECTED
    if why is Cause.NOT_FOUND and state.succeeded_at is None:
        return c.NOT_FOUND, DueReason.NOT_FOUND
    if why is Cause.UNEXPECTED_304:
        return c.UNEXPECTED_304, DueReason.BACKOFF
    is_long = state.failing_since and ended - state.failing_since >= c.BACKOFF_PATIENCE
    most = c.BACKOFF_MAX_LATER if is_long else c.BACKOFF_MAX
    start = max(normal, learned, c.FLOOR)
    return double(start, state.failures - 1, most=most), DueReason.BACKOFF


def double(start: timedelta, times: int, *, most: timedelta) -> timedelta:
    """`start`, doubled so many times, but no more than `most`."""
    # Both bounds on the way, so that years of failures overflow nothing.
    return min(min(start, most) * (1 << min(times, 16)), most)


def retry_after(fetched: Fetched) -> timedelta | None:
    """How long the server asks to be left alone, up to what is plausible; None if it does not."""
    length = headers.retry_after(fetched.headers, received=fetched.ended)
    most = c.RETRY_AFTER_MAX if fetched.error else c.RETRY_AFTER_WELL_MAX
    return None if length is None else min(length, most)


def renew_lifetime(before: Lifetime | None, fetched: Fetched) -> Lifetime | None:
    """The lifetime of what is stored, after an answer that was no error.

    A 304 that says nothing of it leaves it as it was, to be counted from now (RFC 9111 §3.2).
    """
    if not fetched.is_whole and not {"cache-control", "expires"} & fetched.headers.keys():
        return before
    return answer_lifetime(fetched)


def answer_lifetime(fetched: Fetched) -> Lifetime | None:
    """How long this answer is good for from the moment it came; None if it does not say.

    max-age goes before Expires, and the time it lay in caches is taken off. Nobody means more than
    `LIFETIME_PLAUSIBLE`.
    """
    length, said_by = headers.max_age(fetched.headers), DueReason.MAX_AGE
    if length is None:
        length = headers.expires(fetched.headers, received=fetched.ended)
        said_by = DueReason.EXPIRES
    if length is None:
        return None
    if length > c.LIFETIME_PLAUSIBLE:
        return Lifetime(length=c.LIFETIME_DEFAULT, said_by=said_by, implausible=True)
    left = max(timedelta(0), length - headers.age(fetched.headers))
    return Lifetime(length=left, said_by=said_by)


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


def _set_due(
    state: FeedState, feed: Feed, wait: Wait, ended: datetime, rests_until: datetime | None
) -> FeedState:
    """With the next attempt after this wait, a little more by chance, and not in skipped hours.

    A feed that is a file has no next time: it is read in every run.
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
    """Whether a feed is not to be asked at the hour, or on the day, of a moment."""
    return moment.hour in hints.skip_hours or moment.weekday() in hints.skip_days


def _next_allowed(due_at: datetime, hints: Hints, drawn: float) -> datetime:
    """A moment early in the next hour that the publisher does not exclude."""
    hour = due_at.replace(minute=0, second=0, microsecond=0)
    for later in range(1, 7 * 24):
        start = hour + timedelta(hours=later)
        if not is_skipped(hints, start):
            return start + c.SKIP_SPREAD * drawn
    # All of them are excluded, which nobody means.
    return due_at


_BITS = 53
"""As many as a float below 1 tells apart; with more, the largest numbers would round up to it."""


def stable_fraction(key: str, at: datetime, purpose: str) -> float:
    """A number from 0 up to, but not including, 1, spread evenly over feeds and moments.

    `purpose` tells apart what one feed draws at one moment.
    """
    seed = f"{purpose}\n{at.timestamp()}\n{key}"
    drawn = int.from_bytes(blake2b(seed.encode(), digest_size=8).digest(), "big")
    return (drawn >> (64 - _BITS)) / (1 << _BITS)


# Servers


def is_resting(state: HostState | None, *, now: datetime) -> bool:
    """Whether a server must not be asked for anything now."""
    if state is None or state.rests_until is None or state.rests_until <= now:
        return False
    # A clock that was set back by less than a day may be the one that is wrong.
    return not _is_from_future(state, now + c.CLOCK_WRONG)


def find_host(
    feed: Feed, state: FeedState | None, hosts: Mapping[str, HostState]
) -> HostState | None:
    """What is known of the server that a feed is asked at."""
    return hosts.get(address.server((state.asked_url if state else None) or feed.url))


def request_gap(host: str, state: HostState | None, asked: timedelta) -> timedelta:
    """The least time between two requests to a server.

    It is what the operator set, or what a server of that name needs. Each 429 that still counts
    doubles it.
    """
    least = max([asked, *(c.GAPS[name] for name in c.GAPS if _is_below(host, [name]))])
    if state is None or not state.throttles:
        return least
    return max(least, double(max(least, c.GAP_THROTTLED), state.throttles, most=c.GAP_MAX))


def update_host(before: HostState | None, feed: Feed, fetched: Fetched) -> HostState | None:
    """What is known of the server that answered last, after an attempt; None is nothing.

    A 429 of one feed holds for all of them, and so do two feeds that say 503 within ten minutes.
    """
    host = address.server(fetched.url)
    if not host or fetched.status is None:
        return before
    state = before or HostState(host=host)
    if _is_from_future(state, fetched.ended):
        state = HostState(host=host, throttles=state.throttles, throttled_at=fetched.ended)
    if fetched.status == 429:
        state = _add_throttle(state, fetched.ended)
        wait = retry_after(fetched) or _default_rest(state, feed)
        state = _extend_rest(state, fetched.ended + wait)
    elif fetched.status == 403 and _is_below(host, c.THROTTLES_403):
        state = _add_throttle(state, fetched.ended)
    else:
        state = _remove_throttle(state, fetched.ended)
    if fetched.signature and fetched.error is None:
        state = replace(state, signature=fetched.signature)
    if fetched.status == 503:
        state = _record_overload(state, feed, fetched)
    return None if state == HostState(host=host) and before is None else state


def _add_throttle(state: HostState, at: datetime) -> HostState:
    throttles = min(state.throttles + 1, c.THROTTLES_MAX)
    return replace(state, throttles=throttles, throttled_at=at)


def _remove_throttle(state: HostState, at: datetime) -> HostState:
    """With one throttle less, when the last is long ago: that halves the gap."""
    if not state.throttles or state.throttled_at is None or at - state.throttled_at < c.LEARNED_FOR:
        return state
    return replace(state, throttles=state.throttles - 1, throttled_at=at)


def _default_rest(state: HostState, feed: Feed) -> timedelta:
    """How long a server rests that does not say how long."""
    ladder = double(c.FLOOR, state.throttles - 1, most=c.THROTTLED_MAX)
    return min(max(2 * policy_floor(feed.policy), ladder), c.THROTTLED_MAX)


def _record_overload(state: HostState, feed: Feed, fetched: Fetched) -> HostState:
    """After a 503: the server rests when another feed has just had one, for the larger wait."""
    until = fetched.ended + max(retry_after(fetched) or c.FLOOR, policy_floor(feed.policy), c.FLOOR)
    together = (
        state.overloaded_feed not in (None, feed.key)
        and state.overloaded_at is not None
        and fetched.ended - state.overloaded_at <= c.OVERLOAD
    )
    if together:
        state = _extend_rest(state, until, state.overloaded_until)
    return replace(
        state, overloaded_feed=feed.key, overloaded_at=fetched.ended, overloaded_until=until
    )


def _extend_rest(state: HostState, *until: datetime | None) -> HostState:
    """Resting until the last of these moments; nobody shortens a rest."""
    return replace(state, rests_until=max(filter(None, (state.rests_until, *until))))


def _is_from_future(state: HostState, now: datetime) -> bool:
    """Whether the clock was ahead when this was written; by a little, other clocks may be."""
    marks = (state.throttled_at, state.overloaded_at)
    return any(mark is not None and mark > now + c.FLOOR for mark in marks)


def _is_below(host: str, names: Iterable[str]) -> bool:
    """Whether a `host:port` is one of these names, or below one."""
    name = host.rpartition(":")[0]
    return any(name == parent or name.endswith(f".{parent}") for parent in names)


def is_outage(attempts: Iterable[tuple[Feed, Fetched]]) -> bool:
    """Whether a run has reached nobody, though it tried enough to tell.

    Files and bodies from disk say nothing of that.
    """
    tried = [(feed, fetched) for feed, fetched in attempts if fetched.asked and not feed.is_file]
    feeds = {feed.key for feed, _ in tried}
    hosts = {address.server(feed.url) or address.server(came.url) for feed, came in tried}
    if len(feeds) < c.OUTAGE_FEEDS or len(hosts) < c.OUTAGE_HOSTS:
        return False
    return all(fetched.error and fetched.error.kind in NETWORK for _, fetched in tried)
