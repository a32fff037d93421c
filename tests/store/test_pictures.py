"""Pictures in the store, and what of them was damaged there."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from planet.errors import StateError
from planet.model import StoredPicture
from planet.store import Store
from tests.builders import NOW

URL = "https://one.example/icon.png"


def test_a_picture_is_what_was_stored_or_a_fault_of_the_state(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.pictures.put(StoredPicture(url=URL, asked_at=NOW, kind="png"), b"body")
        known, body = store.pictures.read()[URL], store.pictures.body(URL)
    with closing(sqlite3.connect(tmp_path / "planet.sqlite")) as connection:
        connection.execute("UPDATE picture SET body = x'00'")
        connection.commit()

    with pytest.raises(StateError), Store.open(tmp_path) as store:
        store.pictures.body(URL)

    assert (known.kind, known.asked_at, body) == ("png", NOW, b"body")


def test_a_picture_of_no_kind_is_a_fault_of_the_state(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.pictures.put(StoredPicture(url=URL, asked_at=NOW, kind="../../html"), b"body")

    with pytest.raises(StateError), Store.open(tmp_path) as store:
        store.pictures.read()
