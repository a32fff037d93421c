"""Feeds → answers, asked and read by the workers of a Dask cluster. The only door to Dask.

A worker gets a batch: some servers, with all their feeds that are due. Nobody else asks these
servers until the batch has come back, so that one connection to a server and the gap between two
requests hold as in one process. A redirect to a server of another batch comes back, too, and goes
on in the next batch of that server. What a batch may do, its worker decides by the same rules as a
run in one process (`Crawl`, `HostJournal`); what it brings is written down here.

A batch is never asked twice: attempts are stored before it is sent, and the worker that takes it
says so in the cache that all share. Dask would run it again when a worker dies; then it is refused,
and its feeds wait until their next attempt is due.
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import pickle
import time
from collections import deque
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import chain
from math import ceil, inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from uuid import uuid4

import msgspec
from msgspec.structs import replace

import planet
from planet.errors import FetchError, StateError
from planet.http import make_user_agent
from planet.model import PolledFeed, PollResult
from planet.report import format_count
from planet.run.journal import (
    HostJournal,
    JournalContext,
    OutageDetector,
    ServerClocks,
    is_unreached,
)
from planet.run.poll import poll
from planet.run.workers import Workers
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from distributed import Future

    from planet.config import Config
    from planet.http import Visit
    from planet.model import Feed, Fetched, HostState, PollRequest
    from planet.run.journal import PollJournal
    from planet.run.open import Run


R = TypeVar("R")

_PATIENCE: Final = 30.0
"""Seconds in which a scheduler has to answer, and a worker to be there."""
_FEWEST, _MOST = 20, 100
"""Feeds of a batch, unless one server has more: with fewer a worker could not tell whether it is
cut off, and more are lost when it dies."""
_BATCHES: Final = 2
"""For each thread of a worker: one is under way, and the next is there when that is over."""
_AHEAD: Final = 32
"""Bodies that may wait to be read while others are still arriving."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerContext:
    """What is needed to ask, as it travels to a worker."""

    session: Mapping[str, Any] = field(repr=False)
    """The arguments of `open_session`."""
    appview: str
    user_agent: str
    workers: int
    host_gap: timedelta
    key: tuple[str, str] | None = field(default=None, repr=False)
    """What a `Signer` is made from."""


class _Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Some servers, and who is to be asked there."""

    name: str
    context: WorkerContext
    hosts: Mapping[str, HostState | None]
    """What is known of each server, by `address.server`."""
    requests: Sequence[PollRequest]
    visits: Sequence[Visit]
    readers: Mapping[str, Callable[[Fetched], Any]]
    """By the key of a feed, what reads its answer."""
    free: Mapping[str, float]
    """The seconds until a server may be asked, where it may not be at once."""
    seconds: float
    """What is left of the time budget."""
    now: datetime


class _BatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a batch."""

    came: Sequence[tuple[PollRequest, Fetched, Any]]
    """Without bodies: what was read of one is the third."""
    leaving: Sequence[Visit]
    begun: frozenset[str]
    """The keys of the feeds that were asked."""
    is_outage: bool
    """Whether this worker could reach nobody."""
    free: Mapping[str, float]
    now: datetime
    worker: str


