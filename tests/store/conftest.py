"""A store for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from planet.store import Store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    with Store.open(folder) as store:
        yield store
