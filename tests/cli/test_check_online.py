"""`planet check --online`: each feed that was never asked is asked, and what came is told."""

import json
from pathlib import Path

import pytest

from planet.cli import main
from planet.model import FeedState
from planet.store import Store
from tests.server import Server
from tests.whole.conftest import NOON, call, rss, write_config

pytestmark = pytest.mark.usefixtures("folder")
LONG_AGO = NOON.replace(year=2020)
LINK = b"<!doctype html><link rel='alternate' type='application/rss+xml' href='/well'>"


def test_feeds_that_were_never_asked_are_asked_and_told_once(folder: Path, server: Server) -> None:
    one, due = server.feed("/one", rss("a", name="One"), etag='"1"'), server.feed("/due", rss("d"))
    with Store.open(folder / "state") as store:
        store.keep(FeedState(key=due, url=due, attempted_at=LONG_AGO, settled_at=LONG_AGO))
    write_config(folder, one, due)
    first = call("check", "--online")
    write_config(folder, one, due, server.feed("/two", rss("b", "c", name="Two")))

    second, third = call("check", "--online"), call("check", "--online")
    asked = [*server.paths]
    main(["build", "-q"])

    assert (first.code, second.code, third.code) == (0, 0, 0)
    assert (asked, server.paths[2:]) == (["/one", "/two"], ["/due"])
    assert "One: 1 new, 0 edited\n" in first.err
    assert "Two: 2 new, 0 edited\n" in second.err
    assert "One:" not in second.err + third.err
    assert second.out == "config.yaml: no mistake found; 3 feeds\n"
    assert "All about a." in (folder / "public" / "index.html").read_text()


def test_a_feed_that_does_not_work_is_told_and_ends_it_with_3(folder: Path, server: Server) -> None:
    page = server.feed("/page", LINK)
    shut = {"url": "http://127.0.0.1:9/feed", "name": "Shut"}
    well = server.feed("/well", rss("a", name="Well"))
    write_config(folder, page, shut, well)

    code, out, err = call("check", "--online")

    assert (code, out) == (3, "config.yaml: no mistake found; 3 feeds\n")
    assert "\nShut: the server refuses the connection\n" in f"\n{err}"
    assert f"{page}: this is a web page, not a feed" in err
    words = f"{page} is a page, which names the feed {well}: write that in its place"
    assert f"config.yaml:5:3: {words}\n" in err
    assert "2 failed" in err


def test_machines_are_told_as_much(folder: Path, server: Server) -> None:
    url = server.feed("/one?key=geheim", rss("a", name="One"))
    write_config(folder, {"url": url, "id": "one"})

    code, out, err = call("check", "--online", "--json")

    assert (code, err) == (0, "")
    assert "geheim" not in out
    told = json.loads(out)
    assert told["problems"] == []
    assert [warning["line"] for warning in told["warnings"]] == [5]
    (asked,) = told["asked"]
    assert (asked["name"], asked["outcome"], asked["status"]) == ("One", "new", 200)


def test_when_nothing_can_be_reached_nothing_is_said_against_any_feed(folder: Path) -> None:
    write_config(folder, *(f"http://127.0.0.{number}:9/feed" for number in range(1, 12)))

    code, _, err = call("check", "--online")

    assert code == 4
    assert "nothing could be reached from here" in err
