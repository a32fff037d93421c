"""What bodies said when they were read, in a folder: one file a feed, for those who ask often."""

from __future__ import annotations

import os
from collections.abc import Mapping  # noqa: TC003 - the same
from contextlib import suppress
from hashlib import blake2b
from threading import get_ident
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from planet import __version__
from planet.errors import ParseError
from planet.model import ParseResult  # noqa: TC001 - msgspec looks it up
from planet.model.decoding import decoder_of
from planet.parse import PARSER
from planet.parse.discovery import Alternate  # noqa: TC001 - the same

if TYPE_CHECKING:
    from pathlib import Path


_MADE_BY = f"{__version__} {PARSER}"


class StoredResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was made of a body: a result, or why there is none."""

    body_hash: str
    url: str
    """The address that answered."""
    result: ParseResult | None = None
    error_kind: str | None = None
    """As in `ParseError`."""
    error: str | None = None
    named: tuple[Alternate, ...] = ()
    """The feeds that it names."""
    status: int | None = None
    """The HTTP status with which it came."""
    headers: Mapping[str, str] = {}
    is_page: bool | None = None
    """Whether a page was taken for a feed; None where it made no difference."""
    made_by: str = ""
    """The versions of Planet and its parser."""

    @property
    def outcome(self) -> ParseResult | ParseError:
        """The result, or the error that reading the body ended with."""
        return self.result or ParseError(self.error_kind or "", self.error or "")


class Results:
    """The results of a folder, which threads and processes may use at once.

    Its files are JSON: nothing in them can be run. What cannot be written, or is not understood,
    is not there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> StoredResult | None:
        """Return what was stored for a feed; None after an update of Planet."""
        with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            stored = decoder_of(StoredResult)(self._file(key).read_bytes())
            return stored if stored.made_by == _MADE_BY else None
        return None

    def put(self, key: str, result: StoredResult) -> None:
        """Store a result in place of the one before."""
        file = self._file(key)
        # A name for each who writes; the last one to end is right.
        beside = file.with_suffix(f".{os.getpid()}-{get_ident()}")
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                beside.write_bytes(msgspec.json.encode(replace(result, made_by=_MADE_BY)))
                beside.replace(file)
            finally:
                beside.unlink(missing_ok=True)

    def drop(self, key: str) -> None:
        """Let go of what is stored for a feed."""
        with suppress(OSError):
            self._file(key).unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        name = blake2b(key.encode("utf-8", "replace"), digest_size=16).hexdigest()
        return self._folder / f"{name}.json"
