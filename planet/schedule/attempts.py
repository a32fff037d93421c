"""Feed state and the result of an attempt → the next feed state."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec.structs import replace

from planet.errors import FeedError, ParseError
from planet.model import (
    Conditions,
    Day,
    DueReason,
    Failure,
    FeedState,
    GivenUp,
    Health,
    Moved,
    Outcome,
    ParseResult,
)
from planet.schedule import constants as c
from planet.schedule.waits import (
    UNASKED,
    double,
    find_ladder,
    renew_lifetime,
    retry_at_floor,
    schedule_next,
    state_floor,
)
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from planet.model import Feed, Fetched, FetchPolicy, Profile, Resolved

    Changes: TypeAlias = dict[str, Any]
    """New values for fields of a `FeedState`, by field name."""
    Parsed: TypeAlias = ParseResult | FeedError | None
    """What parsing a new body gave; None without a new body."""


def record_attempt(
    before: FeedState | None, feed: Feed, fetched: Fetched, result: Parsed, *, reader: str
) -> FeedState:
    """Return the state of a feed after an attempt to read it.

    `result` is what parsing its new body gave; `reader` is the version of the parser.
    """
    state, result = _count_slow_readings(current_state(feed, before), result)
    # Once or twice it may be the machine that was busy: the next run reads the body again.
    is_read_later = isinstance(result, FeedError) and 0 < state.too_slow < c.TOO_SLOW_TIMES
    if is_read_later and not fetched.asked and not state.interrupted:
        return replace(state, reader=None)
    read = {"reader": None, **_READABLE}
    if not is_read_later:
        read = _body_changes(state, feed, fetched, result, reader)
    unread = result if isinstance(result, FeedError) and not is_read_later else None
    error = fetched.error or unread
    if not fetched.asked:
        return _apply_cached_body(state, read, feed, fetched, error)
    deferred = error is not None and find_ladder(error.kind) is None
    changes = _attempt_changes(state, feed, fetched, failed=error is not None and not deferred)
    elsewhere = _address_changes(state, feed, fetched, error)
    if elsewhere or (error and error.kind == "out_of_time"):
        # Its other address is asked before anything is held against the feed.
        tried = replace(state, **changes, **elsewhere)
        return retry_at_floor(tried, feed, DueReason.FLOOR, fetched)
    if deferred:
        return schedule_next(replace(state, **changes), feed, fetched, ended=fetched.ended)
    if not fetched.error:
        changes |= _answer_changes(state, read, feed, fetched)
    changes |= _throttle_changes(state, feed.policy, fetched)
    changes |= _outcome_changes(state, changes, feed, error, fetched.ended)
    return schedule_next(replace(state, **changes), feed, fetched, ended=fetched.ended)


def _count_slow_readings(state: FeedState, result: Parsed) -> tuple[FeedState, Parsed]:
    """Count a result that took too long, and say so in its words; any other ends the count."""
    if result is None:
        return state, None
    if isinstance(result, ParseResult) or result.kind != "too_slow":
        return replace(state, too_slow=0), result
    state = replace(state, too_slow=state.too_slow + 1)
    words = f"reading it took too long {state.too_slow} times in a row"
    return state, ParseError("too_slow", words)


def undo_attempt(before: FeedState | None, feed: Feed, fetched: Fetched) -> FeedState:
    """Return the state of a feed after an attempt that failed because the network here is down.

    The failure does not count (R32); the feed is asked again after the floor.
    """
    state = replace(current_state(feed, before), attempted_at=fetched.started)
    return retry_at_floor(state, feed, DueReason.OUTAGE, fetched)


def _apply_cached_body(
    state: FeedState, changes: Changes, feed: Feed, fetched: Fetched, error: FeedError | None
) -> FeedState:
    """Return the state after reading a cached body again, for which no request was made."""
    at = state.settled_at if state.reader is None and not state.failures else None
    if state.interrupted and state.attempted_at is not None:
        at = state.attempted_at
        whole = {"validators": fetched.validators, "whole_at": at}
        changes |= {"answered_url": fetched.url, **whole}
    if at is not None:
        # What that run would have written, had it lived, or had it had the time to read the body.
        changes |= _outcome_changes(state, changes, feed, error, at)
        return schedule_next(replace(state, **changes), feed, fetched, ended=at)
    # A body read anew says nothing about the server, unless it was the body that was at fault.
    if error or (state.error_kind is not None and state.error_kind == state.unreadable_kind):
        changes |= _outcome_changes(state, changes, feed, error, fetched.ended)
    return replace(state, **changes)


def _attempt_changes(state: FeedState, feed: Feed, fetched: Fetched, *, failed: bool) -> Changes:
    """Return what an attempt changes, whether it failed or not."""
    changes: Changes = {
        "attempted_at": fetched.started,
        "status": fetched.status,
        # Its publisher could let its name lead into a private network, or have moved it there.
        "was_public": state.was_public or fetched.is_public is True,
    }
    if not feed.is_file:
        was_unreadable = fetched.outcome is Outcome.SAME and state.unreadable is not None
        changes["health"] = _count_attempt(state.health, fetched, failed or was_unreadable)
        if state.validators and _is_unconditional(fetched):
            changes["audited_at"] = fetched.started
    return changes


def _answer_changes(state: FeedState, read: Changes, feed: Feed, fetched: Fetched) -> Changes:
    """Return what a complete answer changes, with `read`, the changes by its body.

    An answer that is an error changes none of this (R3).
    """
    changes: Changes = {
        "answered_url": fetched.url,
        "is_inside": fetched.is_public is False,
        "lifetime": renew_lifetime(state.lifetime, fetched),
        **_validator_changes(state, fetched),
        **read,
    }
    if fetched.resolved is not None:
        changes |= {"resolved": fetched.resolved, "resolved_at": fetched.ended}
    is_unread = changes.get("reader", state.reader) is None
    if changes.get("unreadable", state.unreadable) is None and not is_unread:
        changes["moved"] = _track_redirect(state.moved, feed, fetched)
    return changes


def _body_changes(
    state: FeedState, feed: Feed, fetched: Fetched, result: Parsed, reader: str
) -> Changes:
    """Return what a new body changes; it is not parsed again, also when it could not be read."""
    if fetched.outcome is not Outcome.NEW:
        return {}
    changes: Changes = {
        "processed_hash": fetched.body_hash,
        "reader": reader,
        "picks": feed.picks,
        **_READABLE,
    }
    if isinstance(result, FeedError):
        return changes | {"unreadable": str(result), "unreadable_kind": result.kind}
    if not isinstance(result, ParseResult):
        return changes
    is_first = state.profile is None
    new = _list_post_times(result.posted, seen=fetched.ended, first=is_first)
    posts = tuple(sorted({*state.posts, *new})[-c.RECENT_POSTS :])
    if is_first:
        # Nobody saw the change: what it found tells when it was.
        changes["changed_at"] = posts[-1] if posts else None
    elif result.drafts:
        changes["changed_at"] = fetched.ended
    profile = fill_profile_gaps(result.profile, fetched.resolved or state.resolved)
    return changes | {"posts": posts, "profile": profile}


_READABLE: Changes = {"unreadable": None, "unreadable_kind": None}


def _list_post_times(
    claims: Sequence[datetime | None], *, seen: datetime, first: bool
) -> list[datetime]:
    """Return when new entries were posted: at the time they claim, else when first `seen`.

    A claim in the future does not count, and none does when all are equal: then it is the time at
    which the document was made (R20). In the `first` parse of a feed, entries without a claim that
    counts are left out.
    """
    plausible = len(claims) == 1 or len(set(claims)) > 1
    moments = [claim if plausible and claim and claim <= seen else None for claim in claims]
    return [moment or seen for moment in moments if moment or not first]


# Validators


_BOTH = frozenset({"etag", "last-modified"})


def choose_conditions(state: FeedState, *, now: datetime, wanted: bool) -> Conditions:
    """Choose the validators for the next request of a feed: all that are stored, as a rule.

    None is sent when only 304 has come for very long (`AUDIT`), or when the stored body could not
    be read and the operator asks for the feed again (`wanted`, or by `planet retry`).
    """
    if not wanted and _needs_audit(state, now):
        return Conditions.NONE
    if state.unreadable is not None and (wanted or not state.failures):
        last = state.audited_at
        if last is None or now - last >= c.WHOLE_AGAIN:
            return Conditions.NONE
    return Conditions.DATE if _omits_etag(state, now) else Conditions.ALL


def _needs_audit(state: FeedState, now: datetime) -> bool:
    """Tell whether a request without validators is due, to see that "not modified" is true."""
    if not state.validators or state.failures or state.whole_at is None:
        return False
    since, last = now - state.whole_at, state.audited_at
    if since < c.AUDIT or (last is not None and now - last < c.AUDIT):
        return False
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(state.posts)]
    return since >= c.AUDIT_GAPS * timedelta(seconds=median(gaps or [0]))


def _omits_etag(state: FeedState, now: datetime) -> bool:
    """Tell whether Last-Modified is sent alone: to see whether that helps, or because it did."""
    if not state.validators >= _BOTH:
        return False
    is_broken = state.etag_broken_until is not None and state.etag_broken_until > now
    return is_broken or state.identical == c.IGNORED_AFTER


def _is_unconditional(fetched: Fetched) -> bool:
    """Tell whether a request without validators reached the server that has the feed."""
    return not (fetched.conditional or (fetched.error and fetched.error.kind in UNASKED))


def _validator_changes(state: FeedState, fetched: Fetched) -> Changes:
    """Return what a 200 or 304 changes of the validators; `state` is the one before it."""
    if fetched.cut_off:
        return {}
    changes: Changes = {"validators": fetched.validators, "identical": 0}
    by_date = _omits_etag(state, fetched.started)
    if not fetched.is_whole:
        if by_date and state.identical == c.IGNORED_AFTER:
            # So it was the ETag that never matched.
            changes["etag_broken_until"] = fetched.ended + c.ETAG_BROKEN
        return changes
    changes["whole_at"] = fetched.ended
    if fetched.body_hash != state.processed_hash:
        return changes
    changes["identical"] = state.identical
    if fetched.conditional and by_date:
        # It does not heed the date alone, either.
        changes |= {"identical": state.identical + 1, "etag_broken_until": None}
    elif fetched.conditional:
        is_same = fetched.same_etag or "etag" not in fetched.validators
        changes["identical"] = state.identical + 1 if is_same else 0
    return changes


# Failures and health


def _outcome_changes(
    state: FeedState, changes: Mapping[str, Any], feed: Feed, error: FeedError | None, at: datetime
) -> Changes:
    """Return what counting an attempt as success or as failure changes.

    `changes` are those by the answer. A failure, or a feed that says it has ended, may be the
    last: then the feed is given up.
    """
    if error is not None:
        return _failure_changes(state, error.kind, str(error), at)
    unreadable = changes.get("unreadable", state.unreadable)
    kind = changes.get("unreadable_kind", state.unreadable_kind)
    if unreadable is not None and kind is not None:
        # The server said that the body we could not read has not changed.
        return _failure_changes(state, kind, unreadable, at)
    success = {"succeeded_at": at, **_NO_FAILURE}
    profile = changes.get("profile", state.profile)
    if profile and profile.hints.expired and not feed.is_file:
        success |= {"given_up": GivenUp.EXPIRED, "given_up_at": at}
    return success


_NO_FAILURE: Changes = {
    "failures": 0,
    "failing_since": None,
    "strikes": 0,
    "struck_since": None,
    "error_kind": None,
    "error": None,
}


def _failure_changes(state: FeedState, kind: str, words: str, at: datetime) -> Changes:
    ladder = find_ladder(kind)
    is_again = state.error_kind is not None and find_ladder(state.error_kind) == ladder
    strikes = state.strikes + 1 if is_again else 1
    since = (state.struck_since if is_again else None) or at
    given_up = state.given_up
    if ladder and strikes >= ladder.strikes and at - since >= ladder.span:
        given_up = ladder.given_up or given_up
    return {
        "failures": state.failures + 1,
        "failing_since": state.failing_since or at,
        "strikes": strikes,
        "struck_since": since,
        "error_kind": kind,
        "error": words,
        "last_failure": Failure(at=at, kind=kind, message=words),
        "given_up": given_up,
        "given_up_at": state.given_up_at or (at if given_up else None),
    }


def _throttle_changes(state: FeedState, policy: FetchPolicy, fetched: Fetched) -> Changes:
    """Return what an answer changes of the learned floor (`LEARNED_FLOOR_MAX`).

    A 429 doubles it; any other answer halves it when the last 429 is `LEARNED_FOR` ago.
    """
    at, least = fetched.ended, max(c.FLOOR, c.policy_floor(policy))
    learned, since = state.learned_floor, state.throttled_at
    if fetched.error and fetched.error.kind == "http_429":
        longer = double(max(learned or c.FLOOR, least), 1, most=c.LEARNED_FLOOR_MAX)
        return {"learned_floor": longer, "throttled_at": at}
    if learned is None or since is None or at - since < c.LEARNED_FOR:
        return {}
    is_usual = learned / 2 <= least
    return {"learned_floor": None if is_usual else learned / 2, "throttled_at": at}


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _count_attempt(health: Health, fetched: Fetched, failed: bool) -> Health:
    """Count an attempt; `failed` says that it counts as a failure."""
    came = fetched.error is None
    average, new = health.response_time, fetched.response_time if came else None
    if average is not None and new is not None:
        new = average + (new - average) * c.RESPONSE_WEIGHT
    number = (fetched.ended - _EPOCH).days
    # Days to come were counted when the clock ran ahead.
    days = [day for day in health.days if number - c.HEALTH_DAYS < day.number <= number]
    today = days.pop() if days and days[-1].number == number else Day(number=number)
    received = today.received + fetched.bytes_received
    today = Day(number, today.asked + 1, today.failed + failed, received)
    return Health(
        whole=health.whole + (came and fetched.is_whole),
        unchanged=health.unchanged + (came and fetched.status == 304),
        failed=health.failed + failed,
        throttled=health.throttled + (fetched.status == 429),
        response_time=average if new is None else new,
        days=(*days, today),
    )


# Where it is


_GONE = frozenset({"http_404", "http_410"})
_NO_MORE_THERE = _GONE | {"not_a_feed", "private_address"}
"""The kinds of error that say that the posts are not there any more."""


def _address_changes(
    state: FeedState, feed: Feed, fetched: Fetched, error: FeedError | None
) -> Changes:
    """Return what a failure changes of the address to ask; nothing if another would not help."""
    if error is None:
        return {}
    is_no_more, moved = error.kind in _NO_MORE_THERE, state.moved
    if moved and moved.adopted and is_no_more:
        # It was not meant.
        return {"moved": None, "answered_url": None}
    is_gone = error.kind in _GONE or error.kind == "dns"
    # Of the two it must be the one that redirected, not where it led.
    if moved and not moved.adopted and is_gone and _is_same_address(fetched.url, feed.url):
        return {"moved": replace(moved, adopted=True)}
    # The name was not followed just now, nor to no use the last time.
    is_led = state.resolved is not None and fetched.resolved is None
    if is_led and is_no_more and error.kind != state.error_kind:
        return {"resolved": None, "resolved_at": None, "answered_url": None}
    return {}


def _track_redirect(moved: Moved | None, feed: Feed, fetched: Fetched) -> Moved | None:
    """Return the permanent redirect of a feed after an answer with its entries (R35).

    The target is adopted once it is proven (`ADOPT_TIMES`), or at once when it is the same address
    over TLS. No target is adopted that leaves TLS.
    """
    adopted = moved if moved and moved.adopted else None
    target = fetched.permanent_url
    if target is None:
        return adopted
    asked, to = address.normalize(adopted.to if adopted else feed.url), address.normalize(target)
    if to == asked or (asked.startswith("https:") and not to.startswith("https:")):
        return adopted
    if moved and _is_same_address(moved.to, target):
        moved = replace(moved, times=moved.times + 1)
    else:
        moved = Moved(to=target, since=fetched.ended)
    is_upgrade = asked.startswith("http:") and to == asked.replace("http:", "https:", 1)
    is_proven = moved.times >= c.ADOPT_TIMES and fetched.ended - moved.since >= c.ADOPT_SPAN
    return replace(moved, adopted=is_upgrade or is_proven)


def match_renamed_feeds(feeds: Iterable[Feed], states: Mapping[str, FeedState]) -> dict[str, Feed]:
    """Return feeds that are in the config at a new address now, by their former keys.

    The operator replaced an address by the one to which it redirects: the new one has no state,
    and the one that redirected there is no longer in the config.
    """
    configured = {feed.key: feed for feed in feeds}
    unknown = [feed for key, feed in configured.items() if key not in states]
    left = {
        address.normalize(moved.to): key
        for key in (states if unknown else ())
        if key not in configured and (moved := states[key].moved)
    }
    former = ((left.pop(address.normalize(feed.url), None), feed) for feed in unknown)
    return {key: feed for key, feed in former if key is not None}


def _is_same_address(one: str, other: str) -> bool:
    """Tell whether every server must treat two addresses as equal."""
    return address.normalize(one) == address.normalize(other)


def current_state(feed: Feed, state: FeedState | None) -> FeedState:
    """Return the state of a feed for the address that the config has now.

    When the address has changed, how polling the old one went is dropped, and what was read there
    is kept. An address to which the feed had moved anyway is no change.
    """
    if state is None:
        return FeedState(key=feed.key, url=feed.url)
    moved, is_well = state.moved, not state.failures and not state.given_up
    if moved and _is_same_address(moved.to, feed.url) and (moved.adopted or is_well):
        return replace(state, url=feed.url, moved=None)
    if state.url == feed.url:
        return state
    past = {name: getattr(state, name) for name in _PAST}
    # A run that was killed may have asked there already.
    attempted_at = state.attempted_at if state.interrupted else None
    return FeedState(key=state.key, url=feed.url, attempted_at=attempted_at, **past)


_PAST = (
    *("profile", "processed_hash", "reader", "picks", "unreadable", "unreadable_kind"),
    *("changed_at", "posts", "health"),
)


# Names that lead to feeds


def fresh_resolution(state: FeedState, *, now: datetime) -> Resolved | None:
    """Return the address to which the name of an account leads; None when it is to be resolved.

    It is resolved again after `RESOLVED_FOR`, because people move and rename themselves.
    """
    at = state.resolved_at
    return state.resolved if at is not None and now - at < c.RESOLVED_FOR else None


def fill_profile_gaps(profile: Profile, resolved: Resolved | None) -> Profile:
    """Fill in title, link and image from what resolving its name brought, where it has none."""
    if resolved is None:
        return profile
    return replace(
        profile,
        title=profile.title or resolved.name,
        link=profile.link or resolved.page,
        image=profile.image or resolved.image,
    )


# What the operator does


def revive(state: FeedState) -> FeedState:
    """Return the state as if the feed had not failed; if it was given up, it is due at once.

    The feed may lead into a private network from now on, where it did not before; not so an address
    that was learned from its server.
    """
    settled_at = None if state.given_up else state.settled_at
    return replace(
        state,
        **_NO_FAILURE,
        was_public=state.was_public and bool(state.adopted_url or state.resolved),
        given_up=None,
        given_up_at=None,
        due_at=settled_at and settled_at + state_floor(state),
        due_reason=DueReason.FLOOR if settled_at else None,
    )
