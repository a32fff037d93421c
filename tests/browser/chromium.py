"""Chromium, driven by playwright: pages as somebody sees them, at a width, with keys, in the dark.

The browser is that of the distribution; playwright brings the driver alone.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Playwright, Route

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
