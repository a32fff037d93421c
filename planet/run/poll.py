"""Requests → answers → readings, with a journal of the attempts.

`poll` makes all requests there are: for runs, subscription lists, faces, discovery, recovery and
single feeds. `plan_polls` chooses the feeds to ask; `PollJournal` stores attempts before the first
request, and defers failures while the network here may be down.
"""

from __future__ import annotations

import logging
from collections import deque
from contextlib import closing
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from planet.errors import FetchError
from planet.model import ParseResult, PollResult
from planet.report import explain_due
from planet.run.read import read_answer
from planet.schedule import (
    NETWORK,
    is_resting,
    next_poll,
    request_gap,
    select_due,
    select_unread,
    undo_attempt,
    update_host,
)
from planet.schedule.waits import OUTAGE_FEEDS, OUTAGE_HOSTS
from planet.text import address
from planet.text.address import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
    from concurrent.futures import Future
    from datetime import datetime, timedelta

    from planet.errors import FeedError
    from planet.http import AnswerRules
    from planet.model import (
        Feed,
        FeedState,
        Fetched,
        HostState,
        PolledFeed,
        PollRequest,
    )
    from planet.run.open import Run, Scope
    from planet.run.read import ReadOptions
    from planet.schedule import KnownFeeds


_LOG = logging.getLogger(__name__)

_AHEAD = 32
"""Bodies that may wait for a worker while others are still arriving."""


# Whom to ask


class PollPlan(NamedTuple):
    """The polls of a run."""

    requests: list[PollRequest]
    """The feeds to ask."""
    on_disk: list[PollRequest]
    """Those of the others whose cached body was not read."""


def plan_polls(known: KnownFeeds, *, scope: Scope, now: datetime) -> PollPlan:
    """Choose the feeds to ask, and those of the others whose cached body is to be read."""
    due = select_due(known, now=now, force=scope.force)
    requests = [request for request in due if scope.asks(request.feed)]
    keys = {request.feed.key for request in requests}
    unread = [request for request in select_unread(known, now=now) if request.feed.key not in keys]
    on_disk = [request for request in unread if scope.includes(request.feed)]
    if _LOG.isEnabledFor(logging.INFO):
        for feed in known.feeds:
            verb = "is asked" if feed.key in keys else "is not asked in this run"
            state = known.states.get(feed.key)
            when = describe_due(feed, state, known.hosts)
            _LOG.info("%s: %s: %s", log_name(feed), verb, when)
        for request in on_disk:
            _LOG.info("%s: its body on disk is read", log_name(request.feed))
    return PollPlan(requests, on_disk)


def describe_due(feed: Feed, state: FeedState | None, hosts: Mapping[str, HostState]) -> str:
    """Return when a feed is to be asked next, and the reason, in words for a log."""
    if not feed.enabled:
        return "not enabled"
    if feed.is_archived:
        return "archived"
    if feed.is_file:
        return "a file is read in every run"
    at, reason = next_poll(feed, state, hosts)
    why = explain_due(state, reason) if state and reason else "never asked before"
    return f"due {at:%Y-%m-%d %H:%M:%S} UTC ({why})" if at else why


def log_name(feed: Feed) -> str:
    """Return the name of a feed in a log."""
    return redact(feed.redact(feed.key))


# Asking


