"""Why an attempt failed, as far as it decides when to try again and when to stop."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import Enum, auto
from statistics import median_low
from typing import TYPE_CHECKING, Final

from planet.model import DueReason, FeedState, GivenUp, Moved
from planet.schedule.constants import (
    ADOPT_SPAN,
    ADOPT_TIMES,
    CLOCK_LEAP,
    FLOOR,
    FORBIDDEN_STRIKES,
    NOT_FOUND_STRIKES,
    PATIENCE,
)
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.errors import FeedError
    from planet.model import Feed, Fetched


class Cause(Enum):
    """What kind of trouble a failure is."""

    PASSING = auto()
    """5xx, 408, 425, a server that cannot be reached, a body that is no feed: it may pass."""
    DEFERRED = auto()
    """Nobody failed: the server asked us to come later, or is left alone for now, or we had no more
    time for it."""
    THROTTLED = auto()
    FORBIDDEN = auto()
    NOT_FOUND = auto()
    GONE = auto()
    REJECTED = auto()
    TOO_LARGE = auto()
    UNEXPECTED_304 = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How much trouble of one kind it takes until a feed is given up: both at least."""

    strikes: int
    span: timedelta
    """From the first strike to the last."""
    given_up: GivenUp


LIMITS: Final[Mapping[Cause, Limit]] = {
    Cause.GONE: Limit(strikes=1, span=timedelta(0), given_up=GivenUp.GONE),
    Cause.NOT_FOUND: Limit(strikes=NOT_FOUND_STRIKES, span=PATIENCE, given_up=GivenUp.NOT_FOUND),
    Cause.FORBIDDEN: Limit(strikes=FORBIDDEN_STRIKES, span=PATIENCE, given_up=GivenUp.FORBIDDEN),
    Cause.REJECTED: Limit(strikes=1, span=PATIENCE, given_up=GivenUp.REJECTED),
}
"""A feed with any other trouble is asked for ever, if seldom."""

UNREACHABLE: Final = frozenset({"dns", "connect_timeout", "tls", "refused", "unreachable"})
"""The kinds of error before anything could be asked."""

NETWORK: Final = UNREACHABLE | {"timeout", "truncated"}
"""The kinds of error that our own connection may be to blame for."""

_REDIRECTED: Final = frozenset(
    {"bad_redirect", "redirect_loop", "private_address", "retry_later", "host_cooldown"}
)
UNASKED: Final = UNREACHABLE | _REDIRECTED
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
    "too_large": Cause.TOO_LARGE,
    "unexpected_304": Cause.UNEXPECTED_304,
    **{f"http_{status}": Cause.FORBIDDEN for status in (401, 402, 403, 407, 451)},
}
_REJECTION: Final = re.compile(r"http_4\d\d")


def cause(kind: str) -> Cause:
    """The cause behind the kind of a `FeedError`."""
    if kind in _CAUSES:
        return _CAUSES[kind]
    return Cause.REJECTED if _REJECTION.fullmatch(kind) else Cause.PASSING


_GONE = frozenset({"http_404", "http_410"})
_NO_MORE = {True: _GONE | {"not_a_feed", "private_address"}, False: _GONE | {"dns"}}
"""The kinds of error that end the asking at an adopted address, and at one that redirected."""


def followed(moved: Moved | None, feed: Feed, fetched: Fetched) -> Moved | None:
    """Where the feed has moved, after an attempt that brought it.

    The target is adopted once it is proven, or at once when it is the same address over TLS.
    Nothing is adopted that gives TLS up.
    """
    adopted = moved if moved and moved.adopted else None
    asked = adopted.to if adopted else feed.url
    target = fetched.permanent_url
    if target is None or is_same(target, asked) or _is_downgrade(asked, target):
        return adopted
    if moved and is_same(moved.to, target):
        led = replace(moved, times=moved.times + 1)
    else:
        led = Moved(to=target, since=fetched.ended)
    return replace(led, adopted=_is_upgrade(asked, target) or _is_proven(led, fetched.ended))


