"""The limits of an exchange: sizes, seconds, and the time that it may take as a whole."""

from __future__ import annotations

import time

from planet.errors import FetchError

MAX_REDIRECTS = 5
"""Hops followed by hand; more is a loop or a trap."""
MAX_STEP = 1024 * 1024
"""Bytes of an answer that has no posts but only says where to ask next."""
REDIRECT_WAIT = 10.0
"""Seconds that a redirect may ask us to wait (RFC 9110 §10.2.3) without ending the attempt."""
LONG_WAIT = 10.0
"""Seconds until the next turn of a server from which on its feeds are left for the next run."""
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
MAX_VALIDATOR = 4096
"""Characters of an ETag or Last-Modified that are worth echoing."""
CHUNK = 65536
"""Bytes read at once."""


def make_timeout_error() -> FetchError:
    """Make the error of an exchange that was past its deadline."""
    return FetchError("timeout", "the server did not finish its answer in time")


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
