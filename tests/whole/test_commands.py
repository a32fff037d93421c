"""The commands, as their users call them."""

import ast
import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

import planet
from planet.cli import main
from planet.cli.status import format_distance
from planet.errors import OutputError
from planet.model import Day, Health, Moved
from planet.store import Store
from tests.builders import make_profile, make_state
from tests.cases import case, cases
from tests.patience import PATIENCE
from tests.processes import environ, files, python
from tests.server import Request, Response, Server
from tests.site.feeds.checks import problems
from tests.whole.conftest import CHECKOUT, DEMO, NOON, call, rss, write_config


def test_help_groups_the_commands_by_how_often_they_are_wanted() -> None:
    code, out, _ = call("--help")

    groups = re.findall(r"^([A-Z][a-z ]+):\n((?:  .*\n)+)", out, re.MULTILINE)
    said = {title: [line.split()[0] for line in lines.splitlines()] for title, lines in groups}
    assert code == 0
    assert said == {
        "Options": ["--version", "-h,"],
        "Every day": ["build", "status", "why", "check", "serve"],
        "Looking after feeds": [
            *("add", "remove", "import", "export", "peek", "preview", "links", "retry")
        ],
        "Episodes": ["episodes", "pick", "unpick"],
        "Publishing": ["fetch", "render", "ping", "digest"],
        "Rarely": ["init", "demo", "purge", "actor", "schema"],
    }


def test_each_command_that_help_names_says_how_it_is_called() -> None:
    listed = call("--help").out.partition("Every day")[2]

    for name in re.findall(r"^  ([a-z]+)  ", listed, re.MULTILINE):
        code, out, _ = call(name, "--help")
        assert (code, f"Usage: planet {name} " in out) == (0, True)


def test_help_is_a_command_as_well() -> None:
    everything, one = call("help"), call("help", "pick")
    code, _, err = call("help", "pikc")

    assert everything == call("--help")
    assert one == call("pick", "--help")
    assert (code, "did you mean 'pick'?" in err) == (2, True)


@pytest.mark.parametrize(
    "option", [["--config", "mine.yaml"], ["-c", "mine.yaml"], ["--config=mine.yaml"]]
)
def test_the_config_may_be_named_in_front_of_the_command(option: list[str], folder: Path) -> None:
    (folder / "mine.yaml").write_text("title: T\nfeeds: [https://one.example/feed]\n")

    code, out, _ = call(*option, "check")

    assert (code, out) == (0, "mine.yaml: no mistake found; 1 feed\n")


def test_a_config_in_front_of_a_command_that_has_none_is_no_option_of_it() -> None:
    code, _, err = call("--config", "mine.yaml", "demo")

    assert (code, "No such option" in err) == (2, True)
    assert "No such option" in call("--config", "mine.yaml")[2]


def test_init_writes_into_the_folder_that_it_names(folder: Path) -> None:
    code, out, _ = call("init", "mine")

    assert (code, (folder / "mine/config.yaml").is_file()) == (0, True)
    assert out == (
        "mine/config.yaml is written. Put your feeds into it, each with: planet add ADDRESS\n"
        "Commands look for it in the current folder, so first: cd mine\n"
    )
    assert [path.name for path in folder.iterdir()] == ["mine"]


