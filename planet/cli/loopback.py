"""A folder, or whatever answers, served on this machine only."""

from __future__ import annotations

import re
import sys
import threading
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from planet.serving.messages import Request, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from planet.serving.messages import Answer

MOST = 64 * 1024
"""The most bytes a form may have."""

_SECONDS_TO_SEND = 30.0
_SECONDS_TO_END = 0.1
_EVERYWHERE = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    # In a frame of another site, a button could be clicked by somebody who sees something else.
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "frame-ancestors 'none'",
}


@contextmanager
def served(folder: Path, *, port: int = 0) -> Iterator[int]:
    """Serve a folder on 127.0.0.1 while inside, and give the port.

    The port asked for is taken if it is free, else another one.
    """
    handler = partial(_Folder, directory=str(folder))
    try:
        server = _Server(("127.0.0.1", port), handler)
    except OSError:
        server = _Server(("127.0.0.1", 0), handler)
    with _running(server) as taken:
        yield taken


@contextmanager
def answering(answer: Callable[..., Answer], *, port: int = 0) -> Iterator[int]:
    """Let `answer(request, port=port)` answer on 127.0.0.1 while inside, and give the port.

    It is called from several threads at once. A form that is too long never comes to it.

    Raises:
        OSError: the port is not free.
    """
    with _running(_Server(("127.0.0.1", port), partial(_Answering, answer=answer))) as taken:
        yield taken


@contextmanager
def _running(server: ThreadingHTTPServer) -> Iterator[int]:
    serve = partial(server.serve_forever, poll_interval=_SECONDS_TO_END)
    thread = threading.Thread(target=serve, name="planet-loopback", daemon=True)
    with server:
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    # A browser keeps connections open; they must not keep the command from ending.
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that has gone; all else is a bug."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Quiet(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the command says what there is to say."""


class _Folder(_Quiet, SimpleHTTPRequestHandler):
    extensions_map = {  # noqa: RUF012 - as the base class has it
        **SimpleHTTPRequestHandler.extensions_map,
        ".json": "application/feed+json",
        ".rdf": "application/rdf+xml",
    }


class _Answering(_Quiet):
    timeout = _SECONDS_TO_SEND

    def __init__(self, *args: Any, answer: Callable[..., Answer]) -> None:
        self._answer = answer
        super().__init__(*args)

    def do_GET(self) -> None:
        self._send(self._asked())

    def do_HEAD(self) -> None:
        self._send(self._asked())

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,9}", length) or "Transfer-Encoding" in self.headers:
            self._refuse(told(411, "Nothing was changed", "The form does not say how long it is."))
        elif int(length) > MOST:
            self._refuse(told(413, "Nothing was changed", "The form is too long."))
        else:
            self._send(self._asked(self.rfile.read(int(length))))

    def version_string(self) -> str:
        return "planet"

    def end_headers(self) -> None:
        for name, value in _EVERYWHERE.items():
            self.send_header(name, value)
        super().end_headers()

    def _asked(self, body: bytes = b"") -> Answer:
        request = Request(
            method=self.command, target=self.path, headers=tuple(self.headers.items()), body=body
        )
        _, port, *_ = self.connection.getsockname()
        return self._answer(request, port=port)

    def _refuse(self, answer: Answer) -> None:
        """Answer a request whose body is left unread: nothing can follow it."""
        self.close_connection = True
        self._send(answer)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.media_type)
        self.send_header("Content-Length", str(len(answer.body)))
        if answer.location is not None:
            self.send_header("Location", answer.location)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)
