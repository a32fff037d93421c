"""What takes time, for all scenarios together: starting processes."""

from collections.abc import Iterator

import pytest

from planet.run.workers import Workers
from tests.clusters import Local, in_threads
from tests.conformance.scenarios import SCENARIOS


@pytest.fixture(scope="session")
def cluster(workers: Workers) -> Iterator[Local]:
    with in_threads(workers) as running:
        yield running


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Of the scenarios over a cluster, some; all of them with `--cluster`."""
    if "clustered" in metafunc.fixturenames:
        chosen = SCENARIOS if metafunc.config.getoption("--cluster") else SCENARIOS[::24]
        metafunc.parametrize("clustered", chosen, ids=[scenario.name for scenario in chosen])
