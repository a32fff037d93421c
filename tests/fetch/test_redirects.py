"""Redirects: followed by hand, and what each leaves behind."""

from __future__ import annotations

import threading

import pytest

from planet.model import Asking
from tests.fetch.conftest import BODY, Reader, turn
from tests.server import Response, Server

ETAG = (("ETag", '"one"'),)


def moved(status: int, location: str, *more: tuple[str, str], body: bytes = b"") -> Response:
    return Response(status=status, headers=(("Location", location), *more), body=body)


def packed(coding: str, body: bytes) -> Response:
    return moved(301, "/new", ("Content-Encoding", coding), body=body)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed_to_the_body(reader: Reader, server: Server, status: int) -> None:
    start = server.script("/old", moved(status, "../new?x=1#part"))
    target = server.script("/new?x=1", Response(body=BODY))

    fetched = reader.once(start)

    assert (fetched.body, fetched.url) == (BODY, target)


@pytest.mark.parametrize(
    ("hops", "expected"),
    [
        pytest.param([301], "/1", id="permanent"),
        pytest.param([308, 301], "/2", id="permanent all the way"),
        pytest.param([301, 302], "/1", id="permanent, then for now"),
        pytest.param([302, 301], None, id="for now, then permanent"),
        pytest.param([307], None, id="for now"),
    ],
)
def test_a_move_is_where_the_permanent_redirects_at_the_start_lead(
    reader: Reader, server: Server, hops: list[int], expected: str | None
) -> None:
    for number, status in enumerate(hops):
        server.script(f"/{number}", moved(status, f"/{number + 1}"))
    server.script(f"/{len(hops)}", Response(body=BODY))

    fetched = reader.once(server.url("/0"))

    assert fetched.permanent_url == (server.url(expected) if expected else None)


def test_validators_go_to_the_address_they_came_from_and_no_other(
    reader: Reader, server: Server
) -> None:
    start = server.script("/old", moved(302, "/new"))
    server.script("/new", Response(headers=ETAG, body=BODY), Response(status=304))

    reader.once(start)
    again = reader.once(start, reread=True)

    asked = [(request.path, request.header("If-None-Match")) for request in server.requests]
    assert asked == [("/old", None), ("/new", None), ("/old", None), ("/new", '"one"')]
    assert (again.status, again.body) == (304, BODY)


def test_a_feed_that_is_no_longer_redirected_starts_anew(reader: Reader, server: Server) -> None:
    start = server.script("/old", moved(302, "/new"), Response(body=BODY))
    server.script("/new", Response(headers=ETAG, body=BODY))

    reader.once(start)
    reader.once(start)

    assert server.requests[-1].path == "/old"
    assert server.requests[-1].header("If-None-Match") is None


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(packed("br", b"xx"), id="packed as nobody asked"),
        pytest.param(packed("gzip", b"\x1f\x8bxx"), id="badly packed"),
        pytest.param(moved(301, "/new", body=b"x" * 9_000_000), id="with 9 MB"),
        pytest.param(
            Response(raw=b"HTTP/1.1 301 Moved\r\nLocation: /new\r\nContent-Length: 9\r\n\r\nx"),
            id="cut short",
        ),
    ],
)
def test_a_redirect_is_followed_whatever_its_body(
    reader: Reader, server: Server, answer: Response
) -> None:
    start = server.script("/old", answer)
    server.script("/new", Response(body=BODY))

    fetched = reader.once(start)

    assert (fetched.status, fetched.body) == (200, BODY)


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        pytest.param("/loop", "redirect_loop", id="to itself"),
        pytest.param("", "bad_redirect", id="to nowhere"),
        pytest.param("file:///etc/passwd", "bad_redirect", id="to a file"),
        pytest.param("javascript:alert(1)", "bad_redirect", id="to a script"),
        pytest.param("http://[bad", "bad_redirect", id="to no address"),
    ],
)
def test_a_redirect_that_leads_nowhere_is_a_failure(
    reader: Reader, server: Server, location: str, expected: str
) -> None:
    url = server.script("/loop", moved(301, location))

    fetched = reader.once(url)

    assert fetched.error is not None
    assert fetched.error.kind == expected
    assert len(server.requests) <= 6


def test_a_location_in_utf_8_is_understood(reader: Reader, server: Server) -> None:
    start = server.script("/old", moved(301, "/caf\xc3\xa9"))
    server.script("/caf%C3%A9", Response(body=BODY))

    fetched = reader.once(start)

    assert fetched.body == BODY


def test_no_connection_is_kept_to_where_a_redirect_leads(reader: Reader) -> None:
    hosts = [f"127.0.0.{number}" for number in range(1, 5)]
    with Server(*hosts) as server, reader.web() as web:
        start = server.script("/1", moved(302, server.url("/2", hosts[1])))
        server.script("/2", moved(302, server.url("/3", hosts[2])))
        server.script("/3", Response(body=BODY))
        lost = server.script("/lost", moved(302, server.url("/404", hosts[3])))

        came = list(web.fetch([turn(start), turn(lost)], starting=lambda _: None))

        # The server has a thread for each connection, which ends with it.
        connections = [each for each in threading.enumerate() if each.name.startswith("connection")]
        for connection in connections:
            connection.join(timeout=2)
        kept = [connection.name for connection in connections if connection.is_alive()]

    assert [fetched.status for _, fetched in came] == [200, 404]
    assert kept == []


def test_a_redirect_to_the_server_of_other_feeds_does_not_disturb_them(reader: Reader) -> None:
    answered = threading.Event()
    with Server("127.0.0.1", "127.0.0.2") as server:
        start = server.script("/old", moved(302, server.url("/new", "127.0.0.2")))
        for path, response in {
            "/new": Response(body=BODY),
            "/slow": Response(body=BODY, hold=answered),
            "/next": Response(body=BODY),
        }.items():
            server.script(path, response)
        there = [turn(server.url(path, "127.0.0.2")) for path in ("/slow", "/next")]

        with reader.web() as web:
            came = {}
            for feed, fetched in web.fetch([*there, turn(start)], starting=lambda _: None):
                came[feed.url] = fetched.status
                answered.set()

    assert list(came.items()) == [(start, 200), *((each.feed.url, 200) for each in there)]


def test_credentials_stay_with_the_publisher_they_are_for(reader: Reader) -> None:
    with Server("127.0.0.1", "127.0.0.2") as server:
        start = server.script("/feed", moved(302, server.url("/away", "127.0.0.2")))
        server.script("/away", Response(body=BODY))
        asking = Asking(auth=("ada", "secret"), headers=(("X-Token", "secret"),))

        reader.once(start, asking=asking)

    first, second = server.requests
    assert first.header("Authorization") == "Basic YWRhOnNlY3JldA=="
    assert first.header("X-Token") == "secret"
    assert b"secret" not in second.raw
    assert second.header("Authorization") is None


def test_user_and_password_of_an_address_are_sent_as_credentials(
    reader: Reader, server: Server
) -> None:
    url = server.script("/feed", Response(body=BODY)).replace("http://", "http://ada:s%40cret@")

    fetched = reader.once(url)

    assert server.requests[0].header("Authorization") == "Basic YWRhOnNAY3JldA=="
    assert "cret" not in fetched.url
