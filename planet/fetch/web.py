"""Many feeds at once, one at a time for each host."""

from __future__ import annotations

import heapq
import random
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from planet import address
from planet.fetch.ask import ask, names_of, recall
from planet.fetch.exchange import Watchdog
from planet.fetch.files import read

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from datetime import datetime, timedelta

    from planet.fetch.session import FeedSession
    from planet.model import Feed, Fetched, Turn


class Web:
    """The feeds' servers, asked politely.

    At most `workers` feeds at a time. Those at one server are asked one after the other over one
    connection, with a gap in between. A redirect is followed at once, as part of asking the feed's
    own server: where it leads, others may be asking at the same time.
    """

    def __init__(
        self,
        session: FeedSession,
        *,
        user_agent: str,
        clock: Callable[[], datetime],
        workers: int,
        host_gap: timedelta,
        budget: timedelta | None = None,
    ) -> None:
        self._session = session
        self._user_agent = user_agent
        self._clock = clock
        self._workers = workers
        self._gap = host_gap.total_seconds()
        self._budget = budget.total_seconds() if budget is not None else None

    def fetch(
        self, turns: Iterable[Turn], *, starting: Callable[[Feed], None]
    ) -> Generator[tuple[Feed, Fetched], None, None]:
        """Ask for each feed once and yield what came, as it comes.

        Servers are asked in the order given; without a time budget, those with most feeds first.
        `starting` is called in the caller's thread before the first request of a feed is sent.
        When the time budget is used up no further feed is started, and those left are not yielded.
        """
        with ExitStack() as stack:
            watchdog = stack.enter_context(Watchdog())
            pool = stack.enter_context(ThreadPoolExecutor(self._workers, "planet-fetch"))
            # Whoever stops listening stops the exchanges, too: nobody waits for a slow server.
            stack.callback(pool.shutdown, wait=False, cancel_futures=True)
            stack.callback(watchdog.shoot_all)
            yield from self._run(_by_host(turns), pool, watchdog, starting)

    def recall(self, turns: Iterable[Turn]) -> Iterator[tuple[Feed, Fetched]]:
        """Without any request: bodies on disk whose entries are not stored yet."""
        for turn in turns:
            fetched = recall(turn, session=self._session, clock=self._clock)
            if fetched is not None:
                yield turn.feed, fetched

    def keep_only(self, feeds: Iterable[tuple[Feed, str | None]]) -> None:
        """Drop the bodies on disk of all feeds but these, each with its `Memory.answered_url`."""
        self._session.keep_only(
            name for feed, answered_url in feeds for name in names_of(feed, answered_url)
        )

    def _run(
        self,
        hosts: dict[str, deque[Turn]],
        pool: ThreadPoolExecutor,
        watchdog: Watchdog,
        starting: Callable[[Feed], None],
    ) -> Iterator[tuple[Feed, Fetched]]:
        done: SimpleQueue[Future[Fetched]] = SimpleQueue()
        running: dict[Future[Fetched], tuple[str, Feed]] = {}
        began = time.monotonic()
        # Each host with the moment from which it may be asked; the number keeps their order.
        ready = [(began, number, host) for number, host in enumerate(self._in_order(hosts))]
        while ready or running:
            now = time.monotonic()
            if self._budget is not None and now - began > self._budget:
                ready.clear()
                if not running:
                    return
            while ready and len(running) < self._workers and ready[0][0] <= now:
                _, _, host = heapq.heappop(ready)
                turn = hosts[host].popleft()
                starting(turn.feed)
                future = pool.submit(self._take, turn, watchdog)
                running[future] = host, turn.feed
                future.add_done_callback(done.put)
            free = ready and len(running) < self._workers
            try:
                future = done.get(timeout=max(0.0, ready[0][0] - now) if free else None)
            except Empty:
                continue
            host, feed = running.pop(future)
            if hosts[host]:
                heapq.heappush(ready, (time.monotonic() + self._pause(), len(hosts), host))
            else:
                self._session.adapter.forget(feed.url)
            yield feed, future.result()

    def _in_order(self, hosts: dict[str, deque[Turn]]) -> list[str]:
        """Which host to ask first."""
        if self._budget is not None:
            # Not all may get their turn: the caller has said whose comes first.
            return list(hosts)
        # All will: with a gap after each feed, the longest queue decides how long it takes.
        return sorted(hosts, key=lambda host: -len(hosts[host]))

    def _take(self, turn: Turn, watchdog: Watchdog) -> Fetched:
        if turn.feed.is_file:
            return read(turn, clock=self._clock)
        return ask(
            turn,
            session=self._session,
            watchdog=watchdog,
            user_agent=self._user_agent,
            clock=self._clock,
        )

    def _pause(self) -> float:
        """Seconds until a host may be asked again: the gap and up to a second more, at random."""
        return self._gap + random.uniform(0.0, min(1.0, self._gap)) if self._gap else 0.0  # noqa: S311


def _by_host(turns: Iterable[Turn]) -> dict[str, deque[Turn]]:
    """The feeds of each server, both in the order given. Each file is a server of its own."""
    hosts: dict[str, deque[Turn]] = {}
    for turn in turns:
        server = address.host(turn.feed.url) or turn.feed.url
        hosts.setdefault(server, deque()).append(turn)
    return hosts
