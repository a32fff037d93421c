"""Feeds and what is known of them → whose turn it is, in the order in which to ask."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet.errors import GAVE_UP
from planet.model import PAGE, DueReason, Hints, PollRequest
from planet.schedule.attempts import conditions
from planet.schedule.causes import known_of, ran_ahead
from planet.schedule.constants import (
    FEW_LISTED,
    FORCE_GAP,
    RELEASE_LEAD,
    RELEASE_SPREAD,
    SKIP_PATIENCE,
)
from planet.schedule.hosts import rests
from planet.schedule.rhythm import believed
from planet.schedule.waits import least, share, skips
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.model import Feed, FeedState, HostState, Timetable


def put_off(
    at: datetime,
    key: str,
    releases: Iterable[Timetable],
    *,
    succeeded_at: datetime | None,
    posts: Sequence[datetime] = (),
) -> datetime:
    """The moment itself, or a later one that is soon enough for the first release after it.

    `posts` are when the feed's last entries were posted, oldest first: one that posts so much that
    it may list some no longer by then is asked sooner.

    Feeds have moments of their own early in the time before a release, so that not all
    are asked at once, and a run that comes late in it still finds all of them due. One that was
    read in that time has done its part, and waits for the release after.
    """
    moments = [_moment(at, key, release, succeeded_at) for release in releases]
    spans = [last - first for first, last in zip(posts, posts[FEW_LISTED - 1 :], strict=False)]
    if spans and succeeded_at is not None:
        moments.append(max(at, succeeded_at + min(spans)))
    return min(moments)


def _moment(at: datetime, key: str, release: Timetable, succeeded_at: datetime | None) -> datetime:
    comes_out = release.next(at)
    while True:
        drawn = share(key, comes_out, "release")
        opens = comes_out - RELEASE_LEAD + RELEASE_SPREAD * drawn
        if succeeded_at is None or succeeded_at < comes_out - RELEASE_LEAD:
            return max(at, opens)
        comes_out = release.next(comes_out)


def due(
    feeds: Iterable[Feed],
    memories: Mapping[str, FeedState],
    hosts: Mapping[str, HostState],
    *,
    reader: str,
    now: datetime,
) -> list[PollRequest]:
    """The feeds that may be asked now: important ones first, then those due longest.

    A feed read from disk is due in every run. `reader` is the version of the parser. `feeds` are
    all there are, because the address that one has moved to may be that of another.
    """
    return [
        replace(_informed(turn, memory, now=now, wanted=False), hints=hints)
        for turn, memory in _turns(feeds, memories, reader)
        for hints in [_heeded(turn.feed, memory, now)]
        if turn.feed.is_file
        or (
            _is_due(turn.feed, memory, now)
            and not skips(hints, now)
            and _may_ask(turn, memory, hosts, now)
        )
    ]


def forced(
    feeds: Iterable[Feed],
    memories: Mapping[str, FeedState],
    hosts: Mapping[str, HostState],
    *,
    reader: str,
    now: datetime,
) -> list[PollRequest]:
    """All feeds, due or not, each with its validators; `feeds` as for `due`.

    Left out are those that were asked a moment ago, that are given up, or that are to be left
    alone because they or their server said so.
    """
    return [
        _informed(turn, memory, now=now, wanted=True)
        for turn, memory in _turns(feeds, memories, reader)
        if turn.feed.is_file
        or (_may_ask(turn, memory, hosts, now) and not _was_just_asked(memory, now))
    ]


def unread(
    feeds: Iterable[Feed], memories: Mapping[str, FeedState], *, reader: str
) -> list[PollRequest]:
    """The feeds whose body on disk may hold more than the stored entries.

    A run that was killed, or a newer parser, leaves them so; no request is needed to mend it.
    """
    return [
        turn
        for turn, memory in _turns(feeds, memories, reader)
        if turn.reread and not _took_too_much(memory)
    ]


def next_poll(
    feed: Feed, memory: FeedState | None, host: HostState | None
) -> tuple[datetime | None, DueReason | None]:
    """When a feed may be asked next, and why not sooner; a moment that is past means now.

    `host` is what is known of the server at the address where it is asked. The moment is None when
    nothing is known that stands in the way, and when the feed is not asked at all.
    """
    if feed.is_file or not feed.enabled:
        return None, None
    known = known_of(feed, memory)
    if known.given_up:
        return None, DueReason.GIVEN_UP
    at, reason = planned(feed, known)
    if at and host and host.rests_until and host.rests_until > at:
        return host.rests_until, DueReason.HOST
    return at, reason


def _turns(
    feeds: Iterable[Feed], memories: Mapping[str, FeedState], reader: str
) -> Iterator[tuple[PollRequest, FeedState]]:
    """The turns of those that are enabled, in the order in which to ask, and what is known."""
    known = [(feed, known_of(feed, memories.get(feed.key))) for feed in feeds if feed.enabled]
    known.sort(key=lambda each: _order(*each))
    owners = {address.same(feed.url): feed.key for feed, _ in known}
    for feed, memory in known:
        adopted_url = memory.adopted_url
        if adopted_url and owners.get(address.same(adopted_url), feed.key) != feed.key:
            # Another subscription is asked there already.
            adopted_url = None
        yield replace(_turn(feed, memory, reader), adopted_url=adopted_url), memory


def _turn(feed: Feed, memory: FeedState, reader: str) -> PollRequest:
    read = memory.reader == reader and not _took_too_much(memory)
    known_hash = memory.processed_hash if read else None
    return PollRequest(
        feed=feed,
        known_hash=known_hash,
        reread=known_hash is None or memory.interrupted,
        pages=memory.profile is None or memory.profile.format == PAGE or not memory.succeeded_at,
        answered_url=memory.answered_url,
        redirect=memory.redirect,
    )


def _informed(turn: PollRequest, memory: FeedState, *, now: datetime, wanted: bool) -> PollRequest:
    """With how to ask; `wanted` is a feed that the operator asks for."""
    return replace(
        turn,
        conditions=conditions(memory, now=now, wanted=wanted),
        resolved=believed(memory, now=now),
    )


def _order(feed: Feed, memory: FeedState) -> tuple[int, float]:
    return -feed.priority, memory.due_at.timestamp() if memory.due_at else 0.0


def _is_due(feed: Feed, memory: FeedState, now: datetime) -> bool:
    at, _ = planned(feed, memory)
    return at is None or at <= now or ran_ahead(memory, now)


def planned(feed: Feed, memory: FeedState) -> tuple[datetime | None, DueReason | None]:
    """When a feed is to be asked next, for all that is known of it and of who wants it."""
    at, reason = _due(feed, memory)
    if at is None or not feed.asking.releases:
        return at, reason
    # Decided anew each time: a change of the config works at once.
    later = put_off(
        at,
        feed.key,
        feed.asking.releases,
        succeeded_at=memory.succeeded_at,
        posts=memory.posts,
    )
    return later, reason if later == at else DueReason.RELEASE


def _due(feed: Feed, memory: FeedState) -> tuple[datetime | None, DueReason | None]:
    """When a feed may be asked next, for all it knows of itself."""
    if memory.interrupted and memory.attempted_at is not None:
        # A request went out, and nobody lived to write down when the next may: the floor holds.
        return memory.attempted_at + least(memory, feed.asking), DueReason.FLOOR
    return memory.due_at, memory.due_reason


def _may_ask(
    turn: PollRequest, memory: FeedState, hosts: Mapping[str, HostState], now: datetime
) -> bool:
    """Whether nobody has asked us to leave the feed, or its server, alone."""
    if memory.given_up or rests(hosts.get(address.host(turn.url)), now=now):
        return False
    until = memory.rests_until
    return until is None or until <= now or ran_ahead(memory, now)


def _heeded(feed: Feed, memory: FeedState, now: datetime) -> Hints:
    """What a feed says of when not to ask; nothing once it has been due for `SKIP_PATIENCE`."""
    at, _ = planned(feed, memory)
    if memory.profile is None or (at is not None and now - at >= SKIP_PATIENCE):
        return Hints()
    return memory.profile.hints


def _was_just_asked(memory: FeedState, now: datetime) -> bool:
    at = memory.attempted_at
    return at is not None and at > now - FORCE_GAP and not ran_ahead(memory, now)


def _took_too_much(memory: FeedState) -> bool:
    """Whether reading its body was given up: it is tried again, but not before it is due."""
    return memory.unreadable_kind in GAVE_UP
