"""Feeds and their states → which to ask now, in which order and how, and when each is next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from planet.errors import GAVE_UP
from planet.model import PAGE, Conditions, DueReason, PollRequest
from planet.schedule import waits
from planet.schedule.record import current_state, omits_etag
from planet.schedule.waits import double, earliest_request, min_interval
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from planet.model import Feed, FeedState, HostState


class KnownFeeds(NamedTuple):
    """The feeds of a planet, with the states of feeds and servers."""

    feeds: Sequence[Feed]
    states: Mapping[str, FeedState]
    hosts: Mapping[str, HostState]
    reader: Callable[[Feed], str]
    """The reader of a feed, by name and version, as in `FeedState`."""


class NextPoll(NamedTuple):
    """When a feed may be asked next, and why not sooner; a moment in the past means now.

    The moment is None when nothing stands in the way, and when the feed is never asked.
    """

    at: datetime | None = None
    reason: DueReason | None = None


def select_due(known: KnownFeeds, *, now: datetime, force: bool = False) -> list[PollRequest]:
    """Select the feeds to ask now: important ones first, then those due longest.

    A file is due in every run. With `force`, all feeds are due but those asked within `FORCE_GAP`.
    A feed is never selected while it is given up, or while its server asks to be left alone.
    """
    resting = {host for host, state in known.hosts.items() if is_resting(state, now=now)}
    requests = [
        _build_request(known, feed, state, now=now, force=force)
        for feed, state in _sort_feeds(known)
        if feed.is_file or _is_due(feed, state, now=now, force=force)
    ]
    # No file is on a server.
    return [request for request in requests if address.server(request.url) not in resting]


def _is_due(feed: Feed, state: FeedState, *, now: datetime, force: bool) -> bool:
    """Tell whether a feed may be asked now, by the state of the feed alone (R17)."""
    if state.given_up or (state.rests_until is not None and state.rests_until > now):
        return False
    if force:
        return state.attempted_at is None or state.attempted_at <= now - waits.FORCE_GAP
    at, hints = plan_poll(feed, state).at or now, state.hints
    is_skipped = now.hour in hints.skip_hours or now.weekday() in hints.skip_days
    return at <= now and not (is_skipped and now - at < waits.SKIP_PATIENCE)


def select_unread(known: KnownFeeds, *, now: datetime) -> list[PollRequest]:
    """Select the feeds whose cached body may hold more than their stored entries.

    A killed run leaves them so, or an older parser; no request is sent to read them.
    """
    requests = []
    for feed, state in _sort_feeds(known):
        is_read = state.reader == known.reader(feed) and state.processed_hash is not None
        # A server that never answered left nothing behind; to look would load all that asks.
        has_body = state.answered_url is not None or state.attempted_at is None
        is_unread = state.interrupted or (has_body and not is_read)
        if is_unread and state.unreadable_kind not in GAVE_UP:
            requests.append(_build_request(known, feed, state, now=now))
    return requests


def _sort_feeds(known: KnownFeeds) -> list[tuple[Feed, FeedState]]:
    """Return the enabled feeds: important ones first, then those due longest."""
    feeds = [
        (feed, current_state(feed, known.states.get(feed.key)))
        for feed in known.feeds
        if feed.is_asked
    ]
    never = datetime.min.replace(tzinfo=UTC)
    return sorted(feeds, key=lambda each: (-each[0].priority, each[1].due_at or never))


def _build_request(
    known: KnownFeeds, feed: Feed, state: FeedState, *, now: datetime, force: bool = False
) -> PollRequest:
    # A body that took too much to read is read again when its feed is due.
    is_read = state.reader == known.reader(feed) and state.unreadable_kind not in GAVE_UP
    # People move and rename themselves: a name is followed again after a while.
    is_resolved = state.resolved_at is not None and now - state.resolved_at < waits.RESOLVED_FOR
    return PollRequest(
        feed=feed,
        known_hash=state.processed_hash if is_read else None,
        pages=state.profile is None or state.profile.format == PAGE or not state.succeeded_at,
        answered_url=state.answered_url,
        adopted_url=state.adopted_url,
        was_public=state.was_public,
        conditions=_choose_conditions(state, now=now, force=force),
        resolved=state.resolved if is_resolved else None,
    )


def _choose_conditions(state: FeedState, *, now: datetime, force: bool) -> Conditions:
    """Choose the validators for the next request of a feed: all stored ones, as a rule.

    None is sent when only 304 has come for very long (`AUDIT`), or when the stored body could not
    be read and the operator asks for the feed again, by `force` or by `planet retry`.
    """
    last = max(filter(None, (state.whole_at, state.audited_at)), default=now)
    gaps = [(later - one).total_seconds() for one, later in pairwise(state.posts)]
    quiet = timedelta(seconds=waits.AUDIT_GAPS * median(gaps or [0]))
    is_unsure = not (state.failures or force) and now - last >= max(waits.AUDIT, quiet)
    is_recent = state.audited_at is not None and now - state.audited_at < waits.WHOLE_AGAIN
    is_wanted = state.unreadable is not None and (force or not state.failures)
    if is_unsure or (is_wanted and not is_recent):
        return Conditions.NONE
    return Conditions.DATE if omits_etag(state, now) else Conditions.ALL


# When


def next_poll(feed: Feed, state: FeedState | None, hosts: Mapping[str, HostState]) -> NextPoll:
    """Return when a feed may be asked next, by the states of the feed and its server."""
    if feed.is_file or not feed.is_asked:
        return NextPoll()
    state = current_state(feed, state)
    if state.given_up:
        return NextPoll(None, DueReason.GIVEN_UP)
    poll, host = plan_poll(feed, state), hosts.get(address.server(state.asked_url or feed.url))
    if poll.at and host and host.rests_until and host.rests_until > poll.at:
        return NextPoll(host.rests_until, DueReason.HOST)
    return poll


def plan_poll(feed: Feed, state: FeedState) -> NextPoll:
    """Return when a feed is due, by its state and the releases of editions."""
    at, reason = state.due_at, state.due_reason
    if state.interrupted and state.attempted_at is not None:
        # A request was sent, and the run ended before the due time was set: the floor holds.
        at, reason = state.attempted_at + min_interval(state, feed.policy), DueReason.FLOOR
    if at is None or not feed.policy.releases:
        return NextPoll(at, reason)
    # Not stored, so that a change of the config works at once.
    moment = due_before_release(at, feed, state)
    return NextPoll(moment, reason if moment == at else DueReason.RELEASE)


def due_before_release(at: datetime, feed: Feed, state: FeedState) -> datetime:
    """Return when a feed of calm editions is due, which show posts after a release only.

    `at` is the due time by the feed's own pace. The feed is due `RELEASE_LEAD` before a release,
    when the last run before the release may begin, but never sooner than feed and server allow. A
    feed read after this moment waits for the next release.

    A feed with many posts is due sooner: before some of them may be listed no longer.
    """
    lead, read_at = waits.RELEASE_LEAD, state.succeeded_at
    earliest = at if state.interrupted else min(at, earliest_request(state, feed.policy) or at)
    after = max(earliest, at - lead, read_at + lead if read_at else earliest)
    moments = [max(earliest, release.next(after) - lead) for release in feed.policy.releases]
    later = state.posts[waits.FEW_LISTED - 1 :]
    spans = [last - first for first, last in zip(state.posts, later, strict=False)]
    if spans and read_at is not None:
        moments.append(max(at, read_at + min(spans)))
    return min(moments)


# Servers


def is_resting(state: HostState | None, *, now: datetime) -> bool:
    """Tell whether a server must not be asked for anything now.

    A longer rest than `RETRY_AFTER_MAX` was stored while the clock ran ahead; clocks may differ by
    an hour.
    """
    until = state.rests_until if state else None
    return until is not None and now < until <= now + waits.RETRY_AFTER_MAX + waits.FLOOR


def request_gap(host: str, state: HostState | None, setting: timedelta) -> timedelta:
    """Return the least time between two requests to a server, `host:port`.

    The gap is the operator's `setting`, or longer for some servers (`GAPS`). Each 429 of the last
    weeks doubles the gap.
    """
    name = f".{host.rpartition(':')[0]}"
    least = max([setting, *(gap for of, gap in waits.GAPS.items() if name.endswith(f".{of}"))])
    if state is None or not state.throttles:
        return least
    return max(least, double(max(least, waits.GAP_THROTTLED), state.throttles, most=waits.GAP_MAX))
