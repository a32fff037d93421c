"""The table `digest`: the digests that were made, each for good."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from planet.model import Digest
from planet.store import codec
from planet.store.database import transaction
from planet.store.faults import from_row

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime


class DigestTable:
    """The digests of editions, which are named by their folders."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self, edition: str = "") -> tuple[Digest, ...]:
        """Return those of an edition that were made so far, the newest first."""
        rows = self._connection.execute(
            "SELECT packed FROM digest WHERE edition = ? ORDER BY name DESC", (edition,)
        )
        return tuple(_unpack(row["packed"]) for row in rows)

    def keep(self, digest: Digest, edition: str = "") -> None:
        """Store a digest that was just made. One that is there already is never replaced.

        It is no change of what is known (`Store.generation`): an edition is made anew when a digest
        is due.

        Raises:
            IntegrityError: there is one of that name.
        """
        packed = codec.pack(codec.encode(digest))
        with transaction(self._connection):
            self._connection.execute(
                "INSERT INTO digest VALUES (?, ?, ?)", (edition, digest.name, packed)
            )

    def forget_after(self, moment: datetime) -> None:
        """Drop those that were made later; within the caller's transaction."""
        rows = self._connection.execute("SELECT edition, name, packed FROM digest").fetchall()
        self._connection.executemany(
            "DELETE FROM digest WHERE edition = ? AND name = ?",
            [
                (row["edition"], row["name"])
                for row in rows
                if _unpack(row["packed"]).made_at > moment
            ],
        )


@from_row
def _unpack(packed: bytes) -> Digest:
    digest = codec.decode(codec.unpack(packed), Digest)
    # It becomes the name of a folder.
    date.fromisoformat(digest.name)
    return digest
