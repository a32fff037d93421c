"""What it costs to bring a large site to ten new entries, or to nothing new.

Run by hand with `pytest tests/benchmarks/test_hundred_thousand.py`; it takes minutes for a hundred
thousand entries, an hour for a million, and prints a table for each number. Nothing here fails
because of a time: only when the site is not the one that is made anew.

PLANET_BENCHMARK_ENTRIES ("100000 1000000"), PLANET_BENCHMARK_SOURCES (1000) and
PLANET_BENCHMARK_RUNS (3) set its size. CPU time says more than wall time on a machine that has
other things to do; so each figure stands beside a fixed loop, measured in the same run.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

import planet
from tests.benchmarks import archive

_ENTRIES = os.environ.get("PLANET_BENCHMARK_ENTRIES", "100000 1000000")
ENTRIES = [int(count) for count in _ENTRIES.split()]
SOURCES = int(os.environ.get("PLANET_BENCHMARK_SOURCES", "1000"))
RUNS = int(os.environ.get("PLANET_BENCHMARK_RUNS", "3"))
NEW = 10
CHECKOUT = Path(__file__).parents[2]
HERE = Path(__file__).parent

Figures = dict[str, float]


def started(folder: Path, *command: str | Path) -> Figures:
    """Run a Python program, and take the figures that it prints."""
    environment = {**os.environ, "PYTHONPATH": f"{Path(planet.__file__).parents[1]}:{CHECKOUT}"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, stdout=subprocess.PIPE, check=True
    )
    figures: Figures = json.loads(done.stdout)
    return figures


def render(folder: Path, config: Path) -> Figures:
    """What `planet render` costs as a whole."""
    command = [sys.executable, "-m", "planet", "render", "--config", str(config)]
    return started(folder, HERE / "measure.py", folder / "output.txt", *command)


def site(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def loop() -> float:
    begun = time.process_time()
    for _ in range(10_000_000):
        pass
    return time.process_time() - begun


def table(entries: int, all_figures: dict[str, list[Figures]]) -> Iterator[str]:
    unit = loop()
    yield f"\n{entries:,} entries of {SOURCES} sources, medians of {RUNS} runs"
    yield f"a loop of ten million steps takes {unit:.2f} s"
    yield f"{'':34}{'CPU s':>8}{'wall s':>8}{'MB':>6}{'/loop':>8}"
    costs = {
        what: {name: median(figure[name] for figure in figures) for name in _COLUMNS}
        for what, figures in all_figures.items()
    }
    new, nothing = costs["ten new entries"], costs["nothing new"]
    costs["ten over nothing"] = {name: new[name] - nothing[name] for name in _COLUMNS}
    for what, cost in costs.items():
        cpu, wall, memory = (cost[name] for name in _COLUMNS)
        yield f"{what:34}{cpu:8.2f}{wall:8.2f}{memory:6.0f}{cpu / unit:8.2f}"


_COLUMNS = ("cpu", "wall", "memory")


@pytest.mark.parametrize("entries", ENTRIES)
def test_a_large_site_and_ten_new_entries(
    entries: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = archive.write_config(tmp_path, SOURCES)
    archive.fill(tmp_path, SOURCES, entries)
    figures = {"everything": [render(tmp_path, config)]}

    for number in range(1, RUNS + 1):
        archive.add_new(tmp_path, SOURCES, NEW, number)
        figures.setdefault("ten new entries", []).append(render(tmp_path, config))
        figures.setdefault("nothing new", []).append(render(tmp_path, config))

    grown = site(tmp_path / "public")
    (tmp_path / "public").rename(tmp_path / "grown")
    render(tmp_path, config)
    assert site(tmp_path / "public") == grown
    with capsys.disabled():
        print("\n".join(table(entries, figures)))
