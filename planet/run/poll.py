"""Requests → answers → readings, with a journal of the attempts.

`poll` makes all requests there are: for runs, subscription lists, faces, discovery, recovery and
single feeds. `plan_polls` chooses the feeds to ask; `PollJournal` stores attempts before the first
request, and defers failures while the network here may be down.
"""

from __future__ import annotations

from collections import deque
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from planet.errors import FetchError
from planet.model import ParseResult, PollResult
from planet.run.read import read_answer
from planet.schedule import (
    NETWORK,
    is_resting,
    request_gap,
    select_due,
    select_unread,
    undo_attempt,
    update_host,
)
from planet.schedule.waits import OUTAGE_FEEDS, OUTAGE_HOSTS
from planet.text import address

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
    return PollPlan(requests, on_disk)


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

    # Most runs have nothing unread, and ask nobody: they do without `Run.web`.
    recalled = journal.run.web.recall(on_disk) if on_disk else ()
    with closing(journal.ask(requests, rules)) as arriving:
        for feed, fetched in chain(recalled, arriving):
            call = None
            if read and fetched.body is not None:
                call = journal.run.workers.call(read_answer, fetched, options=read(feed))
            waiting.append((feed, fetched, call))
            while waiting and (len(waiting) > _AHEAD or not (call := waiting[0][2]) or call.done()):
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
        self._of_feeds, self._is_last = of_feeds, is_last
        self._changed: dict[str, HostState] = {}
        """The states of servers to be stored, by the caller's thread."""

    def ask(
        self, requests: Sequence[PollRequest], rules: AnswerRules | None
    ) -> Generator[PolledFeed, None, None]:
        """Store the attempts of feeds, ask, and yield the results, unless the network is down.

        In the end, the attempts of feeds not asked after all are taken back.
        """
        if requests:
            feeds = [request.feed for request in requests] if self._of_feeds else []
            states = self.run.store.states(feed.key for feed in feeds)
            self.run.store.attempt(feeds, self.run.clock())
            try:
                with closing(self.run.web.fetch(requests, self, rules)) as coming:
                    for polled in coming:
                        yield from self._note_arrival(polled)
            finally:
                self._store_hosts()
                unasked = {feed.key for feed in feeds} - self.begun
                self.run.store.feeds.put({key: states[key] for key in unasked & states.keys()})
                self.run.store.feeds.drop(unasked - states.keys())
        if self._of_feeds and self._is_last and not self.run.reach.is_outage:
            yield from self.run.reach.end_deferring()

    def gap(self, host: str) -> timedelta:
        """Return the least time between two requests to a host."""
        return request_gap(host, self.hosts.get(host), self.run.host_gap)

    def begin(self, request: PollRequest, host: str) -> bool:
        """Note that a host is about to be asked, and return whether it may be."""
        if is_resting(self.hosts.get(host), now=self.run.clock()):
            return False
        self.begun.add(request.feed.key)
        return True

    def note_result(self, request: PollRequest, fetched: Fetched) -> None:
        """Note the result of a poll, for others in the queue of the same server."""
        host = address.server(fetched.url)
        state = update_host(self.hosts.get(host), request.feed, fetched)
        if state is not None and state != self.hosts.get(host):
            self.hosts[host] = self._changed[host] = state

    def _note_arrival(self, polled: PolledFeed) -> Iterator[PolledFeed]:
        """Store the states of servers; yield the result, unless it may be a fault of the network.

        Such failures are deferred until some server has answered, and yielded before the answer.
        """
        self._store_hosts()
        self.begun.add(polled.feed.key)
        reach, error = self.run.reach, polled.fetched.error
        kind = error.kind if error else None
        if kind in NETWORK and self._of_feeds and not reach.has_answer:
            reach.deferred.append(polled)
            return
        # Files need no network, and without time nobody knows.
        if not polled.feed.is_file and kind not in NETWORK | {"out_of_time"}:
            reach.has_answer = True
        if self._of_feeds and reach.has_answer:
            yield from reach.end_deferring()
        yield polled

    def _store_hosts(self) -> None:
        while self._changed:
            self.run.store.hosts.put(dict([self._changed.popitem()]))

    def undo(self, states: Mapping[str, FeedState]) -> None:
        """Store an outage of the network: the deferred failures are held against no feed."""
        for feed, fetched in self.run.reach.deferred:
            self.run.store.keep(undo_attempt(states.get(feed.key), feed, fetched))


@dataclass
class Reach:
    """Whether any server answered in a run: while none has, the network may be down here."""

    has_answer: bool = False
    deferred: list[PolledFeed] = field(default_factory=list)
    """The failures to reach a server of which nobody was told yet."""

    @property
    def is_outage(self) -> bool:
        """Whether the network is down here: of enough servers none was reached (R32)."""
        hosts = {address.server(fetched.url) for _, fetched in self.deferred}
        return len(self.deferred) >= OUTAGE_FEEDS and len(hosts) >= OUTAGE_HOSTS

    def end_deferring(self) -> Iterator[PolledFeed]:
        """Yield each deferred failure, once."""
        while self.deferred:
            yield self.deferred.pop(0)
