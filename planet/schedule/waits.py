"""Every wait of a feed, with reason and number: the longest wait counts (R22).

The tables are `LADDERS`, for failing feeds, and `list_waits`, with a row for each rule. The numbers
come first, each with its source; a number without one is our own judgement. The config can make
every wait longer, and none shorter than the floor, save for a feed whose publisher agreed.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from planet.model import DueReason, GivenUp
from planet.schedule.rhythm import Wait, predict_next
from planet.text import headers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.model import Feed, FeedState, Fetched, FetchPolicy


# How often a feed is asked

FLOOR: Final = timedelta(hours=1)
"""The least time from the end of a request for a feed to the next one. Feed publishers ask for at
most one conditional request an hour, and one whole answer a day (`FetchPolicy.whole_interval`)."""

FLOOR_IGNORED: Final = timedelta(hours=6)
"""The floor of a feed whose server ignores validators: between the hour of conditional requests
and the day of unconditional ones."""

IGNORED_AFTER: Final = 3
"""So many conditional requests in a row with the same body show that validators are ignored."""

ETAG_BROKEN: Final = timedelta(days=30)
"""How long Last-Modified is sent alone where that helped. Apache's mod_deflate 2.4 changes the
ETag of its answers and then never matches it, and If-None-Match goes before If-Modified-Since
(RFC 9110 §13.1.3)."""

AUDIT: Final = timedelta(days=28)
"""After only 304s for so long, one request is sent without validators: some servers say 304 for
ever. NetNewsWire does it after 8 days, Tiny Tiny RSS after 12 hours; publishers want it as seldom
as possible."""

AUDIT_GAPS: Final = 8
"""The same in gaps between posts (their median), where that is longer."""

WHOLE_AGAIN: Final = timedelta(days=1)
"""The least time between two requests without validators, where the operator asks again for a feed
whose body could not be read."""

LONG_QUIET: Final = timedelta(days=180)
"""A feed without news for so long may wait `LONG_QUIET_FACTOR` times its longest interval."""

LONG_QUIET_FACTOR: Final = 3

RECENT_POSTS: Final = 20
"""Moments of posts that are remembered of a feed."""

FORCE_GAP: Final = timedelta(seconds=60)
"""No feed is asked twice within this time, not even with `--force` (CommaFeed)."""

# What publishers say

LIFETIME_PLAUSIBLE: Final = timedelta(days=7)
"""The longest max-age or Expires that is honoured, as in lion-reader. NetNewsWire met 1 year and
16 by mistake; a reader was banned for ignoring 2 days."""

HINT_MAX: Final = timedelta(hours=24)
"""The longest wait by RSS ttl and the syndication module. Miniflux: longer ones are mostly seconds
that should be minutes. Also the longest by Retry-After on a 200 or 304, and the wait by a lifetime
beyond `LIFETIME_PLAUSIBLE`."""

RETRY_AFTER_MAX: Final = timedelta(days=30)
"""The longest Retry-After that is honoured; the library reader has 31 days."""

RESOLVED_FOR: Final = timedelta(days=28)
"""How long the address of an account is kept. To resolve it costs about three requests, and tells
where the account has moved. Our own judgement."""

FEW_LISTED: Final = 7
"""A feed that waits for a release is asked again before so many entries can have come: WordPress
lists ten, and an entry that is not listed any more is lost. Our own judgement."""

RELEASE_LEAD: Final = timedelta(minutes=84)
"""How long before a release its feeds are due: the last run before it falls into that time where a
run begins every 72 minutes, as `planet init` writes it, and up to 12 minutes late."""

SKIP_PATIENCE: Final = timedelta(days=7)
"""A feed that has been due for so long is asked in skipped hours, too: a daily run at such an hour
would never read it. Our own judgement."""

# Chance

JITTER: Final = 0.10
"""At most this share of what a wait exceeds the floor by is added, so that feeds asked together
drift apart (lion-reader: of the whole wait). Nothing is taken off: for publishers 3585 seconds are
too early. At the floor nothing is added: planets run at minutes of their own."""

JITTER_MAX: Final = timedelta(minutes=30)

JITTER_BACKOFF: Final = 0.25
"""At most this share of a wait after a failure is added."""

# After failures

BACKOFF_MAX: Final = timedelta(hours=24)
"""The longest wait of a feed that fails, up to `PATIENCE`, and after a 429 that does not say how
long. Each 429 also doubles the floor of a feed up to here: publishers want a reader that slows
down."""

LADDER_MAX: Final = timedelta(days=7)
"""The longest wait of a feed that has failed for longer than that, and of one that is refused
(lion-reader)."""

LONG: Final = timedelta(hours=24)
"""The first wait where a repetition does not help: after a 4xx without a rule of its own, after an
answer that is too large, which costs the publisher bandwidth each time, after a 304 to a request
without validators, and after a 404 from an address at which there never was a feed."""

FORBIDDEN: Final = timedelta(hours=4)
"""The first wait after 401, 403 and their like (Unread Cloud)."""

LEARNED_FOR: Final = timedelta(days=14)
"""After so long without a 429 the learned floor is halved."""

PATIENCE: Final = timedelta(days=14)
"""The least time of failures until a feed is given up, except for a 410. Bloglines waited as long;
outages in which video platforms answer 404 last hours."""

NOT_FOUND_STRIKES: Final = 8
"""404s in a row before a feed is given up. Publishers: a few more times, then stop."""

FORBIDDEN_STRIKES: Final = 5
"""Refusals in a row before a feed is given up; whoever insists is banned."""

# Redirects

ADOPT_TIMES: Final = 3
"""So many successful polls in a row with the same permanent redirect until its target is adopted.
NewsBlur has 10; Feedbin and lion-reader have 6 and 7 days, Bloglines had 14."""

ADOPT_SPAN: Final = timedelta(hours=24)
"""The least time from the first to the last of these."""

# Servers

GAP_MAX: Final = timedelta(seconds=120)
"""Up to here each 429 doubles the gap between two requests to a server."""

GAP_THROTTLED: Final = timedelta(seconds=1)
"""The gap that is doubled where the operator has set a shorter one."""

GAPS: Final = {"reddit.com": timedelta(seconds=65)}
"""The least gap of some servers and their subdomains: Reddit allows about one request a minute,
as NetNewsWire and FreshRSS found."""

THROTTLES_MAX: Final = 7
"""How many throttles count; by then every gap has reached `GAP_MAX`."""

OVERLOAD: Final = timedelta(minutes=10)
"""Two feeds of a server with 503 within this time make the whole server rest. One does not:
FreshRSS found that one bad path must not silence a host."""

# The machine here

OUTAGE_FEEDS: Final = 10
OUTAGE_HOSTS: Final = 5
"""When so many feeds on so many servers were asked and none could be reached, our own connection is
down, and no failure counts (as in NetNewsWire)."""

CLOCK_LEAP: Final = timedelta(days=30)
"""How far the clock may leap from one run to the next and still decide what is old enough to be
deleted. Our own judgement."""

OLDEST_NOW: Final = datetime(2025, 1, 1, tzinfo=UTC)
"""A clock that says an earlier moment is wrong: this program is younger."""


class Ladder(NamedTuple):
    """The waits of a feed after failures in a row: each is twice the one before."""

    reason: DueReason
    first: timedelta | None = None
    """The first wait; None is the usual wait of the feed."""
    most: timedelta = BACKOFF_MAX
    given_up: GivenUp | None = None
    """Why the feed is given up in the end; None: asked for ever, if seldom."""
    strikes: int = 1
    """Failures in a row before the feed is given up."""
    span: timedelta = PATIENCE
    """The least time from the first of these failures to the last."""


_PASSING: Final = Ladder(DueReason.BACKOFF)
_FORBIDDEN: Final = Ladder(
    DueReason.FORBIDDEN, FORBIDDEN, LADDER_MAX, GivenUp.FORBIDDEN, FORBIDDEN_STRIKES
)
_REJECTED: Final = Ladder(DueReason.REJECTED, LONG, LADDER_MAX, GivenUp.REJECTED)

LADDERS: Final[Mapping[str, Ladder | None]] = {
    # No failure: the server asked us to come later or rests, our time was up, or our proxy failed.
    **dict.fromkeys(("host_cooldown", "out_of_time", "proxy", "retry_later")),
    # R26, R32: it may pass with the next request, as all that is not in this table.
    **dict.fromkeys(("http_408", "http_425"), _PASSING),
    # R25: without Retry-After, and no less than the 429s have taught.
    "http_429": Ladder(DueReason.THROTTLED, FLOOR),
    # R28: whoever insists is banned.
    **dict.fromkeys((f"http_{status}" for status in (401, 402, 403, 407, 451)), _FORBIDDEN),
    "bot_challenge": _FORBIDDEN,
    # R29: video platforms answer 404 for hours.
    "http_404": _PASSING._replace(given_up=GivenUp.NOT_FOUND, strikes=NOT_FOUND_STRIKES),
    # R30: the publisher said so.
    "http_410": _PASSING._replace(given_up=GivenUp.GONE, span=timedelta(0)),
    # R38: each try costs the publisher bandwidth.
    "too_large": _REJECTED._replace(given_up=None),
    # R7: nothing says that the server means it.
    "unexpected_304": Ladder(DueReason.BACKOFF, LONG, LONG),
}
"""By the kind of a `FeedError`; None where nobody failed."""


def find_ladder(kind: str) -> Ladder | None:
    """Return the ladder for the kind of a `FeedError`; None where nobody failed."""
    # R31: something is wrong with the request, and a repetition does not mend that.
    other = _REJECTED if re.fullmatch(r"http_4\d\d", kind) else _PASSING
    return LADDERS.get(kind, other)


NETWORK: Final = frozenset({"dns", "proxy", "unreachable", "tls", "timeout", "truncated"})
"""The kinds of error that our own connection may be to blame for."""


_Row: TypeAlias = tuple[timedelta | None, DueReason]
_NO_WAIT: Final[_Row] = None, DueReason.FLOOR


def list_waits(state: FeedState, policy: FetchPolicy, fetched: Fetched) -> list[Wait]:
    """List the waits after an attempt, which `state` has recorded already.

    Of equally long ones the first counts.
    """
    kind, ended = fetched.error.kind if fetched.error else None, fetched.ended
    told, fresh = retry_after(fetched), state.fresh_for
    if fetched.error:  # only the lifetime of the error itself
        fresh = answer_lifetime(fetched) if (fetched.status or 0) >= 400 else None
    is_whole = state.whole_at is not None and not state.validators
    is_ignored = state.identical >= IGNORED_AFTER
    usual = [
        # R23: the operator's least time, an hour at least.
        (policy_floor(policy), DueReason.FLOOR),
        # R23: without ETag and Last-Modified every answer is a whole one.
        (policy.whole_interval if is_whole else None, DueReason.UNCONDITIONAL),
        # R9: so it is where these have no effect.
        (FLOOR_IGNORED if is_ignored else None, DueReason.IGNORED),
        # R15, R16: the feed says how often it changes.
        (state.hints.ttl and min(state.hints.ttl, HINT_MAX), DueReason.TTL),
        (state.hints.sy and min(state.hints.sy, HINT_MAX), DueReason.SY),
        # R20: its own pace.
        _wait_for_news(state, policy, ended),
    ]
    longest = max(length for length, _ in usual if length is not None)
    says_when = kind == "http_429" and told is not None
    rows = [
        # R27: the server says when.
        (told, DueReason.RETRY_AFTER),
        # R25: the server rests, because of another of its feeds.
        (policy_floor(policy) if kind == "host_cooldown" else None, DueReason.HOST),
        # R25 to R32: `LADDERS`. A 429 that says when needs no other measure.
        _NO_WAIT if says_when else _back_off(state, kind, longest, ended),
        *usual,
        # R25: each 429 doubles the least time, two weeks without one halve it.
        (state.learned_floor, DueReason.LEARNED),
        # R11, R13, R14: RFC 9111 §4.2.1.
        (fresh, DueReason.MAX_AGE),
    ]
    return [Wait(length, reason) for length, reason in rows if length is not None]


def _wait_for_news(state: FeedState, policy: FetchPolicy, ended: datetime) -> _Row:
    """Return the wait by the feed's own pace (R20), if the feed was ever read."""
    if state.succeeded_at is None:
        return _NO_WAIT
    news = max(filter(None, (*state.posts[-1:], state.changed_at)), default=None)
    is_quiet = news is not None and ended - news >= LONG_QUIET
    limit = policy.max_interval * (LONG_QUIET_FACTOR if is_quiet else 1)
    wait = predict_next(state.posts, news=news, after=ended, least=FLOOR, limit=limit)
    # The publisher said how often the feed may be asked, and it posts as often as that.
    return _NO_WAIT if policy.agreed and wait.length <= FLOOR else wait


