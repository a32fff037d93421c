"""Many feeds at once: the feeds of a server one after the other, by one of a few threads."""

from __future__ import annotations

import logging
import random
import time
from collections import defaultdict
from contextlib import contextmanager, suppress
from queue import Empty, Full, Queue
from threading import Event, Lock, Semaphore, Thread
from typing import TYPE_CHECKING, Final, Protocol

from planet.errors import FetchError, not_allowed
from planet.http.request import make_out_of_time_error
from planet.http.visit import Visit
from planet.model import PolledFeed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import timedelta

    from planet.http.request import AnswerRules
    from planet.http.web import Web
    from planet.model import Fetched, PollRequest, Signature


_LOG = logging.getLogger(__name__)
LONG_WAIT = 10.0
"""Seconds until the next turn of a server from which on its feeds are left for the next run."""
ADDRESS_CONNECTIONS = 4
"""Connections at a time to one IP address, which may be that of many names."""
_JITTER: Final = 1.0
"""Seconds that the gap between two requests to a host may grow, at random."""
_NAP: Final = 1.0
"""Seconds to wait at a stretch: a signal that comes as a wait begins is seen when it has ended."""
_PARTING: Final = 3.0
"""Seconds that threads have to end in. A look-up of a name cannot be cut off; an exchange can."""


class PollObserver(Protocol):
    """Kept by whoever iterates `Web.fetch`.

    A host is `host:port` in lower case, as `address.server` has it. `store_attempts` and
    `withdraw_unasked` are called in the caller's thread, the others in any, one call at a time.
    """

    is_last: bool
    """Whether nobody else is asked in this run."""

    def gap(self, host: str) -> timedelta:
        """Return the least time between the end of a request to a host and the next one."""

    def must_rest(self, host: str) -> bool:
        """Return whether a host must not be asked now. Called before each request and redirect."""

    def must_skip(self, poll: PollRequest) -> bool:
        """Return whether a feed must not be asked at this hour. Called before its first request."""

    def signature(self, host: str) -> Signature | None:
        """Return how a host wants requests to be signed; None if it does not."""

    def store_attempts(self, polls: Sequence[PollRequest]) -> None:
        """Store attempts, before any request of these polls is sent."""

    def note_request(self, poll: PollRequest) -> None:
        """Note that the first request of a poll is about to be sent."""

    def note_result(self, poll: PollRequest, fetched: Fetched) -> None:
        """Note the result of a poll, before it is yielded.

        What it means for a host holds for everybody who still waits for that host.
        """

    def withdraw_unasked(self) -> None:
        """Take back the attempts of polls that were not asked after all."""


