"""Many feeds at once: the feeds of a server one after the other, by one of a few threads.

`read_page` asks for a single page, for programs of operators.
"""

from __future__ import annotations

import hashlib
import logging
import random
import time
from collections import defaultdict
from contextlib import closing, suppress
from dataclasses import KW_ONLY, dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from queue import Full, Queue, SimpleQueue
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Final, Protocol

from planet import __version__, documentation
from planet.errors import FetchError, not_allowed
from planet.http.connection import FeedAdapter, Network
from planet.http.guard import Guard, is_public
from planet.http.redirects import RedirectChain
from planet.http.request import REDIRECTS, AnyAnswer, FeedRequest
from planet.http.visit import OUT_OF_TIME, Visit
from planet.model import Fetched, PolledFeed
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from datetime import timedelta

    from planet.http.redirects import AddressResolver
    from planet.http.request import AnswerRules
    from planet.http.session import FeedSession
    from planet.http.visit import RequestSigner
    from planet.model import PollRequest


_LOG = logging.getLogger(__name__)
LONG_WAIT = 10.0
"""Seconds until the next turn of a server from which on its feeds are left for the next run."""
_JITTER: Final = 1.0
"""Seconds that the gap between two requests to a host may grow, at random."""
MAX_PAGE: Final = 2_000_000
"""Bytes of a page on the wire; twice as many are read once it is unpacked."""
_PAGES: Final = AnyAnswer("text/html, application/xhtml+xml;q=0.9, */*;q=0.5")


class PollObserver(Protocol):
    """Kept by whoever iterates `Web.fetch`; called in any thread, for a host in one at a time.

    A host is `host:port` in lower case, as `address.server` has it.
    """

    def gap(self, host: str) -> timedelta:
        """Return the least time between the end of a request to a host and the next one."""

    def begin(self, poll: PollRequest, host: str) -> bool:
        """Note that a host is about to be asked for a feed, and return whether it may be.

        Called before each request.
        """

    def note_result(self, poll: PollRequest, fetched: Fetched) -> None:
        """Note the result of a poll, before the result is yielded.

        The consequences for a host hold for all polls still waiting for the host.
        """


def make_user_agent(contact: str | None) -> str:
    """Return the User-Agent of every request (R46 in docs/politeness.md), with a page about it.

    The page is `contact`, the operator's, or else one of the project's.
    """
    return f"Planet/{__version__} (+{contact or documentation('politeness.md')})"


def read_file(poll: PollRequest, *, clock: Callable[[], datetime]) -> Fetched:
    """Read a feed from a file. Never raises FeedError."""
    started, body, error = clock(), b"", None
    try:
        body = poll.feed.path.read_bytes()
    except OSError as failure:
        words = f"{poll.feed.path} cannot be read: {failure.strerror}"
        error = FetchError("no_file", words)
    digest = None if error else hashlib.sha256(body).hexdigest()
    return Fetched(
        started=started,
        ended=clock(),
        url=poll.feed.url,
        body=None if error or digest == poll.known_hash else body,
        body_hash=digest,
        error=error,
    )


@dataclass
class Web:
    """The feeds' servers, asked politely.

    `workers` hosts are asked at the same time. Each host is asked for one thing at a time, over one
    connection, with a gap between the end of one request and the start of the next. Hosts are
    servers as `address.server` has them; of those whose names lead to one IP address, four have a
    connection at a time.
    """

    session: FeedSession
    _: KW_ONLY
    resolver: AddressResolver
    rules: AnswerRules
    """The possible forms of a feed."""
    user_agent: str
    clock: Callable[[], datetime]
    workers: int
    budget: timedelta
    signer: RequestSigner | None = None
    """None where the operator has no key."""
    free_at: dict[str, float] = field(default_factory=dict)
    """From when on a host that was asked may be asked again, on the monotonic clock."""

    @cached_property
    def ends_at(self) -> float:
        """The end of the time budget on the monotonic clock, which begins at the first use."""
        return time.monotonic() + self.budget.total_seconds()

    def fetch(
        self,
        polls: Iterable[PollRequest],
        journal: PollObserver,
        rules: AnswerRules | None = None,
    ) -> Generator[PolledFeed, None, None]:
        """Ask for each feed once and yield results, as they come; files first.

        `rules` are for anything else than feeds.

        Hosts are asked in the order given. All calls share the time budget, from the first one on.
        Once it is used up no request is sent, and those under way end with the error `out_of_time`.
        Where the next turn of a host is more than ten seconds away, the feeds there are left. Polls
        without a request, those of resting hosts among them, are not yielded.

        Raises:
            StateError: an answer cannot be stored.
        """
        requests = []
        for poll in polls:
            if poll.feed.is_file:
                yield PolledFeed(poll.feed, read_file(poll, clock=self.clock))
            else:
                requests.append(poll)
        # In most runs there are none: no thread is started for them.
        if requests:
            yield from Crawl(self, journal, rules or self.rules).run(requests)

    def recall(self, polls: Iterable[PollRequest]) -> Iterator[PolledFeed]:
        """Yield bodies in the cache whose entries are not stored yet; make no request."""
        for poll in polls:
            kept = self.session.load(poll.feed.key)
            if kept is None or kept.body_hash == poll.known_hash:
                continue
            if body := self.session.unpack(kept):
                now = self.clock()
                fetched = Fetched(
                    started=now,
                    ended=now,
                    url=self.session.redactor.show(kept.url),
                    body=body,
                    body_hash=kept.body_hash,
                    validators=kept.validators,
                    asked=False,
                )
                yield PolledFeed(poll.feed, fetched)