def _back_off(state: FeedState, kind: str | None, usual: timedelta, ended: datetime) -> _Row:
    """Return the wait of a failing feed; `state` has counted the failure already.

    `kind` is the kind of this attempt's error, None for an unreadable body; `usual` is the wait
    without the failure.
    """
    ladder = find_ladder(kind or state.error_kind or "") if state.failures else None
    if ladder is None:
        return _NO_WAIT
    if ladder.given_up is GivenUp.NOT_FOUND and state.succeeded_at is None:
        return LONG, DueReason.NOT_FOUND
    least = state.learned_floor or FLOOR
    if ladder.first is None:
        is_long = state.failing_since and ended - state.failing_since >= PATIENCE
        most = LADDER_MAX if is_long else ladder.most
        return double(max(usual, least), state.failures - 1, most=most), ladder.reason
    length = double(ladder.first, state.strikes - 1, most=ladder.most)
    if ladder.reason is DueReason.THROTTLED:
        # The learned floor is twice what it was before.
        length = max(length, min(max(2 * usual, least), ladder.most))
    return length, ladder.reason


def double(start: timedelta, times: int, *, most: timedelta) -> timedelta:
    """Double a time so many times, but to no more than `most`."""
    # Both bounds on the way, so that years of failures overflow nothing.
    return min(min(start, most) * (1 << min(times, 16)), most)