def must_switch(moved: Moved | None, feed: Feed, fetched: Fetched, error: FeedError | None) -> bool:
    """Whether a failure says to ask at the feed's other address, whichever of the two it is.

    An adopted address that has no feed any more was not meant; an address that redirected, and is
    no more, was meant to be replaced.
    """
    if moved is None or error is None or error.kind not in _NO_MORE[moved.adopted]:
        return False
    # Of the two it must be the one that redirected, not where it led.
    return moved.adopted or is_same(fetched.url, feed.url)


def switched(memory: FeedState) -> FeedState:
    """To be asked at its other address: the adopted one, or again the configured one."""
    if memory.moved is None or memory.moved.adopted:
        return replace(memory, moved=None, answered_url=None)
    return replace(memory, moved=replace(memory.moved, adopted=True))


def renamed(feeds: Iterable[Feed], memories: Mapping[str, FeedState]) -> list[tuple[str, Feed]]:
    """The feeds that are the former ones at a new address, each with its former key.

    So it is when the operator replaced an address by the one it redirects to: the feed of the new
    one is unknown, and the one that led there is no longer in the config.
    """
    wanted = list(feeds)
    configured = {feed.key for feed in wanted}
    left = {
        address.same(memory.moved.to): key
        for key, memory in memories.items()
        if memory.moved and key not in configured
    }
    unknown = [feed for feed in wanted if feed.key not in memories]
    found = [(left.pop(address.same(feed.url), None), feed) for feed in unknown]
    return [(key, feed) for key, feed in found if key is not None]


def is_same(one: str, other: str) -> bool:
    """Whether every server must treat two addresses as equal."""
    return address.same(one) == address.same(other)


def _is_proven(moved: Moved, now: datetime) -> bool:
    return moved.times >= ADOPT_TIMES and now - moved.since >= ADOPT_SPAN


def _is_upgrade(asked: str, target: str) -> bool:
    """Whether the target is the same, but for http made https."""
    plain, secure = address.same(asked), address.same(target)
    return plain.startswith("http:") and secure == plain.replace("http:", "https:", 1)


def _is_downgrade(asked: str, target: str) -> bool:
    return _is_secure(asked) and not _is_secure(target)


def _is_secure(url: str) -> bool:
    return address.same(url).startswith("https:")


def known_of(feed: Feed, memory: FeedState | None) -> FeedState:
    """What is known of a feed at the address that the config has now.

    Of another address than before, how asking went says nothing; what was read there is still the
    feed's past. An address that the feed had moved to anyway is not another one.
    """
    if memory is None:
        return FeedState(key=feed.key, url=feed.url)
    moved = memory.moved
    if moved and is_same(moved.to, feed.url) and (moved.adopted or _is_well(memory)):
        return replace(memory, url=feed.url, moved=None)
    if memory.url == feed.url:
        return memory
    return FeedState(
        key=memory.key,
        url=feed.url,
        profile=memory.profile,
        processed_hash=memory.processed_hash,
        reader=memory.reader,
        picks=memory.picks,
        unreadable=memory.unreadable,
        unreadable_kind=memory.unreadable_kind,
        changed_at=memory.changed_at,
        posts=memory.posts,
        health=memory.health,
        # A run that was killed may have asked there already.
        attempted_at=memory.attempted_at if memory.interrupted else None,
    )


def ran_ahead(memory: FeedState, now: datetime) -> bool:
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


def corrected(memory: FeedState, now: datetime) -> FeedState:
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


def revived(memory: FeedState) -> FeedState:
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


def _floor(memory: FeedState) -> timedelta:
    return max(FLOOR, memory.learned_floor or FLOOR)


def _is_well(memory: FeedState) -> bool:
    return not memory.failures and not memory.given_up
