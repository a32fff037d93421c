"""Feeds asked by the workers of a Dask cluster: what holds there besides the promises of a run.

The scenarios of `tests/conformance` run over a cluster, too.
"""

import itertools
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import planet.cluster
from planet.config import Config, load
from planet.errors import ConfigError, StateError
from planet.report import FeedOutcome, Listener, Report
from planet.run.open import Scope, open_run
from planet.run.update import update
from planet.run.workers import Workers
from tests.cases import case, cases
from tests.clusters import Local, in_threads, local, redis
from tests.patience import PATIENCE, patient
from tests.server import Request, Response, Server, moved
from tests.whole.conftest import rss

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOSTS = [f"127.0.0.{number}" for number in range(1, 13)]


@pytest.fixture(scope="module")
def threads(workers: Workers) -> Iterator[Local]:
    with in_threads(workers) as running:
        yield running


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planet.cluster, "_FEWEST", 1)
    monkeypatch.setattr(planet.cluster, "_MOST", 1)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(*HOSTS) as running:
        yield running


def config_of(folder: Path, cluster: Local, feeds: list[str], **fetch: Any) -> Config:
    path = folder / "config.yaml"
    settings = {
        "title": "The Planet",
        "feeds": feeds,
        "fetch": {"host_gap": "0s", **fetch},
        "workers": {"dask": cluster.scheduler},
        "cache": {"backend": "redis", "options": dict(cluster.options)},
    }
    path.write_text(json.dumps(settings))
    return load(path, environ={})


def run_of(config: Config, at: datetime = NOON) -> Report:
    report = Report(started=at)
    with open_run(config, lambda: at) as run:
        update(config, config.feeds, run=run, scope=Scope(), report=report)
    return report


@pytest.mark.usefixtures("small")
def test_each_feed_is_asked_once_and_kept(tmp_path: Path, threads: Local, server: Server) -> None:
    for name in "abc":
        server.feed(f"/{name}", rss("tea", "cake", name=name.upper()), etag='"1"')
    feeds = [server.url(f"/{name}", host) for name in "abc" for host in HOSTS]
    config = config_of(tmp_path, threads, feeds)

    first = run_of(config)
    asked = len(server.requests)
    again = run_of(config, NOON + timedelta(days=1))

    assert (first.added, first.failed, first.notices) == (72, [], ())
    assert asked == len(feeds)
    assert (again.added, again.failed) == (0, [])
    assert [one.header("If-None-Match") for one in server.requests[asked:]] == ['"1"'] * 36


@pytest.mark.usefixtures("small")
def test_no_server_is_asked_by_two_workers_at_once_not_even_by_redirects(
    tmp_path: Path, threads: Local, server: Server
) -> None:
    lock, busy, most = threading.Lock(), set[str](), list[str]()

    def slowly(request: Request) -> Response:
        with lock:
            most.extend({request.host} & busy)
            busy.add(request.host)
        time.sleep(0.01)
        with lock:
            busy.discard(request.host)
        return answer(request)

    def answer(request: Request) -> Response:
        if not request.path.startswith("/moved"):
            return Response(body=rss("tea", name="A"))
        last = HOSTS[-1 - int(request.path[6:]) % 2]
        return moved(server.url("/there", last), 301)

    paths = ["/a", "/there", *(f"/moved{number}" for number in range(4))]
    for path in paths:
        server.answer(path, slowly)
    feeds = [server.url(path, host) for host in HOSTS for path in paths]

    report = run_of(config_of(tmp_path, threads, feeds))

    assert most == []
    assert report.failed == []
    # Two of six are asked once, four are led on.
    assert len(server.requests) == len(HOSTS) * (2 + 2 * 4)


@pytest.mark.usefixtures("small")
def test_a_gap_holds_from_batch_to_batch(tmp_path: Path, threads: Local, server: Server) -> None:
    there = server.url("/there", HOSTS[1])
    server.script("/moved", moved(there))
    moments: list[float] = []

    def answered(_: Request) -> Response:
        moments.append(time.monotonic())
        return Response(body=rss("tea"))

    server.answer("/there", answered)
    server.answer("/there?own", answered)

    run_of(config_of(tmp_path, threads, [server.url("/moved"), f"{there}?own"], host_gap="1s"))

    first, second = moments
    assert second - first >= 1.0


