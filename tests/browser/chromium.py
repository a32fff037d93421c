"""Chromium, driven by playwright: pages as somebody sees them, at a width, with keys, in the dark.

The browser is that of the distribution; playwright brings the driver alone.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Playwright, Route

from planet.text import policy
from tests.patience import PATIENCE

NAMES = ("chromium", "chromium-browser", "google-chrome")
"""The names of Chromium on the PATH: Debian's first."""
ORIGIN = "http://localhost/"
"""The address of pages that no server has: the test answers every request."""
PICTURE = "https://pictures.example/wide.svg"
"""A picture that posts may have: the one thing there is elsewhere, and much wider than a phone."""
_WIDE = b'<svg xmlns="http://www.w3.org/2000/svg" width="2400" height="300"></svg>'
MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "xml": "application/xml",
    "json": "application/json",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
    "png": "image/png",
}
_FLAGS = (
    *("--disable-gpu", "--mute-audio", "--no-first-run", "--disable-extensions"),
    # Requests on its own account.
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--disable-quic",
)


def find() -> str | None:
    """Return the path of Chromium; None without one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def launch(library: Playwright, *, reaches: str = "") -> Iterator[Browser]:
    """Start a browser with a new profile, in which no name but `reaches` has an address."""
    rules = "--host-resolver-rules=MAP * ~NOTFOUND" + (f", EXCLUDE {reaches}" if reaches else "")
    browser = library.chromium.launch(executable_path=find(), args=[*_FLAGS, rules])
    try:
        yield browser
    finally:
        browser.close()


class Page:
    """A tab for pages, one after the other."""

    def __init__(self, browser: Browser) -> None:
        self.page = browser.new_page(viewport={"width": 1000, "height": 1200})
        self.page.set_default_timeout(PATIENCE * 1000)
        self.session = self.page.context.new_cdp_session(self.page)

    def open(self, url: str) -> None:
        """Go to a page, and be there."""
        self.page.goto(url)

    def value(self, expression: str) -> Any:
        """Return the value of an expression in the page; promises are waited for.

        Not by playwright's own `evaluate`, which a page's Content-Security-Policy forbids.
        """
        said = self.session.send(
            "Runtime.evaluate",
            {"expression": expression, "returnByValue": True, "awaitPromise": True},
        )
        assert "exceptionDetails" not in said, said
        return said["result"].get("value")

    def call(self, function: str, *arguments: object) -> Any:
        """Return the result of a function of the page."""
        return self.value(f"({function})({', '.join(map(json.dumps, arguments))})")

    def run_first(self, script: str) -> None:
        """Run a script in each page that is opened from now on, before those of the page."""
        self.session.send("Page.enable")
        self.session.send("Page.addScriptToEvaluateOnNewDocument", {"source": script})


class View(Page):
    """A window on pages of sites that lie in memory."""

    def __init__(self, browser: Browser) -> None:
        super().__init__(browser)
        self._site: Mapping[str, bytes] = {}
        self._url = ""
        self.asked: list[str] = []
        """The addresses that the page asked for besides itself, those of the site without
        ORIGIN."""
        self.page.route("**/*", self._answer)

    def resize(self, width: int, height: int = 1200) -> None:
        """Set the size of the window, in CSS pixels."""
        self.page.set_viewport_size({"width": width, "height": height})

    def emulate(self, *, scheme: str = "light") -> None:
        """Set the colours that the reader prefers."""
        dark = scheme == "dark"
        # What moves into its place would have to be waited for.
        self.page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")

    def show(self, site: Mapping[str, bytes], path: str) -> None:
        """Open a page of a site, and be there when all that it asked for has come."""
        self._site, self._url, self.asked = site, ORIGIN + path, []
        self.page.goto(self._url)

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key and let it go."""
        self.page.keyboard.press(f"Shift+{key}" if shift else key)

    def _answer(self, route: Route) -> None:
        url = route.request.url
        name = url.removeprefix(ORIGIN)
        body = _WIDE if url == PICTURE else self._site.get(name)
        if url != self._url and name != "favicon.ico":
            self.asked.append(name)
        if body is None:
            route.abort()
        else:
            route.fulfill(body=body, content_type=MEDIA_TYPES[name.rpartition(".")[2]])


# A page → what happened while it was open: scripts, requests, dialogs, ways out, odd elements

_HERE = Path(__file__).parent
_ADDED = ("rel", "loading", "controls", "preload")
_ALLOWED = {name: [*own, *policy.EVERYWHERE, *_ADDED] for name, own in policy.ELEMENTS.items()}
_OURS = "test:"
"""What the addresses of our own scripts begin with."""
_TRAPS = (_HERE / "traps.js").read_text(encoding="utf-8") + f"//# sourceURL={_OURS}traps"
_JUDGE = (
    f"({(_HERE / 'judge.js').read_text(encoding='utf-8')})({json.dumps(_ALLOWED)})"
    f"//# sourceURL={_OURS}judge"
)


@dataclass(slots=True, kw_only=True)
class Visit:
    """What happened on a page while it was open."""

    faults: list[tuple[str, str]] = field(default_factory=list)
    """Kinds of what should not happen, each with what is known of it."""
    asked: list[str] = field(default_factory=list)
    """Addresses of images that were asked for, wherever they are."""
    images: list[str] = field(default_factory=list)
    """Addresses of images in entries."""
    shapes: frozenset[str] = frozenset()
    """Each element outside of entries: the names of those it is in, with their attributes'."""
    articles: int = 0


