"""`planet serve`: the site on this machine, for the operator, who picks episodes on the pages."""

from __future__ import annotations

import hmac
import re
import secrets
import sys
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlsplit

import click
from msgspec.structs import replace

from planet.cli import options
from planet.cli.options import ConfigFile, clock
from planet.errors import PlanetError
from planet.model import Picking
from planet.report import Report
from planet.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from planet.config import Config
    from planet.model import File
    from planet.store import PublishedFile


_EVERYWHERE: Final = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    # In a frame of another site, a button could be clicked by somebody who sees something else.
    "X-Frame-Options": "DENY",
}
MESSAGE: Final = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%(message)s</title>
<main style="overflow-wrap: anywhere">
<h1>%(message)s</h1>
<pre style="white-space: pre-wrap">%(explain)s</pre>
</main>
"""
"""A page with a heading and a text, which `http.server` fills in."""


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
    """Show the next version of the site, on this machine only, until Ctrl-C.

    No request is sent and nothing is published. Reload a page to see changes of the config, of
    picks.yaml and of the theme, and the news of a `planet build` in the meantime. On the pages
    of sources you can pick episodes.
    """
    with TemporaryDirectory(prefix="planet-") as folder:
        preview = Preview(config_file, Path(folder))
        click.echo("Making the site, which takes a while when it is large …", err=True)
        preview.refresh()
        with serve_preview(preview, port=port) as taken:
            click.echo(f"Serving http://127.0.0.1:{taken}/{preview.start} until Ctrl-C")
            threading.Event().wait()


class Preview:
    """The site of the present config, theme and state, in a folder.

    Callers hold the lock: so no answer mixes two versions, and two picks at once are both made.
    """

    def __init__(self, config_file: ConfigFile, folder: Path) -> None:
        self.lock = threading.Lock()
        self.folder = folder
        self.token = secrets.token_urlsafe()
        """The secret of the forms."""
        self.start = ""
        """The path of the first page."""
        self._config_file = config_file
        self._config: Config | None = None
        self._mark: object = None
        """The mark of everything behind the files."""
        self._files: Mapping[str, PublishedFile] = {}

    def refresh(self) -> None:
        """Draw the site again after a change of config, picks, theme or state.

        Raises:
            PlanetError: the site cannot be drawn.
        """
        if self._config is not None and _read_mark(self._config) == self._mark:
            return
        config = self._read()
        # Before the site is drawn: what changes meanwhile is drawn the next time.
        mark = _read_mark(config)
        self._draw(config)
        self._config, self._mark = config, mark

    def change(self, what: str, fields: dict[str, str]) -> None:
        """Pick or unpick an episode.

        Raises:
            PlanetError: there is no such episode, or pick, and nothing has changed.
        """
        from planet.picks import pick, unpick

        names = [fields.get("episode", "")]
        if what == "unpick":
            unpick(self._read(), names)
        else:
            pick(self._read(), names, note=fields.get("note"), now=clock())

    def _read(self) -> Config:
        config = self._config_file.read()
        return replace(config, pages=replace(config.pages, picking=Picking.FORM))

    def _draw(self, config: Config) -> None:
        from planet.run.lists import load_feeds
        from planet.run.open import Scope, open_run
        from planet.run.publish import draw
        from planet.site.publish import publish

        report, scope = Report(started=clock()), Scope(offline=True)
        # A copy, so that a run may go on meanwhile.
        with open_run(config, clock, is_rehearsal=True) as run:
            feeds = load_feeds(config, run=run, scope=scope, report=report)
            drawn = draw(config, feeds, run=run)
            files = [replace(file, make=partial(self._make, file)) for file in drawn]
            self._files = publish(files, self.folder, self._files).files
        folder = config.sites[0].site.folder
        self.start = f"{folder}/" if folder else ""

    def _make(self, file: File) -> bytes:
        """Make a file, with the secret in the fields of forms."""
        from planet.site.pages.nouns import TOKEN

        body = file.make()
        if file.path.endswith(".html"):
            # No feed can write such a field, to send the secret to an address of its own.
            field = 'name="token" value="%s"'
            body = body.replace((field % TOKEN).encode(), (field % self.token).encode())
        return body


def _read_mark(config: Config) -> object:
    """Return a mark of everything behind a site; an equal mark means the same site."""
    from planet.run.edition import load_site_theme

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
def run_server(handler: Callable[..., FolderHandler], port: int) -> Iterator[int]:
    """Run a server on 127.0.0.1 and yield the port: `port` if free, else another one."""
    try:
        server = _Server(("127.0.0.1", port), handler)
    except OSError:
        server = _Server(("127.0.0.1", 0), handler)
    serve = partial(server.serve_forever, poll_interval=0.1)
    thread = threading.Thread(target=serve, name="planet-loopback", daemon=True)
    with server:
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    """A server on this machine."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a closed browser; any other exception is a bug."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class FolderHandler(SimpleHTTPRequestHandler):
    """Sends the files of a folder, without a log."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


class _PreviewHandler(FolderHandler):
    timeout = 30.0
    error_message_format = MESSAGE

    def __init__(self, *args: Any, preview: Preview) -> None:
        self._preview = preview
        super().__init__(*args, directory=str(preview.folder))

    def send_head(self) -> Any:
        """Answer GET and HEAD with the present file, whose text stays the same to the end."""
        try:
            with self._preview.lock:
                if self._is_meant():
                    self._preview.refresh()
                    return super().send_head()
        except PlanetError as error:
            self.send_error(500, "The site cannot be made", str(error))
        except ValueError:
            self.send_error(404)  # a path that no file can have
        return None

    def do_POST(self) -> None:
        """Pick or unpick an episode, and lead back to the page with the form."""
        length = self.headers.get("Content-Length", "")
        # Of a form that is too long nothing is read, not even its token.
        size = int(length) if re.fullmatch("[0-9]{1,5}", length) else 0
        form = parse_qsl(self.rfile.read(size).decode("utf-8", "replace"))
        fields = {name: value.strip() for name, value in form}
        # Forms of an edition in a folder lead there, by its name.
        what = self.path.rpartition("/-/")[2]
        if not self._is_meant():
            return
        if what not in ("pick", "unpick"):
            self.send_error(404)
        # A page of another site can send a form, but does not know the secret.
        elif not hmac.compare_digest(
            fields.get("token", "").encode(), self._preview.token.encode()
        ):
            words = "The page is from before this server was started. Go back, and reload it."
            self.send_error(403, _UNCHANGED, words)
        else:
            self._change(what, fields)

    def _change(self, what: str, fields: dict[str, str]) -> None:
        try:
            with self._preview.lock:
                self._preview.change(what, fields)
        except PlanetError as error:
            self.send_error(400, _UNCHANGED, str(error))
            return
        # The path of whatever page it was is one of this server.
        page = urlsplit(self.headers.get("Referer", "")).path.lstrip("/\\")
        self.send_response(303)
        self.send_header("Location", f"/{page}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def list_directory(self, _: Any) -> None:
        """Show no folder."""
        self.send_error(404)

    def end_headers(self) -> None:
        """Add the headers of every answer."""
        for name, value in _EVERYWHERE.items():
            self.send_header(name, value)
        super().end_headers()

    def _is_meant(self) -> bool:
        """Refuse a request for another server: any name can be made to lead here."""
        port = self.connection.getsockname()[1]
        is_meant = self.headers.get("Host") in (f"127.0.0.1:{port}", f"localhost:{port}")
        if not is_meant:
            self.send_error(403, "Not here", f"This is http://127.0.0.1:{port}/ and nothing else.")
        return is_meant


_UNCHANGED: Final = "Nothing was changed"
