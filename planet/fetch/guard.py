"""Where a visit may lead: from a public address to public ones only (R48)."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from planet.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Callable


class Guard:
    """Watches over the connections of one visit.

    What the operator configured may be anywhere, and so may what a server that is itself not
    public redirects to. An address that was adopted or learned counts as redirected to by the
    configured one: `home` is that, and `asked` the first that is asked now.
    """

    def __init__(self, home: str, asked: str, is_public: Callable[[str], bool]) -> None:
        self._is_public = is_public
        self._origin: str | None = None
        """The address of the first server."""
        configured = urlsplit(home).hostname
        self._adopted_from = configured if configured != urlsplit(asked).hostname else None

    def check(self, peer: str) -> None:
        """Called with the IP address a connection leads to, before anything is sent over it.

        Raises:
            FetchError: the visit must not lead there.
        """
        if self._origin is not None:
            forbidden = self._is_public(self._origin) and not self._is_public(peer)
        else:
            self._origin = peer
            forbidden = (
                self._adopted_from is not None
                and not self._is_public(peer)
                and self._may_be_public(self._adopted_from)
            )
        if forbidden:
            raise FetchError("private_address", "the server leads into a private network")

    def _may_be_public(self, host: str) -> bool:
        """Whether a host has a public address, or none that would tell."""
        try:
            found = socket.getaddrinfo(host, None)
        except (OSError, UnicodeError):
            return True
        return any(self._is_public(str(where[0])) for *_, where in found)
