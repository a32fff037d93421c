"""What feeds, servers and lists say, on its way past people.

It does nothing to a terminal, to the runner of a workflow, or to a file system.
"""

import json
import re
import shutil
import sqlite3
import unicodedata
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from planet.cli import main
from planet.errors import StateError
from tests.server import Response, Server
from tests.whole.conftest import Planet, call, rss

SAID = "::error::hit"
LONG = "".join(f"{'w' * width}{SAID}" for width in range(40))
"""Wherever a table is cut into lines of some width, one of them begins with the colons."""
HOSTILE = (
    *(SAID, f"\r{SAID}", f"a\n{SAID}", f"a\u2028\u0085{SAID}", f"\u200b\ufeff {SAID}", f":{SAID}"),
    *("##[error]hit", "##vso[task.complete]hit", "#\u200b#[error]hit", LONG, "w " * 30 + SAID),
)

WORDS = (
    "\x1b[2J\x1b]0;owned\x07\x9b31mred",
    "one\r\ntwo\n::error::three\n##[error]four",
    "::set-output name=x::y",
    "\u202egnp.exe \u2066isolated\ufeff",
    "[red]markup[/red] [link=https://evil.example/]x[/link]",
    "../../../etc/passwd\\..\\con",
    "a\u0300\ud800b\ufffe\x00c",
)
"""What cannot stand in XML, and can in JSON."""
# What moves a cursor, turns text around, or is not there to be seen.
_ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
TITLES = {"0": f"{SAID} ##[error]hit ##vso[x]hit", "1": LONG}


def feed(name: str) -> bytes:
    """A feed that says it in each place that has words, with episodes."""
    items = "".join(
        f"<item><title><![CDATA[{said}]]></title><guid>{number}</guid>"
        f"<link>https://one.example/{number}?{name}</link>"
        f"<category><![CDATA[{said}]]></category><author><![CDATA[{said}]]></author>"
        f"<description><![CDATA[{said}]]></description>"
        f"<enclosure url='https://one.example/{number}.mp3' type='audio/mpeg' length='1'/></item>"
        for number, said in enumerate(HOSTILE)
    )
    return (
        f"<rss version='2.0'><channel><title><![CDATA[{TITLES[name]}]]></title>"
        f"<description><![CDATA[{SAID}]]></description>"
        f"<link>https://one.example/</link>{items}</channel></rss>"
    ).encode("utf-8", "surrogatepass")


def words(words: str) -> bytes:
    """A feed whose every member is these words."""
    item = {"id": words, "title": words, "content_text": words, "tags": [words]}
    said = {"title": words, "description": words, "items": [item]}
    return json.dumps({"version": "https://jsonfeed.org/version/1.1", **said}).encode()


def acting(printed: str) -> set[str]:
    """The characters that do something where they are printed."""
    return {sign for sign in printed if sign != "\n" and unicodedata.category(sign) in _ACTING}


def commands(printed: str) -> list[str]:
    """The lines that a runner would take for commands."""
    # It cuts at CR as well, and looks behind blanks.
    lines = re.split("\r\n|\r|\n", printed)
    armed = re.compile(r"\s*::|.*##(vso)?\[")
    return [line for line in lines if armed.match(line)]


