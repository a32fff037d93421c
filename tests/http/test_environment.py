"""Requests through a proxy that the environment names, and what the guard can promise then."""

import socket
import threading
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

import pytest

from planet.errors import StateError
from planet.http.connection import Network
from planet.http.guard import SocketAddress
from tests.cases import case, cases
from tests.http.conftest import BODY, PRIVATE, Reader, kind
from tests.http.test_connection import PEM, serving
from tests.server import Response, Server, moved

OK = Response(body=BODY)
FEED = "http://feeds.example/feed"
CREDENTIALS = b64encode(b"ada:ge:heim").decode()


class Names:
    """Leads the names of proxies to loopback, and nobody else's anywhere."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> Sequence[SocketAddress]:
        self.asked.append(host)
        if host not in ("proxy.example", "127.0.0.1", PRIVATE):
            return []
        ip = "127.0.0.1" if host == "proxy.example" else host
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (ip, port))]


def port_of(server: Server) -> int:
    return int(server.url("").rpartition(":")[2])


@pytest.fixture
def names(reader: Reader) -> Names:
    reader.look_up = names = Names()
    return names


@pytest.fixture
def proxy(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A proxy for http, which answers for whoever is asked for."""
    monkeypatch.setenv("HTTP_PROXY", f"http://ada:ge%3Aheim@proxy.example:{port_of(server)}")
    return server


class Tunnel:
    """A proxy that connects to whoever is asked for, or answers with this status."""

    def __init__(self, status: str = "200 Connection established") -> None:
        self.heads: list[bytes] = []
        self._status = status
        self._open = ExitStack()

    @contextmanager
    def running(self) -> Iterator[int]:
        """Listen on a port of loopback."""
        with socket.create_server(("127.0.0.1", 0)) as listener, self._open:
            thread = threading.Thread(target=self._accept, args=(listener,))
            thread.start()
            try:
                yield listener.getsockname()[1]
            finally:
                listener.shutdown(socket.SHUT_RDWR)
                thread.join()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client = self._open.enter_context(listener.accept()[0])
                head = b""
                while not head.endswith(b"\r\n\r\n"):
                    head += client.recv(1)
                self.heads.append(head)
                client.sendall(f"HTTP/1.1 {self._status}\r\nVia: {'x' * 9000}\r\n\r\n".encode())
                if not self._status.startswith("200"):
                    client.shutdown(socket.SHUT_RDWR)
                    continue
                host, _, port = head.split()[1].decode().rpartition(":")
                server = self._open.enter_context(socket.create_connection((host, int(port))))
                for one, other in ((client, server), (server, client)):
                    threading.Thread(target=_pass_on, args=(one, other), daemon=True).start()


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while piece := one.recv(65_536):
            other.sendall(piece)
        other.shutdown(socket.SHUT_WR)


# How they are asked


def test_a_feed_by_http_is_asked_for_at_the_proxy(
    reader: Reader, proxy: Server, names: Names
) -> None:
    proxy.script(FEED, OK)
    proxy.script("http://feeds.example/other?a=%C3%A9", OK)
    urls = [FEED, "http://feeds.example/other?a=\xe9"]

    came = reader.visit(*urls)

    assert [fetched.body for fetched in came] == [BODY, BODY]
    assert [request.header("Host") for request in proxy.requests] == ["feeds.example"] * 2
    assert {request.header("Proxy-Authorization") for request in proxy.requests} == {
        f"Basic {CREDENTIALS}"
    }
    assert {request.connection for request in proxy.requests} == {0}
    assert names.asked == ["proxy.example"]


def test_a_feed_by_https_is_asked_for_through_the_proxy_and_verified(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    tunnel = Tunnel()
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(PEM))
    with serving("127.0.0.1") as port, tunnel.running() as proxy_port:
        monkeypatch.setenv("https_proxy", f"ada:ge%3Aheim@127.0.0.1:{proxy_port}")

        first, second = (reader.once(f"https://localhost:{port}/feed") for _ in range(2))

    assert (first.error, first.body, second.status) == (None, BODY, 304)
    assert [head.split(b"\r\n")[0].rpartition(b" ")[0] for head in tunnel.heads] == [
        f"CONNECT localhost:{port}".encode()
    ] * 2
    assert all(f"Basic {CREDENTIALS}\r\n".encode() in head for head in tunnel.heads)


