"""`planet serve`: the site on this machine, for the operator, who picks episodes on its pages.

A request becomes an answer in `Preview`: whether it may do what it asks is decided first, then a
page is found or an episode picked; `SiteDrawing` keeps the site up to date meanwhile.
"""

from __future__ import annotations

import hmac
import re
import secrets
import signal
import sys
import threading
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from urllib.parse import parse_qsl, quote, unquote

import click
import msgspec
from msgspec.structs import replace

from planet.cli import options
from planet.cli.episodes import PickRequest
from planet.cli.options import ConfigFile, clock, open_offers, open_run
from planet.errors import ConfigError, PlanetError, StateError, ThemeError, UsageError, not_allowed
from planet.model import OWN_LIST, File, Picking
from planet.report import Report, printable_line
from planet.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime
    from email.message import Message

    from planet.config import Config

    Site: TypeAlias = Mapping[str, bytes]
    """The files of a site by their paths, which have forward slashes."""


_PORT = 8000
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
_FORM = "application/x-www-form-urlencoded"
_MOST_FIELDS = 20


@click.command("serve")
@options.pass_file
@click.option(
    "--port",
    type=click.IntRange(1024, 65535),
    help=f"Where to listen; {_PORT}, or any other port when that is taken.",
)
def command(config_file: ConfigFile, port: int | None) -> None:
    """Show the site as it would be now, on this machine only, until Ctrl-C.

    No request is sent and nothing is published. Reload a page to see changes of the config, of
    picks.yaml and of the theme, and what `planet build` has fetched in the meantime. On the pages
    of sources you can pick episodes.
    """
    drawing = SiteDrawing(config_file)
    click.echo("Making the site, which takes a while when it is large …", err=True)
    preview = Preview(drawing, token=secrets.token_urlsafe(), tell=_print_error)
    with serve_answers(preview.answer, port=port or _PORT, exactly=port is not None) as taken:
        click.echo(f"Serving http://127.0.0.1:{taken}/ until Ctrl-C")
        _wait_for_ctrl_c()


def _wait_for_ctrl_c() -> None:
    """Wait until Ctrl-C comes, which ends the command as it should; other signals raise."""
    pressed = threading.Event()
    before = signal.getsignal(signal.SIGINT)
    # One that is ignored was meant to be.
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: pressed.set())
    try:
        pressed.wait()
    finally:
        signal.signal(signal.SIGINT, before)


def _print_error(words: str) -> None:
    for line in words.splitlines():
        click.echo(printable_line(line), err=True)


_HTML = "text/html; charset=utf-8"
_PAGE = """\
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


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it arrived."""

    method: str
    target: str
    """Path and query, verbatim."""
    headers: Message
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """Return the value of a header, several joined by `, `; None without it."""
        values = self.headers.get_all(name)
        return ", ".join(values) if values else None


