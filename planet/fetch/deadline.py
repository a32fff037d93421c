"""The moment an exchange must be over, whatever the server does."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time


class Deadline:
    """The time limit of one exchange, which begins when this is made.

    Socket timeouts end a silent server only; `Watchdog` shuts the sockets of an exchange that
    drips past its deadline.
    """

    def __init__(self, seconds: float) -> None:
        self.began = time.monotonic()
        self.ends = self.began + seconds
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
        """Shoot this exchange once its time is over, unless it is released before.

        At once when the watch is over: nobody waits for what this exchange brings.
        """
        with self._lock:
            self._watched.add(deadline)
        if self._stopped.is_set():
            deadline.shoot()

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
