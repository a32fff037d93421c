"""FeedRequest → Response: one exchange, over the connection that is kept for its server.

It takes the place of the adapter of requests: no pools, no retries, no waiting without end. What
goes over the wire is what requests would send.
"""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from requests import Response
from requests.adapters import BaseAdapter

from planet.errors import FetchError, StateError
from planet.http.body import Spool, is_blank, make_too_large_error, unpack
from planet.http.connection import Connection, tls_context
from planet.http.environment import Proxies, find_authorities
from planet.http.guard import LookUps
from planet.http.limits import DECODED_FACTOR, make_timeout_error
from planet.http.request import check_answer
from planet.model import WHOLE
from planet.text import address

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator

    from requests import PreparedRequest

    from planet.http.connection import BoundedResponse
    from planet.http.guard import Guard
    from planet.http.limits import Deadline
    from planet.http.request import FeedRequest


_READS_IN_PASSING = 8
"""Reads of an error page that nobody wants; once it has ended, its connection can be used again."""


class FeedAdapter(BaseAdapter):
    """Sends `FeedRequest`s, one connection kept for each server; one TLS context for all."""

    def __init__(self) -> None:
        """Read what the environment says of proxies and certificates.

        Raises:
            StateError: that cannot be used.
        """
        super().__init__()
        self._proxies = Proxies()
        self._authorities = find_authorities()
        self._connections: dict[str, Connection] = {}
        """By `address.server`; nobody asks a server twice at the same time."""
        self.look_ups = LookUps()
        self._stopped: list[Connection] = []
        """Closed in the end: their exchanges may not have noticed yet."""

    def send(self, request: PreparedRequest, *_: Any, **__: Any) -> Response:
        """Send it and read it if it is the whole feed; of any other, status and headers only.

        Raises:
            FetchError: the answer is not a 200, a 203, a 304 or a redirect, or it is not what was
                asked for, too large, too slow, incomplete, or empty.
        """
        request = cast("FeedRequest", request)
        response = Response()
        with Spool() as spool:
            try:
                with self.stream(request, request.deadline, request.guard) as answer:
                    response.status_code = request.status = answer.status
                    request.received = answer.fields
                    is_framed = answer.chunked or answer.length is not None
                    _receive(answer, request, spool)
            finally:
                request.took = time.monotonic() - request.deadline.began
            response._content = _content(spool, request)
        # A connection that ends with its answer cannot tell whether that was the end of it.
        request.cut_off = not is_framed and request.rules.breaks_off(response._content)
        return response

    @contextmanager
    def stream(
        self, request: PreparedRequest, deadline: Deadline, guard: Guard
    ) -> Iterator[BoundedResponse]:
        """Send a request over the connection of its server, kept if the answer is read."""
        connection = self._connection(str(request.url))
        answer: BoundedResponse | None = None
        try:
            answer = connection.ask(request, deadline, guard)
            yield answer
        except OSError as error:
            if deadline.remaining <= 0:
                raise make_timeout_error() from error
            raise
        finally:
            if answer is None or not answer.isclosed():
                connection.close()

    def locate(self, url: str, *, timeout: float) -> str | None:
        """Return the IP address at which an address will be asked for; None if it has none.

        A name is looked up, once for this and the next connection to it, and for so many seconds at
        most. What is asked for through a proxy has none: that looks it up.
        """
        return self._connection(url).locate(timeout)

    def _connection(self, url: str) -> Connection:
        """Return the one connection to the server of an address; close one over another scheme."""
        parts, server = urlsplit(url), address.server(url)
        is_safe, name = parts.scheme == "https", parts.hostname or ""
        place = name, parts.port or (443 if is_safe else 80), is_safe
        connection = self._connections.get(server)
        if connection is None or connection.place != place:
            self.forget(server)
            tls = self._tls if is_safe else None
            connection = Connection(
                *place[:2], tls, proxy=self._proxies.choose(url), look_ups=self.look_ups
            )
            self._connections[server] = connection
        return connection

    def forget(self, server: str) -> None:
        """Close the idle connection to a server that will hardly be asked again in this run."""
        if (connection := self._connections.pop(server, None)) is not None:
            connection.close()

    def stop(self) -> None:
        """End every exchange at once, as at an interrupt; what comes later has new connections."""
        self._stopped += self._connections.values()
        self._connections = {}
        for connection in self._stopped:
            connection.cut()

    def close(self) -> None:
        """Close all connections."""
        for connection in [*self._stopped, *self._connections.values()]:
            connection.close()
        self.look_ups.close()

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        # Reading the CA bundle costs ten times what a request does: once, not for every host.
        try:
            return tls_context(self._authorities)
        except OSError as error:
            raise StateError(
                f"no certificates can be read in {self._authorities}, which the environment names"
            ) from error


def _receive(answer: BoundedResponse, request: FeedRequest, spool: Spool) -> None:
    """Take the body off the wire if it is wanted.

    Raises:
        FetchError: the answer is of no use, by its head or its size.
    """
    if answer.status not in WHOLE:
        # The status has said everything: how the body is packed, or ends, does not matter. When a
        # short one is off the connection, that can be used again.
        with suppress(Exception):
            for _ in range(_READS_IN_PASSING):
                piece = answer.piece()
                request.bytes_received += len(piece)
                if not piece:
                    answer.close()
                    break
        check_answer(request)
        return
    check_answer(request)
    declared = request.received.get("content-length", "")
    if declared.isdecimal() and int(declared) > request.max_size:
        raise make_too_large_error(request.max_size)
    while piece := answer.piece():
        request.bytes_received += len(piece)
        spool.add(piece, request.max_size)
    answer.close()


def _content(spool: Spool, request: FeedRequest) -> bytes:
    """Return the decoded body of a whole answer; empty for any other."""
    if request.status not in WHOLE:
        return b""
    content = unpack(
        spool,
        request.received.get("content-encoding", ""),
        limit=request.max_size * DECODED_FACTOR,
        take_slot=request.take_slot,
    )
    if is_blank(content):
        raise FetchError("empty", "the answer is empty")
    request.rules.check_body(content, pages=request.pages)
    return content
