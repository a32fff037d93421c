"""What an attempt brought → what is known of the feed from now on."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from planet.errors import FeedError
from planet.model import Conditions, Day, DueReason, Failure, GivenUp, Health, Outcome, ParseResult
from planet.schedule.causes import (
    LIMITS,
    UNASKED,
    Cause,
    cause,
    followed,
    known_of,
    must_switch,
    switched,
)
from planet.schedule.constants import (
    AUDIT,
    AUDIT_GAPS,
    ETAG_BROKEN,
    HEALTH_DAYS,
    IGNORED_AFTER,
    RECENT_POSTS,
    RESPONSE_WEIGHT,
    WHOLE_AGAIN,
)
from planet.schedule.rhythm import discreet, forgotten, is_lost, learned, named
from planet.schedule.waits import eased, renewed, settled, soon, taught

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from planet.model import Feed, FeedState, Fetched


_BOTH = frozenset({"etag", "last-modified"})


def conditions(memory: FeedState, *, now: datetime, wanted: bool) -> Conditions:
    """What the next request of a feed names: all there is, unless there is a reason not to.

    That is when nothing but 304 has come for very long, or when the feed is judged by what is on
    disk and the operator does not take that for an answer: the feed is `wanted`, or was taken up
    again.
    """
    if not wanted and _is_unproven(memory, now):
        return Conditions.NONE
    if memory.unreadable is not None and (wanted or not memory.failures):
        last = memory.audited_at
        if last is None or now - last >= WHOLE_AGAIN:
            return Conditions.NONE
    return Conditions.DATE if _by_date(memory, now) else Conditions.ALL


def is_unconditional(fetched: Fetched) -> bool:
    """Whether a request for the feed itself went out that named no validators."""
    if fetched.error and fetched.error.kind in UNASKED:
        return False
    return not fetched.conditional


def audited(memory: FeedState, fetched: Fetched) -> FeedState:
    """With a request that named no validators written down, if there were some to name."""
    if memory.validators and is_unconditional(fetched):
        return replace(memory, audited_at=fetched.started)
    return memory


def heeded(memory: FeedState, fetched: Fetched) -> FeedState:
    """With what a 200 or 304 says of the validators; `memory` is from before it."""
    if fetched.cut_off:
        return memory
    by_date = _by_date(memory, fetched.started)
    memory = replace(memory, validators=fetched.validators)
    if fetched.status != 200:
        if by_date and memory.identical == IGNORED_AFTER:
            # So it was the ETag that never matched.
            memory = replace(memory, etag_broken_until=fetched.ended + ETAG_BROKEN)
        return replace(memory, identical=0)
    memory = replace(memory, whole_at=fetched.ended)
    if fetched.body_hash != memory.processed_hash:
        return replace(memory, identical=0)
    if not fetched.conditional:
        return memory
    if by_date:
        # It does not heed the date alone, either.
        return replace(memory, identical=memory.identical + 1, etag_broken_until=None)
    same = fetched.same_etag or "etag" not in fetched.validators
    return replace(memory, identical=memory.identical + 1 if same else 0)


def _by_date(memory: FeedState, now: datetime) -> bool:
    """Whether the ETag is left out: to see whether that helps, or because it did."""
    if not memory.validators >= _BOTH:
        return False
    broken = memory.etag_broken_until is not None and memory.etag_broken_until > now
    return broken or memory.identical == IGNORED_AFTER


def _is_unproven(memory: FeedState, now: datetime) -> bool:
    """Whether a whole answer is overdue that would show that "not modified" is still true."""
    if not memory.validators or memory.failures or memory.whole_at is None:
        return False
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(memory.posts)]
    quiet = max(AUDIT, AUDIT_GAPS * timedelta(seconds=median(gaps or [0])))
    last = memory.audited_at
    return now - memory.whole_at >= quiet and (last is None or now - last >= AUDIT)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def tallied(health: Health, fetched: Fetched, *, failed: bool, noise: bool) -> Health:
    """With one attempt more.

    `failed` says that it counts as a failure; `noise` that a body came which differs from the one
    before, without any news in it.
    """
    came = fetched.error is None
    return Health(
        whole=health.whole + (came and fetched.status == 200),
        unchanged=health.unchanged + (came and fetched.status == 304),
        failed=health.failed + failed,
        unconditional=health.unconditional + is_unconditional(fetched),
        noise=health.noise + noise,
        throttled=health.throttled + (fetched.status == 429),
        response_time=_averaged(health.response_time, fetched.response_time if came else None),
        days=_counted(health.days, fetched, failed=failed),
    )


def _averaged(before: timedelta | None, new: timedelta | None) -> timedelta | None:
    if before is None or new is None:
        return new or before
    return before + (new - before) * RESPONSE_WEIGHT


def _counted(days: tuple[Day, ...], fetched: Fetched, *, failed: bool) -> tuple[Day, ...]:
    """The last days, with this attempt on the day it ended."""
    number = (fetched.ended - _EPOCH).days
    # Days to come were counted when the clock ran ahead.
    recent = {day.number: day for day in days if number - HEALTH_DAYS < day.number <= number}
    today = recent.pop(number, Day(number=number))
    today = replace(
        today,
        asked=today.asked + 1,
        failed=today.failed + failed,
        received=today.received + fetched.bytes_received,
    )
    return (*recent.values(), today)


def posted(claims: Sequence[datetime | None], *, seen: datetime, first: bool) -> list[datetime]:
    """When the entries were posted that a reading found to be new.

    An entry that claims a moment that can be is believed; any other was posted when it was first
    seen. When all claim the same moment it is the one the document was made at, and none is
    believed. Of what the first reading finds, being seen first says nothing.
    """
    believed = len(claims) == 1 or len(set(claims)) > 1
    moments = [claim if believed and claim and claim <= seen else None for claim in claims]
    return [moment or seen for moment in moments if moment or not first]


def recent(before: Iterable[datetime], new: Iterable[datetime]) -> tuple[datetime, ...]:
    """The last moments of posts, each once, oldest first."""
    return tuple(sorted({*before, *new})[-RECENT_POSTS:])


def judged(memory: FeedState, feed: Feed, error: FeedError | None, at: datetime) -> FeedState:
    """Counted as a success or as one more failure; either may be the last."""
    if error is not None:
        return _failed(memory, error.kind, str(error), at)
    if memory.unreadable is not None and memory.unreadable_kind is not None:
        # The server said that the body we could not read has not changed.
        return _failed(memory, memory.unreadable_kind, memory.unreadable, at)
    memory = replace(
        memory,
        succeeded_at=at,
        failures=0,
        failing_since=None,
        strikes=0,
        struck_since=None,
        error_kind=None,
        error=None,
    )
    if memory.profile and memory.profile.hints.expired and not feed.is_file:
        return replace(memory, given_up=GivenUp.EXPIRED, given_up_at=at)
    return memory


def _failed(memory: FeedState, kind: str, words: str, at: datetime) -> FeedState:
    why = cause(kind)
    again = memory.error_kind is not None and cause(memory.error_kind) is why
    strikes = memory.strikes + 1 if again else 1
    since = (memory.struck_since if again else None) or at
    limit = LIMITS.get(why)
    enough = limit is not None and strikes >= limit.strikes and at - since >= limit.span
    given_up = limit.given_up if limit and enough else memory.given_up
    return replace(
        memory,
        failures=memory.failures + 1,
        failing_since=memory.failing_since or at,
        strikes=strikes,
        struck_since=since,
        error_kind=kind,
        error=words,
        last_failure=Failure(at=at, kind=kind, message=words),
        given_up=given_up,
        given_up_at=memory.given_up_at or (at if given_up else None),
    )


def remember(
    before: FeedState | None,
    feed: Feed,
    fetched: Fetched,
    result: ParseResult | FeedError | None,
    *,
    reader: str,
) -> FeedState:
    """What is known of a feed after an attempt.

    `result` is what its body came to, if a new one came; `reader` the version of the parser.
    """
    known = known_of(feed, before)
    error = fetched.error or (result if isinstance(result, FeedError) else None)
    if not fetched.asked:
        return _recalled(known, feed, fetched, result, reader)
    deferred = error is not None and cause(error.kind) is Cause.DEFERRED
    tried = _tried(known, feed, fetched, result, failed=error is not None and not deferred)
    if must_switch(known.moved, feed, fetched, error):
        # Its other address is asked before anything is held against the feed.
        return soon(switched(tried), feed, DueReason.FLOOR, ended=fetched.ended)
    if is_lost(known, fetched, error):
        return soon(forgotten(tried), feed, DueReason.FLOOR, ended=fetched.ended)
    if deferred and fetched.error and fetched.error.kind == "out_of_time":
        return soon(tried, feed, DueReason.FLOOR, ended=fetched.ended)
    if deferred:
        return settled(tried, feed, fetched, ended=fetched.ended)
    answered = tried if fetched.error else _answered(tried, feed, fetched, result, reader)
    slowed = _slowed(answered, feed, fetched)
    return settled(judged(slowed, feed, error, fetched.ended), feed, fetched, ended=fetched.ended)


def _tried(
    known: FeedState,
    feed: Feed,
    fetched: Fetched,
    result: ParseResult | FeedError | None,
    *,
    failed: bool,
) -> FeedState:
    """With the attempt itself written down, whatever came of it."""
    tried = replace(
        known,
        attempted_at=fetched.started,
        status=fetched.status,
        redirect=fetched.redirect,
    )
    if feed.is_file:
        return tried
    same = fetched.outcome is Outcome.SAME and known.unreadable is not None
    noise = (
        isinstance(result, ParseResult)
        and not result.drafts
        and known.processed_hash not in (None, fetched.body_hash)
    )
    health = tallied(known.health, fetched, failed=failed or same, noise=noise)
    return replace(audited(tried, fetched), health=health)


def _answered(
    tried: FeedState,
    feed: Feed,
    fetched: Fetched,
    result: ParseResult | FeedError | None,
    reader: str,
) -> FeedState:
    """With what a complete answer says; no error touches any of this."""
    memory = replace(
        learned(heeded(tried, fetched), fetched),
        answered_url=fetched.url,
        is_inside=fetched.is_inside,
        lifetime=renewed(tried.lifetime, fetched),
    )
    memory = _read(memory, feed, fetched, result, reader)
    if memory.unreadable is None:
        memory = replace(memory, moved=followed(memory.moved, feed, fetched))
    return memory


def _read(
    memory: FeedState,
    feed: Feed,
    fetched: Fetched,
    result: ParseResult | FeedError | None,
    reader: str,
) -> FeedState:
    """With its body read: with success or not, these bytes need not be read again."""
    if fetched.outcome is not Outcome.NEW:
        return memory
    first = memory.profile is None
    memory = replace(
        memory,
        processed_hash=fetched.body_hash,
        reader=reader,
        picks=feed.picks,
        unreadable=None,
        unreadable_kind=None,
    )
    if isinstance(result, FeedError):
        return replace(memory, unreadable=str(result), unreadable_kind=result.kind)
    if not isinstance(result, ParseResult):
        return memory
    posts = recent(memory.posts, posted(result.posted, seen=fetched.ended, first=first))
    changed_at = fetched.ended if result.drafts else memory.changed_at
    if first:
        # Nobody saw the change: what it found tells when it was.
        changed_at = posts[-1] if posts else None
    profile = discreet(named(result.profile, memory.resolved), feed)
    return replace(memory, profile=profile, posts=posts, changed_at=changed_at)


def _slowed(memory: FeedState, feed: Feed, fetched: Fetched) -> FeedState:
    """With what the answer teaches of how often to ask at the most."""
    if fetched.error and cause(fetched.error.kind) is Cause.THROTTLED:
        return taught(memory, feed.asking, at=fetched.ended)
    return eased(memory, feed.asking, at=fetched.ended)


def _recalled(
    known: FeedState,
    feed: Feed,
    fetched: Fetched,
    result: ParseResult | FeedError | None,
    reader: str,
) -> FeedState:
    """With a body from disk read, of which nobody was asked."""
    memory = _read(known, feed, fetched, result, reader)
    error = result if isinstance(result, FeedError) else None
    if known.interrupted and known.attempted_at is not None:
        # What the killed run would have written, had it lived.
        at = known.attempted_at
        memory = replace(memory, validators=fetched.validators, whole_at=at)
        return settled(judged(memory, feed, error, at), feed, fetched, ended=at)
    # A body read anew says nothing about the server, unless it was the body that was at fault.
    was_at_fault = known.error_kind is not None and known.error_kind == known.unreadable_kind
    return judged(memory, feed, error, fetched.ended) if error or was_at_fault else memory
