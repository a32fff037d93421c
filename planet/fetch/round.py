"""A round of visits: who is asked when. Hosts are owned here, by the caller's thread alone."""

from __future__ import annotations

import random
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from planet.errors import FetchError
from planet.fetch.failures import out_of_time
from planet.fetch.limits import CROWD, JITTER, LONG_GAP, PATIENCE, SLOW
from planet.fetch.queues import Queues

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from planet.fetch.equipment import Equipment
    from planet.fetch.ledger import Ledger
    from planet.fetch.visit import Visit
    from planet.model import Feed, Fetched


class Round:
    """The visits of one `Web.fetch`, each request made when the turn of its host comes.

    `free_at` says from when a host may be asked again, on the monotonic clock, and is kept up to
    date; hosts that are not in it may be asked at once.
    """

    def __init__(
        self,
        visits: Iterable[Visit],
        *,
        ledger: Ledger,
        equipment: Equipment,
        workers: int,
        free_at: dict[str, float],
    ) -> None:
        self._ledger = ledger
        self._with = equipment
        self._workers = workers
        self._free_at = free_at
        now = time.monotonic()
        self._ends_at = equipment.ends_at
        is_endless = self._ends_at == inf
        until = None if is_endless else self._ends_at
        self._queues = Queues(visits, now=now, until=until, free_at=free_at)
        # Without a budget everybody is asked, save those of hosts for which that takes ages.
        self._patience = now + PATIENCE if is_endless else inf
        self._running: dict[Future[Fetched | None], tuple[Visit, str, float]] = {}
        """Each with its host and the moment it was started, the longest under way first."""
        self._over: SimpleQueue[Future[Fetched | None]] = SimpleQueue()
        self._came: deque[tuple[Visit, Fetched]] = deque()

    def __iter__(self) -> Iterator[tuple[Feed, Fetched]]:
        """What comes, as it comes."""
        with self._pool() as pool:
            while True:
                if time.monotonic() < self._ends_at:
                    self._start(pool)
                else:
                    self._stop()
                if self._came:
                    visit, fetched = self._came.popleft()
                    yield visit.turn.feed, fetched
                    visit.place.leave()
                    self._hear(0.0)
                elif self._running or self._queues:
                    self._hear(self._idle())
                else:
                    return

    @contextmanager
    def _pool(self) -> Iterator[ThreadPoolExecutor]:
        with ExitStack() as stack:
            stack.enter_context(self._with.watchdog)
            pool = ThreadPoolExecutor(CROWD * self._workers, "planet-fetch")
            # Whoever stops listening stops the exchanges, too: nobody waits for a slow server.
            stack.callback(pool.shutdown, wait=False, cancel_futures=True)
            stack.callback(self._with.watchdog.shoot_all)
            stack.callback(self._with.room.close)
            yield pool

    def _start(self, pool: ThreadPoolExecutor) -> None:
        """Make the requests whose turn has come."""
        while self._full(now := time.monotonic()) <= 0 and (visit := self._queues.take(now)):
            skips = not visit.begun and self._ledger.skipping(visit.turn)
            if skips or self._ledger.resting(visit.host):
                self._pass_by(visit, now)
                continue
            if not visit.begun:
                self._ledger.starting(visit.turn)
            host = visit.host  # once it advances, it may be another
            visit.signs_as(self._ledger.signature(host))
            future = pool.submit(visit.advance)
            self._running[future] = visit, host, now
            future.add_done_callback(self._over.put)

    def _stop(self) -> None:
        """Nobody's turn comes any more; those whose requests are under way end by themselves."""
        for visit in self._queues.dismiss():
            if visit.begun:
                self._take_in(visit, visit.end(out_of_time()))

    def _pass_by(self, visit: Visit, now: float) -> None:
        """Leave a host alone that rests, or a feed at this hour; who was sent there ends here."""
        host = visit.host
        if visit.begun:
            words = f"the server leads to {host}, which is to be left alone for now"
            self._take_in(visit, visit.end(FetchError("host_cooldown", words)))
        self._queues.free(host, now=now)
        self._forget(host)

    def _full(self, now: float) -> float:
        """Seconds until one more exchange may be started; infinite until another is over."""
        # What the caller has not taken yet counts, too: else it piles up.
        if max(len(self._running) / CROWD, len(self._came)) >= self._workers:
            return inf
        quick = [since for *_, since in self._running.values() if now - since < SLOW]
        return 0.0 if len(quick) < self._workers else quick[0] + SLOW - now

    def _idle(self) -> float:
        """Seconds for which there is nothing to do but to wait for an exchange to be over."""
        now = time.monotonic()
        idle = max(self._full(now), self._queues.wait(now))
        return min(idle, self._ends_at - now) if now < self._ends_at else idle

    def _hear(self, patience: float) -> None:
        """Take in the exchanges that are over; if none is, wait for one, but no longer than so."""
        with suppress(Empty):
            while True:
                future = self._over.get(timeout=patience if patience < inf else None)
                visit, host, _ = self._running.pop(future)
                self._settle(visit, host, future.result())
                patience = 0.0

    def _settle(self, visit: Visit, host: str, fetched: Fetched | None) -> None:
        """An exchange is over: with what came of the visit, or with where it goes on."""
        now = time.monotonic()
        if fetched is None:
            self._queues.go_on(visit, now=now)
        else:
            self._take_in(visit, fetched)
        gap = self._ledger.gap(host).total_seconds()
        pause = gap + random.uniform(0.0, min(JITTER, gap))  # noqa: S311 - no secret
        self._free_at[host] = visit.over_at + pause
        until = self._patience if gap > LONG_GAP else inf
        self._queues.free(host, now=now, at=self._free_at[host], until=until)
        self._forget(host)

    def _take_in(self, visit: Visit, fetched: Fetched) -> None:
        self._ledger.ended(visit.turn, fetched)
        self._came.append((visit, fetched))

    def _forget(self, host: str) -> None:
        """Keep no connection to a host for which nobody waits."""
        if not self._queues.waits_for(host):
            self._with.session.adapter.forget(host)
