"""Where a visit may lead: from a public address to public ones only (R48)."""

from __future__ import annotations

import socket
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from planet.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Callable


class Guard:
    """Watches over the connections of one visit.

    What the operator configured may be anywhere, and so may what a server that is itself not
    public leads to. An address that was adopted or learned counts as redirected to by the
    configured one: `home` is that, and `asked` the first that is asked now. `is_led` says that
    somebody in the public Internet chose even that.
    """

    def __init__(
        self, home: str, asked: str, is_public: Callable[[str], bool], *, is_led: bool = False
    ) -> None:
        self._is_public = is_public
        configured = urlsplit(home).hostname
        self._adopted_from = configured if configured != urlsplit(asked).hostname else None
        self._from_public = True if is_led else None
        """Whether it is a public server that leads on; None while there was none."""
        self.is_inside = False
        """Whether the first server is not in the public Internet."""

    def permits(self, address: str) -> bool:
        """Whether the visit may lead to an IP address."""
        if self._is_public(address):
            return True
        return not (self._was_public if self._from_public is None else self._from_public)

    def check(self, peer: str) -> None:
        """Called with the IP address a connection leads to, before anything is sent over it.

        Raises:
            FetchError: the visit must not lead there.
        """
        if not self.permits(peer):
            raise self.refusal()
        if self._from_public is None:
            self._from_public = self._is_public(peer)
            self.is_inside = not self._from_public

    def refusal(self) -> FetchError:
        """The failure of a visit that would lead into a private network."""
        return FetchError("private_address", "the server leads into a private network")

    @cached_property
    def _was_public(self) -> bool:
        """Whether the host that led to the first address has a public one, or none that tells."""
        if self._adopted_from is None:
            return False
        try:
            found = socket.getaddrinfo(self._adopted_from, None)
        except (OSError, UnicodeError):
            return True
        return any(self._is_public(str(where[0])) for *_, where in found)
