"""A program of the operator's, asked for entries."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import planet.transform
from planet.transform import TransformError, ask
from tests.cases import case, cases
from tests.patience import PATIENCE
from tests.threads import allow


def script(folder: Path, body: str, name: str = "program") -> str:
    path = folder / name
    path.write_text(f"#!{sys.executable} -I\nimport json, os, sys\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return f"./{name}"


SHORT = {"seconds": 0.5}


@cases(
    "body, limits, words",
    case("never ends", "import time; time.sleep(99)", SHORT, "takes longer"),
    case("does not end, nor what it started", "os.system('sleep 99')", SHORT, "takes longer"),
    case("never stops", "while 1: print('x' * 9999)", {"largest": 1024**2}, "more than 1 MiB"),
)
def test_a_program_past_its_limits_is_killed(
    tmp_path: Path, body: str, limits: dict[str, Any], words: str
) -> None:
    program = script(tmp_path, body)

    with pytest.raises(TransformError, match=words):
        ask([program], [b"{}"] * 3, folder=tmp_path, **{"seconds": PATIENCE, **limits})


@pytest.mark.parametrize("number", [0, 2])
def test_a_program_for_which_there_are_too_few_threads_is_a_failure(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = script(tmp_path, "sys.stdout.write(sys.stdin.read())")
    allow(number, planet.transform, monkeypatch)

    with pytest.raises(TransformError, match="cannot be started: the system allows no more"):
        ask([program], [b"{}"], folder=tmp_path, seconds=PATIENCE)


def test_a_program_that_reads_nothing_and_one_that_answers_late_are_heard(tmp_path: Path) -> None:
    lines = [json.dumps("x" * 200_000).encode()] * 9
    deaf = script(tmp_path, "print('null\\n' * 9, end='')", "deaf")
    late = script(tmp_path, "sys.stdout.write(sys.stdin.read())", "late")

    answers = [ask([name], lines, folder=tmp_path, seconds=PATIENCE) for name in (deaf, late)]

    assert answers == [[b"null"] * 9, lines]
