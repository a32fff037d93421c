"""What bodies said when they were read, in a folder: one file a feed, for those who ask often."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import blake2b
from threading import get_ident
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import asdict

from planet import __version__
from planet.errors import ParseError
from planet.model import NewEntry, ParseResult, Profile
from planet.parse import PARSER
from planet.parse.discovery import Alternate
from planet.store import from_plain, micros, moment, plain

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class StoredResult(msgspec.Struct, frozen=True, kw_only=True):
    """What was made of a body."""

    body_hash: str
    url: str
    """The address that answered."""
    result: ParseResult | ParseError
    named: tuple[Alternate, ...] = ()
    """The feeds that it names."""
    status: int | None = None
    """The HTTP status with which it came."""
    headers: Mapping[str, str] = {}
    is_page: bool | None = None
    """Whether a page was taken for a feed; None where it made no difference."""


_MADE_BY = f"{__version__} {PARSER}"


class Results:
    """The results of a folder, which threads and processes may use at once.

    Its files are JSON: nothing in them can be run. What cannot be written, or is not understood,
    is not there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> StoredResult | None:
        """Return what was stored for a feed; None after an update of Planet."""
        # Damage has no one kind.
        with suppress(OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            record = json.loads(self._file(key).read_bytes())
            if record.pop("made_by") == _MADE_BY:
                return _from_json(record)
        return None

    def put(self, key: str, result: StoredResult) -> None:
        """Store a result in place of the one before."""
        file = self._file(key)
        # A name for each who writes; the last one to end is right.
        beside = file.with_suffix(f".{os.getpid()}-{get_ident()}")
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                beside.write_text(json.dumps({"made_by": _MADE_BY, **_to_json(result)}))
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


def _to_json(stored: StoredResult) -> dict[str, Any]:
    result = stored.result
    read: dict[str, Any] = {}
    if isinstance(result, ParseError):
        read["error"] = [result.kind, str(result)]
    else:
        read["profile"] = plain(result.profile)
        read["drafts"] = [plain(draft) for draft in result.drafts]
        read["ids"], read["notes"] = result.ids, result.notes
        read["posted"] = [micros(at) for at in result.posted]
        read["oldest"] = micros(result.oldest)
    return {
        "body_hash": stored.body_hash,
        "url": stored.url,
        "named": [asdict(alternate) for alternate in stored.named],
        "status": stored.status,
        "headers": dict(stored.headers),
        "is_page": stored.is_page,
        **read,
    }


def _from_json(record: dict[str, Any]) -> StoredResult:
    """Return a result from its record.

    Raises:
        ArithmeticError, AttributeError, LookupError, TypeError, ValueError: it is none.
    """
    result: ParseResult | ParseError
    if "error" in record:
        kind, words = record["error"]
        result = ParseError(kind, words)
    else:
        result = ParseResult(
            profile=Profile(**from_plain(Profile, record["profile"])),
            drafts=tuple(NewEntry(**from_plain(NewEntry, draft)) for draft in record["drafts"]),
            ids=tuple(record["ids"]),
            posted=tuple(map(moment, record["posted"])),
            oldest=moment(record["oldest"]),
            notes=tuple(record["notes"]),
        )
    return StoredResult(
        body_hash=record["body_hash"],
        url=record["url"],
        result=result,
        named=tuple(Alternate(**alternate) for alternate in record["named"]),
        status=record["status"],
        headers=record["headers"],
        is_page=record["is_page"],
    )
