"""`read_page`: what a feed links to, asked for by a program of the operator's."""

import gzip

import pytest

from planet.errors import FetchError
from planet.http.page import MAX_PAGE, read_page
from tests.cases import case, cases
from tests.server import Response, Server, moved

AGENT = "reader of one (+https://one.example/)"
PAGE = b"<article>All of it.</article>"


@cases(
    "url, expected",
    case("loopback", "http://127.0.0.1:{port}/", "private_address"),
    case("loopback by name", "http://localhost:{port}/", "private_address"),
    case("loopback in another form", "http://2130706433:{port}/", "private_address"),
    case("loopback of version 6", "http://[::1]:{port}/", "private_address"),
    case("the metadata of a cloud", "http://169.254.169.254/latest/", "private_address"),
    case("the platform of Azure", "http://168.63.129.16/", "private_address"),
    case("a private network", "http://192.168.0.1/", "private_address"),
    case("a file", "file:///etc/hostname", "bad_address"),
    case("another protocol", "ftp://127.0.0.1/", "bad_address"),
    case("nothing", "", "bad_address"),
)
def test_a_page_in_a_private_network_is_not_asked_for(
    server: Server, url: str, expected: str
) -> None:
    server.script("/", Response(body=PAGE))
    port = server.url("/").rpartition(":")[2].rstrip("/")

    with pytest.raises(FetchError) as caught:
        read_page(url.format(port=port), user_agent=AGENT)

    assert (caught.value.kind, server.requests) == (expected, [])


@cases(
    "answer",
    case("plain", Response(body=PAGE)),
    case("packed", Response(headers=(("Content-Encoding", "gzip"),), body=gzip.compress(PAGE))),
    case("with 203", Response(status=203, body=PAGE)),
    case("to the end of the connection", Response(raw=b"HTTP/1.1 200 OK\r\n\r\n" + PAGE)),
)
def test_a_page_comes_however_it_is_sent(server: Server, answer: Response) -> None:
    url = server.script("/", answer)

    page = read_page(url, user_agent=AGENT, private=True)

    (request,) = server.requests
    assert (page, request.header("User-Agent")) == (PAGE, AGENT)
    assert request.header("If-None-Match") is None


def test_redirects_to_a_page_are_followed(server: Server) -> None:
    server.script("/old", moved("/new", 301, ("Retry-After", "0")))
    server.script("/new", Response(body=PAGE))

    assert read_page(server.url("/old"), user_agent=AGENT, private=True) == PAGE
    assert server.paths == ["/old", "/new"]


@cases(
    "answer, expected",
    case("is not there", Response(status=404), "http_404"),
    case("leads to a file", moved("file:///etc/hostname"), "bad_redirect"),
    case("leads to itself", moved("/"), "redirect_loop"),
    case("is too large", Response(body=b"x" * (MAX_PAGE + 1)), "too_large"),
    case("is empty", Response(), "empty"),
    case("is a picture", Response(headers=(("Content-Type", "image/png"),)), "not_a_feed"),
    case("is cut off", Response(raw=b""), "truncated"),
    case("is no HTTP", Response(raw=b"220 mail.example\r\n"), "broken_answer"),
)
def test_a_page_that_cannot_be_had_is_none(server: Server, answer: Response, expected: str) -> None:
    url = server.script("/", answer)

    with pytest.raises(FetchError) as caught:
        read_page(url, user_agent=AGENT, private=True)

    assert caught.value.kind == expected
