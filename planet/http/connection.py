"""Request → Answer: one connection to a server, or a proxy, bounded in time and size.

Heads and chunks are read by http.client. What it reads them from has limits of its own, and its
sockets wait no longer than their exchange may take.
"""

from __future__ import annotations

import socket
import ssl
import time
from contextlib import nullcontext, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from urllib3.util import parse_url, wait_for_read

from planet.errors import FetchError
from planet.http.limits import CHUNK, CONNECT_TIMEOUT, IDLE_TIMEOUT, MAX_HEAD, MAX_HEAD_LINES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from io import RawIOBase

    from requests import PreparedRequest

    from planet.http.environment import Proxy
    from planet.http.guard import Guard, LookUps, SocketAddress
    from planet.http.limits import Deadline


_MAX_FRAMING = 1024 * 1024
"""Bytes of the sizes of chunks, their extensions and the trailers of an answer together; a body of
8 MiB in chunks of 32 bytes has no more."""
_MAX_LINE = 65_536
"""Bytes that http.client takes at once of what is read by line."""
_BLANK = (b"\r\n", b"\n", b"")


class _BoundedFile(BufferedReader):
    """What http.client reads an answer from: it ends where our limits are.

    Heads, the sizes of chunks and trailers are read by line, all else is data. http.client takes
    100 lines of header fields, by a constant of the whole process, and joins them before they are
    parsed. So it gets the lines of a head, which are counted here, joined.
    """

    def __init__(self, raw: RawIOBase) -> None:
        super().__init__(raw)
        self._left, self._lines_left = MAX_HEAD, MAX_HEAD_LINES + 2  # the status, and the end
        self._too_much = "more header fields than we read"
        self._is_body = False
        self._is_start = True
        """Whether the next line has a status."""
        self._fields: BytesIO | None = None
        """The lines between a status and the end of its head, as far as they are not read yet."""

    def readline(self, _: int | None = -1, /) -> bytes:
        """Read the next line; of header fields, all that http.client takes at once.

        Raises:
            HTTPException: it is more than we read.
        """
        if self._is_body or self._is_start:
            self._is_start = False
            return self._line()
        if self._fields is None:
            lines: list[bytes] = []
            while (line := self._line()) not in _BLANK:
                lines.append(line)
            # Without the end of the last line, for a piece must not look like the end of the head.
            self._fields = BytesIO(b"".join(lines).rstrip(b"\r\n"))
        piece = self._fields.read(_MAX_LINE)
        if not piece:
            self._fields, self._is_start = None, True
        return piece or b"\r\n"

    def begin_body(self) -> None:
        """Take the lines that follow for those around chunks."""
        self._is_body = True
        self._left = self._lines_left = _MAX_FRAMING
        self._too_much = "more around the chunks than we read"

    def _line(self) -> bytes:
        line = super().readline(self._left + 1)
        self._left -= len(line)
        self._lines_left -= 1
        if self._left < 0 or self._lines_left < 0:
            raise HTTPException(self._too_much)
        return line


class _KeepsDeadline:
    """A socket that waits for no piece of an answer longer than its exchange may take."""

    deadline: Deadline
    has_answered: bool
    """Whether anything of the answer to the last request has come."""

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        # In this order, for a server that drips is never silent.
        self.settimeout(self.deadline.within(IDLE_TIMEOUT))  # type: ignore[attr-defined]
        count: int = super().recv_into(*args, **kwargs)  # type: ignore[misc]
        self.has_answered = self.has_answered or count > 0
        return count

    def makefile(self, *_: Any, **__: Any) -> _BoundedFile:
        return _BoundedFile(super().makefile("rb", buffering=0))  # type: ignore[misc]


class _Socket(_KeepsDeadline, socket.socket):  # type: ignore[misc]
    pass


class _TLSSocket(_KeepsDeadline, ssl.SSLSocket):  # type: ignore[misc]
    pass


def tls_context(authorities: str) -> ssl.SSLContext:
    """Make the context of all connections over TLS, which trusts those in a file or a folder.

    Raises:
        OSError: no certificates can be read there.
    """
    if Path(authorities).is_dir():
        context = ssl.create_default_context(capath=authorities)
    else:
        context = ssl.create_default_context(cafile=authorities)
    context.set_alpn_protocols(["http/1.1"])
    context.sslsocket_class = _TLSSocket
    return context


