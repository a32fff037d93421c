"""Whatever a server can answer, or a request raise → a FetchError whose words help the operator."""

from __future__ import annotations

import re
import socket
import ssl
from http.client import HTTPException, IncompleteRead
from typing import TYPE_CHECKING

from requests import exceptions as requests_errors
from urllib3 import exceptions as urllib3_errors

from planet.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.fetch.exchange import Exchange

REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NO_FEEDS = ("image/", "video/", "audio/")
# Not octet-stream: servers that do not know feeds call them so.
_ARCHIVES = frozenset({"application/zip", "application/x-zip", "application/x-zip-compressed"})
_STATUS = {
    401: "asks for a user name and password (set auth for this feed)",
    403: "forbids us to read it",
    404: "says there is nothing at this address; check it for a typing error",
    410: "says the feed is gone for good; remove it from the list",
    429: "asks us to come less often",
    451: "withholds it for legal reasons",
}
_BLANKS = b"\xef\xbb\xbf\xfe\xff\0 \t\r\n"
_EDGE = 1024
_BLANK = re.compile(rb"[%b]*" % _BLANKS)
# A page begins with its root, a feed may have much before it, a page among that.
_PAGE = re.compile(
    rb"[%b]*+(?>(?:<!--.*?-->|<\?.*?\?>)\s*)*+<(?:!doctype\s+html|html)\b" % _BLANKS,
    re.IGNORECASE | re.DOTALL,
)
_ROOT = re.compile(rb"<((?:[a-z_][\w.-]*:)?(?:rss|feed|rdf))(?=[\s/>])", re.IGNORECASE)


def check(exchange: Exchange) -> None:
    """See by status and headers whether an answer is of any use.

    A redirect is, and a 304 to a request that named validators, and a 200 that may have a feed in
    it.

    Raises:
        FetchError: it is not.
    """
    status, headers = exchange.status or 0, exchange.headers
    if status in REDIRECTS or (status == 304 and exchange.conditional):
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
    if status != 200:
        raise _of_status(status)
    said = _media_type(headers)
    if said in _ARCHIVES or said.startswith(_NO_FEEDS):
        raise FetchError("not_a_feed", f"the server sends no feed, but {said[:40]!r}")


def check_body(body: bytes, *, pages: bool) -> None:
    """See whether a decoded body may be kept in place of the one before it.

    `pages` says whether a web page may be the feed.

    Raises:
        FetchError: it is blank, or a web page where a feed was: whoever put that there, what is
            known of the feed still holds.
    """
    if _BLANK.fullmatch(body):
        raise FetchError("empty", "the answer is empty")
    if not pages and _PAGE.match(body) and not _ROOT.search(body):
        raise FetchError("not_a_feed", "this is a web page, not a feed")


def breaks_off(body: bytes) -> bool:
    """Whether a document has a beginning and no end."""
    root = _ROOT.search(body)
    if root is not None:
        # Its last character is lost more often than its last word.
        return body.rfind(b"</" + root[1]) < root.end()
    is_json = body[:_EDGE].lstrip(_BLANKS).startswith(b"{")
    return is_json and not body[-_EDGE:].rstrip(_BLANKS).endswith(b"}")


def _of_status(status: int) -> FetchError:
    if status in _STATUS:
        words = _STATUS[status]
    elif status >= 500:
        words = "has a problem of its own"
    else:
        words = "did not send the feed"
    return FetchError(f"http_{status}", f"the server {words} (HTTP {status})")


def _is_challenge(status: int, headers: Mapping[str, str]) -> bool:
    """Whether it is a page that lets browsers through only (R28)."""
    if status == 429:
        return False  # it says when to come back, which the page does not
    if headers.get("cf-mitigated", "").strip().lower() == "challenge":
        return True
    from_cloudflare = headers.get("server", "").strip().lower() == "cloudflare"
    return status == 403 and from_cloudflare and _media_type(headers) == "text/html"


def _media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def out_of_time() -> FetchError:
    """The failure of a visit that the run did not let come to its end: nobody's fault."""
    return FetchError("out_of_time", "the time of the run was up before the answer had come")


def of_exception(error: Exception) -> FetchError:
    """The failure behind an exception that a request raised."""
    causes = list(_causes(error))
    for kind, words, types in _NETWORK:
        if any(isinstance(cause, types) for cause in causes):
            return FetchError(kind, words)
    # requests and its libraries promise no set of exceptions: hostile input raises many others.
    return FetchError("broken_answer", f"the answer is not proper HTTP ({type(error).__name__})")


_NETWORK: tuple[tuple[str, str, tuple[type[BaseException], ...]], ...] = (
    ("dns", "there is no server of that name", (urllib3_errors.NameResolutionError,)),
    (
        "tls",
        "the server's certificate is not valid for it, or TLS fails",
        (ssl.SSLError, urllib3_errors.SSLError),
    ),
    # Before connect_timeout: urllib3's NewConnectionError is a ConnectTimeoutError, too.
    ("refused", "the server refuses the connection", (ConnectionRefusedError,)),
    ("unreachable", "the server cannot be reached", (urllib3_errors.NewConnectionError,)),
    (
        "connect_timeout",
        "the server does not answer the call",
        (urllib3_errors.ConnectTimeoutError, requests_errors.ConnectTimeout),
    ),
    (
        "timeout",
        "the server sent nothing for too long",
        (urllib3_errors.ReadTimeoutError, requests_errors.ReadTimeout, socket.timeout),
    ),
    (
        "truncated",
        "the connection ended before the answer was complete",
        (IncompleteRead, ConnectionError),
    ),
    ("broken_answer", "the answer is not proper HTTP", (HTTPException, urllib3_errors.HTTPError)),
)


CONNECTION = frozenset(kind for kind, *_ in _NETWORK)
"""The kinds of error that say nothing but that the connection was of no use."""


def _causes(error: BaseException) -> list[BaseException]:
    """The exception and everything it was raised from, or wraps, outermost first."""
    found: list[BaseException] = []
    waiting: list[BaseException] = [error]
    while waiting:
        cause = waiting.pop()
        if cause in found:
            continue
        found.append(cause)
        wrapped = [*cause.args, getattr(cause, "reason", None), cause.__cause__, cause.__context__]
        waiting += [item for item in wrapped if isinstance(item, BaseException)]
    return found
