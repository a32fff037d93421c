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
from planet.http.body import make_too_large_error
from planet.http.connection import FeedAdapter, Network
from planet.http.guard import Guard, is_public
from planet.http.redirects import REDIRECTS, RedirectChain
from planet.http.request import AnyAnswer, FeedRequest
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
_PARTING: Final = 3.0
"""Seconds for threads to end. A look-up of a name cannot be cut off; an exchange can."""
MAX_PAGE: Final = 2_000_000
"""Bytes of a page on the wire; twice as many are read once it is unpacked."""
_PAGES: Final = AnyAnswer(
    "text/html, application/xhtml+xml;q=0.9, */*;q=0.5",
    unwanted=("image/", "video/", "audio/", "application/zip"),
)


class PollObserver(Protocol):
    """Kept by whoever iterates `Web.fetch`; called in any thread, one call at a time.

    A host is `host:port` in lower case, as `address.server` has it.
    """

    def gap(self, host: str) -> timedelta:
        """Return the least time between the end of a request to a host and the next one."""

    def begin(self, poll: PollRequest, host: str, *, is_first: bool) -> bool:
        """Note that a host is about to be asked for a feed, and return whether it may be.

        Called before each request, of which one `is_first` for the feed.
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
    started, limit = clock(), poll.feed.policy.max_size
    body, error = b"", None
    try:
        with poll.feed.path.open("rb") as file:
            body = file.read(limit + 1)
    except OSError as failure:
        words = f"{poll.feed.path} cannot be read: {failure.strerror}"
        error = FetchError("no_file", words)
    else:
        if len(body) > limit:
            error = make_too_large_error(limit)
        elif not body:
            error = FetchError("empty", f"{poll.feed.path} is empty")
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
    free_at: dict[str, float] = field(init=False, default_factory=dict)
    """From when on a host that was asked may be asked again, on the monotonic clock."""
    opens_at: float = 0.0
    """From when on any other host may be asked."""

    @cached_property
    def ends_at(self) -> float:
        """The end of the time budget on the monotonic clock, which begins at the first use."""
        return time.monotonic() + self.budget.total_seconds()

    @property
    def pause(self) -> float:
        """The seconds until every host may be asked again."""
        return max([0.0, *(at - time.monotonic() for at in self.free_at.values())])

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
        self.web = web
        self.rules = rules
        self.ends_at = web.ends_at
        self._journal = journal
        self._mutex = Lock()
        """Of the journal."""
        self._locks: dict[str, Lock] = defaultdict(Lock)
        self._queues: SimpleQueue[list[Visit] | None] = SimpleQueue()
        self._visits: set[Visit] = set()
        """The visits under way."""
        self._stopped = Event()
        # Bounded, so that results do not pile up before a slow caller.
        self._results: Queue[PolledFeed | BaseException | None] = Queue(2 * web.workers)

    def run(self, polls: Sequence[PollRequest]) -> Iterator[PolledFeed]:
        """Yield results as they come."""
        threads = self._plan(polls)
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
            # Whoever stops listening stops the exchanges, too: nobody waits for a slow server.
            self._stopped.set()
            self.ends_at = 0.0
            for visit in [*self._visits]:
                for request in visit.requests[-1:]:
                    request.cut()
            # The cache is closed next: whoever came later would open it again.
            until = time.monotonic() + _PARTING
            for thread in threads:
                if thread.is_alive():
                    thread.join(max(0.0, until - time.monotonic()))

    def _plan(self, polls: Sequence[PollRequest]) -> list[Thread]:
        """Queue the visits of each server; return as many threads as are wanted for the queues."""
        queues: dict[str, list[Visit]] = defaultdict(list)
        for poll in polls:
            visit = Visit(poll, self)
            queues[visit.host].append(visit)
        threads = [
            Thread(target=self._work, name=f"planet-fetch-{number}", daemon=True)
            for number in range(min(self.web.workers, len(queues)))
        ]
        for queue in (*queues.values(), *(None for _ in threads)):
            self._queues.put(queue)
        return threads

    def _work(self) -> None:
        """Work off queues while there are any, in a thread."""
        try:
            for queue in iter(self._queues.get, None):
                host = queue[0].host
                for visit in queue:
                    if not self._stopped.is_set() and (fetched := self._ask(visit)) is not None:
                        self._put(PolledFeed(visit.poll.feed, fetched))
                self._leave(host)
        except BaseException as error:  # noqa: BLE001 - it is raised where the caller is
            self._put(error)
        self._put(None)

    def _put(self, result: PolledFeed | BaseException | None) -> None:
        """Hand a result to the caller, unless the crawl has been stopped."""
        while not self._stopped.is_set():
            with suppress(Full):
                self._results.put(result, timeout=1.0)
                return

    def _ask(self, visit: Visit) -> Fetched | None:
        """Make the requests of a visit, wherever they lead; None where it must not be asked."""
        home, fetched = visit.host, None
        self._visits.add(visit)
        while fetched is None:
            host = visit.host
            with self._locks[host]:
                why_not = self._wait(visit)
                if why_not is None:
                    fetched = visit.advance()
                elif visit.requests:
                    fetched = visit.end(why_not)
                else:
                    break
                with self._mutex:
                    if fetched is not None:
                        self._journal.note_result(visit.poll, fetched)
                    gap = self._journal.gap(host).total_seconds()
                if why_not is None:
                    pause = gap + random.uniform(0.0, min(_JITTER, gap))  # noqa: S311 - no secret
                    self.web.free_at[host] = time.monotonic() + pause
            if host != (visit.host if fetched is None else home):
                self._leave(host)
        self._visits.discard(visit)
        return fetched

    def _wait(self, visit: Visit) -> FetchError | None:
        """Wait for the turn of a visit; return why it must not be asked, if so."""
        host, now = visit.host, time.monotonic()
        turn_at = max(now, self.web.free_at.get(host, self.web.opens_at), visit.not_before)
        if turn_at - now <= LONG_WAIT and turn_at < self.ends_at:
            self.web.session.reserve(visit.url)
            self._stopped.wait(turn_at - now)
        if self._stopped.is_set() or turn_at >= self.ends_at:
            return FetchError(*OUT_OF_TIME)
        with self._mutex:
            is_first, is_late = not visit.requests, turn_at - now > LONG_WAIT
            if not is_late and self._journal.begin(visit.poll, host, is_first=is_first):
                return None
        name = host.removesuffix(":443")
        _LOG.info("%s: is not asked in this run: %s is to be left alone for now", visit, name)
        words = f"the server leads to {name}, which is to be left alone for now"
        return FetchError("host_cooldown", words)

    def _leave(self, host: str) -> None:
        """Close the connection to a host."""
        with self._locks[host]:
            self.web.session.release(host)


def read_page(
    url: str,
    *,
    user_agent: str,
    timeout: float = 10.0,
    max_size: int = MAX_PAGE,
    private: bool = False,
) -> bytes:
    """Ask for the page at a web address, and return the body, unpacked.

    The request goes to the public Internet alone, and so do redirects, of which five are followed:
    an address in a private network, such as loopback or the metadata service of a cloud, is refused
    before anybody is called (R48 in docs/politeness.md). With `private` the first server may be in
    a private network. `timeout` is in seconds for everything together; `max_size` is in bytes on
    the wire. Nothing is kept: how often to call is up to the caller.

    Raises:
        FetchError: `url` is no web address, leads into a private network, or brings no page.
        StateError: the proxies or certificates of the environment cannot be used.
    """
    start = address.make_absolute(url)
    if start is None:
        raise FetchError("bad_address", "it is no web address")
    chain = RedirectChain(address.normalize(start))
    ends_at, network = time.monotonic() + timeout, Network()
    guard = Guard(network.names, is_public, only_public=not private)
    with closing(FeedAdapter(network)) as adapter:
        while True:
            request = FeedRequest(
                chain.url,
                {"User-Agent": user_agent, "Accept": _PAGES.accept},
                seconds=ends_at - time.monotonic(),
                max_size=max_size,
                guard=guard,
                rules=_PAGES,
                asked_at=datetime.now(UTC),
            )
            body = adapter.exchange(request)
            if request.status not in REDIRECTS:
                return body
            now = datetime.now(UTC)
            wait = chain.follow(request.status or 0, request.received, received_at=now)
            time.sleep(request.time_for(wait))