class Tab(Page):
    """A tab in which pages are opened, one after the other."""

    def __init__(self, browser: Browser) -> None:
        super().__init__(browser)
        # High, so that most of a page is in view, and loads what waits for that.
        self.page.set_viewport_size({"width": 1000, "height": 4000})
        self._site: Mapping[str, bytes] = {}
        self._policy: str | None = None
        self._url = ""
        # What happens before the page is there belongs to the one before.
        self._visit: Visit | None = None
        self._is_answered = False
        self.page.route("**/*", self._answer)
        for event in _HEARD:
            self.session.on(event, lambda fields, event=event: self._hear(event, fields))
        for domain in ("Page", "Runtime", "Debugger", "Log"):
            self.session.send(f"{domain}.enable")
        self.session.send("Debugger.setSkipAllPauses", {"skip": True})
        self.session.send("Runtime.addBinding", {"name": "caught"})
        self.run_first(_TRAPS)

    def open(  # type: ignore[override]
        self, site: Mapping[str, bytes], path: str, *, policy: str | None = None
    ) -> Visit:
        """Open a page of a site, do in it what a reader could do, and tell what happened.

        `policy` is sent with it as its Content-Security-Policy.
        """
        self._site, self._policy, self._url = site, policy, ORIGIN + path
        # A way out that the page before has begun may end after this one has begun.
        visit = self._load() or self._load()
        assert visit is not None, f"{self._url} was never there"
        if path.endswith(".html"):
            self._judge(visit)
        return visit

    def _load(self) -> Visit | None:
        self._visit, self._is_answered = None, False
        # What leads away from a page while it loads keeps it from ever being loaded.
        with suppress(Error):
            self.page.goto(self._url)
        return self._visit

    def _judge(self, visit: Visit) -> None:
        try:
            said = self.session.send(
                "Runtime.evaluate",
                {"expression": _JUDGE, "awaitPromise": True, "returnByValue": True},
            )
        except Error as error:
            visit.faults.append(("navigation", f"the page went away under the judge: {error}"))
            return
        if "exceptionDetails" in said:
            visit.faults.append(("script", f"the judge was fooled: {said['exceptionDetails']}"))
            return
        found = said["result"]["value"]
        visit.faults += map(tuple, found["faults"])
        visit.images, visit.articles = found["images"], found["articles"]
        visit.shapes = frozenset(found["shapes"])

    def _hear(self, event: str, fields: dict[str, Any]) -> None:
        if self._visit is not None:
            self._visit.faults += _faults(event, fields)
        elif event == "Page.frameNavigated" and fields["frame"]["url"] == self._url:
            self._visit = Visit()

    def _answer(self, route: Route) -> None:
        """Let Chromium have what the site has, and nothing else."""
        url, kind = route.request.url, route.request.resource_type
        name = url.removeprefix(ORIGIN)
        if name in self._site and (kind != "document" or not self._is_answered):
            self._is_answered |= kind == "document"
            headers = {"Content-Type": MEDIA_TYPES[name.rpartition(".")[2]]}
            if self._policy is not None:
                headers["Content-Security-Policy"] = self._policy
            route.fulfill(body=self._site[name], headers=headers)
            return
        # Chromium itself looks for the icon of what names none.
        if self._visit is not None and name != "favicon.ico":
            if kind == "image":
                self._visit.asked.append(url)
            else:
                self._visit.faults.append(("request", f"{kind} {url}"))
        route.abort()


_HEARD = (
    *("Debugger.scriptParsed", "Debugger.scriptFailedToParse", "Runtime.bindingCalled"),
    *("Runtime.exceptionThrown", "Page.javascriptDialogOpening", "Log.entryAdded"),
    *("Page.frameNavigated", "Page.frameRequestedNavigation", "Page.windowOpen"),
)


def _faults(event: str, fields: dict[str, Any]) -> list[tuple[str, str]]:
    """What an event says that should not happen on a page."""
    match event:
        case "Debugger.scriptParsed" | "Debugger.scriptFailedToParse":
            # Chromium shows XML with a script of its own, in a world of its own.
            theirs = fields["executionContextAuxData"]["isDefault"]
            if fields["url"].startswith(_OURS) or not theirs:
                return []
            return [("script", f"{fields['url']}:{fields['startLine'] + 1}")]
        case "Runtime.bindingCalled":
            return [("script", f"called {fields['payload']}")]
        case "Runtime.exceptionThrown":
            return [("script", fields["exceptionDetails"]["text"])]
        case "Page.javascriptDialogOpening":
            return [("script", f"{fields['type']} {fields['message']}")]
        case "Log.entryAdded" if "Content Security Policy" in fields["entry"]["text"]:
            return [("violation", fields["entry"]["text"])]
        case "Page.frameNavigated":
            return [("navigation", f"to {fields['frame']['url']}")]
        case "Page.frameRequestedNavigation" | "Page.windowOpen":
            return [("navigation", f"{fields.get('reason', 'window')} {fields['url']}")]
    return []
