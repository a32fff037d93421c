"""`planet check --online`: each feed is asked, and what came of it is told."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from planet.cli import main
from planet.model import FeedState, GivenUp, Moved
from planet.store import Store
from tests.server import Response, Server, moved
from tests.whole.conftest import NOON, Planet, call, rss, write_config

LONG_AGO = NOON.replace(year=2020)
LATER = Response(status=307, headers=(("Location", "/busy"), ("Retry-After", "7200")))


pytestmark = pytest.mark.usefixtures("folder")


def test_each_feed_is_told_with_what_its_filters_find(folder: Path, server: Server) -> None:
    filters = {"include": ["all", {"title": "a"}], "exclude": ["about b", "birds"]}
    write_config(
        folder,
        {"url": server.feed("/one", rss("a", "b", name="One")), "filters": filters},
        {"url": server.feed("/two", rss("c", name="Two")), "name": "Second"},
        {"url": "https://off.example/feed", "enabled": False},
        filters={"exclude": "nothing"},
    )

    code, out, err = call("check", "--online")

    assert (code, err) == (0, "0 of 2 feeds not working\n")
    assert out == (
        "config.yaml: no mistake found; 2 feeds\n"
        "One: 200, rss20, 2 entries, newest 2026-11-20\n"
        "  include all: 2 of 2\n"
        "  include title: a: 1 of 2\n"
        "  exclude about b: 1 of 2\n"
        "  exclude birds: found nowhere\n"
        "Second: 200, rss20, 1 entry, newest 2026-11-20\n"
        "The planet's filters:\n"
        "  exclude nothing: found nowhere\n"
    )


def test_a_feed_that_does_not_work_is_told_and_ends_it_with_3(folder: Path, server: Server) -> None:
    page = server.feed("/page", b"<!doctype html><title>A page</title>")
    shut = {"url": "http://127.0.0.1:9/feed", "name": "Shut"}
    write_config(folder, page, shut, server.feed("/well", rss("a", name="Well")))

    code, out, err = call("check", "--online")

    assert (code, err) == (3, "2 of 3 feeds not working\n")
    assert "\nShut: the server refuses the connection\n" in out
    assert f"\n{page}: 200, this is a web page, not a feed" in out
    assert "\n  Open its address in a browser: " in out


def test_machines_are_told_as_much(folder: Path, server: Server) -> None:
    new = server.feed("/new", rss("a", name="One"))
    old = server.script("/old?key=geheim", moved(new, 301))
    write_config(folder, {"url": old, "id": "one", "filters": {"exclude": "birds"}})

    code, out, _ = call("check", "--online", "--json")

    assert code == 0
    assert "geheim" not in out
    assert json.loads(out) == {
        "problems": [],
        "warnings": [
            {
                "file": "config.yaml",
                "line": 1,
                "column": 70,
                "message": "feeds[0].url has what looks like a secret in plain text (key=…); "
                "write ${NAME} in its place, and set NAME in the environment",
            }
        ],
        "feeds": 1,
        "checked": [
            {
                "feed": "one",
                "name": "One",
                "url": server.url("/old?key=…"),
                "place": "config.yaml:1:70",
                "works": True,
                "asked": True,
                "status": 200,
                "format": "rss20",
                "entries": 1,
                "newest": "2026-11-20T08:00:00+00:00",
                "moved_to": new,
                "matches": {"exclude birds": 0},
            }
        ],
        "filters": {},
        "refused": None,
    }


def test_what_came_is_kept_and_nobody_is_asked_twice_in_a_minute(
    folder: Path, server: Server
) -> None:
    write_config(folder, server.feed("/one", rss("a", name="One"), etag='"1"'))

    first, again = call("check", "--online"), call("check", "--online")
    main(["build", "-q"])

    assert (first.code, again.code, len(server.requests)) == (0, 0, 1)
    assert again.out.endswith("\nOne: not asked again yet, rss20, 1 entry, newest 2026-11-20\n")
    assert "All about a." in (folder / "public" / "index.html").read_text()


def test_a_feed_that_has_moved_is_told_of(folder: Path, server: Server) -> None:
    old, new = server.url("/old"), server.feed("/new", rss("a", name="One"))
    write_config(folder, old)
    with Store.open(folder / "state") as store:
        adopted = Moved(to=new, since=LONG_AGO, times=3, adopted=True)
        store.keep(FeedState(key=old, url=old, moved=adopted))

    code, out, _ = call("check", "--online")

    assert code == 0
    assert f"It has moved to {new} for good" in out


def test_what_is_odd_about_a_feed_is_told(folder: Path, server: Server) -> None:
    one = server.feed("/one", rss("a", name="One").replace(b"</rss>", b""))
    write_config(folder, server.script("/old", moved(one, 301)))

    told = call("check", "--online").out.splitlines()[2:]

    words = f"redirects to {one} for good; it is asked there once that has been so for a day"
    assert told[0] == f"  {words}"
    assert told[1].startswith("  not well-formed XML")


def test_what_is_known_of_a_disabled_feed_stays(folder: Path, server: Server) -> None:
    url = server.feed("/one", rss("a", name="One"), etag='"1"')
    write_config(folder, url, retention={"entries": "1s", "content": "1s"})
    main(["build", "-q"])
    write_config(
        folder, {"url": url, "enabled": False}, retention={"entries": "1s", "content": "1s"}
    )

    main(["check", "--online"])

    with Store.open(folder / "state") as store:
        assert [entry.title for entry in store.entries.of_feeds([url])] == ["a"]


def test_feeds_to_be_left_alone_are_told_and_not_asked(folder: Path, server: Server) -> None:
    gone, busy = server.url("/gone"), server.url("/busy")
    write_config(folder, gone, busy)
    with Store.open(folder / "state") as store:
        asked: dict[str, Any] = {"attempted_at": LONG_AGO, "settled_at": LONG_AGO}
        given_up = FeedState(
            key=gone,
            url=gone,
            **asked,
            given_up=GivenUp.GONE,
            given_up_at=LONG_AGO,
            error="the server says that it is gone",
        )
        store.keep(given_up)
        until = LONG_AGO.replace(year=2999)
        store.keep(FeedState(key=busy, url=busy, rests_until=until, **asked))

    code, out, _ = call("check", "--online")

    assert (code, server.requests) == (3, [])
    assert f"\n{gone}: not asked any more: gone\n" in out
    assert f"\n{busy}: not asked: its server is to be left alone, or the time was up\n" in out


def test_a_list_on_the_web_is_asked_for_as_well(folder: Path, server: Server) -> None:
    one = server.feed("/one", rss("a", name="One"))
    opml = server.script("/list", Response(status=500))
    write_config(folder, one, subscriptions=[opml])

    code, out, _ = call("check", "--online")

    assert code == 3
    assert f"\n{opml}: 500, " in out


@pytest.mark.usefixtures("no_time_to_read")
def test_a_busy_machine_says_so_and_nothing_more(folder: Path, server: Server) -> None:
    write_config(folder, server.feed("/one", rss("a")))

    code, out, _ = call("check", "--online")

    assert code == 0
    assert out.splitlines()[1] == f"{server.url('/one')}: not read: this machine was busy"


def test_of_a_feed_that_is_put_off_what_is_known_is_told(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(server.feed("/one", rss("a", name="One")))
    a_planet.build()
    server.script("/one", LATER)

    code, out, _ = call("check", "--online")

    assert code == 0
    assert re.match("One: not asked: .*, rss20, 1 entry, newest 2026-11-20", out.splitlines()[1])


def test_entries_that_a_feed_no_longer_lists_do_not_count(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(server.feed("/one", rss("a", "b", name="One")))
    a_planet.build()
    server.feed("/one", rss("a", name="One"))

    out = call("check", "--online").out

    assert "One: 200, rss20, 1 entry, newest 2026-11-20" in out


def test_a_file_is_read(folder: Path) -> None:
    undated = (
        rss("a", name="Mine", dated=False).replace(b"<item>", b"<!--").replace(b"</item>", b"-->")
    )
    (folder / "mine.xml").write_bytes(undated)
    write_config(folder, "mine.xml")

    code, out, _ = call("check", "--online")

    assert code == 0
    assert out.splitlines()[1] == "Mine: a file, rss20, 0 entries"


def test_what_came_with_add_is_read_while_a_server_rests(folder: Path, server: Server) -> None:
    write_config(folder, {"url": server.url("/old"), "name": "Old"})
    call("add", server.feed("/new", rss("a", name="New")))
    call("add", server.script("/busy", Response(status=429, headers=(("Retry-After", "600"),))))

    code, out, _ = call("check", "--online", "--json")

    checked = json.loads(out)["checked"]
    assert {each["name"]: each["asked"] for each in checked} == {"Old": False, "New": False}
    assert code == 0
    assert server.paths == ["/new", "/busy"]


def test_when_nothing_can_be_reached_nothing_is_said_against_any_feed(folder: Path) -> None:
    write_config(folder, *(f"http://127.0.0.{number}:9/feed" for number in range(1, 12)))

    code, _, err = call("check", "--online")

    assert code == 4
    assert "nothing could be reached from here" in err


def test_a_config_that_empties_the_site_is_warned_of_before_it_is_built(
    folder: Path, server: Server
) -> None:
    titles = "abcdefghijklmnopqrst"
    feed = {"url": server.feed("/one", rss(*titles)), "new_feed_entries": "all"}
    write_config(folder, feed)
    assert call("build").code == 0

    same = call("check")
    write_config(folder, feed, filters={"include": ["about a", "about b", "about c"]})
    most = call("check")
    write_config(folder, feed, filters={"exclude": "all about"})
    every = call("check", "--json")
    online = call("check", "--online")

    assert (same.code, same.out) == (0, "config.yaml: no mistake found; 1 feed\n")
    assert (most.code, most.out.splitlines()[1:]) == (
        0,
        ["  the site loses 17 of 20 entries by what has changed in the config"],
    )
    words = (
        "the site would lose 20 of 20 entries by what has changed in the config; `planet build` "
        "does not publish that, `planet render --force` does"
    )
    assert (every.code, json.loads(every.out)["warnings"]) == (0, [{"message": words}])
    assert f"\n  {words}\n" in online.out
    assert len(server.requests) == 1


def test_the_warning_that_a_site_is_emptied_stands_on_the_page_of_a_run(
    folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = server.feed("/one", rss("a"))
    write_config(folder, feed)
    call("build")
    write_config(folder, feed, filters={"exclude": "all about"})
    page = folder / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))

    offline = call("check")
    online = call("check", "--online")

    assert page.read_text().count("the site would lose 1 of 1 entry") == 2
    for out in (offline.out, online.out):
        assert "::warning::the site would lose 1 of 1 entry" in out


def test_a_state_that_cannot_be_read_makes_no_mistake_of_the_config(folder: Path) -> None:
    write_config(folder, "https://one.example/feed")
    (folder / "state").mkdir()
    (folder / "state" / "planet.sqlite").write_bytes(b"no database" * 1000)

    code, out, _ = call("check")

    assert code == 0
    assert "whether the site would lose entries is not known: " in out
