"""A feed that moves for good, from the first redirect to the operator's config."""

import json
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from planet.cli import main
from planet.config import load
from planet.model import FeedState, Moved
from planet.report import Report
from planet.run.build import build
from planet.run.lists import subscribed
from planet.run.runtime import Scope
from planet.store import Store
from tests.server import Response, Server
from tests.whole.conftest import NOON, Planet, rss

CONFIG = """\
# Ours
title:   The Planet  # short
fetch: {{host_gap: 0s, timeout: 2s}}

feeds:
    - {well}

    - url:  '{old}'  # a friend
      name: Friend
"""


pytestmark = pytest.mark.usefixtures("folder")


def run(planet: Planet) -> Report:
    """A run with the config as it is written, two days after the last."""
    config = load(planet.folder / "config.yaml", environ={})
    with planet.opened() as opened:
        report = Report(started=planet.now)
        feeds = subscribed(config, run=opened, scope=Scope(), report=report)
        build(config, feeds, run=opened, scope=Scope(), report=report)
    planet.later(days=2)
    return report


def moved_for_good(planet: Planet, server: Server) -> str:
    """A planet one of whose feeds has moved, and is asked at its new address by now."""
    well = server.feed("/well", rss("w", name="Well"), etag='"1"')
    new = server.feed("/new", rss("a", "b"), etag='"1"')
    old = server.script("/old", Response(status=301, headers=(("Location", new),)))
    (planet.folder / "config.yaml").write_text(CONFIG.format(well=well, old=old))
    for _ in range(4):
        run(planet)
    assert [request.path for request in server.requests].count("/old") == 3
    return new


def known_to_have_moved(folder: Path, **moves: str) -> None:
    """What a run would have learned: where feeds have moved, by their addresses."""
    with Store.open(folder / "state") as store:
        for name, new in moves.items():
            url = f"https://{name}.example/feed"
            moved = Moved(to=new, since=NOON, times=3, adopted=True)
            store.keep(FeedState(key=url, url=url, moved=moved))


@pytest.mark.parametrize(
    "tool",
    [
        pytest.param(
            tool, marks=pytest.mark.skipif(not shutil.which(tool[0]), reason="it is not there")
        )
        for tool in (["patch", "-p1"], ["git", "apply"])
    ],
    ids=" ".join,
)
def test_a_move_is_offered_as_a_patch_that_keeps_the_feeds_past(
    a_planet: Planet, server: Server, capfdbinary: pytest.CaptureFixture[bytes], tool: list[str]
) -> None:
    new = moved_for_good(a_planet, server)
    before, page = (a_planet.folder / "config.yaml").read_text(), a_planet.page()

    code = main(["status", "--patch"])
    patch, said = capfdbinary.readouterr()
    subprocess.run(tool, input=patch, cwd=a_planet.folder, check=True, capture_output=True)
    server.requests.clear()
    report = run(a_planet)

    assert (code, said) == (0, b"")
    after = before.replace(server.url("/old"), new)
    assert (a_planet.folder / "config.yaml").read_text() == after
    (request,) = [request for request in server.requests if request.path != "/well"]
    assert (request.path, request.header("If-None-Match")) == ("/new", '"1"')
    assert [heard.status for heard in report.heard] == [304, 304]
    assert (report.added, a_planet.page()) == (0, page)


