"""A reader that comes back: each visit opens the cache from disk anew, as each run does."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from planet.fetch import Web, open_session, user_agent
from planet.model import Asking, Feed, Fetched, Turn
from tests.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
BODY = b"<rss version='2.0'><channel><title>One</title></channel></rss>"
OTHER = BODY.replace(b"One", b"Other")


def turn(
    url: str,
    *,
    key: str | None = None,
    known_hash: str | None = None,
    reread: bool = False,
    asking: Asking | None = None,
    answered_url: str | None = None,
) -> Turn:
    """The turn of a feed that is called by its address, unless it has a key of its own."""
    feed = Feed(key=key or url, url=url, slug="feed", asking=asking or Asking())
    return Turn(feed=feed, known_hash=known_hash, reread=reread, answered_url=answered_url)


class Reader:
    """Asks for feeds, one run for each call."""

    def __init__(self, state: Path, backend: str = "sqlite") -> None:
        self.state = state
        self.backend = backend
        self.started: list[str] = []

    def visit(
        self,
        *urls: str,
        known_hash: str | None = None,
        reread: bool = False,
        asking: Asking | None = None,
        workers: int = 20,
        host_gap: timedelta = timedelta(0),
        budget: timedelta | None = None,
    ) -> list[Fetched]:
        """What came of each address, in the order of the addresses."""
        turns = [turn(url, known_hash=known_hash, reread=reread, asking=asking) for url in urls]
        with self.web(workers=workers, host_gap=host_gap, budget=budget) as web:
            came = {
                feed.url: fetched
                for feed, fetched in web.fetch(
                    turns, starting=lambda feed: self.started.append(feed.url)
                )
            }
        return [came[url] for url in urls if url in came]

    @contextmanager
    def web(
        self,
        *,
        workers: int = 20,
        host_gap: timedelta = timedelta(0),
        budget: timedelta | None = None,
    ) -> Iterator[Web]:
        """The web as one run sees it."""
        with open_session(self.state, backend=self.backend, options={}) as session:
            yield Web(
                session,
                user_agent=user_agent(None),
                clock=lambda: NOW,
                workers=workers,
                host_gap=host_gap,
                budget=budget,
            )

    def once(
        self,
        url: str,
        *,
        known_hash: str | None = None,
        reread: bool = False,
        asking: Asking | None = None,
    ) -> Fetched:
        """What came of one address."""
        (fetched,) = self.visit(url, known_hash=known_hash, reread=reread, asking=asking)
        return fetched


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running
