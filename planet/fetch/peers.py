"""The address a connection really leads to → whether it is public. Pure."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

# What Python calls global and is not: 6to4 relays (RFC 7526), protocol assignments (RFC 6890),
# site-local addresses (RFC 3879), documentation (RFC 9637), a network's own NAT64 (RFC 8215).
_NOT_PUBLIC = tuple(
    map(
        ip_network,
        ("192.88.99.0/24", "192.0.0.0/24", "fec0::/10", "3fff::/20", "64:ff9b:1::/48"),
    )
)
# The networks whose last 32 bits are an IPv4 address: compatible, mapped (RFC 4291 §2.5.5), NAT64
# (RFC 6052 §2.1).
_WRAPPING = tuple(map(IPv6Address, ("::", "::ffff:0:0", "64:ff9b::")))


def is_public(peer: str) -> bool:
    """Whether an IP address, as a socket names its peer, belongs to the public Internet.

    Loopback, private, link-local, reserved and multicast addresses do not; an IPv6 address that
    wraps an IPv4 address is as public as that.
    """
    address = ip_address(peer)
    if isinstance(address, IPv6Address):
        address = _unwrapped(address)
    if any(address in network for network in _NOT_PUBLIC):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _unwrapped(address: IPv6Address) -> IPv4Address | IPv6Address:
    if int(address) >> 32 in {int(network) >> 32 for network in _WRAPPING}:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.sixtofour or address
