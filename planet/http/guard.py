"""Host → IP addresses, and whether a visit may lead there: never into a private network."""

from __future__ import annotations

import socket
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, Any, TypeAlias

from planet.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


SocketAddress: TypeAlias = tuple[int, int, int, str, Any]
"""As in `socket.getaddrinfo`."""


LookUp: TypeAlias = "Callable[[str, int], Sequence[SocketAddress]]"
"""A function like `look_up`."""


def look_up(host: str, port: int) -> Sequence[SocketAddress]:
    """Return the addresses of a name; none where there is no such name."""
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ()


def written_address(host: str) -> str | None:
    """Return the IP address of a host written as one, in the forms of resolvers; else None.

    `localhost` is loopback (RFC 6761 §6.3).
    """
    host = host.rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return "127.0.0.1"
    with suppress(OSError, ValueError):  # IPv4 may be written as 127.1 or 0x7f000001
        return str(ip_address(host)) if ":" in host else socket.inet_ntoa(socket.inet_aton(host))
    return None


# Python calls these global, and they are not: 6to4 relays (RFC 7526), protocol assignments (RFC
# 6890), the platform of Azure, which answers its virtual machines there, site-local addresses (RFC
# 3879), documentation (RFC 9637), a network's own NAT64 (RFC 8215).
_NOT_PUBLIC = [
    ip_network(network)
    for network in (
        *("192.88.99.0/24", "192.0.0.0/24", "168.63.129.16/32"),
        *("fec0::/10", "3fff::/20", "64:ff9b:1::/48"),
    )
]
# The networks whose last 32 bits are an IPv4 address: compatible, mapped (RFC 4291 §2.5.5), NAT64
# (RFC 6052 §2.1).
_WRAPPING = {int(IPv6Address(network)) >> 32 for network in ("::", "::ffff:0:0", "64:ff9b::")}


@lru_cache(maxsize=4096)
def is_public(peer: str) -> bool:
    """Return whether an IP address, as a socket names its peer, is in the public Internet.

    Loopback, private, link-local, reserved and multicast addresses are not. An IPv6 address with an
    IPv4 address in the last bits is as public as the latter.
    """
    ip = ip_address(peer)
    if isinstance(ip, IPv6Address):
        is_wrapped = int(ip) >> 32 in _WRAPPING
        ip = IPv4Address(int(ip) & 0xFFFFFFFF) if is_wrapped else ip.sixtofour or ip
    is_special = ip.is_multicast or ip.is_reserved or any(ip in one for one in _NOT_PUBLIC)
    return ip.is_global and not is_special


_PRIVATE = "private_address", "the server leads into a private network"
"""The error of a visit that would lead there; it tells nothing of the network."""


@dataclass
class Guard:
    """Finds the addresses for the connections of one visit, and checks where they lead.

    The configured address may be anywhere, and so may redirects of a server in a private network.
    Where `only_public`, all must be public: somebody in the public Internet chose them, or a public
    server was asked for this feed before. So a feed moved by a public server stays in the public
    Internet.
    """

    look_up: LookUp
    is_public: Callable[[str], bool]
    only_public: bool
    starts_public: bool | None = None
    """Whether the first server is in the public Internet; None where nobody here knows."""
    has_peer: bool = False

    def find(self, host: str, port: int, *, is_proxy: bool) -> Sequence[SocketAddress]:
        """Return the addresses to connect to; those of a proxy may be anywhere.

        No other is even called: whether anybody answers there is no stranger's business.

        Raises:
            FetchError: there is no such name, or the visit must not lead there.
        """
        found = self.look_up(host, port)
        if not found:
            kind, who = ("proxy", "proxy") if is_proxy else ("dns", "server")
            raise FetchError(kind, f"there is no {who} of that name")
        permitted = [one for one in found if is_proxy or self._permits(str(one[4][0]))]
        if not permitted:
            raise FetchError(*_PRIVATE)
        return permitted

    def check(self, peer: str | None) -> None:
        """Check the IP address of a connection, before anything is sent over it.

        Pass None for a server behind a proxy, which counts as public for all redirects.

        Raises:
            FetchError: the visit must not lead there.
        """
        if peer is not None and not self._permits(peer):
            raise FetchError(*_PRIVATE)
        if not self.has_peer:
            self.has_peer = True
            self.starts_public = None if peer is None else self.is_public(peer)
            self.only_public = self.starts_public is not False

    def _permits(self, peer: str) -> bool:
        return not self.only_public or self.is_public(peer)
