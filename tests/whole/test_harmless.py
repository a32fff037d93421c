"""Whatever feeds, servers and lists say, no line that is printed is a command to a runner."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from planet.cli import main
from tests.server import Response, Server

SAID = "::error::hit"
LONG = "".join(f"{'w' * width}{SAID}" for width in range(40))
"""Wherever a table is cut into lines of some width, one of them begins with the colons."""
HOSTILE = (
    SAID,
    f"\r{SAID}",
    f"a\n{SAID}",
    f"a\u2028\u0085{SAID}",
    f"\u200b\ufeff {SAID}",
    f":{SAID}",
    "##[error]hit",
    "##vso[task.complete]hit",
    "#\u200b#[error]hit",
    LONG,
    "w " * 30 + SAID,
)


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
    page = publisher.feed("/page", f"<!doctype html><title>{SAID}</title>".encode())
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


PATHS = {"feed": "0", "page": "page", "gone": "gone"}


@pytest.mark.parametrize(
    "call",
    [
        "build -v --force",
        "build --force --json",
        "build --dry-run",
        "build --dry-run --json",
        "fetch -v --force",
        "render -v",
        "check",
        "check --online",
        "check --online --json",
        "status",
        "status --json",
        "preview {feed}",
        "preview {feed} --json",
        "episodes",
        "episodes --json",
        "peek {feed}",
        "why hit",
        "why https://one.example/1",
        "why ::error::hit",
        "pick https://one.example/1.mp3",
        "retry {gone}",
        "export",
        "remove {feed}",
        "add {page}",
        "import list.opml",
        "purge",
    ],
)
def test_no_printed_line_is_a_command(
    planet: Path, publisher: Server, capfd: pytest.CaptureFixture[str], call: str
) -> None:
    named = f"<outline text='{SAID}' xmlUrl='x:&#10;{SAID}'/>"
    (planet / "list.opml").write_text(f"<opml version='2.0'><body>{named}</body></opml>")
    urls = {name: publisher.url(f"/{path}") for name, path in PATHS.items()}

    main([word.format(**urls) for word in call.split()])

    out, err = capfd.readouterr()
    assert out + err
    assert commands(out + err) == []


def test_a_key_of_the_config_is_no_command_either(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(f'title: x\nfeeds: [https://one.example/]\n"a\\n{SAID}\\r{SAID}": 1\n')

    code = main(["check", "--config", str(config)])

    err = capsys.readouterr().err
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