@pytest.fixture(scope="module")
def publisher() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.fixture(scope="module")
def built(publisher: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A planet of feeds that say it, after a run."""
    folder = tmp_path_factory.mktemp("hostile")
    feeds = [publisher.feed(f"/{name}", feed(name)) for name in TITLES]
    feeds += [publisher.feed(f"/w{number}", words(said)) for number, said in enumerate(WORDS)]
    publisher.feed("/new", words("".join(WORDS)))
    title = "".join((SAID, *WORDS))
    page = publisher.feed("/page", f"<!doctype html><title>{title}".encode(errors="replace"))
    gone = publisher.script("/gone", Response(status=410, body=SAID.encode()))
    opml = f"<opml version='2.0'><body><outline text='{SAID}'/></body></opml>".encode()
    config = {
        "title": "A planet",
        "fetch": {"host_gap": "0s"},
        "new_feed_entries": "all",
        "filters": {"exclude": "w:"},
        "feeds": [*feeds, page, gone],
        "subscriptions": [publisher.feed("/list", opml)],
    }
    (folder / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    assert main(["build", "-q", "--config", str(folder / "config.yaml")]) == 0
    return folder


@pytest.fixture
def planet(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same for each test."""
    folder = tmp_path / "planet"
    shutil.copytree(built, folder)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("PLANET_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "80")
    return folder


PATHS = {"feed": "0", "words": "w1", "page": "page", "gone": "gone", "new": "new"}


TO_THE_LETTER = ("preview {feed} --json",)


@pytest.mark.parametrize(
    "command",
    [
        *("build -v --force", "build --force --json"),
        *("fetch -v --force", "render -v", "check", "check --online"),
        *("status", "status --json", "preview {feed}", "preview {feed} --json", "preview {words}"),
        *("episodes", "peek {feed} {words}", "why hit", "why set-output"),
        *("why https://one.example/1", "why ::error::hit", "pick https://one.example/1.mp3"),
        *("retry {gone}", "export", "remove {feed}", "add {page}", "add {new}"),
        "import list.opml",
    ],
)
def test_nothing_that_a_command_prints_acts_on_a_terminal_or_a_runner(
    planet: Path, publisher: Server, capfd: pytest.CaptureFixture[str], command: str
) -> None:
    named = f"<outline text='{SAID}' xmlUrl='x:&#10;{SAID}'/>"
    (planet / "list.opml").write_text(f"<opml version='2.0'><body>{named}</body></opml>")
    urls = {name: publisher.url(f"/{path}") for name, path in PATHS.items()}

    main([word.format(**urls) for word in command.split()])

    out, err = capfd.readouterr()
    assert out + err
    assert commands(out + err) == []
    # What machines read has the words of entries to the letter.
    assert acting(out + err) <= ({"\u200b"} if command in TO_THE_LETTER else set())


def test_what_feeds_say_is_in_no_name_of_a_file(planet: Path) -> None:
    names = {path.name for path in (planet / "public").rglob("*")}

    assert any(name.endswith("-w6") for name in names)
    # Style sheets and scripts have a hash of their content in their name.
    assert all(re.fullmatch(r"[._]?[a-z0-9-]+(\.[0-9a-f]+)?(\.[a-z]+)?", name) for name in names)


def test_a_key_of_the_config_is_no_command_either(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(f'title: x\nfeeds: [https://one.example/]\n"a\\n{SAID}\\r{SAID}": 1\n')

    code, _, err = call("check", "--config", str(config))

    assert code == 2
    assert "hit" in err
    assert commands(err) == []


def test_no_line_of_a_table_is_a_command_however_narrow_it_is(
    planet: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for columns in range(50, 90):
        monkeypatch.setenv("COLUMNS", str(columns))
        main(["status"])

    out = capfd.readouterr().out
    assert "hitwww" in out
    assert commands(out) == []


# A state that somebody has changed: it is told in words, whatever stands there


def columns(planet: Planet) -> list[tuple[str, str]]:
    """The columns of all tables that have a row, and their tables."""
    with closing(sqlite3.connect(planet.folder / "state/planet.sqlite")) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master")]
        rows = {
            table: db.execute(f"SELECT * FROM {table} LIMIT 1")
            for table in tables
            if not table.startswith(("sqlite_", "entry_"))
        }
        return [
            (table, name)
            for table, cursor in rows.items()
            if cursor.fetchone()
            for name, *_ in cursor.description
        ]


def test_a_value_of_a_wrong_kind_is_a_fault_of_the_state_or_does_no_harm(
    a_planet: Planet, server: Server
) -> None:
    a_planet.settings |= {"digest": {"every": "day"}, "editions": {"calm": {"release": {}}}}
    a_planet.subscribe(server.feed("/one", rss("b", "a")))
    a_planet.build()
    a_planet.later(days=1).build()
    state, was = a_planet.folder / "state", a_planet.folder / "was"
    shutil.copytree(state, was)
    refused = set()

    for table, column in columns(a_planet):
        shutil.rmtree(state)
        shutil.copytree(was, state)
        with closing(sqlite3.connect(state / "planet.sqlite")) as db, db:
            with suppress(sqlite3.IntegrityError):  # a number of a row is one
                db.execute(f"UPDATE OR IGNORE {table} SET {column} = x'ff00'")
            if table != "site":  # as for a site that is made anew from all there is
                db.execute("DELETE FROM site")
        try:
            a_planet.build(offline=True)
        except StateError as error:
            assert "planet.sqlite cannot be used: " in str(error)  # noqa: PT017 - either is right
            refused.add(table)

    assert refused >= {"feed", "entry", "site"}
