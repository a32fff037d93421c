"""Pages as somebody sees them: at a width, in light or dark, on screen or paper, with keys."""

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.browser.chromium import Chromium, Message, Page, result

ORIGIN = "http://localhost/"
"""Where the pages are. Nothing listens there: the test answers every request."""
PICTURE = "https://pictures.example/wide.svg"
"""A picture that posts may have: the one thing there is elsewhere, and much wider than a phone."""

_WIDE = b'<svg xmlns="http://www.w3.org/2000/svg" width="2400" height="300"></svg>'
_MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
    "png": "image/png",
}
_KEYS = {"Tab": 9, "Enter": 13, "ArrowRight": 39}


class View(Page):
    """A window on pages, one after the other."""

    def __init__(self, chromium: Chromium) -> None:
        self._site: Mapping[str, bytes] = {}
        self._url = ""
        self._arrived = False
        self.asked: list[str] = []
        """What the page asked for, besides itself: addresses, those of the site without ORIGIN."""
        super().__init__(chromium)
        self.do("Fetch.enable", patterns=[{"urlPattern": "*"}])
        # As on phones, where they take no room.
        self.do("Emulation.setScrollbarsHidden", hidden=True)
        self.resize(1000)

    def resize(self, width: int, height: int = 1200) -> None:
        """The size of the window, in CSS pixels."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.do("Emulation.setDeviceMetricsOverride", **size)

    def emulate(self, *, scheme: str = "light", media: str = "") -> None:
        """Which colours the reader prefers; `media` is `print` for paper."""
        preferred = [
            {"name": "prefers-color-scheme", "value": scheme},
            # What moves into its place would have to be waited for.
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.do("Emulation.setEmulatedMedia", media=media, features=preferred)

    def show(self, site: Mapping[str, bytes], path: str) -> None:
        """Open a page of a site, and be there when all it asked for has come."""
        self._site, self._url, self._arrived = site, ORIGIN + path, False
        self.asked = []
        self._chromium.send("Page.navigate", self._session, url=self._url)
        self._hear_until(lambda said: self._arrived and said.get("method") == "Page.loadEventFired")

    def run(self, script: str) -> None:
        """Load a script into the page, whatever its policy says."""
        self.value(f"{script}\n;null")

    def call(self, function: str, *arguments: object) -> Any:
        """What a function of the page gives."""
        return self.value(f"({function})({', '.join(map(json.dumps, arguments))})")

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key and let it go."""
        pressed = {"key": key, "code": key, "windowsVirtualKeyCode": _KEYS[key]}
        pressed["modifiers"] = 8 if shift else 0
        text = {"text": "\r"} if key == "Enter" else {}
        self.do("Input.dispatchKeyEvent", type="keyDown", **pressed, **text)
        self.do("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def picture(self, **options: Any) -> bytes:
        """A PNG of what is seen, or of the whole page with `captureBeyondViewport`."""
        said = self.do("Page.captureScreenshot", **options)
        return base64.b64decode(said["data"])

    def pdf(self) -> bytes:
        """The page on paper, A4."""
        said = self.do("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)
        return base64.b64decode(said["data"])

    def do(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a command; what the page asks for meanwhile is answered."""
        number = self._chromium.send(method, self._session, **parameters)
        return result(self._hear_until(lambda message: message.get("id") == number))

    def _hear_until(self, is_last: Callable[[Message], bool]) -> Message:
        while True:
            message = self._chromium.receive(self._session)
            said = message.get("params", {})
            if message.get("method") == "Fetch.requestPaused":
                self._answer(said["requestId"], said["request"]["url"])
            if message.get("method") == "Page.frameNavigated":
                self._arrived |= said["frame"]["url"] == self._url
            if is_last(message):
                return message

    def _answer(self, number: str, url: str) -> None:
        name = url.removeprefix(ORIGIN)
        body = _WIDE if url == PICTURE else self._site.get(name)
        # Chromium itself looks for the icon of what names none.
        if url != self._url and name != "favicon.ico":
            self.asked.append(name)
        if body is None:
            self._chromium.send(
                "Fetch.failRequest", self._session, requestId=number, errorReason="Aborted"
            )
            return
        media_type = _MEDIA_TYPES[name.rpartition(".")[2]]
        self._chromium.send(
            "Fetch.fulfillRequest",
            self._session,
            requestId=number,
            responseCode=200,
            responseHeaders=[{"name": "Content-Type", "value": media_type}],
            body=base64.b64encode(body).decode(),
        )
