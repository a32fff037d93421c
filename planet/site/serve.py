"""A site, shown to the operator on this machine, who picks episodes on its pages.

A request is a value, an answer is a value (`messages`). Whether a request may do what it asks is
decided first (`guard`), then a page is found (`pages`) or an episode picked; `preview` keeps the
site up to date meanwhile. The sockets are elsewhere: `planet/cli/demo.py`.
"""

from __future__ import annotations

import hmac
import re
import threading
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Protocol, TypeAlias
from urllib.parse import parse_qsl, quote, unquote

from planet.errors import PlanetError, StateError
from planet.model import OWN_LIST
from planet.site.pages.chrome import TOKEN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Site: TypeAlias = Mapping[str, bytes]
    """The files of a site by their paths, which have forward slashes."""


_FORM = "application/x-www-form-urlencoded"
_MOST_FIELDS = 20


def hosts(port: int) -> frozenset[str]:
    """What a request to this server has as its `Host`."""
    return frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})


def misdirected(request: Request, *, port: int) -> str | None:
    """Why a request is not for this server, in words; None when it is."""
    if request.header("Host") in hosts(port):
        return None
    return f"This is http://127.0.0.1:{port}/ and nothing else."


def foreign(request: Request) -> str | None:
    """Why a request does not come from a page of this server, in words.

    None when it may: not every browser says where a request comes from.
    """
    if request.header("Sec-Fetch-Site") not in (None, "same-origin"):
        return "The request comes from another site."
    # A page that keeps its address to itself says "null".
    if request.header("Origin") not in (None, "null", f"http://{request.header('Host')}"):
        return "The request comes from another site."
    return None


def unsigned(fields: Mapping[str, str], *, token: str) -> str | None:
    """Why a form is not one of this server, in words; None when it is."""
    if hmac.compare_digest(fields.get("token", "").encode(), token.encode()):
        return None
    return "The page is from before this server was started. Go back, and reload it."


def fields_of(request: Request) -> dict[str, str]:
    """The fields of a form, by name.

    Raises:
        ValueError: it is no form, or has a field twice; in words.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request as it arrived."""

    method: str
    target: str
    """Path and query, verbatim."""
    headers: tuple[tuple[str, str], ...]
    """Names and values in their order, spelled as sent."""
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """The value of a header; several are joined by `, `, None is none."""
        values = [value for sent, value in self.headers if sent.lower() == name.lower()]
        return ", ".join(values) if values else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer, without the headers that every answer has."""

    status: int = 200
    media_type: str = _HTML
    location: str | None = None
    """Where to go instead: a path on this server."""
    body: bytes = b""


def told(status: int, heading: str, words: str) -> Answer:
    """A page that says this, whatever is in the words."""
    page = _PAGE.format(heading=escape(heading), words=escape(words))
    return Answer(status=status, body=page.encode("utf-8", "replace"))


def sent_to(path: str, *, status: int) -> Answer:
    """The way to another page; `path` is as it goes over the wire."""
    return Answer(status=status, location=path)


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
# What stands for the secret counts in our own forms only. No feed can write a tag: its text may
# say the same words, but an entry that had the secret put into an address would be told it.
_FIELD = re.compile(rb'<input\b[^<>]*\bvalue="%b"[^<>]*>' % TOKEN.encode())


def page(site: Site, target: str, *, token: str) -> Answer:
    """What is at a path of the site, its forms with the secret in them."""
    name = file_at(site, target)
    if name is not None:
        return _answer(site, name, token)
    folder = _name(target)
    if f"{folder}/index.html" in site:
        return sent_to(quote(f"/{folder}/"), status=301)
    if not folder and (editions := [name for name in site if name.endswith("/index.html")]):
        # None of several editions is in the folder itself.
        first = min(editions, key=lambda name: name.count("/"))
        return sent_to(quote(f"/{first.removesuffix('index.html')}"), status=303)
    if "404.html" in site:
        return _answer(site, "404.html", token, status=404)
    return told(404, "Nothing is here", target)


def file_at(site: Site, target: str) -> str | None:
    """The file that a request target leads to, a folder's being its page; None without one."""
    name = _name(target)
    if not name or name.endswith("/"):
        name += "index.html"
    return name if name in site else None


