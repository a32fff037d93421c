"""Feeds and what is known of them → whom to ask now, in which order, and when each is next."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from planet.errors import GAVE_UP
from planet.model import PAGE, Conditions, DueReason, FeedState, Hints, PollRequest
from planet.schedule import constants as c
from planet.schedule.attempts import (
    choose_conditions,
    current_state,
    fresh_resolution,
    is_from_future,
)
from planet.schedule.waits import earliest_request, is_resting, is_skipped, min_interval
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.model import Feed, HostState, Timetable


def select_due(
    feeds: Iterable[Feed],
    states: Mapping[str, FeedState],
    hosts: Mapping[str, HostState],
    *,
    reader: str,
    now: datetime,
    idle: Collection[str] = (),
    force: bool = False,
    run_every: timedelta = c.RUN_EVERY,
) -> list[PollRequest]:
    """The feeds that may be asked now: important ones first, then those due longest.

    A feed read from disk is due in every run. `reader` is the version of the parser. `feeds` are
    all there are, because the address that one has moved to may be that of another; those with the
    keys `idle` are known not to be due. `run_every` is the usual time from one run to the next.
    With `force` it is all feeds, due or not. Left out are those that were asked a moment ago, that
    are given up, or that are to be left alone because they or their server said so.
    """

    def is_due(feed: Feed, state: FeedState) -> bool:
        if feed.is_file:
            return True
        mark = state.clock_mark
        if mark and mark.due_at and mark.attempted_at <= now < mark.due_at:
            # By the clock of then, which the clock here has caught up with.
            return False
        if force:
            at = state.attempted_at
            return at is None or at <= now - c.FORCE_GAP or is_from_future(state, now)
        at, _ = plan_request(feed, state, run_every=run_every)
        is_time = at is None or at <= now or is_from_future(state, now)
        return is_time and not is_skipped(_active_hints(state, at, now), now)

    idle = () if force else idle
    return _build_requests(
        feeds, states, hosts, is_due, reader=reader, now=now, force=force, idle=idle
    )


def select_unread(
    feeds: Iterable[Feed], states: Mapping[str, FeedState], *, reader: str
) -> list[PollRequest]:
    """The feeds whose body on disk may hold more than the stored entries.

    A run that was killed, or a newer parser, leaves them so; no request is needed to mend it.
    """

    def is_unread(_: Feed, state: FeedState) -> bool:
        is_read = state.reader == reader and state.processed_hash is not None
        # A server that never answered left nothing behind; to look would load all that asks.
        has_body = state.answered_url is not None or state.attempted_at is None
        return (state.interrupted or (has_body and not is_read)) and not _is_too_greedy(state)

    return _build_requests(feeds, states, None, is_unread, reader=reader)


def _build_requests(
    feeds: Iterable[Feed],
    states: Mapping[str, FeedState],
    hosts: Mapping[str, HostState] | None,
    wants: Callable[[Feed, FeedState], bool],
    *,
    reader: str,
    now: datetime | None = None,
    force: bool = False,
    idle: Collection[str] = (),
) -> list[PollRequest]:
    """How to ask those that are enabled and wanted, in order; without `now`, how to read them.

    With `hosts`, nobody is asked who wants to be left alone.
    """
    enabled = [feed for feed in feeds if feed.enabled]
    wanted = [
        (feed, state)
        for feed in enabled
        if feed.key not in idle
        for state in [current_state(feed, states.get(feed.key))]
        if wants(feed, state)
    ]
    wanted.sort(key=lambda pair: _sort_key(*pair))
    owners: dict[str, str] = {}
    if any(state.adopted_url for _, state in wanted):
        owners = {address.normalize(feed.url): feed.key for feed in enabled}
    requests = []
    for feed, state in wanted:
        adopted_url = state.adopted_url
        if adopted_url and owners.get(address.normalize(adopted_url), feed.key) != feed.key:
            # Another subscription is asked there already.
            adopted_url = None
        if state.merged_into is not None:
            # It is to be seen whether its own address still leads there.
            adopted_url = None
        is_read = state.reader == reader and not _is_too_greedy(state)
        profile = state.profile
        request = PollRequest(
            feed=feed,
            known_hash=state.processed_hash if is_read else None,
            pages=profile is None or profile.format == PAGE or not state.succeeded_at,
            answered_url=state.answered_url,
            adopted_url=adopted_url,
            redirect=state.redirect,
            was_public=state.was_public,
            conditions=choose_conditions(state, now=now, wanted=force) if now else Conditions.ALL,
            resolved=fresh_resolution(state, now=now) if now else None,
            hints=_active_hints(state, plan_request(feed, state)[0], now)
            if now and not force
            else Hints(),
        )
        if hosts is None or now is None or feed.is_file or _may_ask(request, state, hosts, now):
            requests.append(request)
    return requests


def _sort_key(feed: Feed, state: FeedState) -> tuple[int, float]:
    return -feed.priority, state.due_at.timestamp() if state.due_at else 0.0


def _may_ask(
    request: PollRequest, state: FeedState, hosts: Mapping[str, HostState], now: datetime
) -> bool:
    """Whether nobody has asked us to leave the feed, or its server, alone."""
    if state.given_up or is_resting(hosts.get(address.server(request.url)), now=now):
        return False
    mark = state.clock_mark
    if mark and mark.rests_until and mark.attempted_at <= now < mark.rests_until:
        return False
    until = state.rests_until
    return until is None or until <= now or is_from_future(state, now)


def _active_hints(state: FeedState, due_at: datetime | None, now: datetime) -> Hints:
    """What a feed says of when not to ask; nothing once it has been due for `SKIP_PATIENCE`."""
    if state.profile is None or (due_at is not None and now - due_at >= c.SKIP_PATIENCE):
        return Hints()
    return state.profile.hints


def _is_too_greedy(state: FeedState) -> bool:
    """Whether reading its body was given up: it is tried again, but not before it is due."""
    return state.unreadable_kind in GAVE_UP


# When


def next_poll(
    feed: Feed, state: FeedState | None, host: HostState | None
) -> tuple[datetime | None, DueReason | None]:
    """When a feed may be asked next, and why not sooner; a moment that is past means now.

    `host` is what is known of the server at the address where it is asked. The moment is None when
    nothing is known that stands in the way, and when the feed is not asked at all.
    """
    if feed.is_file or not feed.enabled:
        return None, None
    state = current_state(feed, state)
    if state.given_up:
        return None, DueReason.GIVEN_UP
    at, reason = plan_request(feed, state)
    if at and host and host.rests_until and host.rests_until > at:
        return host.rests_until, DueReason.HOST
    return at, reason


def plan_request(
    feed: Feed, state: FeedState, *, run_every: timedelta = c.RUN_EVERY
) -> tuple[datetime | None, DueReason | None]:
    """When a feed is to be asked next, for all that is known of it and of who wants it.

    `run_every` is the usual time from one run to the next.
    """
    at, reason = state.due_at, state.due_reason
    if state.interrupted and state.attempted_at is not None:
        # A request went out, and nobody lived to write down when the next may: the floor holds.
        at, reason = state.attempted_at + min_interval(state, feed.policy), DueReason.FLOOR
    if at is None or not feed.policy.releases:
        return at, reason
    # Decided anew each time: a change of the config works at once.
    moment = due_before_release(at, feed, state, run_every=run_every)
    return moment, reason if moment == at else DueReason.RELEASE


def due_before_release(
    at: datetime, feed: Feed, state: FeedState, *, run_every: timedelta
) -> datetime:
    """Return when a feed is due that nobody wants before the next release of one of its editions.

    Without releases it would be due `at` a moment. Before each release there is a time in which the
    last run before it falls, and in that the feed is due: later than by its pace, or sooner where
    the pace would have it asked after the release; never sooner than it and its server allow. One
    that was read in that time has done its part, and waits for the release after.

    One that posts so much that it may list some no longer by then is asked sooner.
    """
    earliest = at
    if not state.interrupted and (allowed := earliest_request(state, feed.policy)):
        earliest = min(at, allowed)
    lead, read_at = release_lead(run_every), state.succeeded_at
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
    if state.turnover is not None and read_at is not None:
        moments.append(max(at, read_at + state.turnover / 2))
    return min(moments)


def release_lead(run_every: timedelta) -> timedelta:
    """How long before a release the feeds are asked that only it shows.

    The last run before it comes in that time.
    """
    return run_every * c.RUN_LATE


def _window_start(release: Timetable, comes_out: datetime, lead: timedelta) -> datetime:
    """When the time before a release begins: not before the release that came before it."""
    return max(comes_out - lead, release.last(comes_out - timedelta.resolution))


def usual_interval(runs: Sequence[datetime]) -> timedelta:
    """Return the usual time from one run to the next, by when the last ones began.

    It is one that a tenth of them exceeds, because schedules are kept badly.
    """
    gaps = sorted(later - earlier for earlier, later in pairwise(runs) if later > earlier)
    if len(gaps) < c.RUNS_TELL:
        return c.RUN_EVERY
    return gaps[int(0.9 * (len(gaps) - 1))]
