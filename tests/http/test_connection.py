"""Connections, where a whole visit cannot show what they do."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from planet.model import FetchPolicy
from tests.cases import case, cases
from tests.http.conftest import BODY, Reader, kind, turn
from tests.patience import patient
from tests.server import Response, Server

HANGS_UP = Response(raw=b"")
HINTS = b"HTTP/1.1 103 Early Hints\r\n\r\n"


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


@contextmanager
def listening(backlog: int) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0), backlog=backlog) as listener:
        yield listener.getsockname()[1]


@contextmanager
def deaf() -> Iterator[int]:
    """The port of one who lets nobody connect, and says nothing."""
    with listening(0) as port, socket.create_connection(("127.0.0.1", port)):
        yield port


def test_a_server_that_does_not_let_us_connect_is_told_apart(reader: Reader) -> None:
    policy = FetchPolicy(timeout=timedelta(seconds=patient(1.0)))
    with deaf() as port:
        fetched = reader.once(f"http://127.0.0.1:{port}/feed", policy=policy)

    assert kind(fetched) == "connect_timeout"


@cases(
    "second, asked, expected",
    case("and begins anew", [HANGS_UP, Response(body=BODY)], 2, None),
    case("and no third time", [HANGS_UP], 2, "truncated"),
    case("but not where the answer had begun", [Response(raw=b"H")], 1, "broken_answer"),
    case("nor where it was announced", [Response(raw=HINTS)], 1, "truncated"),
)
def test_a_request_is_sent_once_more_when_a_kept_connection_has_ended(
    reader: Reader, server: Server, second: list[Response], asked: int, expected: str | None
) -> None:
    urls = [server.script("/1", Response(body=BODY)), server.script("/2", *second)]

    came = reader.ask(*map(turn, urls), workers=1, budget=timedelta(hours=1))

    assert kind(came[urls[1]]) == expected
    assert server.paths == ["/1", *["/2"] * asked]
    assert [request.connection for request in server.requests] == [0, 0, 1][: 1 + asked]


# Slots for large bodies
