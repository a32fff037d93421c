"""The limits of an exchange: sizes, seconds, and how many large bodies are held at a time."""

from __future__ import annotations

import threading
import time

from planet.errors import FetchError

MAX_REDIRECTS = 5
"""Hops followed by hand; more is a loop or a trap."""
MAX_STEP = 1024 * 1024
"""Bytes of an answer that has no posts but only says where to ask next."""
REDIRECT_WAIT = 10.0
"""Seconds that a redirect may ask us to wait (RFC 9110 §10.2.3) without ending the attempt."""
ADDRESS_CONNECTIONS = 4
"""Connections at a time to one IP address, which may be that of many names."""
CONNECT_TIMEOUT = 10.0
"""Seconds for TCP and TLS to stand."""
IDLE_TIMEOUT = 20.0
"""Seconds without a byte. A server that drips is ended by the feed's total time instead."""
MAX_HEAD = 128 * 1024
"""Bytes of all header fields of an answer together."""
MAX_HEAD_LINES = 500
"""Header lines of an answer; some feeds come with more than a hundred."""
DECODED_FACTOR = 2
"""How many times the wire limit a body may grow when decoded."""
SMALL = 512 * 1024
"""Bytes of a body that are held in memory without asking: nearly all feeds are smaller."""
LARGE_AT_ONCE = 2
"""Bodies larger than that which are stored and handed out at a time."""
MAX_VALIDATOR = 4096
"""Characters of an ETag or Last-Modified that are worth echoing."""
CHUNK = 65536
"""Bytes read at once."""


def make_timeout_error() -> FetchError:
    """Make the error of an exchange that was past its deadline."""
    return FetchError("timeout", "the server did not finish its answer in time")


class RequestSlots:
    """Lets a few visits at a time hold a large body, until it is stored and handed out.

    `take` and `leave` may be repeated.
    """

    def __init__(self, count: int = LARGE_AT_ONCE) -> None:
        self._count = count
        self._holders: set[object] = set()
        self._is_closed = False
        self._changed = threading.Condition()

    def take(self, holder: object) -> None:
        """Wait until there is a slot, unless the holder has one.

        Raises:
            FetchError: there will be none any more.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: (
                    holder in self._holders or len(self._holders) < self._count or self._is_closed
                )
            )
            if self._is_closed:
                raise FetchError("timeout", "the run ended before the answer was read")
            self._holders.add(holder)

    def leave(self, holder: object) -> None:
        """Give the slot back, if there is one."""
        if holder in self._holders:
            with self._changed:
                self._holders.remove(holder)
                self._changed.notify()

    def close(self) -> None:
        """Give no slots any more, and let nobody wait."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()


class Deadline:
    """The time limit of one exchange, which begins when this is made."""

    def __init__(self, seconds: float) -> None:
        self.began = time.monotonic()
        self.ends = self.began + seconds

    @property
    def remaining(self) -> float:
        """Seconds left; zero or less when it is over."""
        return self.ends - time.monotonic()

    def within(self, limit: float) -> float:
        """Return the seconds to wait for one thing: what is left, but no more than `limit`.

        Raises:
            FetchError: nothing is left.
        """
        left = self.remaining
        if left <= 0:
            raise make_timeout_error()
        return min(left, limit)