class Cluster:
    """A Dask scheduler and its workers; a context manager. Nothing is connected before `poll`."""

    def __init__(self, scheduler: str, context: WorkerContext) -> None:
        self._scheduler = scheduler
        self._context = context
        self._client: Any = None

    @classmethod
    def of(cls, config: Config, *, session: Mapping[str, Any]) -> Cluster:
        """Return the cluster that a config names, which has to name one.

        `session` has the arguments of `open_session`.
        """
        assert config.workers.dask is not None
        key = config.fetch.signature
        return cls(
            config.workers.dask,
            WorkerContext(
                session=session,
                appview=config.fetch.appview,
                user_agent=make_user_agent(config.contact),
                workers=config.fetch.workers,
                host_gap=config.fetch.host_gap,
                key=(key.key_id, key.key.value) if key else None,
            ),
        )

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        if self._client is not None:
            # Whatever is still under way there stops before its next request (`_is_wanted`).
            with suppress(Exception):  # of a scheduler that is gone
                self._client.close()

    def poll(
        self,
        requests: Sequence[PollRequest],
        journal: PollJournal,
        run: Run,
        *,
        read: Callable[[Feed], Callable[[Fetched], R]],
        on_disk: Iterable[PollRequest] = (),
    ) -> Iterator[PollResult[R]]:
        """Make the requests, each once, and read what comes, as `planet.run.poll.poll` does.

        Files, and what is on disk, are read here.

        Raises:
            StateError: there is no scheduler, or no worker with this Planet.
        """
        elsewhere = [request for request in requests if not request.feed.is_file]
        if elsewhere:
            yield from _Polling(self._connect(), self._context, journal, run, read).all(elsewhere)
        files = [request for request in requests if request.feed.is_file]
        yield from poll(files, journal, run, read=read, on_disk=on_disk)

    def _connect(self) -> Any:
        if self._client is None:
            from distributed import Client

            # It tells of what is told here, and in its own way.
            logging.getLogger("distributed").setLevel(logging.CRITICAL)
            try:
                self._client = Client(  # type: ignore[no-untyped-call]
                    self._scheduler, timeout=_PATIENCE, set_as_default=False
                )
                self._client.wait_for_workers(1, timeout=_PATIENCE)
                versions = self._client.run(_version)
            except Exception as error:  # as in `_Polling._workers`
                raise StateError(
                    f"the cluster at {self._scheduler} cannot be used: {error}\n"
                    "Start its scheduler, and workers that have Planet "
                    f"({planet.documentation('cluster.md')}); nobody was asked."
                ) from error
            own = _version()
            if others := {version for version in versions.values() if version != own}:
                raise StateError(
                    f"workers of the cluster at {self._scheduler} have Planet "
                    f"{', '.join(sorted(others))}, and this is {own}\n"
                    "Install the same everywhere, and start them again; nobody was asked."
                )
        return self._client


def _version() -> str:
    # Between two releases the number is the same and the code is not.
    code = hashlib.blake2b(digest_size=4)
    for path in sorted(Path(planet.__file__).parent.rglob("*.py")):
        code.update(path.read_bytes())
    return f"{planet.__version__} ({code.hexdigest()})"


