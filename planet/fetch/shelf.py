"""Bodies on disk: under which names, and whether there is anything new in one."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from planet.fetch.exchange import kept_as
from planet.fetch.trail import without_user
from planet.model import Fetched

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from requests import Response
    from requests_cache.models.response import CachedResponse

    from planet.fetch.session import FeedSession
    from planet.model import Feed, Turn


def recall(turn: Turn, *, session: FeedSession, clock: Callable[[], datetime]) -> Fetched | None:
    """The body on disk when its entries are not stored yet; None when there is nothing to do."""
    for name in names_of(turn.feed, turn.answered_url, turn.adopted_url):
        stored = session.cached(name)
        if stored is not None:
            body, body_hash = unread(stored.content, turn)
            if body is None:
                continue
            now = clock()
            return Fetched(
                started=now,
                ended=now,
                url=stored.url,
                body=body,
                body_hash=body_hash,
                validators=validators_of(stored),
                asked=False,
            )
    return None


def names_of(feed: Feed, *others: str | None) -> list[str]:
    """The names under which a feed's body may be on disk, the likeliest first.

    `others` are the addresses beside its own at which it may have been found.
    """
    return [kept_as(feed.key, url) for url in (*others, without_user(feed.url)[0]) if url]


def validators_of(kept: CachedResponse | Response) -> frozenset[str]:
    """Which validators a body is kept with; of an answer's header fields only these are kept."""
    return frozenset(name.lower() for name in kept.headers)


def unread(content: bytes, turn: Turn) -> tuple[bytes | None, str]:
    """The body and its hash if it is not the one whose entries are stored, else the hash only.

    That holds for what a 304 says of a body on disk, too: another address may have answered since
    it was read, and what that said is no news of this one.
    """
    digest = hashlib.sha256(content).hexdigest()
    return (None if digest == turn.known_hash else content), digest
