"""One request with the outcome, and the errors of answers and connections.

The request object carries all facts of an answer for later stages.
"""

from __future__ import annotations

import re
import ssl
import time
from dataclasses import KW_ONLY, InitVar, dataclass, field
from http.client import IncompleteRead
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

    from planet.http.guard import Guard


REDIRECTS = frozenset({301, 302, 303, 307, 308})
CONDITIONS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
"""Validators, and the header fields that name them in a request."""


class AnswerRules(Protocol):
    """The possible forms of an answer, by the reader. The same in all threads and processes."""

    accept: str
    """The header Accept of a request."""
    keeps_body: bool
    """Whether the cache keeps the body beside validators; False where the body is kept
    elsewhere."""

    def check_type(self, media_type: str) -> None:
        """Check the media type of an answer, in lower case.

        Raises:
            FetchError: such an answer is of no use.
        """
        return

    def check_body(self, body: bytes, *, pages: bool) -> None:
        """Check an unpacked body; with `pages`, a web page is welcome.

        Raises:
            FetchError: the body is of no use, and the one before still holds.
        """
        return

    def breaks_off(self, body: bytes) -> bool:
        """Return whether a body has a beginning and no end."""
        return False


@dataclass
class AnyAnswer(AnswerRules):
    """The rules for answers of any kind; the cache keeps their validators alone."""

    accept: str
    keeps_body: bool = False


@dataclass(eq=False, repr=False)
class FeedRequest(PreparedRequest):
    """A GET with limits, sent as written, and with the outcome, to be filled in."""

    address: str
    fields: InitVar[Mapping[str, str]]
    """The header fields to begin with."""
    _: KW_ONLY
    seconds: InitVar[float]
    """The time limit of the exchange, which begins now."""
    max_size: int
    guard: Guard
    rules: AnswerRules
    asked_at: datetime
    pages: bool = True
    """Whether the answer may be a web page."""
    is_conditional: bool = False
    """Whether the request names a validator."""
    status: int | None = None
    received: dict[str, str] = field(default_factory=dict)
    """The header fields of the answer, names in lower case."""
    content: bytes = b""
    """The unpacked body of a whole answer."""
    bytes_received: int = 0
    """Bytes of the body, as on the wire."""
    wire_size: int = 0
    """Bytes of the whole answer so far."""
    cut_off: bool = False
    """Whether the document breaks off unnoticed by the connection, and is not kept."""
    took: float = 0.0
    """Seconds until the answer was complete, or the exchange failed."""
    is_first: bool = False
    """Whether the request is the first over its connection."""

    def __post_init__(self, fields: Mapping[str, str], seconds: float) -> None:
        super().__init__()
        self.method, self.url = "GET", self.address
        self.headers = CaseInsensitiveDict({**fields, "Accept-Encoding": "gzip"})
        self.ended_at = self.asked_at
        self.ends = time.monotonic() + seconds

    def time_for(self, limit: float) -> float:
        """Return the seconds to wait for one thing: the rest of the time, but at most `limit`.

        Raises:
            FetchError: nothing is left.
        """
        left = self.ends - time.monotonic()
        if left <= 0:
            raise FetchError("timeout", _TOO_SLOW)
        return min(left, limit)

    @property
    def same_etag(self) -> bool:
        """Whether a whole answer came with the very ETag of the request."""
        etag = self.received.get("etag", "").strip(" \t")
        return self.status in WHOLE and self.headers.get("If-None-Match") == etag


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

    A redirect is, and a 304 to a request that named validators, and a whole answer of a welcome
    type.

    Raises:
        FetchError: the answer is of no use.
    """
    status, headers = request.status or 0, request.received
    if status in REDIRECTS or (status == 304 and request.is_conditional):
        return
    if status == 304:
        raise FetchError("unexpected_304", "the server says 'not modified', of no known version")
    kind = media_type(headers.get("content-type"))
    from_cloudflare = headers.get("server", "").strip().lower() == "cloudflare"
    is_challenge = headers.get("cf-mitigated", "").strip().lower() == "challenge"
    is_challenge |= status == 403 and from_cloudflare and kind == "text/html"
    # R28 in docs/politeness.md. A 429 says when to come back, which the page does not.
    if is_challenge and status != 429:
        words = f"the server lets only browsers in (HTTP {status}); its operator can admit us, too"
        raise FetchError("bot_challenge", words)
    if status not in WHOLE:
        usual = "has a problem of its own" if status >= 500 else "did not send the feed"
        words = f"the server {_STATUS.get(status, usual)} (HTTP {status})"
        raise FetchError(f"http_{status}", words)
    request.rules.check_type(kind)


def make_proxy_error(status: str | int | None) -> FetchError:
    """Make the error of a proxy in the way; `status` is the answer of the proxy."""
    if str(status) == "407":
        words = "the proxy asks for a user name and password (put them into its address)"
        return FetchError("proxy", f"{words} (HTTP {status})")
    words = "the proxy does not connect us to the server"
    # A proxy that answers may tell of the server.
    return FetchError("unreachable", f"{words} (HTTP {status})" if status else words)


def make_fetch_error(error: BaseException) -> FetchError:
    """Make the error for an exception of requests, by the causes."""
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) and cause not in causes:
        causes.append(cause)
    if any(isinstance(one, ProxyError) for one in causes):
        match = re.search(r"Tunnel connection failed: (\d{3})", " ".join(map(str, causes)))
        return make_proxy_error(match and match[1])
    for kind, (types, words) in _NETWORK.items():
        if any(isinstance(one, types) for one in causes):
            return FetchError(kind, words)
    # requests promises no set of exceptions: hostile input raises many others.
    return FetchError("broken_answer", f"the answer is not proper HTTP ({type(error).__name__})")


_TOO_SLOW = "the server took too long to answer"
_NETWORK: dict[str, tuple[type[BaseException] | tuple[type[BaseException], ...], str]] = {
    "dns": (LocationParseError, "there is no server of that name"),
    "tls": (ssl.SSLError, "the server's certificate is not valid for it, or TLS fails"),
    "timeout": (TimeoutError, _TOO_SLOW),
    "truncated": ((IncompleteRead, ConnectionError), "the connection ended within the answer"),
}
