"""A page → what happened while it was open: scripts, requests, dialogs, ways out, odd elements."""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planet.text import policy
from tests.browser.chromium import Chromium, ChromiumError, Message, result

ORIGIN = "http://localhost/"
"""Where the pages are. Nothing listens there: the test answers every request."""

_HERE = Path(__file__).parent
_MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "xml": "application/xml",
    "json": "application/json",
    "css": "text/css",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
    "png": "image/png",
}
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


class Tab:
    """A tab in which pages are opened, one after the other."""

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium
        self._session = chromium.open_tab()
        self._site: Mapping[str, bytes] = {}
        self._policy: str | None = None
        self._url = ""
        # What happens before the page is there belongs to the one before.
        self._visit: Visit | None = None
        for domain in ("Page", "Runtime", "Debugger", "Log"):
            self._command(f"{domain}.enable")
        self._command("Debugger.setSkipAllPauses", skip=True)
        self._command("Runtime.addBinding", name="caught")
        self._command("Page.addScriptToEvaluateOnNewDocument", source=_TRAPS)
        self._command("Fetch.enable", patterns=[{"urlPattern": "*"}])
        self._command("Emulation.setFocusEmulationEnabled", enabled=True)
        # High, so that most of a page is in view, and loads what waits for that.
        size = {"width": 1000, "height": 4000, "deviceScaleFactor": 1, "mobile": False}
        self._command("Emulation.setDeviceMetricsOverride", **size)

    def open(self, site: Mapping[str, bytes], path: str, *, policy: str | None = None) -> Visit:
        """Open a page of a site, do in it what a reader could do, and tell what happened.

        `policy` is sent with it as its Content-Security-Policy.
        """
        self._site, self._policy = site, policy
        self._go(ORIGIN + path)
        assert self._visit is not None
        if path.endswith(".html"):
            self._judge(self._visit)
        return self._visit

    def _go(self, url: str) -> None:
        """Leave the page for another one, and be there."""
        self._url, self._visit = url, None
        self._chromium.send("Page.navigate", self._session, url=url)
        # What leads away from a page while it loads keeps it from ever being loaded.
        ends = {"Page.loadEventFired", "Page.frameStoppedLoading"}
        self._hear_until(lambda message: bool(self._visit and message.get("method") in ends))

    def _judge(self, visit: Visit) -> None:
        try:
            said = self._command(
                "Runtime.evaluate", expression=_JUDGE, awaitPromise=True, returnByValue=True
            )
        except ChromiumError as error:
            visit.faults.append(("navigation", f"the page went away under the judge: {error}"))
            return
        if "exceptionDetails" in said:
            visit.faults.append(("script", f"the judge was fooled: {said['exceptionDetails']}"))
            return
        found = said["result"]["value"]
        visit.faults += map(tuple, found["faults"])
        visit.images, visit.articles = found["images"], found["articles"]
        visit.shapes = frozenset(found["shapes"])

    def _command(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a command; what happens meanwhile is heard."""
        number = self._chromium.send(method, self._session, **parameters)
        return result(self._hear_until(lambda message: message.get("id") == number))

    def _hear_until(self, is_last: Callable[[Message], bool]) -> Message:
        while True:
            message = self._chromium.receive(self._session)
            if "method" in message:
                self._hear(message["method"], message["params"])
            if is_last(message):
                return message

    def _hear(self, event: str, fields: dict[str, Any]) -> None:
        if event == "Fetch.requestPaused":
            self._answer(fields)
        elif event == "Page.javascriptDialogOpening":
            self._chromium.send("Page.handleJavaScriptDialog", self._session, accept=False)
        if self._visit is not None:
            self._visit.faults += _faults(event, fields)
        elif event == "Page.frameNavigated" and fields["frame"]["url"] == self._url:
            self._visit = Visit()

    def _answer(self, fields: dict[str, Any]) -> None:
        """Let Chromium have what the site has, and nothing else."""
        url, kind = fields["request"]["url"], fields["resourceType"]
        name = url.removeprefix(ORIGIN)
        if name in self._site and (self._visit is None or kind != "Document"):
            media_type = _MEDIA_TYPES[name.rpartition(".")[2]]
            headers = [{"name": "Content-Type", "value": media_type}]
            if self._policy is not None:
                headers.append({"name": "Content-Security-Policy", "value": self._policy})
            self._chromium.send(
                "Fetch.fulfillRequest",
                self._session,
                requestId=fields["requestId"],
                responseCode=200,
                responseHeaders=headers,
                body=base64.b64encode(self._site[name]).decode(),
            )
            return
        # Chromium itself looks for the icon of what names none.
        if self._visit is not None and name != "favicon.ico":
            if kind == "Image":
                self._visit.asked.append(url)
            else:
                self._visit.faults.append(("request", f"{kind} {url}"))
        self._chromium.send(
            "Fetch.failRequest", self._session, requestId=fields["requestId"], errorReason="Aborted"
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
