"""A folder, served on this machine only."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class _Quiet(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = {  # noqa: RUF012 - as the base class has it
        **SimpleHTTPRequestHandler.extensions_map,
        ".json": "application/feed+json",
        ".rdf": "application/rdf+xml",
    }

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the command says what there is to say."""


@contextmanager
def served(folder: Path, *, port: int = 0) -> Iterator[int]:
    """Serve a folder on 127.0.0.1 while inside, and give the port.

    The port asked for is taken if it is free, else another one.
    """
    handler = partial(_Quiet, directory=str(folder))
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError:
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    # A browser keeps connections open; they must not keep the command from ending.
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, name="planet-loopback", daemon=True)
    with server:
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
