"""FeedRequest → the body of its answer: requests and urllib3, bounded in time, size and place.

TLS, proxies, heads and chunks are theirs. Ours are sockets with the limits of their exchange, and
connections with a look at the address they reach before a byte is sent.
"""

from __future__ import annotations

import os
import re
import socket
import ssl
import time
from contextlib import ExitStack, suppress
from contextvars import ContextVar
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies

import requests
from requests.adapters import HTTPAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH, select_proxy, should_bypass_proxies
from urllib3.connection import HTTPConnection, HTTPSConnection

from planet.errors import FetchError, StateError
from planet.http.body import BLANKS, make_too_large_error, unpack
from planet.http.guard import LookUp, look_up, written_address
from planet.http.request import check_answer, make_fetch_error, make_proxy_error
from planet.model import WHOLE

if TYPE_CHECKING:
    from planet.http.request import FeedRequest


CONNECT_TIMEOUT = 10.0
"""Seconds for TCP to stand, and again for TLS."""
IDLE_TIMEOUT = 20.0
"""Seconds without a byte. A server that drips is ended by the feed's total time instead."""
MAX_HEAD = 1024 * 1024
"""Bytes of an answer beside its body: header fields, sizes of chunks, trailers."""
DECODED_FACTOR = 2
"""How many times the wire limit a body may grow when decoded."""
_ERROR_PAGE: Final = 512 * 1024
"""Bytes of an error page to read; once the page has ended, its connection can be used again."""
_PROXY: Final = re.compile(r"http://([^/]*@)?(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?/?", re.I)
_BUNDLES: Final = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
_REQUEST: Final[ContextVar[FeedRequest]] = ContextVar("request")
"""The request of this thread: urllib3 hands nothing on to its connections."""


class _Socket(socket.socket):
    """A socket with the limits of an exchange, in time and size."""

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        request = _REQUEST.get()
        # In this order, for a server that drips is never silent.
        self.settimeout(request.time_for(IDLE_TIMEOUT))
        count: int = super().recv_into(*args, **kwargs)
        request.wire_size += count
        # Heads, sizes of chunks and trailers are read by line, and a line need not end.
        if request.wire_size > request.max_size + MAX_HEAD:
            raise make_too_large_error(request.max_size)
        return count


class _TLSSocket(_Socket, ssl.SSLSocket):
    pass


class _Guarded(HTTPConnection):
    """Leads to no address forbidden by the guard of an exchange.

    A proxy looks up the server and connects to the server itself.
    """

    _peer: str | None = None
    """The IP address of the server; None behind a proxy."""

    def _new_conn(self) -> socket.socket:
        request, is_proxy = _REQUEST.get(), self.proxy is not None
        addresses = request.guard.find(self.host, self.port, is_proxy=is_proxy)
        # All of them share one time limit: a name with fifty dead addresses keeps us no longer.
        ends = time.monotonic() + request.time_for(CONNECT_TIMEOUT)
        request.is_first, failure = True, OSError()
        for number, (family, kind, protocol, _, where) in enumerate(addresses):
            # A fair share, for there are many machines on which all of IPv6 is dead.
            share = (ends - time.monotonic()) / (len(addresses) - number)
            try:
                with ExitStack() as stack:
                    # The first to fail where the system has no IPv6 at all.
                    connection = stack.enter_context(_Socket(family, kind, protocol))
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    connection.settimeout(max(share, 0.001))
                    connection.connect(where)
                    stack.pop_all()
            except OSError as error:
                failure = error
            else:
                self._peer = str(where[0])
                return connection
        reason = failure.strerror or failure
        if is_proxy:
            raise FetchError("proxy", f"the proxy cannot be reached: {reason}") from failure
        raise FetchError("unreachable", f"the server cannot be reached: {reason}") from failure

    def request(self, *args: Any, **kwargs: Any) -> None:
        """Send a request; use an open connection only where the guard permits the server."""
        request = _REQUEST.get()
        if self.sock is None:
            self.connect()
        if self.proxy is None:
            request.guard.check(self._peer)
        self.timeout = request.time_for(IDLE_TIMEOUT)
        super().request(*args, **kwargs)


class _GuardedTLS(_Guarded, HTTPSConnection):
    pass