def dial(addresses: Sequence[SocketAddress], *, timeout: float) -> _Socket:
    """Connect to the first address that answers, of those that `socket.getaddrinfo` found.

    All of them share one time limit: a name with fifty dead addresses keeps us no longer.

    Raises:
        OSError: none answers; what the last one said. TimeoutError if it was nothing.
    """
    ends = time.monotonic() + timeout
    failure = OSError("there is no address")
    for number, (family, kind, protocol, _, where) in enumerate(addresses):
        left = ends - time.monotonic()
        if left <= 0:
            failure = TimeoutError("timed out")
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
            return connection
    try:
        raise failure
    finally:
        del failure  # it holds this frame, which would hold it


class BoundedResponse(HTTPResponse):
    """The final answer to a request, of which no body is read that is not whole."""

    fields: dict[str, str]
    """The header fields, names in lower case; what stands twice is one list."""

    def begin(self, **limits: Any) -> None:
        """Read the head of the final answer; newer Pythons pass a limit of theirs.

        Raises:
            HTTPException: it is not proper HTTP, or names more than one length.
        """
        super().begin(**limits)
        # http.client passes over 100 alone (RFC 9110 §15.2). 101 is final: nobody asked for another
        # protocol.
        while self.status < 200 and self.status != 101:
            self.headers = None  # type: ignore[assignment]  # else nothing is read
            super().begin(**limits)
        cast("_BoundedFile", self.fp).begin_body()
        self.fields = {}
        for name, value in self.headers.items():
            known = self.fields.get(name.lower())
            self.fields[name.lower()] = value if known is None else f"{known}, {value}"
        lengths = {one.strip() for one in self.fields.get("content-length", "").split(",")}
        if len(lengths) > 1:
            raise HTTPException("more than one length")

    def piece(self) -> bytes:
        """Read the next bytes of the body, as they are packed; none at its end.

        Raises:
            IncompleteRead: the connection ends before the body does.
        """
        piece = self.read1(CHUNK)
        if not piece and self.length:
            raise IncompleteRead(piece, self.length)
        return piece


