"""One request, what came back, and what that means.

Everything of an answer that later stages want to know travels on the request object itself.
"""

from __future__ import annotations

import re
import socket
import ssl
import time
from contextlib import suppress
from dataclasses import KW_ONLY, InitVar, dataclass, field
from http.client import HTTPException, IncompleteRead
from typing import TYPE_CHECKING, Protocol

from requests import PreparedRequest
from requests.structures import CaseInsensitiveDict
from urllib3.exceptions import LocationParseError, ProxyError

from planet.errors import FetchError
from planet.model import WHOLE
from planet.text.headers import media_type

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from planet.http.guard import Guard, NameCache
    from planet.model import Conditions, Signature


def cache_name(key: str, url: str) -> str:
    """Return the name in the cache of what an address answers to the feed with this key.

    Each feed has its own: an answer that another feed has read is still new to this one, and what
    its credentials open is not for others.
    """
    return f"{url}\n{key}"


def make_timeout_error() -> FetchError:
    """Make the error of an exchange that was past its deadline."""
    return FetchError("timeout", "the server did not finish its answer in time")


class Deadline:
    """The time limit of one exchange, which begins when this is made."""

    def __init__(self, seconds: float) -> None:
        self.began = time.monotonic()
        self.ends = self.began + seconds

    @property
    def remaining(self) -> float:
        """Seconds left; zero or less at the end."""
        return self.ends - time.monotonic()

    def within(self, limit: float) -> float:
        """Return the seconds to wait for one thing: what is left, but no more than `limit`.

        Raises:
            FetchError: nothing is left.
        """
        left = self.remaining
        if left <= 0:
            raise make_timeout_error()
        return min(left, limit)


class AnswerRules(Protocol):
    """What may be an answer, by whoever reads it. The same in all threads and processes."""

    accept: str
    """The header Accept of a request."""
    keeps_body: bool
    """Whether the cache keeps the body beside validators; False where the body is kept
    elsewhere."""

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


@dataclass
class AnyAnswer:
    """The rules for answers that whoever asks looks at: nothing of them is kept but validators."""

    accept: str
    unwanted: tuple[str, ...] = ()
    """How the media types begin of answers that are not read."""
    keeps_body: bool = False

    def check_type(self, media_type: str) -> None:
        """Refuse what is unwanted."""
        if media_type.startswith(self.unwanted):
            raise FetchError("not_a_feed", f"the server sends no page, but {media_type[:40]!r}")

    def check_body(self, body: bytes, *, pages: bool) -> None:
        """Accept any body."""

    def breaks_off(self, body: bytes) -> bool:
        """Return False: only the connection can tell."""
        return False


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
    rules: AnswerRules
    pages: bool
    """Whether the answer may be a web page."""
    asked_at: datetime
    signature: Signature | None = None
    status: int | None = None
    received: dict[str, str] = field(default_factory=dict)
    """The header fields of the answer, names in lower case."""
    bytes_received: int = 0
    cut_off: bool = False
    """Whether the document breaks off unnoticed by the connection, and is not kept."""
    took: float = 0.0
    """Seconds until the answer was complete, or the exchange failed."""
    names: NameCache = field(init=False)
    """Where names lead."""
    sock: socket.socket | None = None
    """The connection of the request."""
    is_first: bool = False
    """Whether the request is the first over that connection."""
    has_answered: bool = False
    """Whether anything of the answer has come."""

    def __post_init__(self, fields: Mapping[str, str]) -> None:
        super().__init__()
        self.method, self.url = "GET", self.address
        self.headers = CaseInsensitiveDict(fields)
        self.ended_at = self.asked_at

    def cut(self) -> None:
        """Have whoever waits for the answer wait no longer; called from another thread."""
        self.deadline.ends = 0.0
        if self.sock is not None:
            with suppress(OSError):  # closed by the other side: as good as cut
                self.sock.shutdown(socket.SHUT_RDWR)

    @property
    def etag(self) -> str | None:
        """The header If-None-Match of the request."""
        return self.headers.get("If-None-Match")

    @property
    def is_conditional(self) -> bool:
        """Whether the request names a validator."""
        return self.etag is not None or "If-Modified-Since" in self.headers

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


def make_proxy_error(status: int | None) -> FetchError:
    """Make the error of a proxy that does not let us through; `status` is what it answered."""
    words = {
        403: "the proxy does not let us connect to the server",
        407: "the proxy asks for a user name and password (put them into its address)",
    }.get(status or 0, "the proxy does not connect us to the server")
    return FetchError("unreachable", f"{words} (HTTP {status})" if status else words)


def make_fetch_error(error: BaseException, deadline: Deadline) -> FetchError:
    """Make the error for an exception that came from requests, by what caused it."""
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) and cause not in causes:
        causes.append(cause)
    if any(isinstance(one, ProxyError) for one in causes):
        status = re.search(r"Tunnel connection failed: (\d{3})", " ".join(map(str, causes)))
        return make_proxy_error(int(status[1]) if status else None)
    for types, kind, words in _NETWORK:
        if any(isinstance(one, types) for one in causes):
            is_late = kind in ("timeout", "truncated") and deadline.remaining <= 0
            return make_timeout_error() if is_late else FetchError(kind, words)
    # requests promises no set of exceptions: hostile input raises many others.
    return FetchError("broken_answer", f"the answer is not proper HTTP ({type(error).__name__})")


_NETWORK: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str, str], ...] = (
    (LocationParseError, "dns", "there is no server of that name"),
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
