"""Connections that keep to the exchange they are used for: how long, to where, how much of a head.

`busy` names the exchange of a thread; whatever connection the thread opens or uses again belongs
to it, however many layers of libraries are in between.
"""

from __future__ import annotations

import re
import socket
import threading
import time
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from typing import TYPE_CHECKING, Any, cast

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError
from urllib3.util.connection import allowed_gai_family

from planet.errors import FetchError
from planet.http.exchange import MAX_FRAMING, MAX_HEAD, MAX_HEAD_LINES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from io import BufferedReader

    from planet.http.exchange import Deadline, Guard


def dial(
    addresses: Sequence[tuple[int, int, int, str, Any]],
    *,
    timeout: float,
    options: Iterable[Sequence[Any]] = (),
) -> socket.socket:
    """A connection to the first address that answers, of those that `socket.getaddrinfo` found.

    All of them share one time limit. urllib3 gives each the whole time: a name with fifty dead
    addresses would keep us fifty times as long. `options` are set on the socket before.

    Raises:
        OSError: none answers; what the last one said. TimeoutError if it was nothing.
    """
    ends = time.monotonic() + timeout
    failure = OSError("there is no address")
    for number, (family, kind, protocol, _, where) in enumerate(addresses):
        connection = socket.socket(family, kind, protocol)
        try:
            for option in options:
                connection.setsockopt(*option)
            # A fair share, for there are many machines on which all of IPv6 is dead.
            left = max(ends - time.monotonic(), 0.0)
            connection.settimeout(max(left / (len(addresses) - number), 0.001))
            connection.connect(where)
        except OSError as error:
            connection.close()
            failure = error
        else:
            return connection
    try:
        raise failure
    finally:
        del failure  # it holds this frame, which would hold it


_current = threading.local()
_INTERIM = re.compile(rb"HTTP/1\.\d 1(?!01)\d\d\b")
"""An answer before the final one; 101 is none, and nobody asked for another protocol."""


@contextmanager
def busy(deadline: Deadline, guard: Guard) -> Iterator[None]:
    """This thread is busy with an exchange; connections it uses join its deadline and its guard."""
    _current.deadline, _current.guard = deadline, guard
    try:
        yield
    finally:
        del _current.deadline, _current.guard


def too_slow() -> FetchError:
    """The failure of an exchange that was past its deadline."""
    return FetchError("timeout", "the server did not finish its answer in time")


class _Head:
    """Where http.client reads the head of an answer from, so that our own limits hold for it.

    http.client has a limit of 100 header lines, which is a constant for the whole process. It
    counts how often it reads, so it is given all of them at once, or in two parts. Of the answers
    before the final one (RFC 9110 §15.2) it knows 100 alone, so it is given none of them.
    """

    def __init__(self, wire: BufferedReader) -> None:
        self._wire = wire
        self._waiting: list[bytes] = []
        self._is_begun = False
        self._size = self._count = 0

    def readline(self, limit: int) -> bytes:
        """The status line, then the header lines, then the empty line."""
        if not self._is_begun:
            self._is_begun = True
            while _INTERIM.match(line := self._wire.readline(limit)):
                self._take(line)
                self._fields(limit)
            return line
        if not self._waiting:
            self._waiting = self._fields(limit)
        return self._waiting.pop(0)

    def close(self) -> None:
        """Close the connection's stream."""
        self._wire.close()

    def _fields(self, limit: int) -> list[bytes]:
        """All header lines in parts shorter than `limit`, and the line that ends them."""
        lines: list[bytes] = []
        while (line := self._wire.readline(MAX_HEAD + 1)) not in (b"\r\n", b"\n", b""):
            self._take(line)
            lines.append(line)
        fields = b"".join(lines)
        half = len(fields) // 2
        parts = [fields] if len(fields) < limit else [fields[:half], fields[half:]]
        return [*filter(None, parts), line]

    def _take(self, line: bytes) -> None:
        self._size += len(line)
        self._count += 1
        if self._size > MAX_HEAD or self._count > MAX_HEAD_LINES:
            raise HTTPException("more header fields than we read")


class _Chunks:
    """Where http.client reads a body in chunks from, so that there is a limit for what is not data.

    Only the sizes of chunks with their extensions, and the trailers, are read by line.
    """

    def __init__(self, wire: BufferedReader) -> None:
        self._wire = wire
        self._left = MAX_FRAMING

    def readline(self, limit: int) -> bytes:
        """The next line."""
        line = self._wire.readline(limit)
        self._left -= len(line)
        if self._left < 0:
            raise HTTPException("more around the chunks than we read")
        return line

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wire, name)


class BoundedResponse(HTTPResponse):
    """Reads what is not the body through `_Head` and `_Chunks`."""

    def begin(self, *args: Any, **kwargs: Any) -> None:
        """Read the head of the final answer."""
        wire = self.fp
        self.fp = cast("BufferedReader", _Head(wire))
        try:
            super().begin(*args, **kwargs)
        finally:
            self.fp = wire
        if self.chunked:
            self.fp = cast("BufferedReader", _Chunks(wire))


def _join(connection: socket.socket) -> None:
    """Put a connection under the deadline and the guard of the exchange this thread is busy with.

    Raises:
        FetchError: it is too late, or the connection leads where the exchange may not go.
    """
    deadline: Deadline = _current.deadline
    deadline.covers(connection)
    try:
        if deadline.passed:
            raise too_slow()
        _current.guard.check(_peer(connection))
    except BaseException:
        connection.close()
        raise


def _peer(connection: socket.socket) -> str:
    """The IP address a connection leads to.

    Raises:
        ConnectionResetError: it has none any more: the server hung up at once.
    """
    try:
        return str(connection.getpeername()[0])
    except OSError as error:
        raise ConnectionResetError(*error.args) from error


class _Connection(HTTPConnection):
    """Joins each exchange it is used for."""

    response_class = BoundedResponse

    def _new_conn(self) -> socket.socket:
        """As urllib3 has it, but by `dial`, and to no address that the guard forbids."""
        host = self._dns_host.strip("[]")
        try:
            found = socket.getaddrinfo(host, self.port, allowed_gai_family(), socket.SOCK_STREAM)
            # Before they are called: whether anybody answers there is no stranger's business.
            guard: Guard = _current.guard
            permitted = [each for each in found if guard.permits(str(each[4][0]))]
            if not permitted:
                raise guard.refusal()
            timeout = cast("float", self.timeout)
            connection = dial(permitted, timeout=timeout, options=self.socket_options or ())
        except (socket.gaierror, UnicodeError) as error:
            raise NameResolutionError(host, self, socket.gaierror(str(error))) from error
        except TimeoutError as error:
            raise ConnectTimeoutError(self, str(error)) from error
        except OSError as error:
            raise NewConnectionError(self, str(error)) from error
        _join(connection)
        return connection

    def request(self, *args: Any, **kwargs: Any) -> None:
        if self.sock is not None:  # kept from an earlier exchange
            _join(self.sock)
        super().request(*args, **kwargs)


class _TLSConnection(_Connection, HTTPSConnection):
    """The same over TLS."""


class Pool(HTTPConnectionPool):
    """Connections to one host."""

    ConnectionCls = _Connection


class TLSPool(HTTPSConnectionPool):
    """Connections to one host over TLS."""

    ConnectionCls = _TLSConnection
