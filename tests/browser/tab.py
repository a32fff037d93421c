"""A page → what happened while it was open: scripts, requests, dialogs, ways out, odd elements."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Route

from planet.text import policy
from tests.browser.chromium import MEDIA_TYPES, ORIGIN, Page

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
