"""`planet status` and `planet retry`: how each feed is, and what the operator can do about it."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from planet.cli import main
from planet.model import Moved
from planet.store import Store
from tests.builders import make_state
from tests.cases import case, cases
from tests.processes import files
from tests.server import Response, Server
from tests.whole.conftest import NOON, call, rss, write_config


def test_status_tells_how_each_feed_is(folder: Path, server: Server) -> None:
    write_config(
        folder,
        server.feed("/well", rss("a", name="Well"), etag='"1"'),
        {"url": server.script("/ill", Response(status=410)), "name": "Ill"},
        {"url": "https://off.example/feed", "name": "Off", "enabled": False},
    )
    call("build", "-q")

    said = json.loads(call("status", "--json").out)
    table = call("status").out

    rows = said["feeds"]
    assert [(row["name"], row["state"], row["due_reason"], row["because"]) for row in rows] == [
        ("Well", "ok", "adaptive", "how often it posts"),
        ("Ill", "given up", "given_up", "gone"),
        ("Off", "disabled", None, None),
    ]
    assert [(row["concern"], row["last_30_days"]["success_rate"]) for row in rows] == [
        (None, 1.0),
        ("gone", 0.0),
        (None, None),
    ]
    assert said["planet"]["last_30_days"]["success_rate"] == 0.5
    assert said["planet"]["alarm"] is None
    assert table.splitlines()[1:3] == [
        f"{'given up':35}Ill (gone)",
        f"    {rows[1]['message']}. {rows[1]['advice']}",
    ]
    assert "1 ok, 1 given up, 1 disabled; 50.0% of 2 requests in 30 days went well" in table


def test_status_tells_which_feed_is_no_xml_and_was_read_by_feedparser(
    folder: Path, server: Server
) -> None:
    damaged = "<rss version=2.0><channel><title>Damaged</title><item><title>A</title></item>"
    write_config(folder, server.feed("/damaged", damaged.encode()), server.feed("/well", rss("a")))
    call("build", "-q")

    feeds = json.loads(call("status", "--json").out)["feeds"]
    table = call("status").out

    assert [feed["reader"] for feed in feeds] == ["feedparser", None]
    assert table.count("; read by feedparser") == 1


@pytest.fixture
def several(folder: Path, server: Server) -> dict[str, str]:
    """A planet with feeds in every condition; their addresses."""
    well = server.feed("/well", rss("a", name="Well"), etag='"1"')
    old = server.url("/old")
    ill = server.script("/ill", Response(status=410))
    busy = server.url("/busy")
    write_config(
        folder,
        well,
        old,
        {"url": ill, "name": "A feed with a name so long that it goes over the edge of terminals"},
        {"url": busy, "name": "Busy"},
        {"url": "https://off.example/feed", "name": "Off", "enabled": False},
    )
    call("build", "-q", "--feed", well, "--feed", ill)
    asked = make_state(attempted_at=NOON, settled_at=NOON, due_at=NOON + timedelta(days=900))
    with Store.open(folder / "state") as store:
        moved_to = Moved(to="https://new.example/feed", since=NOON, times=3, adopted=True)
        store.keep(replace(asked, key=old, url=old, succeeded_at=NOON, moved=moved_to))
        store.keep(replace(asked, key=busy, url=busy))
    return {"well": well, "old": old, "ill": ill, "busy": busy}


def test_status_tells_first_what_needs_attention_with_a_line_for_a_feed(
    several: dict[str, str],
) -> None:
    table, summary = call("status").out.split("\n\n")

    states = [line.partition("  ")[0] for line in table.splitlines()]
    assert states == ["state", "ok", "", "given up", "", "never read", "ok", "disabled"]
    name = "A feed with a name so long that it goes over the edge of terminals"
    assert table.splitlines()[3].endswith(f"  {name} (gone)")
    assert "\x1b" not in table
    assert summary.startswith("2 ok, 1 given up, 1 never read, 1 disabled; ")


def test_status_tells_of_those_that_are_asked_for(several: dict[str, str]) -> None:
    for arguments, expected in (
        (["well"], ["Well"]),
        (["Off", "busy"], ["Busy", "Off"]),
        (["--failing"], ["OLD", "A feed", "Busy"]),
        (["well", "--failing"], []),
    ):
        code, out, _ = call("status", "--json", *arguments)
        table = call("status", *arguments)

        rows = json.loads(out)["feeds"]
        assert (code, table.code) == (0, 0)
        assert [row["name"].replace(several["old"], "OLD")[:6] for row in rows] == expected
        assert ("no feed is in trouble" in table.out) is (not expected)
    unknown, patch = call("status", "nobody"), call("status", "well", "--fix")
    assert (unknown.code, patch.code) == (2, 2)
    assert "there is no feed 'nobody' in the config" in unknown.err
    assert "--fix is for all feeds" in patch.err


def test_a_feed_given_up_is_asked_at_the_operators_word(folder: Path, server: Server) -> None:
    url = server.script("/ill", Response(status=410), Response(body=rss("a")))
    write_config(folder, {"url": url, "name": "Ill"}, server.feed("/well", rss("b")))
    call("build", "-q")
    call("build", "-q", "--force")
    asked_before = server.paths.count("/ill")

    code, said, _ = call("retry", "ill")
    main(["build", "-q"])

    assert (asked_before, server.paths.count("/ill")) == (1, 2)
    assert (code, said) == (0, "Ill: is asked again in the next run\n")
    assert b"All about a." in files(folder / "public")["index.html"]


def test_a_feed_that_has_gone_into_a_private_network_is_asked_there_at_the_operators_word(
    folder: Path,
) -> None:
    write_config(folder, {"url": "https://one.example/feed", "id": "one", "name": "One"})
    inside = make_state(was_public=True, failures=3, error_kind="private_address", error="inside")
    with Store.open(folder / "state") as store:
        store.keep(inside)

    advice = call("status").out
    ended, out, _ = call("retry", "one")

    with Store.open(folder / "state") as store:
        (state,) = store.states().values()
    assert "`planet retry one` has it asked again." in advice
    assert (ended, out) == (0, "One: is asked again in the next run\n")
    assert (state.was_public, state.failures) == (False, 0)


@cases(
    "name, code, words",
    case("that is well", "well", 0, "Well: was not given up"),
    case("that is switched off", "off", 0, "Off: is not asked, by `enabled`"),
    case("that is not there", "none", 2, "Error: there is no feed 'none' in the config"),
)
def test_a_feed_that_was_not_given_up_cannot_be_retried(
    folder: Path, name: str, code: int, words: str
) -> None:
    write_config(
        folder,
        {"url": "https://well.example/", "name": "Well"},
        {"url": "https://off.example/", "name": "Off", "enabled": False},
    )

    ended, out, err = call("retry", name)

    assert ended == code
    assert (out or err).startswith(words)
