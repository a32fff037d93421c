"""Feeds read by the workers of a Dask cluster; the machine that runs Planet asks for them."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import planet.cluster
from planet.config import load
from planet.errors import StateError
from planet.report import Report
from planet.run.build import update
from planet.run.open import Scope, open_run
from planet.run.workers import Workers
from tests.server import Server
from tests.whole.conftest import rss

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
SETTINGS = {"title": "The Planet", "fetch": {"host_gap": "0s"}}


@pytest.fixture(scope="module")
def cluster(workers: Workers) -> Iterator[Any]:
    """A scheduler and two workers in this process; these processes read for them."""
    dask = pytest.importorskip("distributed")
    with (
        dask.LocalCluster(
            n_workers=2, processes=False, dashboard_address=":0", silence_logs=50
        ) as running,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(planet.cluster, "_READERS", workers)
        yield running


def run_once(folder: Path, **settings: Any) -> tuple[Report, set[str | None]]:
    """Run a planet for the first time; its report, and the titles that are stored."""
    folder.mkdir()
    path = folder / "config.yaml"
    path.write_text(json.dumps({**SETTINGS, **settings}))
    config, report = load(path, environ={}), Report(started=NOON)
    with open_run(config, lambda: NOON) as run:
        update(config, config.feeds, run=run, scope=Scope(), report=report)
        titles = {entry.title for entry in run.store.entries.of_feeds(run.store.states())}
    return report, titles


def test_a_cluster_reads_the_same_and_asks_nobody(
    tmp_path: Path, server: Server, cluster: Any
) -> None:
    for name in "abcdef":
        server.feed(f"/{name}", rss(f"tea {name}", f"cake {name}", name=name.upper()))
    server.feed("/broken", b"<rss")
    feeds = [server.url(f"/{name}") for name in (*"abcdef", "broken")]

    alone, alone_titles = run_once(tmp_path / "alone", feeds=feeds)
    asked = len(server.requests)
    together, titles = run_once(
        tmp_path / "together", feeds=feeds, workers={"dask": cluster.scheduler_address}
    )

    assert (len(titles), titles) == (12, alone_titles)
    assert [len(report.failed) for report in (alone, together)] == [1, 1]
    assert len(server.requests) == 2 * asked


def test_a_run_without_its_cluster_says_what_to_start(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(planet.cluster, "_PATIENCE", 0.2)
    server.feed("/a", rss("tea"))

    with pytest.raises(StateError, match=r"can be reached .*Start its scheduler"):
        run_once(tmp_path / "here", feeds=[server.url("/a")], workers={"dask": "tcp://127.0.0.1:1"})