class Crawl:
    """The visits of one `Web.fetch`.

    Each server has a queue, which one thread works off. A request holds the lock of its server,
    and waits until the gap since the last one there is over; a redirect to another server takes the
    lock of the other. A thread closes the connection to a server before it goes on to another:
    nobody waits in a circle for one of the connections to an IP address.
    """

    def __init__(self, web: Web, journal: PollObserver, rules: AnswerRules) -> None:
        self.web, self.rules, self.ends_at = web, rules, web.ends_at
        self.stopped = Event()
        self._journal = journal
        self._locks: dict[str, Lock] = defaultdict(Lock)
        self._queues: SimpleQueue[list[Visit] | None] = SimpleQueue()
        # Bounded, so that results do not pile up before a slow caller.
        self._results: Queue[PolledFeed | BaseException | None] = Queue(2 * web.workers)

    def run(self, polls: Sequence[PollRequest]) -> Iterator[PolledFeed]:
        """Yield results as they come."""
        queues: dict[str, list[Visit]] = defaultdict(list)
        for poll in polls:
            visit = Visit(poll, self)
            queues[visit.host].append(visit)
        count = min(self.web.workers, len(queues))
        threads = [Thread(target=self._work, daemon=True) for _ in range(count)]
        for queue in (*queues.values(), *(None for _ in threads)):
            self._queues.put(queue)
        try:
            try:
                for thread in threads:
                    thread.start()
            except RuntimeError as error:
                raise not_allowed("no thread can be started") from error
            for _ in threads:
                while (result := self._results.get()) is not None:
                    if isinstance(result, BaseException):
                        raise result
                    yield result
        finally:
            # Whoever stops listening waits for no slow server: a thread that comes late finds the
            # cache closed, and ends.
            self.ends_at = 0.0
            self.stopped.set()

    def _work(self) -> None:
        """Work off queues while there are any, in a thread."""
        try:
            for queue in iter(self._queues.get, None):
                host = queue[0].host
                while queue:
                    # A visit has its answer: nothing must keep it for longer.
                    visit = queue.pop(0)
                    with suppress(FetchError):
                        self._put(PolledFeed(visit.poll.feed, self._ask(visit)))
                with self._locks[host]:
                    self.web.session.release(host)
        except BaseException as error:  # noqa: BLE001 - it is raised where the caller is
            self._put(error)
        self._put(None)

    def _put(self, result: PolledFeed | BaseException | None) -> None:
        """Hand a result to the caller, unless the crawl has been stopped."""
        while not self.stopped.is_set():
            with suppress(Full):
                self._results.put(result, timeout=1.0)
                return

    def _ask(self, visit: Visit) -> Fetched:
        """Make the requests of a visit, wherever they lead.

        Raises:
            FetchError: nobody must be asked in this run.
        """
        home, fetched = visit.host, None
        while fetched is None:
            host = visit.host
            with self._locks[host]:
                fetched = visit.advance()
                if fetched is not None:
                    self._journal.note_result(visit.poll, fetched)
                gap = self._journal.gap(host).total_seconds()
                pause = gap + random.uniform(0.0, min(_JITTER, gap))  # noqa: S311 - no secret
                self.web.free_at[host] = time.monotonic() + pause
                if host != (home if fetched else visit.host):
                    self.web.session.release(host)
        return fetched

    def wait(self, visit: Visit) -> None:
        """Wait for the turn of a visit.

        Raises:
            FetchError: the host must not be asked in this run.
        """
        host, now = visit.host, time.monotonic()
        turn_at = max(now, self.web.free_at.get(host, 0.0))
        is_soon = turn_at - now <= LONG_WAIT
        if is_soon and turn_at < self.ends_at:
            self.web.session.reserve(visit.chain.url)
            self.stopped.wait(turn_at - now)
        if turn_at >= self.ends_at:
            raise FetchError(*OUT_OF_TIME)
        if not (is_soon and self._journal.begin(visit.poll, host)):
            words = f"{host.removesuffix(':443')} is to be left alone for now"
            _LOG.info("%s: is not asked: %s", visit, words)
            raise FetchError("host_cooldown", words)


def read_page(url: str, *, user_agent: str, timeout: float = 10.0, private: bool = False) -> bytes:
    """Ask for the page at a web address, and return the body, unpacked.

    The request goes to the public Internet alone, and so do redirects, of which five are followed:
    an address in a private network, such as loopback or the metadata service of a cloud, is refused
    before anybody is called (R48 in docs/politeness.md). With `private` the first server may be in
    a private network. `timeout` is in seconds for everything together. Nothing is kept: how often
    to call is up to the caller.

    Raises:
        FetchError: `url` is no web address, leads into a private network, or brings no page.
        StateError: the proxies or certificates of the environment cannot be used.
    """
    start = address.make_absolute(url)
    if start is None:
        raise FetchError("bad_address", "it is no web address")
    chain = RedirectChain(address.normalize(start))
    ends_at, network = time.monotonic() + timeout, Network()
    guard = Guard(network.find, is_public, only_public=not private)
    with closing(FeedAdapter(network)) as adapter:
        while True:
            request = FeedRequest(
                chain.url,
                {"User-Agent": user_agent, "Accept": _PAGES.accept},
                seconds=ends_at - time.monotonic(),
                max_size=MAX_PAGE,
                guard=guard,
                rules=_PAGES,
                asked_at=datetime.now(UTC),
            )
            body = adapter.exchange(request)
            if request.status not in REDIRECTS:
                return body
            time.sleep(chain.follow(request))
