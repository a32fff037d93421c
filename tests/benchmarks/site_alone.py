"""Makes the site of a config in this process, and prints what `publish_sites` alone cost.

`python -m tests.benchmarks.site_alone CONFIG`; with a second argument it is profiled.
"""

import cProfile
import json
import pstats
import resource
import sys
import time
from pathlib import Path

from planet.cli import options
from planet.cli.options import clock, open_run
from planet.report import Report
from planet.run.publish import publish_sites


def main(config_path: Path, *, profiled: bool) -> None:
    config = options.ConfigFile(path=config_path).read()
    with open_run(config) as run:
        report = Report(started=clock())
        profile = cProfile.Profile()
        if profiled:
            profile.enable()
        wall, cpu = time.perf_counter(), time.process_time()
        publish_sites(config, config.feeds, run=run, report=report)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        profile.disable()
    if profiled:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(60)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = {"cpu": cpu, "wall": wall, "memory": memory, "written": len(report.written)}
    print(json.dumps({**figures, "at": clock().isoformat()}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), profiled=len(sys.argv) > 2)
