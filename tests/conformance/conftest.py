"""What takes time, for all scenarios together: starting processes, and waiting for disks."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from planet.run.ingest import PRELOAD
from planet.run.workers import Workers


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    with Workers(count=2, preload=PRELOAD) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """An empty folder, in memory where the system has files there: SQLite waits for disks."""
    memory = Path("/dev/shm")
    if not memory.is_dir():
        yield tmp_path
        return
    with TemporaryDirectory(dir=memory, prefix="planet-") as name:
        yield Path(name)
