"""What bodies said when they were read, in a folder: one file a feed, for those who ask often."""

from __future__ import annotations

import os
import pickle
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from threading import get_ident
from typing import TYPE_CHECKING, Any

from planet import __version__
from planet.parse import PARSER

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResult:
    """What was made of a body."""

    body_hash: str | None
    url: str
    """The address that answered."""
    document: Any
    is_page: bool | None
    """Whether a page was taken for a feed; None where it made no difference."""


_MADE_BY = f"{__version__} {PARSER}"


class Results:
    """The results of a folder, which threads and processes may use at once.

    Only this program writes there, and the folder is the user's own: its files are pickles. What
    cannot be written, or is not understood, is not there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> StoredResult | None:
        """Return what was stored for a feed; None after an update of Planet."""
        # Whatever is wrong with a pickle may raise anything.
        with suppress(Exception):
            made_by, result = pickle.loads(self._file(key).read_bytes())  # noqa: S301 - see above
            if made_by == _MADE_BY and isinstance(result, StoredResult):
                return result
        return None

    def put(self, key: str, result: StoredResult) -> None:
        """Store a result in place of the one before."""
        file = self._file(key)
        # A name for each who writes; the last one to end is right.
        beside = file.with_suffix(f".{os.getpid()}-{get_ident()}")
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                beside.write_bytes(pickle.dumps((_MADE_BY, result)))
                beside.replace(file)
            finally:
                beside.unlink(missing_ok=True)

    def drop(self, key: str) -> None:
        """Let go of what is stored for a feed."""
        with suppress(OSError):
            self._file(key).unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        name = blake2b(key.encode("utf-8", "replace"), digest_size=16).hexdigest()
        return self._folder / f"{name}.pickle"
