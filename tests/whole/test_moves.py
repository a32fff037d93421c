"""A feed that moves for good, from the first redirect to the operator's config."""

from pathlib import Path

import pytest

from planet.cli import main
from planet.config import load
from planet.model import FeedState, Moved
from planet.report import Report
from planet.store import Store
from tests.processes import without_check
from tests.server import Server, moved
from tests.whole.conftest import NOON, Planet, call, rss

CONFIG = """\
# Ours
title:   The Planet  # short
fetch: {{host_gap: 0s, timeout: 10m}}

feeds:
    - {well}

    - url:  '{old}'  # a friend
      name: Friend
"""


pytestmark = pytest.mark.usefixtures("folder")


def run(planet: Planet) -> Report:
    """A run with the config as it is written, two days after the last."""
    config = load(planet.folder / "config.yaml", environ={})
    report = planet.build(config)
    planet.later(days=2)
    return report


def moved_for_good(planet: Planet, server: Server) -> str:
    """A planet one of whose feeds has moved, and is asked at its new address by now."""
    well = server.feed("/well", rss("w", name="Well"), etag='"1"')
    new = server.feed("/new", rss("a", "b"), etag='"1"')
    old = server.script("/old", moved(new, 301))
    (planet.folder / "config.yaml").write_text(CONFIG.format(well=well, old=old))
    reports = [run(planet) for _ in range(4)]
    told = [outcome.advice for report in reports for outcome in report.outcomes if outcome.is_news]
    assert server.paths.count("/old") == 3
    assert [advice.words for advice in told if advice] == [
        f"It has moved to {new} for good: put that address into the config "
        "(`planet status --fix` does that)."
    ]
    return new


def known_to_have_moved(folder: Path, **moves: str) -> None:
    """What a run would have learned: where feeds have moved, by their addresses."""
    with Store.open(folder / "state") as store:
        for name, new in moves.items():
            url = f"https://{name}.example/feed"
            adopted = Moved(to=new, since=NOON, times=3, adopted=True)
            store.keep(FeedState(key=url, url=url, moved=adopted))


def front(planet: Planet) -> bytes:
    """The front page, but for when the feeds were checked."""
    return without_check(planet.site())["index.html"]


def test_a_move_is_written_into_config_and_picks_and_the_feed_keeps_its_past(
    a_planet: Planet, server: Server
) -> None:
    new = moved_for_good(a_planet, server)
    picks = a_planet.folder / "picks.yaml"
    picks.write_text(
        "picks:\n  - title: a\n    picked: 2026-11-21\n    enclosure: https://one.example/a.mp3\n"
        f"    feed: {server.url('/old')}  # a friend\n    id: One a\n"
    )
    picked = picks.read_text()
    run(a_planet)
    before, page = (a_planet.folder / "config.yaml").read_text(), front(a_planet)

    code, out, _ = call("status", "--fix")
    server.requests.clear()
    report = run(a_planet)

    assert code == 0
    assert f"has moved to {new}" in out
    assert (a_planet.folder / "config.yaml").read_text() == before.replace(server.url("/old"), new)
    assert picks.read_text() == picked.replace("/old", "/new")
    (request,) = [request for request in server.requests if request.path != "/well"]
    assert (request.path, request.header("If-None-Match")) == ("/new", '"1"')
    assert [outcome.status for outcome in report.outcomes] == [304, 304]
    assert (report.added, report.issues, front(a_planet)) == (0, [], page)
    with a_planet.opened() as opened:
        assert [*opened.store.states()] == [server.url("/well"), new]


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
        store.keep(FeedState(key="https://list.example/feed", url="https://list.example/feed"))
        store.lists.put("https://list.example/feed", LIST.replace("two", "three").encode())
    return [
        "config.yaml:4:5  https://one.example/feed has moved to https://four.example/feed; which "
        "is a feed here already",
        "config.yaml:6:11  https://private.example/feed has moved to https://new.example/env; "
        "write that where it stands",
        "two.opml:2:1  https://two.example/feed has moved to https://new.example/two?key=…; "
        "write that where it stands",
        "https://list.example/feed:2:1  https://three.example/feed has moved to "
        "https://new.example/three; write that where it stands",
        "no address was changed",
    ]


def test_a_move_not_for_the_config_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by_hand = not_for_the_config(folder, monkeypatch)
    before = (folder / "config.yaml").read_text()

    code, out, err = call("status", "--fix")

    assert (code, out) == (0, "")
    assert {line.partition(";")[0] for line in err.splitlines()} == {
        line.replace(", which", ";").partition(";")[0] for line in by_hand
    }
    assert (folder / "config.yaml").read_text() == before


def test_a_config_with_mistakes_is_not_changed(folder: Path) -> None:
    (folder / "config.yaml").write_text("titel: A planet\nfeeds: [https://one.example/feed]\n")
    known_to_have_moved(folder, one="https://new.example/")

    assert main(["status", "--fix"]) == 2
