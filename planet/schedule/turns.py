"""Feeds and what is known of them → whose turn it is, in the order in which to ask."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet import address
from planet.errors import GAVE_UP
from planet.model import PAGE, DueReason, Hints, Turn
from planet.schedule.constants import FORCE_GAP, SKIP_PATIENCE
from planet.schedule.hosts import rests
from planet.schedule.known import known_of, ran_ahead
from planet.schedule.learned import believed
from planet.schedule.releases import put_off
from planet.schedule.upcoming import skips
from planet.schedule.validators import conditions
from planet.schedule.waits import least

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from planet.model import Feed, HostMemory, Memory


def due(
    feeds: Iterable[Feed],
    memories: Mapping[str, Memory],
    hosts: Mapping[str, HostMemory],
    *,
    reader: str,
    now: datetime,
) -> list[Turn]:
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
    memories: Mapping[str, Memory],
    hosts: Mapping[str, HostMemory],
    *,
    reader: str,
    now: datetime,
) -> list[Turn]:
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


def unread(feeds: Iterable[Feed], memories: Mapping[str, Memory], *, reader: str) -> list[Turn]:
    """The feeds whose body on disk may hold more than the stored entries.

    A run that was killed, or a newer parser, leaves them so; no request is needed to mend it.
    """
    return [
        turn
        for turn, memory in _turns(feeds, memories, reader)
        if turn.reread and not _took_too_much(memory)
    ]


def next_poll(
    feed: Feed, memory: Memory | None, host: HostMemory | None
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
    feeds: Iterable[Feed], memories: Mapping[str, Memory], reader: str
) -> Iterator[tuple[Turn, Memory]]:
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


def _turn(feed: Feed, memory: Memory, reader: str) -> Turn:
    read = memory.reader == reader and not _took_too_much(memory)
    known_hash = memory.processed_hash if read else None
    return Turn(
        feed=feed,
        known_hash=known_hash,
        reread=known_hash is None or memory.interrupted,
        pages=memory.profile is None or memory.profile.format == PAGE or not memory.succeeded_at,
        answered_url=memory.answered_url,
        redirect=memory.redirect,
    )


def _informed(turn: Turn, memory: Memory, *, now: datetime, wanted: bool) -> Turn:
    """With how to ask; `wanted` is a feed that the operator asks for."""
    return replace(
        turn,
        conditions=conditions(memory, now=now, wanted=wanted),
        resolved=believed(memory, now=now),
    )


def _order(feed: Feed, memory: Memory) -> tuple[int, float]:
    return -feed.priority, memory.due_at.timestamp() if memory.due_at else 0.0


def _is_due(feed: Feed, memory: Memory, now: datetime) -> bool:
    at, _ = planned(feed, memory)
    return at is None or at <= now or ran_ahead(memory, now)


def planned(feed: Feed, memory: Memory) -> tuple[datetime | None, DueReason | None]:
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


def _due(feed: Feed, memory: Memory) -> tuple[datetime | None, DueReason | None]:
    """When a feed may be asked next, for all it knows of itself."""
    if memory.interrupted and memory.attempted_at is not None:
        # A request went out, and nobody lived to write down when the next may: the floor holds.
        return memory.attempted_at + least(memory, feed.asking), DueReason.FLOOR
    return memory.due_at, memory.due_reason


def _may_ask(turn: Turn, memory: Memory, hosts: Mapping[str, HostMemory], now: datetime) -> bool:
    """Whether nobody has asked us to leave the feed, or its server, alone."""
    if memory.given_up or rests(hosts.get(address.host(turn.url)), now=now):
        return False
    until = memory.rests_until
    return until is None or until <= now or ran_ahead(memory, now)


def _heeded(feed: Feed, memory: Memory, now: datetime) -> Hints:
    """What a feed says of when not to ask; nothing once it has been due for `SKIP_PATIENCE`."""
    at, _ = planned(feed, memory)
    if memory.profile is None or (at is not None and now - at >= SKIP_PATIENCE):
        return Hints()
    return memory.profile.hints


def _was_just_asked(memory: Memory, now: datetime) -> bool:
    at = memory.attempted_at
    return at is not None and at > now - FORCE_GAP and not ran_ahead(memory, now)


def _took_too_much(memory: Memory) -> bool:
    """Whether reading its body was given up: it is tried again, but not before it is due."""
    return memory.unreadable_kind in GAVE_UP
