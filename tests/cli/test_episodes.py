"""What a form says of an episode to pick."""

from pathlib import Path

import pytest

from planet.cli.options import read_fields
from planet.errors import UsageError
from tests.cases import case, cases
from tests.whole.conftest import call, write_config


def body(*, episode: str, note: str = "_No response_") -> str:
    """The text of an issue, as GitHub writes it."""
    return f"### Episode\n\n{episode}\n\n### Note\n\n{note}"


def read_form(path: Path) -> list[str]:
    return read_fields(path, "Pick an episode", ("Episode", "Note"))


@cases(
    "said, expected",
    case("nothing but the episode", body(episode="a1"), ["a1", ""]),
    case(
        "line ends of Windows",
        body(episode="a1", note="One\n\nTwo").replace("\n", "\r\n"),
        ["a1", "One\n\nTwo"],
    ),
    case(
        "a form in the note",
        body(episode="a1", note=body(episode="b2", note="mine")),
        ["a1", body(episode="b2", note="mine")],
    ),
)
def test_a_form_says_what_was_filled_in(tmp_path: Path, said: str, expected: list[str]) -> None:
    path = tmp_path / "form.md"
    path.write_bytes(said.encode())

    assert read_form(path) == expected


@cases(
    "said, words",
    case("no text", b"\xff\xfe", "not what the form"),
    case("words before it", b"Hello\n" + body(episode="a1").encode(), "not what"),
    case("no file", None, "cannot be read"),
)
def test_what_is_no_form_is_refused(tmp_path: Path, said: bytes | None, words: str) -> None:
    path = tmp_path / "form.md"
    if said is not None:
        path.write_bytes(said)

    with pytest.raises(UsageError, match=words):
        read_form(path)


@cases(
    "more, words",
    case("episodes as well", ["--form", "form.md", "a1b2c3d4e5"], "say no more"),
    case("a note as well", ["--form", "form.md", "--note", "Hear!"], "say no more"),
    case("nothing", [], "say what to pick"),
)
def test_what_to_pick_is_said_once(folder: Path, more: list[str], words: str) -> None:
    write_config(folder, "https://one.example/feed")

    code, _, err = call("pick", *more)

    assert code == 2
    assert words in err