class _Polling:
    """One poll: which servers wait, which are with a worker, and what comes back."""

    def __init__(
        self,
        client: Any,
        context: WorkerContext,
        journal: PollJournal,
        run: Run,
        read: Callable[[Feed], Callable[[Fetched], Any]],
    ) -> None:
        self._client, self._context = client, context
        self._journal, self._read, self._notices = journal, read, run.notices
        self._before = journal.store.states()
        self._free_at, self._ends_at = run.web.free_at, run.web.ends_at
        self._requests: dict[str, list[PollRequest]] = {}
        """Those that wait, by server, the most urgent first."""
        self._visits: dict[str, list[Visit]] = {}
        self._away: dict[Future[bytes], _Batch] = {}
        self._cut_off: set[str] = set()
        """The addresses of workers that could reach nobody."""
        self._lost, self._reason = 0, ""

    def all(self, requests: Sequence[PollRequest]) -> Iterator[PollResult[Any]]:
        """Yield what comes of all requests, as it comes."""
        for request in requests:
            self._requests.setdefault(address.server(request.url), []).append(request)
        if self._ends_at == inf:
            # As in one process: the server with most feeds decides how long it takes.
            by_size = sorted(self._requests.items(), key=lambda item: -len(item[1]))
            self._requests = dict(by_size)
        while True:
            self._send(len(requests))
            if not self._away:
                break
            for future in self._wait():
                yield from self._receive(future)
        waiting = sum(map(len, self._visits.values())) + sum(map(len, self._requests.values()))
        for visit in chain.from_iterable(self._visits.values()):
            fetched = visit.end(FetchError("out_of_time", "the run ended before the answer came"))
            self._journal.ended(visit.poll, fetched)
            yield PollResult(visit.poll.feed, fetched, None)
        if self._lost:
            self._notices.append(
                f"{format_count(self._lost, 'feed')} went to workers of the cluster that did not "
                f"answer ({self._reason}); each is asked again when its next attempt is due"
            )
        if waiting and time.monotonic() < self._ends_at and not (self._cut_off or self._workers()):
            self._notices.append(
                "the scheduler of the cluster, or all its workers, are gone: "
                f"{format_count(waiting, 'feed')} more were to be asked "
                f"({planet.documentation('cluster.md')})"
            )

    def _send(self, total: int) -> None:
        """Send batches until each worker has enough."""
        if time.monotonic() >= self._ends_at:
            return
        workers = {name: threads for name, threads in self._workers().items() if threads}
        threads = sum(workers.values())
        size = max(_FEWEST, min(_MOST, ceil(total / (2 * _BATCHES * max(1, threads)))))
        while len(self._away) < _BATCHES * threads and (batch := self._next_batch(size)):
            packed = pickle.dumps(batch)
            try:
                future = self._client.submit(
                    ask,
                    packed,
                    key=f"planet-{batch.name}",
                    workers=list(workers) if self._cut_off else None,
                    pure=False,
                )
            except Exception as error:  # noqa: BLE001 - as in `_workers`
                self._give_up(batch, error)
                return
            self._away[future] = batch

    def _workers(self) -> dict[str, int]:
        """Return the threads of each worker that reached a server, or was not tried yet."""
        try:
            threads: dict[str, int] = self._client.nthreads()
        except Exception:  # noqa: BLE001 - Dask promises no set of them when the scheduler is gone
            return {}
        return {name: count for name, count in threads.items() if name not in self._cut_off}

    def _next_batch(self, size: int) -> _Batch | None:
        """Return the next servers that nobody else asks; None when there is none."""
        busy = {host for batch in self._away.values() for host in batch.hosts}
        visits: list[Visit] = []
        requests: list[PollRequest] = []
        hosts: list[str] = []
        for host in chain(self._visits, self._requests):
            if len(visits) + len(requests) >= size:
                break
            if host in busy or host in hosts:
                continue
            hosts.append(host)
            visits += self._visits.get(host, ())
            # Those of a server that is to be left alone are not asked in this run.
            requests += () if self._journal.resting(host) else self._requests.get(host, ())
        for host in hosts:
            self._visits.pop(host, None)
            self._requests.pop(host, None)
        elsewhere = self._journal.starting(requests)
        requests = [request for request in requests if request not in elsewhere]
        if not visits and not requests:
            return None
        now = time.monotonic()
        return _Batch(
            name=uuid4().hex,
            context=self._context,
            hosts={host: self._journal.hosts.get(host) for host in hosts},
            requests=requests,
            visits=visits,
            readers={
                request.feed.key: self._read(request.feed)
                for request in (*requests, *(visit.poll for visit in visits))
            },
            free={h: self._free_at[h] - now for h in hosts if self._free_at.get(h, 0.0) > now},
            seconds=self._ends_at - now,
            now=self._journal.clock(),
        )

    def _wait(self) -> list[Future[bytes]]:
        """Wait for one batch at least; return those that are back, or that will not come."""
        from distributed import wait

        while True:
            try:
                with self._client.as_current():
                    over = wait([*self._away], timeout=_PATIENCE, return_when="FIRST_COMPLETED")  # type: ignore[no-untyped-call]
                return list(over.done)
            except TimeoutError:
                pass
            except Exception:  # noqa: BLE001 - as in `_workers`
                return [*self._away]
            if not any(self._workers().values()):
                with suppress(Exception):  # as in `_workers`
                    self._client.cancel([*self._away])
                return [*self._away]

    def _receive(self, future: Future[bytes]) -> Iterator[PollResult[Any]]:
        """Yield what came of a batch, a failure only when some server was reached."""
        batch = self._away.pop(future)
        try:
            answer: _BatchResult = pickle.loads(future.result(_PATIENCE))  # noqa: S301 - of our workers
        except Exception as error:  # noqa: BLE001 - whatever a worker dies of
            self._give_up(batch, error)
            return
        self._free_at.update(
            {host: time.monotonic() + seconds for host, seconds in answer.free.items()}
        )
        for request in batch.requests:
            if request.feed.key not in answer.begun:
                self._journal.withdraw(request, self._before.get(request.feed.key))
        for visit in answer.leaving:
            self._visits.setdefault(visit.host, []).append(visit)
        if answer.is_outage:
            self._cut_off.add(answer.worker)
        results = {request.feed.key: result for request, _, result in answer.came}
        for feed, fetched in self._journal.defer_network_failures(
            self._shift_times(answer, batch.now)
        ):
            yield PollResult(feed, fetched, results.get(feed.key))

    def _give_up(self, batch: _Batch, error: BaseException) -> None:
        """Count the feeds of a batch that does not come back; their attempts stay written down."""
        requests = (*batch.requests, *(visit.poll for visit in batch.visits))
        self._lost += len(requests)
        self._reason = (
            str(error).partition("\n")[0][:200] or type(error).__name__
            if not isinstance(error, (CancelledError, TimeoutError)) and self._workers()
            else "they or their scheduler are gone"
        )
        for request in requests:
            # It says nothing of whether anybody can be reached.
            self._journal.reach.attempts.pop(request.feed.key, None)

    def _shift_times(self, answer: _BatchResult, sent: datetime) -> Iterator[PolledFeed]:
        """Shift a worker's times to the clock here; hold back failures if it reached no server."""
        late = self._journal.clock() - answer.now
        for request, there, _ in answer.came:
            # Rather too late than too early: what a server asks for counts from then.
            started, ended = (max(sent, at + late) for at in (there.started, there.ended))
            fetched = replace(there, started=started, ended=ended)
            self._journal.ended(request, fetched)
            if answer.is_outage and is_unreached(fetched):
                self._journal.reach.cut_off.append(PolledFeed(request.feed, fetched))
            else:
                yield PolledFeed(request.feed, fetched)


