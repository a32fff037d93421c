"""Host → its IP addresses, within a time limit."""

from __future__ import annotations

import socket
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, TypeAlias

from planet.errors import StateError
from planet.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


_AT_ONCE = 64
"""Names that are looked up at a time: as many as servers are asked, and a few."""


SocketAddress: TypeAlias = tuple[int, int, int, str, Any]
"""As `socket.getaddrinfo` has it."""


LookUp: TypeAlias = "Callable[..., Sequence[SocketAddress]]"
"""Finds the addresses of a name, called as `socket.getaddrinfo` is."""


class LookUps:
    """Finds the addresses of names, and waits for none longer than it may."""

    def __init__(self) -> None:
        self.look_up: LookUp = socket.getaddrinfo
        # That knows no limit: where it takes longer, it is left alone in a thread.
        self._threads: Threads[Sequence[SocketAddress]] = Threads(_AT_ONCE, "planet-look-up")

    def find(self, host: str, port: int, *, timeout: float) -> Sequence[SocketAddress]:
        """Find the addresses of a name in so many seconds.

        Raises:
            TimeoutError: the name servers have not answered until then.
            OSError, UnicodeError: there is no such name.
        """
        call = partial(self.look_up, host, port, type=socket.SOCK_STREAM)
        with suppress(ValueError):
            ip_address(host)
            return call()  # which asks nobody
        try:
            future = self._threads.submit(call)
        except StateError:  # the system allows no more threads: it takes as long as it takes
            return call()
        return future.result(timeout)

    def close(self) -> None:
        """End the threads that wait for nobody."""
        self._threads.close()


def written_address(host: str) -> str | None:
    """Return the IP address that a host is written as, as resolvers take it; None for a name.

    `localhost` is one, too (RFC 6761 §6.3).
    """
    host = host.rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return "127.0.0.1"
    with suppress(ValueError):
        return str(ip_address(host))
    with suppress(OSError, ValueError):
        return socket.inet_ntoa(socket.inet_aton(host))  # 127.1, 0x7f000001
    return None
