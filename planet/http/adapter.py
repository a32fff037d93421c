"""FeedRequest → Response: one exchange over a real connection, bounded in time and size.

Over http.client, without the pools, retries and proxies of urllib3: none of them is wanted, and
they took more time than the exchange. What goes over the wire is what requests would send.
"""

from __future__ import annotations

import re
import socket
import ssl
import time
from contextlib import contextmanager, suppress
from email.parser import HeaderParser
from functools import cached_property
from http.client import (
    BadStatusLine,
    HTTPConnection,
    HTTPException,
    HTTPMessage,
    HTTPResponse,
    IncompleteRead,
    RemoteDisconnected,
)
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, cast
from urllib.parse import quote, urlsplit

from requests import Response
from requests.adapters import BaseAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3.util import wait_for_read

from planet.errors import FetchError
from planet.http.body import Spool, is_blank, too_large, unpacked
from planet.http.exchange import (
    CHUNK,
    CONNECT_TIMEOUT,
    DECODED_FACTOR,
    IDLE_TIMEOUT,
    MAX_HEAD,
    MAX_HEAD_LINES,
    check,
    too_slow,
)
from planet.model import WHOLE
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from io import BufferedReader

    from requests import PreparedRequest

    from planet.http.exchange import Deadline, FeedRequest, Guard


_STATUS_LINE = re.compile(rb"HTTP/(0\.9|1\.\d+)\s+([1-9]\d\d)(?:\s|$)")
_FIELD = re.compile(rb"([!-9;-~]+):[ \t]*+([^\r\n]*)\r?\n")
"""A header field as it should be (RFC 9112 §5)."""
_ESCAPE = re.compile("%[0-9a-fA-F]{2}")
_AS_IT_IS: Final = "!$&'()*+,;=:@/?~"
"""What stands in a path and a query without being encoded, besides letters and digits."""
_MAX_FRAMING = 1024 * 1024
"""Bytes of the sizes of chunks, their extensions and the trailers of an answer together; a body of
8 MiB in chunks of 32 bytes has no more."""
_READS_IN_PASSING = 8
"""Reads of an error page that nobody wants; once it has ended, its connection can be used again."""


class _Timed:
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


class _Socket(_Timed, socket.socket):
    pass


class _TLSSocket(_Timed, ssl.SSLSocket):
    pass


FoundAddress: TypeAlias = tuple[int, int, int, str, Any]
"""As `socket.getaddrinfo` has it."""


class LookUp(Protocol):
    """Finds the addresses of a name, as `socket.getaddrinfo` does."""

    def __call__(self, host: str, port: int, *, type: int) -> Sequence[FoundAddress]:
        """Return them in the order in which they are to be tried.

        Raises:
            OSError, UnicodeError: there is no such name.
        """


def dial(addresses: Sequence[FoundAddress], *, timeout: float) -> _Socket:
    """A connection to the first address that answers, of those that `socket.getaddrinfo` found.

    All of them share one time limit: a name with fifty dead addresses keeps us no longer.

    Raises:
        OSError: none answers; what the last one said. TimeoutError if it was nothing.
    """
    ends = time.monotonic() + timeout
    failure = OSError("there is no address")
    for number, (family, kind, protocol, _, where) in enumerate(addresses):
        connection = _Socket(family, kind, protocol)
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
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


class _Chunks:
    """Where http.client reads a body in chunks from, so that there is a limit for what is not data.

    Only the sizes of chunks with their extensions, and the trailers, are read by line.
    """

    def __init__(self, wire: BufferedReader) -> None:
        self._wire = wire
        self._left = _MAX_FRAMING

    def readline(self, limit: int) -> bytes:
        """The next line."""
        line = self._wire.readline(limit)
        self._left -= len(line)
        if self._left < 0:
            raise HTTPException("more around the chunks than we read")
        return line

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wire, name)


