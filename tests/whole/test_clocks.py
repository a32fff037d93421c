"""Clocks that are wrong, and what is deleted and dated by them."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import product

import pytest

from planet.errors import StateError
from planet.report import Report
from planet.run.maintain import retire
from planet.run.publish import publish_sites
from tests.cases import case, cases
from tests.server import Request, Response, Server
from tests.whole.conftest import NOON, Planet, rss

DAY = timedelta(days=1)


def dated(at: datetime, *titles: str, name: str = "One") -> Response:
    """A feed from a server whose clock says this."""
    return Response(
        headers=(("Date", format_datetime(at, usegmt=True)),), body=rss(*titles, name=name)
    )


@pytest.mark.parametrize("servers_say", [True, False], ids=["servers know better", "nobody knows"])
def test_a_run_with_a_clock_far_ahead_deletes_nothing_and_the_next_one_goes_on(
    a_planet: Planet, server: Server, servers_say: bool
) -> None:
    def publish(*titles: str) -> str:
        answer = dated(a_planet.now, *titles)
        return server.script("/one", answer if servers_say else replace(answer, headers=()))

    a_planet.subscribe({"url": publish("d", "c", "b", "a"), "fetch": {"min_interval": "1h"}})
    a_planet.build()
    a_planet.later(days=2)
    publish("d")
    before = a_planet.build()
    site = a_planet.site()

    a_planet.now += 4000 * DAY
    ahead = a_planet.build()
    a_planet.now -= 4000 * DAY
    after = a_planet.later(hours=3).build()

    assert (before.entries, ahead.entries, after.entries) == (4, 4, 4)
    assert (ahead.refused, after.refused) == (None, None)
    assert a_planet.site().keys() == site.keys()


def test_what_retention_deletes_goes_after_the_site(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(server.feed("/one", rss("d", "c", "b", "a"), etag='"1"'))
    a_planet.settings["retention"] = {"entries": "3d", "content": "1d"}
    a_planet.build()
    server.feed("/one", rss("d"), etag='"2"')
    a_planet.later(days=9)

    refused = a_planet.build()
    with a_planet.opened() as run:
        still = run.store.upkeep.counts()["entries"]
        report = Report(started=a_planet.now)
        config = a_planet.config()
        publish_sites(config, config.feeds, run=run, report=report, trusted=True)
        retire(config, config.feeds, run=run)
        left = run.store.upkeep.counts()["entries"]
    again = a_planet.build()

    assert (refused.refused is None, still) == (False, 4)
    assert (report.refused, report.entries, left) == (None, 1, 1)
    assert (again.refused, again.entries) == (None, 1)


def test_no_first_run_is_made_before_the_clock_is_set(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(server.feed("/one", rss("b", "a"), etag='"1"'))
    a_planet.settings["subscriptions"] = [server.feed("/list", b"<opml/>")]
    a_planet.now = datetime(1970, 1, 1, 0, 3, tzinfo=UTC)

    with pytest.raises(StateError, match="clock of this machine says 1970-01-01 00:03 UTC"):
        a_planet.build()
    asked = len(server.requests)
    a_planet.now = NOON
    a_planet.build()

    items = a_planet.items()
    assert asked == 0
    assert [item["date_published"][:10] for item in items] == ["2026-11-20", "2026-11-19"]


def test_what_a_clock_ahead_dated_is_of_now_once_right(a_planet: Planet, server: Server) -> None:
    a_planet.settings["digest"] = {"every": "day", "at": "09:00"}
    a_planet.settings["timezone"] = "UTC"
    a_planet.subscribe(server.feed("/one", rss("old", dated=False), etag='"1"'))
    a_planet.build()
    a_planet.now += 4000 * DAY
    server.feed("/one", rss("met ahead", "old", dated=False), etag='"2"')
    a_planet.build()

    a_planet.now = NOON + 2 * DAY
    a_planet.build()
    server.feed("/one", rss("new", "met ahead", "old", dated=False), etag='"3"')
    a_planet.later(hours=3).build()
    a_planet.later(days=1).build()

    items = a_planet.items()
    assert [(item["title"], item["date_published"]) for item in items] == [
        ("new", "2026-11-23T15:00:00Z"),
        ("met ahead", "2026-11-23T12:00:00Z"),
    ], "what was old when it was met has no place among these"
    with a_planet.opened() as run:
        names = [digest.name for digest in run.store.digests.all()]
    assert names == ["2026-11-24"]


@cases(
    "days, words",
    case("ahead", 400, "400 days ahead of those of 3 servers"),
    case("behind", -1.2, "1 day behind those of 3 servers"),
    case("a little ahead", 0.9, None),
)
def test_a_clock_that_is_wrong_is_told(a_planet: Planet, days: float, words: str | None) -> None:
    hosts = ("127.0.0.2", "127.0.0.3", "127.0.0.4")
    with Server(*hosts) as servers:
        for number in range(3):
            # One of them is wrong itself.
            says = a_planet.now - (days * DAY if number else 90 * DAY)
            servers.script(f"/{number}", dated(says, "a", name=f"F{number}"))
        a_planet.subscribe(*(servers.url(f"/{n}", host) for n, host in enumerate(hosts)))
        report = a_planet.build()

    told = [notice for notice in report.notices if "clock" in notice]
    assert [words in notice for notice in told if words] == ([True] if words else [])
    assert bool(told) is bool(words)


HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
HOSTS = tuple(f"127.0.0.{number}" for number in range(2, 8))


class Feeds:
    """Two feeds at each of some servers whose clocks are right; that of the planet may not be."""

    def __init__(self, planet: Planet, server: Server) -> None:
        self._planet, self._server = planet, server
        self.ahead = timedelta(0)
        """How far the clock of the planet is ahead."""
        self._posts = 0
        urls = []
        for path, host in product(("/one", "/two"), HOSTS):
            server.answer(f"{path}-{host}", self._answer)
            urls.append(server.url(f"{path}-{host}", host))
        planet.subscribe(*({"url": url, "fetch": {"min_interval": "1h"}} for url in urls))

    def _answer(self, request: Request) -> Response:
        self._posts += 1
        body = rss(f"post {self._posts}", name=request.path)
        response = dated(self._planet.now - self.ahead)
        etag = ("ETag", f'"{self._posts}"')
        return replace(response, headers=(*response.headers, etag), body=body)

    def run(self, passed: timedelta, ahead: timedelta = timedelta(0)) -> int:
        """A run so much later, with a clock that is ahead so far; how many requests it made."""
        self._planet.now += passed + ahead - self.ahead
        self.ahead = ahead
        self._server.requests.clear()
        self.report = self._planet.build()
        return len(self._server.requests)


@pytest.fixture
def feeds(a_planet: Planet) -> Iterator[Feeds]:
    with Server(*HOSTS) as server:
        yield Feeds(a_planet, server)


def test_one_run_with_the_clock_two_hours_back_has_nobody_asked_again(feeds: Feeds) -> None:
    first = feeds.run(HOUR)

    back = feeds.run(MINUTE, -2 * HOUR)
    right = feeds.run(MINUTE)
    soon = feeds.run(50 * MINUTE)

    assert (first, back, right, soon) == (12, 0, 0, 0)
    assert feeds.run(6 * HOUR) == 12, "but for good nobody is left out"


def test_who_is_asked_with_the_clock_two_hours_back_is_not_asked_again(feeds: Feeds) -> None:
    feeds.run(HOUR)
    feeds.run(8 * HOUR)

    back = feeds.run(8 * HOUR, -2 * HOUR)
    right = feeds.run(2 * MINUTE)

    assert (back, right) == (12, 0)


def test_one_run_with_the_clock_a_day_ahead_asks_three_servers_and_stops(feeds: Feeds) -> None:
    feeds.run(HOUR)
    feeds.run(8 * HOUR)

    ahead = feeds.run(MINUTE, DAY)
    notices = feeds.report.notices
    left = feeds.report.left
    right = feeds.run(MINUTE)
    soon = feeds.run(50 * MINUTE)

    assert (ahead, left, right, soon) == (3, 9, 0, 0)
    assert [notice for notice in notices if "was set ahead since the last run" in notice]
    assert feeds.run(8 * HOUR) == 12


def test_a_clock_that_was_set_ahead_for_good_costs_an_hour(feeds: Feeds) -> None:
    feeds.run(HOUR, -2 * HOUR)
    feeds.run(8 * HOUR, -2 * HOUR)

    set_right = feeds.run(MINUTE)
    soon = feeds.run(MINUTE)
    at_the_end = feeds.run(57 * MINUTE)
    later = feeds.run(8 * HOUR)

    assert (set_right <= 3, soon, at_the_end, later) == (True, 0, 0, 12)


def test_a_clock_that_always_was_wrong_stops_no_run(feeds: Feeds) -> None:
    asked = [feeds.run(8 * HOUR, 5 * HOUR) for _ in range(4)]

    assert asked == [12] * 4