def _name(target: str) -> str:
    return unquote(target.partition("?")[0]).removeprefix("/")


def _answer(site: Site, name: str, token: str, *, status: int = 200) -> Answer:
    suffix, body = name.rpartition(".")[2].lower(), site[name]
    if suffix == "html":
        body = _FIELD.sub(lambda field: field.group().replace(TOKEN.encode(), token.encode()), body)
    media_type = _TYPES.get(suffix, "application/octet-stream")
    return Answer(status=status, media_type=media_type, body=body)


_UNCHANGED = "Nothing was changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PickRequest:
    """What was asked for with a form of a page."""

    episode: str
    """What `planet pick` would be given."""
    list: str = OWN_LIST
    note: str | None = None


class Drawing(Protocol):
    """Where the site comes from, and where picks go. Only one thread at a time calls it."""

    def is_fresh(self) -> bool:
        """Whether another `draw` would give the same."""

    def draw(self) -> Site:
        """The site as it is now.

        Raises:
            StateError: the state cannot be used at the moment.
            PlanetError: what the operator wrote cannot be drawn.
        """

    def pick(self, wish: PickRequest) -> None:
        """Put an episode on a list.

        Raises:
            PlanetError: it cannot be picked, and nothing has changed.
        """

    def unpick(self, wish: PickRequest) -> None:
        """Take an episode off a list.

        Raises:
            PlanetError: it cannot be taken off, and nothing has changed.
        """


class Preview:
    """Answers requests; each is answered whole before the next one is looked at.

    So no page is half old and half new, and two picks at once are two picks.
    """

    def __init__(self, drawing: Drawing, *, token: str, tell: Callable[[str], None]) -> None:
        """`token` is the secret of its forms, `tell` is told what goes wrong.

        Raises:
            PlanetError: the first site cannot be drawn.
        """
        self._drawing = drawing
        self._token = token
        self._tell = tell
        self._turn = threading.Lock()
        self._site = drawing.draw()
        self._fault: str | None = None
        """Why there is no site to show, in words."""
        self._hindrance: str | None = None
        """Why the site is an old one, in words."""

    def answer(self, request: Request, *, port: int) -> Answer:
        """What a request gets from the server at this port."""
        if words := misdirected(request, port=port):
            return told(403, "Not here", words)
        with self._turn:
            if request.method == "POST":
                return self._change(request)
            self._look()
            if self._fault is not None:
                return told(500, "The site cannot be made", self._fault)
            return page(self._site, request.target, token=self._token)

    def _look(self) -> None:
        """Bring the site up to date."""
        try:
            if self._hindrance is None and self._drawing.is_fresh():
                return
            self._site = self._drawing.draw()
        except StateError as error:
            # Most likely a run is going on; it ends.
            if self._hindrance != str(error):
                self._tell(f"{error}; the pages stay as they were")
            self._hindrance = str(error)
        except PlanetError as error:
            self._fault, self._hindrance = str(error), None
            self._tell(self._fault)
        else:
            self._fault = self._hindrance = None

    def _change(self, request: Request) -> Answer:
        changes = {"pick": self._drawing.pick, "unpick": self._drawing.unpick}
        # Forms of an edition in a folder lead there, by its name.
        _, way, what = request.target.rpartition("/-/")
        change = changes.get(what) if way else None
        if change is None:
            return told(404, "Nothing is here", request.target)
        if words := foreign(request):
            return told(403, _UNCHANGED, words)
        try:
            fields = fields_of(request)
        except ValueError as error:
            return told(400, _UNCHANGED, str(error))
        if words := unsigned(fields, token=self._token):
            return told(403, _UNCHANGED, words)
        wish = PickRequest(
            episode=fields.get("episode", "").strip(),
            list=fields.get("list", OWN_LIST).strip(),
            note=fields.get("note", "").strip() or None,
        )
        try:
            change(wish)
        except PlanetError as error:
            return told(400, _UNCHANGED, str(error))
        return sent_to(self._back(request), status=303)

    def _back(self, request: Request) -> str:
        """The page that a form was on, wherever it says it was: always one of this site."""
        came_from = request.header("Referer") or ""
        here = came_from.removeprefix(f"http://{request.header('Host')}")
        return quote(f"/{file_at(self._site, here) or 'index.html'}")
