"""An older `planet.sqlite` → one with the tables of this Planet, a step for each change of them.

A step is SQL that makes the next version, and is never edited once it is released. JSON in a state
needs no step for a new field that may be missing (`codec.decode`). To change the tables: change
`schema.py`, raise its `VERSION`, and add a step here.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping


STEPS: Final[Mapping[int, str]] = MappingProxyType({})
"""The statements that make the next version, by the version that they begin with."""


def migrate(
    connection: sqlite3.Connection, *, version: int, steps: Mapping[int, str] = STEPS
) -> None:
    """Bring the tables of a state to this version, in one transaction: wholly, or not at all.

    A state that has it already stays as it is; so does one that no step leads on from.
    """
    if not can_migrate(connection, version=version, steps=steps):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been here while this one waited.
        for older in range(version_of(connection), version):
            for statement in steps[older].split(";"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {version}")
    except BaseException:
        connection.rollback()
        raise
    connection.execute("COMMIT")


def can_migrate(
    connection: sqlite3.Connection, *, version: int, steps: Mapping[int, str] = STEPS
) -> bool:
    """Return whether the tables are older than this version, and there are steps to it."""
    return version_of(connection) in steps and version_of(connection) < version


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the tables, as `PRAGMA user_version` has it."""
    ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    return int(version)
