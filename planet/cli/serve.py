"""`planet serve`: the site on this machine, for the operator, who picks episodes on its pages."""

from __future__ import annotations

import hmac
import mimetypes
import re
import secrets
import sys
import threading
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, unquote

import click
from msgspec.structs import replace

from planet.cli import options
from planet.cli.options import ConfigFile, clock, open_offers, open_run
from planet.errors import PlanetError, StateError
from planet.model import Picking
from planet.report import Report
from planet.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planet.config import Config


_MOST = 64 * 1024
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
_MESSAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{heading}</title>
</head>
<body>
<main style="overflow-wrap: anywhere">
<h1>{heading}</h1>
<pre style="white-space: pre-wrap">{words}</pre>
</main>
</body>
</html>
"""


@click.command("serve")
@options.pass_file
@click.option(
    "--port",
    type=click.IntRange(1024, 65535),
    default=8000,
    show_default=True,
    help="Where to listen; if that is taken, at any other port.",
)
def command(config_file: ConfigFile, port: int) -> None:
    """Show the site as it would be now, on this machine only, until Ctrl-C.

    No request is sent and nothing is published. Reload a page to see changes of the config, of
    picks.yaml and of the theme, and what `planet build` has fetched in the meantime. On the pages
    of sources you can pick episodes.
    """
    preview = Preview(config_file)
    click.echo("Making the site, which takes a while when it is large …", err=True)
    preview.refresh()
    with serve_preview(preview, port=port) as taken:
        click.echo(f"Serving http://127.0.0.1:{taken}/ until Ctrl-C")
        threading.Event().wait()


class Preview:
    """The site as the config, the theme and the state have it at the moment.

    Whoever uses it holds its lock: so no page is half old and half new, and two picks at once are
    both made.
    """

    def __init__(self, config_file: ConfigFile) -> None:
        self.lock = threading.Lock()
        self.token = secrets.token_urlsafe()
        """The secret of its forms."""
        self.files: dict[str, bytes] = {}
        """By path, with forward slashes."""
        self._config_file = config_file
        self._config: Config | None = None
        self._mark: object = None
        """Of what the files were made from, with that config."""
        self._bodies: dict[tuple[str, str], bytes] = {}
        """The files, by path and fingerprint."""

    def refresh(self) -> None:
        """Draw the site again if anything has changed that it is made from.

        While a run holds the state, the files stay as they are.

        Raises:
            PlanetError: the site cannot be drawn.
        """
        if self._config is not None and _read_mark(self._config) == self._mark:
            return
        config = self._read()
        # Before it is drawn: what changes meanwhile is drawn the next time.
        mark = _read_mark(config)
        try:
            self._draw(config)
        except StateError:
            if not self.files:
                raise
        else:
            self._config, self._mark = config, mark

    def change(self, what: str, fields: dict[str, str]) -> None:
        """Pick an episode, or put it back.

        Raises:
            PlanetError: it cannot be, and nothing has changed.
        """
        from planet.picks.picking import pick, unpick

        config, episode = self._read(), fields.get("episode", "")
        if what == "unpick":
            unpick(config, [episode])
            return
        with open_offers(config) as on_offer:
            pick(on_offer, [episode], note=fields.get("note") or None, now=clock())

    def _read(self) -> Config:
        config = self._config_file.read()
        return replace(config, pages=replace(config.pages, picking=Picking.FORM))

    def _draw(self, config: Config) -> None:
        from planet.run.lists import load_feeds
        from planet.run.open import Scope
        from planet.run.publish import draw

        with open_run(config) as run:
            report = Report(started=clock())
            feeds = load_feeds(config, run=run, scope=Scope(offline=True), report=report)
            files = draw(config, feeds, run=run)
            makers = {(file.path, file.fingerprint): file.make for file in files}
            before = self._bodies
            self._bodies = {
                key: before[key] if key in before else make() for key, make in makers.items()
            }
            self.files = {path: body for (path, _), body in self._bodies.items()}


def _read_mark(config: Config) -> object:
    """Return a mark of all that a site is made from; if it is equal, nothing has changed."""
    from planet.run.drawing import load_site_theme

    themes = [load_site_theme(site) for site in config.sites]
    stats = [file.stat() if file.exists() else None for file in config.files]
    with Store.look(config.state) as store:
        return (
            store.generation,
            [stat and (stat.st_ino, stat.st_size, stat.st_mtime_ns) for stat in stats],
            [(theme.fingerprint, theme.pages) for theme in themes],
        )


def serve_preview(preview: Preview, *, port: int = 0) -> AbstractContextManager[int]:
    """Serve a preview as `run_server` does."""
    return run_server(partial(_PreviewHandler, preview=preview), port)


@contextmanager
def run_server(handler: Callable[..., QuietHandler], port: int) -> Iterator[int]:
    """Run a server on 127.0.0.1 and yield its port: `port` if it is free, else another one."""
    try:
        server = Server(("127.0.0.1", port), handler)
    except OSError:
        server = Server(("127.0.0.1", 0), handler)
    serve = partial(server.serve_forever, poll_interval=_SECONDS_TO_END)
    thread = threading.Thread(target=serve, name="planet-loopback", daemon=True)
    with server:
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


class Server(ThreadingHTTPServer):
    """A server on this machine."""

    # A browser keeps connections open; they must not keep the command from ending.
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a browser that has gone; any other exception is a bug."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class QuietHandler(BaseHTTPRequestHandler):
    """A handler without a log."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


