"""What a run writes down while it asks, and whom it leaves alone."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest

from planet.errors import FetchError
from planet.http import Web
from planet.model import Feed, Fetched, PolledFeed, PollRequest
from planet.run.journal import PollJournal
from planet.run.open import Run, Scope
from planet.run.workers import Workers
from planet.store import Store
from tests.builders import NOW, make_feed, make_fetched
from tests.cases import case, cases

FEEDS = [make_feed(f"f{number}") for number in range(12)]
TURNS = [PollRequest(feed=feed) for feed in FEEDS]
CAME = make_fetched()
THROTTLED = make_fetched(
    status=429, headers={"retry-after": "7200"}, error=FetchError("http_429", "too often")
)


def unreached(kind: str = "dns") -> Fetched:
    return make_fetched(status=None, error=FetchError(kind, "not there"))


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with Store.open(tmp_path) as store:
        yield Run(
            store=store,
            connect=lambda: cast("Web", None),
            workers=cast("Workers", None),
            clock=lambda: NOW,
            host_gap=timedelta(seconds=1),
        )


def heard(run: Run, *coming: tuple[Feed, Fetched]) -> list[tuple[str, str | None]]:
    """What comes of these through a journal that knows of each when it comes."""
    kept = PollJournal(run)

    def arriving() -> Iterator[PolledFeed]:
        for feed, fetched in coming:
            kept.store_attempts([PollRequest(feed=feed)])
            kept.note_result(PollRequest(feed=feed), fetched)
            yield PolledFeed(feed, fetched)

    found = [*kept.defer_network_failures(arriving()), (make_feed("end"), CAME), *kept.deferred()]
    return [(feed.key, fetched.error.kind if fetched.error else None) for feed, fetched in found]


def test_failures_that_may_be_our_own_wait_until_somebody_was_reached(run: Run) -> None:
    one, two, three, four = FEEDS[:4]

    found = heard(
        run, (one, unreached()), (two, unreached("tls")), (three, CAME), (four, unreached())
    )

    assert found == [("f0", "dns"), ("f1", "tls"), ("f2", None), ("f3", "dns"), ("end", None)]


def test_failures_of_a_few_come_in_the_end(run: Run) -> None:
    assert heard(run, (FEEDS[0], unreached())) == [("end", None), ("f0", "dns")]


@cases(
    "scope, asked",
    case("all", Scope(), ["f0", "file"]),
    case("offline", Scope(offline=True), ["file"]),
    case("one", Scope(only=frozenset({"f0"})), ["f0"]),
    case("one, offline", Scope(offline=True, only=frozenset({"f0"})), []),
)
def test_a_scope_says_who_may_be_asked(scope: Scope, asked: list[str]) -> None:
    feeds = [FEEDS[0], make_feed("file", url="file:///one.xml")]

    assert [feed.key for feed in feeds if scope.asks(feed)] == asked
