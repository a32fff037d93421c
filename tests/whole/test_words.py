"""What feeds say, on its way past people: it does nothing to a terminal, a log or a file system."""

import json
import re
import unicodedata
from pathlib import Path

import pytest

from planet.cli import main
from tests.cases import case, cases

WORDS = [
    "\x1b[2J\x1b]0;owned\x07\x9b31mred",
    "one\r\ntwo\n::error::three\n##[error]four",
    "::set-output name=x::y",
    "\u202egnp.exe \u2066isolated\ufeff",
    "[red]markup[/red] [link=https://evil.example/]x[/link]",
    "../../../etc/passwd\\..\\con",
    "a\u0300\ud800b\ufffe\x00c",
]
# What moves a cursor, turns text around, or is not there to be seen.
_ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_COMMAND = re.compile(r"^::|##\[", re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A planet whose feeds say such words everywhere, and some that cannot be read.

    The commands are called in its folder.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLANET_CONFIG", raising=False)
    feeds = []
    for place, words in enumerate(WORDS):
        feed = {
            "version": "https://jsonfeed.org/version/1.1",
            "title": words,
            "description": words,
            "items": [{"id": words, "title": words, "content_text": words, "tags": [words]}],
        }
        (tmp_path / f"good-{place}.json").write_text(json.dumps(feed), encoding="utf-8")
        page = f"<!doctype html><title>{words}</title>".encode("utf-8", "replace")
        (tmp_path / f"bad-{place}.xml").write_bytes(page)
        feeds += [f"good-{place}.json", f"bad-{place}.xml"]
    config = {"title": "A planet", "feeds": feeds}
    (tmp_path / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    return tmp_path


def acting(text: str) -> list[str]:
    """The characters and commands in it that do something where they are printed."""
    found = [each for each in text if each != "\n" and unicodedata.category(each) in _ACTING]
    return [*found, *_COMMAND.findall(text)]


@cases(
    "arguments",
    case("build", "build --verbose"),
    case("build as JSON", "build --json"),
    case("status", "status"),
    case("status as JSON", "status --json"),
)
def test_what_feeds_say_does_nothing_where_it_is_printed_by(
    arguments: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if arguments.startswith("status"):
        main(["build"])
        capsys.readouterr()

    main(arguments.split())

    out, err = capsys.readouterr()
    assert "set-output" in out + err
    assert (acting(out), acting(err)) == ([], [])


def test_what_feeds_say_is_in_no_name_of_a_file(folder: Path) -> None:
    main(["build"])

    names = {path.name for path in (folder / "public").rglob("*")}
    assert "good-5" in names
    assert {
        name for name in names if not re.fullmatch(r"[._]?[a-z0-9-]+(\.[a-z]+)?", name)
    } == set()
