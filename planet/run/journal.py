"""What is written down while requests are made, and whom they must leave alone."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from planet.schedule import (
    NETWORK,
    is_resting,
    is_skipped,
    request_gap,
    undo_attempt,
    update_host,
)
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import timedelta

    from planet.model import FeedState, Fetched, HostState, PolledFeed, PollRequest, Signature
    from planet.run.open import Run


_LOG = logging.getLogger(__name__)


class PollJournal:
    """A `planet.http.PollObserver` in the store.

    All attempts are stored before the first request is sent, what one means for its server when its
    result is handed on.
    """

    def __init__(self, run: Run, *, of_feeds: bool = True, is_last: bool = True) -> None:
        """Begin a journal of one poll.

        With `of_feeds=False`, for addresses that are not subscribed, host state alone is stored.
        With `is_last` what is held back comes in the end, else in a later poll of the run.
        """
        self.hosts = dict(run.store.hosts.read())
        """What is known of each server, by `address.server`."""
        self.begun: set[str] = set()
        """The keys of the feeds that were asked."""
        self.is_last = is_last
        self.run, self._reach = run, run.reach
        self._of_feeds = of_feeds
        self._changed: dict[str, HostState] = {}
        """What is to be stored of servers, by the caller's thread."""
        self._before: dict[str, FeedState | None] = {}
        """What was known of the feeds whose attempts are stored."""

    def gap(self, host: str) -> timedelta:
        """Return the least time between two requests to a host."""
        return request_gap(host, self.hosts.get(host), self.run.host_gap)

    def must_rest(self, host: str) -> bool:
        """Return whether a host must not be asked now: by its own word, or as nobody is there."""
        return self.is_left_alone(host) or self._reach.is_outage

    def is_left_alone(self, host: str) -> bool:
        """Return whether a host is to be left alone."""
        return is_resting(self.hosts.get(host), now=self.run.clock())

    def must_skip(self, request: PollRequest) -> bool:
        """Return whether a feed must not be asked at this hour."""
        return is_skipped(request.hints, self.run.clock())

    def signature(self, host: str) -> Signature | None:
        """Return how a host wants requests to be signed."""
        state = self.hosts.get(host)
        return state.signature if state else None

    def note_request(self, request: PollRequest) -> None:
        """Note that a feed is about to be asked."""
        self.begun.add(request.feed.key)
        if self._of_feeds and not self._reach.has_reached and not request.feed.is_file:
            self._reach.attempts[request.feed.key] = None

    def note_result(self, request: PollRequest, fetched: Fetched) -> None:
        """Write down what came of asking a feed."""
        if request.feed.is_file:
            return
        host = address.server(fetched.url)
        state = update_host(self.hosts.get(host), request.feed, fetched)
        if state is not None and state != self.hosts.get(host):
            self.hosts[host] = self._changed[host] = state
            self._log_host(state)
        if fetched.error is not None and fetched.error.kind == "out_of_time":
            return  # which says nothing of whether anyone can be reached
        if not is_unreached(fetched):
            self._reach.has_reached = True
        elif self._of_feeds and not self._reach.has_reached:
            self._reach.attempts[request.feed.key] = address.server(request.feed.url) or host

    def _log_host(self, state: HostState) -> None:
        """Log until when a server is left alone, and the gap between requests to it."""
        until = f"{state.rests_until:%Y-%m-%d %H:%M:%S} UTC" if state.rests_until else "no moment"
        wait = request_gap(state.host, state, self.run.host_gap).total_seconds()
        words = "%s: is left alone until %s, then for %g s after each request"
        _LOG.info(words, self.run.redactor.redact(state.host), until, wait)

    def store_attempts(self, requests: Sequence[PollRequest]) -> None:
        """Write down that feeds are about to be asked."""
        if self._of_feeds and requests:
            feeds = [request.feed for request in requests]
            states = self.run.store.states(feed.key for feed in feeds)
            self.run.store.attempt(feeds, self.run.clock())
            self._before = {feed.key: states.get(feed.key) for feed in feeds}

    def withdraw_unasked(self) -> None:
        """Take back the attempts of feeds that were not asked after all."""
        self._store_hosts()
        unasked = {key: state for key, state in self._before.items() if key not in self.begun}
        self.run.store.feeds.put({key: state for key, state in unasked.items() if state})
        self.run.store.feeds.drop([key for key, state in unasked.items() if state is None])

    def _store_hosts(self) -> None:
        while self._changed:
            self.run.store.hosts.put(dict([self._changed.popitem()]))

    def defer_network_failures(self, coming: Iterable[PolledFeed]) -> Iterator[PolledFeed]:
        """Pass results through; hold back connection errors until some server has answered.

        Those that no answer follows wait in `run.reach`.
        """
        for polled in coming:
            self._store_hosts()
            if self._of_feeds and self._reach.has_reached:
                yield from self._let_go()
            elif self._of_feeds and not polled.feed.is_file and is_unreached(polled.fetched):
                self._reach.deferred.append(polled)
                continue
            yield polled

    def deferred(self) -> Iterator[PolledFeed]:
        """Yield the failures that were held back, unless the network is down."""
        if self._of_feeds and self.is_last:
            yield from self._let_go()

    def undo(self, states: Mapping[str, FeedState]) -> None:
        """Record that the network was down, here or at a worker: no feed has failed for it."""
        for feed, fetched in self._reach.deferred:
            self.run.store.keep(undo_attempt(states.get(feed.key), feed, fetched))

    def _let_go(self) -> Iterator[PolledFeed]:
        while self._reach.deferred and not self._reach.is_outage:
            yield self._reach.deferred.pop(0)


def is_unreached(fetched: Fetched) -> bool:
    """Return whether no server could be reached, which may be the fault of the network here."""
    return fetched.error is not None and fetched.error.kind in NETWORK
