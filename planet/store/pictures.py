"""The table `picture`: pictures of others that the site shows, so that its readers ask nobody."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.model import StoredPicture
from planet.store import codec
from planet.store.database import Table, bump_generation, select, transaction
from planet.store.faults import from_row
from planet.text.pictures import KINDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


class PictureTable(Table):
    """Pictures, by the addresses at which they are asked for."""

    def read(self) -> dict[str, StoredPicture]:
        """Return what is known of each, without its bytes."""
        rows = select(self._connection, tuple[str, str], "SELECT url, state FROM picture")
        return {url: _picture(state) for url, state in sorted(rows)}

    @from_row
    def body(self, url: str) -> bytes:
        """Return the bytes of a picture that is stored."""
        sql = "SELECT state, body FROM picture WHERE url = ?"
        ((state, body),) = select(self._connection, tuple[str, bytes], sql, (url,))
        if hashlib.sha256(body).hexdigest() != _picture(state).body_hash:
            raise ValueError("the bytes of a picture are not those that were stored")
        return body

    def note(self, pictures: Iterable[StoredPicture]) -> None:
        """Store when and where pictures were asked for; their bytes stay as they are."""
        self._write(
            "INSERT INTO picture (url, state) VALUES (?, ?) "
            "ON CONFLICT DO UPDATE SET state = excluded.state",
            [(one.url, codec.encode(one)) for one in pictures],
        )

    def put(self, picture: StoredPicture, body: bytes | None) -> None:
        """Store what came, in place of what was there; without a body there is nothing to show."""
        body_hash = None if body is None else hashlib.sha256(body).hexdigest()
        state = codec.encode(replace(picture, body_hash=body_hash))
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO picture VALUES (?, ?, ?)", (picture.url, state, body)
            )
            bump_generation(self._connection)

    def drop(self, urls: Collection[str]) -> None:
        """Forget pictures."""
        if urls:
            self._write("DELETE FROM picture WHERE url = ?", [(url,) for url in urls])


@from_row
def _picture(state: str) -> StoredPicture:
    picture = codec.decode(state, StoredPicture)
    if picture.kind not in {None, *KINDS}:
        raise ValueError("it is of no kind of picture")
    return picture
