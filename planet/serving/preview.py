"""The site as it would be now, and picks from its pages."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote

from planet.errors import PlanetError, StateError
from planet.model import OWN_LIST
from planet.serving.guard import fields_of, foreign, misdirected, unsigned
from planet.serving.messages import sent_to, told
from planet.serving.pages import file_at, page

if TYPE_CHECKING:
    from collections.abc import Callable

    from planet.serving.messages import Answer, Request
    from planet.serving.pages import Site

_UNCHANGED = "Nothing was changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
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

    def pick(self, wish: Wish) -> None:
        """Put an episode on a list.

        Raises:
            PlanetError: it cannot be picked, and nothing has changed.
        """

    def unpick(self, wish: Wish) -> None:
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
        wish = Wish(
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
