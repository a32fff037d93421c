"""A feed that is a file: read from disk, as any answer would be."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from planet.errors import FetchError
from planet.fetch.coding import too_large
from planet.model import Fetched

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from planet.model import Turn


def read(turn: Turn, *, clock: Callable[[], datetime]) -> Fetched:
    """What the file says now. Never raises FeedError."""
    started = clock()
    error: FetchError | None = None
    body: bytes | None = None
    try:
        body = _bytes(turn.feed.url, turn.feed.asking.max_size)
    except FetchError as failure:
        error = failure
    digest = hashlib.sha256(body).hexdigest() if body is not None else None
    return Fetched(
        started=started,
        ended=clock(),
        url=turn.feed.url,
        body=None if digest == turn.known_hash else body,
        body_hash=digest,
        error=error,
    )


def _bytes(url: str, limit: int) -> bytes:
    path = Path(unquote(urlsplit(url).path))
    try:
        if not path.is_file():
            raise FetchError("no_file", f"there is no file {path}")
        with path.open("rb") as file:
            body = file.read(limit + 1)
    except OSError as error:
        raise FetchError("no_file", f"{path} cannot be read: {error.strerror}") from error
    if len(body) > limit:
        raise too_large(limit)
    if not body:
        raise FetchError("empty", f"{path} is empty")
    return body
