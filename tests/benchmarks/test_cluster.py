"""Feeds a second with 1, 2 and 4 workers of a local cluster, beside a run without one.

Run by hand with `pytest tests/benchmarks/test_cluster.py`. It prints for a first run and for one in
which nothing has changed the seconds, the feeds a second, and the CPU of the process that
coordinates, for each feed. Nothing here fails because of a time. PLANET_BENCHMARK_FEEDS (1000) sets
its size; the workers share the machine with the servers of the feeds.
"""

import json
import os
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.test_thousand_feeds import CHECKOUT, publishing
from tests.clusters import Local, local, redis

FEEDS = int(os.environ.get("PLANET_BENCHMARK_FEEDS", "1000").split()[0])
RUN = """
import resource, sys
from planet.cli import main
code = main(["fetch", "--config", sys.argv[1], "--quiet"])
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime)
sys.exit(code)
"""


@pytest.mark.parametrize("workers", [0, 1, 2, 4])
def test_feeds_a_second(workers: int, tmp_path: Path) -> None:
    cluster: Any = local(workers=workers, processes=True) if workers else nullcontext()
    with publishing(FEEDS) as publisher, cluster as running, redis() as own:
        config = tmp_path / "config.yaml"
        config.write_text(json.dumps(_settings(publisher.addresses, running, own)))
        for name, status in (("first run", "200"), ("unchanged", "304")):
            began = time.monotonic()
            # Only this process: what reads in an embedded run are its children.
            done = subprocess.run(
                [sys.executable, "-c", RUN, str(config)],
                cwd=CHECKOUT,
                check=True,
                capture_output=True,
                text=True,
            )
            took, cpu = time.monotonic() - began, float(done.stdout)
            asked = publisher.tell("count")
            print(
                f"\n{workers or 'no'} workers, {name}: {took:.1f} s, {FEEDS / took:.0f} feeds/s, "
                f"{1000 * cpu / FEEDS:.2f} ms CPU a feed in the run's own process"
            )
            assert asked.get(status) == FEEDS
            time.sleep(1.1)  # all are due again


def _settings(feeds: list[str], running: Local | None, own: dict[str, Any]) -> dict[str, Any]:
    often = {"min_interval": "0s", "max_interval": "1s", "agreed": True, "host_gap": "0s"}
    settings = {"title": "Many", "feeds": feeds, "fetch": often}
    options = dict(running.options) if running else own
    settings["cache"] = {"backend": "redis", "options": options}
    if running:
        settings["workers"] = {"dask": running.scheduler}
    return settings
