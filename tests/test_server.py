"""The scripted server: what tests of the wire stand on."""

from __future__ import annotations

import http.client
import socket
import threading
from urllib.parse import urlsplit

from tests.cases import case, cases
from tests.server import Request, Response, Server

BODY = b"<rss/>"
ETAG = ("ETag", '"1"')
DATE = "Mon, 02 Nov 2026 10:00:00 GMT"
TYPE = ("Content-Type", "application/xml")


def wire(server: Server, path: str, *headers: bytes) -> bytes:
    """Everything the server sends on one connection in answer to one request."""
    address = urlsplit(server.url(path))
    with socket.create_connection((address.hostname, address.port)) as connection:
        lines = [b"GET " + path.encode() + b" HTTP/1.1", *headers, b"", b""]
        connection.sendall(b"\r\n".join(lines))
        connection.shutdown(socket.SHUT_WR)
        with connection.makefile("rb") as stream:
            return stream.read()


@cases(
    "response, expected",
    case(
        "its length",
        Response(headers=(TYPE,), body=BODY),
        b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: 6\r\n\r\n<rss/>",
    ),
    case(
        "chunks",
        Response(body=BODY, chunked=True),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n<\r\n5\r\nrss/>\r\n0\r\n\r\n",
    ),
    case(
        "a wrong length",
        Response(headers=(("Content-Length", "99"),), body=BODY),
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<rss/>",
    ),
    case(
        "Latin-1 and no body",
        Response(status=304, headers=(("ETag", '"caf\xe9"'),)),
        b'HTTP/1.1 304 Not Modified\r\nETag: "caf\xe9"\r\n\r\n',
    ),
    case("any code", Response(status=799), b"HTTP/1.1 799 Unknown\r\nContent-Length: 0\r\n\r\n"),
    case("a cut", Response(raw=b"HTTP/1.1 200 OK\r\nETa"), b"HTTP/1.1 200 OK\r\nETa"),
    case(
        "single bytes",
        Response(body=BODY, drip_head=1e-9, drip_body=1e-9),
        b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<rss/>",
    ),
)
def test_an_answer_goes_out_byte_for_byte_with(response: Response, expected: bytes) -> None:
    with Server() as server:
        server.script("/feed", response)

        sent = wire(server, "/feed")

    assert sent == expected


def test_a_request_is_written_down_byte_for_byte() -> None:
    with Server() as server:
        wire(server, "/a?b=1&a=%E4", b"Host:  x", b'iF-nOnE-mAtCh: W/"\xe9" ')
        requests = server.requests

    assert requests == [
        Request(
            host="127.0.0.1",
            connection=0,
            method="GET",
            path="/a?b=1&a=%E4",
            headers=(("Host", "x"), ("iF-nOnE-mAtCh", 'W/"é"')),
            raw=b'GET /a?b=1&a=%E4 HTTP/1.1\r\nHost:  x\r\niF-nOnE-mAtCh: W/"\xe9" \r\n\r\n',
        )
    ]
    assert requests[0].header("If-None-Match") == 'W/"é"'
    assert requests[0].header("Cookie") is None


def test_answers_come_in_turn_on_one_connection_and_the_last_repeats() -> None:
    statuses = []
    with Server() as server:
        server.script("/feed", Response(status=503), Response(status=204))
        address = urlsplit(server.url("/feed"))
        assert address.hostname is not None
        client = http.client.HTTPConnection(address.hostname, address.port)
        for path in ("/feed", "/feed", "/feed", "/other"):
            client.request("GET", path)
            with client.getresponse() as response:
                statuses.append(response.status)
        client.close()
        connections = {request.connection for request in server.requests}

    assert statuses == [503, 204, 204, 404]
    assert connections == {0}


@cases(
    "etag, last_modified, asked, status",
    case("the tag", '"1"', None, b'If-None-Match: "1"', 304),
    case("the tag among others", 'W/"1"', None, b'If-None-Match: "0", "1"', 304),
    case("another tag", '"1"', None, b'If-None-Match: "0"', 200),
    case("a tag where there is none", None, DATE, b'If-None-Match: "0"', 200),
    case("the date", None, DATE, b"If-Modified-Since: " + DATE.encode(), 304),
    case("a later date", None, DATE, b"If-Modified-Since: Sun, 22 Nov 2026 10:00:00 GMT", 200),
    case("nothing", '"1"', DATE, b"X: y", 200),
)
def test_a_feed_is_sent_again_unless_the_request_names(
    etag: str | None, last_modified: str | None, asked: bytes, status: int
) -> None:
    with Server() as server:
        server.feed("/feed", BODY, etag=etag, last_modified=last_modified)

        sent = wire(server, "/feed", asked)

    assert int(sent.split()[1]) == status
    assert sent.endswith(BODY) == (status == 200)


def test_a_body_without_end_goes_on_until_the_client_hangs_up() -> None:
    with Server() as server:
        address = urlsplit(server.script("/feed", Response(body=BODY, endless=True)))
        with socket.create_connection((address.hostname, address.port)) as client:
            client.sendall(b"GET /feed HTTP/1.1\r\n\r\n")
            with client.makefile("rb") as stream:
                sent = stream.read(10_000)

    assert sent == (b"HTTP/1.1 200 OK\r\n\r\n" + BODY * 2000)[:10_000]


def test_two_hosts_wait_for_each_other_at_a_barrier() -> None:
    with Server("127.0.0.1", "127.0.0.2") as server:
        server.script("/feed", Response(hold=threading.Barrier(2)))
        sockets = []
        for host in ("127.0.0.1", "127.0.0.2"):
            address = urlsplit(server.url("/feed", host))
            sockets.append(socket.create_connection((address.hostname, address.port)))
            sockets[-1].sendall(b"GET /feed HTTP/1.1\r\n\r\n")
        answers = [connection.recv(12) for connection in sockets]
        for connection in sockets:
            connection.close()
        hosts = sorted(request.host for request in server.requests)

    assert answers == [b"HTTP/1.1 200"] * 2
    assert hosts == ["127.0.0.1", "127.0.0.2"]


@cases(
    "response",
    case("holds an answer", Response(hold=threading.Event())),
    case("waits at a barrier", Response(hold=threading.Barrier(2))),
    case("drips", Response(drip_head=3600)),
    case("sends to one who does not read", Response(body=b"x" * 50_000_000)),
    case("sends without end", Response(body=BODY, endless=True)),
)
def test_the_end_of_the_block_ends_a_server_that(response: Response) -> None:
    before = threading.active_count()
    asked = threading.Event()

    def answer(_: Request) -> Response:
        asked.set()
        return response

    with Server() as server:
        server.answer("/feed", answer)
        address = urlsplit(server.url("/feed"))
        client = socket.create_connection((address.hostname, address.port))
        client.sendall(b"GET /feed HTTP/1.1\r\n\r\n")
        asked.wait()

    client.close()
    assert threading.active_count() == before
