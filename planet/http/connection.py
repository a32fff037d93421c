"""FeedRequest → Response: requests and urllib3, over connections bounded in time, size and place.

TLS, proxies, heads and chunks are theirs. Ours are sockets that wait no longer than their exchange
may take, files that end where our limits are, and connections that look at the address they reach
before a byte is sent.
"""

from __future__ import annotations

import os
import re
import socket
import ssl
import time
from contextlib import suppress
from contextvars import ContextVar
from http.client import HTTPException, HTTPResponse
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit
from urllib.request import getproxies

import requests
from requests.adapters import HTTPAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH, select_proxy, should_bypass_proxies
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

from planet.errors import FetchError, StateError
from planet.http.body import is_blank, make_too_large_error, unpack
from planet.http.guard import NameCache
from planet.http.request import check_answer, make_fetch_error, make_proxy_error
from planet.model import WHOLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planet.http.guard import SocketAddress
    from planet.http.request import FeedRequest


CONNECT_TIMEOUT = 10.0
"""Seconds for TCP and TLS to stand."""
IDLE_TIMEOUT = 20.0
"""Seconds without a byte. A server that drips is ended by the feed's total time instead."""
MAX_HEAD = 1024 * 1024
"""Bytes of the header fields of an answer, the sizes of its chunks and its trailers together; a
body of 8 MiB in chunks of 32 bytes has no more. http.client takes 100 fields."""
DECODED_FACTOR = 2
"""How many times the wire limit a body may grow when decoded."""
CHUNK = 65536
"""Bytes read at once."""
_ERROR_PAGE: Final = 8 * CHUNK
"""Bytes of an error page that nobody wants; once it has ended, its connection can be used again."""
_SCHEMES: Final = ("http", "https", "all")
_PROXY: Final = re.compile(r"http://([^/]*@)?(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?/?", re.I)
_BUNDLES: Final = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
_REQUEST: Final[ContextVar[FeedRequest]] = ContextVar("request")
"""What this thread asks for: urllib3 hands nothing on to its connections."""


class _BoundedFile(BufferedReader):
    """What http.client and urllib3 read an answer from: what comes by line has an end.

    Heads, the sizes of chunks and trailers are read by line, all else is data.
    """

    _left = MAX_HEAD

    def readline(self, limit: int | None = -1, /) -> bytes:
        """Read the next line.

        Raises:
            HTTPException: the lines of this answer have more bytes than we read.
        """
        most = self._left + 1
        line = super().readline(min(limit, most) if limit and limit > 0 else most)
        self._left -= len(line)
        if self._left < 0:
            raise HTTPException("more header fields, or sizes of chunks, than we read")
        return line


class _KeepsDeadline:
    """A socket that waits for no piece of an answer longer than its exchange may take."""

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        request = _REQUEST.get()
        # In this order, for a server that drips is never silent.
        self.settimeout(request.deadline.within(IDLE_TIMEOUT))  # type: ignore[attr-defined]
        count: int = super().recv_into(*args, **kwargs)  # type: ignore[misc]
        request.has_answered = request.has_answered or count > 0
        return count

    def makefile(self, *_: Any, **__: Any) -> _BoundedFile:
        return _BoundedFile(super().makefile("rb", buffering=0))  # type: ignore[misc]


class _Socket(_KeepsDeadline, socket.socket):  # type: ignore[misc]
    pass


class _TLSSocket(_KeepsDeadline, ssl.SSLSocket):  # type: ignore[misc]
    pass


def _dial(addresses: Sequence[SocketAddress], *, timeout: float) -> tuple[_Socket, str]:
    """Connect to the first address that answers, of those that `socket.getaddrinfo` found.

    Return the connection with the IP address that it leads to. All of them share one time limit:
    a name with fifty dead addresses keeps us no longer.

    Raises:
        OSError: none answers; what the last one said. TimeoutError if it was nothing.
    """
    ends = time.monotonic() + timeout
    failure: OSError = TimeoutError("timed out")
    for number, (family, kind, protocol, _, where) in enumerate(addresses):
        left = ends - time.monotonic()
        if left <= 0:
            break
        connection = _Socket(family, kind, protocol)
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # A fair share, for there are many machines on which all of IPv6 is dead.
            connection.settimeout(max(left / (len(addresses) - number), 0.001))
            connection.connect(where)
        except OSError as error:
            connection.close()
            failure = error
        else:
            return connection, str(where[0])
    raise failure


