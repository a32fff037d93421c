"""What whole runs cost, beside a plain script and a bare session on the same feeds.

Run by hand with `pytest tests/benchmarks/test_thousand_feeds.py`; it takes minutes for a thousand
feeds, half an hour for ten thousand, and prints a table for each number. Nothing here fails because
of a time: only when a program did not ask what it had to.

PLANET_BENCHMARK_FEEDS ("1000 10000") and PLANET_BENCHMARK_RUNS (3) set its size. With the corpus of
recorded feeds, runs over these are measured as well.
PLANET_BENCHMARK_PYTHON names the Python of an environment as users have it, where `.` alone is
installed: requests-cache loads what it finds of all its back ends, which are there for the tests,
in each run. Linux only: every feed has a host of its own in 127.0.0.0/8, and memory is read from
/proc.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

import planet
from planet.store import Store
from tests.parse.corpus import CORPUS

FEEDS = [int(count) for count in os.environ.get("PLANET_BENCHMARK_FEEDS", "1000 10000").split()]
RUNS = int(os.environ.get("PLANET_BENCHMARK_RUNS", "3"))
PYTHON = os.environ.get("PLANET_BENCHMARK_PYTHON", sys.executable)
SHARE = 10
"""Of so many feeds one has a new entry in the end."""
CONFIGURED = 10_000
"""Feeds of a planet with many, of which none is due."""
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
def publishing(count: int, *recorded: Path) -> Iterator[Publisher]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.publisher", str(count), *recorded],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Publisher(process)


Command = Callable[[Path, list[str]], list[str]]


def planet_command(
    folder: Path, addresses: list[str], *, due: bool = True, **settings: Any
) -> list[str]:
    config = folder / "config.yaml"
    often = {"min_interval": "0s", "max_interval": "1s", "agreed": True} if due else {}
    settings |= {
        "title": "A thousand feeds",
        "fetch": {"host_gap": "0s", **often},
        "feeds": addresses,
    }
    config.write_text(json.dumps(settings), encoding="utf-8")
    return ["-m", "planet", "build", "--config", str(config), "--json"]


def script_command(script: str, folder: Path, addresses: list[str]) -> list[str]:
    listed = folder / "addresses.txt"
    listed.write_text("\n".join(addresses), encoding="utf-8")
    return [str(HERE / script), str(listed), str(folder)]


PROGRAMS: dict[str, Command] = {
    "planet, bleach": partial(planet_command, sanitizer="bleach"),
    "planet, nh3": partial(planet_command, sanitizer="nh3"),
    "plain script": partial(script_command, "plain_script.py"),
    "bare session": partial(script_command, "bare_session.py"),
}


def measure(folder: Path, command: list[str]) -> Figures:
    output = folder / "output.txt"
    # The planet that the tests import, whether it is installed or not.
    environment = {**os.environ, "PYTHONPATH": str(Path(planet.__file__).parents[1])}
    # What is installed is compiled; a checkout is to be after its first run.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, HERE / "measure.py", output, PYTHON, *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    figures: Figures = json.loads(done.stdout)
    assert figures["code"] == 0, output.read_text(encoding="utf-8")
    return figures


def nothing_due(folder: Path, address: str, count: int) -> list[str]:
    """The command of a planet whose feeds are as many, all just asked, and its site as it was."""
    command = planet_command(folder, [address], due=False)
    measure(folder, command)
    with Store.open(folder / "state") as store:
        (state,) = store.states().values()
        for number in range(1, count):
            copy = f"{address}?{number}"
            store.keep(replace(state, key=copy, url=copy))
    addresses = [address, *(f"{address}?{number}" for number in range(1, count))]
    command = planet_command(folder, addresses, due=False)
    measure(folder, command)
    return command


class Scenario(NamedTuple):
    name: str
    answers: dict[str, int]
    """What each program must have got, by status; empty: whatever it got."""
    is_empty: bool = False
    """Whether Planet's output folder is taken away before."""
    changes: bool = False
    """Whether one feed of `SHARE` gets a new entry before."""


def scenarios(feeds: int) -> list[Scenario]:
    """Return what is measured, in the order of the runs."""
    changed = feeds // SHARE
    some = {"200": changed, "304": feeds - changed}
    return [
        Scenario("first run", {"200": feeds}),
        Scenario("all 304", {"304": feeds}),
        Scenario("10 % changed", some, changes=True),
        Scenario("all 304, output empty", {"304": feeds}, is_empty=True),
        Scenario("10 % changed, output empty", some, is_empty=True, changes=True),
    ]


