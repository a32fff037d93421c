"""Whatever a request can raise → a FetchError whose words help the operator."""

from __future__ import annotations

import socket
import ssl
from http.client import HTTPException, IncompleteRead

from requests import exceptions as requests_errors
from urllib3 import exceptions as urllib3_errors

from planet.errors import FetchError

_STATUS = {
    401: "asks for a user name and password (set auth for this feed)",
    403: "forbids us to read it",
    404: "says there is nothing at this address; check it for a typing error",
    410: "says the feed is gone for good; remove it from the list",
    429: "asks us to come less often",
    451: "withholds it for legal reasons",
}


def of_status(status: int) -> FetchError:
    """The failure of an answer that is neither a feed nor 'not modified'."""
    if status in _STATUS:
        words = _STATUS[status]
    elif status >= 500:
        words = "has a problem of its own"
    else:
        words = "did not send the feed"
    return FetchError(f"http_{status}", f"the server {words} (HTTP {status})")


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
