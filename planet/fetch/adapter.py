"""FeedRequest → Response: one exchange over a real connection, bounded in time and size.

What leaves here towards requests-cache is a bare answer: status, body, validators. All other
headers are kept on the request's `Exchange`. So the cache can neither be steered by a server
(`Vary`, `Cache-Control`, `Expires` in forms that raise) nor be made to rewrite a body because a
`Date` moved on; what it stores and echoes is exactly what the last 200 or 304 said.
"""

from __future__ import annotations

import contextlib
import ssl
import threading
from functools import cached_property
from queue import Empty
from typing import TYPE_CHECKING, Any, cast

from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from planet import address
from planet.errors import FetchError
from planet.fetch.coding import decode, too_large
from planet.fetch.limits import CHUNK, DECODED_FACTOR, MAX_VALIDATOR, READS_IN_PASSING

if TYPE_CHECKING:
    import socket

    from requests import PreparedRequest, Response
    from urllib3 import BaseHTTPResponse

    from planet.fetch.exchange import Exchange, FeedRequest

_VALIDATORS = ("ETag", "Last-Modified")
_current = threading.local()
"""`exchange`: the one this thread is busy with; connections made for it join its deadline."""


class FeedAdapter(HTTPAdapter):
    """Sends `FeedRequest`s. One TLS context for all hosts, one connection kept for each."""

    def __init__(self) -> None:
        # Pools are dropped by `forget`, when a host has been asked for all its feeds; never by
        # the pool manager, which would take a connection from a host that is still being asked.
        super().__init__(pool_connections=100_000, pool_maxsize=1)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _TLSPool}

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        # Reading the CA bundle costs ten times what a request does: once, not for every host.
        return ssl.create_default_context(cafile=DEFAULT_CA_BUNDLE_PATH)

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        """Send it and read the whole answer; of any but a 200, status and headers only.

        Raises:
            FetchError: the answer is too large, too slow, incomplete, or empty.
        """
        exchange = cast("FeedRequest", request).exchange
        _current.exchange = exchange
        try:
            response = super().send(request, *args, **kwargs)
            exchange.status = response.status_code
            exchange.headers = response.headers
            if response.status_code == 200:
                response._content = self._read(response.raw, exchange)
            else:
                response._content = b""
                self._pass_over(response.raw, exchange)
        except Exception as error:
            if exchange.deadline.passed:
                raise _too_slow() from error
            raise
        finally:
            _current.exchange = None
        if exchange.deadline.passed:
            # Shot within the headers, http.client takes what came for a complete answer.
            raise _too_slow()
        if response.status_code == 200 and not response._content:
            raise FetchError("empty", "the answer is empty")
        response.headers = _bare(response)
        return response

    def forget(self, url: str) -> None:
        """Close the idle connection to a host that will hardly be asked again in this run.

        An exchange that is under way there goes on; the next one opens a new connection.
        """
        pools = self.poolmanager.pools
        server = address.host(url)
        # A urllib3 container can be listed, but not walked, while other threads use it.
        keys = [key for key in list(pools.keys()) if f"{key.key_host}:{key.key_port}" == server]
        for key in keys:
            with contextlib.suppress(KeyError):  # two threads may forget the same host
                pool = pools[key]
                del pools[key]
                _close_idle(pool)

    def build_connection_pool_key_attributes(
        self, request: PreparedRequest, verify: Any, cert: Any = None
    ) -> tuple[Any, Any]:
        """As requests does, but with the one TLS context in place of paths to load one from."""
        host: dict[str, Any]
        pool: dict[str, Any]
        host, pool = super().build_connection_pool_key_attributes(request, verify, cert)  # type: ignore[assignment]  # TypedDicts that requests does not export
        pool.pop("ca_certs", None)
        pool.pop("ca_cert_dir", None)
        if host["scheme"] == "https":
            pool["ssl_context"] = self._tls
        return host, pool

    def cert_verify(self, conn: Any, url: str, verify: Any, cert: Any) -> None:
        """Leave verification to the TLS context, which always verifies (R49)."""

    def _read(self, raw: BaseHTTPResponse, exchange: Exchange) -> bytes:
        """The decoded body; the connection is closed when it cannot be had whole."""
        declared = raw.headers.get("Content-Length", "")
        try:
            if declared.isdecimal() and int(declared) > exchange.max_size:
                raise too_large(exchange.max_size)
            wire = bytearray()
            while chunk := raw.read1(CHUNK, decode_content=False):
                wire += chunk
                exchange.bytes_received = len(wire)
                if len(wire) > exchange.max_size:
                    raise too_large(exchange.max_size)
                if exchange.deadline.remaining <= 0:
                    raise _too_slow()
        except BaseException:
            raw.close()
            raise
        raw.release_conn()
        coding = raw.headers.get("Content-Encoding", "")
        return decode(bytes(wire), coding, limit=exchange.max_size * DECODED_FACTOR)

    def _pass_over(self, raw: BaseHTTPResponse, exchange: Exchange) -> None:
        """Take a short body off the connection, which can then be used again, or close it.

        The status has said everything: how the body is packed, or ends, does not matter.
        """
        with contextlib.suppress(Exception):
            for _ in range(READS_IN_PASSING):
                part = raw.read1(CHUNK, decode_content=False)
                if not part:
                    raw.release_conn()
                    return
                exchange.bytes_received += len(part)
        raw.close()


def _close_idle(pool: HTTPConnectionPool) -> None:
    # Not pool.close(): another thread may be about to use it.
    with contextlib.suppress(Empty):
        connection = pool.pool.get_nowait() if pool.pool else None
        if connection is not None:
            connection.close()


def _bare(response: Response) -> CaseInsensitiveDict[str]:
    """What the cache may know of an answer: its validators, exactly as they came."""
    kept: CaseInsensitiveDict[str] = CaseInsensitiveDict()
    for name in _VALIDATORS:
        value = response.headers.get(name, "")
        # Longer ones, and ones that could end a header line, are not worth echoing (R2).
        if 0 < len(value) <= MAX_VALIDATOR and not any(bad in value for bad in "\r\n\0"):
            kept[name] = value
    return kept


def _too_slow() -> FetchError:
    return FetchError("timeout", "the server did not finish its answer in time")


def _covered(connection: socket.socket) -> None:
    exchange: Exchange | None = getattr(_current, "exchange", None)
    if exchange is not None:
        exchange.deadline.covers(connection)
        if exchange.deadline.passed:
            connection.close()
            raise _too_slow()


class _Connection(HTTPConnection):
    """Puts its socket under the deadline of each exchange it is used for."""

    def _new_conn(self) -> socket.socket:
        connection = super()._new_conn()
        _covered(connection)
        return connection

    def request(self, *args: Any, **kwargs: Any) -> None:
        if self.sock is not None:  # kept from an earlier exchange
            _covered(self.sock)
        super().request(*args, **kwargs)


class _TLSConnection(_Connection, HTTPSConnection):
    """The same over TLS."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _TLSConnection
