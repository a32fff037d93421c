"""An older state gets the tables of this Planet by numbered steps of SQL, or stays as it was."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from planet.store.migrations import migrate, version_of

STEPS = {
    1: "ALTER TABLE tea ADD COLUMN cups INTEGER DEFAULT 2; CREATE TABLE cake (name TEXT)",
    2: "INSERT INTO cake SELECT name || ' and cake' FROM tea",
}


@pytest.fixture
def older() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript("CREATE TABLE tea (name TEXT); INSERT INTO tea VALUES ('green')")
        connection.execute("PRAGMA user_version = 1")
        yield connection


def test_an_older_state_goes_through_each_step_once(older: sqlite3.Connection) -> None:
    migrate(older, version=3, steps=STEPS)
    migrate(older, version=3, steps=STEPS)

    assert older.execute("SELECT name, cups FROM tea").fetchall() == [("green", 2)]
    assert older.execute("SELECT name FROM cake").fetchall() == [("green and cake",)]
    assert version_of(older) == 3


def test_a_step_that_fails_leaves_the_state_as_it_was(older: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.OperationalError):
        migrate(older, version=3, steps=STEPS | {2: "INSERT INTO nowhere VALUES (1)"})

    assert older.execute("SELECT name FROM sqlite_schema").fetchall() == [("tea",)]
    assert version_of(older) == 1
