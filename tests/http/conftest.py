"""A reader that comes back: each visit opens the cache from disk anew, as each run does."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from planet.http import AnswerRules, FeedSession, Web, make_user_agent
from planet.http.guard import LookUp, is_public, look_up
from planet.model import Feed, Fetched, FetchPolicy, PollRequest
from planet.parse.sniff import FeedAnswers
from planet.social.resolver import Resolver
from planet.social.signing import Signer
from tests.server import Server

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
BODY = b"<rss version='2.0'><channel><title>One</title></channel></rss>"
OTHER = BODY.replace(b"One", b"Other")
ETAG = ("ETag", '"one"')
MODIFIED = ("Last-Modified", "Sat, 21 Nov 2026 10:00:00 GMT")
FOREVER = timedelta(hours=1)
PUBLIC, PRIVATE, OTHER_PRIVATE = "127.0.0.1", "127.0.0.2", "127.0.0.3"


def turn(
    url: str, *, key: str | None = None, policy: FetchPolicy | None = None, **more: Any
) -> PollRequest:
    """The turn of a feed that is called by its address, unless it has a key of its own."""
    feed = Feed(key=key or url, url=url, slug="feed", policy=policy or FetchPolicy())
    return PollRequest(feed=feed, **more)


def kind(fetched: Fetched | None) -> str | None:
    return fetched.error.kind if fetched and fetched.error else None


class Notes:
    """A journal that writes down what it is told, and says what it was given to say."""

    def __init__(self, gap: timedelta = timedelta(0)) -> None:
        self.gaps: dict[str, timedelta] = {}
        self.rests: set[str] = set()
        self.started: list[str] = []
        self.over: list[str] = []
        self._gap = gap

    def gap(self, host: str) -> timedelta:
        return self.gaps.get(host, self._gap)

    def begin(self, turn: PollRequest, host: str) -> bool:
        if host not in self.rests and turn.feed.key not in self.started:
            self.started.append(turn.feed.key)
        return host not in self.rests

    def note_result(self, turn: PollRequest, fetched: Fetched) -> None:
        self.over.append(turn.feed.key)


class Reader:
    """Asks for feeds, one run for each call."""

    def __init__(
        self, state: Path, backend: str = "sqlite", is_public: Callable[[str], bool] = is_public
    ) -> None:
        self.state = state
        self.backend = backend
        self.is_public = is_public
        self.appview = "https://appview.example"
        self.notes = Notes()
        self.look_up: LookUp = look_up
        """Where names lead."""
        self.signer: Signer | None = None
        self.rules: AnswerRules = FeedAnswers()

    def ask(
        self, *turns: PollRequest, workers: int = 20, budget: timedelta = FOREVER
    ) -> dict[str, Fetched]:
        """What came of each feed, by its key, in the order in which it came."""
        with self.web(workers=workers, budget=budget) as web:
            return {feed.key: fetched for feed, fetched in web.fetch(turns, self.notes)}

    def visit(self, *urls: str) -> list[Fetched]:
        """What came of each address, in the order of the addresses."""
        came = self.ask(*map(turn, urls))
        return [came[url] for url in urls]

    def once(self, url: str, **said: Any) -> Fetched:
        return self.ask(turn(url, **said))[url]

    def recall(self, *turns: PollRequest) -> list[Fetched]:
        """What is on disk for these."""
        with self.web() as web:
            return [fetched for _, fetched in web.recall(turns)]

    @contextmanager
    def web(self, *, workers: int = 20, budget: timedelta = FOREVER) -> Iterator[Web]:
        """The web as one run sees it."""
        with FeedSession(
            self.state,
            name="test",
            backend=self.backend,
            options={},
            is_public=self.is_public,
        ) as session:
            session.network.find = cache(self.look_up)
            yield Web(
                session,
                resolver=Resolver(appview=self.appview),
                rules=self.rules,
                user_agent=make_user_agent(None),
                clock=lambda: NOW,
                workers=workers,
                budget=budget,
                signer=self.signer,
            )


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path)


@pytest.fixture
def outside(tmp_path: Path) -> Reader:
    """A reader for whom one of the hosts is in the public Internet."""
    return Reader(tmp_path, is_public=lambda peer: peer == PUBLIC)


@pytest.fixture
def hosts() -> Iterator[Server]:
    with Server(PUBLIC, PRIVATE, OTHER_PRIVATE) as running:
        yield running
