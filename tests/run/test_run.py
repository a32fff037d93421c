"""What a run writes down while it asks, and whom it leaves alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest

from planet.errors import FetchError
from planet.http import Web
from planet.model import Feed, Fetched, Hints, PollRequest
from planet.run.poll import PollJournal
from planet.run.runtime import Run, Scope
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


def ledger(run: Run) -> PollJournal:
    return PollJournal(run)


def test_an_attempt_is_stored_before_anybody_is_asked(run: Run) -> None:
    ledger(run).starting(TURNS[0])

    assert run.store.memories()["f0"].attempted_at == NOW


def test_a_server_that_asks_for_it_is_left_alone_from_then_on(run: Run) -> None:
    kept = ledger(run)

    kept.ended(TURNS[0], THROTTLED)

    for each in (kept, ledger(run)):
        assert (each.resting("one.example:443"), each.resting("two.example:443")) == (True, False)
        assert each.gap("one.example:443") == timedelta(seconds=2)
    assert ledger(run).gap("two.example:443") == timedelta(seconds=1)


def test_a_feed_is_not_asked_in_an_hour_that_it_skips_though_the_run_began_before(run: Run) -> None:
    turn = PollRequest(feed=FEEDS[0], hints=Hints(skip_hours=frozenset({NOW.hour})))
    early = replace(run, clock=lambda: NOW - timedelta(hours=1))

    assert [ledger(each).skipping(turn) for each in (early, run)] == [False, True]
    assert not ledger(run).skipping(TURNS[0])


def test_a_feed_that_is_a_file_says_nothing_about_the_web(run: Run) -> None:
    kept = ledger(run)
    turn = PollRequest(feed=make_feed(url="file:///one.xml"))

    kept.starting(turn)
    kept.ended(turn, CAME)

    assert (run.reach.reached, run.reach.attempts, kept.hosts) == (False, {}, {})


def test_when_none_of_many_can_be_reached_nobody_else_is_asked(run: Run) -> None:
    kept = ledger(run)

    for turn in TURNS[:10]:
        kept.starting(turn)
        kept.ended(turn, unreached())

    assert kept.resting("another.example:443")
    assert not kept.rests(TURNS[11])


@cases(
    "first",
    case("has not answered yet", None),
    case("has answered", CAME),
    case("has answered with an error", THROTTLED),
)
def test_those_that_are_not_there_do_not_count_while_one_asked_before_them(
    run: Run, first: Fetched | None
) -> None:
    kept = ledger(run)

    kept.starting(TURNS[0])
    for turn in TURNS[1:]:
        kept.starting(turn)
        kept.ended(turn, unreached())
    if first:
        kept.ended(TURNS[0], first)

    assert not kept.resting("another.example:443")


def heard(run: Run, *coming: tuple[Feed, Fetched]) -> list[tuple[str, str | None]]:
    """What comes of these through a ledger that knows of each when it comes."""
    kept = ledger(run)

    def arriving() -> Iterator[tuple[Feed, Fetched]]:
        for feed, fetched in coming:
            kept.starting(PollRequest(feed=feed))
            kept.ended(PollRequest(feed=feed), fetched)
            yield feed, fetched

    found = [*kept.heard(arriving()), (make_feed("end"), CAME), *kept.held()]
    return [(feed.key, fetched.error.kind if fetched.error else None) for feed, fetched in found]


def test_failures_that_may_be_our_own_wait_until_somebody_was_reached(run: Run) -> None:
    one, two, three, four = FEEDS[:4]

    found = heard(
        run, (one, unreached()), (two, unreached("tls")), (three, CAME), (four, unreached())
    )

    assert found == [("f0", "dns"), ("f1", "tls"), ("f2", None), ("f3", "dns"), ("end", None)]


def test_failures_of_a_few_come_in_the_end(run: Run) -> None:
    assert heard(run, (FEEDS[0], unreached())) == [("end", None), ("f0", "dns")]


def test_failures_that_are_our_own_do_not_come_at_all(run: Run) -> None:
    assert heard(run, *((feed, unreached("timeout")) for feed in FEEDS)) == [("end", None)]
    assert [feed for feed, _ in run.reach.held] == FEEDS


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
