"""Feeds and their states → which to ask now, in which order, and when each is next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from planet.errors import GAVE_UP
from planet.model import PAGE, DueReason, FeedState, Hints, PollRequest
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
    from collections.abc import Mapping, Sequence

    from planet.model import Feed, HostState, Timetable


class KnownFeeds(NamedTuple):
    """The feeds of a planet, with what is known of them and of their servers."""

    feeds: Sequence[Feed]
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


def select_due(known: KnownFeeds, *, now: datetime, force: bool = False) -> list[PollRequest]:
    """Select the feeds to ask now: important ones first, then those due longest.

    A file is due in every run. With `force`, all feeds are due that were not asked within
    `FORCE_GAP`. Feeds that are given up, or that are to be left alone by their own or their
    server's word, are never selected.
    """
    requests = [
        _build_request(known, feed, state, now=now, force=force)
        for feed, state in _sort_feeds(known)
        if feed.is_file or _is_due(feed, state, now=now, force=force)
    ]
    resting = {host for host, state in known.hosts.items() if is_resting(state, now=now)}
    return [
        request
        for request in requests
        if request.feed.is_file or address.server(request.url) not in resting
    ]


def _is_due(feed: Feed, state: FeedState, *, now: datetime, force: bool) -> bool:
    """Tell whether a feed may be asked now, by what is known of the feed alone."""
    if state.given_up or (state.rests_until is not None and state.rests_until > now):
        return False
    if force:
        return state.attempted_at is None or state.attempted_at <= now - c.FORCE_GAP
    at = plan_poll(feed, state).at
    return (at is None or at <= now) and not is_skipped(_active_hints(state, at, now), now)


def select_unread(known: KnownFeeds, *, now: datetime) -> list[PollRequest]:
    """Select the feeds whose cached body may hold more than their stored entries.

    A run that was killed leaves them so, or an older parser; no request is sent to read them.
    """
    return [
        _build_request(known, feed, state, now=now)
        for feed, state in _sort_feeds(known)
        if _is_unread(state, known.reader)
    ]


def _is_unread(state: FeedState, reader: str) -> bool:
    is_read = state.reader == reader and state.processed_hash is not None
    # A server that never answered left nothing behind; to look would load all that asks.
    has_body = state.answered_url is not None or state.attempted_at is None
    return (state.interrupted or (has_body and not is_read)) and not _is_too_greedy(state)


def _sort_feeds(known: KnownFeeds) -> list[tuple[Feed, FeedState]]:
    """Return the feeds that may be asked at all: important ones first, then those due longest."""
    feeds = [
        (feed, current_state(feed, known.states.get(feed.key)))
        for feed in known.feeds
        if feed.is_asked
    ]
    return sorted(feeds, key=lambda each: (-each[0].priority, each[1].due_at or _NEVER_ASKED))


_NEVER_ASKED = datetime.min.replace(tzinfo=UTC)


def _build_request(
    known: KnownFeeds, feed: Feed, state: FeedState, *, now: datetime, force: bool = False
) -> PollRequest:
    is_read = state.reader == known.reader and not _is_too_greedy(state)
    return PollRequest(
        feed=feed,
        known_hash=state.processed_hash if is_read else None,
        pages=state.profile is None or state.profile.format == PAGE or not state.succeeded_at,
        answered_url=state.answered_url,
        adopted_url=state.adopted_url,
        was_public=state.was_public,
        conditions=choose_conditions(state, now=now, wanted=force),
        resolved=fresh_resolution(state, now=now),
        hints=Hints() if force else _active_hints(state, plan_poll(feed, state).at, now),
    )


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
