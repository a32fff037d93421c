"""Host → its IP addresses, and which of them a visit may lead to: none in a private network."""

from __future__ import annotations

import socket
from contextlib import suppress
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, Any, TypeAlias

from planet.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


SocketAddress: TypeAlias = tuple[int, int, int, str, Any]
"""As in `socket.getaddrinfo`."""


LookUp: TypeAlias = "Callable[..., Sequence[SocketAddress]]"
"""Finds the addresses of a name, called as `socket.getaddrinfo` is."""


class NameCache:
    """The addresses of names, each looked up once in a run."""

    def __init__(self, look_up: LookUp = socket.getaddrinfo) -> None:
        self._look_up = look_up
        self._results: dict[tuple[str, int], Sequence[SocketAddress] | Exception] = {}

    def find(self, host: str, port: int) -> Sequence[SocketAddress]:
        """Find the addresses of a name.

        Raises:
            OSError, UnicodeError: there is no such name.
        """
        if (host, port) not in self._results:
            try:
                found = self._look_up(host, port, type=socket.SOCK_STREAM)
                self._results[host, port] = found or OSError("a name without an address")
            except (OSError, UnicodeError) as error:
                self._results[host, port] = error
        result = self._results[host, port]
        if isinstance(result, Exception):
            raise result
        return result


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


# What Python calls global and is not: 6to4 relays (RFC 7526), protocol assignments (RFC 6890),
# the platform of Azure, which answers its virtual machines there, site-local addresses (RFC 3879),
# documentation (RFC 9637), a network's own NAT64 (RFC 8215).
_NOT_PUBLIC = tuple(
    map(
        ip_network,
        (
            *("192.88.99.0/24", "192.0.0.0/24", "168.63.129.16/32"),
            *("fec0::/10", "3fff::/20", "64:ff9b:1::/48"),
        ),
    )
)
# The networks whose last 32 bits are an IPv4 address: compatible, mapped (RFC 4291 §2.5.5), NAT64
# (RFC 6052 §2.1).
_WRAPPING = tuple(map(IPv6Address, ("::", "::ffff:0:0", "64:ff9b::")))


@lru_cache(maxsize=4096)
def is_public(peer: str) -> bool:
    """Return whether an IP address, as a socket names its peer, is in the public Internet.

    Loopback, private, link-local, reserved and multicast addresses do not; an IPv6 address that
    wraps an IPv4 address is as public as that.
    """
    ip = ip_address(peer)
    if isinstance(ip, IPv6Address):
        ip = _unwrap(ip)
    if any(ip in network for network in _NOT_PUBLIC):
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def _unwrap(ip: IPv6Address) -> IPv4Address | IPv6Address:
    if int(ip) >> 32 in {int(network) >> 32 for network in _WRAPPING}:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.sixtofour or ip


class Guard:
    """Checks where the connections of one visit lead.

    The address that the operator configured may be anywhere, and so may those to which a server
    leads that is not public itself. With `only_public` all must be public: somebody in the public
    Internet chose them, or a public server was asked for this feed before. So an address to which
    a public server has moved the feed stays in the public Internet.
    """

    def __init__(self, is_public: Callable[[str], bool], *, only_public: bool = False) -> None:
        self._is_public = is_public
        self._from_public = True if only_public else None
        """Whether it is a public server that leads on; None while there was none."""
        self.starts_public: bool | None = None
        """Whether the first server is in the public Internet; None where nobody here knows."""
        self._has_peer = False

    def permits(self, peer: str) -> bool:
        """Return whether the visit may lead to an IP address."""
        return not self._from_public or self._is_public(peer)

    def check(self, peer: str) -> None:
        """Check the IP address that a connection leads to, before anything is sent over it.

        Raises:
            FetchError: the visit must not lead there.
        """
        if not self.permits(peer):
            raise self.refusal()
        if not self._has_peer:
            self._has_peer = True
            self._from_public = self.starts_public = self._is_public(peer)

    def check_name(self, host: str) -> None:
        """Check the name of a host that a proxy looks up: only that sees the address.

        A host that is written as an IP address is judged by that, and `localhost` as loopback. Any
        other may be anywhere, and counts as public for what it leads to.

        Raises:
            FetchError: the visit must not lead there.
        """
        if (peer := written_address(host)) is not None:
            self.check(peer)
        elif not self._has_peer:
            self._has_peer = self._from_public = True

    def refusal(self) -> FetchError:
        """Make the error of a visit that would lead into a private network.

        It tells nothing of what is there.
        """
        return FetchError("private_address", "the server leads into a private network")