def test_whoever_has_no_docs_is_told_the_address_of_a_page() -> None:
    package = Path(planet.__file__).parent
    starters = [path for path in (package / "starter").rglob("*") if path.is_file()]
    texts = [path.read_text(encoding="utf-8") for path in starters]
    for module in package.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(module.read_text(encoding="utf-8"))))
        docstrings = {
            id(node.value)
            for node in nodes
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        texts += [
            node.value
            for node in nodes
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
        ]
    _, schema, _ = call("schema")

    assert [text for text in (*texts, schema) if re.search(r"(?<![\w/])docs/\S+\.md", text)] == []


def test_the_demo_makes_a_site_tells_how_to_go_on_and_writes_nothing_twice(folder: Path) -> None:
    first, told, _ = call("demo")
    site = files(folder / "planet-demo" / "public")
    second, _, said = call("demo", "-v")

    assert (first, second) == (0, 0)
    assert str(folder / "planet-demo" / "public" / "index.html") in told
    assert b"Planet Wrenhaven" in site["index.html"]
    assert said.count("not modified (304)") == 12
    assert "12 of 14 feeds looked at" in said
    assert "site unchanged" in said
    assert files(folder / "planet-demo" / "public") == site
    assert [line.split() for line in told.splitlines()[-2:]] == [
        ["planet", "init", "&&", "planet", "add", "https://blog.example/"],
        ["planet", "build"],
    ]


def test_the_demo_shows_three_themes_side_by_side_on_one_day(folder: Path) -> None:
    codes = [main(["demo", "-q", "--theme", name]) for name in ("default", "classic", "headlines")]

    sites = [files(folder / "planet-demo" / name) for name in ("public", "classic", "headlines")]
    assert codes == [0, 0, 0]
    assert len({site["style.css"] for site in sites}) == 3
    assert len({site["feed.json"] for site in sites}) == 1
    # The day that it is in the demonstration, and none after it.
    for site in sites:
        pages = site["index.html"] + site["digest/index.html"]
        days = re.findall(rb'datetime="(20..-..-..)', pages)
        assert max(days) == b"2026-11-20"
    assert problems(sites[0]) == {}


LOADED = """
import sys
from importlib.metadata import packages_distributions

installed = packages_distributions().keys() - {"planet", "typing_extensions"}
before = set(sys.modules)
from planet.cli import main

code = main(sys.argv[1:])
# msgspec looks for typing_extensions.
installed -= {"typing_extensions"}
print(code, *sorted({name.partition(".")[0] for name in set(sys.modules) - before} & installed))
"""


@cases(
    "arguments, libraries",
    case("help", ["--help"], ["click", "msgspec"]),
    case("a run with nothing due", ["build", "--quiet"], ["click", "msgspec", "yaml"]),
)
def test_no_library_is_loaded_that_is_not_needed(
    folder: Path, server: Server, arguments: list[str], libraries: list[str]
) -> None:
    # One has never answered: nothing of it is on disk that could be looked for.
    down = server.script("/down", Response(status=503))
    write_config(folder, server.feed("/one", rss("a")), down)
    main(["build"])

    done = python("-c", LOADED, *arguments, folder=folder)

    assert done.stdout.splitlines()[-1].split() == ["0", *libraries]
    assert len(server.requests) == 2


@cases(
    "arguments, code, words",
    case("no config", ["build"], 2, "there is no config.yaml"),
    case("a mistyped command", ["buidl"], 2, "is no command 'buidl'; did you mean 'build'?\n"),
    case("no such command", ["zzz"], 2, "No such command 'zzz'.\n"),
    case("no such option", ["build", "--forse"], 2, "No such option"),
    case("no such share", ["build", "--fail-on", "most"], 2, "none of never, any"),
)
def test_wrong_calls_end_with_2(folder: Path, arguments: list[str], code: int, words: str) -> None:
    ended, _, err = call(*arguments)

    assert (ended, words in err) == (code, True)


def test_build_tells_what_happened_in_words_and_in_json(folder: Path, server: Server) -> None:
    well = server.feed("/well", rss("a", name="Well"), etag='"1"')
    ill = server.script("/ill", Response(status=503))
    write_config(folder, well, ill)

    code, out, err = call("build", "--json", "--fail-on", "50%")

    said = json.loads(out)
    assert code == 3
    assert (said["new"], said["failed"], said["new_entries"]) == (1, 1, 1)
    assert [each.get("error") for each in said["outcomes"] if each["url"] == ill] == ["http_503"]
    assert "2 of 2 feeds looked at, 1 with news, 0 unchanged, 1 failed, 1 new entry" in err


def test_fetch_and_render_are_the_halves_of_build(folder: Path, server: Server) -> None:
    write_config(folder, server.feed("/one", rss("a"), etag='"1"'))

    fetched = main(["fetch", "-q"])
    no_site = not (folder / "public").exists()
    rendered = main(["render", "-q"])

    assert (fetched, no_site, rendered) == (0, True, 0)
    assert b"All about a." in files(folder / "public")["index.html"]
    assert len(server.requests) == 1


def test_a_dry_run_says_what_it_would_do_and_does_nothing(folder: Path, server: Server) -> None:
    url = server.feed("/one", rss("a"))
    write_config(folder, url)

    code, said, _ = call("build", "--dry-run")

    assert (code, server.requests, (folder / "public").exists()) == (0, [], False)
    assert f"would ask {url}" in said
    assert "would make index.html" in said


@pytest.mark.parametrize("built", [False, True], ids=["nothing is there", "a site is there"])
def test_a_dry_run_writes_nothing_anywhere(built: bool, folder: Path, server: Server) -> None:
    write_config(folder, server.feed("/one", rss("a", "b")), new_feed_entries=1)
    if built:
        main(["build", "-q"])
        # What was not cleaned is then cleaned, and could be kept.
        write_config(folder, server.url("/one"), server.url("/two"), sanitizer="bleach")
    before = files(folder)
    with Store.open(folder / "state") if built else nullcontext():  # another run goes on
        code = main(["build", "--dry-run"])

    assert code == 0
    assert files(folder) == before


@pytest.mark.parametrize("state_is_a_file", [False, True], ids=["output", "state"])
def test_a_dry_run_tells_that_there_is_no_place(state_is_a_file: bool, folder: Path) -> None:
    (folder / "mine.xml").write_bytes(rss("a"))
    write_config(folder, "mine.xml")
    if state_is_a_file:
        (folder / "state").touch()
    else:
        (folder / "public").mkdir()
        (folder / "public" / "index.html").write_text("Somebody else's")

    dry, wet = call("build", "--dry-run"), call("build")

    assert (dry.code, wet) == (5, dry)
    assert ("is a file" if state_is_a_file else "did not put there: index.html") in dry.err


def test_a_dry_run_tells_its_plan_to_machines_too(folder: Path, server: Server) -> None:
    one, opml = server.feed("/one", rss("a")), server.feed("/list", b"<opml/>")
    write_config(folder, one, subscriptions=[opml])
    before = json.loads(call("build", "--dry-run", "--json").out)
    main(["build", "-q"])
    (folder / "config.yaml").write_text('{"title": "A planet", "feeds": ["mine.xml"]}')
    after = call("build", "--dry-run", "--offline").out

    assert before["ask"] == [one, opml]
    assert "would ask" in after
    assert "would delete source/" in after


def test_a_dry_run_says_when_there_is_nothing_to_do(folder: Path, server: Server) -> None:
    write_config(folder, server.feed("/one", rss("a")))
    main(["build", "-q"])

    assert call("build", "--dry-run") == (0, "nothing is due, and the site is up to date\n", "")


def test_a_site_that_did_not_change_is_drawn_in_an_empty_folder_unless_told_otherwise(
    folder: Path, server: Server
) -> None:
    write_config(folder, server.feed("/one", rss("a")))
    main(["build", "-q"])
    shutil.rmtree(folder / "public")

    plan = call("build", "--if-changed", "--dry-run")
    left = call("build", "--if-changed")
    is_empty = not (folder / "public").exists()
    drawn = call("build")

    assert plan.out == "nothing is due, and the site is up to date\n"
    assert (left.code, is_empty) == (0, True)
    assert "site unchanged, so no file was made (1 entry)" in left.err
    assert "files written (1 entry)" in drawn.err
    assert (folder / "public" / "index.html").exists()


def test_one_feed_can_be_asked_by_either_of_its_names(folder: Path, server: Server) -> None:
    one = server.feed("/one", rss("a", name="Harbour Notes"))
    write_config(folder, one, {"url": server.feed("/two", rss("b")), "name": "Two"})

    named = main(["build", "-q", "--feed", "two"])
    asked = server.paths
    main(["build", "-q"])
    titled = main(["build", "-q", "--feed", "harbour notes"])
    unknown, _, err = call("build", "-q", "--feed", "three")

    assert (asked, named, titled, unknown) == (["/two"], 0, 0, 2)
    assert "there is no feed 'three'" in err


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
    assert table.startswith(f"Ill: {rows[1]['message']}. {rows[1]['advice']}\n\nstate ")
    assert "1 ok, 1 given up, 1 disabled; 50.0% of 2 requests in 30 days went well" in table


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


def test_a_feed_that_has_moved_has_a_message(several: dict[str, str]) -> None:
    (row,) = json.loads(call("status", several["old"], "--json").out)["feeds"]
    told = call("status", several["old"]).out.splitlines()[0]

    assert row["message"] == "it has moved to https://new.example/feed for good"
    assert told.startswith(f"{several['old']}: It has moved to https://new.example/feed for good: ")


def test_status_tells_first_what_needs_attention_with_a_line_for_a_feed_in_a_pipe(
    several: dict[str, str],
) -> None:
    advice, table, summary = call("status").out.split("\n\n")

    name = "A feed with a name so long that it goes over the edge of terminals"
    assert [line.partition(": ")[0] for line in advice.splitlines()] == [several["old"], name]
    states = [line[: len("never read")].rstrip() for line in table.splitlines()]
    assert states == ["state", "ok", "given up", "never read", "ok", "disabled"]
    assert table.splitlines()[2].endswith(f"  {name}")
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


def test_status_of_a_feed_that_is_not_there_is_a_mistake(several: dict[str, str]) -> None:
    unknown, patch = call("status", "nobody"), call("status", "well", "--patch")

    assert (unknown.code, patch.code) == (2, 2)
    assert "there is no feed 'nobody' in the config" in unknown.err
    assert "--patch is for all feeds" in patch.err


def test_feeds_of_one_name_are_told_apart_by_host(folder: Path, server: Server) -> None:
    one, other = server.feed("/a", rss("a")), server.feed("/b", rss("b"))
    there = one.replace("127.0.0.1", "localhost")
    missing = {"url": "missing.xml", "name": "One"}
    write_config(folder, one, other, there, server.feed("/c", rss("c", name="Alone")), missing)
    call("build", "-q")

    rows = json.loads(call("status", "--json").out)["feeds"]
    report = json.loads(call("build", "--json").out)
    listed = call("preview", "one")
    single = call("preview", "One (localhost)")

    bare = [url.removeprefix("http://") for url in (one, other)]
    file = f"One ({folder}/missing.xml)"
    names = [f"One ({bare[0]})", f"One ({bare[1]})", "One (localhost)", "Alone", file]
    assert [row["name"] for row in rows] == names
    assert [outcome["name"] for outcome in report["outcomes"]] == [file]
    assert f"  One ({bare[1]}): b" in listed.out
    assert "4 feeds are called so; name one of them: " in listed.err
    assert len(single.out.splitlines()) == 1


@cases(
    "passed, words",
    case("now", timedelta(0), "now"),
    case("a minute ago", timedelta(minutes=1), "1 min ago"),
    case("not two hours ago", timedelta(minutes=119), "119 min ago"),
    case("in two hours", timedelta(minutes=-120), "in 2 h"),
    case("not two days ago", timedelta(hours=47), "47 h ago"),
    case("in a year", timedelta(days=-400), "in 400 d"),
)
def test_status_tells_times_from_now(passed: timedelta, words: str) -> None:
    moment = (NOON - passed).isoformat(timespec="seconds")

    assert format_distance(moment, NOON) == words


def test_trouble_is_told_once_with_what_to_do(folder: Path, server: Server) -> None:
    write_config(
        folder,
        {"url": server.script("/ill", Response(status=410)), "name": "Ill"},
        {"url": server.feed("/well", rss("a"), etag='"1"'), "name": "Well"},
        {"url": "missing.xml", "name": "Missing"},
    )

    options: list[list[str]] = [["-q"], ["-q"], ["-q", "-v"], [], ["-v"]]
    first, second, both, third, fourth = (call("build", *more).err for more in options)

    assert [line.partition(":")[0] for line in first.splitlines()[::2]] == ["Missing", "Ill"]
    assert "\n  See whether the file is there" in first
    assert second == both == ""
    assert third.splitlines()[0].endswith("2 in need of attention (see planet status)")
    assert "\nMissing: there is no file" in fourth
    assert "\n  See whether the file is there" in fourth


def test_it_is_told_even_quietly_when_nothing_has_come_for_long(folder: Path) -> None:
    write_config(folder, {"url": "https://one.example/feed", "id": "one"})
    health = Health(days=(Day(number=18_000, asked=1, received=2_345_678),))
    then = datetime(2020, 1, 1, 12, tzinfo=UTC)
    asked = make_state(
        attempted_at=then,
        settled_at=then,
        succeeded_at=then,
        health=health,
        profile=make_profile(),
    )
    with Store.open(folder / "state") as store:
        store.keep(replace(asked, due_at=then + timedelta(hours=1)))

    told = call("build", "-q", "--offline").err
    status = call("status").out

    alarm = "no feed at all has come since 2020-01-01 12:00 UTC\n"
    assert told == alarm
    assert status.endswith(f"100.0% of 1 requests in 30 days went well, 2.3 MB came\n{alarm}")


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


def test_the_whole_is_asked_for_where_a_page_is_not_modified(folder: Path, server: Server) -> None:
    page = Response(headers=(("ETag", '"page"'),), body=b"<html><title>Soon</title></html>")
    write_config(folder, {"url": server.script("/ill", page), "name": "Ill"})
    call("fetch", "-q")

    code, said, _ = call("retry", "ill")
    main(["fetch", "-q"])
    asked_at_once = len(server.requests) > 1
    with Store.open(folder / "state") as store:
        (state,) = store.states().values()
        store.keep(replace(state, due_at=state.settled_at))
    main(["fetch", "-q"])

    assert (code, asked_at_once) == (0, False)
    assert said == "Ill: is asked again once an hour has passed since the last time\n"
    assert server.etags == [None, None]


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
    assert "`planet retry one` has it asked there." in advice
    assert (ended, out) == (0, "One: is asked again in the next run\n")
    assert (state.was_public, state.failures) == (False, 0)


@cases(
    "name, code, words",
    case("that is well", "well", 0, "Well: was not given up"),
    case("that is switched off", "off", 0, "Off: is not enabled in the config"),
    case("that is not there", "none", 2, "Error: there is no feed 'none' in the config"),
)
def test_nothing_can_be_retried_of_a_feed(folder: Path, name: str, code: int, words: str) -> None:
    write_config(
        folder,
        {"url": "https://well.example/", "name": "Well"},
        {"url": "https://off.example/", "name": "Off", "enabled": False},
    )

    ended, out, err = call("retry", name)

    assert ended == code
    assert (out or err).startswith(words)


def test_status_can_be_asked_while_a_run_goes_on(folder: Path) -> None:
    write_config(folder, "https://one.example/feed")
    before = main(["status"])

    with Store.open(folder / "state"):
        code, out, _ = call("status", "--json")

    assert (before, code, '"never asked"' in out) == (0, 0, True)


def test_a_terminal_without_the_letters_of_a_name_ends_no_run(folder: Path) -> None:
    write_config(folder, {"url": "https://one.example/feed", "name": "Größe 世界"})

    done = python("-m", "planet", "status", folder=folder, PYTHONIOENCODING="ascii")

    assert (done.returncode, "Gr" in done.stdout) == (0, True)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_an_output_where_nobody_can_make_a_folder_is_found_before_anybody_is_asked(
    folder: Path, server: Server
) -> None:
    write_config(folder, server.feed("/one", rss("a")))

    code, _, err = call("build", "--output", "/proc/planet")

    assert (code, server.requests) == (5, [])
    assert err == (
        "Error: the site cannot be written: no folder can be made in /proc: "
        "No such file or directory\n"
        "Choose another folder (output in the config, or --output).\n"
    )


def test_init_writes_a_config_that_is_right_and_never_over_another(folder: Path) -> None:
    assert main(["init"]) == 0
    assert call("check").err == (
        'config.yaml:17:7  there is nothing to read; put the address of a feed under "feeds"\n'
    )
    code, _, err = call("init")

    assert (code, "is there already; --force writes over it" in err) == (2, True)
    assert main(["init", "--force"]) == 0


def test_init_starts_from_a_subscription_list(folder: Path) -> None:
    outline = "<outline text='Ada: &quot;notes&quot; #1' xmlUrl='https://ada.example/feed'/>"
    body = f"<opml version='2.0'><body><outline text='Friends'>{outline}</outline></body></opml>"
    (folder / "mine.opml").write_text(body)

    codes = [main(["init", "--opml", "mine.opml"]), main(["check"])]

    config = (folder / "config.yaml").read_text()
    assert codes == [0, 0]
    assert "- url: https://ada.example/feed\n" in config
    assert "tags:\n      - Friends\n" in config


def a_file_above(output: Path) -> None:
    output.parent.write_text("a file")


def a_site_of_another_program(output: Path) -> None:
    output.mkdir(parents=True)
    (output / "index.html").write_text("Venus")


def a_link(output: Path) -> None:
    (output.parent.parent / "www").mkdir()
    output.parent.mkdir()
    output.symlink_to(output.parent.parent / "www")


@cases(
    "fault, words",
    case("a file", a_file_above, "{top} is not a folder"),
    case(
        "somebody else's site",
        a_site_of_another_program,
        "{output} has what Planet did not put there: index.html",
    ),
    case("a link", a_link, "{output} is a link, which may lead out of the output folder"),
)
def test_where_a_site_cannot_be_written_nobody_is_asked(
    folder: Path, server: Server, fault: Callable[[Path], None], words: str
) -> None:
    feed, listed = server.feed("/one", rss("a")), server.feed("/list", b"<opml/>")
    (folder / "config.yaml").write_text(
        f"title: A planet\nfeeds: [{feed}]\nsubscriptions: [{listed}]\n"
        "editions: {all: {folder: all}}\n"
    )
    output = folder / "public/all"
    fault(output)
    before = sorted(folder.rglob("*"))

    code, _, err = call("build")
    with pytest.raises(OutputError) as refused:
        planet.Planet.from_config("config.yaml").build()

    expected = words.format(top=Path("public"), output=Path("public/all"))
    assert code == refused.value.exit_code == 5
    for said in (err, str(refused.value)):
        assert f"the site cannot be written: {expected}" in said
        assert "choose another folder" in said
    assert server.requests == []
    assert [path for path in sorted(folder.rglob("*")) if "state" not in path.parts] == before


def test_what_a_check_can_see_is_told_all_at_once(folder: Path) -> None:
    (folder / "config.yaml").write_text(
        "title: A planet\nfeeds:\n  - blog\n  - {url: gone.xml, enabled: false}\n"
        "  - {url: ./none.xml, id: none}\ncache:\n  options: {timout: 3, timeout: 3}\n"
        "theme: clasic\neditions:\n  one: {theme: ./mine}\n  two: {}\n"
    )

    words, machines, built = call("check"), call("check", "--json"), call("build", "--offline")

    assert [words.code, machines.code, built.code] == [2, 2, 2]
    told = words.err.splitlines()
    assert told == [
        f"config.yaml:3:5  there is no file {folder}/blog; a feed on the web begins with https://",
        f"config.yaml:5:11  there is no file {folder}/none.xml; a feed on the web begins with "
        "https://",
        'config.yaml:7:13  cache.options has no option "timout" for sqlite; did you mean '
        '"timeout"?',
        'config.yaml:8:8  there is no theme "clasic"; did you mean "classic"?; the themes that '
        "come with Planet: classic, default, headlines; one of your own is named by its folder: "
        '"./clasic"',
        "config.yaml:10:16  there is no folder mine; `planet init --theme mine` begins a theme "
        "there",
    ]
    assert built.err == f"{told[-1]}\n"
    assert len(json.loads(machines.out)["problems"]) == 5


@cases(
    "backend, option",
    case("sqlite", "sqlite", "timeout: 3"),
    case("files", "filesystem", "max_cache_bytes: 1000000"),
)
def test_the_cache_gets_its_option(folder: Path, server: Server, backend: str, option: str) -> None:
    url = server.feed("/one", rss("a"))
    (folder / "config.yaml").write_text(
        f"title: A planet\nfeeds: [{url}]\ncache: {{backend: {backend}, options: {{{option}}}}}\n"
    )

    codes = [main(["check"]), main(["build"])]

    assert (codes, len(server.requests)) == ([0, 0], 1)


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
        '  list.opml:1:24  a bare "&" is read as "&amp;" (9 times)',
        "  list.opml:2:1  A & co has no xmlUrl, so it is no feed",
        "  list.opml:3:1  A & co has no xmlUrl, so it is no feed",
        "  list.opml:4:1  and 6 more like the one above, down to line 9",
    ]
    assert len(json.loads(machines.out)["warnings"]) == 10


