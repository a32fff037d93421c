"""A publisher on loopback: answers as scripted, byte for byte, and writes down what it was asked.

Nothing is added to a scripted answer but its framing (`Content-Length`, or chunks), so a test knows
every byte on the wire in both directions. Real sockets and threads; nothing is patched.
"""

import selectors
import socket
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import BinaryIO, Self, TypeAlias

Hold: TypeAlias = threading.Event | threading.Barrier
_FRAMING = {"content-length", "transfer-encoding"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request as it arrived."""

    host: str
    """The loopback address it was sent to."""
    connection: int
    """Which connection it came on, counted from 0 in the order of their opening."""
    method: str
    path: str
    """The request target: path and query, verbatim."""
    headers: tuple[tuple[str, str], ...]
    """Names and values in their order, spelled as sent, decoded as Latin-1."""
    raw: bytes
    """The whole head: request line, headers and the empty line."""
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """The value of a header, None when it was not sent; several are joined by `, `."""
        values = [value for sent, value in self.headers if sent.lower() == name.lower()]
        return ", ".join(values) if values else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One answer. Header text goes out as Latin-1 (RFC 9110 §5.5), in the order given."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    """When they frame the body themselves, rightly or wrongly, the connection is closed after."""
    body: bytes = b""
    chunked: bool = False
    hold: Hold | None = None
    """Nothing is sent until the event is set, or until all parties have come to the barrier."""
    endless: bool = False
    """The body is sent again and again, unframed, until the client hangs up."""
    drip_head: float = 0
    """Seconds before each single byte of the head."""
    drip_body: float = 0
    """Seconds before each single byte of the body."""
    raw: bytes | None = None
    """Sent instead of all of the above but `hold`; the connection is closed after it."""

    @property
    def closes(self) -> bool:
        """Whether the connection ends with this answer."""
        framed = any(name.lower() in _FRAMING for name, _ in self.headers)
        return self.raw is not None or self.endless or framed

    def wire(self) -> tuple[bytes, bytes]:
        """Head and body as they go out."""
        if self.raw is not None:
            return b"", self.raw
        headers, body = self.headers, self.body
        if not self.closes and self.status >= 200 and self.status not in (204, 304):
            if self.chunked:
                headers += (("Transfer-Encoding", "chunked"),)
                body = b"".join(_chunk(part) for part in (body[:1], body[1:]) if part) + _chunk(b"")
            else:
                headers += (("Content-Length", str(len(body))),)
        lines = [f"HTTP/1.1 {self.status} {_phrase(self.status)}"]
        lines += [f"{name}: {value}" for name, value in headers]
        return "\r\n".join([*lines, "", ""]).encode("latin-1"), body


def moved(location: str, status: int = 302, *more: tuple[str, str], body: bytes = b"") -> Response:
    return Response(status=status, headers=(("Location", location), *more), body=body)


Script: TypeAlias = Callable[[Request], Response]


class Server:
    """Listens on loopback addresses while its `with` block runs; leaves no thread and no socket.

    At the end of the block every hold is let go and every connection is cut.
    """

    def __init__(self, *hosts: str) -> None:
        self.requests: list[Request] = []
        self._hosts = hosts or ("127.0.0.1",)
        self._scripts: dict[str, Script] = {}
        self._listeners: dict[str, socket.socket] = {}
        self._connections: list[tuple[socket.socket, threading.Thread]] = []
        self._holds: list[Hold] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._exit = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for host in self._hosts:
                self._listeners[host] = stack.enter_context(socket.create_server((host, 0)))
            wake, woken = map(stack.enter_context, socket.socketpair())
            acceptor = threading.Thread(target=self._accept, args=(woken,), name="acceptor")
            acceptor.start()
            stack.callback(self._cut)
            stack.callback(acceptor.join)
            stack.callback(wake.sendall, b"!")
            self._exit = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._exit.close()

    @property
    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    @property
    def etags(self) -> list[str | None]:
        """What each request named in If-None-Match."""
        return [request.header("If-None-Match") for request in self.requests]

    @property
    def asked(self) -> list[tuple[str, str | None]]:
        """The path of each request, and what it named in If-None-Match."""
        return list(zip(self.paths, self.etags, strict=True))

    def url(self, path: str, host: str | None = None) -> str:
        """The address of a path, on the first host unless another is named."""
        host = host or self._hosts[0]
        return f"http://{host}:{self._listeners[host].getsockname()[1]}{path}"

    def script(self, path: str, *responses: Response) -> str:
        """Answer a path (with its query) with these, in turn; the last one repeats."""
        remaining = list(responses)

        def answer(_: Request) -> Response:
            return remaining.pop(0) if len(remaining) > 1 else remaining[0]

        return self.answer(path, answer)

    def feed(
        self,
        path: str,
        body: bytes,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/xml"),),
    ) -> str:
        """Publish a document with these validators; a request that knows them gets a 304.

        Dates are compared as text: a server may insist on the very date it sent
        (RFC 9110 §13.1.3), so an invented one gets the whole document.
        """
        validators = []
        if etag is not None:
            validators.append(("ETag", etag))
        if last_modified is not None:
            validators.append(("Last-Modified", last_modified))
        whole = Response(headers=(*headers, *validators), body=body)
        # RFC 9110 §15.4.5: with an ETag there, a 304 leaves Last-Modified out.
        unchanged = Response(status=304, headers=tuple(validators[:1]))

        def answer(request: Request) -> Response:
            known = _knows(request, etag, last_modified)
            return unchanged if known else whole

        return self.answer(path, answer)

    def answer(self, path: str, script: Script) -> str:
        """Answer a path (with its query) by calling `script`; one call at a time."""
        with self._lock:
            self._scripts[path] = script
        return self.url(path)

    def _accept(self, woken: socket.socket) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(woken, selectors.EVENT_READ)
            for host, listener in self._listeners.items():
                selector.register(listener, selectors.EVENT_READ, host)
            while True:
                for key, _ in selector.select():
                    if key.data is None:
                        return
                    self._open(key.data, self._listeners[key.data].accept()[0])

    def _open(self, host: str, connection: socket.socket) -> None:
        number = len(self._connections)
        thread = threading.Thread(
            target=self._serve, args=(host, number, connection), name=f"connection {number}"
        )
        self._connections.append((connection, thread))
        thread.start()

    def _serve(self, host: str, number: int, connection: socket.socket) -> None:
        # OSError: the client has gone, or the test is over; BrokenBarrierError: the test is over.
        with suppress(OSError, threading.BrokenBarrierError), connection:
            # Without this, head and body, which are sent one by one, wait for an ACK in between.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with connection.makefile("rb") as stream:
                while request := _read(stream, host, number):
                    response = self._respond(request)
                    self._hold(response.hold)
                    head, body = response.wire()
                    self._send(connection, head, response.drip_head)
                    self._send(connection, body, response.drip_body)
                    while response.endless:
                        self._send(connection, body, response.drip_body)
                    if response.closes:
                        return

    def _respond(self, request: Request) -> Response:
        with self._lock:
            self.requests.append(request)
            script = self._scripts.get(request.path)
            return Response(status=404) if script is None else script(request)

    def _hold(self, hold: Hold | None) -> None:
        if hold is None:
            return
        self._holds.append(hold)
        # After appending: either _cut() finds the hold, or its flag is found here.
        if not self._stopping.is_set():
            hold.wait()

    def _send(self, connection: socket.socket, sent: bytes, drip: float) -> None:
        if not drip:
            connection.sendall(sent)
            return
        for byte in sent:
            if self._stopping.wait(drip):
                return
            connection.sendall(bytes([byte]))

    def _cut(self) -> None:
        for hold in self._holds:
            if isinstance(hold, threading.Barrier):
                hold.abort()
            else:
                hold.set()
        for connection, thread in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            thread.join()


def _read(stream: BinaryIO, host: str, connection: int) -> Request | None:
    """The next request head on a connection, None at its end."""
    lines = []
    for line in stream:
        lines.append(line)
        if line == b"\r\n":
            break
    else:
        return None
    method, path, _ = lines[0].decode("latin-1").split(" ", 2)
    fields = (line.decode("latin-1").rstrip("\r\n").partition(":") for line in lines[1:-1])
    headers = tuple((name, value.strip(" \t")) for name, _, value in fields)
    length = next((value for name, value in headers if name.lower() == "content-length"), "0")
    return Request(
        host=host,
        connection=connection,
        method=method,
        path=path,
        headers=headers,
        raw=b"".join(lines),
        body=stream.read(int(length)),
    )


def _knows(request: Request, etag: str | None, last_modified: str | None) -> bool:
    """Whether a conditional request names the present version (RFC 9110 §13.2.2)."""
    tags = request.header("If-None-Match")
    if tags is not None:
        # RFC 9110 §13.1.2: compared weakly. The tags of tests hold no commas.
        known = {tag.strip().removeprefix("W/") for tag in tags.split(",")}
        return etag is not None and etag.removeprefix("W/") in known
    return last_modified is not None and request.header("If-Modified-Since") == last_modified


def _chunk(part: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(part), part)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:  # a status of no standard
        return "Unknown"