def poll(
    requests: Sequence[PollRequest],
    journal: PollJournal,
    *,
    read: Callable[[Feed], ReadOptions] | None = None,
    on_disk: Sequence[PollRequest] = (),
    rules: AnswerRules | None = None,
) -> Iterator[PollResult[ParseResult]]:
    """Make the requests, each once, and read the bodies: of feeds, or of the kind in `rules`.

    All requests of Planet are made here. First come the bodies left unread `on_disk` by an earlier
    run, then the answers in the order of arrival. With `read`, workers read bodies while others
    arrive. Nothing is yielded of requests not made, and of failures deferred by the journal.

    Raises:
        StateError: an answer cannot be stored.
    """
    waiting: deque[tuple[Feed, Fetched, Future[ParseResult | FeedError] | None]] = deque()

    def first() -> PollResult[ParseResult]:
        feed, fetched, call = waiting.popleft()
        return PollResult(feed, fetched, call.result() if call else None)

    with closing(_ask(requests, journal, on_disk, rules)) as arriving:
        for feed, fetched in arriving:
            call = None
            if read and fetched.body is not None:
                call = journal.run.workers.call(read_answer, fetched, options=read(feed))
            waiting.append((feed, fetched, call))
            while waiting and (_is_ready(waiting[0][2]) or len(waiting) > _AHEAD):
                yield first()
    while waiting:
        yield first()


def ask_once(
    request: PollRequest, run: Run, *, read: Callable[[Feed], ReadOptions] | None = None
) -> PollResult[ParseResult]:
    """Ask for what is at an address without a subscription; `read` is as for `poll`.

    Raises:
        FetchError: nothing came.
        StateError: the answer cannot be stored.
    """
    journal = PollJournal(run, of_feeds=False)
    for answer in poll([request], journal, read=read):
        if answer.fetched.error:
            raise answer.fetched.error
        return answer
    raise FetchError("host_cooldown", "its server asked to be left alone; try again later")


def _is_ready(call: Future[ParseResult | FeedError] | None) -> bool:
    return call is None or call.done()


def _ask(
    requests: Sequence[PollRequest],
    journal: PollJournal,
    on_disk: Sequence[PollRequest],
    rules: AnswerRules | None,
) -> Generator[PolledFeed, None, None]:
    # Most runs have neither, and do without `Run.web`.
    if on_disk:
        yield from journal.run.web.recall(on_disk)
    if requests:
        with closing(journal.run.web.fetch(requests, journal, rules)) as coming:
            for polled in coming:
                yield from journal.note_arrival(polled)
    yield from journal.end()


