"""One request, what came back, and what that means.

Everything of an answer that later stages want to know travels on the request object itself.
"""

from __future__ import annotations

import ssl
from dataclasses import KW_ONLY, InitVar, dataclass, field
from http.client import HTTPException, IncompleteRead
from typing import TYPE_CHECKING, Protocol

from requests import PreparedRequest
from requests.structures import CaseInsensitiveDict

from planet.errors import FetchError
from planet.model import WHOLE
from planet.text.headers import media_type

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from planet.http.guard import Guard
    from planet.http.limits import Deadline
    from planet.model import Conditions, Signature


def cache_name(key: str, url: str) -> str:
    """Return the name in the cache of what an address answers to the feed with this key.

    Each feed has its own: an answer that another feed has read is still new to this one, and what
    its credentials open is not for others.
    """
    return f"{url}\n{key}"


class AnswerRules(Protocol):
    """What may be an answer, by whoever reads it. The same in all threads and processes."""

    accept: str
    """What a request says in Accept."""
    keeps_body: bool
    """Whether the cache keeps the body beside its validators; False where it is kept elsewhere."""

    def check_type(self, media_type: str) -> None:
        """Check whether an answer of a media type, in lower case, may be it.

        Raises:
            FetchError: it is not.
        """

    def check_body(self, body: bytes, *, pages: bool) -> None:
        """Check whether a body, unpacked, may be it; with `pages`, it may be a web page.

        Raises:
            FetchError: it is not, and what was known before still holds.
        """

    def breaks_off(self, body: bytes) -> bool:
        """Return whether a body has a beginning and no end."""


@dataclass(eq=False, repr=False)
class FeedRequest(PreparedRequest):
    """A GET that is sent as it is, what it may do, and what it brought: that is filled in."""

    address: str
    fields: InitVar[Mapping[str, str]]
    """The header fields to begin with."""
    _: KW_ONLY
    cache_name: str
    """The name under which the answer is kept; see `cache_name`."""
    conditions: Conditions
    max_size: int
    deadline: Deadline
    guard: Guard
    take_slot: Callable[[], None]
    """Waits until a large body may be held."""
    rules: AnswerRules
    pages: bool
    """Whether a web page may be what is asked for."""
    asked_at: datetime
    signature: Signature | None = None
    status: int | None = None
    received: dict[str, str] = field(default_factory=dict)
    """The header fields of the answer, names in lower case."""
    bytes_received: int = 0
    cut_off: bool = False
    """Whether the document breaks off, and the connection could not tell: it is not kept."""
    took: float = 0.0
    """Seconds until the answer was complete, or the exchange failed."""

    def __post_init__(self, fields: Mapping[str, str]) -> None:
        super().__init__()
        self.method, self.url = "GET", self.address
        self.headers = CaseInsensitiveDict(fields)
        self.ended_at = self.asked_at

    def __getstate__(self) -> dict[str, object]:
        """Leave out what belongs to this process, so that a finished request can be pickled."""
        return {**vars(self), "take_slot": None}

    @property
    def etag(self) -> str | None:
        """What the request says in If-None-Match."""
        return self.headers.get("If-None-Match")

    @property
    def is_conditional(self) -> bool:
        """Whether the request names a validator."""
        return self.etag is not None or "If-Modified-Since" in self.headers

    @property
    def over_at(self) -> float:
        """When it was over, on the monotonic clock."""
        return self.deadline.began + self.took

    @property
    def same_etag(self) -> bool:
        """Whether a whole answer came with the very ETag that the request named."""
        etag = self.received.get("etag", "").strip(" \t")
        return self.status in WHOLE and self.etag is not None and etag == self.etag


REDIRECTS = frozenset({301, 302, 303, 307, 308})
_STATUS = {
    401: "asks for a user name and password (set auth for this feed)",
    403: "forbids us to read it",
    404: "says there is nothing at this address; check it for a typing error",
    410: "says the feed is gone for good; remove it from the list",
    429: "asks us to come less often",
    451: "withholds it for legal reasons",
}


def check_answer(request: FeedRequest) -> None:
    """Check by status and headers whether an answer is of any use.

    A redirect is, and a 304 to a request that named validators, and a whole answer of a type that
    may be what was asked for.

    Raises:
        FetchError: it is not.
    """
    status, headers = request.status or 0, request.received
    if status in REDIRECTS or (status == 304 and request.is_conditional):
        return
    if status == 304:
        raise FetchError(
            "unexpected_304", "the server says 'not modified' to a request that named no version"
        )
    if _is_challenge(status, headers):
        raise FetchError(
            "bot_challenge",
            f"the server asks whether we are a browser, and we are not (HTTP {status}); "
            "its operator can let us through",
        )
    if status not in WHOLE:
        words = _STATUS.get(status)
        if words is None:
            words = "has a problem of its own" if status >= 500 else "did not send the feed"
        raise FetchError(f"http_{status}", f"the server {words} (HTTP {status})")
    request.rules.check_type(media_type(headers.get("content-type")))


def _is_challenge(status: int, headers: Mapping[str, str]) -> bool:
    """Return whether it is a page that lets only browsers through (R28 in docs/politeness.md)."""
    if status == 429:
        return False  # it says when to come back, which the page does not
    if headers.get("cf-mitigated", "").strip().lower() == "challenge":
        return True
    from_cloudflare = headers.get("server", "").strip().lower() == "cloudflare"
    return (
        status == 403 and from_cloudflare and media_type(headers.get("content-type")) == "text/html"
    )


def make_out_of_time_error() -> FetchError:
    """Make the error of a visit that the end of the run cut off: nobody's fault."""
    return FetchError("out_of_time", "the time of the run was up before the answer had come")


def make_fetch_error(error: Exception) -> FetchError:
    """Make the error for an exception that came from a connection."""
    for types, kind, words in _NETWORK:
        if isinstance(error, types):
            return FetchError(kind, words)
    # http.client promises no set of exceptions: hostile input raises many others.
    return FetchError("broken_answer", f"the answer is not proper HTTP ({type(error).__name__})")


_NETWORK: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str, str], ...] = (
    (ssl.SSLError, "tls", "the server's certificate is not valid for it, or TLS fails"),
    (TimeoutError, "timeout", "the server sent nothing for too long"),
    (
        (IncompleteRead, ConnectionError),
        "truncated",
        "the connection ended before the answer was complete",
    ),
    (HTTPException, "broken_answer", "the answer is not proper HTTP"),
)


CONNECTION = frozenset(
    {"dns", "refused", "unreachable", "connect_timeout", *(kind for _, kind, _ in _NETWORK)}
)
"""The kinds of error that say nothing but that the connection was of no use."""