# The numbers of a feed and of an answer


def policy_floor(policy: FetchPolicy) -> timedelta:
    """Return the least time between two requests for a feed, by its policy alone."""
    return policy.min_interval if policy.agreed else max(policy.min_interval, FLOOR)


def min_interval(state: FeedState, policy: FetchPolicy | None = None) -> timedelta:
    """Return the least time between two requests for a feed, by its policy and its 429s."""
    return max(policy_floor(policy) if policy else FLOOR, state.learned_floor or timedelta(0))


def retry_after(fetched: Fetched) -> timedelta | None:
    """Return the Retry-After of an answer, up to the plausible maximum (R27); None without one."""
    length = headers.retry_after(fetched.headers, received_at=fetched.ended)
    most = RETRY_AFTER_MAX if fetched.error else HINT_MAX
    return None if length is None else min(length, most)


def answer_lifetime(fetched: Fetched) -> timedelta | None:
    """Return how long an answer is fresh from its arrival (R11); None without such a header.

    max-age goes before Expires, and `Age` is taken off. More than `LIFETIME_PLAUSIBLE` is taken
    for a mistake.
    """
    length = headers.max_age(fetched.headers)
    if length is None:
        length = headers.expires(fetched.headers, received_at=fetched.ended)
    if length is None:
        return None
    left = max(timedelta(0), length - headers.age(fetched.headers))
    return HINT_MAX if length > LIFETIME_PLAUSIBLE else left


