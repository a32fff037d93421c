"""A body: collected from the wire and decoded without filling memory, few large ones at a time."""

from __future__ import annotations

from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING

from planet.errors import StateError
from planet.fetch.coding import decode
from planet.fetch.limits import CHUNK, SMALL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.fetch.room import Place


class Collected:
    """What has come of a body so far, all but a little of it on disk.

    So a server that sends much and then nothing holds no memory. `collecting` makes one.
    """

    def __init__(self, file: SpooledTemporaryFile[bytes]) -> None:
        self._file = file
        self.size = 0

    def add(self, chunk: bytes) -> None:
        """Append what came.

        Raises:
            StateError: the folder for temporary files is full, or cannot be written.
        """
        try:
            self._file.write(chunk)
        except OSError as error:
            raise StateError(f"no temporary file can be written: {error}") from error
        self.size += len(chunk)

    def body(self, content_encoding: str, *, limit: int, place: Place) -> bytes:
        """The decoded body, at most `limit` bytes; `place` is taken before a large one is loaded.

        Raises:
            FetchError: as `coding.decode`.
        """
        with collecting() as decoded:
            for piece in decode(self._pieces(), content_encoding, limit=limit):
                decoded.add(piece)
            if decoded.size > SMALL:
                place.take()
            return decoded._whole()

    def _pieces(self) -> Iterator[bytes]:
        self._file.seek(0)
        while piece := self._file.read(CHUNK):
            yield piece

    def _whole(self) -> bytes:
        self._file.seek(0)
        return self._file.read()


@contextmanager
def collecting() -> Iterator[Collected]:
    """A body that is about to come."""
    with SpooledTemporaryFile(max_size=SMALL) as file:
        yield Collected(file)
