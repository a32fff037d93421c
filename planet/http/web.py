"""Many feeds at once, one at a time for each host."""

from __future__ import annotations

import hashlib
import time
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from planet.errors import FetchError
from planet.http.body import make_too_large_error
from planet.http.crawl import Crawl
from planet.http.visit import list_cache_names
from planet.model import Fetched, PolledFeed

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from datetime import datetime, timedelta
    from pathlib import Path

    from planet.http.crawl import PollObserver
    from planet.http.redirects import AddressResolver
    from planet.http.request import AnswerRules
    from planet.http.session import FeedSession
    from planet.http.visit import RequestSigner
    from planet.model import Feed, PollRequest


def read_file(poll: PollRequest, *, clock: Callable[[], datetime]) -> Fetched:
    """Read a feed that is a file. Never raises FeedError."""
    started = clock()
    body, error = None, None
    try:
        body = _bytes(poll.feed.path, poll.feed.policy.max_size)
    except FetchError as failure:
        error = failure
    digest = hashlib.sha256(body).hexdigest() if body is not None else None
    return Fetched(
        started=started,
        ended=clock(),
        url=poll.feed.url,
        body=None if digest == poll.known_hash else body,
        body_hash=digest,
        error=error,
    )


def _bytes(path: Path, limit: int) -> bytes:
    try:
        if not path.is_file():
            raise FetchError("no_file", f"there is no file {path}")
        with path.open("rb") as file:
            body = file.read(limit + 1)
    except OSError as error:
        raise FetchError("no_file", f"{path} cannot be read: {error.strerror}") from error
    if len(body) > limit:
        raise make_too_large_error(limit)
    if not body:
        raise FetchError("empty", f"{path} is empty")
    return body


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
    budget: timedelta | None = None
    signer: RequestSigner | None = None
    """None where the operator has no key."""
    free_at: dict[str, float] = field(init=False, default_factory=dict)
    """From when on a host that was asked may be asked again, on the monotonic clock."""
    opens_at: float = 0.0
    """From when on any other host may be asked."""

    @cached_property
    def ends_at(self) -> float:
        """When the time budget is used up, on the monotonic clock; it begins when first wanted."""
        return inf if self.budget is None else time.monotonic() + self.budget.total_seconds()

    @property
    def pause(self) -> float:
        """The seconds until each host that was asked may be asked again."""
        return max([0.0, *(at - time.monotonic() for at in self.free_at.values())])

    def fetch(
        self,
        polls: Iterable[PollRequest],
        journal: PollObserver,
        rules: AnswerRules | None = None,
    ) -> Generator[PolledFeed, None, None]:
        """Ask for each feed once and yield what came, as it comes; files first.

        With `rules`, it is for something else than feeds.

        All attempts are stored before the first request is sent. With a time budget hosts are asked
        in the order given, without one the hosts with most feeds come first. The budget is for all
        calls together, from the first one on; one that is not the last of its run gets half of what
        is left. Once it is used up no request is sent, and those under way end with the error
        `out_of_time`. Where the next turn of a host is more than ten seconds away, its feeds are
        left. Polls that are not asked, those of resting hosts among them, are not yielded.

        Raises:
            StateError: what came cannot be stored.
        """
        polls = list(polls)
        journal.store_attempts(polls)
        for poll in polls:
            if poll.feed.is_file:
                journal.note_request(poll)
                fetched = read_file(poll, clock=self.clock)
                journal.note_result(poll, fetched)
                yield PolledFeed(poll.feed, fetched)
        requests = [poll for poll in polls if not poll.feed.is_file]
        if not requests:
            # Most runs: no thread is started for them.
            return
        ends_at = self.ends_at
        if not journal.is_last:
            # A slow list of feeds would leave no time for any feed, in every run anew.
            ends_at = (time.monotonic() + ends_at) / 2
        try:
            yield from Crawl(self, journal, rules or self.rules, ends_at=ends_at).run(requests)
        except (GeneratorExit, KeyboardInterrupt):
            journal.withdraw_unasked()
            raise
        journal.withdraw_unasked()

    def recall(self, polls: Iterable[PollRequest]) -> Iterator[PolledFeed]:
        """Yield bodies in the cache whose entries are not stored yet; make no request."""
        for poll in polls:
            for name in list_cache_names(poll.feed, poll.answered_url, poll.adopted_url):
                kept = self.session.load(name)
                if kept is not None and kept.body_hash != poll.known_hash and kept.content:
                    now = self.clock()
                    fetched = Fetched(
                        started=now,
                        ended=now,
                        url=kept.url,
                        body=kept.content,
                        body_hash=kept.body_hash,
                        validators=kept.validators,
                        asked=False,
                    )
                    yield PolledFeed(poll.feed, fetched)
                    break

    def keep_only(self, feeds: Iterable[tuple[Feed, str | None]]) -> None:
        """Drop the bodies on disk of all feeds but these, with their `FeedState.answered_url`."""
        self.session.keep_only(
            name for feed, answered_url in feeds for name in list_cache_names(feed, answered_url)
        )

    def drop(self, feed: Feed, *addresses: str | None) -> None:
        """Drop what is on disk of a feed, also under other addresses at which it was found."""
        self.session.drop(list_cache_names(feed, *addresses))
