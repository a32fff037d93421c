"""Several sites from one state and one fetch, each at its own time; and digests over runs."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import feedparser  # type: ignore[import-untyped]
import pytest

from planet.model import Timetable
from tests.server import Server
from tests.whole.conftest import Planet, rss

# The planet's first run is on Saturday, 21 November 2026, at noon.
OFTEN = {"min_interval": "0s", "max_interval": "1s", "agreed": True}


@pytest.fixture
def a_planet(a_planet: Planet) -> Planet:
    a_planet.settings["fetch"] |= OFTEN
    return a_planet


@pytest.fixture
def calm(a_planet: Planet, server: Server) -> Planet:
    """One entry was published at once, and in an edition that changes at midnight only."""
    a_planet.subscribe({"url": server.feed("/one", rss("a"), etag='"1"'), "id": "one"})
    a_planet.settings["editions"] = {"now": {"folder": "."}, "calm": {"release": {"at": "00:00"}}}
    a_planet.build()
    return a_planet


def titles(planet: Planet, folder: str = "") -> list[str]:
    return [entry.title for entry in feedparser.parse(planet.site()[f"{folder}atom.xml"]).entries]


def test_each_edition_shows_its_feeds_by_name_by_tag_or_by_filters(
    a_planet: Planet, server: Server
) -> None:
    one, two = server.feed("/one", rss("a")), server.feed("/two", rss("b", name="Two"))
    a_planet.subscribe({"url": one, "name": "One"}, {"url": two, "tags": ["second"]})
    a_planet.settings["editions"] = {
        "all": {"folder": "."},
        "named": {"feeds": ["One"], "title": "Only One"},
        "tagged": {"tags": ["second"]},
        "filtered": {"filters": {"include": "about b"}, "theme": "headlines"},
    }

    report = a_planet.build()

    assert set(titles(a_planet)) == {"a", "b"}
    assert titles(a_planet, "named/") == ["a"]
    assert titles(a_planet, "tagged/") == titles(a_planet, "filtered/") == ["b"]
    assert a_planet.page("filtered/style.css") != a_planet.page("tagged/style.css")
    assert feedparser.parse(a_planet.site()["named/atom.xml"]).feed.title == "Only One"
    assert len(server.requests) == 2
    assert report.entries == 5


def test_editions_have_days_of_their_own_from_one_fetch(a_planet: Planet, server: Server) -> None:
    # 2026-11-20 20:00 UTC is the morning of the 21st in Tokyo.
    late = rss("a").replace(b"08:00:00", b"20:00:00")
    a_planet.subscribe(server.feed("/one", late))
    a_planet.settings["editions"] = {
        "london": {"timezone": "Europe/London"},
        "tokyo": {"timezone": "Asia/Tokyo", "language": "ja"},
    }

    a_planet.build()

    site = a_planet.site()
    assert b'datetime="2026-11-20"' in site["london/index.html"]
    assert b'datetime="2026-11-21"' in site["tokyo/index.html"]
    assert b'<html lang="ja"' in site["tokyo/index.html"]
    assert len(server.requests) == 1


def test_what_is_found_later_comes_out_at_the_release(calm: Planet, server: Server) -> None:
    for hours, names in ((2, ("b", "a")), (8, ("c", "b", "a"))):
        server.feed("/one", rss(*names), etag=f'"{hours}"')
        calm.later(hours=hours).build()
    assert (set(titles(calm)), titles(calm, "calm/")) == ({"a", "b", "c"}, ["a"])

    calm.later(hours=2.5).build()

    assert calm.now == datetime(2026, 11, 22, 0, 30, tzinfo=UTC)
    assert set(titles(calm, "calm/")) == {"a", "b", "c"}


def test_a_change_of_the_config_releases_nothing_early(calm: Planet, server: Server) -> None:
    server.feed("/one", rss("b", "a"), etag='"2"')
    calm.later(hours=2).build()

    calm.settings["title"] = "Another Planet"
    calm.later(minutes=1).build()

    assert feedparser.parse(calm.site()["calm/atom.xml"]).feed.title == "Another Planet"
    assert titles(calm, "calm/") == ["a"]


def test_the_last_run_before_a_release_asks_for_it(a_planet: Planet, server: Server) -> None:
    every = timedelta(minutes=72)
    a_planet.settings["fetch"] = {"host_gap": "0s"}
    a_planet.settings["timezone"] = "Europe/Berlin"
    a_planet.settings["editions"] = {"calm": {"release": {}}}
    a_planet.subscribe(server.feed("/one", rss("a"), etag='"1"'))
    asked: list[datetime] = []

    for _ in range(60):
        server.requests.clear()
        a_planet.now += every
        a_planet.build()
        asked += [a_planet.now] if server.requests else []

    # The first request is made at once.
    release = Timetable(at=time(0), zone=ZoneInfo("Europe/Berlin"))
    before = [release.next(at) - at for at in asked[1:]]
    assert len(before) == 3
    assert max(before) <= every * 7 / 6


def test_editions_have_digests_of_their_own(a_planet: Planet, server: Server) -> None:
    one, two = server.feed("/one", rss("a")), server.feed("/two", rss("b", name="Two"))
    a_planet.subscribe({"url": one, "id": "one"}, {"url": two, "id": "two"})
    a_planet.settings["digest"] = {"at": "07:00"}
    a_planet.settings["editions"] = {"first": {"feeds": "one"}, "second": {"feeds": "two"}}

    a_planet.build()

    told = {name: a_planet.page(f"{name}/digest/index.html") for name in ("first", "second")}
    assert (">a<" in told["first"], ">b<" in told["first"]) == (True, False)
    assert (">a<" in told["second"], ">b<" in told["second"]) == (False, True)


# A digest over runs: made once when it is due, kept, and shown as a feed, as pages and as text

# The planet's first run is on Saturday, 21 November 2026, at noon; "a" is of Friday, eight o'clock.
FIRST = ("2026-11-21", ["a"])


@pytest.fixture
def telling(a_planet: Planet) -> Planet:
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


def test_what_comes_during_a_day_is_told_the_next_morning(telling: Planet, server: Server) -> None:
    telling.subscribe(server.feed("/one", rss("a", "b"), etag='"1"'))
    telling.build()
    assert told(telling) == [FIRST]

    server.feed("/one", rss("new", "a", "b"), etag='"2"')
    telling.later(hours=2).build()
    assert told(telling) == [FIRST]

    telling.later(hours=17.5).build()
    assert told(telling) == [("2026-11-22", ["new"]), FIRST]


def test_a_digest_that_was_made_is_never_changed(telling: Planet, server: Server) -> None:
    telling.subscribe(server.feed("/one", rss("a"), etag='"3"'))
    telling.build()
    server.feed("/one", rss("new", "a"), etag='"4"')
    telling.later(hours=2).build()
    telling.later(days=1).build()
    before = telling.site()

    server.feed("/one", rss("new", "a").replace(b"All about", b"Something else about"), etag='"5"')
    telling.later(hours=3).build()

    after = telling.site()
    assert b"Something else about new" in after["atom.xml"]
    for path in ("digest.xml", "digest/index.html", "digest/2026-11-22/index.html"):
        assert after[path] == before[path]


def test_days_without_a_run_are_told_together(telling: Planet, server: Server) -> None:
    telling.subscribe(server.feed("/one", rss("a"), etag='"6"'))
    telling.build()
    server.feed("/one", rss("y", "x", "a"), etag='"7"')

    telling.later(days=5).build()
    telling.later(days=1).build()

    # What is dated before the digest of the last run, and came after it, is told all the same.
    assert told(telling) == [("2026-11-26", ["x", "y"]), FIRST]


def test_without_the_setting_there_is_no_digest(telling: Planet, server: Server) -> None:
    del telling.settings["digest"]
    telling.subscribe(server.feed("/one", rss("a"), etag='"10"'))
    telling.build()

    site = telling.site()
    assert [path for path in site if "digest" in path] == []
    assert b"digest" not in site["index.html"] + site["subscribe/index.html"]