class _Response(HTTPResponse):
    """The final answer to a request, read from a `_BoundedFile`."""

    def begin(self, **limits: Any) -> None:
        """Read the head of the final answer; newer Pythons pass a limit of theirs."""
        super().begin(**limits)
        # http.client passes over 100 alone (RFC 9110 §15.2). 101 is final: nobody asked for another
        # protocol.
        while self.status < 200 and self.status != 101:
            self.headers = None  # type: ignore[assignment]  # else nothing is read
            super().begin(**limits)


class _Guarded(HTTPConnection):
    """Leads to no address that the guard of an exchange forbids, as it is at that moment.

    With a proxy it leads to that, which looks up the server and connects to it.
    """

    response_class = _Response
    _peer = ""

    def _new_conn(self) -> socket.socket:
        request, who = _REQUEST.get(), "proxy" if self.proxy else "server"
        try:
            addresses = request.names.find(self.host, self.port)
        except (OSError, UnicodeError) as error:
            raise FetchError("dns", f"there is no {who} of that name") from error
        if self.proxy is None:
            # Before they are called: whether anybody answers there is no stranger's business.
            addresses = [one for one in addresses if request.guard.permits(str(one[4][0]))]
            if not addresses:
                raise request.guard.refusal()
        try:
            connection, self._peer = _dial(
                addresses, timeout=request.deadline.within(CONNECT_TIMEOUT)
            )
        except ConnectionRefusedError as error:
            raise FetchError("refused", f"the {who} refuses the connection") from error
        except TimeoutError as error:
            raise FetchError("connect_timeout", f"the {who} does not answer the call") from error
        except OSError as error:
            raise FetchError("unreachable", f"the {who} cannot be reached") from error
        request.is_first, request.sock = True, connection
        try:
            connection.settimeout(request.deadline.within(CONNECT_TIMEOUT))  # for TLS
        except FetchError:  # the run has ended meanwhile, or the time is over
            connection.close()
            raise
        return connection

    def request(self, *args: Any, **kwargs: Any) -> None:
        """Send a request, over an open connection only if that may lead where it does."""
        request = _REQUEST.get()
        if self.sock is None:
            self.connect()
        if self.proxy is None:
            request.guard.check(self._peer)
        request.sock = self.sock
        self.timeout = request.deadline.within(IDLE_TIMEOUT)
        super().request(*args, **kwargs)


class _GuardedTLS(_Guarded, HTTPSConnection):
    pass


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _Guarded


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _GuardedTLS


_POOLS: Final = {"http": _PlainPool, "https": _TLSPool}


class Network:
    """The common ground of all connections of a session: names, proxies, certificates."""

    def __init__(self) -> None:
        """Read which proxies and certificates the environment names, in the variables of curl.

        Raises:
            StateError: one of them cannot be used.
        """
        self.names = NameCache()
        named = getproxies()
        self._proxies = {
            scheme: url if "://" in url else f"http://{url}"
            for scheme in _SCHEMES
            if (url := named.get(scheme))
        }
        self.proxy_variables = [f"{scheme.upper()}_PROXY" for scheme in self._proxies]
        """The names of the variables that name a proxy."""
        for variable, url in zip(self.proxy_variables, self._proxies.values(), strict=True):
            if not _PROXY.fullmatch(url):
                # Its address may have a password, and is not told.
                raise StateError(
                    f"the environment variable {variable} has to name an http proxy, such as "
                    "http://proxy.example:3128; nobody was asked"
                )
        path = next(filter(None, map(os.environ.get, _BUNDLES)), DEFAULT_CA_BUNDLE_PATH)
        try:
            cafile, capath = (None, path) if Path(path).is_dir() else (path, None)
            self.tls = ssl.create_default_context(cafile=cafile, capath=capath)
        except OSError as error:
            raise StateError(
                f"no certificates can be read in {path}, which the environment names; "
                "nobody was asked"
            ) from error
        self.tls.sslsocket_class = _TLSSocket

    def choose_proxies(self, url: str) -> dict[str, str]:
        """Return the proxies for an address, as requests takes them; empty for none."""
        # Without a proxy there is nothing to bypass, and to find that out takes its time.
        if not self._proxies or should_bypass_proxies(url, no_proxy=None):
            return {}
        return self._proxies if select_proxy(url, self._proxies) else {}


