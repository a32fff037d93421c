"""Redirects: followed by hand, and what each leaves behind."""

from contextlib import nullcontext
from datetime import timedelta

import pytest

from planet.errors import FetchError
from planet.http.redirects import RedirectChain
from tests.cases import case, cases
from tests.http.conftest import BODY, NOW, Reader, turn
from tests.server import Response, Server, moved


@cases(
    "hops, left, expected",
    case("permanent", [301], 0, "/1"),
    case("permanent all the way", [308, 301], 0, "/2"),
    case("permanent, then for now", [301, 302], 0, "/1"),
    case("for now, then permanent", [302, 301], 0, None),
    case("for now", [307], 0, None),
    case("permanent, a wait, permanent", [301, 308], 1, "/2"),
    case("permanent, for now, a wait", [301, 302], 2, "/1"),
    case("for now, a wait, permanent", [302, 301], 1, None),
)
def test_a_move_is_where_the_permanent_redirects_at_the_start_lead(
    reader: Reader, server: Server, hops: list[int], left: int, expected: str | None
) -> None:
    for number, status in enumerate(hops, 1):
        wait = (("Retry-After", "99"),) if number == left else ()
        server.script(f"/{number - 1}", moved(f"/{number}", status, *wait))
    server.script(f"/{len(hops)}", Response(body=BODY))
    start = server.url("/0")

    fetched = reader.once(start)
    if left:
        fetched = reader.once(start, redirect=fetched.redirect)

    assert fetched.body == BODY
    assert fetched.permanent_url == (server.url(expected) if expected else None)


@pytest.mark.parametrize(
    ("seconds", "follows"), [("10", True), ("11", False)], ids=["so long", "no longer"]
)
def test_a_redirect_may_ask_us_to_wait(seconds: str, follows: bool) -> None:
    trail = RedirectChain("https://one.example/old")
    said = {"location": "/new", "retry-after": seconds}

    with nullcontext() if follows else pytest.raises(FetchError, match="come back later"):
        assert trail.follow(302, said, received_at=NOW) == timedelta(seconds=10)

    assert trail.url == f"https://one.example/{'new' if follows else 'old'}"
    assert (trail.pending is None) is follows


@pytest.mark.parametrize("location", ["/caf\xc3\xa9", "/caf\xe9"], ids=["UTF-8", "Latin-1"])
def test_a_location_is_understood_in_utf_8_and_in_latin_1(
    reader: Reader, server: Server, location: str
) -> None:
    start = server.script("/old", moved(location, 301))
    server.script("/caf%C3%A9", Response(body=BODY))

    fetched = reader.once(start)

    assert fetched.body == BODY


@pytest.mark.parametrize("moved_home", [True, False], ids=["its own", "another"])
def test_a_feed_is_asked_at_the_address_it_moved_to_with_credentials_for_its_own_server_only(
    reader: Reader, moved_home: bool
) -> None:
    with Server("127.0.0.1", "127.0.0.2") as server:
        url = server.script("/feed", Response(status=500)).replace("http://", "http://ada:x@")
        server.script("/new", Response(body=BODY))
        there = server.url("/new", "127.0.0.1" if moved_home else "127.0.0.2")

        came = reader.ask(turn(url, adopted_url=there))

    (request,) = server.requests
    assert (request.path, came[url].body, came[url].url) == ("/new", BODY, there)
    assert request.header("Authorization") == ("Basic YWRhOng=" if moved_home else None)
