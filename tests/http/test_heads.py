"""What the head of an answer says, and how much of one is read."""

from __future__ import annotations

import pytest

from tests.http.conftest import BODY, Reader
from tests.server import Response, Server

OK = b"HTTP/1.1 200 OK\r\n\r\n" + BODY
Headers = tuple[tuple[str, str], ...]


def raw(*fields: bytes, body: bytes = BODY) -> Response:
    """A 200 with these header lines."""
    lines = [b"HTTP/1.1 200 OK", b"Content-Length: %d" % len(body), *fields, b"", body]
    return Response(raw=b"\r\n".join(lines))


def chunked(extension: bytes = b"", *, times: int = 1, trailers: bytes = b"") -> Response:
    """A 200 whose body comes in chunks with this extension each, and these trailers."""
    chunk = b"%x%b\r\n%b\r\n" % (len(BODY), extension, BODY)
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    return Response(raw=head + chunk * times + b"0\r\n" + trailers + b"\r\n")


def kind_of(fetched: object) -> str | None:
    return getattr(getattr(fetched, "error", None), "kind", None)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(raw(*[b"X: y"] * 499), id="with 500 fields"),
        pytest.param(raw(*[b"X: " + b"y" * 1000] * 130), id="with 127 KiB of fields"),
        pytest.param(raw(b"X: " + b"y" * 65_600), id="with a field of 64 KiB"),
        pytest.param(raw(b"Folded: a", b" b"), id="with a folded field"),
        pytest.param(
            Response(raw=b"HTTP/1.1 200 OK\nContent-Length: %d\n\n" % len(BODY) + BODY),
            id="with bare line feeds",
        ),
        pytest.param(Response(raw=b"HTTP/1.1 200 OK\r\n\r\n" + BODY), id="without fields"),
        pytest.param(
            Response(raw=b"HTTP/1.1 100 Continue\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + BODY),
            id="after a 100",
        ),
        pytest.param(
            Response(
                raw=b"HTTP/1.1 102 Processing\r\n\r\n"
                b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"
                b"HTTP/1.1 199\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + BODY
            ),
            id="after 102, 103 and others that are not the final one",
        ),
        pytest.param(chunked(b"; a=" + b"x" * 60_000), id="in a chunk with an extension"),
        pytest.param(chunked(trailers=b"A: b\r\n" * 9_999), id="with trailers"),
    ],
)
def test_an_answer_is_read(reader: Reader, server: Server, answer: Response) -> None:
    url = server.script("/feed", answer)

    fetched = reader.once(url)

    assert (fetched.error, fetched.body) == (None, BODY)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(raw(*[b"X: y"] * 500), id="501 fields"),
        pytest.param(raw(*[b"X: " + b"y" * 1000] * 131), id="more than 128 KiB of fields"),
        pytest.param(raw(b"X: " + b"y" * 140_000), id="one such field"),
        pytest.param(Response(raw=b"SSH-2.0-OpenSSH\r\n"), id="no status"),
        pytest.param(Response(raw=b"\r\n\r\n"), id="nothing in it"),
        pytest.param(
            Response(raw=b"HTTP/1.1 102 Processing\r\n\r\n" * 501 + OK),
            id="501 answers before the final one",
        ),
        pytest.param(
            Response(
                raw=(b"HTTP/1.1 103 Early Hints\r\nLink: " + b"x" * 999 + b"\r\n\r\n") * 131 + OK
            ),
            id="more than 128 KiB of fields before the final one",
        ),
        pytest.param(chunked(b";" + b"x" * 60_000, times=20), id="extensions of more than 1 MiB"),
        pytest.param(chunked(trailers=b"A: b\r\n" * 200_000), id="trailers of more than 1 MiB"),
    ],
)
def test_an_answer_is_broken_that_has(reader: Reader, server: Server, answer: Response) -> None:
    url = server.script("/feed", answer)

    fetched = reader.once(url)

    assert (kind_of(fetched), fetched.body) == ("broken_answer", None)


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        pytest.param("image/png", "not_a_feed", id="an image"),
        pytest.param("Video/MP4; codecs=x", "not_a_feed", id="a film"),
        pytest.param("audio/mpeg", "not_a_feed", id="a recording"),
        pytest.param("application/zip", "not_a_feed", id="an archive"),
        pytest.param("application/octet-stream", None, id="bytes"),
        pytest.param("text/html", None, id="a page, which the parser looks at"),
        pytest.param("nonsense", None, id="nonsense"),
    ],
)
def test_a_body_is_left_on_the_wire_when_it_is_said_to_be(
    reader: Reader, server: Server, content_type: str, expected: str | None
) -> None:
    headers = (("Content-Type", content_type), ("ETag", '"1"'))
    url = server.script("/feed", Response(headers=headers, body=BODY))

    fetched = reader.once(url)
    reader.once(url)

    assert kind_of(fetched) == expected
    assert fetched.bytes_received == (0 if expected else len(BODY))
    assert server.requests[1].header("If-None-Match") == (None if expected else '"1"')


HTML = ("Content-Type", "text/html; charset=UTF-8")
CLOUDFLARE = ("Server", "cloudflare")
CHALLENGE = ("CF-Mitigated", "challenge")


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        pytest.param(403, (CHALLENGE,), "bot_challenge", id="by its word"),
        pytest.param(503, (CHALLENGE,), "bot_challenge", id="whatever its status"),
        pytest.param(200, (CHALLENGE, HTML), "bot_challenge", id="even if it is 200"),
        pytest.param(403, (CLOUDFLARE, HTML), "bot_challenge", id="a page of that CDN"),
        pytest.param(403, (CLOUDFLARE,), "http_403", id="not: no page"),
        pytest.param(403, (HTML,), "http_403", id="not: another server"),
        pytest.param(404, (CLOUDFLARE, HTML), "http_404", id="not: another status"),
        pytest.param(429, (CHALLENGE,), "http_429", id="not: a request to come less often"),
        pytest.param(226, (("IM", "feed"),), "http_226", id="not: a part of a feed"),
    ],
)
def test_a_page_for_browsers_is_told_from_other_failures(
    reader: Reader, server: Server, status: int, headers: Headers, expected: str
) -> None:
    url = server.script("/feed", Response(status=status, headers=headers, body=BODY))

    fetched = reader.once(url)

    assert (fetched.status, kind_of(fetched), fetched.body) == (status, expected, None)