class Answer(HTTPResponse):
    """Reads a head within our own limits, and no body that is not whole.

    http.client has a limit of 100 header fields, which is a constant for the whole process, reads
    them through `email`, which takes most of its time, and knows but one answer before the final
    one (RFC 9110 §15.2). What it reads of a body it reads here, too.
    """

    def begin(self, **_: Any) -> None:
        """Read the head of the final answer; newer Pythons name a limit of theirs."""
        self._size = self._count = 0
        while True:
            line = self.fp.readline(MAX_HEAD + 1)
            if not line:
                raise RemoteDisconnected("the connection ended before the answer")
            status = _STATUS_LINE.match(line)
            if status is None:
                raise BadStatusLine(line.decode("latin-1"))
            self.status = int(status[2])
            # 101 is final: nobody asked for another protocol.
            is_final = self.status >= 200 or self.status == 101
            if not is_final:
                self._take(line)
            lines: list[bytes] = []
            while (line := self.fp.readline(MAX_HEAD + 1)) not in (b"\r\n", b"\n", b""):
                self._take(line)
                lines.append(line)
            if is_final:
                break
        self.headers = HTTPMessage()
        self.fields: dict[str, str] = {}
        """The header fields, names in lower case; what stands twice is one list."""
        fields = _fields(lines)
        for name, value in fields:
            self.fields[name] = f"{self.fields[name]}, {value}" if name in self.fields else value
        self._frame(dict(reversed(fields)), is_old=status[1] in (b"0.9", b"1.0"))

    def _take(self, line: bytes) -> None:
        self._size += len(line)
        self._count += 1
        if self._size > MAX_HEAD or self._count > MAX_HEAD_LINES:
            raise HTTPException("more header fields than we read")

    def _frame(self, first: Mapping[str, str], *, is_old: bool) -> None:
        """What http.client wants to know before it reads the body (RFC 9112 §6.3, §9.3)."""
        connection = first.get("connection", "").lower()
        if is_old:
            self.will_close = "keep-alive" not in connection and not first.get("keep-alive")
        else:
            self.will_close = "close" in connection
        self.chunked = first.get("transfer-encoding", "").lower() == "chunked"
        self.chunk_left = None
        lengths = {one.strip() for one in self.fields.get("content-length", "").split(",")}
        if len(lengths) > 1:
            raise HTTPException("more than one length")
        (length,) = lengths
        self.length = int(length) if length.isdecimal() and not self.chunked else None
        if self.status in (101, 204, 304):
            self.length = 0
        if self.chunked:
            self.fp = cast("BufferedReader", _Chunks(self.fp))
        elif self.length is None:
            self.will_close = True

    def piece(self) -> bytes:
        """The next bytes of the body, as they are packed; none at its end.

        Raises:
            IncompleteRead: the connection ends before the body does.
        """
        piece = self.read1(CHUNK)
        if not piece and self.length:
            raise IncompleteRead(piece, self.length)
        return piece


def _fields(lines: Sequence[bytes]) -> list[tuple[str, str]]:
    """Header fields, names in lower case."""
    matches = [_FIELD.fullmatch(line) for line in lines]
    if None in matches:
        # Folded, or no field at all: taken as http.client takes it.
        message = HeaderParser().parsestr(b"".join(lines).decode("latin-1"))
        return [(name.lower(), value) for name, value in message.items()]
    pairs = [field.groups() for field in matches if field]
    return [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in pairs]


