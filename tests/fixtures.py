"""What the tests of several folders are given."""

from collections.abc import Iterator

import pytest

from planet.run.workers import Workers
from tests.server import Server


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Those of all tests: to start some takes longer than most tests do."""
    with Workers(count=2) as started:
        yield started


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running
