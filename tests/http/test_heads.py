"""What the head of an answer says: what the next request names, and where redirects lead."""

import pytest

from planet.model import FetchPolicy
from tests.cases import case, cases
from tests.http.conftest import BODY, ETAG, OTHER, Reader, kind, turn
from tests.server import Response, Server, moved

OK = b"HTTP/1.1 200 OK\r\n\r\n" + BODY
Headers = tuple[tuple[str, str], ...]


def raw(*fields: bytes, body: bytes = BODY) -> Response:
    lines = [b"HTTP/1.1 200 OK", b"Content-Length: %d" % len(body), *fields, b"", body]
    return Response(raw=b"\r\n".join(lines))


def chunked(extension: bytes = b"", *, times: int = 1, trailers: bytes = b"") -> Response:
    """A 200 whose body comes in chunks with this extension each, and these trailers."""
    chunk = b"%x%b\r\n%b\r\n" % (len(BODY), extension, BODY)
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    return Response(raw=head + chunk * times + b"0\r\n" + trailers + b"\r\n")


@cases(
    "answer",
    case("with 99 fields", raw(*[b"X: y"] * 98)),
    case("with fields of 60 KiB", raw(*[b"X: " + b"y" * 60_000] * 16)),
    case("with a folded field", raw(b"Folded: a", b" b")),
    case(
        "with bare line feeds",
        Response(raw=b"HTTP/1.1 200 OK\nContent-Length: %d\n\n" % len(BODY) + BODY),
    ),
    case("without fields", Response(raw=b"HTTP/1.1 200 OK\r\n\r\n" + BODY)),
    case(
        "after a 100",
        Response(raw=b"HTTP/1.1 100 Continue\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + BODY),
    ),
    case("in a chunk with an extension", chunked(b"; a=" + b"x" * 60_000)),
    case("with trailers", chunked(trailers=b"A: b\r\n" * 9_999)),
)
def test_an_answer_whose_head_is_as_large_as_allowed_is_read(
    reader: Reader, server: Server, answer: Response
) -> None:
    url = server.script("/feed", answer)

    fetched = reader.once(url)

    assert (fetched.error, fetched.body) == (None, BODY)


@cases(
    "answer, expected",
    case("101 fields", raw(*[b"X: y"] * 100), "broken_answer"),
    case("one of 140 kB", raw(b"X: " + b"y" * 140_000), "broken_answer"),
    case("no status", Response(raw=b"SSH-2.0-OpenSSH\r\n"), "broken_answer"),
    case("nothing in it", Response(raw=b"\r\n\r\n"), "broken_answer"),
    case("more than 1 MiB of fields", raw(*[b"X: " + b"y" * 60_000] * 20), "too_large"),
    case("extensions of more", chunked(b";" + b"x" * 60_000, times=20), "too_large"),
    case("trailers of more", chunked(trailers=b"A: b\r\n" * 200_000), "too_large"),
)
def test_an_answer_whose_head_is_too_large_or_no_head_is_refused(
    reader: Reader, server: Server, answer: Response, expected: str
) -> None:
    url = server.script("/feed", answer)

    fetched = reader.once(url, policy=FetchPolicy(max_size=20_000))

    assert (kind(fetched), fetched.body) == (expected, None)


@cases(
    "content_type, expected",
    case("an image", "image/png", "not_a_feed"),
    case("a film", "Video/MP4; codecs=x", "not_a_feed"),
    case("a recording", "audio/mpeg", "not_a_feed"),
    case("an archive", "application/zip", "not_a_feed"),
    case("bytes", "application/octet-stream", None),
    case("a page, which the parser looks at", "text/html", None),
    case("nonsense", "nonsense", None),
)
def test_a_body_that_is_said_to_be_no_feed_is_left_on_the_wire(
    reader: Reader, server: Server, content_type: str, expected: str | None
) -> None:
    headers = (("Content-Type", content_type), ("ETag", '"1"'))
    url = server.script("/feed", Response(headers=headers, body=BODY))

    fetched = reader.once(url)
    reader.once(url)

    assert kind(fetched) == expected
    assert fetched.bytes_received == (0 if expected else len(BODY))
    assert server.requests[1].header("If-None-Match") == (None if expected else '"1"')


def test_after_a_103_the_connection_is_closed(reader: Reader, server: Server) -> None:
    # Else the answer that follows would be taken for that to the next request.
    urls = [server.script("/hinted", Response(status=103)), server.feed("/other", OTHER)]

    first, second = reader.visit(*urls)

    assert (kind(first), second.body) == ("http_103", OTHER)
    assert [request.connection for request in server.requests] == [0, 1]


HTML = ("Content-Type", "text/html; charset=UTF-8")
CLOUDFLARE = ("Server", "cloudflare")
CHALLENGE = ("CF-Mitigated", "challenge")


@cases(
    "status, headers, expected",
    case("by its word", 403, (CHALLENGE,), "bot_challenge"),
    case("whatever its status", 503, (CHALLENGE,), "bot_challenge"),
    case("even if it is 200", 200, (CHALLENGE, HTML), "bot_challenge"),
    case("a page of that CDN", 403, (CLOUDFLARE, HTML), "bot_challenge"),
    case("not: no page", 403, (CLOUDFLARE,), "http_403"),
    case("not: another server", 403, (HTML,), "http_403"),
    case("not: another status", 404, (CLOUDFLARE, HTML), "http_404"),
    case("not: a request to come less often", 429, (CHALLENGE,), "http_429"),
    case("not: a part of a feed", 226, (("IM", "feed"),), "http_226"),
)
def test_a_page_for_browsers_is_told_from_other_failures(
    reader: Reader, server: Server, status: int, headers: Headers, expected: str
) -> None:
    url = server.script("/feed", Response(status=status, headers=headers, body=BODY))

    fetched = reader.once(url)

    assert (fetched.status, kind(fetched), fetched.body) == (status, expected, None)


# Redirects: followed by hand, and what each leaves behind


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


# The heart of politeness: what the next request says is what the last 200 or 304 said


def test_a_304_writes_nothing_to_the_cache(reader: Reader, server: Server) -> None:
    url = server.script(
        "/feed",
        Response(headers=(ETAG, ("Date", "Sat, 21 Nov 2026 10:00:00 GMT")), body=BODY),
        Response(
            status=304, headers=(ETAG, ("Date", "Sat, 21 Nov 2026 11:00:00 GMT"), ("Age", "1"))
        ),
    )
    reader.once(url)
    before = (reader.state / "http.sqlite").read_bytes()

    reader.once(url)

    assert (reader.state / "http.sqlite").read_bytes() == before
