"""A Dask cluster on this machine, and the Redis that its workers share."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import planet.cluster
from planet.run.workers import Workers
from tests.patience import PATIENCE


@dataclass(frozen=True, kw_only=True)
class Local:
    """A scheduler with its workers, and where their cache is."""

    scheduler: str
    options: Mapping[str, Any]
    """`cache.options` of the config."""
    dask: Any


@contextmanager
def redis() -> Iterator[dict[str, Any]]:
    """A Redis of its own; skips where there is none."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("there is no redis-server")
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "redis.sock")
        command = [program, "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder]
        quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        with subprocess.Popen(command, **quiet) as process:  # type: ignore[call-overload]
            try:
                wait_for_socket(path)
                yield {"unix_socket_path": path}
            finally:
                process.kill()


def wait_for_socket(path: str) -> None:
    """Return as soon as a server answers on a socket."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(path)
                return
        except OSError:
            time.sleep(0.02)
    raise TimeoutError(path)


@contextmanager
def local(*, workers: int = 2, processes: bool = False, **more: Any) -> Iterator[Local]:
    """Its workers are threads of this process, unless they are to be processes."""
    dask = pytest.importorskip("distributed")
    with (
        redis() as options,
        dask.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=processes,
            dashboard_address=":0",
            silence_logs=50,
            **more,
        ) as cluster,
    ):
        yield Local(scheduler=cluster.scheduler_address, options=options, dask=cluster)


@contextmanager
def in_threads(readers: Workers) -> Iterator[Local]:
    """With two workers in this process, for which these processes read."""
    with local() as running, pytest.MonkeyPatch.context() as patch:
        patch.setattr(planet.cluster, "_READERS", readers)
        yield running
