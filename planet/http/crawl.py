"""All visits of a run: which is made when. Only the caller's thread changes what is here."""

from __future__ import annotations

import heapq
import logging
import random
import time
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from math import inf
from queue import Empty, SimpleQueue
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from planet.errors import FetchError
from planet.http.limits import ADDRESS_CONNECTIONS, RequestSlots
from planet.http.request import make_out_of_time_error
from planet.http.visit import Visit
from planet.model import PolledFeed
from planet.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Future
    from datetime import timedelta

    from planet.http.visit import FetchContext
    from planet.model import Fetched, PollRequest, Signature


_LOG = logging.getLogger(__name__)
_JITTER = 1.0
"""Seconds that the gap between two requests to a host may grow, at random."""
_SLOW = 1.0
"""Seconds after which an exchange makes room for another: most take less."""
_LONGEST_NAP = 1.0
"""Seconds to wait at a stretch: a signal that comes as a wait begins is seen when it has ended."""
_COALESCE_SECONDS = 0.01
"""Seconds for which answers are collected before they are recorded together: one by one, switching
between threads would cost more than the request."""
_CROWD = 3
"""How many times `workers` hosts may be asked at once, when most of them are slow."""
_LONG_GAP = 10.0
"""Seconds between two requests to a host from which on a run does not wait for all its feeds."""
_PATIENCE = 600.0
"""Seconds from its beginning in which a run starts with feeds of such a host."""


class Waiting(Protocol):
    """Somebody who waits for a host, once or several times."""

    number: int
    """Their place in the order in which the caller would have them come."""
    host: str
    """Whom they wait for."""
    not_before: float
    """When they may go on at the earliest."""


W = TypeVar("W", bound=Waiting)


@dataclass(slots=True, eq=False)
class _Host(Generic[W]):
    free_at: float
    until: float
    """Nobody new is served after this."""
    begun: deque[W] = field(default_factory=deque)
    """Those who have begun elsewhere, or here, and go on."""
    new: deque[W] = field(default_factory=deque)
    busy: bool = False
    ticket: int = -1
    """Of the host's place in a line; those it was given before are void."""


