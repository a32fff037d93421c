"""`planet why` and `planet preview`, as an operator calls them."""

import json
from pathlib import Path

import pytest

from planet.model import handle
from tests.cases import case, cases
from tests.server import Response, Server
from tests.whole.conftest import Planet, call, rss

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def two_feeds(a_planet: Planet, server: Server) -> Planet:
    """One, of which sport is not wanted, Two, whose first entry One has as well, and Ill."""
    one = rss("tea", "sport", "cake", name="One")
    tea = one[one.index(b"<item>") : one.index(b"</item>") + len(b"</item>")]
    two = rss("more", name="Two").replace(b"20 Nov", b"10 Nov")
    two = two.replace(b"<item>", tea + b"<item>", 1)
    a_planet.subscribe(
        {"url": server.feed("/one", one), "id": "one", "filters": {"exclude": "sport"}},
        {"url": server.feed("/two", two), "id": "two"},
        {"url": server.script("/ill", Response(status=503)), "id": "ill", "name": "Ill"},
    )
    a_planet.build()
    return a_planet


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_preview_tells_of_each_entry_what_becomes_of_it(two_feeds: Planet) -> None:
    one, two = call("preview", "one"), call("preview", "two")

    assert (one.code, two.code) == (0, 0)
    assert (one.out + two.out).splitlines()[:4] == [
        f"+ {handle('one', 'One tea')}  2026-11-20  tea  (also in Two)",
        f"- {handle('one', 'One sport')}  2026-11-19  sport  (exclude: sport)",
        f"+ {handle('one', 'One cake')}  2026-11-18  cake",
        f"- {handle('two', 'One tea')}  2026-11-20  tea  (the same as “tea” of One)",
    ]
    assert one.err == "3 entries: 2 shown, 1 exclude\n"
    assert two.err == "2 entries: 1 duplicate, 1 shown\n"


def test_preview_tells_it_to_machines(two_feeds: Planet) -> None:
    out = call("preview", "two", "--json").out

    said, _ = json.loads(out)
    assert said == {
        "feed": {"name": "Two", "url": "two"},
        "id": "One tea",
        "handle": handle("two", "One tea"),
        "title": "tea",
        "link": "https://one.example/tea",
        "when": "2026-11-20T08:00:00+00:00",
        "shown": False,
        "reason": "duplicate",
        "duplicate_of": {"feed": "one", "id": "One tea", "title": "tea"},
        "listed": True,
    }


def test_why_answers_for_what_each_feed_has_of_a_post(two_feeds: Planet) -> None:
    code, out, _ = call("why", "https://one.example/tea")

    assert code == 0
    assert "It is an entry of One, dated 2026-11-20 08:00" in out
    assert "It is also in Two; it is shown once, as one of One." in out
    assert "It is an entry of Two, dated 2026-11-20 08:00" in out
    assert "It is not shown, because the same entry is shown as one of One" in out


def test_why_names_the_line_of_the_setting(two_feeds: Planet) -> None:
    config = (two_feeds.folder / "config.yaml").read_text()

    out = call("why", "sport").out

    line = next(number for number, text in enumerate(config.splitlines(), 1) if "exclude" in text)
    assert f"`filters.exclude` of One (config.yaml:{line}:" in out


def test_why_lists_the_entries_that_may_be_meant(two_feeds: Planet) -> None:
    _, out, _ = call("why", "e")

    lines = out.splitlines()
    assert {*lines[:2]} == {
        f"+ {handle('one', 'One tea')}  2026-11-20  One: tea  (also in Two)",
        f"- {handle('two', 'One tea')}  2026-11-20  Two: tea  (the same as “tea” of One)",
    }
    assert lines[2:] == [
        f"+ {handle('one', 'One cake')}  2026-11-18  One: cake",
        f"+ {handle('two', 'Two more')}  2026-11-10  Two: more",
        "4 entries are meant; name one by its ID",
    ]


def test_why_tells_of_a_lost_post_how_its_feeds_are(two_feeds: Planet, server: Server) -> None:
    code, out, _ = call("why", "https://two.example/lost")

    assert code == 2
    assert out.startswith(
        "https://two.example/lost\n"
        "  None of the feeds has listed it when they were read.\n"
        "  What a feed no longer lists is forgotten after 730d (`retention.entries`).\n"
        "  What is known of feeds of that site:\n"
        "\n"
        "Two ("
    )
    assert (
        "  State: ok.\n  It was last asked at 2026-11-21 12:00 and read at 2026-11-21 12:00;" in out
    )
    out = call("why", server.url("/lost")).out
    assert "  What is known of feeds of that site:\n\nOne (" in out
    failed = "State: failing ("
    assert f"Ill ({server.url('/ill')})\n  {failed}" in out


def test_why_knows_when_it_knows_nothing(two_feeds: Planet) -> None:
    code, out, _ = call("why", "https://nowhere.example/")

    assert code == 2
    assert out.endswith("  No feed is of that site, either; `planet add` adds one.\n")


def test_preview_of_a_feed_that_was_never_read_says_so(two_feeds: Planet) -> None:
    _, out, err = call("preview", "ill")

    assert (out, err) == ("", "no entry is known of it; `planet why` with its address tells more\n")


def test_nothing_is_known_before_the_first_run(a_planet: Planet) -> None:
    (a_planet.folder / "config.yaml").write_text("title: P\nfeeds: [one.xml]\n")

    for words in ("episodes", "pick x"):
        code, out, err = call(*words.split())
        assert (code, out) == (2, "")
        assert err == "Error: nothing is known of any feed yet; `planet build` reads them\n"
    codes = [call(*words.split()).code for words in ("why x", "preview one.xml", "digest")]
    assert codes == [2, 0, 0]


def test_a_filter_that_takes_too_long_is_named_and_left(a_planet: Planet, server: Server) -> None:
    endless = b"a" * 20_000 + b"!"
    hostile = rss("golf", "sport", "cake", name="Hostile").replace(b"All about sport.", endless)
    a_planet.subscribe(
        {"url": server.feed("/one", hostile), "filters": {"exclude": [r"/(a+)+$/", "cake"]}},
        server.feed("/two", rss("more", name="Two")),
    )
    a_planet.config()
    words = "the filter /(a+)+$/ takes too long to search 1 entry of Hostile, and lets that pass"

    built, again, why = call("build"), call("build"), call("why", "https://hostile.example/sport")

    assert (built.code, again.code, why.code) == (0, 0, 0)
    assert built.err.splitlines().count(words) == 1
    assert words not in again.err + why.err, "it is told when the site is made"
    assert "The filter /(a+)+$/ takes too long to search it, and let it pass" in why.out
    shown = [item["title"] for item in a_planet.items()]
    assert sorted(shown) == ["golf", "more", "sport"]


@cases(
    "command",
    case("why", ("why", "tea")),
    case("preview", ("preview", "one")),
)
def test_looking_leaves_the_state_and_the_site_as_they_are(
    two_feeds: Planet, command: tuple[str, ...]
) -> None:
    two_feeds.settings["filters"] = {"exclude": "tea"}
    two_feeds.config()
    before = contents(two_feeds.folder)

    assert call(*command).code == 0

    assert contents(two_feeds.folder) == before


def test_what_the_config_says_now_is_explained_before_a_run_has_followed_it(
    two_feeds: Planet,
) -> None:
    two_feeds.settings["filters"] = {"exclude": "cake"}
    two_feeds.config()

    assert "by `filters.exclude` of the planet" in call("why", "cake").out
