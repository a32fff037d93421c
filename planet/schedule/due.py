"""Feeds and their states → which to ask now, in which order, and when each is next."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from planet.errors import GAVE_UP
from planet.model import PAGE, Conditions, DueReason, FeedState, Hints, PollRequest
from planet.schedule import constants as c
from planet.schedule.attempts import (
    choose_conditions,
    current_state,
    fresh_resolution,
)
from planet.schedule.hosts import is_resting
from planet.schedule.waits import earliest_request, is_skipped, min_interval
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.model import Feed, HostState, Timetable


class KnownFeeds(NamedTuple):
    """The feeds of a planet, with what is known of them and of their servers."""

    feeds: Sequence[Feed]
    """All there are: the address to which one has moved may be that of another."""
    states: Mapping[str, FeedState]
    hosts: Mapping[str, HostState]
    reader: str
    """The version of the parser."""


class NextPoll(NamedTuple):
    """When a feed may be asked next, and why not sooner; a moment in the past means now.

    The moment is None when nothing stands in the way, and when the feed is not asked at all.
    """

    at: datetime | None = None
    reason: DueReason | None = None


def select_due(
    known: KnownFeeds,
    *,
    now: datetime,
    force: bool = False,
) -> list[PollRequest]:
    """Select the feeds to ask now: important ones first, then those due longest.

    A file is due in every run. With `force`, all feeds are due that were not asked within
    `FORCE_GAP`. Feeds that are given up, or that are to be left alone by their own or their
    server's word, are never selected.
    """

    def is_due(feed: Feed, state: FeedState) -> bool:
        if feed.is_file:
            return True
        if force:
            at = state.attempted_at
            return at is None or at <= now - c.FORCE_GAP
        at = plan_poll(feed, state).at
        return (at is None or at <= now) and not is_skipped(_active_hints(state, at, now), now)

    return [
        request
        for request, state in _build_requests(known, is_due, now=now, force=force)
        if request.feed.is_file or _may_ask(request, state, known.hosts, now)
    ]


def select_unread(known: KnownFeeds) -> list[PollRequest]:
    """Select the feeds whose cached body may hold more than their stored entries.

    A run that was killed leaves them so, or an older parser; no request is sent to read them.
    """

    def is_unread(_: Feed, state: FeedState) -> bool:
        is_read = state.reader == known.reader and state.processed_hash is not None
        # A server that never answered left nothing behind; to look would load all that asks.
        has_body = state.answered_url is not None or state.attempted_at is None
        return (state.interrupted or (has_body and not is_read)) and not _is_too_greedy(state)

    return [request for request, _ in _build_requests(known, is_unread)]


class _KnownRequest(NamedTuple):
    """A request, and what is known of its feed."""

    request: PollRequest
    state: FeedState


def _build_requests(
    known: KnownFeeds,
    is_wanted: Callable[[Feed, FeedState], bool],
    *,
    now: datetime | None = None,
    force: bool = False,
) -> Iterator[_KnownRequest]:
    """Yield the requests for feeds that are wanted: important ones first, then those due longest.

    Without `now` they are to read cached bodies, and no request is sent.
    """
    feeds = [feed for feed in known.feeds if feed.is_asked]
    states = {feed.key: current_state(feed, known.states.get(feed.key)) for feed in feeds}

    def due_time(feed: Feed) -> float:
        due_at = states[feed.key].due_at
        return due_at.timestamp() if due_at else 0.0

    wanted = [feed for feed in feeds if is_wanted(feed, states[feed.key])]
    wanted.sort(key=lambda feed: (-feed.priority, due_time(feed)))
    owners: dict[str, str] = {}
    if any(states[feed.key].adopted_url for feed in wanted):
        owners = {address.normalize(feed.url): feed.key for feed in feeds}
    for feed in wanted:
        state = states[feed.key]
        adopted_url = state.adopted_url
        if adopted_url and owners.get(address.normalize(adopted_url), feed.key) != feed.key:
            # Another subscription is asked there already.
            adopted_url = None
        is_read = state.reader == known.reader and not _is_too_greedy(state)
        profile = state.profile
        request = PollRequest(
            feed=feed,
            known_hash=state.processed_hash if is_read else None,
            pages=profile is None or profile.format == PAGE or not state.succeeded_at,
            answered_url=state.answered_url,
            adopted_url=adopted_url,
            was_public=state.was_public,
            conditions=choose_conditions(state, now=now, wanted=force) if now else Conditions.ALL,
            resolved=fresh_resolution(state, now=now) if now else None,
            hints=_active_hints(state, plan_poll(feed, state).at, now)
            if now and not force
            else Hints(),
        )
        yield _KnownRequest(request, state)


def _may_ask(
    request: PollRequest, state: FeedState, hosts: Mapping[str, HostState], now: datetime
) -> bool:
    """Tell whether neither the feed nor its server is to be left alone."""
    if state.given_up or is_resting(hosts.get(address.server(request.url)), now=now):
        return False
    return state.rests_until is None or state.rests_until <= now


def _active_hints(state: FeedState, due_at: datetime | None, now: datetime) -> Hints:
    """Return the hints of a feed (R17); none once it has been due for `SKIP_PATIENCE`."""
    if state.profile is None or (due_at is not None and now - due_at >= c.SKIP_PATIENCE):
        return Hints()
    return state.profile.hints


def _is_too_greedy(state: FeedState) -> bool:
    """Tell whether reading its body was given up: it is read again when the feed is due."""
    return state.unreadable_kind in GAVE_UP


# When


def next_poll(feed: Feed, state: FeedState | None, host: HostState | None) -> NextPoll:
    """Return when a feed may be asked next, with `host`, the state of the server to ask."""
    if feed.is_file or not feed.is_asked:
        return NextPoll()
    state = current_state(feed, state)
    if state.given_up:
        return NextPoll(None, DueReason.GIVEN_UP)
    poll = plan_poll(feed, state)
    if poll.at and host and host.rests_until and host.rests_until > poll.at:
        return NextPoll(host.rests_until, DueReason.HOST)
    return poll


def plan_poll(feed: Feed, state: FeedState) -> NextPoll:
    """Return when a feed is due by its state and by the releases of its editions."""
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
    """Return when a feed is due that is shown only after releases of its editions.

    `at` is when it is due by its own pace. Before each release there is a window (`RELEASE_LEAD`)
    in which the last run before it falls; the feed is due when that opens, but never sooner than
    it and its server allow. A feed that was read in the window waits for the release after.

    A feed with so many posts that some may be listed no longer by then is due sooner.
    """
    earliest = at
    if not state.interrupted and (allowed := earliest_request(state, feed.policy)):
        earliest = min(at, allowed)
    lead, read_at = c.RELEASE_LEAD, state.succeeded_at
    moments = []
    for release in feed.policy.releases:
        comes_out = release.next(max(earliest, at - lead))
        while read_at is not None and read_at >= _window_start(release, comes_out, lead):
            comes_out = release.next(comes_out)
        moments.append(max(earliest, _window_start(release, comes_out, lead)))
    posts = state.posts
    spans = [last - first for first, last in zip(posts, posts[c.FEW_LISTED - 1 :], strict=False)]
    if spans and read_at is not None:
        moments.append(max(at, read_at + min(spans)))
    return min(moments)


def _window_start(release: Timetable, comes_out: datetime, lead: timedelta) -> datetime:
    """Return when the window before a release opens: not before the previous release."""
    return max(comes_out - lead, release.last(comes_out - timedelta.resolution))