# From the longest wait to the next request


def schedule_next(state: FeedState, feed: Feed, fetched: Fetched) -> FeedState:
    """Return the state with the attempt closed, and due again after the longest wait (R22)."""
    ended = fetched.ended
    if state.given_up:
        return replace(state, settled_at=ended, due_at=None, due_reason=DueReason.GIVEN_UP)
    waits = list_waits(state, feed.policy, fetched)
    # At most one: a 429 that says how long needs no other measure.
    rest = next((ended + wait.length for wait in waits if wait.reason in _AT_REST), None)
    allowed = max((wait.length for wait in waits if wait.reason not in _OWN), default=timedelta(0))
    state = replace(state, rests_until=rest, allowed_at=ended + allowed)
    return set_due(state, feed, max(waits, key=lambda wait: wait.length), ended)


_AT_REST = frozenset({DueReason.RETRY_AFTER, DueReason.THROTTLED})
_OWN = frozenset({DueReason.FLOOR, DueReason.ADAPTIVE, DueReason.PATTERN})
"""By the operator's settings, and by the pace of the feed."""
_AFTER_FAILURE = {ladder.reason for ladder in LADDERS.values() if ladder} | {DueReason.NOT_FOUND}


def set_due(state: FeedState, feed: Feed, wait: Wait, ended: datetime) -> FeedState:
    """Return the state with the attempt closed, and due after a wait and some jitter.

    A file has no due time, for every run reads it.
    """
    if feed.is_file:
        return replace(state, settled_at=ended, due_at=None, due_reason=None)
    length, reason = wait
    # Nothing is added at the floor, or the next run would be missed there.
    most = min(max(length - FLOOR, timedelta(0)) * JITTER, JITTER_MAX)
    if reason in _AFTER_FAILURE:
        most = length * JITTER_BACKOFF
    due_at = ended + length + most * stable_fraction(feed.key, ended)
    return replace(state, settled_at=ended, due_at=due_at, due_reason=reason)


def earliest_request(state: FeedState, policy: FetchPolicy) -> datetime | None:
    """Return when a feed may be asked at the earliest: its due time, without its own pace."""
    if state.settled_at is None or state.due_at is None:
        return state.due_at
    return max(state.allowed_at or state.due_at, state.settled_at + policy_floor(policy))


def stable_fraction(key: str, at: datetime) -> float:
    """Return a number from 0 up to, but not including, 1, spread evenly over feeds and moments.

    The number is the same for the same arguments.
    """
    drawn = int.from_bytes(blake2b(f"{at.timestamp()}\n{key}".encode(), digest_size=8).digest())
    # 53 bits are as many as a float tells apart; more of them could be rounded up to 1.
    return (drawn >> 11) / (1 << 53)
