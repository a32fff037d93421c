"""The state of a feed or server, and the result of an attempt → the next state."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec.structs import asdict, replace

from planet.errors import FeedError, ParseError
from planet.model import (
    Day,
    DueReason,
    Failure,
    FeedState,
    GivenUp,
    Health,
    HostState,
    Moved,
    ParseResult,
)
from planet.schedule import waits
from planet.schedule.rhythm import Wait
from planet.schedule.waits import (
    answer_lifetime,
    double,
    find_ladder,
    min_interval,
    policy_floor,
    retry_after,
    schedule_next,
    set_due,
)
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.model import Feed, Fetched, FetchPolicy, Profile, Resolved

    Parsed: TypeAlias = ParseResult | FeedError | None
    """The result of parsing a new body; None without a new body."""


def record_attempt(
    before: FeedState | None, feed: Feed, fetched: Fetched, result: Parsed, *, reader: str | None
) -> FeedState:
    """Return the state of a feed after an attempt.

    `result` comes from parsing a new body; `reader` is the version of the parser.
    """
    state = current_state(feed, before)
    error = fetched.error or _find_reading_error(state, fetched, result)
    if not fetched.asked and state.interrupted and state.attempted_at:
        # The answer to the run that was killed.
        fetched = replace(fetched, started=state.attempted_at, ended=state.attempted_at)
    elif not fetched.asked:
        # The server has said nothing new: what cannot be read fails when it is asked again.
        is_mended = not error and state.error_kind and state.error_kind == state.unreadable_kind
        state = _record_body(state, feed, fetched, result, reader)
        return _record_outcome(state, feed, None, fetched.ended) if is_mended else state
    ladder = find_ladder(error.kind) if error else None
    elsewhere = _find_elsewhere(state, fetched, error) if error else {}
    is_audit = state.validators and fetched.status is not None and not fetched.conditional
    state = replace(
        state,
        attempted_at=fetched.started,
        audited_at=fetched.started if is_audit else state.audited_at,
        status=fetched.status,
        # Its publisher could let its name lead into a private network, or have moved it there.
        was_public=state.was_public or fetched.is_public is True,
        health=_count_request(state.health, fetched, failed=ladder is not None),
    )
    if elsewhere or (error and error.kind in {"out_of_time", "proxy"}):
        # The other address is asked before anything is held against the feed.
        return _retry_at_floor(replace(state, **elsewhere), feed, fetched, DueReason.FLOOR)
    if fetched.error is None:
        state = _record_answer(state, fetched)
        state = _record_body(state, feed, fetched, result, reader)
        state = _record_redirect(state, fetched)
    if not error or ladder:
        state = _learn_floor(state, feed.policy, fetched)
        state = _record_outcome(state, feed, error, fetched.ended)
    return schedule_next(state, feed, fetched)


def undo_attempt(before: FeedState | None, feed: Feed, fetched: Fetched) -> FeedState:
    """Return the state of a feed after an attempt while the network here was down.

    The failure does not count (R32); the feed is asked again after the floor.
    """
    state = replace(current_state(feed, before), attempted_at=fetched.started)
    return _retry_at_floor(state, feed, fetched, DueReason.OUTAGE)


def _retry_at_floor(state: FeedState, feed: Feed, fetched: Fetched, reason: DueReason) -> FeedState:
    wait = Wait(min_interval(state, feed.policy), reason)
    return set_due(state, feed, wait, fetched.ended)


def _find_reading_error(state: FeedState, fetched: Fetched, result: Parsed) -> FeedError | None:
    """Return why the new body, or the unchanged one on the server, cannot be read."""
    if fetched.body is None and state.unreadable is not None:
        return ParseError(state.unreadable_kind or "unreadable", state.unreadable)
    return result if isinstance(result, FeedError) else None


HEALTH_DAYS = 30


def _count_request(health: Health, fetched: Fetched, failed: bool) -> Health:
    came = fetched.error is None
    number = fetched.ended.toordinal()
    # Days to come were counted when the clock ran ahead.
    days = {day.number: day for day in health.days if number - HEALTH_DAYS < day.number <= number}
    today = days.pop(number, Day(number))
    received = today.received + fetched.bytes_received
    return Health(
        whole=health.whole + (came and fetched.is_whole),
        unchanged=health.unchanged + (came and fetched.status == 304),
        failed=health.failed + failed,
        throttled=health.throttled + (fetched.status == 429),
        response_time=fetched.response_time if came else health.response_time,
        days=(*days.values(), Day(number, today.asked + 1, today.failed + failed, received)),
    )


def _record_answer(state: FeedState, fetched: Fetched) -> FeedState:
    """Record a complete answer; an error changes none of these fields (R3)."""
    if fetched.is_whole or {"cache-control", "expires"} & fetched.headers.keys():
        state = replace(state, fresh_for=answer_lifetime(fetched))
    # Otherwise a 304 renews the lifetime from before, which begins again now (RFC 9111 §3.2).
    if fetched.resolved is not None:
        state = replace(state, resolved=fetched.resolved, resolved_at=fetched.ended)
    if not fetched.cut_off:
        state = _record_validators(state, fetched)
    # The disk does not tell where the server is.
    is_inside = fetched.is_public is False or (state.is_inside and not fetched.asked)
    return replace(state, answered_url=fetched.url, is_inside=is_inside)


def _record_validators(state: FeedState, fetched: Fetched) -> FeedState:
    """Record the validators of a 200 or 304, and whether the server heeds validators (R9)."""
    by_date = omits_etag(state, fetched.started)
    is_whole = fetched.is_whole or not fetched.asked
    is_same = is_whole and fetched.conditional and fetched.body_hash == state.processed_hash
    is_ignored = by_date or fetched.same_etag or "etag" not in fetched.validators
    broken_until = state.etag_broken_until
    if by_date and is_same:
        # The server does not heed the date alone, either.
        broken_until = None
    elif by_date and state.identical and not is_whole:
        # So it was the ETag that never matched.
        broken_until = fetched.ended + waits.ETAG_BROKEN
    return replace(
        state,
        validators=fetched.validators,
        identical=state.identical + 1 if is_same and is_ignored else 0,
        etag_broken_until=broken_until,
        whole_at=fetched.ended if is_whole else state.whole_at,
    )


def _record_body(
    state: FeedState, feed: Feed, fetched: Fetched, result: Parsed, reader: str | None
) -> FeedState:
    """Record a new body, also an unreadable one, so that no run parses the body again."""
    if fetched.body is None:
        return state
    error = result if isinstance(result, FeedError) else None
    state = replace(
        state,
        processed_hash=fetched.body_hash,
        reader=reader,
        picks=feed.picks,
        unreadable=error and str(error),
        unreadable_kind=error and error.kind,
    )
    if not isinstance(result, ParseResult):
        return state
    is_first, claims, seen = state.profile is None, result.posted, fetched.ended
    # A claim in the future does not count, nor do equal claims of all entries, which are the time
    # of the document (R20).
    plausible = len(claims) == 1 or len(set(claims)) > 1
    moments = [claim if plausible and claim and claim <= seen else None for claim in claims]
    # When the first reading finds an entry says nothing of when the entry was posted.
    new = [moment or seen for moment in moments if moment or not is_first]
    posts = tuple(sorted({*state.posts, *new})[-waits.RECENT_POSTS :])
    changed_at = seen if result.drafts else state.changed_at
    if is_first:
        # Nobody saw the change: its posts tell when it was.
        changed_at = posts[-1] if posts else None
    profile = fill_profile_gaps(result.profile, fetched.resolved or state.resolved)
    return replace(state, posts=posts, changed_at=changed_at, profile=profile)


def omits_etag(state: FeedState, now: datetime) -> bool:
    """Tell whether Last-Modified is sent alone, as a trial or after a successful one."""
    if not state.validators >= {"etag", "last-modified"}:
        return False
    is_broken = state.etag_broken_until is not None and state.etag_broken_until > now
    return is_broken or state.identical == waits.IGNORED_AFTER


def fill_profile_gaps(profile: Profile, resolved: Resolved | None) -> Profile:
    """Return the profile with gaps in title, link and image filled from the resolved name."""
    if resolved is None:
        return profile
    title, link = profile.title or resolved.name, profile.link or resolved.page
    return replace(profile, title=title, link=link, image=profile.image or resolved.image)


def _learn_floor(state: FeedState, policy: FetchPolicy, fetched: Fetched) -> FeedState:
    """Double the floor of a feed after a 429; halve it when the last 429 is `LEARNED_FOR` ago."""
    at, learned, since = fetched.ended, state.learned_floor, state.throttled_at
    least = max(waits.FLOOR, policy_floor(policy))
    if fetched.status == 429:
        longer = double(max(learned or least, least), 1, most=waits.BACKOFF_MAX)
        return replace(state, learned_floor=longer, throttled_at=at)
    if learned is None or since is None or at - since < waits.LEARNED_FOR:
        return state
    half = learned / 2
    return replace(state, learned_floor=half if half > least else None, throttled_at=at)


def _record_outcome(
    state: FeedState, feed: Feed, error: FeedError | None, at: datetime
) -> FeedState:
    """Count an attempt as a success or as a failure.

    After too many failures, and at the declared end of a feed, the feed is given up.
    """
    if error is None:
        state = reset(replace(state, succeeded_at=at), *_FAILURE)
        is_over = state.hints.expired and not feed.is_file
        return replace(state, given_up=GivenUp.EXPIRED, given_up_at=at) if is_over else state
    kind, words, ladder = error.kind, str(error), find_ladder(error.kind)
    is_again = state.error_kind is not None and find_ladder(state.error_kind) == ladder
    strikes = state.strikes + 1 if is_again else 1
    since = (state.struck_since if is_again else None) or at
    given_up = state.given_up
    if ladder and strikes >= ladder.strikes and at - since >= ladder.span:
        given_up = ladder.given_up or given_up
    return replace(
        state,
        failures=state.failures + 1,
        failing_since=state.failing_since or at,
        strikes=strikes,
        struck_since=since,
        error_kind=kind,
        error=words,
        last_failure=Failure(at=at, error=kind, message=words),
        given_up=given_up,
        given_up_at=state.given_up_at or (at if given_up else None),
    )


_NEW = FeedState(key="", url="")
_FAILURE = ("failures", "failing_since", "strikes", "struck_since", "error_kind", "error")


def reset(state: FeedState, *names: str) -> FeedState:
    """Return the state with these fields as those of a new feed."""
    return replace(state, **{name: getattr(_NEW, name) for name in names})


# The address of a feed


_GONE = frozenset({"http_404", "http_410"})
_NO_MORE_THERE = _GONE | {"not_a_feed", "private_address"}
"""The kinds of error by which the posts are not at an address any more."""


def _find_elsewhere(state: FeedState, fetched: Fetched, error: FeedError) -> dict[str, Any]:
    """Return the changes by which another address is asked; none where this would not help."""
    is_no_more, moved = error.kind in _NO_MORE_THERE, state.moved
    if moved and moved.adopted and is_no_more:
        # The redirect was not meant.
        return {"moved": None, "answered_url": None}
    is_gone = error.kind in _GONE or error.kind == "dns"
    # Of the two it must be the one that redirected, not where it led.
    if moved and not moved.adopted and is_gone and _is_same_address(fetched.url, state.url):
        return {"moved": replace(moved, adopted=True)}
    # The name was not followed just now, nor to no use the last time.
    is_led = state.resolved is not None and fetched.resolved is None
    if is_led and is_no_more and error.kind != state.error_kind:
        return {"resolved": None, "resolved_at": None, "answered_url": None}
    return {}


def _record_redirect(state: FeedState, fetched: Fetched) -> FeedState:
    """Record the permanent redirect of a feed after an answer with its entries (R35).

    A target is adopted once proven (`ADOPT_TIMES`), or at once where only TLS is new. No target
    without TLS is adopted in place of one with TLS.
    """
    if state.unreadable is not None or state.reader is None:
        return state
    moved, asked = state.moved, address.normalize(state.adopted_url or state.url)
    target = fetched.permanent_url or asked
    to = address.normalize(target)
    if to == asked or (asked.startswith("https:") and not to.startswith("https:")):
        return state if state.adopted_url else replace(state, moved=None)
    if moved and address.normalize(moved.to) == to:
        moved = replace(moved, times=moved.times + 1)
    else:
        moved = Moved(to=target, since=fetched.ended)
    is_upgrade = asked.startswith("http:") and to == asked.replace("http:", "https:", 1)
    is_proven = moved.times >= waits.ADOPT_TIMES and fetched.ended - moved.since >= waits.ADOPT_SPAN
    return replace(state, moved=replace(moved, adopted=is_upgrade or is_proven))


def match_renamed_feeds(feeds: Sequence[Feed], states: Mapping[str, FeedState]) -> dict[str, Feed]:
    """Return feeds with a new address in the config, by their former keys.

    The operator replaced an address by the target of its redirect: the target has no state, and
    the former address is no longer in the config.
    """
    unknown = {address.normalize(feed.url): feed for feed in feeds if feed.key not in states}
    configured = {feed.key for feed in feeds}
    former = {
        address.normalize(state.moved.to): key
        for key, state in states.items()
        if state.moved and key not in configured
    }
    return {former[url]: feed for url, feed in unknown.items() if url in former}


def _is_same_address(one: str, other: str) -> bool:
    """Tell whether every server must treat two addresses as equal."""
    return address.normalize(one) == address.normalize(other)


def current_state(feed: Feed, state: FeedState | None) -> FeedState:
    """Return the state of a feed for its present address in the config.

    After a change of the address, the polls of the old one are forgotten, and its contents kept.
    The target of a known move is no change.
    """
    if state is None:
        return FeedState(key=feed.key, url=feed.url)
    moved, is_well = state.moved, not state.failures and not state.given_up
    if moved and _is_same_address(moved.to, feed.url) and (moved.adopted or is_well):
        return replace(state, url=feed.url, moved=None)
    if state.url == feed.url:
        return state
    return FeedState(
        url=feed.url,
        # A run that was killed may have asked there already.
        attempted_at=state.attempted_at if state.interrupted else None,
        **{name: getattr(state, name) for name in _KEPT},
    )


_KEPT = (
    *("key", "profile", "processed_hash", "reader", "picks", "unreadable", "unreadable_kind"),
    *("changed_at", "posts", "health"),
)


# By the operator's word, and by the clock's


def revive(state: FeedState) -> FeedState:
    """Return the state without failures; a feed that was given up is due at once.

    From now on the feed may lead into a private network, but not at an address learned from the
    server.
    """
    settled_at = None if state.given_up else state.settled_at
    return replace(
        reset(state, *_FAILURE, "given_up", "given_up_at", "allowed_at"),
        was_public=state.was_public and bool(state.adopted_url or state.resolved),
        due_at=settled_at and settled_at + min_interval(state),
        due_reason=DueReason.FLOOR if settled_at else None,
    )


def correct_clock(state: FeedState, now: datetime) -> FeedState:
    """Return a state from a clock that ran ahead, with later moments than `now` set to now.

    Clocks may differ by an hour.
    """
    if state.attempted_at is None or state.attempted_at <= now + waits.FLOOR:
        return state
    past: dict[str, Any] = {
        name: min(at, now) for name, at in asdict(state).items() if isinstance(at, datetime)
    }
    past |= {"rests_until": None, "posts": tuple(post for post in state.posts if post <= now)}
    past |= {"due_at": now + min_interval(state), "due_reason": DueReason.FLOOR}
    return replace(state, **past)


# Servers


def update_host(before: HostState | None, feed: Feed, fetched: Fetched) -> HostState | None:
    """Return the state of the last server of an attempt; None while there is nothing to store.

    A 429 of one feed holds for all feeds of the server (R25), and so do two feeds with 503 within
    ten minutes (R26).
    """
    host, at = address.server(fetched.url), fetched.ended
    if not host or fetched.status is None:
        return before
    state = before or HostState(host=host)
    told, floor = retry_after(fetched), policy_floor(feed.policy)
    if fetched.status == 429:
        throttles = min(state.throttles + 1, waits.THROTTLES_MAX)
        # Without Retry-After, twice the floor of the feed, or more if this was said before.
        usual = max(2 * floor, double(waits.FLOOR, throttles - 1, most=waits.BACKOFF_MAX))
        state = replace(state, throttles=throttles, throttled_at=at)
        state = _extend_rest(state, at + (told or min(usual, waits.BACKOFF_MAX)))
    elif state.throttles and state.throttled_at and at - state.throttled_at >= waits.LEARNED_FOR:
        # One less, which halves the gap.
        state = replace(state, throttles=state.throttles - 1, throttled_at=at)
    if fetched.status == 503:
        until, last = at + max(told or floor, floor, waits.FLOOR), state.overloaded_at
        if last and at - last <= waits.OVERLOAD and state.overloaded_feed != feed.key:
            state = _extend_rest(state, max(until, state.overloaded_until or until))
        state = replace(state, overloaded_feed=feed.key, overloaded_at=at, overloaded_until=until)
    return None if state == HostState(host=host) and before is None else state


def _extend_rest(state: HostState, until: datetime) -> HostState:
    """Let a server rest until this moment, if a rest was not to last longer."""
    return replace(state, rests_until=max(until, state.rests_until or until))
