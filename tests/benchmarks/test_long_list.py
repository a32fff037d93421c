"""What commands cost that read a config of a hundred thousand feeds, none of which is known yet.

Prints a table: CPU seconds and the most memory, of each command by itself. Run it by hand: it takes
minutes. Nobody is asked.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

FEEDS = 100_000
MEASURE = Path(__file__).with_name("measure.py")


def test_a_hundred_thousand_feeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forms = (
        "  - https://host{host}.example/{number}.xml\n",
        "  - {{url: https://host{host}.example/{number}.xml, name: Blog {number}, tags: [a, b]}}\n",
        "  - url: https://host{host}.example/{number}.xml\n    filters: {{recent: 5}}\n",
    )
    feeds = "".join(
        forms[number % 3].format(host=number % 40_000, number=number) for number in range(FEEDS)
    )
    (tmp_path / "config.yaml").write_text(f"title: Long\nfeeds:\n{feeds}", encoding="utf-8")
    # With it, the checked config is kept from the first run on.
    (tmp_path / "state").mkdir()

    for command in (
        *("check", "status", "status --json", "build --dry-run"),
        *("build --offline", "status", "build --dry-run", "build --offline"),
    ):
        arguments = [sys.executable, "-m", "planet", *command.split()]
        measured = subprocess.run(
            [sys.executable, MEASURE, tmp_path / "out", *arguments],
            cwd=tmp_path,
            check=True,
            stdout=subprocess.PIPE,
        )
        costs = json.loads(measured.stdout)
        with capsys.disabled():
            print(f"{command:16} {costs['cpu']:6.1f} s {costs['memory']:6.0f} MB")
        assert costs["code"] in (0, 4)