@cases(
    "no_proxy, hosts",
    case("none", "", ["feeds.example"]),
    case("all", "*", []),
    case("the host", "elsewhere.example, feeds.example", []),
    case("its domain", ".example", []),
    case("another", "elsewhere.example", ["feeds.example"]),
)
def test_hosts_that_the_environment_names_are_asked_without_a_proxy(
    proxy: Server, monkeypatch: pytest.MonkeyPatch, no_proxy: str, hosts: list[str]
) -> None:
    monkeypatch.setenv("NO_PROXY", no_proxy)

    network = Network()

    assert bool(network.choose_proxy(FEED)) == bool(hosts)
    assert network.choose_proxy("https://feeds.example/") is None


# What can go wrong


@cases(
    "url",
    case("another kind", "socks5://ada:geheim@127.0.0.1:1"),
    case("by TLS", "https://ada:geheim@127.0.0.1:1"),
    case("no port", "http://ada:geheim@127.0.0.1:port"),
    case("no host", "http://ada:geheim@"),
    case("no address", "http://[geheim"),
)
def test_a_proxy_that_cannot_be_used_ends_the_run_and_is_not_told(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", url)

    with pytest.raises(StateError, match="HTTP_PROXY must name an http proxy") as caught:
        reader.once(FEED)

    assert "geheim" not in str(caught.value)


def test_a_proxy_that_cannot_be_reached_is_told_from_the_server(
    reader: Reader, names: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    came = []

    for host in ("proxy.example", "nowhere.example"):
        monkeypatch.setenv("HTTP_PROXY", f"http://ada:geheim@{host}:{port}")
        came.append(reader.once(FEED))

    assert [(kind(fetched), str(fetched.error)) for fetched in came] == [
        ("proxy", "the proxy cannot be reached: Connection refused"),
        ("proxy", "there is no proxy of that name"),
    ]


@cases(
    "status, blamed, expected",
    case("is to know who asks", "407 Who", "proxy", "asks for a user name and password"),
    case("forbids it", "403 No", "unreachable", "does not connect us to the server"),
    case(
        "sends us elsewhere",
        "302 Found\r\nLocation: http://a.example/",
        "unreachable",
        "does not connect us",
    ),
)
def test_a_proxy_that_does_not_connect_is_told_with_its_reason(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, status: str, blamed: str, expected: str
) -> None:
    with Tunnel(status).running() as port:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")

        fetched = reader.once("https://feeds.example/feed")

    assert (kind(fetched), fetched.status) == (blamed, None)
    assert f"the proxy {expected}" in str(fetched.error)
    assert f"(HTTP {status[:3]})" in str(fetched.error)


# What the guard can promise


@pytest.fixture
def beyond(names: Names, proxy: Server, reader: Reader) -> Reader:
    """A reader behind the proxy, for whom loopback is not public."""
    return reader


@pytest.mark.parametrize(
    "host", ["10.0.0.1", "[::1]", "localhost", "a.localhost.", "127.1", "0x7f000001", "2130706433"]
)
def test_no_redirect_leads_through_a_proxy_to_a_private_address(
    beyond: Reader, proxy: Server, host: str
) -> None:
    proxy.script(FEED, moved(f"http://{host}/inside"))

    fetched = beyond.once(FEED)

    assert (kind(fetched), proxy.paths) == ("private_address", [FEED])


def test_a_redirect_to_a_name_is_left_to_the_proxy(beyond: Reader, proxy: Server) -> None:
    proxy.script(FEED, moved("http://inside.example/feed"))
    proxy.script("http://inside.example/feed", OK)

    fetched = beyond.once(FEED)

    assert (fetched.error, fetched.body) == (None, BODY)
    # Where it is, nobody knows; so nothing is held against it once there is no proxy.
    assert fetched.is_public is None