def table(feeds: int, all_figures: dict[tuple[str, str], list[Figures]]) -> Iterator[str]:
    others = [name for name in ("plain script", "bare session") if ("all 304", name) in all_figures]
    heads = ("CPU s", "wall s", "MB", "ms/feed", *(f"/{name.split()[0]}" for name in others))
    yield f"\n{feeds:,} feeds, medians of {RUNS} runs; CPU, and its ratios, of all processes"
    yield f"{'':28}{'':14}" + "".join(f"{head:>9}" for head in heads)
    medians = {
        key: {name: median(one[name] for one in figures) for name in figures[0]}
        for key, figures in all_figures.items()
    }
    for (scenario, program), row in medians.items():
        # Where the others have nothing to compare: what they take when nothing has changed.
        same = scenario if (scenario, "bare session") in medians else "all 304"
        figures = [row["cpu"], row["wall"], row["memory"], row["cpu"] / feeds * 1000]
        figures += [row["cpu"] / medians[same, other]["cpu"] for other in others]
        yield f"{scenario:28}{program:14}" + "".join(f"{figure:9.2f}" for figure in figures)


def play(
    scenario: Scenario,
    commands: dict[str, tuple[Path, list[str]]],
    publisher: Publisher,
    figures: dict[tuple[str, str], list[Figures]],
) -> None:
    """Run each program once, and add its figures."""
    for program, (folder, words) in commands.items():
        if scenario.is_empty:
            shutil.rmtree(folder / "public", ignore_errors=True)
        time.sleep(1)  # the longest that Planet waits here
        figures.setdefault((scenario.name, program), []).append(measure(folder, words))
        answers = publisher.tell("count")
        assert (program, answers) == (program, scenario.answers or answers)


@pytest.mark.parametrize("feeds", FEEDS)
def test_whole_runs_beside_a_plain_script(
    feeds: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures: dict[tuple[str, str], list[Figures]] = {}

    with publishing(feeds) as publisher:
        help_ = ["-m", "planet", "--help"]
        figures["planet --help", "planet"] = [measure(tmp_path, help_) for _ in range(RUNS)]
        for count in (1, CONFIGURED):
            folder = tmp_path / f"due{count}"
            folder.mkdir()
            command = nothing_due(folder, publisher.addresses[0], count)
            publisher.tell("count")
            row = f"nothing due of {count:,}", "planet"
            figures[row] = [measure(folder, command) for _ in range(RUNS)]
            assert publisher.tell("count") == {}
        for run in range(RUNS):
            commands = {}
            for number, (program, make) in enumerate(PROGRAMS.items()):
                folder = tmp_path / f"{number}-{run}"
                folder.mkdir()
                commands[program] = folder, make(folder, publisher.addresses)
            for scenario in scenarios(feeds):
                if scenario.changes:
                    publisher.tell(f"change {SHARE}")
                play(scenario, commands, publisher, figures)

    with capsys.disabled():
        print("\n".join(table(feeds, figures)))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_whole_runs_over_recorded_feeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded = tmp_path / "recorded"
    recorded.mkdir()
    with (CORPUS / "inventory.tsv").open(encoding="utf-8", newline="") as lines:
        rows = [*csv.DictReader(lines, delimiter="\t")]
    for number, row in enumerate(row for row in rows if row["captured_in_the_wild"] == "yes"):
        if row["kind"] == "feed":
            shutil.copy(CORPUS / row["path"], recorded / f"{number:04}")
    feeds = len([*recorded.iterdir()])
    programs = {name: make for name, make in PROGRAMS.items() if name != "plain script"}
    figures: dict[tuple[str, str], list[Figures]] = {}

    with publishing(feeds, recorded) as publisher:
        for run in range(RUNS):
            commands = {}
            for number, (program, make) in enumerate(programs.items()):
                folder = tmp_path / f"{number}-{run}"
                folder.mkdir()
                commands[program] = folder, make(folder, publisher.addresses)
            for scenario in scenarios(feeds):
                # Some say how often to ask, so Planet does not ask all of them again.
                if not scenario.changes:
                    play(scenario._replace(answers={}), commands, publisher, figures)

    with capsys.disabled():
        print("\n".join(table(feeds, figures)))
