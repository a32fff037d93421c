"""What was published: the record of output folders as they were left, and digests for good."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final, NamedTuple

from planet.model import Digest
from planet.store import codec
from planet.store.database import select_in, transaction
from planet.store.faults import check_types, from_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from datetime import datetime


LOST: Final = ""
"""The config hash of a site that was made from a state that is lost."""


class Publication(NamedTuple):
    """What a site was last made from."""

    config_hash: str
    """Fingerprint of what the operator decides: config, theme, program."""
    listed: str
    """Fingerprint of the feeds that subscription lists on the web added."""
    generation: int
    keeps_until: datetime | None
    entries: int


class PublishedFile(NamedTuple):
    """A file as it was left in the output folder."""

    fingerprint: str
    digest: str
    size: int
    mtime: int
    """Nanoseconds, as the file system has it."""


class Publications:
    """The record of output folders; an output folder is named as `name_output` does."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def last(self, output: str) -> Publication | None:
        """Return what the site in this output folder was last made from."""
        rows = self._connection.execute(
            "SELECT config_hash, listed, generation, keeps_until, entries FROM publication "
            "WHERE output = ?",
            (output,),
        )
        for row in check_types(rows, str, str, int, int | None, int):
            return Publication(**{**row, "keeps_until": _moment(row["keeps_until"])})
        return None

    def released(self, edition: str) -> datetime | None:
        """Return the moment an edition was last made as of; None when it showed what there was.

        An edition is named by its folder, so that the moment stays when the planet moves.
        """
        rows = self._connection.execute("SELECT moment FROM release WHERE edition = ?", (edition,))
        moments = check_types(rows, int)
        return _moment(moments[0]["moment"]) if moments else None

    def files(self, output: str, *, only: Sequence[str] = ()) -> dict[str, PublishedFile]:
        """Return the files that were left in an output folder, by path; `only` these, if any."""
        query = "SELECT path, fingerprint, digest, size, mtime FROM file WHERE output = ?"
        if only:
            rows = select_in(self._connection, f"{query} AND path", only, output)
        else:
            rows = self._connection.execute(query, (output,))
        return {
            row["path"]: PublishedFile(
                fingerprint=row["fingerprint"],
                digest=row["digest"],
                size=row["size"],
                mtime=row["mtime"],
            )
            for row in check_types(rows, str, str, str, int, int)
            if _is_inside(row["path"])
        }

    def record(
        self,
        output: str,
        publication: Publication,
        files: Mapping[str, PublishedFile],
        *,
        edition: str = "",
        released: datetime | None = None,
    ) -> None:
        """Write down what is now in an output folder, and what it was made from.

        `released` is what `Publications.released` says of its edition from now on.
        """
        row = (
            output,
            publication.config_hash,
            publication.listed,
            publication.generation,
            codec.micros(publication.keeps_until),
            publication.entries,
        )
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO publication VALUES (?, ?, ?, ?, ?, ?)", row
            )
            self._connection.execute("DELETE FROM release WHERE edition = ?", (edition,))
            if released:
                self._connection.execute(
                    "INSERT INTO release VALUES (?, ?)", (edition, codec.micros(released))
                )
            before = self.files(output)
            gone = [(output, path) for path in before.keys() - files.keys()]
            self._connection.executemany("DELETE FROM file WHERE output = ? AND path = ?", gone)
            self._connection.executemany(
                "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?)",
                [(output, path, *file) for path, file in files.items() if before.get(path) != file],
            )


def _is_inside(path: str) -> bool:
    """Return whether a file is in the output folder, as all are that were written down."""
    return not path.startswith("/") and (".." not in path or ".." not in path.split("/"))


_moment = from_row(codec.moment)


class DigestTable:
    """The digests of editions, which are named by their folders."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self, edition: str = "") -> tuple[Digest, ...]:
        """Return those of an edition that were made so far, the newest first."""
        rows = self._connection.execute(
            "SELECT packed FROM digest WHERE edition = ? ORDER BY name DESC", (edition,)
        )
        return tuple(_unpack_digest(row["packed"]) for row in rows)

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
                if _unpack_digest(row["packed"]).made_at > moment
            ],
        )


@from_row
def _unpack_digest(packed: bytes) -> Digest:
    digest = codec.decode(codec.unpack(packed), Digest)
    # It becomes the name of a folder.
    date.fromisoformat(digest.name)
    return digest
