"""A whole run among servers of which some mean ill: how long it takes, and how much memory.

Run by hand with `pytest tests/benchmarks/test_chaos.py`; it prints what it measured.

PLANET_CHAOS_FEEDS (500), PLANET_CHAOS_BAD (20 of each kind) and PLANET_CHAOS_TIMEOUT (60 s) set its
size. Linux only, as the other benchmarks.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.benchmarks.test_thousand_feeds import measure

FEEDS = int(os.environ.get("PLANET_CHAOS_FEEDS", "500"))
BAD = int(os.environ.get("PLANET_CHAOS_BAD", "20"))
TIMEOUT = int(os.environ.get("PLANET_CHAOS_TIMEOUT", "60"))
MARGIN = 10
"""Seconds that a run may take longer than the time limit of a feed."""
MEMORY = 250
"""Megabytes that all processes of a run may take together."""
EXPECTED = {
    "hang": {"timeout": BAD},
    "drip": {"timeout": BAD},
    "endless": {"too_large": BAD},
    "bomb": {"too_large": BAD},
    "good": {"new": FEEDS - 4 * BAD},
}
CHECKOUT = Path(__file__).parents[2]


@contextmanager
def mischief() -> Iterator[dict[str, list[str]]]:
    """The addresses of the feeds, by the kind of their server; see `mischief.py`."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.mischief", str(FEEDS), str(BAD)],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())


def test_a_run_outlives_servers_that_mean_ill(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.yaml"
    with mischief() as addresses:
        kinds = {url: kind for kind, urls in addresses.items() for url in urls}
        settings = {"title": "Chaos", "fetch": {"timeout": f"{TIMEOUT}s"}, "feeds": list(kinds)}
        config.write_text(json.dumps(settings), encoding="utf-8")

        figures = measure(tmp_path, ["-m", "planet", "build", "--config", str(config), "--json"])

    output = (tmp_path / "output.txt").read_text(encoding="utf-8")
    outcomes: dict[str, Counter[str]] = {kind: Counter() for kind in addresses}
    for outcome in json.loads(output)["outcomes"]:
        outcomes[kinds[outcome["feed"]]][outcome.get("error", outcome["outcome"])] += 1
    with capsys.disabled():
        print(f"\n{FEEDS} feeds, {BAD} bad ones of each kind, {TIMEOUT} s for each")
        print(
            f"wall {figures['wall']:.1f} s, CPU {figures['cpu']:.1f} s, {figures['memory']:.0f} MB"
        )
        for kind, counted in outcomes.items():
            print(f"{kind:8}{dict(counted)}")
    assert outcomes == EXPECTED
    assert figures["wall"] < TIMEOUT + MARGIN
    assert figures["memory"] < MEMORY
