"""Private networks: no redirect leads from the public Internet into one (R48).

Every server here is on loopback, so the tests say which of their addresses count as public.
"""

import socket
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from planet.http.guard import SocketAddress, is_public
from planet.http.session import ADDRESS_CONNECTIONS
from planet.model import PollRequest
from planet.text import address
from tests.cases import case, cases
from tests.http.conftest import BODY, OTHER_PRIVATE, PRIVATE, PUBLIC, Notes, Reader, kind, turn
from tests.patience import PATIENCE
from tests.server import Response, Server, moved

OK = Response(body=BODY)


@pytest.mark.parametrize("is_open", [True, False], ids=["one that is", "one that is not"])
@pytest.mark.parametrize("was_public", [True, False], ids=["by its name", "by a redirect"])
def test_nobody_learns_of_a_private_port(
    outside: Reader, hosts: Server, is_open: bool, was_public: bool
) -> None:
    with socket.create_server((PRIVATE, 0)) as listener:
        listener.setblocking(False)
        there = f"http://{PRIVATE}:{listener.getsockname()[1]}/inside"
        if not is_open:
            listener.close()
        url = there if was_public else hosts.script("/feed", moved(there))

        fetched = outside.once(url, was_public=was_public)

        assert (kind(fetched), fetched.status) == ("private_address", None)
        assert str(fetched.error) == "the server leads into a private network"
        if is_open:
            with pytest.raises(BlockingIOError):  # it was not called
                listener.accept()


@cases(
    "chain",
    case("to a private server, as the operator wants it", [PRIVATE]),
    case("within a private network", [PRIVATE, OTHER_PRIVATE]),
    case("out of one", [PRIVATE, PUBLIC]),
    case("out of one and back", [PRIVATE, PUBLIC, PRIVATE]),
    case("within the public Internet", [PUBLIC, PUBLIC]),
)
def test_a_visit_goes_where_the_operator_or_its_own_network_allows(
    outside: Reader, hosts: Server, chain: list[str]
) -> None:
    urls = [hosts.url(f"/{number}", host) for number, host in enumerate(chain)]
    for number, target in enumerate(urls[1:]):
        hosts.script(f"/{number}", moved(target))
    hosts.script(f"/{len(urls) - 1}", OK)

    fetched = outside.once(urls[0])

    assert (kind(fetched), fetched.body) == (None, BODY)


def test_no_connection_that_is_there_is_used_either(outside: Reader, hosts: Server) -> None:
    for path in ("/first", "/inside", "/second"):
        hosts.script(path, OK)
    start = hosts.script("/feed", moved(hosts.url("/inside", PRIVATE)))
    first, second = (hosts.url(path, PRIVATE) for path in ("/first", "/second"))
    # The gap makes sure that the first one's connection waits for the second.
    outside.notes.gaps = {address.host(first): timedelta(milliseconds=500)}

    came = outside.ask(*map(turn, [first, second, start]))

    assert [kind(came[url]) for url in (first, start, second)] == [None, "private_address", None]
    assert "/inside" not in hosts.paths


PUBLIC_ADDRESSES = """
    1.1.1.1 8.8.8.8 11.0.0.1 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 192.88.98.255
    192.169.0.0 223.255.255.255 2001:4860:4860::8888 2606:4700::1111 2a00:1450::1 ::ffff:8.8.8.8
    ::8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::1
"""


@pytest.mark.parametrize("peer", PUBLIC_ADDRESSES.split())
def test_addresses_of_the_internet_are_public(peer: str) -> None:
    assert is_public(peer)


# This host and network, private classes, a provider's own, loopback, link-local with metadata of
# clouds, Azure, protocol assignments, documentation, 6to4 relays, benchmarks, multicast, reserved;
# the same in IPv6, mapped, compatible, translated, tunnelled, unique local and site-local.
SPECIAL_ADDRESSES = """
    0.0.0.0 0.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 127.0.0.1
    127.255.255.254 169.254.169.254 168.63.129.16 192.0.0.9 192.0.2.1 198.51.100.1 203.0.113.1
    192.88.99.1 198.18.0.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1
    ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::10.0.0.1 64:ff9b::10.0.0.1 64:ff9b:1::8.8.8.8 2002:a00:1::1
    2002:7f00:1:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 100::1 2001:db8::1 3fff::1 5f00::1 fc00::1
    fdff::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ff0e::1 4000::1
"""


@pytest.mark.parametrize("peer", SPECIAL_ADDRESSES.split())
def test_addresses_for_special_use_are_not_public(peer: str) -> None:
    assert not is_public(peer)


# Names and where they lead: http and https are one server, and an address has few connections

HERE, THERE = "127.0.0.1", "127.0.0.2"


class Names:
    """Leads names to addresses, and writes down which were looked up."""

    def __init__(self, server: Server, where: Mapping[str, str]) -> None:
        self.server, self.where = server, where
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> Sequence[SocketAddress]:
        self.asked.append(host)
        if host not in self.where:
            return []
        ip = self.where[host]
        port = int(self.server.url("/", ip).rpartition(":")[2].rstrip("/"))
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (ip, port))]


def test_at_most_four_connections_lead_to_one_address(reader: Reader) -> None:
    names = [f"{letter}.example" for letter in "abcdefgh"]
    urls = [f"http://{name}/feed" for name in names]
    last = "http://other.example/other"
    begun, held, asked_elsewhere = threading.Event(), threading.Event(), threading.Event()

    class LastOne(Names):
        """Knows the last name only after as many feeds were begun as may be."""

        def __call__(self, host: str, port: int) -> Sequence[SocketAddress]:
            if host == "other.example":
                begun.wait(PATIENCE)
            return super().__call__(host, port)

    class Watching(Notes):
        def begin(self, turn: PollRequest, host: str) -> bool:
            super().begin(turn, host)
            if len(self.started) >= ADDRESS_CONNECTIONS:
                begun.set()
            return True

    reader.notes = notes = Watching()
    with Server(HERE, THERE) as server, ThreadPoolExecutor(1) as pool:
        reader.look_up = LastOne(server, dict.fromkeys(names, HERE) | {"other.example": THERE})
        server.script("/feed", Response(body=BODY, hold=held))

        def other(_: object) -> Response:
            asked_elsewhere.set()
            return OK

        server.answer("/other", other)
        run = pool.submit(reader.ask, *map(turn, [*urls, last]))
        assert asked_elsewhere.wait(PATIENCE)
        begun_until_then = list(notes.started)
        held.set()
        came = run.result()

    assert len(begun_until_then) == ADDRESS_CONNECTIONS + 1
    assert {key: fetched.error for key, fetched in came.items()} == dict.fromkeys([*urls, last])
