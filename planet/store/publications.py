"""What was published: the record of output folders as they were left, and digests for good."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from planet.model import Digest
from planet.store import codec
from planet.store.database import Table, select, transaction
from planet.store.faults import from_row

if TYPE_CHECKING:
    from collections.abc import Mapping


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


class Publications(Table):
    """The record of output folders; an output folder is named as `name_output` does."""

    def last(self, output: str) -> Publication | None:
        """Return what the site in this output folder was last made from."""
        sql = "SELECT publication FROM site WHERE output = ?"
        rows = select(self._connection, tuple[str], sql, (output,))
        return next((codec.decode(publication, Publication) for (publication,) in rows), None)

    def released(self, edition: str) -> datetime | None:
        """Return the moment an edition was last made as of; None when it showed what there was.

        An edition is named by its folder, so that the moment stays when the planet moves.
        """
        sql = "SELECT max(released) FROM site WHERE edition = ?"
        ((released,),) = select(self._connection, tuple[int | None], sql, (edition,))
        return codec.moment(released)

    def files(self, output: str) -> dict[str, PublishedFile]:
        """Return the files that were left in an output folder, by path."""
        sql = "SELECT files FROM site WHERE output = ?"
        files = {}
        for (packed,) in select(self._connection, tuple[bytes], sql, (output,)):
            files = codec.decode(codec.unpack(packed), dict[str, PublishedFile])
        return {path: file for path, file in files.items() if _is_inside(path)}

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
        made_from, packed = codec.encode(publication), codec.pack(codec.encode(files))
        moment = codec.micros(released)
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO site VALUES (?, ?, ?, ?, ?)",
                (output, edition, moment, made_from, packed),
            )
            self._connection.execute(
                "UPDATE site SET released = ? WHERE edition = ?", (moment, edition)
            )


def _is_inside(path: str) -> bool:
    """Return whether a file is in the output folder, as all are that were written down."""
    return not path.startswith("/") and (".." not in path or ".." not in path.split("/"))


class DigestTable(Table):
    """The digests of editions, which are named by their folders."""

    def all(self, edition: str = "") -> tuple[Digest, ...]:
        """Return those of an edition that were made so far, the newest first."""
        sql = "SELECT packed FROM digest WHERE edition = ? ORDER BY name DESC"
        rows = select(self._connection, tuple[bytes], sql, (edition,))
        return tuple(_unpack_digest(packed) for (packed,) in rows)

    def keep(self, digest: Digest, edition: str = "") -> None:
        """Store a digest that was just made. One that is there already is never replaced.

        It is no change of what is known (`Store.generation`): an edition is made anew when a digest
        is due.

        Raises:
            IntegrityError: there is one of that name.
        """
        packed = codec.pack(codec.encode(digest))
        self._write("INSERT INTO digest VALUES (?, ?, ?)", [(edition, digest.name, packed)])

    def forget_after(self, moment: datetime) -> None:
        """Drop those that were made later; within the caller's transaction."""
        sql = "SELECT packed, rowid FROM digest"
        rows = select(self._connection, tuple[bytes, int], sql)
        self._connection.executemany(
            "DELETE FROM digest WHERE rowid = ?",
            [(row,) for packed, row in rows if _unpack_digest(packed).made_at > moment],
        )


@from_row
def _unpack_digest(packed: bytes) -> Digest:
    digest = codec.decode(codec.unpack(packed), Digest)
    # It becomes the name of a folder.
    date.fromisoformat(digest.name)
    return digest
