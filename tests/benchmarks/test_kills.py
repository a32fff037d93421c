"""Two hundred runs, killed at moments that are spread over all they do.

Run by hand with `pytest -s tests/benchmarks/test_kills.py`; it takes some minutes, and prints how
far the runs had come. PLANET_KILLS (200) says how many. Half of them are first runs, half updates;
of both, about half are killed alone, and half in rows of five within the hour.
"""

import os
from collections import Counter
from pathlib import Path

from tests.benchmarks.killing import Phase, trials

KILLS = int(os.environ.get("PLANET_KILLS", "200"))


def test_runs_may_be_killed_at_any_moment(tmp_path: Path) -> None:
    tried = trials(tmp_path, kills=KILLS // 2, rows=[1, 1, 1, 1, 1, 5])

    alone = Counter(trial.phases[0] for trial in tried if len(trial.phases) == 1)
    in_rows = Counter(phase for trial in tried if len(trial.phases) > 1 for phase in trial.phases)
    print(f"\n{sum(trial.kills for trial in tried)} runs killed{'alone':>20}{'in rows':>10}")
    for phase in Phase:
        print(f"{phase:28}{alone[phase]:10}{in_rows[phase]:10}")
    assert [trial for trial in tried if trial.faults] == []