def test_a_budget_ends_batches_elsewhere(tmp_path: Path, threads: Local, server: Server) -> None:
    hold = threading.Event()
    server.script("/slow", Response(hold=hold))
    feeds = [server.url("/slow", host) for host in HOSTS]

    report = run_of(config_of(tmp_path, threads, feeds, budget="1s", timeout="10m"))

    hold.set()
    assert report.failed == []
    assert report.left == len(feeds)


def test_failures_of_a_worker_that_reaches_nobody_are_held_against_no_feed(
    tmp_path: Path, threads: Local, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of the two workers is cut off: what it was sent fails at once."""
    server.feed("/a", rss("tea"))
    feeds = [server.url("/a", host) for host in HOSTS]
    feeds += [f"http://none-{number}.invalid/a" for number in range(24)]
    monkeypatch.setattr(planet.cluster, "_FEWEST", 12)

    report = run_of(config_of(tmp_path, threads, feeds))

    assert report.added == 12
    assert report.failed == []
    assert not report.outage


def test_if_no_worker_reaches_anybody_the_site_stays(tmp_path: Path, threads: Local) -> None:
    feeds = [f"http://127.0.1.{number}:9/a" for number in range(24)]

    report = run_of(config_of(tmp_path, threads, feeds))

    assert report.outage
    assert report.refused is not None
    # Each worker stops once it is sure.
    assert re.search("not one of (1[0-9]|2[0-4]) feeds", report.refused)
    assert report.failed == []


def test_without_a_scheduler_nobody_is_asked_and_the_run_says_what_to_do(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planet.cluster, "_PATIENCE", 0.5)
    with redis() as options:
        nobody = Local(scheduler="tcp://127.0.0.1:1", options=options, dask=None)
        config = config_of(tmp_path, nobody, [server.feed("/a", rss("tea"))])

        with pytest.raises(StateError, match="Start its scheduler, and workers that have Planet"):
            run_of(config)

    assert server.requests == []


def test_workers_with_another_planet_are_refused(
    tmp_path: Path, threads: Local, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        planet.cluster,
        "_version",
        lambda: f"0.1 ({'a' if threading.current_thread() is threading.main_thread() else 'b'})",
    )
    config = config_of(tmp_path, threads, [server.feed("/a", rss("tea"))])

    with pytest.raises(StateError, match=r"have Planet 0\.1 \(b\), and this is 0\.1 \(a\)"):
        run_of(config)

    assert server.requests == []


def test_a_worker_that_dies_costs_a_later_attempt_only(tmp_path: Path, server: Server) -> None:
    """The first answer kills the worker that waits for it; Dask runs its batch again."""
    feeds = [server.url("/a", host) for host in HOSTS[:4]]
    with local(workers=1, processes=True) as cluster:
        with cluster.dask.get_client() as client:
            deaths = [*client.run(os.getpid).values()]

        def answer(_: Request) -> Response:
            while deaths:
                os.kill(deaths.pop(), signal.SIGKILL)
            return Response(body=rss("tea"), headers=(("ETag", '"1"'),))

        server.answer("/a", answer)
        config = config_of(tmp_path, cluster, feeds, workers=1)
        report = run_of(config)
        killed = len(server.requests)
        soon = run_of(config, NOON + timedelta(minutes=50))
        between = len(server.requests)
        later = run_of(config, NOON + timedelta(hours=3))

    assert "went to workers of the cluster that did not answer" in report.notices[0]
    paths = [(one.host, one.path) for one in server.requests[:killed]]
    assert len(paths) == len(set(paths))
    assert (between, soon.failed) == (killed, [])
    assert later.added + report.added + soon.added == 4


@pytest.mark.usefixtures("small")
def test_a_scheduler_that_dies_ends_asking_and_not_the_run(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    dask = [sys.executable, "-m", "dask"]
    quiet: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    with (
        redis() as options,
        subprocess.Popen(
            [*dask, "scheduler", "--port", str(port), "--no-dashboard"], **quiet
        ) as scheduler,
        subprocess.Popen(
            [*dask, "worker", f"tcp://127.0.0.1:{port}", "--nthreads", "1", "--no-dashboard"],
            cwd=tmp_path,
            **quiet,
        ) as worker,
    ):
        try:

            def answer(_: Request) -> Response:
                # Now that all are there, only what is gone is waited for until the end.
                monkeypatch.setattr(planet.cluster, "_PATIENCE", patient(5.0))
                if len(server.requests) == 3:
                    scheduler.kill()
                return Response(body=rss("tea"))

            server.answer("/a", answer)
            cluster = Local(scheduler=f"tcp://127.0.0.1:{port}", options=options, dask=None)
            with distributed.Client(cluster.scheduler, timeout=PATIENCE) as client:
                client.wait_for_workers(1)
            config = config_of(tmp_path, cluster, [server.url("/a", host) for host in HOSTS])
            report = run_of(config)
        finally:
            scheduler.kill()
            worker.kill()

    assert report.failed == []
    assert report.left > 0
    assert "did not answer (they or their scheduler are gone)" in report.notices[0]
    assert len(server.requests) < len(HOSTS)


@pytest.mark.usefixtures("small")
@cases("moment", case("while answers are awaited", 3), case("before a batch is sent", None))
def test_what_came_is_kept_when_the_connection_to_the_scheduler_has_ended(
    tmp_path: Path, threads: Local, server: Server, moment: int | None
) -> None:
    """Dask closes its client when a scheduler stays away; then most calls raise RuntimeError."""
    report = Report(started=NOON)
    calls, told = itertools.count(1), threading.Event()

    def answer(_: Request) -> Response:
        if next(calls) == moment:
            assert told.wait(PATIENCE)
            end()
        return Response(body=rss("tea"))

    def end() -> None:
        run.cluster._client.close()  # type: ignore[union-attr]

    class Ending(Listener):
        def on_outcome(self, result: FeedOutcome) -> None:
            if result.added:
                told.set()
            if moment is None and result.added:
                end()

    report.listener = Ending()
    server.answer("/a", answer)
    config = config_of(tmp_path, threads, [server.url("/a", host) for host in HOSTS])
    with open_run(config, lambda: NOON) as run:
        update(config, config.feeds, run=run, scope=Scope(), report=report)

    assert report.failed == []
    assert 0 < report.added < len(HOSTS)
    lost, waiting = report.notices
    assert "did not answer (they or their scheduler are gone)" in lost
    assert "are gone: " in waiting
    assert "more were to be asked" in waiting


def test_a_batch_whose_run_is_gone_stops(tmp_path: Path, threads: Local, server: Server) -> None:
    first, seen = threading.Event(), threading.Event()

    def answer(_: Request) -> Response:
        seen.set()
        first.wait(PATIENCE)
        return Response(body=rss("tea"))

    for name in "abcd":
        server.answer(f"/{name}", answer)
    config = config_of(tmp_path, threads, [server.url(f"/{name}") for name in "abcd"])

    def interrupted(*_: object, **__: object) -> Any:
        assert seen.wait(PATIENCE)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planet.cluster._Polling, "_wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_of(config)
    first.set()
    with threads.dask.get_client() as client:
        while any(client.run(_running).values()):
            time.sleep(0.05)

    assert len(server.requests) == 1


def _running(dask_worker: Any) -> int:
    return len(dask_worker.state.executing) + len(dask_worker.state.long_running)


@cases(
    "settings, words",
    case(
        "a cache that only this machine has",
        {"workers": {"dask": "tcp://a:1"}},
        "workers.dask needs a cache that all workers reach; say `backend: redis` under `cache`",
    ),
    case("no address", {"workers": {"dask": "a:8786"}}, "must be the address of a scheduler"),
)
def test_no_cluster_can_be_with(tmp_path: Path, settings: dict[str, Any], words: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps({"title": "A", "feeds": ["https://a.example/"], **settings}))

    with pytest.raises(ConfigError, match=words):
        load(path, environ={})


def test_a_run_without_a_cluster_loads_nothing_of_dask(tmp_path: Path, server: Server) -> None:
    settings = {"title": "A", "feeds": [server.feed("/a", rss("tea"))]}
    (tmp_path / "config.yaml").write_text(json.dumps(settings))
    code = (
        "import sys; from planet.cli import main; code = main(['build', '--quiet'])\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "sys.exit(code or bool(loaded & {'dask', 'distributed'}))"
    )

    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False)

    assert done.returncode == 0
