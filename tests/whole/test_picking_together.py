"""Several who pick at the same time, and one who picks in a file that another has changed."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from planet.cli.options import looked_at
from planet.config import Config, load
from planet.config.edits import alone_with
from planet.errors import UsageError
from planet.run.picking import pick, unpick
from tests.server import Server
from tests.whole.conftest import NOON, Planet, call
from tests.whole.test_picks import only, picked, shows

NAMES = ("ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen")


@pytest.fixture
def planet(a_planet: Planet, server: Server) -> Planet:
    a_planet.subscribe(only(server.feed("/show", shows(*NAMES))))
    a_planet.build()
    return a_planet


def config_of(planet: Planet) -> Config:
    return load(planet.folder / "config.yaml", environ={})


def take(config: Config, name: str) -> None:
    with looked_at(config) as shelf:
        pick(shelf, [f"id {name}"], note=None, now=NOON)


def test_those_who_pick_at_the_same_time_all_have_their_pick(planet: Planet) -> None:
    config = config_of(planet)
    together = threading.Barrier(len(NAMES), timeout=60)

    def take_with_others(name: str) -> None:
        together.wait()
        take(config, name)

    with ThreadPoolExecutor(len(NAMES)) as threads:
        list(threads.map(take_with_others, NAMES))

    assert sorted(map(str, picked(planet))) == list(NAMES)


def test_those_who_take_picks_out_at_the_same_time_take_these_and_no_others(planet: Planet) -> None:
    for name in NAMES:
        take(config_of(planet), name)
    config = config_of(planet)
    together = threading.Barrier(4, timeout=60)

    def put_back_with_others(name: str) -> None:
        together.wait()
        unpick(config, [f"id {name}"])

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(put_back_with_others, NAMES[:4]))

    assert picked(planet) == list(NAMES[4:])


def test_a_pick_is_taken_from_where_it_stands_now(planet: Planet) -> None:
    for name in NAMES[:3]:
        take(config_of(planet), name)
    read_before = config_of(planet)
    unpick(config_of(planet), ["id ant"])

    unpick(read_before, ["id bee"])

    assert picked(planet) == ["cat"]


def test_what_another_has_picked_meanwhile_is_picked_already(planet: Planet) -> None:
    read_before = config_of(planet)
    config = str(planet.folder / "config.yaml")
    assert call("pick", "--config", config, "id ant").code == 0

    with pytest.raises(UsageError, match="ant is picked already"):
        take(read_before, "ant")

    assert picked(planet) == ["ant"]


def test_a_folder_that_somebody_else_has_locked_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    file = tmp_path / "picks.yaml"

    with alone_with(file), alone_with(file, patience=0):
        file.write_text("picks:\n")

    assert file.read_text() == "picks:\n"


def test_nothing_is_left_beside_the_picks(planet: Planet) -> None:
    take(config_of(planet), "ant")

    found = sorted(path.name for path in planet.folder.iterdir())
    assert found == ["config.yaml", "picks.yaml", "public", "state"]
