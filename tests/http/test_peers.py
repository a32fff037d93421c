"""Which IP addresses belong to the public Internet."""

import pytest

from planet.http.guard import is_public
from tests.cases import case, cases

PUBLIC = """
    1.1.1.1 8.8.8.8 11.0.0.1 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 192.88.98.255
    192.169.0.0 223.255.255.255 2001:4860:4860::8888 2606:4700::1111 2a00:1450::1 ::ffff:8.8.8.8
    ::8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::1
"""


@pytest.mark.parametrize("peer", PUBLIC.split())
def test_an_address_is_public(peer: str) -> None:
    assert is_public(peer)


@cases(
    "peer",
    case("this host", "0.0.0.0"),
    case("this network", "0.1.2.3"),
    case("private, class A", "10.0.0.1"),
    case("private, class B", "172.16.0.1"),
    case("the last of these", "172.31.255.255"),
    case("private, class C", "192.168.1.1"),
    case("a provider's own", "100.64.0.1"),
    case("loopback", "127.0.0.1"),
    case("any loopback", "127.255.255.254"),
    case("link-local, metadata of clouds", "169.254.169.254"),
    case("the platform of Azure", "168.63.129.16"),
    case("protocol assignments", "192.0.0.9"),
    case("documentation", "192.0.2.1"),
    case("documentation, second", "198.51.100.1"),
    case("documentation, third", "203.0.113.1"),
    case("6to4 relays", "192.88.99.1"),
    case("benchmarks", "198.18.0.1"),
    case("multicast", "224.0.0.1"),
    case("multicast, the last", "239.255.255.255"),
    case("reserved", "240.0.0.1"),
    case("broadcast", "255.255.255.255"),
    case("IPv6 unspecified", "::"),
    case("IPv6 loopback", "::1"),
    case("mapped loopback", "::ffff:127.0.0.1"),
    case("mapped private", "::ffff:10.0.0.1"),
    case("compatible private", "::10.0.0.1"),
    case("NAT64 of private", "64:ff9b::10.0.0.1"),
    case("a network's own NAT64", "64:ff9b:1::8.8.8.8"),
    case("6to4 of private", "2002:a00:1::1"),
    case("6to4 of loopback", "2002:7f00:1::"),
    case("Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2"),
    case("discard", "100::1"),
    case("IPv6 documentation", "2001:db8::1"),
    case("IPv6 documentation, second", "3fff::1"),
    case("segment routing", "5f00::1"),
    case("unique local", "fc00::1"),
    case("unique local, the other half", "fdff::1"),
    case("IPv6 link-local", "fe80::1"),
    case("with its interface", "fe80::1%eth0"),
    case("site-local", "fec0::1"),
    case("IPv6 multicast", "ff02::1"),
    case("IPv6 multicast everywhere", "ff0e::1"),
    case("IPv6 reserved", "4000::1"),
)
def test_an_address_is_not_public(peer: str) -> None:
    assert not is_public(peer)
