"""FeedRequest → Response: one exchange over a real connection, bounded in time and size.

What leaves here towards requests-cache is a bare answer: status, body, validators. All other
headers are kept on the request's `Exchange`. So the cache can neither be steered by a server
(`Vary`, `Cache-Control`, `Expires` in forms that raise) nor be made to rewrite a body because a
`Date` moved on; what it stores and echoes is exactly what the last 200 or 304 said.
"""

from __future__ import annotations

import contextlib
import ssl
from datetime import timedelta
from functools import cached_property
from queue import Empty
from typing import TYPE_CHECKING, Any, cast

from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict
from requests.utils import DEFAULT_CA_BUNDLE_PATH

from planet import headers
from planet.errors import FetchError
from planet.fetch.body import Collected, collecting
from planet.fetch.coding import too_large
from planet.fetch.connections import Pool, TLSPool, busy, too_slow
from planet.fetch.failures import breaks_off, check, check_body
from planet.fetch.limits import CHUNK, DECODED_FACTOR, MAX_VALIDATOR, READS_IN_PASSING

if TYPE_CHECKING:
    from requests import PreparedRequest, Response
    from urllib3 import BaseHTTPResponse
    from urllib3.connectionpool import HTTPConnectionPool

    from planet.fetch.exchange import Exchange, FeedRequest

_VALIDATORS = ("ETag", "Last-Modified")
_PLAUSIBLE = timedelta(hours=24)
"""How far a Last-Modified may be ahead of the answer it came with."""


class FeedAdapter(HTTPAdapter):
    """Sends `FeedRequest`s. One TLS context for all hosts, one connection kept for each."""

    def __init__(self) -> None:
        # Pools are dropped by `forget`, when a host has been asked for all its feeds; never by
        # the pool manager, which would take a connection from a host that is still being asked.
        super().__init__(pool_connections=100_000, pool_maxsize=1)
        self.poolmanager.pool_classes_by_scheme = {"http": Pool, "https": TLSPool}

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        # Reading the CA bundle costs ten times what a request does: once, not for every host.
        return ssl.create_default_context(cafile=DEFAULT_CA_BUNDLE_PATH)

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        """Send it and read the whole answer; of any but a 200, status and headers only.

        Raises:
            FetchError: the answer is not a 200, a 304 or a redirect, or it is not what was asked
                for, too large, too slow, incomplete, or empty.
        """
        request = cast("FeedRequest", request)
        exchange = request.exchange
        request.settle()
        with collecting() as collected:
            try:
                with busy(exchange):
                    response = super().send(request, *args, **kwargs)
                    exchange.status = response.status_code
                    exchange.headers = response.headers
                    is_framed = response.raw.chunked or response.raw.length_remaining is not None
                    self._receive(response.raw, exchange, collected)
            except Exception as error:
                if exchange.deadline.passed:
                    raise too_slow() from error
                raise
            finally:
                exchange.is_over()
            if exchange.deadline.passed:
                # Shot within the headers, http.client takes what came for a complete answer.
                raise too_slow()
            response._content = _content(collected, exchange)
            # A connection that ends with its answer cannot tell whether that was the end of it.
            exchange.cut_off = not is_framed and breaks_off(response._content)
            if exchange.cut_off:
                response.status_code = 206  # which is not stored, and leaves what is as it was
        response.headers = _bare(exchange)
        return response

    def forget(self, host: str) -> None:
        """Close the idle connection to a host that will hardly be asked again in this run."""
        pools = self.poolmanager.pools
        # A urllib3 container can be listed, but not walked, while other threads use it.
        for key in list(pools.keys()):
            if f"{key.key_host}:{key.key_port}" == host:
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

    def _receive(self, raw: BaseHTTPResponse, exchange: Exchange, collected: Collected) -> None:
        """Take the body off the wire if it is wanted.

        Raises:
            FetchError: the answer is of no use, by its head or its size.
        """
        if exchange.status != 200:
            self._pass_over(raw, exchange)
        try:
            check(exchange)
        except FetchError:
            raw.close()
            raise
        if exchange.status == 200:
            self._collect(raw, exchange, collected)

    def _collect(self, raw: BaseHTTPResponse, exchange: Exchange, collected: Collected) -> None:
        """The body as it is packed; the connection is closed when it cannot be had whole."""
        declared = raw.headers.get("Content-Length", "")
        try:
            if declared.isdecimal() and int(declared) > exchange.max_size:
                raise too_large(exchange.max_size)
            while chunk := raw.read1(CHUNK, decode_content=False):
                collected.add(chunk)
                exchange.bytes_received = collected.size
                if collected.size > exchange.max_size:
                    raise too_large(exchange.max_size)
                if exchange.deadline.remaining <= 0:
                    raise too_slow()
        except BaseException:
            raw.close()
            raise
        raw.release_conn()

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


def _content(collected: Collected, exchange: Exchange) -> bytes:
    """The decoded body of a 200; nothing for any other answer."""
    if exchange.status != 200:
        return b""
    content = collected.body(
        exchange.headers.get("Content-Encoding", ""),
        limit=exchange.max_size * DECODED_FACTOR,
        place=exchange.place,
    )
    check_body(content, pages=exchange.pages)
    return content


def _close_idle(pool: HTTPConnectionPool) -> None:
    # Not pool.close(): an answer that was cut may still hold on to it.
    with contextlib.suppress(Empty):
        connection = pool.pool.get_nowait() if pool.pool else None
        if connection is not None:
            connection.close()


def _bare(exchange: Exchange) -> CaseInsensitiveDict[str]:
    """What the cache may know of an answer: its validators, exactly as they came."""
    kept: CaseInsensitiveDict[str] = CaseInsensitiveDict()
    for name in _VALIDATORS:
        value = exchange.headers.get(name, "").strip(" \t")
        # Longer ones, and ones that could end a header line, are not worth echoing (R2).
        if 0 < len(value) <= MAX_VALIDATOR and not any(bad in value for bad in "\r\n\0"):
            kept[name] = value
    modified = headers.http_date(kept.get("Last-Modified", ""))
    if modified is not None:
        said = {"date": exchange.headers.get("Date", "")}
        # A server that means this date will say "not modified" until it has come (R2).
        if modified > headers.date(said, received=exchange.asked_at) + _PLAUSIBLE:
            del kept["Last-Modified"]
    return kept
