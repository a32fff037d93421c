"""An older `planet.sqlite` → one with the tables of this Planet, a step for each change of them.

Each step makes one version of the next. Steps are never edited once they are released, and use
nothing of the package: what they call would be that of a later version. What a state holds as JSON
needs no step for a new field that may be missing (`codec.from_plain`).

To change the tables: raise `VERSION` in `database.py`, add a step here, and a state that the
version before wrote to `tests/store/states/`.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping


def migrate(connection: sqlite3.Connection, *, version: int) -> None:
    """Bring the tables of a state to this version, in one transaction: wholly, or not at all.

    A state that has it already stays as it is; so does one that no step leads on from, which is
    a newer one, or was written before there were steps.
    """
    if not can_migrate(connection, version=version):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been here while this one waited.
        for older in range(version_of(connection), version):
            STEPS[older](connection)
        connection.execute(f"PRAGMA user_version = {version}")
    except BaseException:
        connection.rollback()
        raise
    connection.execute("COMMIT")


def can_migrate(connection: sqlite3.Connection, *, version: int) -> bool:
    """Return whether the tables are older than this version, and there are steps to it."""
    return min(STEPS) <= version_of(connection) < version


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the tables, as `PRAGMA user_version` has it."""
    ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    return int(version)


def _add_checksums(connection: sqlite3.Connection) -> None:
    """Entries and texts get a checksum of what they say, sites a place for what they showed."""

    def checksum(*values: Any) -> int:
        crc = 0
        for value in values:
            is_bytes = isinstance(value, bytes)
            data = value if is_bytes else f"{value!r},".encode(errors="surrogatepass")
            crc = zlib.crc32(data, crc)
        return crc

    connection.create_function("checksum_23", -1, checksum)
    connection.execute("ALTER TABLE entry ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
    connection.execute("ALTER TABLE text ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
    # It would have every entry decided about anew, though none says anything else.
    connection.execute("DROP TRIGGER entry_changed")
    connection.execute(
        "UPDATE entry SET checksum = checksum_23("
        "id, first_id, link, title, summary, published, updated, more, origin)"
    )
    connection.execute("UPDATE text SET checksum = checksum_23(number, kind, base, raw)")
    connection.execute(
        "CREATE TRIGGER entry_changed AFTER UPDATE ON entry\n"
        "WHEN new.kept AND new.present >= old.present BEGIN\n"
        "    INSERT OR IGNORE INTO undecided SELECT id, new.number FROM site;\n"
        "END"
    )
    connection.execute(
        "CREATE TABLE lost (\n"
        "    edition TEXT PRIMARY KEY,\n"
        "    posts   INTEGER NOT NULL\n"
        ") WITHOUT ROWID"
    )


STEPS: Final[Mapping[int, Callable[[sqlite3.Connection], None]]] = {22: _add_checksums}
"""What makes the next version, by the version it begins with."""