def test_schema_prints_the_schema_that_is_shipped() -> None:
    out = call("schema").out

    shipped = json.loads((CHECKOUT / "config.schema.json").read_text(encoding="utf-8"))
    assert json.loads(out) == shipped


def test_the_example_makes_a_site(folder: Path) -> None:
    example = str(CHECKOUT / "config.example.yaml")

    code = main(["build", "--offline", "--config", example, "--output", "site", "--state", "known"])

    assert code == 0
    assert b"Harbour Notes" in files(folder / "site")["index.html"]


def test_a_site_depends_on_no_zone_of_its_host_and_on_no_chance(folder: Path) -> None:
    write_config(folder, *map(str, sorted(DEMO.iterdir())), link="https://planet.example/")

    for number, (zone, seed) in enumerate((("UTC", "1"), ("Asia/Tokyo", "2"))):
        words = f"-m planet build --offline --output site{number} --state known".split(" ")
        done = python(*words, folder=folder, TZ=zone, PYTHONHASHSEED=seed)
        assert done.returncode == 0, done.stderr

    site = files(folder / "site0")
    assert len([path for path in site if path.endswith("xml")]) >= 19
    assert files(folder / "site1") == site


def test_a_killed_run_has_lost_nothing_and_the_next_asks_nobody_again(folder: Path) -> None:
    names = [f"f{number}" for number in range(8)]
    with Server(*(f"127.0.0.{number + 1}" for number in range(8))) as server:
        processes: list[subprocess.Popen[bytes]] = []

        def kill(_: Request) -> Response:
            processes[0].send_signal(signal.SIGKILL)
            return Response(status=500)

        urls = []
        for number, name in enumerate(names):
            server.feed(f"/{name}", rss(name, name=name.title()), etag='"1"')
            urls.append(server.url(f"/{name}", f"127.0.0.{number + 1}"))
        server.answer(f"/{names[5]}", kill)
        write_config(folder, *urls, fetch={"host_gap": "0s", "workers": 1})
        command = [sys.executable, "-m", "planet", "build", "-q"]
        processes.append(subprocess.Popen(command, cwd=folder, env=environ()))
        processes[0].wait(timeout=PATIENCE)
        asked_before = {request.path for request in server.requests}

        code = main(["build", "-q"])

    asked = server.paths
    page = files(folder / "public")["index.html"].decode()
    assert f"/{names[5]}" in asked_before
    assert sorted(asked) == sorted(f"/{name}" for name in names)
    assert code == 0
    assert [name for name in names if f"All about {name}." in page] == [
        name for name in names if name != names[5]
    ]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk is always full here")
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_full_disk_below_what_is_printed_is_no_bug(stream: str, folder: Path) -> None:
    write_config(folder, "mine.xml", titel="A mistake")
    command = "schema" if stream == "stdout" else "check"

    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "planet", command],
            cwd=folder,
            env=environ(),
            text=True,
            timeout=PATIENCE,
            check=False,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: full},  # type: ignore[call-overload]
        )

    told = (
        "Error: [Errno 28] No space left on device\n"
        "Make room on its disk, and run again: nothing is lost."
    )
    assert done.returncode == 5
    assert (done.stdout, done.stderr) == ((None, f"{told}\n") if stream == "stdout" else ("", None))


@pytest.mark.parametrize(
    ("words", "completed"), [("planet bu", "build"), ("planet build --dr", "--dry-run")]
)
def test_the_tab_key_completes_as_told(words: str, completed: str, folder: Path) -> None:
    told = call("--help").out
    page = (CHECKOUT / "docs/commands.md").read_text(encoding="utf-8")

    done = python(
        "-m",
        "planet",
        folder=folder,
        _PLANET_COMPLETE="bash_complete",
        COMP_WORDS=words,
        COMP_CWORD=str(len(words.split()) - 1),
    )

    line = 'eval "$(_PLANET_COMPLETE=bash_source planet)"'
    assert done.stdout == f"plain,{completed}\n"
    assert line in " ".join(told.split())
    assert f"`{line}`" in page
