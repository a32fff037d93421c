"""Connections, where a whole visit cannot show what they do, and TLS over them."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from planet.errors import StateError
from planet.model import Fetched, FetchPolicy
from tests.cases import case, cases
from tests.http.conftest import BODY, Notes, Reader, kind, turn
from tests.patience import patient
from tests.server import Server


@cases(
    "path, expected",
    case("without a path", "", "/"),
    case("with a query only", "?x=1", "/?x=1"),
    case("with many slashes", "//a//b", "//a//b"),
    case("with dots", "/a/../b/.", "/a/../b/."),
    case("with escapes", "/%2f%c3%a9?q=%e9", "/%2F%C3%A9?q=%E9"),
    case("with bare signs", "/100%/%20?a%", "/100%25/%2520?a%25"),
    case("as is", "/~a;b=c,!$&'()*+:@?/?~", "/~a;b=c,!$&'()*+:@?/?~"),
    case("in other letters", "/\xe9?\u20ac", "/%C3%A9?%E2%82%AC"),
)
def test_an_address_is_asked_for_as_urllib3_spells_it(
    path: str, expected: str, reader: Reader, server: Server
) -> None:
    reader.once(server.url("") + path)

    assert [request.path for request in server.requests] == [expected]


def test_a_server_that_does_not_let_us_connect_is_told_apart(reader: Reader) -> None:
    policy = FetchPolicy(timeout=timedelta(seconds=patient(1.0)))
    with (
        socket.create_server(("127.0.0.1", 0), backlog=0) as deaf,
        socket.create_connection(deaf.getsockname()),
    ):
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/feed"
        fetched = reader.once(url, policy=policy)

    assert (kind(fetched), str(fetched.error)) == (
        "unreachable",
        "the server cannot be reached: timed out",
    )


def test_an_address_of_a_kind_that_the_system_does_not_know_is_passed_over(
    reader: Reader, server: Server
) -> None:
    url = server.feed("/feed", BODY)
    port = urlsplit(url).port
    known = socket.getaddrinfo("127.0.0.1", port, type=socket.SOCK_STREAM)
    reader.look_up = lambda *_: [(99, socket.SOCK_STREAM, 0, "", ("::1", 80)), *known]

    fetched = reader.once(url)

    assert (fetched.error, fetched.body) == (None, BODY)


# Feeds over TLS: one context for all hosts, and every certificate verified

# Made for these tests, with its key, and trusted nowhere else: localhost and 127.0.0.1, until 2126.
PEM = Path(__file__).parent / "loopback.pem"


class _Handler(BaseHTTPRequestHandler):
    timeout = 5  # seconds

    def do_GET(self) -> None:
        known = self.headers.get("If-None-Match") == '"1"'
        self.send_response(304 if known else 200)
        self.send_header("ETag", '"1"')
        if not known:
            self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        if not known:
            self.wfile.write(BODY)

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Server(HTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: a client that does not trust us hangs up."""


@contextmanager
def serving(address: str) -> Iterator[int]:
    """A server with the certificate of these tests; the port it listens on."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(PEM)
    with _Server((address, 0), _Handler) as server:
        # Hands are shaken where something is read, which ends in time: a client that says nothing
        # would keep the server from accepting, and from stopping.
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def asked(reader: Reader, url: str, *, trusting: bool) -> Fetched:
    """What came of an address, with or without trust in the certificate of these tests."""
    with reader.web() as web:
        if trusting:
            web.session.network.tls.load_verify_locations(PEM)
        ((_, fetched),) = web.fetch([turn(url)], Notes())
    return fetched


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_feed_is_read_over_tls_and_again_with_its_validators(reader: Reader, host: str) -> None:
    with serving("127.0.0.1") as port:
        first = asked(reader, f"https://{host}:{port}/feed", trusting=True)
        second = asked(reader, f"https://{host}:{port}/feed", trusting=True)

    assert (first.error, first.body) == (None, BODY)
    assert second.status == 304


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"])
def test_the_environment_names_who_is_trusted(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, str(PEM))
    with serving("127.0.0.1") as port:
        fetched = asked(reader, f"https://localhost:{port}/feed", trusting=False)

    assert (fetched.error, fetched.body) == (None, BODY)


def test_a_file_without_certificates_ends_the_run(
    reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty.pem").write_bytes(b"nothing")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "empty.pem"))

    with pytest.raises(StateError, match=r"no certificates can be read in .*empty\.pem"):
        asked(reader, "https://localhost:9/feed", trusting=False)


@cases(
    "host, trusting",
    case("nobody vouches for", "127.0.0.1", False),
    case("is another host's", "127.0.0.2", True),
)
def test_a_certificate_of_strangers_is_refused(reader: Reader, host: str, trusting: bool) -> None:
    with serving(host) as port:
        fetched = asked(reader, f"https://{host}:{port}/feed", trusting=trusting)

    assert (kind(fetched), fetched.body) == ("tls", None)