class _Connection(HTTPConnection):
    """Leads to no address that the guard of an exchange forbids; over TLS if it is given some."""

    response_class = Answer

    def __init__(
        self, host: str, port: int, tls: ssl.SSLContext | None, *, look_up: LookUp
    ) -> None:
        self.default_port = 443 if tls else 80
        super().__init__(host.rstrip("."), port)
        self.place = host, port, tls is not None
        self._name = host
        self._tls = tls
        self._look_up = look_up
        self._found: Sequence[FoundAddress] | Exception | None = None
        """What looking its name up gave, for the connection that is opened next."""
        self._live: _Socket | _TLSSocket | None = None
        """What `sock` is; http.client lets go of that when the server will close it."""

    def ask(self, request: PreparedRequest, deadline: Deadline, guard: Guard) -> Answer:
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
                guard.check(_peer(kept))
                return self._exchange(request, deadline)
            except (ConnectionError, ssl.SSLError):
                if kept.has_answered or request.method != "GET":
                    raise
                self.close()
        self._open(deadline, guard)
        return self._exchange(request, deadline)

    def _exchange(self, request: PreparedRequest, deadline: Deadline) -> Answer:
        assert self._live is not None
        self._live.deadline, self._live.has_answered = deadline, False
        self._live.settimeout(deadline.within(IDLE_TIMEOUT))
        self.putrequest(str(request.method), target(str(request.url)), skip_accept_encoding=True)
        for name, value in request.headers.items():
            self.putheader(name, value)
        body = request.body
        self.endheaders(body.encode() if isinstance(body, str) else body)
        return cast("Answer", self.getresponse())

    def locate(self) -> str | None:
        """Return the IP address that it leads to, or will; None if its name has none."""
        if self.sock is not None:
            with suppress(ConnectionResetError):
                return _peer(self.sock)
        try:
            self._found = self._look_up(self._name, self.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            self._found = error
            return None
        return str(self._found[0][4][0])

    def cut(self) -> None:
        """Have whoever waits for an answer wait no longer."""
        if self._live is not None:
            with suppress(OSError):  # closed by the other side: as good as cut
                self._live.shutdown(socket.SHUT_RDWR)

    def _open(self, deadline: Deadline, guard: Guard) -> None:
        if self._found is None:
            self.locate()
        addresses, self._found = self._found, None
        if addresses is None or isinstance(addresses, Exception):
            raise FetchError("dns", "there is no server of that name") from addresses
        # Before they are called: whether anybody answers there is no stranger's business.
        permitted = [address for address in addresses if guard.permits(str(address[4][0]))]
        if not permitted:
            raise guard.refusal()
        try:
            self.sock = self._live = dial(permitted, timeout=deadline.within(CONNECT_TIMEOUT))
        except ConnectionRefusedError as error:
            raise FetchError("refused", "the server refuses the connection") from error
        except TimeoutError as error:
            raise FetchError("connect_timeout", "the server does not answer the call") from error
        except OSError as error:
            raise FetchError("unreachable", "the server cannot be reached") from error
        guard.check(_peer(self.sock))
        if self._tls is not None:
            self.sock.settimeout(deadline.within(CONNECT_TIMEOUT))
            # First made, then greeted, so that `cut` can end that, too.
            self.sock = self._live = cast(
                "_TLSSocket",
                self._tls.wrap_socket(
                    self.sock, server_hostname=self.host, do_handshake_on_connect=False
                ),
            )
            self.sock.do_handshake()


def _peer(connection: socket.socket) -> str:
    """The IP address a connection leads to.

    Raises:
        ConnectionResetError: it has none any more: the server hung up at once.
    """
    try:
        return str(connection.getpeername()[0])
    except OSError as error:
        raise ConnectionResetError(*error.args) from error


def target(url: str) -> str:
    """What a request for an address names, spelled as requests and urllib3 do."""
    parts = urlsplit(url)
    return _encoded(parts.path or "/") + (f"?{_encoded(parts.query)}" if parts.query else "")


def _encoded(part: str) -> str:
    part, escapes = _ESCAPE.subn(lambda escape: escape[0].upper(), part)
    # Where each "%" begins an escape, all that has to be is encoded already.
    safe = f"{_AS_IT_IS}%" if escapes == part.count("%") else _AS_IT_IS
    return quote(part, safe=safe, errors="surrogatepass")


class FeedAdapter(BaseAdapter):
    """Sends `FeedRequest`s, one connection kept for each server; one TLS context for all."""

    def __init__(self) -> None:
        super().__init__()
        self._connections: dict[str, _Connection] = {}
        """By `address.server`; nobody asks a server twice at the same time."""
        self.look_up: LookUp = socket.getaddrinfo
        self._stopped: list[_Connection] = []
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
    ) -> Iterator[Answer]:
        """Send a request over the connection of its server, kept if the answer is read."""
        connection = self._connection(str(request.url))
        answer: Answer | None = None
        try:
            answer = connection.ask(request, deadline, guard)
            yield answer
        except OSError as error:
            if deadline.remaining <= 0:
                raise too_slow() from error
            raise
        finally:
            if answer is None or not answer.isclosed():
                connection.close()

    def locate(self, url: str) -> str | None:
        """Return the IP address at which an address will be asked for; None if it has none.

        A name is looked up, once for this and the next connection to it.
        """
        return self._connection(url).locate()

    def _connection(self, url: str) -> _Connection:
        """The one connection to the server behind an address; one over another scheme is closed."""
        parts, server = urlsplit(url), address.server(url)
        is_safe, name = parts.scheme == "https", parts.hostname or ""
        place = name, parts.port or (443 if is_safe else 80), is_safe
        connection = self._connections.get(server)
        if connection is None or connection.place != place:
            self.forget(server)
            tls = self._tls if is_safe else None
            connection = _Connection(*place[:2], tls, look_up=self.look_up)
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

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        # Reading the CA bundle costs ten times what a request does: once, not for every host.
        context = ssl.create_default_context(cafile=DEFAULT_CA_BUNDLE_PATH)
        context.set_alpn_protocols(["http/1.1"])
        context.sslsocket_class = _TLSSocket
        return context


def _receive(answer: Answer, request: FeedRequest, spool: Spool) -> None:
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
        check(request)
        return
    check(request)
    declared = request.received.get("content-length", "")
    if declared.isdecimal() and int(declared) > request.max_size:
        raise too_large(request.max_size)
    while piece := answer.piece():
        request.bytes_received += len(piece)
        spool.add(piece, request.max_size)
    answer.close()


def _content(spool: Spool, request: FeedRequest) -> bytes:
    """The decoded body of a whole answer; nothing for any other."""
    if request.status not in WHOLE:
        return b""
    content = unpacked(
        spool,
        request.received.get("content-encoding", ""),
        limit=request.max_size * DECODED_FACTOR,
        take_slot=request.take_slot,
    )
    if is_blank(content):
        raise FetchError("empty", "the answer is empty")
    request.rules.check_body(content, pages=request.pages)
    return content
