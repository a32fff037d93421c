"""The commands, as their users call them."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

import planet
from planet.cli import main
from planet.errors import OutputError
from planet.store import Store
from tests.cases import case, cases
from tests.patience import PATIENCE
from tests.processes import environ, files, python
from tests.server import Request, Response, Server
from tests.whole.conftest import CHECKOUT, DEMO, call, rss, write_config


def test_help_groups_the_commands_and_each_says_how_it_is_called() -> None:
    code, out, _ = call("--help")

    groups = re.findall(r"^([A-Z][a-z ]+):\n((?:  .*\n)+)", out, re.MULTILINE)
    said = {title: [line.split()[0] for line in lines.splitlines()] for title, lines in groups}
    assert code == 0
    assert said == {
        "Options": ["--version", "-h,"],
        "Every day": ["build", "fetch", "status", "why", "check", "serve"],
        "Looking after feeds": [*("add", "remove", "import", "export", "peek", "preview", "retry")],
        "Episodes": ["episodes", "pick", "unpick"],
        "Publishing": ["render", "digest"],
        "Rarely": ["init", "demo"],
    }
    for name in (name for title, names in said.items() if title != "Options" for name in names):
        assert f"Usage: planet {name} " in call(name, "--help").out


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


def test_the_demo_keeps_a_server_on_its_site_until_it_is_interrupted(folder: Path) -> None:
    command = [sys.executable, "-m", "planet", "demo", "-q", "--serve"]
    with subprocess.Popen(
        command, cwd=folder, env=environ(), stderr=subprocess.PIPE, text=True
    ) as process:
        line = process.stderr.readline() if process.stderr else ""
        try:
            (address,) = re.findall(r"http://127\.0\.0\.1:\d+/", line)
            page = urlopen(address, timeout=PATIENCE).read()
        finally:
            process.send_signal(signal.SIGINT)

    assert b"Planet Wrenhaven" in page
    assert process.returncode == 130


def test_a_dry_run_says_what_it_would_do_and_writes_nothing(folder: Path, server: Server) -> None:
    one, opml = server.feed("/one", rss("a")), server.feed("/list", b"<opml/>")
    write_config(folder, one, subscriptions=[opml])

    code, said, _ = call("build", "--dry-run")
    plan = json.loads(call("build", "--dry-run", "--json").out)
    asked, left = server.paths, files(folder).keys()
    main(["build", "-q"])
    nothing = call("build", "--dry-run")
    (folder / "config.yaml").write_text('{"title": "A planet", "feeds": ["mine.xml"]}')
    before = files(folder)
    with Store.open(folder / "state"):  # another run goes on
        after = call("build", "--dry-run", "--offline").out

    assert (code, asked, [*left]) == (0, [], ["config.yaml"])
    assert plan["ask"] == [one, opml]
    assert f"would ask {one}" in said
    assert "would make index.html" in said
    assert nothing == (0, "nothing is due, and the site is up to date\n", "")
    assert "would delete source/" in after
    assert files(folder) == before


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
    case("a mistyped command", ["buidl"], 2, "is no command 'buidl'; did you mean \"build\"?\n"),
    case("no such command", ["zzz"], 2, "there is no command 'zzz'\n"),
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
    assert (said["failed"], said["new_entries"]) == (1, 1)
    assert [each.get("error_kind") for each in said["outcomes"] if each["url"] == ill] == [
        "http_503"
    ]
    assert "2 of 2 feeds looked at, 1 with news, 0 unchanged, 1 failed, 1 new entry" in err


def test_fetch_and_render_are_the_halves_of_build(folder: Path, server: Server) -> None:
    write_config(folder, server.feed("/one", rss("a"), etag='"1"'))

    fetched = main(["fetch", "-q"])
    no_site = not (folder / "public").exists()
    rendered = main(["render", "-q"])

    assert (fetched, no_site, rendered) == (0, True, 0)
    assert b"All about a." in files(folder / "public")["index.html"]
    assert len(server.requests) == 1


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


def test_a_terminal_without_the_letters_of_a_name_ends_no_run(folder: Path) -> None:
    write_config(folder, {"url": "https://one.example/feed", "name": "Größe 世界"})

    done = python("-m", "planet", "status", folder=folder, PYTHONIOENCODING="ascii")

    assert (done.returncode, "Gr" in done.stdout) == (0, True)


def test_init_writes_a_config_that_is_right_and_never_over_another(folder: Path) -> None:
    assert main(["init"]) == 0
    assert call("check").err == (
        'config.yaml:17:7  there is nothing to read; put the address of a feed under "feeds"\n'
    )
    code, _, err = call("init")

    assert (code, "there already; --force writes over:" in err) == (2, True)
    assert main(["init", "--force"]) == 0


def a_link(output: Path) -> None:
    (output.parent.parent / "www").mkdir()
    output.parent.mkdir()
    output.symlink_to(output.parent.parent / "www")


def test_where_a_site_cannot_be_written_nobody_is_asked(folder: Path, server: Server) -> None:
    feed, listed = server.feed("/one", rss("a")), server.feed("/list", b"<opml/>")
    (folder / "config.yaml").write_text(
        f"title: A planet\nfeeds: [{feed}]\nsubscriptions: [{listed}]\n"
        "editions: {all: {folder: all}}\n"
    )
    a_link(folder / "public/all")

    code, _, err = call("build")
    with pytest.raises(OutputError) as refused:
        planet.Planet.from_config("config.yaml").build()

    link = Path("public/all")
    words = f"the site cannot be written: {link} is a link, which may lead out of the output folder"
    assert code == refused.value.exit_code == 5
    assert words in err
    assert words in str(refused.value)
    assert server.requests == []


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
    # Those that it had not asked yet wait for an hour, too.
    assert sorted(asked) == sorted(f"/{name}" for name in names[:6])
    assert code == 0
    assert [name for name in names if f"All about {name}." in page] == [*names[:5]]


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
