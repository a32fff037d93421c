"""Which IP addresses belong to the public Internet."""

from __future__ import annotations

import pytest

from planet.http.exchange import is_public


@pytest.mark.parametrize(
    "peer",
    [
        "1.1.1.1",
        "8.8.8.8",
        "11.0.0.1",
        "100.63.255.255",
        "100.128.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.88.98.255",
        "192.169.0.0",
        "223.255.255.255",
        "2001:4860:4860::8888",
        "2606:4700::1111",
        "2a00:1450::1",
        "::ffff:8.8.8.8",
        "::8.8.8.8",
        "64:ff9b::8.8.8.8",
        "2002:808:808::1",
    ],
)
def test_an_address_is_public(peer: str) -> None:
    assert is_public(peer)


@pytest.mark.parametrize(
    "peer",
    [
        pytest.param("0.0.0.0", id="this host"),
        pytest.param("0.1.2.3", id="this network"),
        pytest.param("10.0.0.1", id="private, class A"),
        pytest.param("172.16.0.1", id="private, class B"),
        pytest.param("172.31.255.255", id="the last of these"),
        pytest.param("192.168.1.1", id="private, class C"),
        pytest.param("100.64.0.1", id="a provider's own"),
        pytest.param("127.0.0.1", id="loopback"),
        pytest.param("127.255.255.254", id="any loopback"),
        pytest.param("169.254.169.254", id="link-local, metadata of clouds"),
        pytest.param("192.0.0.9", id="protocol assignments"),
        pytest.param("192.0.2.1", id="documentation"),
        pytest.param("198.51.100.1", id="documentation, second"),
        pytest.param("203.0.113.1", id="documentation, third"),
        pytest.param("192.88.99.1", id="6to4 relays"),
        pytest.param("198.18.0.1", id="benchmarks"),
        pytest.param("224.0.0.1", id="multicast"),
        pytest.param("239.255.255.255", id="multicast, the last"),
        pytest.param("240.0.0.1", id="reserved"),
        pytest.param("255.255.255.255", id="broadcast"),
        pytest.param("::", id="IPv6 unspecified"),
        pytest.param("::1", id="IPv6 loopback"),
        pytest.param("::ffff:127.0.0.1", id="mapped loopback"),
        pytest.param("::ffff:10.0.0.1", id="mapped private"),
        pytest.param("::10.0.0.1", id="compatible private"),
        pytest.param("64:ff9b::10.0.0.1", id="NAT64 of private"),
        pytest.param("64:ff9b:1::8.8.8.8", id="a network's own NAT64"),
        pytest.param("2002:a00:1::1", id="6to4 of private"),
        pytest.param("2002:7f00:1::", id="6to4 of loopback"),
        pytest.param("2001:0:4136:e378:8000:63bf:3fff:fdd2", id="Teredo"),
        pytest.param("100::1", id="discard"),
        pytest.param("2001:db8::1", id="IPv6 documentation"),
        pytest.param("3fff::1", id="IPv6 documentation, second"),
        pytest.param("5f00::1", id="segment routing"),
        pytest.param("fc00::1", id="unique local"),
        pytest.param("fdff::1", id="unique local, the other half"),
        pytest.param("fe80::1", id="IPv6 link-local"),
        pytest.param("fe80::1%eth0", id="with its interface"),
        pytest.param("fec0::1", id="site-local"),
        pytest.param("ff02::1", id="IPv6 multicast"),
        pytest.param("ff0e::1", id="IPv6 multicast everywhere"),
        pytest.param("4000::1", id="IPv6 reserved"),
    ],
)
def test_an_address_is_not_public(peer: str) -> None:
    assert not is_public(peer)
