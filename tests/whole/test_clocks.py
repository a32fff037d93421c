"""Clocks that are wrong, and what is deleted and dated by them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from planet.errors import StateError
from planet.report import Report
from planet.run.build import retire
from planet.run.publish import publish_sites
from tests.server import Response, Server
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
        report = Report(started=a_planet.now)
        config = a_planet.config()
        keys = [feed.key for feed in config.feeds]
        still = len(run.store.entries.of_feeds(keys))
        publish_sites(config, config.feeds, run=run, report=report, trusted=True)
        retire(config, config.feeds, run=run)
        left = len(run.store.entries.of_feeds(keys))
    again = a_planet.build()

    assert (refused.refused is None, still) == (False, 4)
    assert (report.refused, report.entries, left) == (None, 1, 1)
    assert (again.refused, again.entries) == (None, 1)


def test_a_feed_that_left_the_config_is_forgotten_with_its_last_entry(
    a_planet: Planet, server: Server
) -> None:
    gone = server.feed("/gone", rss("b", name="Gone"))
    a_planet.settings["retention"] = {"entries": "20d"}
    a_planet.subscribe(server.feed("/one", rss("a")), gone)
    a_planet.build()
    a_planet.subscribe(server.url("/one"))

    known = []
    for days in (10, 15):
        a_planet.later(days=days).build()
        with a_planet.opened() as run:
            known.append(gone in run.store.states())

    assert known == [True, False]


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
