"""A run may be killed at any moment: nothing is lost, and nobody is asked again too soon.

`tests/benchmarks/test_kills.py` does the same two hundred times.
"""

from pathlib import Path

from tests.whole.killing import trials


def test_a_run_may_be_killed_at_any_moment_and_three_times_in_a_row(tmp_path: Path) -> None:
    tried = trials(tmp_path, kills=6, rows=[1, 2, 3])

    assert [trial for trial in tried if trial.faults] == []
