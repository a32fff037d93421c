"""A program of the operator's, asked for entries."""

import json
import sys
from pathlib import Path

import pytest

from planet.transform import TransformError, ask
from tests.cases import case, cases
from tests.patience import PATIENCE


def script(folder: Path, body: str, name: str = "program") -> str:
    path = folder / name
    path.write_text(f"#!{sys.executable} -I\nimport json, os, sys\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return f"./{name}"


@cases(
    "body",
    case("never ends", "import time; time.sleep(99)"),
    case("does not end, nor what it started", "os.system('sleep 99')"),
)
def test_a_program_that_takes_too_long_is_killed(tmp_path: Path, body: str) -> None:
    program = script(tmp_path, body)

    with pytest.raises(TransformError, match=r"takes longer than 0\.5 seconds and was ended"):
        ask([program], [b"{}"] * 3, folder=tmp_path, seconds=0.5)


def test_a_program_that_reads_nothing_and_one_that_answers_late_are_heard(tmp_path: Path) -> None:
    lines = [json.dumps("x" * 200_000).encode()] * 9
    deaf = script(tmp_path, "print('null\\n' * 9, end='')", "deaf")
    late = script(tmp_path, "sys.stdout.write(sys.stdin.read())", "late")

    answers = [ask([name], lines, folder=tmp_path, seconds=PATIENCE) for name in (deaf, late)]

    assert answers == [[b"null"] * 9, lines]
