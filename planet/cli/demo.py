"""`planet demo`: a real site from feeds that come with Planet, without a network."""

from __future__ import annotations

import os
import re
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import planet
from planet.cli import options
from planet.cli.options import clock, opened
from planet.cli.voice import speaking
from planet.config import load
from planet.report import FailOn, Report
from planet.site.serve import Request, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planet.cli.options import Voice
    from planet.site.serve import Answer


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


_FEEDS = Path(planet.__file__).parent / "demo"


@click.command("demo")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default="planet-demo",
    show_default=True,
    help="Where to put site and state.",
)
@click.option("--serve", is_flag=True, help="Keep a web server on the site, until Ctrl-C.")
@options.takes_voice
def command(folder: Path, serve: bool, voice: Voice) -> int:
    """Make a site from feeds that come with Planet, served on this machine.

    Nothing leaves the machine. Run it twice: the second time two feeds are left alone, because
    they say how often to ask, the others answer "not modified", and no file is written.
    """
    site = folder.absolute() / "public"
    report = _build(folder.absolute(), voice)
    if not voice.quiet:
        click.echo(f"The site is {site / 'index.html'}", err=voice.as_json)
    if serve:
        with served(site) as port:
            click.echo(f"Serving it at http://127.0.0.1:{port}/ until Ctrl-C", err=voice.as_json)
            threading.Event().wait()
    return report.exit_code(FailOn())


def _build(folder: Path, voice: Voice) -> Report:
    from planet.run.build import build
    from planet.run.runtime import Scope

    state = folder / "state"
    with served(_FEEDS / "feeds", port=_last_port(state)) as port:
        address = f"http://127.0.0.1:{port}"
        config = load(_FEEDS / "config.yaml", environ={**os.environ, "PLANET_DEMO": address})
        # Its address comes from the environment, and is no secret.
        feeds = tuple(replace(feed, is_hidden=False) for feed in config.feeds)
        config = replace(config, feeds=feeds, output=folder / "public", state=state)
        report = Report(started=clock(), feeds=len(feeds))
        with opened(config) as run, speaking(report, voice):
            (state / _PORT).write_text(str(port))
            build(config, feeds, run=run, scope=Scope(), report=report)
    return report


_PORT = "demo-port"


def _last_port(state: Path) -> int:
    """The port of the last demo: validators belong to an address, and the port is part of it."""
    try:
        return int((state / _PORT).read_text())
    except (OSError, ValueError):
        return 0
