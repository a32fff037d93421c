"""`planet check --online`: each feed is asked, and what came of it is told."""

import json
from pathlib import Path
from typing import Any

import pytest

from planet.cli import main
from planet.model import FeedState, GivenUp, Moved
from planet.store import Store
from tests.server import Response, Server, moved
from tests.whole.conftest import NOON, call, rss, write_config

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
                "line": 5,
                "column": 8,
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
                "place": "config.yaml:5:8",
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


def test_when_nothing_can_be_reached_nothing_is_said_against_any_feed(folder: Path) -> None:
    write_config(folder, *(f"http://127.0.0.{number}:9/feed" for number in range(1, 12)))

    code, _, err = call("check", "--online")

    assert code == 4
    assert "nothing could be reached from here" in err
