"""The table `picture`: pictures of others that the site shows, so that its readers ask nobody."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.model import StoredPicture
from planet.store import codec
from planet.store.database import bump_generation, transaction
from planet.store.faults import check_types, from_row
from planet.text.pictures import KINDS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable


class PictureTable:
    """Pictures, by the addresses at which they are asked for."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @from_row
    def read(self) -> dict[str, StoredPicture]:
        """Return what is known of each, without its bytes."""
        rows = self._connection.execute(
            "SELECT url, asked_at, answered_url, hash, kind FROM picture ORDER BY url"
        )
        pictures = {}
        for row in check_types(rows, str, int, *[str | None] * 3):
            if row["kind"] not in {None, *KINDS}:
                raise ValueError("it is of no kind of picture")
            pictures[row["url"]] = StoredPicture(
                url=row["url"],
                asked_at=codec.exact_moment(row["asked_at"]),
                answered_url=row["answered_url"],
                body_hash=row["hash"],
                kind=row["kind"],
            )
        return pictures

    @from_row
    def body(self, url: str) -> bytes:
        """Return the bytes of a picture that is stored."""
        rows = self._connection.execute("SELECT hash, body FROM picture WHERE url = ?", (url,))
        for row in check_types(rows, str, bytes):
            if hashlib.sha256(row["body"]).hexdigest() == row["hash"]:
                return bytes(row["body"])
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