class Queues(Generic[W]):
    """A queue for each host, which serves one at a time, and not before it is free again.

    Seconds are those of one clock that never goes back.
    """

    def __init__(
        self,
        everybody: Iterable[W],
        *,
        now: float,
        until: float | None = None,
        free_at: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        """Queue everybody in the order of their numbers; nobody new is served after `until`.

        `free_at` has the hosts that are perhaps not free yet.

        With such an end the host comes first whose next one has the lowest number. Without one all
        get their turn, so the host for which most are waiting comes first: its queue decides how
        long it takes. Where as many wait it is chance, so that no host is always asked in the
        second a run begins.
        """
        self._free_at = free_at
        self._in_order = until is not None
        self._until = inf if until is None else until
        self._hosts: dict[str, _Host[W]] = {}
        self._count = 0
        self._tickets = count()
        self._ready: list[tuple[float, float, int, _Host[W]]] = []
        """Hosts that may be asked, the most urgent first."""
        self._asleep: list[tuple[float, int, _Host[W], W | None]] = []
        """Hosts that are not free yet; and those who may not go on yet, each with the host."""
        for one in everybody:
            self._host(one.host, now).new.append(one)
            self._count += 1
        for host in self._hosts.values():
            self._line_up(host, now)

    def __bool__(self) -> bool:
        """Return whether anybody waits."""
        return self._count > 0

    def waits_for(self, name: str) -> bool:
        """Return whether anybody waits for this host, and would go on if it were free."""
        host = self._hosts[name]
        return bool(host.begun or host.new)

    def wait(self, now: float) -> float:
        """Return the seconds until `take` may find somebody; infinite if that needs an event."""
        if self._ready:
            return 0.0
        return max(0.0, self._asleep[0][0] - now) if self._asleep else inf

    def take(self, now: float) -> W | None:
        """Return the next one and mark its host as busy; None when nobody's turn has come."""
        self._wake(now)
        while self._ready:
            *_, ticket, host = heapq.heappop(self._ready)
            if ticket != host.ticket:
                continue
            if not host.begun and now > host.until:
                self._send_away(host)
                continue
            host.busy = True
            self._count -= 1
            return (host.begun or host.new).popleft()
        return None

    def free(self, name: str, *, now: float, at: float | None = None, until: float = inf) -> None:
        """Mark a host as free from the time `at`, or without one as if it had not been asked.

        Nobody new is served after `until`; those who cannot be served are sent away at once.
        """
        host = self._hosts[name]
        host.busy = False
        host.until = min(self._until, until)
        if at is not None:
            host.free_at = at
        if host.free_at > host.until:
            self._send_away(host)
        self._line_up(host, now)

    def go_on(self, one: W, *, now: float) -> None:
        """Queue one who was served already, before all who are new at the same host."""
        host = self._host(one.host, now)
        self._count += 1
        if one.not_before > now:
            heapq.heappush(self._asleep, (one.not_before, next(self._tickets), host, one))
        else:
            self._admit(host, one, now)

    def dismiss(self) -> list[W]:
        """Remove everybody who waits, and return them."""
        gone = [one for *_, one in self._asleep if one is not None]
        for host in self._hosts.values():
            gone += [*host.begun, *host.new]
            host.begun.clear()
            host.new.clear()
        self._asleep.clear()
        self._ready.clear()
        self._count = 0
        return gone

    def _host(self, name: str, now: float) -> _Host[W]:
        if name not in self._hosts:
            free_at = self._free_at.get(name, now)
            self._hosts[name] = _Host(free_at=free_at, until=self._until)
        return self._hosts[name]

    def _wake(self, now: float) -> None:
        """Line up the hosts, and let in those, whose time has come."""
        while self._asleep and self._asleep[0][0] <= now:
            _, ticket, host, one = heapq.heappop(self._asleep)
            if one is not None:
                self._admit(host, one, now)
            elif ticket == host.ticket:
                self._line_up(host, now)

    def _admit(self, host: _Host[W], one: W, now: float) -> None:
        host.begun.append(one)
        self._line_up(host, now)

    def _line_up(self, host: _Host[W], now: float) -> None:
        """Give a host its place in a line, if anybody waits for it."""
        queue = host.begun or host.new
        if host.busy or not queue:
            return
        host.ticket = next(self._tickets)
        if host.free_at > now:
            heapq.heappush(self._asleep, (host.free_at, host.ticket, host, None))
            return
        urgency = queue[0].number if self._in_order else -len(host.begun) - len(host.new)
        chance = random.random()  # noqa: S311 - no secret
        heapq.heappush(self._ready, (urgency, chance, host.ticket, host))

    def _send_away(self, host: _Host[W]) -> None:
        self._count -= len(host.new)
        host.new.clear()


class PollObserver(Protocol):
    """Kept by whoever iterates `Web.fetch`, and only ever called in that thread.

    A host is `host:port` in lower case, as `address.server` has it. Files have none: for them only
    `starting` and `ended` are called.
    """

    is_last: bool
    """Whether nobody else is asked in this run."""

    def gap(self, host: str) -> timedelta:
        """Return the least time between the end of a request to a host and the next one."""

    def resting(self, host: str) -> bool:
        """Return whether a host must not be asked now. Called before each request and redirect."""

    def skipping(self, poll: PollRequest) -> bool:
        """Return whether a feed must not be asked at this hour. Called before its first request."""

    def signature(self, host: str) -> Signature | None:
        """Return how a host wants requests to be signed; None if it does not."""

    def starting(self, polls: Sequence[PollRequest]) -> Sequence[PollRequest]:
        """Store attempts: the first requests of these polls are about to be sent.

        The polls that are returned are not sent, because another process sends them.
        """

    def ended(self, poll: PollRequest, fetched: Fetched) -> None:
        """Store the result of a poll, before it is yielded.

        What it means for a host holds for everybody who still waits for that host.
        """


@dataclass(frozen=True, kw_only=True)
class HostPartition:
    """The hosts that one process may ask, while other processes ask other hosts."""

    hosts: frozenset[str]
    visits: Sequence[Visit] = ()
    """Those that other processes began, and that lead here."""
    leaving: list[Visit] = field(default_factory=list)
    """Those that lead to other hosts: the process that asks these goes on with them."""


class AddressSeats:
    """Keeps count of the servers that have a connection to each IP address.

    Many names may lead to one address. Servers are named as `address.server` does.
    """

    def __init__(self) -> None:
        self._addresses: dict[str, str | None] = {}
        """Where each server is; None for one whose name has no address."""
        self._seated: dict[str | None, list[str]] = {}
        """The servers that have a connection, the longest first."""
        self._waiting: dict[str | None, deque[Visit]] = {}

    def is_located(self, server: str) -> bool:
        """Return whether it is known where a server is."""
        return server in self._addresses

    def locate(self, server: str, ip: str | None) -> None:
        """Note where a server is."""
        self._addresses[server] = ip

    def take(self, server: str) -> bool:
        """Take a seat at the address of a server, unless it has one; return whether it has now."""
        ip = self._addresses[server]
        seated = self._seated.setdefault(ip, [])
        if server not in seated and ip is not None:
            if len(seated) == ADDRESS_CONNECTIONS:
                return False
            seated.append(server)
        return True

    def idle(self, server: str, *, busy: Container[str]) -> str | None:
        """Return a server with a seat at the same address that is not `busy`, if there is one."""
        seated = self._seated.get(self._addresses[server], [])
        return next((one for one in seated if one not in busy), None)

    def leave(self, server: str) -> None:
        """Give the seat back, if there is one: the connection is closed."""
        seated = self._seated.get(self._addresses.get(server), [])
        if server in seated:
            seated.remove(server)

    def wait(self, visit: Visit) -> None:
        """Have a visit wait for a seat at the address of its server."""
        self._waiting.setdefault(self._addresses[visit.host], deque()).append(visit)

    def next(self, server: str) -> Visit | None:
        """Return the visit that waited longest for the address of a server, and waits no more."""
        waiting = self._waiting.get(self._addresses.get(server))
        return waiting.popleft() if waiting else None

    def dismiss(self) -> list[Visit]:
        """Return all visits that wait, and do so no longer."""
        waiting = [visit for visits in self._waiting.values() for visit in visits]
        self._waiting.clear()
        return waiting


class Crawl:
    """The visits of one `Web.fetch`, each request made when the turn of its host comes."""

    def __init__(
        self,
        context: FetchContext,
        polls: Iterable[PollRequest],
        journal: PollObserver,
        *,
        ends_at: float,
        partition: HostPartition | None = None,
    ) -> None:
        self._adapter = context.session.adapter
        self._journal = journal
        self._turns = context.turns
        self._workers = context.workers
        self._free_at = context.free_at
        self._ends_at = ends_at
        self._slots = RequestSlots()
        self._redact = context.session.redactor.redact
        now = time.monotonic()
        is_endless = ends_at == inf
        self._queues = Queues(
            (
                Visit(poll, number, context, slots=self._slots, ends_at=ends_at)
                for number, poll in enumerate(polls)
            ),
            now=now,
            until=None if is_endless else ends_at,
            free_at=context.free_at,
        )
        self._partition = partition
        for visit in partition.visits if partition else ():
            visit.resume(context, slots=self._slots, ends_at=ends_at)
            self._queues.go_on(visit, now=now)
        # Without a budget everybody is asked, save those of hosts for which that takes ages.
        self._patience = now + _PATIENCE if is_endless else inf
        self._seats = AddressSeats()
        self._busy: set[str] = set()
        """The hosts that are being asked."""
        self._running: dict[Future[Any], tuple[Visit, str, float]] = {}
        """Each with its host and the moment it was started, the longest under way first."""
        self._looked_up: set[Future[Any]] = set()
        """Those of them that only look up where their host is."""
        self._finished: SimpleQueue[Future[Any]] = SimpleQueue()
        self._results: deque[tuple[Visit, Fetched]] = deque()

    def __iter__(self) -> Iterator[PolledFeed]:
        """Yield results as they come."""
        with self._threads() as threads:
            while True:
                if time.monotonic() < self._ends_at:
                    self._start(threads)
                else:
                    self._stop()
                if self._results:
                    # All of them, so that many begin together, and are written down together.
                    while self._results:
                        visit, fetched = self._results.popleft()
                        yield PolledFeed(visit.poll.feed, fetched)
                        visit.release()
                    self._collect_finished(0.0)
                elif self._running or self._queues:
                    self._collect_finished(self._seconds_idle())
                else:
                    return

    @contextmanager
    def _threads(self) -> Iterator[Threads[Any]]:
        threads: Threads[Any] = Threads(_CROWD * self._workers, "planet-fetch")
        try:
            yield threads
        finally:
            # Whoever stops listening stops the exchanges, too: nobody waits for a slow server.
            self._slots.close()
            for visit, *_ in self._running.values():
                visit.stop()
            self._adapter.stop()
            threads.close()
            if self._turns:
                self._turns.leave_all()

    def _start(self, threads: Threads[Any]) -> None:
        """Make the requests whose turn has come, once all of them are stored as attempts."""
        wave: list[Visit] = []
        while self._seconds_until_room(now := time.monotonic(), len(wave)) <= 0:
            visit = self._queues.take(now)
            if visit is None:
                break
            host = visit.host
            if not self._seats.is_located(host):
                self._looked_up.add(self._submit(threads, visit.locate, visit, now))
                continue
            if not self._take_seat(host):
                self._seats.wait(visit)
                continue
            if self._turns and (wait := self._turns.take(host, self._journal.gap(host))):
                _LOG.debug("%s: waits %.2f s, because others ask its server", visit, wait)
                self._queues.free(host, now=now, at=now + wait)
                self._queues.go_on(visit, now=now)
                self._forget(host)
                continue
            self._busy.add(host)
            skips = not visit.has_begun and self._journal.skipping(visit.poll)
            if skips or self._journal.resting(host):
                why = "at this hour" if skips else "while its server is not"
                _LOG.info("%s: is not asked %s", visit, why)
                self._skip(visit, now)
            else:
                wave.append(visit)
        new = [visit.poll for visit in wave if not visit.has_begun]
        elsewhere = self._journal.starting(new) if new else ()
        for visit in wave:
            if visit.poll in elsewhere:
                _LOG.info("%s: is not asked, another process does", visit)
                self._skip(visit, now)
                continue
            visit.set_signature(self._journal.signature(visit.host))
            self._submit(threads, visit.advance, visit, now)

    def _submit(
        self, threads: Threads[Any], call: Callable[[], object], visit: Visit, now: float
    ) -> Future[Any]:
        host = visit.host  # once it advances, it may be another
        future = threads.submit(call)
        self._running[future] = visit, host, now
        future.add_done_callback(self._finished.put)
        return future

    def _take_seat(self, host: str) -> bool:
        """Take a seat at the address of a host, or that of an idle host; return whether it did."""
        if self._seats.take(host):
            return True
        idle = self._seats.idle(host, busy=self._busy)
        if idle is None:
            return False
        self._log_step(idle, "its connection is closed for another")
        self._adapter.forget(idle)
        self._seats.leave(idle)
        return self._seats.take(host)

    def _stop(self) -> None:
        """End all visits that wait; those whose requests are under way end by themselves."""
        for visit in (*self._queues.dismiss(), *self._seats.dismiss()):
            _LOG.info("%s: waits for the next run, the time of this one is used up", visit)
            if visit.has_begun:
                self._record(visit, visit.end(make_out_of_time_error()))

    def _skip(self, visit: Visit, now: float) -> None:
        """Skip a host that rests, or a feed at this hour; end a visit that was led there."""
        host = visit.host
        if self._turns:
            self._turns.leave(host, asked=False)
        if visit.has_begun:
            name = host.removesuffix(":443")
            words = f"the server leads to {name}, which is to be left alone for now"
            self._record(visit, visit.end(FetchError("host_cooldown", words)))
        self._queues.free(host, now=now)
        self._forget(host)

    def _seconds_until_room(self, now: float, more: int = 0) -> float:
        """Return the seconds until an exchange may start beside `more`; inf if one must end."""
        # What the caller has not taken yet counts, too: else it piles up.
        if max((len(self._running) + more) / _CROWD, len(self._results)) >= self._workers:
            return inf
        quick = [since for *_, since in self._running.values() if now - since < _SLOW]
        if len(quick) + more < self._workers:
            return 0.0
        return quick[0] + _SLOW - now if quick else inf

    def _seconds_idle(self) -> float:
        """Return the seconds for which there is nothing to do but to wait for an exchange."""
        now = time.monotonic()
        idle = max(self._seconds_until_room(now), self._queues.wait(now))
        return min(idle, self._ends_at - now) if now < self._ends_at else idle

    def _collect_finished(self, patience: float) -> None:
        """Record the exchanges that have ended; if none has, wait `patience` seconds for one.

        It may wait for less: whoever calls looks again whether there is something to do.
        """
        with suppress(Empty):
            while True:
                future = self._finished.get(timeout=min(patience, _LONGEST_NAP))
                if patience and len(self._running) > 1:
                    time.sleep(_COALESCE_SECONDS)
                visit, host, _ = self._running.pop(future)
                if future in self._looked_up:
                    self._looked_up.remove(future)
                    self._log_step(host, f"is at {future.result()}")
                    self._seats.locate(host, future.result())
                    self._return(visit)
                else:
                    self._end_exchange(visit, host, future.result())
                patience = 0.0

    def _return(self, visit: Visit) -> None:
        """Let a visit that was taken out of the queue of its host be the next there."""
        now = time.monotonic()
        self._queues.go_on(visit, now=now)
        self._queues.free(visit.host, now=now)

    def _end_exchange(self, visit: Visit, host: str, fetched: Fetched | None) -> None:
        """Record that an exchange has ended: with a result, or with a request that follows."""
        now = time.monotonic()
        if self._turns:
            self._turns.leave(host, asked=True)
        if fetched is None and self._partition and visit.host not in self._partition.hosts:
            self._partition.leaving.append(visit)
        elif fetched is None:
            self._queues.go_on(visit, now=now)
        else:
            self._record(visit, fetched)
        gap = self._journal.gap(host).total_seconds()
        pause = gap + random.uniform(0.0, min(_JITTER, gap))  # noqa: S311 - no secret
        self._free_at[host] = visit.over_at + pause
        self._log_step(host, f"may be asked again after {pause:.2f} s")
        until = self._patience if gap > _LONG_GAP else inf
        self._queues.free(host, now=now, at=self._free_at[host], until=until)
        self._forget(host)

    def _record(self, visit: Visit, fetched: Fetched) -> None:
        self._journal.ended(visit.poll, fetched)
        self._results.append((visit, fetched))

    def _log_step(self, host: str, words: str) -> None:
        """Log what becomes of the connection to a server, without secrets."""
        if _LOG.isEnabledFor(logging.DEBUG):
            _LOG.debug("%s", self._redact(f"{host}: {words}"))

    def _forget(self, host: str) -> None:
        """Close the connection to a host for which nobody waits; give its seat to the next."""
        self._busy.discard(host)
        if not self._queues.waits_for(host):
            self._log_step(host, "its connection is closed")
            self._adapter.forget(host)
            self._seats.leave(host)
        if (visit := self._seats.next(host)) is not None:
            self._return(visit)