class PageResponse(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, without the headers that all answers have."""

    status: int = 200
    media_type: str = _HTML
    location: str | None = None
    """Where to go instead: a path on this server."""
    body: bytes = b""


def make_message(status: int, heading: str, words: str) -> PageResponse:
    """Return a page with a heading and a text, both escaped."""
    page = _PAGE.format(heading=escape(heading), words=escape(words))
    return PageResponse(status=status, body=page.encode("utf-8", "replace"))


def _is_foreign(request: Request) -> bool:
    """Tell whether a request comes from another site; not every browser says where from."""
    # With `no-referrer`, a page sends "null".
    own = (None, "null", f"http://{request.header('Host')}")
    is_own_site = request.header("Sec-Fetch-Site") in (None, "same-origin")
    return not is_own_site or request.header("Origin") not in own


def _parse_form(request: Request) -> dict[str, str]:
    """Return the fields of a form, by name.

    Raises:
        ValueError: it cannot be read.
    """
    media_type, _, _ = (request.header("Content-Type") or "").partition(";")
    if media_type.strip().lower() != _FORM:
        raise ValueError(f"A form is sent as {_FORM}.")
    try:
        pairs = parse_qsl(
            request.body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError as error:
        raise ValueError("The form cannot be read.") from error
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("The form says the same thing twice.")
    return fields


_TYPES = {
    "html": "text/html; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    # As the types of feeds, browsers would save them instead of showing them.
    "xml": "application/xml; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "ico": "image/vnd.microsoft.icon",
    "woff2": "font/woff2",
}


def _find_page(site: Site, target: str, *, token: str) -> PageResponse:
    """Return the page at a path of the site, with the token in its forms."""
    name = _find_file(site, target)
    if name is not None:
        return _answer_file(site, name, token)
    folder = _decode_path(target)
    if f"{folder}/index.html" in site:
        return PageResponse(status=301, location=quote(f"/{folder}/"))
    if not folder and (editions := [name for name in site if name.endswith("/index.html")]):
        # None of several editions is in the folder itself.
        first = min(editions, key=lambda name: name.count("/"))
        return PageResponse(status=303, location=quote(f"/{first.removesuffix('index.html')}"))
    if "404.html" in site:
        return _answer_file(site, "404.html", token, status=404)
    return make_message(404, "Nothing is here", target)


def _find_file(site: Site, target: str) -> str | None:
    """Return the path of the file for a request target; None without one."""
    name = _decode_path(target)
    if not name or name.endswith("/"):
        name += "index.html"
    return name if name in site else None


def _decode_path(target: str) -> str:
    return unquote(target.partition("?")[0]).removeprefix("/")


def _answer_file(site: Site, name: str, token: str, *, status: int = 200) -> PageResponse:
    from planet.site.pages.picking import TOKEN

    suffix, body = name.rpartition(".")[2].lower(), site[name]
    if suffix == "html":
        # Only in fields of forms, which no feed can write: a feed's text with the placeholder in an
        # address would otherwise send the token to the feed's server.
        there, secret = TOKEN.encode(), token.encode()
        fields = rb'<input\b[^<>]*\bvalue="%b"[^<>]*>' % there
        body = re.sub(fields, lambda field: field.group().replace(there, secret), body)
    media_type = _TYPES.get(suffix, "application/octet-stream")
    return PageResponse(status=status, media_type=media_type, body=body)


_UNCHANGED = "Nothing was changed"


class Preview:
    """Answers requests, one after the other.

    So no page is half old and half new, and two picks at once are both made.
    """

    def __init__(self, drawing: SiteDrawing, *, token: str, tell: Callable[[str], None]) -> None:
        """Draw the first site; `token` is the secret of its forms, `tell` prints errors.

        Raises:
            PlanetError: the first site cannot be drawn.
        """
        self._drawing = drawing
        self._token = token
        self._tell = tell
        self._lock = threading.Lock()
        self._site = drawing.draw()
        self._fault: str | None = None
        """Why there is no site to show."""
        self._hindrance: str | None = None
        """Why the site is not up to date."""

    def answer(self, request: Request, *, port: int) -> PageResponse:
        """Answer a request to the server at this port."""
        if request.header("Host") not in (f"127.0.0.1:{port}", f"localhost:{port}"):
            return make_message(
                403, "Not here", f"This is http://127.0.0.1:{port}/ and nothing else."
            )
        with self._lock:
            if request.method == "POST":
                return self._change(request)
            self._look()
            if self._fault is not None:
                return make_message(500, "The site cannot be made", self._fault)
            return _find_page(self._site, request.target, token=self._token)

    def _look(self) -> None:
        """Bring the site up to date."""
        try:
            if self._hindrance is None and self._drawing.is_fresh():
                return
            self._site = self._drawing.draw()
        except StateError as error:
            # Most likely a run is going on, which will end.
            if self._hindrance != str(error):
                self._tell(f"{error}; the pages stay as they were")
            self._hindrance = str(error)
        except PlanetError as error:
            self._fault, self._hindrance = str(error), None
            self._tell(self._fault)
        else:
            self._fault = self._hindrance = None

    def _change(self, request: Request) -> PageResponse:
        changes = {"pick": self._drawing.pick, "unpick": self._drawing.unpick}
        # Forms of an edition in a folder lead there, by its name.
        _, way, what = request.target.rpartition("/-/")
        change = changes.get(what) if way else None
        if change is None:
            return make_message(404, "Nothing is here", request.target)
        if _is_foreign(request):
            return make_message(403, _UNCHANGED, "The request comes from another site.")
        try:
            fields = _parse_form(request)
        except ValueError as error:
            return make_message(400, _UNCHANGED, str(error))
        if not hmac.compare_digest(fields.get("token", "").encode(), self._token.encode()):
            words = "The page is from before this server was started. Go back, and reload it."
            return make_message(403, _UNCHANGED, words)
        episode, to = fields.get("episode", "").strip(), fields.get("list", OWN_LIST).strip()
        try:
            change(PickRequest(episode, to, fields.get("note", "").strip() or None))
        except PlanetError as error:
            return make_message(400, _UNCHANGED, str(error))
        # Back to the page with the form, and never to another site.
        came_from = request.header("Referer") or ""
        here = came_from.removeprefix(f"http://{request.header('Host')}")
        back = quote(f"/{_find_file(self._site, here) or 'index.html'}")
        return PageResponse(status=303, location=back)


_Marks: TypeAlias = "dict[object, object]"


class _DrawnFile(NamedTuple):
    fingerprint: str
    body: bytes


class SiteDrawing:
    """The site as the config, the theme and the state have it at the moment.

    Only one thread at a time calls it.
    """

    def __init__(self, config_file: ConfigFile) -> None:
        """Read the config.

        Raises:
            ConfigError: the config has mistakes.
        """
        self._file = config_file
        self._config = self._read()
        self._marks: _Marks = {}
        self._keeps_until: datetime | None = None
        self._files: dict[str, _DrawnFile] = {}

    def is_fresh(self) -> bool:
        """Tell whether nothing has changed since the site was drawn, or since that failed."""
        is_due = self._keeps_until is not None and self._keeps_until <= clock()
        return not is_due and self._marks == _read_marks(self._config)

    def draw(self) -> Mapping[str, bytes]:
        """Draw the site as it is now.

        Raises:
            StateError: the state cannot be used at the moment.
            PlanetError: what the operator wrote cannot be drawn.
        """
        from planet.run.lists import load_feeds
        from planet.run.open import Scope
        from planet.run.publish import draw

        # Marks are read first, so that what changes meanwhile is read again.
        self._marks = before = _read_marks(self._config)
        self._keeps_until = None
        self._config = config = self._read()
        marks = _read_marks(config)
        self._marks = {what: before.get(what, mark) for what, mark in marks.items()}
        with open_run(config) as run:
            report = Report(started=clock())
            feeds = load_feeds(config, run=run, scope=Scope(offline=True), report=report)
            files, self._keeps_until = draw(config, feeds, run=run)
            self._files = {file.path: self._made(file) for file in files}
        return {path: file.body for path, file in self._files.items()}

    def pick(self, wish: PickRequest) -> None:
        """Put an episode on a list.

        Raises:
            PlanetError: it cannot be picked, and nothing has changed.
        """
        from planet.picks.picking import pick

        with open_offers(self._read()) as on_offer:
            pick(on_offer, [wish.episode], to=wish.list, note=wish.note, now=clock())

    def unpick(self, wish: PickRequest) -> None:
        """Take an episode off a list; raises as `pick` does."""
        from planet.picks.picking import unpick

        unpick(self._read(), [wish.episode], to=wish.list)

    def _read(self) -> Config:
        config = self._file.read()
        return replace(config, pages=replace(config.pages, picking=Picking.FORM))

    def _made(self, file: File) -> _DrawnFile:
        """Draw a file, unless it is the same as the last time."""
        before = self._files.get(file.path)
        if before and before.fingerprint == file.fingerprint:
            return before
        return _DrawnFile(file.fingerprint, file.make())


def _read_marks(config: Config) -> _Marks:
    """Return marks of all that a site is made from; if they are equal, nothing has changed."""
    from planet.run.drawing import load_site_theme

    marks: _Marks = {}
    for file in config.files:
        try:
            status = file.stat()
            marks[file] = status.st_ino, status.st_size, status.st_mtime_ns
        except OSError:
            marks[file] = None
    for site in config.sites:
        try:
            theme = load_site_theme(site)
            marks["theme", site.theme] = theme.fingerprint, theme.pages
        except (ThemeError, ConfigError) as error:
            marks["theme", site.theme] = str(error)
    with Store.look(config.state) as store:
        marks["state", config.state] = store.generation if store else 0
    return marks


def serve_answers(
    answer: Callable[..., PageResponse], *, port: int = 0, exactly: bool = False
) -> AbstractContextManager[int]:
    """Serve the answers of `answer(request, port=port)` on 127.0.0.1, as `run_server` does.

    It is called from several threads at once. Forms that are too long are refused before.
    """
    return run_server(partial(_AnswerHandler, answer=answer), port, exactly=exactly)


@contextmanager
def run_server(
    handler: Callable[..., QuietHandler], port: int, *, exactly: bool = False
) -> Iterator[int]:
    """Run a server on 127.0.0.1 and yield its port: `port` if it is free, else another one.

    Raises:
        UsageError: the port is not free, and must be `exactly` that.
    """
    try:
        server = Server(("127.0.0.1", port), handler)
    except OSError as error:
        if exactly:
            raise UsageError(f"nobody can listen at port {port}: {error.strerror}") from error
        server = Server(("127.0.0.1", 0), handler)
    serve = partial(server.serve_forever, poll_interval=_SECONDS_TO_END)
    thread = threading.Thread(target=serve, name="planet-loopback", daemon=True)
    with server:
        try:
            thread.start()
        except RuntimeError as error:
            raise not_allowed("no thread can be started to show pages") from error
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


class _AnswerHandler(QuietHandler):
    timeout = _SECONDS_TO_SEND

    def __init__(self, *args: Any, answer: Callable[..., PageResponse]) -> None:
        self._answer = answer
        super().__init__(*args)

    def do_GET(self) -> None:
        self._send(self._ask())

    do_HEAD = do_GET  # noqa: N815 - what http.server calls

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,9}", length) or "Transfer-Encoding" in self.headers:
            self._refuse(make_message(411, _UNCHANGED, "The form does not say how long it is."))
        elif int(length) > MOST:
            self._refuse(make_message(413, _UNCHANGED, "The form is too long."))
        else:
            self._send(self._ask(self.rfile.read(int(length))))

    def version_string(self) -> str:
        return "planet"

    def end_headers(self) -> None:
        for name, value in _EVERYWHERE.items():
            self.send_header(name, value)
        super().end_headers()

    def _ask(self, body: bytes = b"") -> PageResponse:
        request = Request(method=self.command, target=self.path, headers=self.headers, body=body)
        _, port, *_ = self.connection.getsockname()
        return self._answer(request, port=port)

    def _refuse(self, answer: PageResponse) -> None:
        """Answer without reading the body of the request, and close the connection."""
        self.close_connection = True
        self._send(answer)

    def _send(self, answer: PageResponse) -> None:
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
