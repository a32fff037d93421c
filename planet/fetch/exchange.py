"""One request and what really came back, beside what requests-cache makes of it.

requests-cache is shown the validators only (see `adapter`); everything else of an answer that
later stages want to know travels on the request object itself.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from requests import PreparedRequest
from requests.structures import CaseInsensitiveDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.model import Feed


class Deadline:
    """The moment one exchange must be over, whatever the server does.

    Socket timeouts end a silent server only; `Watchdog` shuts the sockets of an exchange that
    drips past its deadline.
    """

    def __init__(self, seconds: float) -> None:
        self.ends = time.monotonic() + seconds
        self.passed = False
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()

    @property
    def remaining(self) -> float:
        """Seconds left; zero or less when it is over."""
        return self.ends - time.monotonic()

    def covers(self, connection: socket.socket) -> None:
        """Put a socket under this deadline until `release`."""
        # A duplicate, because wrapping a socket in TLS takes the original away from its owner.
        twin = socket.socket(
            connection.family, connection.type, connection.proto, fileno=os.dup(connection.fileno())
        )
        with self._lock:
            self._sockets.append(twin)

    def shoot(self) -> None:
        """End the exchange now: a thread blocked on one of its sockets wakes up with an error."""
        with self._lock:
            self.passed = True
            for connection in self._sockets:
                with contextlib.suppress(OSError):  # closed by the other side: as good as shot
                    connection.shutdown(socket.SHUT_RDWR)

    def release(self) -> None:
        """The exchange is over; its connections live on without a deadline."""
        with self._lock:
            for connection in self._sockets:
                connection.close()
            self._sockets.clear()


@dataclass(slots=True, kw_only=True)
class Exchange:
    """What one request brought, filled in by the adapter."""

    deadline: Deadline
    max_size: int
    kept_as: str
    """The name under which the answer is kept; see `kept_as`."""
    status: int | None = None
    headers: CaseInsensitiveDict[str] = field(default_factory=CaseInsensitiveDict)
    bytes_received: int = 0


def kept_as(feed: Feed, url: str) -> str:
    """The name under which what an address answers to a feed's requests is kept on disk.

    Each feed has its own: what it has not read yet is not "not modified" because another has, and
    what its credentials open is not for others.
    """
    return f"{url}\n{feed.key}"


class FeedRequest(PreparedRequest):
    """A GET that is sent as it is, without session defaults, and carries its exchange."""

    def __init__(self, url: str, headers: Mapping[str, str], exchange: Exchange) -> None:
        super().__init__()
        self.method = "GET"
        self.url = url
        self.headers = CaseInsensitiveDict(headers)
        self.exchange = exchange


class Watchdog:
    """Shoots every exchange that is past its deadline; one thread for all of them."""

    def __init__(self, every: float = 0.5) -> None:
        self._every = every
        self._watched: set[Deadline] = set()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._patrol, name="planet-watchdog", daemon=True)

    def __enter__(self) -> Watchdog:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self.shoot_all()
        self._thread.join()

    def watch(self, deadline: Deadline) -> None:
        """Shoot this exchange once its time is over, unless it is released before."""
        with self._lock:
            self._watched.add(deadline)

    def release(self, deadline: Deadline) -> None:
        """The exchange is over."""
        with self._lock:
            self._watched.discard(deadline)
        deadline.release()

    def shoot_all(self) -> None:
        """End every exchange at once, as at an interrupt."""
        for deadline in self._snapshot():
            deadline.shoot()

    def _snapshot(self) -> list[Deadline]:
        with self._lock:
            return list(self._watched)

    def _patrol(self) -> None:
        while not self._stopped.wait(self._every):
            for deadline in self._snapshot():
                if deadline.remaining <= 0:
                    deadline.shoot()
