"""One request and what really came back, beside what requests-cache makes of it.

requests-cache is shown the validators only (see `adapter`); everything else of an answer that
later stages want to know travels on the request object itself.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from requests import PreparedRequest
from requests.structures import CaseInsensitiveDict

from planet.model import Conditions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from planet.fetch.deadline import Deadline
    from planet.fetch.guard import Guard
    from planet.fetch.room import Place
    from planet.model import Signature


_CONDITIONS = frozenset({"If-None-Match", "If-Modified-Since"})


@dataclass(slots=True, kw_only=True)
class Exchange:
    """What one request may do, and what it brought, filled in by the adapter."""

    url: str
    kept_as: str
    """The name under which the answer is kept; see `kept_as`."""
    conditions: Conditions
    max_size: int
    deadline: Deadline
    guard: Guard
    place: Place
    pages: bool
    """Whether a web page may be what is asked for."""
    asked_at: datetime
    ended_at: datetime
    signature: Signature | None = None
    """How the request is signed."""
    etag: str | None = None
    """What the request said in If-None-Match."""
    conditional: bool = False
    """Whether the request named a validator."""
    status: int | None = None
    headers: CaseInsensitiveDict[str] = field(default_factory=CaseInsensitiveDict)
    bytes_received: int = 0
    cut_off: bool = False
    """Whether the document breaks off, and the connection could not tell: it is not kept."""
    took: float = 0.0
    """Seconds until the answer was complete, or the exchange failed."""

    @property
    def over_at(self) -> float:
        """When it was over, on the monotonic clock."""
        return self.deadline.began + self.took

    @property
    def same_etag(self) -> bool:
        """Whether a whole answer came with the very ETag that the request named."""
        said = self.headers.get("ETag", "").strip(" \t")
        return self.status == 200 and self.etag is not None and said == self.etag

    def is_over(self) -> None:
        """The wire is done with: the time limit ends here."""
        self.took = time.monotonic() - self.deadline.began
        self.deadline.release()


def kept_as(key: str, url: str) -> str:
    """The name under which what an address answers to a feed's requests is kept on disk.

    Each feed has its own: what it has not read yet is not "not modified" because another has, and
    what its credentials open is not for others.
    """
    return f"{url}\n{key}"


class FeedRequest(PreparedRequest):
    """A GET that is sent as it is, without session defaults, and carries its exchange."""

    def __init__(self, url: str, headers: Mapping[str, str], exchange: Exchange) -> None:
        super().__init__()
        self.method = "GET"
        self.url = url
        self.headers = CaseInsensitiveDict(headers)
        self.exchange = exchange

    def settle(self) -> None:
        """Name only those validators, of all that requests-cache put in, that are wanted."""
        wanted = self.exchange.conditions
        by_date = "If-Modified-Since" in self.headers
        if wanted is Conditions.NONE or (wanted is Conditions.DATE and by_date):
            self.headers.pop("If-None-Match", None)
        if wanted is Conditions.NONE:
            self.headers.pop("If-Modified-Since", None)
        self.exchange.etag = self.headers.get("If-None-Match")
        self.exchange.conditional = not _CONDITIONS.isdisjoint(self.headers)