class Network:
    """The common ground of all connections of a session: names, proxies, certificates."""

    def __init__(self) -> None:
        """Read which proxies and certificates the environment names, in the variables of curl.

        Raises:
            StateError: one of them cannot be used.
        """
        self.find: LookUp = cache(look_up)
        self.proxies = {
            scheme: f"http://{url.removeprefix('http://')}"
            for scheme, url in getproxies().items()
            if scheme in ("http", "https", "all")
        }
        for scheme, url in self.proxies.items():
            if not _PROXY.fullmatch(url):
                # Its address may have a password, and is not told.
                name = f"{scheme.upper()}_PROXY"
                raise StateError(f"{name} must name an http proxy, like http://proxy.example:3128")
        path = next(filter(None, map(os.environ.get, _BUNDLES)), DEFAULT_CA_BUNDLE_PATH)
        cafile, capath = (None, path) if Path(path).is_dir() else (path, None)
        try:
            self.tls = ssl.create_default_context(cafile=cafile, capath=capath)
        except OSError as error:
            words = f"no certificates can be read in {path}, which the environment names"
            raise StateError(words) from error
        self.tls.sslsocket_class = _TLSSocket

    def choose_proxy(self, url: str) -> str | None:
        """Return the proxy for an address; None for none."""
        # Without a proxy there is nothing to bypass, and to find that out takes its time.
        if not self.proxies or should_bypass_proxies(url, no_proxy=None):
            return None
        return select_proxy(url, self.proxies)


class FeedAdapter(HTTPAdapter):
    """Sends requests to one server, over one connection, and reads whole answers or none."""

    def __init__(self, network: Network) -> None:
        self._network = network
        super().__init__(pool_connections=1, pool_maxsize=1)

    def build_connection_pool_key_attributes(self, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Name the server of a request, and the one context for TLS."""
        server, _ = super().build_connection_pool_key_attributes(*args, **kwargs)
        return server, {"ssl_context": self._network.tls}

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> Any:
        """Return the pool for a request, of guarded connections."""
        pool: Any = super().get_connection_with_tls_context(*args, **kwargs)
        pool.ConnectionCls = _GuardedTLS if pool.scheme == "https" else _Guarded
        return pool

    def cert_verify(self, *_: Any) -> None:
        """Leave certificates to the one context: reading the bundle costs as ten requests do."""

    def exchange(self, request: FeedRequest) -> bytes:
        """Send a request; return the unpacked body of a whole answer, and none of any other.

        Raises:
            FetchError: the answer is no 200, 203, 304 or redirect, or of another kind than asked
                for, too large, too slow, incomplete, or empty.
        """
        _REQUEST.set(request)
        began = time.monotonic()
        try:
            with self._open(request) as response:
                request.status = response.status_code
                request.received = {name.lower(): text for name, text in response.headers.items()}
                return self._read(response.raw, request)
        except FetchError:
            raise
        except Exception as error:  # the door: requests and urllib3 let many kinds through
            raise make_fetch_error(error) from error
        finally:
            request.took = time.monotonic() - began

    def _open(self, request: FeedRequest) -> requests.Response:
        """Send a request, and read the head of its answer.

        Where a connection was kept, and ends before anything of an answer has come, its server may
        have closed it just then: the request is sent once more, over a new one (RFC 9112 §9.3.1).
        """
        proxy = self._network.choose_proxy(request.address)
        if proxy:
            request.guard.check(written_address(urlsplit(request.address).hostname or ""))
        send = partial(
            super().send, request, stream=True, proxies={"all": proxy} if proxy else None
        )
        try:
            response = send()
        except requests.ConnectionError:
            if request.is_first or request.wire_size:
                raise
            response = send()
        if proxy and response.status_code == 407:
            response.close()
            raise make_proxy_error(407)
        return response

    def _read(self, raw: Any, request: FeedRequest) -> bytes:
        """Return the unpacked body of a whole answer; empty for any other.

        Raises:
            FetchError: the answer is of no use, by head, size or content.
        """
        if request.status not in WHOLE:
            # The status has said everything: how the body is packed, or ends, does not matter.
            with suppress(Exception):
                # After a 1xx that nobody asked for another answer comes: the connection is closed.
                if request.status is not None and request.status >= 200:
                    request.bytes_received = len(raw.read(_ERROR_PAGE, decode_content=False))
            check_answer(request)
            return b""
        check_answer(request)
        length = raw.length_remaining
        if (length or 0) > request.max_size:
            raise make_too_large_error(request.max_size)
        # A connection that ends with its answer cannot tell whether that was the end of it.
        is_framed = raw.chunked or length is not None
        packed = raw.read(decode_content=False)
        request.bytes_received = len(packed)
        if len(packed) > request.max_size:
            raise make_too_large_error(request.max_size)
        coding, limit = request.received.get("content-encoding", ""), request.max_size
        body = unpack(packed, coding, limit=limit * DECODED_FACTOR)
        if not body.strip(BLANKS):
            raise FetchError("empty", "the answer is empty")
        request.rules.check_body(body, pages=request.pages)
        request.cut_off = not is_framed and request.rules.breaks_off(body)
        return body
