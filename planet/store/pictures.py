"""The table `picture`: pictures of others that the site shows, so that its readers ask nobody."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.model import StoredPicture
from planet.store import codec
from planet.store.database import bump_generation, select, transaction
from planet.store.faults import from_row
from planet.text.pictures import KINDS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable


class PictureTable:
    """Pictures, by the addresses at which they are asked for."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def read(self) -> dict[str, StoredPicture]:
        """Return what is known of each, without its bytes."""
        rows = select(
            self._connection,
            tuple[str, int, str | None, str | None, str | None],
            "SELECT url, asked_at, answered_url, hash, kind FROM picture ORDER BY url",
        )
        return {row[0]: _picture(*row) for row in rows}

    @from_row
    def body(self, url: str) -> bytes:
        """Return the bytes of a picture that is stored."""
        sql = "SELECT hash, body FROM picture WHERE url = ?"
        for body_hash, body in select(self._connection, tuple[str, bytes], sql, (url,)):
            if hashlib.sha256(body).hexdigest() == body_hash:
                return body
        raise ValueError("the bytes of a picture are not those that were stored")

    def note(self, pictures: Iterable[StoredPicture]) -> None:
        """Store when and where pictures were asked for; their bytes stay as they are."""
        with transaction(self._connection):
            self._connection.executemany(
                "INSERT INTO picture (url, asked_at, answered_url) VALUES (?, ?, ?) "
                "ON CONFLICT DO UPDATE SET asked_at = excluded.asked_at, "
                "answered_url = excluded.answered_url",
                [(one.url, codec.micros(one.asked_at), one.answered_url) for one in pictures],
            )

    def put(self, picture: StoredPicture, body: bytes | None) -> None:
        """Store what came, in place of what was there; without a body there is nothing to show."""
        body_hash = None if body is None else hashlib.sha256(body).hexdigest()
        picture = replace(picture, body_hash=body_hash)
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO picture VALUES (?, ?, ?, ?, ?, ?)",
                (
                    picture.url,
                    codec.micros(picture.asked_at),
                    picture.answered_url,
                    picture.body_hash,
                    picture.kind,
                    body,
                ),
            )
            bump_generation(self._connection)

    def drop(self, urls: Collection[str]) -> None:
        """Forget pictures."""
        if urls:
            with transaction(self._connection):
                self._connection.executemany(
                    "DELETE FROM picture WHERE url = ?", [(url,) for url in urls]
                )


@from_row
def _picture(
    url: str, asked_at: int, answered_url: str | None, body_hash: str | None, kind: str | None
) -> StoredPicture:
    if kind not in {None, *KINDS}:
        raise ValueError("it is of no kind of picture")
    return StoredPicture(
        url=url,
        asked_at=codec.exact_moment(asked_at),
        answered_url=answered_url,
        body_hash=body_hash,
        kind=kind,
    )
