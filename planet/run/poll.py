"""Feeds → answers → store: the one way to ask, and the run that asks those that are due.

`poll` makes all requests there are: for runs, subscription lists, discovery, recovery and looking
at single feeds. Whom it asks, what is written down meanwhile and how a body is read is handed in.
"""

from __future__ import annotations

import logging
from collections import deque
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from planet.model import PollResult
from planet.report import explain_due
from planet.schedule import KnownFeeds, find_host, next_poll, select_due, select_unread
from planet.text.address import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from datetime import datetime

    from planet.errors import FeedError
    from planet.http import AnswerRules
    from planet.model import Feed, FeedState, Fetched, HostState, PolledFeed, PollRequest
    from planet.run.journal import PollJournal
    from planet.run.open import Scope


R = TypeVar("R")

_LOG = logging.getLogger(__name__)

_AHEAD = 32
"""Bodies that may wait for a worker while others are still arriving."""


def poll(
    requests: Sequence[PollRequest],
    journal: PollJournal,
    *,
    read: Callable[[Feed], Callable[[Fetched], R]] | None = None,
    on_disk: Iterable[PollRequest] = (),
    rules: AnswerRules | None = None,
) -> Iterator[PollResult[R]]:
    """Make the requests, each once, and read what comes: feeds, or what `rules` say.

    All requests of Planet are made here.

    First come the bodies that an earlier run left unread `on_disk`, then the answers, in the order
    in which they arrive. `read` gives what turns a body into a result; workers do that while others
    arrive. A request that is not made, and a failure that the journal holds back, is not yielded.

    Raises:
        StateError: what came cannot be stored.
    """
    waiting: deque[tuple[Feed, Fetched, Future[R | FeedError] | None]] = deque()

    def first() -> PollResult[R]:
        feed, fetched, call = waiting.popleft()
        return PollResult(feed, fetched, call.result() if call else None)

    with closing(_ask(requests, journal, [*on_disk], rules)) as arriving:
        for feed, fetched in arriving:
            has_body = fetched.body is not None
            call = journal.run.workers.call(read(feed), fetched) if read and has_body else None
            waiting.append((feed, fetched, call))
            while waiting and (_is_ready(waiting[0][2]) or len(waiting) > _AHEAD):
                yield first()
        while waiting:
            yield first()
    for feed, fetched in journal.deferred():
        yield PollResult(feed, fetched, None)


def _ask(
    requests: Sequence[PollRequest],
    journal: PollJournal,
    on_disk: Sequence[PollRequest],
    rules: AnswerRules | None,
) -> Generator[PolledFeed, None, None]:
    # Most runs have neither, and do without `Run.web`.
    run = journal.run
    if on_disk:
        yield from run.web.recall(on_disk)
    if requests:
        with closing(run.web.fetch(requests, journal, rules)) as coming:
            yield from journal.defer_network_failures(coming)


def _is_ready(call: Future[R | FeedError] | None) -> bool:
    return call is None or call.done()


class PollPlan(NamedTuple):
    """What is to be polled now."""

    requests: list[PollRequest]
    """The feeds to ask."""
    on_disk: list[PollRequest]
    """Those of the others whose body on disk was not read."""


def plan_polls(
    known: KnownFeeds,
    *,
    scope: Scope,
    now: datetime,
) -> PollPlan:
    """Return the feeds to ask, and those of the others whose body on disk was not read."""
    requests = select_due(known, now=now, force=scope.force)
    asked = [request for request in requests if scope.asks(request.feed)]
    keys = {request.feed.key for request in asked}
    left = [
        request
        for request in select_unread(known, now=now)
        if scope.includes(request.feed) and request.feed.key not in keys
    ]
    if _LOG.isEnabledFor(logging.INFO):
        _log_choice(known, asked=keys)
        for request in left:
            _LOG.info("%s: its body on disk is read", log_name(request.feed))
    return PollPlan(asked, left)


def _log_choice(known: KnownFeeds, *, asked: Collection[str]) -> None:
    """Log for each feed whether it is asked in this run, and why."""
    for feed in known.feeds:
        verb = "is asked" if feed.key in asked else "is not asked in this run"
        state = known.states.get(feed.key)
        when = describe_due(feed, state, find_host(feed, state, known.hosts))
        _LOG.info("%s: %s: %s", log_name(feed), verb, when)


def describe_due(feed: Feed, state: FeedState | None, host: HostState | None) -> str:
    """Return when a feed is to be asked next, and why then, in words for a log."""
    if not feed.enabled:
        return "not enabled"
    if feed.is_archived:
        return "archived"
    if feed.is_file:
        return "a file is read in every run"
    at, reason = next_poll(feed, state, host)
    why = explain_due(state, reason) if state and reason else "never asked before"
    return f"due {at:%Y-%m-%d %H:%M:%S} UTC ({why})" if at else why


def log_name(feed: Feed) -> str:
    """Return what to call a feed in a log."""
    return redact(feed.redact(feed.key))
