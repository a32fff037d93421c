"""`planet check`: all that it can see in a config is told at once."""

import json
from pathlib import Path

import pytest

from tests.cases import case, cases
from tests.whole.conftest import call


def test_what_a_check_can_see_is_told_all_at_once(folder: Path) -> None:
    (folder / "config.yaml").write_text(
        "title: A planet\nfeeds:\n  - blog\n  - {url: gone.xml, enabled: false}\n"
        "  - {url: ./none.xml, id: none}\n"
        "theme: clasic\neditions:\n  one: {theme: ./mine}\n  two: {}\n"
    )

    words, machines, built = call("check"), call("check", "--json"), call("build", "--offline")

    assert [words.code, machines.code, built.code] == [2, 2, 2]
    told = words.err.splitlines()
    assert told == [
        f"config.yaml:3:5  there is no file {folder}/blog; a feed on the web begins with https://",
        f"config.yaml:5:11  there is no file {folder}/none.xml; a feed on the web begins with "
        "https://",
        'config.yaml:6:8  there is no theme "clasic"; did you mean "classic"?; the themes that '
        "come with Planet: classic, default, headlines; one of your own is named by its folder: "
        '"./clasic"',
        "config.yaml:8:16  there is no folder mine; `planet init --theme mine` begins a theme "
        "there",
    ]
    assert built.err == f"{told[-1]}\n"
    assert len(json.loads(machines.out)["problems"]) == 4


@cases(
    "address, found",
    case("a parameter", "https://a.example/f?page=1&token=hush", "token=…"),
    case(
        "a path", "https://a.example/private/1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d.rss", "/private/…"
    ),
)
def test_an_address_that_seems_to_hold_a_secret_is_warned_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch, address: str, found: str
) -> None:
    monkeypatch.setenv("TOKEN", "hush-hush")
    (folder / "config.yaml").write_text(
        f"title: A planet\nfeeds:\n  - {address}\n  - https://b.example/f?token=${{TOKEN}}\n"
        "  - https://c.example/private-life/f?tokens=1&channel=UCabcdefghij0123456789\n"
        f"subscriptions: ['{address}&l']\n"
    )

    code, out, _ = call("check")

    words = f"has what looks like a secret in plain text ({found}); write ${{NAME}} in its place"
    assert code == 0
    assert out.splitlines()[1:] == [
        f"  config.yaml:3:5  feeds[0] {words}, and set NAME in the environment",
        f"  config.yaml:6:17  subscriptions[0] {words}, and set NAME in the environment",
    ]
    assert "hush" not in out


def test_of_sixty_equal_mistakes_the_first_are_told_and_how_many_there_are(folder: Path) -> None:
    feeds = "".join(f"  - {{url: https://{n}.example/, titel: x}}\n" for n in range(60))
    (folder / "config.yaml").write_text(f"title: A planet\ntheem: x\nfeeds:\n{feeds}")

    words, machines = call("check"), call("check", "--json")

    assert (words.code, machines.code) == (2, 2)
    assert words.err.splitlines() == [
        'config.yaml:2:1  there is no setting "theem"; did you mean "theme"?',
        'config.yaml:4:31  feeds[0] has no setting "titel"',
        'config.yaml:5:31  feeds[1] has no setting "titel"',
        'config.yaml:6:31  feeds[2] has no setting "titel"',
        "config.yaml:7:31  and 57 more like the one above, down to line 63",
    ]
    assert len(json.loads(machines.out)["problems"]) == 61


def test_check_warns_of_what_stops_nothing(folder: Path) -> None:
    outlines = "<outline text='A & co'/>\n" * 9
    (folder / "list.opml").write_text(
        f"<opml>{outlines}<outline text='Ada' xmlUrl='https://ada.example/f'/></opml>"
    )
    (folder / "config.yaml").write_text("title: A planet\nsubscriptions: [list.opml]\n")

    words, machines, built = call("check"), call("check", "--json"), call("build", "--offline")

    assert [words.code, machines.code, built.code] == [0, 0, 0]
    assert words.out.splitlines() == [
        "config.yaml: no mistake found; 1 feed",
        "  list.opml:1:7  A & co has no xmlUrl, so it is no feed",
        "  list.opml:2:1  A & co has no xmlUrl, so it is no feed",
        "  list.opml:3:1  A & co has no xmlUrl, so it is no feed",
        "  list.opml:4:1  and 6 more like the one above, down to line 9",
    ]
    assert len(json.loads(machines.out)["warnings"]) == 9