class PollJournal:
    """Writes to the store as the `planet.http.PollObserver` of a poll.

    All attempts are stored before the first request is sent, and the state of a server with the
    next arrival of an answer.
    """

    def __init__(self, run: Run, *, of_feeds: bool = True, is_last: bool = True) -> None:
        """Begin a journal of one poll.

        With `of_feeds=False`, for addresses not subscribed to, host state alone is stored. When
        this poll `is_last`, deferred failures come at the end, else in a later poll of the run.
        """
        self.run = run
        self.hosts = dict(run.store.hosts.read())
        """The state of each server, by `address.server`."""
        self.begun: set[str] = set()
        """The keys of the feeds that were asked."""
        self.is_last = is_last
        self._reach = run.reach
        self._of_feeds = of_feeds
        self._changed: dict[str, HostState] = {}
        """The states of servers to be stored, by the caller's thread."""
        self._before: dict[str, FeedState | None] = {}
        """The states of feeds from before their attempts were stored."""

    def gap(self, host: str) -> timedelta:
        """Return the least time between two requests to a host."""
        return request_gap(host, self.hosts.get(host), self.run.host_gap)

    def must_rest(self, host: str) -> bool:
        """Return whether a host must not be asked now: by own word, or in an outage."""
        return self.is_left_alone(host) or self._reach.is_outage

    def is_left_alone(self, host: str) -> bool:
        """Return whether a host asked to be left alone."""
        return is_resting(self.hosts.get(host), now=self.run.clock())

    def wants_signature(self, host: str) -> bool:
        """Return whether a host wants requests to be signed."""
        state = self.hosts.get(host)
        return state is not None and state.wants_signature

    def store_attempts(self, requests: Sequence[PollRequest]) -> None:
        """Store the attempts of feeds about to be asked."""
        if self._of_feeds and requests:
            feeds = [request.feed for request in requests]
            states = self.run.store.states(feed.key for feed in feeds)
            self.run.store.attempt(feeds, self.run.clock())
            self._before = {feed.key: states.get(feed.key) for feed in feeds}

    def note_request(self, request: PollRequest) -> None:
        """Note the attempt of a feed about to be asked."""
        self.begun.add(request.feed.key)
        if self._of_feeds:
            self._reach.note_request(request.feed)

    def note_result(self, request: PollRequest, fetched: Fetched) -> None:
        """Note the result of a poll, for others in the queue of the same server."""
        if request.feed.is_file:
            return
        host = address.server(fetched.url)
        state = update_host(self.hosts.get(host), request.feed, fetched)
        if state is not None and state != self.hosts.get(host):
            self.hosts[host] = self._changed[host] = state
        self._reach.note_result(request.feed, fetched)

    def note_arrival(self, polled: PolledFeed) -> Iterator[PolledFeed]:
        """Store the states of servers; yield the result, unless it may be a fault of the network.

        Such failures are deferred until some server has answered, and yielded before the answer.
        """
        self._store_hosts()
        if self._of_feeds and self._reach.has_reached:
            yield from self._end_deferring()
        elif self._of_feeds and not polled.feed.is_file and is_unreached(polled.fetched):
            self._reach.deferred.append(polled)
            return
        yield polled

    def end(self) -> Iterator[PolledFeed]:
        """Yield the deferred failures, unless the network is down."""
        if self._of_feeds and self.is_last and not self._reach.is_outage:
            yield from self._end_deferring()

    def _end_deferring(self) -> Iterator[PolledFeed]:
        while self._reach.deferred:
            yield self._reach.deferred.pop(0)

    def withdraw_unasked(self) -> None:
        """Take back the attempts of feeds not asked after all."""
        self._store_hosts()
        unasked = {key: state for key, state in self._before.items() if key not in self.begun}
        self.run.store.feeds.put({key: state for key, state in unasked.items() if state})
        self.run.store.feeds.drop([key for key, state in unasked.items() if state is None])

    def _store_hosts(self) -> None:
        while self._changed:
            self.run.store.hosts.put(dict([self._changed.popitem()]))

    def undo(self, states: Mapping[str, FeedState]) -> None:
        """Store an outage of the network: the deferred failures are held against no feed."""
        for feed, fetched in self._reach.deferred:
            self.run.store.keep(undo_attempt(states.get(feed.key), feed, fetched))


class OutageDetector:
    """Whether any server could be reached in a run: while none was, the network may be down here.

    Any thread of a crawl may ask.
    """

    def __init__(self) -> None:
        self.has_reached = False
        self.deferred: list[PolledFeed] = []
        """The failures to reach a server of which nobody was told yet."""
        self._attempts: dict[str, str | None] = {}
        """Each feed that was asked before a server was reached, in the order of asking, with the
        server once the request failed."""

    @property
    def is_outage(self) -> bool:
        """Whether the network is down here: of enough servers none was reached (R32)."""
        if self.has_reached:
            return False
        # Servers that are not there answer soonest. So none that was asked before is left out.
        attempts = [*self._attempts.values()]  # others are added meanwhile
        failed = [*takewhile(bool, attempts)]
        return len(failed) >= OUTAGE_FEEDS and len({*failed}) >= OUTAGE_HOSTS

    def note_request(self, feed: Feed) -> None:
        """Note the attempt of a feed about to be asked."""
        if not self.has_reached and not feed.is_file:
            self._attempts[feed.key] = None

    def note_result(self, feed: Feed, fetched: Fetched) -> None:
        """Note whether a server was reached, unless there was no time to find out."""
        if fetched.error is not None and fetched.error.kind == "out_of_time":
            return
        if not is_unreached(fetched):
            self.has_reached = True
        elif feed.key in self._attempts:
            self._attempts[feed.key] = address.server(feed.url) or address.server(fetched.url)


def is_unreached(fetched: Fetched) -> bool:
    """Return whether no server could be reached, which may be the fault of the network here."""
    return fetched.error is not None and fetched.error.kind in NETWORK