class _BatchJournal(HostJournal):
    """That of a batch, which asks nobody any more once nobody waits for its answer.

    What is to be stored travels back, and is stored where the batch came from.
    """

    def __init__(
        self,
        batch: _Batch,
        *,
        clock: Callable[[], datetime],
        is_wanted: Callable[[], bool],
    ) -> None:
        hosts = {host: state for host, state in batch.hosts.items() if state is not None}
        context = JournalContext(
            reach=OutageDetector(),
            clock=clock,
            host_gap=batch.context.host_gap,
            clocks=ServerClocks(),
        )
        super().__init__(hosts, context)
        self._is_wanted = is_wanted

    def resting(self, host: str) -> bool:
        return not self._is_wanted() or super().resting(host)


def ask(packed: bytes) -> bytes:
    """Make the requests of a batch in a worker, and read what comes.

    Raises:
        RuntimeError: a worker began with it before.
    """
    from distributed import get_worker

    from planet.http import HostPartition, Web, open_session
    from planet.parse.sniff import FeedAnswers
    from planet.social.resolver import Resolver
    from planet.social.signing import Signer

    batch: _Batch = pickle.loads(packed)  # noqa: S301 - from the run that sent it
    context, worker, begun = batch.context, get_worker(), time.monotonic()
    task = worker.get_current_task()

    def is_wanted() -> bool:
        # Dask cannot end a thread; this is how it says that the client is gone.
        state = worker.state.tasks.get(task)
        return state is not None and state.state == "executing"

    def clock() -> datetime:
        return batch.now + timedelta(seconds=time.monotonic() - begun)

    journal = _BatchJournal(batch, clock=clock, is_wanted=is_wanted)
    partition = HostPartition(hosts=frozenset(batch.hosts), visits=batch.visits)
    requests = (*batch.requests, *(visit.poll for visit in batch.visits))
    by_key = {request.feed.key: request for request in requests}
    with open_session(**context.session) as session:
        if not session.claim(batch.name):
            raise RuntimeError("a worker died that had begun with it")
        web = Web(
            session,
            resolver=Resolver(appview=context.appview),
            rules=FeedAnswers(),
            user_agent=context.user_agent,
            clock=clock,
            workers=context.workers,
            budget=None if batch.seconds == inf else timedelta(seconds=batch.seconds),
            signer=Signer(*context.key) if context.key else None,
        )
        web.free_at.update({host: begun + seconds for host, seconds in batch.free.items()})
        came: list[tuple[PollRequest, Fetched, Any]] = []
        reading: deque[tuple[int, Any]] = deque()

        def read(at_most: int) -> None:
            while len(reading) > at_most:
                place, call = reading.popleft()
                came[place] = (*came[place][:2], call.result())

        for feed, fetched in web.fetch(batch.requests, journal, partition=partition):
            if fetched.body is not None:
                call = _READERS.call(batch.readers[feed.key], fetched)
                reading.append((len(came), call))
            body = None if fetched.body is None else b""
            came.append((by_key[feed.key], replace(fetched, body=body), None))
            read(_AHEAD)
        read(0)
        now = time.monotonic()
        return pickle.dumps(
            _BatchResult(
                came=came,
                leaving=partition.leaving,
                begun=frozenset(journal.begun),
                is_outage=journal.reach.is_outage,
                free={host: at - now for host, at in web.free_at.items() if at > now},
                now=clock(),
                worker=worker.address,
            )
        )


_READERS: Final = Workers(count=1)
"""The process of a worker, one for all batches, in which answers are read with limits."""
atexit.register(_READERS.rest)
