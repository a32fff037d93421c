"""What the head of an answer says, and how much of one is read."""

from tests.cases import case, cases
from tests.http.conftest import BODY, Reader, kind
from tests.server import Response, Server

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
    case("with 500 fields", raw(*[b"X: y"] * 499)),
    case("with 127 KiB of fields", raw(*[b"X: " + b"y" * 1000] * 130)),
    case("with a field of 64 KiB", raw(b"X: " + b"y" * 65_600)),
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
    case(
        "after 102, 103 and others that are not the final one",
        Response(
            raw=b"HTTP/1.1 102 Processing\r\n\r\n"
            b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"
            b"HTTP/1.1 199\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + BODY
        ),
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
    "answer",
    case("501 fields", raw(*[b"X: y"] * 500)),
    case("more than 128 KiB of fields", raw(*[b"X: " + b"y" * 1000] * 131)),
    case("one such field", raw(b"X: " + b"y" * 140_000)),
    case("no status", Response(raw=b"SSH-2.0-OpenSSH\r\n")),
    case("nothing in it", Response(raw=b"\r\n\r\n")),
    case(
        "501 answers before the final one",
        Response(raw=b"HTTP/1.1 102 Processing\r\n\r\n" * 501 + OK),
    ),
    case(
        "more than 128 KiB of fields before the final one",
        Response(raw=(b"HTTP/1.1 103 Early Hints\r\nLink: " + b"x" * 999 + b"\r\n\r\n") * 131 + OK),
    ),
    case("extensions of more than 1 MiB", chunked(b";" + b"x" * 60_000, times=20)),
    case("trailers of more than 1 MiB", chunked(trailers=b"A: b\r\n" * 200_000)),
)
def test_an_answer_whose_head_is_too_large_or_no_head_is_broken(
    reader: Reader, server: Server, answer: Response
) -> None:
    url = server.script("/feed", answer)

    fetched = reader.once(url)

    assert (kind(fetched), fetched.body) == ("broken_answer", None)


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