def check_environment() -> str | None:
    """Return what an operator should know of the way that requests take from here.

    Raises:
        StateError: the environment names a proxy that cannot be used.
    """
    variables = Network().proxy_variables
    if not variables:
        return None
    return (
        f"requests go through a proxy ({', '.join(variables)}), which alone sees where names lead: "
        "it has to refuse what leads into private networks"
    )


class FeedAdapter(HTTPAdapter):
    """Sends `FeedRequest`s to one server, over one connection, and reads whole answers or none."""

    def __init__(self, network: Network) -> None:
        self._network = network
        super().__init__(pool_connections=1, pool_maxsize=1)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Make the pools, of connections that are guarded and have one context for TLS."""
        super().init_poolmanager(*args, ssl_context=self._network.tls, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        """Return the pools of connections through a proxy."""
        manager = super().proxy_manager_for(proxy, ssl_context=self._network.tls, **kwargs)
        manager.pool_classes_by_scheme = _POOLS
        return manager

    def cert_verify(self, *_: Any) -> None:
        """Leave it to the one context: to read the bundle costs as much as ten requests."""

    def send(self, request: requests.PreparedRequest, *_: Any, **__: Any) -> requests.Response:
        """Send it and read it if it is the whole feed; of any other, status and headers only.

        Raises:
            FetchError: the answer is not a 200, a 203, a 304 or a redirect, or it is not what was
                asked for, too large, too slow, incomplete, or empty.
        """
        asked = cast("FeedRequest", request)
        token = _REQUEST.set(asked)
        try:
            response = self._exchange(asked)
            response._content = self._read(response, asked)
        except (FetchError, StateError):
            raise
        except Exception as error:  # the door: requests and urllib3 let many kinds through
            raise make_fetch_error(error, asked.deadline) from error
        finally:
            _REQUEST.reset(token)
            asked.took = time.monotonic() - asked.deadline.began
        return response

    def _exchange(self, request: FeedRequest) -> requests.Response:
        """Send a request, and read the head of what comes.

        Where a connection was kept, and ends before anything of an answer has come, its server may
        have closed it just then: the request is sent once more, over a new one (RFC 9112 §9.3.1).
        """
        url = str(request.url)
        request.names, proxies = self._network.names, self._network.choose_proxies(url)
        if proxies:
            request.guard.check_name(urlsplit(url).hostname or "")
        request.deadline.within(IDLE_TIMEOUT)
        try:
            response = super().send(request, stream=True, proxies=proxies)
        except requests.ConnectionError:
            if request.is_first or request.has_answered:
                raise
            response = super().send(request, stream=True, proxies=proxies)
        if proxies and response.status_code == 407:
            response.close()
            raise make_proxy_error(407)
        request.status = response.status_code
        request.received = {name.lower(): value for name, value in response.headers.items()}
        return response

    def _read(self, response: requests.Response, request: FeedRequest) -> bytes:
        """Return the unpacked body of a whole answer; empty for any other.

        Raises:
            FetchError: the answer is of no use, by its head, its size or what is in it.
        """
        raw = response.raw
        try:
            if request.status not in WHOLE:
                # The status has said everything: how the body is packed, or ends, does not matter.
                with suppress(Exception):
                    request.bytes_received = len(raw.read(_ERROR_PAGE, decode_content=False))
                check_answer(request)
                return b""
            check_answer(request)
            declared = request.received.get("content-length", "")
            if declared.isdecimal() and int(declared) > request.max_size:
                raise make_too_large_error(request.max_size)
            is_framed = raw.chunked or raw.length_remaining is not None
            packed = bytearray()
            for piece in raw.stream(CHUNK, decode_content=False):
                request.bytes_received += len(piece)
                if request.bytes_received > request.max_size:
                    raise make_too_large_error(request.max_size)
                packed += piece
        finally:
            if not raw.closed:
                raw.close()
        coding = request.received.get("content-encoding", "")
        body = unpack(bytes(packed), coding, limit=request.max_size * DECODED_FACTOR)
        if is_blank(body):
            raise FetchError("empty", "the answer is empty")
        request.rules.check_body(body, pages=request.pages)
        # A connection that ends with its answer cannot tell whether that was the end of it.
        request.cut_off = not is_framed and request.rules.breaks_off(body)
        return body
