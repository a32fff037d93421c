"""A state that somebody has changed: it is told in words, whatever stands there."""

import shutil
import sqlite3
from contextlib import closing, suppress

from planet.errors import StateError
from tests.server import Server
from tests.whole.conftest import Planet, rss


def columns(planet: Planet) -> list[tuple[str, str]]:
    """The columns of all tables that have a row, and their tables."""
    with closing(sqlite3.connect(planet.folder / "state/planet.sqlite")) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master")]
        rows = {
            table: db.execute(f"SELECT * FROM {table} LIMIT 1")
            for table in tables
            if not table.startswith(("sqlite_", "entry_"))
        }
        return [
            (table, name)
            for table, cursor in rows.items()
            if cursor.fetchone()
            for name, *_ in cursor.description
        ]


def test_a_value_of_a_wrong_kind_is_a_fault_of_the_state_or_does_no_harm(
    a_planet: Planet, server: Server
) -> None:
    a_planet.settings |= {"digest": {"every": "day"}, "editions": {"calm": {"release": {}}}}
    a_planet.subscribe(server.feed("/one", rss("b", "a")))
    a_planet.build()
    a_planet.later(days=1).build()
    state, was = a_planet.folder / "state", a_planet.folder / "was"
    shutil.copytree(state, was)
    refused = set()

    for table, column in columns(a_planet):
        shutil.rmtree(state)
        shutil.copytree(was, state)
        with closing(sqlite3.connect(state / "planet.sqlite")) as db, db:
            with suppress(sqlite3.IntegrityError):  # a number of a row is one
                db.execute(f"UPDATE OR IGNORE {table} SET {column} = x'ff00'")
            if table != "site":  # as for a site that is made anew from all there is
                db.execute("DELETE FROM site")
        try:
            a_planet.build(offline=True)
        except StateError as error:
            assert "planet.sqlite cannot be used: " in str(error)  # noqa: PT017 - either is right
            refused.add(table)

    assert refused >= {"feed", "entry", "text", "site"}