class _PreviewHandler(QuietHandler):
    timeout = _SECONDS_TO_SEND

    def __init__(self, *args: Any, preview: Preview) -> None:
        self._preview = preview
        super().__init__(*args)

    def do_GET(self) -> None:
        if not self._is_meant():
            return
        with self._preview.lock:
            try:
                self._preview.refresh()
            except PlanetError as error:
                self._say(500, "The site cannot be made", str(error))
            else:
                self._send_page(unquote(self.path.partition("?")[0]).removeprefix("/"))

    do_HEAD = do_GET  # noqa: N815 - what http.server calls

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,5}", length) or int(length) > _MOST:
            # Its body is not read.
            self.close_connection = True
            self._say(413, _UNCHANGED, "The form is too long, or does not say how long it is.")
            return
        form = self.rfile.read(int(length)).decode("utf-8", "replace")
        if self._is_meant():
            self._change({name: value.strip() for name, value in parse_qsl(form)})

    def version_string(self) -> str:
        return "planet"

    def end_headers(self) -> None:
        for name, value in _EVERYWHERE.items():
            self.send_header(name, value)
        super().end_headers()

    def _is_meant(self) -> bool:
        """Refuse a browser that means another server: any name can be made to lead here."""
        port = self.connection.getsockname()[1]
        is_meant = self.headers.get("Host") in (f"127.0.0.1:{port}", f"localhost:{port}")
        if not is_meant:
            self._say(403, "Not here", f"This is http://127.0.0.1:{port}/ and nothing else.")
        return is_meant

    def _send_page(self, name: str) -> None:
        """Send the file of the site at a path; of a folder, its page."""
        files = self._preview.files
        if not name or name.endswith("/"):
            name += "index.html"
        editions = [path for path in files if path.endswith(f"/{name}")]
        if name in files:
            self._send_file(name)
        elif f"{name}/index.html" in files:
            self._lead_to(f"{name}/", status=301)
        elif name == "index.html" and editions:
            # None of several editions is in the folder itself.
            first = min(editions, key=lambda path: path.count("/"))
            self._lead_to(first.removesuffix(name))
        elif "404.html" in files:
            self._send_file("404.html", status=404)
        else:
            self._say(404, "Nothing is here", self.path)

    def _send_file(self, name: str, *, status: int = 200) -> None:
        from planet.site.pages.nouns import TOKEN

        body = self._preview.files[name]
        if name.endswith(".html"):
            # Only in fields of forms: no feed can write one, with an address of its own server.
            field = 'name="token" value="%s"'
            there, here = field % TOKEN, field % self._preview.token
            body = body.replace(there.encode(), here.encode())
        media_type = mimetypes.guess_type(name, strict=False)[0]
        self._send(status, body, media_type=media_type or "application/octet-stream")

    def _change(self, fields: dict[str, str]) -> None:
        # Forms of an edition in a folder lead there, by its name.
        _, way, what = self.path.rpartition("/-/")
        if not way or what not in ("pick", "unpick"):
            self._say(404, "Nothing is here", self.path)
            return
        # A page of another site can send a form, but does not know the secret.
        if not hmac.compare_digest(fields.get("token", "").encode(), self._preview.token.encode()):
            words = "The page is from before this server was started. Go back, and reload it."
            self._say(403, _UNCHANGED, words)
            return
        try:
            with self._preview.lock:
                self._preview.change(what, fields)
        except PlanetError as error:
            self._say(400, _UNCHANGED, str(error))
            return
        # Back to the page with the form, and never to another site.
        came_from = unquote(self.headers.get("Referer") or "").partition("?")[0]
        page = came_from.removeprefix(f"http://{self.headers['Host']}/")
        is_here = f"{page}index.html" in self._preview.files
        self._lead_to(page if is_here else "")

    def _lead_to(self, path: str, *, status: int = 303) -> None:
        self._send(status, b"", location=quote(f"/{path}"))

    def _say(self, status: int, heading: str, words: str) -> None:
        self._send(status, make_message(heading, words))

    def _send(
        self, status: int, body: bytes, *, media_type: str = "text/html", location: str = ""
    ) -> None:
        charset = "; charset=utf-8" if media_type.startswith("text/") else ""
        self.send_response(status)
        self.send_header("Content-Type", media_type + charset)
        self.send_header("Content-Length", str(len(body)))
        if location:
            self.send_header("Location", location)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


_UNCHANGED = "Nothing was changed"


def make_message(heading: str, words: str) -> bytes:
    """Return a page with a heading and a text, both escaped."""
    return _MESSAGE.format(heading=escape(heading), words=escape(words)).encode("utf-8", "replace")