class Connection(HTTPConnection):
    """Leads to no address that the guard of an exchange forbids; over TLS if it is given some.

    With a proxy it leads to that, which looks up the server and connects to it.
    """

    response_class = BoundedResponse

    def __init__(
        self,
        host: str,
        port: int,
        tls: ssl.SSLContext | None,
        *,
        proxy: Proxy | None,
        look_ups: LookUps,
    ) -> None:
        self.default_port = 443 if tls else 80
        super().__init__(host.rstrip("."), port)
        self.place = host, port, tls is not None
        self._host = host
        self._tls = tls
        self._proxy = proxy
        self._look_ups = look_ups
        self._lookup: Sequence[SocketAddress] | Exception | None = None
        """What looking its name up gave, for the connection that is opened next."""
        self._live: _Socket | _TLSSocket | None = None
        """What `sock` is; http.client lets go of that when the server will close it."""

    def ask(self, request: PreparedRequest, deadline: Deadline, guard: Guard) -> BoundedResponse:
        """Send a request and read the head of what comes.

        Where a connection was kept, and ends before anything of an answer has come, its server may
        have closed it just then: the request is sent once more, over a new one (RFC 9112 §9.3.1).

        Raises:
            FetchError: the server cannot be reached in time, or must not be.
        """
        if self.sock is not None and wait_for_read(self.sock, 0):
            self.close()  # by the other side: it has nothing to say yet
        kept = self._live if self.sock is not None else None
        if kept is not None:
            kept.has_answered = False
            try:
                self._check(kept, guard)
                return self._exchange(request, deadline)
            except (ConnectionError, ssl.SSLError):
                if kept.has_answered or request.method != "GET":
                    raise
                self.close()
        self._open(deadline, guard)
        return self._exchange(request, deadline)

    def _exchange(self, request: PreparedRequest, deadline: Deadline) -> BoundedResponse:
        path = parse_url(str(request.url)).request_uri
        headers = dict(request.headers.items())
        is_forwarded = self._proxy is not None and self._tls is None
        if self._proxy and is_forwarded:
            path = f"http://{urlsplit(str(request.url)).netloc}{path}"
            headers |= self._proxy.headers
        body = request.body
        answer = self._send(
            str(request.method),
            path,
            headers,
            body.encode() if isinstance(body, str) else body,
            deadline=deadline,
        )
        if is_forwarded and answer.status == 407:
            raise _make_proxy_error(407)
        return answer

    def _send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | None = None,
        *,
        deadline: Deadline,
    ) -> BoundedResponse:
        assert self._live is not None
        self._live.deadline, self._live.has_answered = deadline, False
        self._live.settimeout(deadline.within(IDLE_TIMEOUT))
        self.putrequest(method, path, skip_accept_encoding=True)
        for name, value in headers.items():
            self.putheader(name, value)
        self.endheaders(body)
        return cast("BoundedResponse", self.getresponse())

    def locate(self, timeout: float) -> str | None:
        """Return the IP address that it leads to, or will; None if its name has none.

        With a proxy it is None, too: only that knows where the server is.
        """
        if self._proxy is not None:
            return None
        if self.sock is not None:
            with suppress(ConnectionResetError):
                return _peer(self.sock)
        self._lookup = self._find(self._host, self.port, timeout)
        return None if isinstance(self._lookup, Exception) else str(self._lookup[0][4][0])

    def _find(self, host: str, port: int, timeout: float) -> Sequence[SocketAddress] | Exception:
        try:
            return self._look_ups.find(host, port, timeout=timeout)
        except (OSError, UnicodeError) as error:
            return error

    def cut(self) -> None:
        """Have whoever waits for an answer wait no longer."""
        if self._live is not None:
            with suppress(OSError):  # closed by the other side: as good as cut
                self._live.shutdown(socket.SHUT_RDWR)

    def _check(self, connection: socket.socket, guard: Guard) -> None:
        if self._proxy is None:
            guard.check(_peer(connection))
        else:
            guard.check_name(self._host)

    def _open(self, deadline: Deadline, guard: Guard) -> None:
        """Connect to the server, or through the proxy.

        Raises:
            FetchError: that is not possible, or not allowed.
        """
        who = "proxy" if self._proxy else "server"
        addresses = self._addresses(who, deadline, guard)
        try:
            self.sock = self._live = dial(addresses, timeout=deadline.within(CONNECT_TIMEOUT))
        except ConnectionRefusedError as error:
            raise FetchError("refused", f"the {who} refuses the connection") from error
        except TimeoutError as error:
            raise FetchError("connect_timeout", f"the {who} does not answer the call") from error
        except OSError as error:
            raise FetchError("unreachable", f"the {who} cannot be reached") from error
        self._check(self._live, guard)
        if self._tls is not None:
            # The answer of the proxy holds the connection: it ends once TLS has taken that over.
            with self._tunnel_through(self._proxy, deadline) if self._proxy else nullcontext():
                # First made, then greeted, so that `cut` can end that, too.
                tls = self._tls.wrap_socket(
                    self._live, server_hostname=self.host, do_handshake_on_connect=False
                )
                self.sock = self._live = cast("_TLSSocket", tls)
            self._live.settimeout(deadline.within(CONNECT_TIMEOUT))
            self._live.do_handshake()

    def _addresses(self, who: str, deadline: Deadline, guard: Guard) -> Sequence[SocketAddress]:
        """Return those to which a connection may lead.

        Raises:
            FetchError: there is none.
        """
        lookup, self._lookup = self._lookup, None
        if lookup is None:
            host, port = self._host, self.port
            if self._proxy is not None:
                host, port = self._proxy.host, self._proxy.port
            lookup = self._find(host, port, deadline.within(CONNECT_TIMEOUT))
        if isinstance(lookup, TimeoutError):
            raise FetchError("dns", f"the {who} could not be looked up in time") from lookup
        if isinstance(lookup, Exception):
            raise FetchError("dns", f"there is no {who} of that name") from lookup
        if self._proxy is not None:
            return lookup
        # Before they are called: whether anybody answers there is no stranger's business.
        permitted = [address for address in lookup if guard.permits(str(address[4][0]))]
        if not permitted:
            raise guard.refusal()
        return permitted

    def _tunnel_through(self, proxy: Proxy, deadline: Deadline) -> BoundedResponse:
        """Have the proxy connect us to the server (RFC 9110 §9.3.6).

        Raises:
            FetchError: the proxy does not.
        """
        host = f"[{self.host}]" if ":" in self.host else self.host
        answer = self._send("CONNECT", f"{host}:{self.port}", proxy.headers, deadline=deadline)
        if not 200 <= answer.status < 300:
            answer.close()
            raise _make_proxy_error(answer.status)
        return answer


def _make_proxy_error(status: int) -> FetchError:
    words = {
        403: "the proxy does not let us connect to the server",
        407: "the proxy asks for a user name and password (put them into its address)",
    }.get(status, "the proxy does not connect us to the server")
    return FetchError("unreachable", f"{words} (HTTP {status})")


def _peer(connection: socket.socket) -> str:
    """Return the IP address a connection leads to.

    Raises:
        ConnectionResetError: it has none any more: the server hung up at once.
    """
    try:
        return str(connection.getpeername()[0])
    except OSError as error:
        raise ConnectionResetError(*error.args) from error
