"""What whole runs cost, beside a plain script on the same feeds in the same session.

Run by hand with `pytest tests/benchmarks`; it takes minutes and prints a table. Nothing here fails
because of a time: only when a program did not ask what it had to.

PLANET_BENCHMARK_FEEDS (1000) and PLANET_BENCHMARK_RUNS (3) set its size. Linux only: every feed has
a host of its own in 127.0.0.0/8, and memory is read from /proc.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import pytest

import planet

FEEDS = int(os.environ.get("PLANET_BENCHMARK_FEEDS", "1000"))
RUNS = int(os.environ.get("PLANET_BENCHMARK_RUNS", "3"))
CHANGED = FEEDS // 10
EXPECTED = {
    "cold": {"200": FEEDS},
    "all 304": {"304": FEEDS},
    "10 % changed": {"200": CHANGED, "304": FEEDS - CHANGED},
}
"""The answers each program must have got, by scenario, in the order they are run."""
CHECKOUT = Path(__file__).parents[2]
HERE = Path(__file__).parent

Figures = dict[str, float]


class Publisher:
    """The process that answers for all feeds; see `publisher.py`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.addresses: list[str] = self._read()

    def tell(self, words: str) -> dict[str, int]:
        """Give it a command and take its answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{words}\n")
        self._process.stdin.flush()
        answer: dict[str, int] = self._read()
        return answer

    def _read(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


@contextmanager
def publishing(count: int) -> Iterator[Publisher]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.publisher", str(count)],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Publisher(process)


def planet_command(folder: Path, addresses: list[str]) -> list[str]:
    config = folder / "config.yaml"
    fetch = {"min_interval": "0s", "max_interval": "1s", "host_gap": "0s", "agreed": True}
    settings = {"title": "A thousand feeds", "fetch": fetch, "feeds": addresses}
    config.write_text(json.dumps(settings), encoding="utf-8")
    return ["-m", "planet", "build", "--config", str(config), "--json"]


def plain_command(folder: Path, addresses: list[str]) -> list[str]:
    listed = folder / "addresses.txt"
    listed.write_text("\n".join(addresses), encoding="utf-8")
    return [str(HERE / "plain_script.py"), str(listed), str(folder)]


def measure(folder: Path, command: list[str]) -> Figures:
    output = folder / "output.txt"
    # The planet that the tests import, whether it is installed or not.
    environment = {**os.environ, "PYTHONPATH": str(Path(planet.__file__).parents[1])}
    # What is installed is compiled; a checkout is to be after its first run.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, HERE / "measure.py", output, sys.executable, *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    figures: Figures = json.loads(done.stdout)
    assert figures["code"] == 0, output.read_text(encoding="utf-8")
    return figures


def table(all_figures: dict[tuple[str, str], list[Figures]]) -> Iterator[str]:
    yield f"\n{FEEDS} feeds, medians of {RUNS} runs"
    yield f"{'':14}{'':8}{'CPU s':>8}{'wall s':>8}{'MB':>8}{'CPU ms/feed':>13}"
    medians = {
        key: {name: median(each[name] for each in figures) for name in figures[0]}
        for key, figures in all_figures.items()
    }
    for scenario in EXPECTED:
        ours, plain = medians["planet", scenario], medians["plain", scenario]
        for program, row in (("planet", ours), ("plain", plain)):
            per_feed = row["cpu"] / FEEDS * 1000
            yield (
                f"{scenario:14}{program:8}{row['cpu']:8.2f}{row['wall']:8.2f}{row['memory']:8.0f}"
                f"{per_feed:13.2f}"
            )
        ratios = (ours[name] / plain[name] for name in ("cpu", "wall", "memory"))
        yield f"{'':14}{'ratio':8}" + "".join(f"{ratio:8.2f}" for ratio in ratios)


def test_whole_runs_beside_a_plain_script(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures: dict[tuple[str, str], list[Figures]] = {}

    with publishing(FEEDS) as publisher:
        for run in range(RUNS):
            commands = {}
            for program, command in (("planet", planet_command), ("plain", plain_command)):
                folder = tmp_path / f"{program}{run}"
                folder.mkdir()
                commands[program] = folder, command(folder, publisher.addresses)
            for scenario, expected in EXPECTED.items():
                if scenario == "10 % changed":
                    publisher.tell("change 10")
                for program, (folder, words) in commands.items():
                    figures.setdefault((program, scenario), []).append(measure(folder, words))
                    assert (program, publisher.tell("count")) == (program, expected)

    with capsys.disabled():
        print("\n".join(table(figures)))
