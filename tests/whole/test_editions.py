"""Several sites from one state and one fetch, each with its feeds, its zone and its own time."""

from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import feedparser  # type: ignore[import-untyped]
import pytest

from planet.model import Timetable
from planet.run.publish import plan
from tests.server import Server
from tests.whole.conftest import NOON, Planet, rss

# The planet's first run is on Saturday, 21 November 2026, at noon.
OFTEN = {"min_interval": "0s", "max_interval": "1s", "agreed": True}
PICK = """picks:
  - title: An episode
    picked: 2026-11-21T14:00:00Z
    enclosure: https://one.example/7.mp3
"""


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


def calm_files(planet: Planet) -> dict[str, bytes]:
    return {name: body for name, body in planet.site().items() if name.startswith("calm/")}


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


def test_a_move_releases_nothing_early(calm: Planet, server: Server, tmp_path: Path) -> None:
    server.feed("/one", rss("b", "a"), etag='"2"')
    calm.later(hours=2)

    calm.output = tmp_path / "elsewhere"
    calm.settings["output"] = str(calm.output)
    calm.build()

    assert (titles(calm), titles(calm, "calm/")) == (["b", "a"], ["a"])


def test_an_edition_has_the_picks_of_its_listed_feeds_too(a_planet: Planet, server: Server) -> None:
    one = server.feed("/one", rss("a"))
    opml = f"<opml><body><outline text='x'><outline xmlUrl='{one}'/></outline></body></opml>"
    a_planet.settings["subscriptions"] = [server.feed("/list", opml.encode())]
    a_planet.subscribe({"url": server.feed("/two", rss("b", name="Two")), "tags": ["y"]})
    a_planet.settings["editions"] = {"all": {"folder": "."}, "x": {"tags": "x"}, "y": {"tags": "y"}}
    picked = f"{PICK}    feed: {one}\n    id: '7'\n"
    (a_planet.folder / "picks.yaml").write_text(picked, encoding="utf-8")

    a_planet.build()

    assert set(titles(a_planet, "x/")) == {"a", "An episode"}
    assert titles(a_planet, "y/") == ["b"]


def test_posts_and_picks_change_a_calm_edition_later(calm: Planet, server: Server) -> None:
    before = calm_files(calm)
    server.feed("/one", rss("b", "a").replace(b"About", b"ABOUT"), etag='"2"')
    (calm.folder / "picks.yaml").write_text(PICK, encoding="utf-8")

    calm.later(hours=3).build()
    after, now = calm_files(calm), set(titles(calm))
    calm.later(hours=10).build()

    assert after == before
    assert now == set(titles(calm, "calm/")) == {"a", "b", "An episode"}


def test_between_releases_no_calm_file_is_to_be_made(calm: Planet) -> None:
    calm.later(hours=1).build()

    config = calm.config()
    with calm.opened() as run:
        between = plan(config, config.feeds, run=run)
        calm.later(days=1)
        after, _ = plan(config, config.feeds, run=run)

    assert between == ([], [])
    assert "calm/health.json" in after


def test_the_last_run_before_a_release_asks_for_it_however_far_apart_runs_are(
    a_planet: Planet, server: Server
) -> None:
    every = timedelta(hours=6)
    a_planet.settings["fetch"] = {"host_gap": "0s"}
    a_planet.settings["timezone"] = "Europe/Berlin"
    a_planet.settings["editions"] = {"calm": {"release": {}}}
    a_planet.subscribe(server.feed("/one", rss("a"), etag='"1"'))
    asked: list[datetime] = []

    for _ in range(16):
        server.requests.clear()
        a_planet.now += every
        a_planet.build()
        asked += [a_planet.now] if server.requests else []

    # The first request is made at once, and the first three times between runs tell nothing yet.
    release = Timetable(at=time(0), zone=ZoneInfo("Europe/Berlin"))
    known = [at for at in asked if at > NOON + 4 * every]
    before = [release.next(at) - at for at in known]
    assert before
    assert max(before) <= every * 7 / 6
    assert len({release.next(at) for at in known}) == len(known)


def test_editions_have_digests_of_their_own(a_planet: Planet, server: Server) -> None:
    one, two = server.feed("/one", rss("a")), server.feed("/two", rss("b", name="Two"))
    a_planet.subscribe({"url": one, "id": "one"}, {"url": two, "id": "two"})
    a_planet.settings["digest"] = {"at": "07:00"}
    a_planet.settings["editions"] = {"first": {"feeds": "one"}, "second": {"feeds": "two"}}

    a_planet.build()

    told = {name: a_planet.page(f"{name}/digest/index.html") for name in ("first", "second")}
    assert (">a<" in told["first"], ">b<" in told["first"]) == (True, False)
    assert (">a<" in told["second"], ">b<" in told["second"]) == (False, True)


def test_the_planet_becomes_an_edition_with_its_files(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(server.feed("/one", rss("a"), etag='"1"'))
    a_planet.build()
    before = a_planet.site()

    a_planet.settings["editions"] = {"all": {"folder": "."}, "calm": {"release": {}}}
    a_planet.build()
    with_both = {name for name in a_planet.site() if not name.startswith("calm/")}

    assert with_both == set(before)
    assert titles(a_planet, "calm/") == ["a"]
