"""`planet check`: all that it can see in a config is told at once; `--online` asks new feeds."""

from pathlib import Path

import pytest

from planet.cli import main
from planet.model import FeedState
from planet.store import Store
from tests.server import Server
from tests.whole.conftest import NOON, call, rss, write_config


def test_what_a_check_can_see_is_told_all_at_once(folder: Path) -> None:
    (folder / "config.yaml").write_text(
        "title: A planet\nfeeds:\n  - {url: gone.xml, enabled: false}\n  - {url: ./none.xml}\n"
        "theme: clasic\neditions:\n  one: {theme: ./mine}\n  two: {}\n"
    )

    words, built = call("check"), call("build", "--offline")

    assert [words.code, built.code] == [2, 2]
    told = words.err.splitlines()
    assert told == [
        f"config.yaml:4:11  there is no file {folder}/none.xml; a feed on the web begins with "
        "https://",
        'config.yaml:5:8  there is no theme "clasic"; did you mean "classic"?; the themes that '
        "come with Planet: classic, default, headlines, serif; one of your own is named by its "
        'folder: "./clasic"',
        "config.yaml:7:16  there is no folder mine; `planet init --theme mine` begins a theme "
        "there",
    ]
    assert built.err == f"{told[-1]}\n"


def test_an_address_that_seems_to_hold_a_secret_is_warned_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = "https://a.example/f?page=1&token=hush"
    monkeypatch.setenv("TOKEN", "hush-hush")
    (folder / "config.yaml").write_text(
        f"title: A planet\nfeeds:\n  - {address}\n  - https://b.example/f?token=${{TOKEN}}\n"
        "  - https://c.example/private-life/f?tokens=1&channel=UCabcdefghij0123456789\n"
        f"subscriptions: ['{address}&l']\n"
    )

    code, out, _ = call("check")

    words = "has what looks like a secret in plain text (token=…); write ${NAME} in its place"
    assert code == 0
    assert out.splitlines()[1:] == [
        f"  config.yaml:3:5  feeds[0] {words}, and set NAME in the environment",
        f"  config.yaml:6:17  subscriptions[0] {words}, and set NAME in the environment",
    ]
    assert "hush" not in out


def test_of_sixty_equal_mistakes_the_first_are_told_and_how_many_there_are(folder: Path) -> None:
    feeds = "".join(f"  - {{url: https://{n}.example/, titel: x}}\n" for n in range(60))
    (folder / "config.yaml").write_text(f"title: A planet\ntheem: x\nfeeds:\n{feeds}")

    words = call("check")

    assert words.code == 2
    assert words.err.splitlines() == [
        'config.yaml:2:1  there is no setting "theem"; did you mean "theme"?',
        'config.yaml:4:31  feeds[0] has no setting "titel"',
        'config.yaml:5:31  feeds[1] has no setting "titel"',
        'config.yaml:6:31  feeds[2] has no setting "titel"',
        "config.yaml:7:31  and 57 more like the one above",
    ]


def test_check_warns_of_what_stops_nothing(folder: Path) -> None:
    outlines = "<outline text='A & co'/>\n" * 9
    (folder / "list.opml").write_text(
        f"<opml>{outlines}<outline text='Ada' xmlUrl='https://ada.example/f'/></opml>"
    )
    (folder / "config.yaml").write_text("title: A planet\nsubscriptions: [list.opml]\n")

    words, built = call("check"), call("build", "--offline")

    assert [words.code, built.code] == [0, 0]
    assert words.out.splitlines() == [
        "config.yaml: no mistake found; 1 feed",
        "  list.opml:1:7  A & co has no xmlUrl, so it is no feed",
        "  list.opml:2:1  A & co has no xmlUrl, so it is no feed",
        "  list.opml:3:1  A & co has no xmlUrl, so it is no feed",
        "  list.opml:4:1  and 6 more like the one above",
    ]


# `planet check --online`: each feed that was never asked is asked, and what came is told

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
    assert "\nShut: the server cannot be reached: Connection refused\n" in f"\n{err}"
    words = f"this is a web page, not a feed; it names the feed {well}: give that address"
    assert f"{page}: {words}\n" in err
    assert "2 failed" in err


def test_when_nothing_can_be_reached_nothing_is_said_against_any_feed(folder: Path) -> None:
    write_config(folder, *(f"http://127.0.0.{number}:9/feed" for number in range(1, 12)))

    code, _, err = call("check", "--online")

    assert code == 4
    assert "nothing could be reached from here" in err