class Crawl:
    """The visits of one `Web.fetch`.

    Each server has a queue, which one thread works off. A request holds the lock of its server,
    and waits until the gap since the last one there is over; a redirect to another server takes
    that server's lock. A server to which a connection is open has one of the seats at its IP
    address. A thread that is led to another server leaves the last one first, connection and seat,
    so that nobody waits in a circle.
    """

    def __init__(
        self, web: Web, journal: PollObserver, rules: AnswerRules, *, ends_at: float
    ) -> None:
        self._web = web
        self._journal = journal
        self._rules = rules
        self._ends_at = ends_at
        self._mutex = Lock()
        """Of the journal, and of what is here."""
        self._queues: list[list[Visit]] = []
        self._locks: dict[str, Lock] = defaultdict(Lock)
        self._seats: dict[str, Semaphore] = defaultdict(lambda: Semaphore(ADDRESS_CONNECTIONS))
        self._seated: dict[str, Semaphore | None] = {}
        """The seat of each server with a connection; None where its address is not known."""
        self._visits: set[Visit] = set()
        """Those under way."""
        self._threads: list[Thread] = []
        self._stopped = Event()
        # Bounded, so that what the caller has not taken yet does not pile up.
        self._results: Queue[PolledFeed | BaseException | None] = Queue(2 * web.workers)

    def run(self, polls: Sequence[PollRequest]) -> Iterator[PolledFeed]:
        """Yield results as they come."""
        queues: dict[str, list[Visit]] = {}
        for poll in polls:
            visit = Visit(poll, self._web, self._rules, ends_at=self._ends_at)
            queues.setdefault(visit.host, []).append(visit)
        self._queues = [*queues.values()]
        if self._web.budget is None:
            # The longest queue decides how long it takes.
            self._queues.sort(key=len, reverse=True)
        try:
            left = self._start(min(self._web.workers, len(self._queues)))
            while left:
                try:
                    result = self._results.get(timeout=_NAP)
                except Empty:
                    continue
                if isinstance(result, BaseException):
                    raise result
                if result is None:
                    left -= 1
                else:
                    yield result
        finally:
            # Whoever stops listening stops the exchanges, too: nobody waits for a slow server.
            self._stopped.set()
            for visit in [*self._visits]:
                visit.stop()
            # What keeps answers is closed next: whoever came later would open it again.
            until = time.monotonic() + _PARTING
            for thread in self._threads:
                with suppress(RuntimeError):  # it was not started yet
                    thread.join(max(0.0, until - time.monotonic()))

    def _start(self, count: int) -> int:
        """Start threads; return how many the system allows, of which one has to be."""
        for number in range(count):
            thread = Thread(target=self._work, name=f"planet-fetch-{number}", daemon=True)
            # First: a signal that ends this may come as it starts.
            self._threads.append(thread)
            try:
                thread.start()
            except RuntimeError as error:
                if number == 0:
                    raise not_allowed("no thread can be started") from error
                return number
        return count

    def _work(self) -> None:
        """Work off queues while there are any, in a thread."""
        try:
            while (queue := self._next_queue()) is not None:
                host = queue[0].host
                for visit in queue:
                    if (fetched := self._ask(visit)) is not None:
                        self._put(PolledFeed(visit.poll.feed, fetched))
                self._leave(host)
        except BaseException as error:  # noqa: BLE001 - it is raised where the caller is
            self._put(error)
        self._put(None)

    def _next_queue(self) -> list[Visit] | None:
        with self._mutex:
            return self._queues.pop(0) if self._queues else None

    def _put(self, result: PolledFeed | BaseException | None) -> None:
        while not self._stopped.is_set():
            with suppress(Full):
                self._results.put(result, timeout=_NAP)
                return

    def _ask(self, visit: Visit) -> Fetched | None:
        """Make the requests of a visit, wherever they lead; None where it must not be asked."""
        home, fetched = visit.host, None
        self._visits.add(visit)
        try:
            while fetched is None:
                host = visit.host
                with self._turn(visit) as why_not:
                    if why_not is not None and not visit.has_begun:
                        return None
                    fetched = visit.advance() if why_not is None else visit.end(why_not)
                    if fetched is not None:
                        with self._mutex:
                            self._journal.note_result(visit.poll, fetched)
                if visit.host != host:
                    self._leave(host)
            return fetched
        finally:
            self._visits.discard(visit)
            if visit.host != home:
                self._leave(visit.host)

    @contextmanager
    def _turn(self, visit: Visit) -> Iterator[FetchError | None]:
        """Hold the host of a visit alone, a gap after its last exchange; why it must not be asked.

        The next one there has to wait for a gap again.
        """
        host = visit.host
        with self._locks[host]:
            why_not = self._wait(visit)
            try:
                yield why_not
            finally:
                if why_not is None:
                    with self._mutex:
                        gap = self._journal.gap(host).total_seconds()
                    pause = gap + random.uniform(0.0, min(_JITTER, gap))  # noqa: S311 - no secret
                    self._web.free_at[host] = time.monotonic() + pause

    def _wait(self, visit: Visit) -> FetchError | None:
        """Wait for the turn of a visit; return why it must not be asked, if so."""
        host, now = visit.host, time.monotonic()
        turn_at = max(now, self._web.free_at.get(host, self._web.opens_at), visit.not_before)
        if turn_at - now <= LONG_WAIT and turn_at < self._ends_at:
            self._sit_down(visit)
            self._stopped.wait(turn_at - now)
        if self._stopped.is_set() or turn_at >= self._ends_at:
            return make_out_of_time_error()
        with self._mutex:
            if turn_at - now > LONG_WAIT:
                reason = "in this run: the next turn of its server is far"
            elif not visit.has_begun and self._journal.must_skip(visit.poll):
                reason = "at this hour"
            elif self._journal.must_rest(host):
                reason = "while its server is not"
            else:
                if not visit.has_begun:
                    self._journal.note_request(visit.poll)
                visit.set_signature(self._journal.signature(host))
                return None
        _LOG.info("%s: is not asked %s", visit, reason)
        name = host.removesuffix(":443")
        return FetchError(
            "host_cooldown", f"the server leads to {name}, which is to be left alone for now"
        )

    def _sit_down(self, visit: Visit) -> None:
        """Take a seat at the IP address of a host, unless it has one."""
        host = visit.host
        if host not in self._seated:
            ip = self._web.session.locate(visit.url)
            seat = self._seats[ip] if ip else None
            if seat:
                seat.acquire()
            self._seated[host] = seat

    def _leave(self, host: str) -> None:
        """Close the connection to a host, and give up its seat; who asks there next sits down."""
        with self._locks[host]:
            if host in self._seated:
                self._web.session.forget(host)
                if seat := self._seated.pop(host):
                    seat.release()
