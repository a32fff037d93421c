"""The door to Chromium: the DevTools protocol over a pipe.

No library, no port and no network: with `--remote-debugging-pipe` Chromium reads commands from one
descriptor and writes answers and events to another, as JSON that ends in a NUL.
"""

import json
import shutil
import subprocess
import tempfile
import threading
from collections import defaultdict
from contextlib import ExitStack
from io import BufferedReader
from queue import Empty, SimpleQueue
from typing import IO, Any, Self, TypeAlias, cast

from tests.patience import PATIENCE

Message: TypeAlias = dict[str, Any]
"""An answer has an `id`, an event a `method`."""
NAMES = ("chromium", "chromium-browser", "google-chrome")
"""What it is called on the PATH: Debian's name first."""

# The shell gives the pipes the numbers that Chromium wants, 3 and 4.
_START = 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null'
_FLAGS = (
    *("--headless", "--remote-debugging-pipe", "--no-first-run", "--mute-audio", "--disable-gpu"),
    # What it would ask the web on its own account, and keep of pages that were left.
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--disable-extensions",
    # Frames would be elsewhere than they are listened to, and each page cost half as much again.
    "--disable-features=BackForwardCache,IsolateSandboxedIframes,RenderDocument"
    ",SpareRendererForSitePerProcess",
    # Should a request get past all else: no name has an address.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    # In containers there are no user namespaces, and little shared memory.
    *("--no-sandbox", "--disable-dev-shm-usage"),
)
_SECONDS_TO_ANSWER = PATIENCE
_SECONDS_TO_END = 10


class ChromiumError(Exception):
    """Chromium said no, or nothing."""


def find() -> str | None:
    """The path of Chromium, None when there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """A browser with a new profile; it ends with the context.

    Of flags that are given here and set already, these count.
    """

    def __init__(self, path: str, *flags: str) -> None:
        self._path = path
        self._flags = flags
        self._last = 0
        self._writing = threading.Lock()
        # By session; what concerns the browser as a whole is under None.
        self._inboxes: defaultdict[str | None, SimpleQueue[Message | None]]
        self._inboxes = defaultdict(SimpleQueue)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            profile = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
            flags = (*_FLAGS, *self._flags, f"--user-data-dir={profile}", "about:blank")
            process = stack.enter_context(
                subprocess.Popen(
                    ["/bin/sh", "-c", _START, "sh", self._path, *flags],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            )
            self._commands = cast("IO[bytes]", process.stdin)
            reader = threading.Thread(target=self._read, args=(process.stdout,))
            reader.start()
            # With nobody at the pipe it ends by itself; should it not, it has to.
            stack.callback(process.kill)
            stack.callback(reader.join, _SECONDS_TO_END)
            stack.callback(self._commands.close)
            self._ending = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.close()

    def open_tab(self) -> str:
        """A new tab; returns the session in which it is spoken with."""
        # In a window of its own: where another tab is in front, nothing is drawn.
        target = self.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        assert isinstance(session, str)
        return session

    def send(self, method: str, session: str | None = None, **parameters: Any) -> int:
        """Give a command and do not wait; the number returned is the `id` of the answer."""
        with self._writing:
            self._last += 1
            message = {"id": self._last, "method": method, "params": parameters}
            if session is not None:
                message["sessionId"] = session
            self._commands.write(json.dumps(message).encode() + b"\0")
            self._commands.flush()
            return self._last

    def receive(self, session: str | None = None) -> Message:
        """The next message of a session: an answer has an `id`, an event a `method`.

        Raises:
            ChromiumError: there comes none.
        """
        try:
            message = self._inboxes[session].get(timeout=_SECONDS_TO_ANSWER)
        except Empty:
            raise ChromiumError("nothing from Chromium for a long time") from None
        if message is None:
            raise ChromiumError("Chromium has ended")
        return message

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """The answer to a command; events that come before it are lost.

        Raises:
            ChromiumError: it cannot be carried out.
        """
        number = self.send(method, session, **parameters)
        while (message := self.receive(session)).get("id") != number:
            pass
        return result(message)

    def _read(self, answers: BufferedReader) -> None:
        rest = b""
        while data := answers.read1(1 << 20):
            *whole, rest = (rest + data).split(b"\0")
            for message in map(json.loads, whole):
                self._inboxes[message.get("sessionId")].put(message)
        for inbox in list(self._inboxes.values()):
            inbox.put(None)


def result(answer: Message) -> dict[str, Any]:
    """What an answer says.

    Raises:
        ChromiumError: the command could not be carried out.
    """
    if "error" in answer:
        raise ChromiumError(answer["error"]["message"])
    return cast("dict[str, Any]", answer["result"])


class Page:
    """A tab for pages, one after the other, and what one can do in them."""

    def __init__(self, chromium: Chromium) -> None:
        self._chromium = chromium
        self._session = chromium.open_tab()
        self.do("Page.enable")
        self.do("Emulation.setFocusEmulationEnabled", enabled=True)

    def open(self, url: str) -> None:
        """Go to a page, and be there."""
        self.leave("Page.navigate", url=url)

    def leave(self, method: str, **parameters: Any) -> None:
        """Give a command that leads to another page, and be there."""
        # Not waiting for the answer, before which the other page may have come.
        self._chromium.send(method, self._session, **parameters)
        while self._chromium.receive(self._session).get("method") != "Page.loadEventFired":
            pass

    def do(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._chromium.call(method, self._session, **parameters)

    def value(self, expression: str) -> Any:
        """What an expression gives in the page; promises are waited for."""
        said = self.do(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in said, said
        return said["result"].get("value")
