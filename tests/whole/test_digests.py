"""A digest over runs: made once when it is due, kept, and shown as a feed, as pages and as text."""

import feedparser  # type: ignore[import-untyped]
import pytest

from tests.server import Server
from tests.whole.conftest import Planet, rss

# The planet's first run is on Saturday, 21 November 2026, at noon; "a" is of Friday, eight o'clock.
FIRST = ("2026-11-21", ["a"])


@pytest.fixture
def a_planet(a_planet: Planet) -> Planet:
    a_planet.settings["digest"] = {"at": "07:00"}
    a_planet.settings["fetch"] |= {"min_interval": "0s", "max_interval": "1s", "agreed": True}
    return a_planet


def told(planet: Planet) -> list[tuple[str, list[str]]]:
    """The date of each digest, and the titles in it."""
    digests = feedparser.parse(planet.site()["digest.xml"])
    known = sorted(entry.title for entry in feedparser.parse(planet.site()["atom.xml"]).entries)
    return [
        (
            entry.link.rstrip("/").rpartition("/")[2],
            [title for title in known if f">{title}<" in entry.content[0].value],
        )
        for entry in digests.entries
    ]


def test_what_comes_during_a_day_is_told_the_next_morning(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(server.feed("/one", rss("a", "b"), etag='"1"'))
    a_planet.build()
    assert told(a_planet) == [FIRST]

    server.feed("/one", rss("new", "a", "b"), etag='"2"')
    a_planet.later(hours=2).build()
    assert told(a_planet) == [FIRST]

    a_planet.later(hours=17.5).build()
    assert told(a_planet) == [("2026-11-22", ["new"]), FIRST]


def test_a_digest_that_was_made_is_never_changed(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(server.feed("/one", rss("a"), etag='"3"'))
    a_planet.build()
    server.feed("/one", rss("new", "a"), etag='"4"')
    a_planet.later(hours=2).build()
    a_planet.later(days=1).build()
    before = a_planet.site()

    server.feed("/one", rss("new", "a").replace(b"All about", b"Something else about"), etag='"5"')
    a_planet.later(hours=3).build()

    after = a_planet.site()
    assert b"Something else about new" in after["atom.xml"]
    for path in ("digest.xml", "digest/index.html", "digest/2026-11-22/index.html"):
        assert after[path] == before[path]


def test_days_without_a_run_are_told_together(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(server.feed("/one", rss("a"), etag='"6"'))
    a_planet.build()
    server.feed("/one", rss("y", "x", "a"), etag='"7"')

    a_planet.later(days=5).build()
    a_planet.later(days=1).build()

    # What is dated before the digest of the last run, and came after it, is told all the same.
    assert told(a_planet) == [("2026-11-26", ["x", "y"]), FIRST]


def test_without_the_setting_there_is_no_digest(a_planet: Planet, server: Server) -> None:
    del a_planet.settings["digest"]
    a_planet.subscribe(server.feed("/one", rss("a"), etag='"10"'))
    a_planet.build()

    site = a_planet.site()
    assert [path for path in site if "digest" in path] == []
    assert b"digest" not in site["index.html"] + site["subscribe/index.html"]