def test_a_move_can_be_written_into_the_config(
    a_planet: Planet, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    new = moved_for_good(a_planet, server)
    path = a_planet.folder / "config.yaml"
    before = path.read_text()
    path.chmod(0o640)

    codes = main(["check", "--fix"]), main(["check", "--fix"]), main(["status", "--patch"])

    said, err = capsys.readouterr()
    assert codes == (0, 0, 0)
    assert path.read_text() == before.replace(server.url("/old"), new)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    left = sorted(each.name for each in a_planet.folder.iterdir())
    assert left == ["config.yaml", "public", "state"]
    assert said.splitlines() == [
        "config.yaml: no mistake found; 2 feeds",
        f"config.yaml:8  {server.url('/old')} → {new}",
        "config.yaml: no mistake found; 2 feeds",
        "no feed has moved for good",
    ]
    assert err == "no feed has moved for good\n"


def test_picks_stay_with_their_feed_when_its_move_is_written_into_the_config(
    a_planet: Planet, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    moved_for_good(a_planet, server)
    path = a_planet.folder / "picks.yaml"
    path.write_text(
        "picks:\n  - title: a\n    picked: 2026-11-21\n    enclosure: https://one.example/a.mp3\n"
        f"    feed: {server.url('/old')}  # a friend\n    id: One a\n"
    )
    before = path.read_text()
    run(a_planet)
    page = a_planet.page()

    main(["check", "--fix"])
    run(a_planet)

    assert path.read_text() == before.replace("/old", "/new")
    assert a_planet.page() == page
    assert a_planet.page().count("<article") == 3
    capsys.readouterr()


def test_a_patch_has_the_bytes_of_the_file(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (folder / "our config.yaml").write_bytes(
        "title: Größe\u2028\r\nfeeds: [https://one.example/feed]".encode()
    )
    known_to_have_moved(folder, one="https://new.example/?a=1,2")

    main(["status", "--patch", "--config", "our config.yaml"])

    assert (
        capfdbinary.readouterr().out
        == (
            "--- a/our config.yaml\t\n+++ b/our config.yaml\t\n@@ -1,2 +1,2 @@\n"
            " title: Größe\u2028\r\n"
            "-feeds: [https://one.example/feed]\n\\ No newline at end of file\n"
            '+feeds: ["https://new.example/?a=1,2"]\n\\ No newline at end of file\n'
        ).encode()
    )


LIST = """\
<opml version="2.0"><body>
<outline text="Two" xmlUrl="https://two.example/feed"/>
</body></opml>
"""


def not_for_the_config(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A config whose feeds have moved, and that can tell it of none; what is to be done instead."""
    monkeypatch.setenv("TOKEN", "private")
    (folder / "two.opml").write_text(LIST)
    (folder / "config.yaml").write_text(
        "title: A planet\n"
        "subscriptions: [two.opml, https://list.example/feed]\n"
        "feeds:\n"
        "  - https://one.example/feed\n"
        "  - https://four.example/feed\n"
        "  - {url: 'https://${TOKEN}.example/feed', id: https://private.example/feed}\n"
    )
    known_to_have_moved(
        folder,
        one="https://four.example/feed",
        two="https://new.example/two?key=secret",
        three="https://new.example/three",
        private="https://new.example/env",
    )
    with Store.open(folder / "state") as store:
        store.keep_list("https://list.example/feed", LIST.replace("two", "three").encode())
    return [
        "config.yaml:4:5  https://one.example/feed has moved to https://four.example/feed, which "
        "is a feed here already; remove one of the two",
        "config.yaml:6:11  feeds[2].url has moved to https://new.example/env; change it by hand: "
        'it takes a part from the environment ("${…}")',
        "https://list.example/feed:2:1  https://three.example/feed has moved to "
        "https://new.example/three; change it in the list that it comes from",
        "two.opml:2:1  https://two.example/feed has moved to https://new.example/two?key=…; "
        "change it in the list that it comes from",
    ]


def test_a_move_that_the_config_cannot_tell_is_named_with_what_to_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    by_hand = not_for_the_config(folder, monkeypatch)
    before = (folder / "config.yaml").read_text()

    codes = main(["status", "--patch"]), main(["check", "--fix"])

    out, err = capsys.readouterr()
    assert codes == (0, 0)
    assert err.splitlines() == by_hand
    assert out.splitlines() == ["config.yaml: no mistake found; 4 feeds", *by_hand]
    assert (folder / "config.yaml").read_text() == before


def test_check_tells_machines_what_it_changed_and_what_it_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    by_hand = not_for_the_config(folder, monkeypatch)
    known_to_have_moved(folder, four="https://new.example/four", one="https://new.example/one")

    main(["check", "--fix", "--json"])

    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert said["changed"] == [
        {
            "file": "config.yaml",
            "line": line,
            "from": f"https://{name}.example/feed",
            "to": f"https://new.example/{name}",
        }
        for line, name in ((4, "one"), (5, "four"))
    ]
    told = [f"{each['file']}:{each['line']}:{each['column']}" for each in said["by_hand"]]
    assert told == [words.partition("  ")[0] for words in by_hand[1:]]


def test_a_list_that_moved_is_changed_as_feeds_are(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = "title: A planet\nsubscriptions:\n- https://one.example/feed # all\n"
    (folder / "config.yaml").write_text(config)
    known_to_have_moved(folder, one="https://new.example/list")

    main(["check", "--fix"])

    assert (folder / "config.yaml").read_text() == config.replace(
        "one.example/feed", "new.example/list"
    )
    assert (
        "config.yaml:3  https://one.example/feed → https://new.example/list"
        in capsys.readouterr().out
    )


def test_a_config_with_mistakes_is_left_alone(folder: Path) -> None:
    config = "titel: A planet\nfeeds: [https://one.example/feed]\n"
    (folder / "config.yaml").write_text(config)
    known_to_have_moved(folder, one="https://new.example/")

    codes = main(["check", "--fix"]), main(["status", "--patch"])

    assert (codes, (folder / "config.yaml").read_text()) == ((2, 2), config)


def test_a_config_behind_a_link_is_changed_where_it_is(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    file = folder / "elsewhere" / "ours.yaml"
    file.write_text("title: A planet\nfeeds: [https://one.example/feed]\n")
    (folder / "config.yaml").symlink_to(file)
    known_to_have_moved(folder, one="https://new.example/")

    main(["check", "--fix"])

    assert (folder / "config.yaml").is_symlink()
    assert "https://new.example/" in file.read_text()


def test_a_config_that_cannot_be_written_stays_as_it_was(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The longest name there can be: no file with a longer one can be put beside it.
    name, config = "c" * 255, "title: A planet\nfeeds: [https://one.example/feed]\n"
    (folder / name).write_text(config)
    known_to_have_moved(folder, one="https://new.example/")

    code = main(["check", "--fix", "--config", name])

    assert code == 5
    assert f"{name} cannot be written: File name too long" in capsys.readouterr().err
    assert (folder / name).read_text() == config


def test_nothing_known_is_nothing_moved(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "config.yaml").write_text("title: A planet\nfeeds: [https://one.example/feed]\n")

    code = main(["status", "--patch"])

    assert (code, *capsys.readouterr()) == (0, "", "no feed has moved for good\n")
