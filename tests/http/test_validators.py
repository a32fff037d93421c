"""The heart of politeness: what the next request says is what the last 200 or 304 said."""

from __future__ import annotations

import hashlib

import pytest

from planet.model import Outcome
from tests.http.conftest import BODY, OTHER, Reader
from tests.server import Request, Response, Server

Headers = tuple[tuple[str, str], ...]

ETAG = ("ETag", '"one"')
MODIFIED = ("Last-Modified", "Sat, 21 Nov 2026 10:00:00 GMT")
DATE = ("Date", "Sat, 21 Nov 2026 12:00:00 GMT")
LATER = ("Last-Modified", "Sat, 21 Nov 2026 11:00:00 GMT")


def validators(request: Request) -> tuple[str | None, str | None]:
    """What a request says of what it has: If-None-Match and If-Modified-Since."""
    return request.header("If-None-Match"), request.header("If-Modified-Since")


def ok(*headers: tuple[str, str], body: bytes = BODY) -> Response:
    return Response(headers=headers, body=body)


def not_modified(*headers: tuple[str, str]) -> Response:
    return Response(status=304, headers=headers)


def failure(status: int) -> Response:
    return Response(status=status, headers=(("ETag", '"of the error"'), LATER), body=b"sorry")


NONE = (None, None)
BOTH = (ETAG[1], MODIFIED[1])


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        pytest.param([ok()], [NONE], id="the first request is unconditional"),
        pytest.param([ok(), ok()], [NONE, NONE], id="no validators, nothing to send"),
        pytest.param([ok(ETAG), not_modified()], [NONE, (ETAG[1], None)], id="ETag only"),
        pytest.param(
            [ok(MODIFIED), not_modified()], [NONE, (None, MODIFIED[1])], id="Last-Modified only"
        ),
        pytest.param([ok(ETAG, MODIFIED), not_modified()], [NONE, BOTH], id="both"),
        pytest.param(
            [ok(("ETag", 'W/"weak"')), not_modified()], [NONE, ('W/"weak"', None)], id="weak"
        ),
        pytest.param(
            [ok(("ETag", "bare-words/1")), not_modified()],
            [NONE, ("bare-words/1", None)],
            id="unquoted",
        ),
        pytest.param(
            [ok(("ETag", '"abc-gzip"')), not_modified()],
            [NONE, ('"abc-gzip"', None)],
            id="with a suffix a proxy put on",
        ),
        pytest.param(
            [ok(("ETag", '"caf\xe9"')), not_modified()], [NONE, ('"caf\xe9"', None)], id="Latin-1"
        ),
        pytest.param(
            [ok(("Last-Modified", "yesterday, I think")), not_modified()],
            [NONE, (None, "yesterday, I think")],
            id="no date at all",
        ),
        pytest.param(
            [ok(("Last-Modified", "2026-11-21T10:00:00Z")), not_modified()],
            [NONE, (None, "2026-11-21T10:00:00Z")],
            id="ISO date",
        ),
        pytest.param(
            [ok(ETAG, MODIFIED), not_modified(("ETag", '"two"')), not_modified()],
            [NONE, BOTH, ('"two"', MODIFIED[1])],
            id="a 304 changes the ETag and keeps the date",
        ),
        pytest.param(
            [ok(ETAG, MODIFIED), not_modified(LATER), not_modified()],
            [NONE, BOTH, (ETAG[1], LATER[1])],
            id="a 304 changes the date and keeps the ETag",
        ),
        pytest.param(
            [ok(ETAG), not_modified(MODIFIED), not_modified()],
            [NONE, (ETAG[1], None), BOTH],
            id="a 304 adds a date",
        ),
        pytest.param(
            [ok(ETAG, MODIFIED), ok(), ok()], [NONE, BOTH, NONE], id="a 200 without drops both"
        ),
        pytest.param(
            [ok(ETAG, MODIFIED), ok(MODIFIED, body=OTHER), not_modified()],
            [NONE, BOTH, (None, MODIFIED[1])],
            id="a 200 that lost its ETag drops it",
        ),
        pytest.param(
            [ok(ETAG, MODIFIED), ok(("ETag", '"two"'), MODIFIED), not_modified()],
            [NONE, BOTH, ('"two"', MODIFIED[1])],
            id="a 200 with the same body and another ETag replaces it",
        ),
        pytest.param(
            [ok(ETAG, ("Cache-Control", "no-store")), not_modified()],
            [NONE, (ETAG[1], None)],
            id="no-store",
        ),
        pytest.param(
            [ok(ETAG, ("Cache-Control", "no-cache, max-age=0, must-revalidate")), not_modified()],
            [NONE, (ETAG[1], None)],
            id="no-cache",
        ),
        pytest.param(
            [ok(ETAG, ("Cache-Control", "immutable, max-age=31536000")), not_modified()],
            [NONE, (ETAG[1], None)],
            id="immutable is still revalidated",
        ),
        pytest.param(
            [ok(ETAG, ("Expires", "never")), not_modified()],
            [NONE, (ETAG[1], None)],
            id="Expires that is no date",
        ),
        pytest.param(
            [ok(ETAG, ("Cache-Control", "self=1, max-age=99999999999999999999")), not_modified()],
            [NONE, (ETAG[1], None)],
            id="Cache-Control made to break a cache",
        ),
        pytest.param(
            [ok(ETAG, ("Vary", "*")), not_modified()], [NONE, (ETAG[1], None)], id="Vary: *"
        ),
        pytest.param(
            [ok(ETAG, ("Vary", "User-Agent, Cookie")), not_modified()],
            [NONE, (ETAG[1], None)],
            id="Vary",
        ),
        *(
            pytest.param(
                [ok(ETAG, MODIFIED), failure(status), not_modified()],
                [NONE, BOTH, BOTH],
                id=f"a {status} touches nothing",
            )
            for status in (204, 206, 400, 403, 404, 410, 429, 500, 503)
        ),
        pytest.param(
            [ok(ETAG, MODIFIED), ok(LATER, body=b""), not_modified()],
            [NONE, BOTH, BOTH],
            id="an empty 200 touches nothing",
        ),
        pytest.param(
            [
                ok(ETAG, MODIFIED),
                Response(headers=(LATER, ("Content-Length", "1000")), body=b"<rss>"),
                not_modified(),
            ],
            [NONE, BOTH, BOTH],
            id="a short body touches nothing",
        ),
        pytest.param(
            [
                ok(ETAG, MODIFIED),
                Response(raw=b'HTTP/1.1 200 OK\r\nETag: "cut"\r\nLast-Mod'),
                not_modified(),
            ],
            [NONE, BOTH, BOTH],
            id="cut headers touch nothing",
        ),
        pytest.param(
            [ok(("ETag", "x" * 5000), MODIFIED), not_modified()],
            [NONE, (None, MODIFIED[1])],
            id="an ETag of 5,000 characters is not echoed",
        ),
        pytest.param(
            [ok(("ETag", '"one"\t '), MODIFIED), not_modified()], [NONE, BOTH], id="blanks around"
        ),
        pytest.param(
            [ok(DATE, ("Last-Modified", "Sun, 22 Nov 2026 12:00:00 GMT")), not_modified()],
            [NONE, (None, "Sun, 22 Nov 2026 12:00:00 GMT")],
            id="a date that is a day ahead",
        ),
        pytest.param(
            [ok(DATE, ETAG, ("Last-Modified", "Sun, 22 Nov 2026 12:00:01 GMT")), not_modified()],
            [NONE, (ETAG[1], None)],
            id="a date that is more than a day ahead is not echoed",
        ),
        pytest.param(
            [ok(("Last-Modified", "Fri, 01 Jan 2038 00:00:00 GMT")), not_modified()],
            [NONE, NONE],
            id="nor is one that is ahead of our clock, where the server says no date",
        ),
        pytest.param(
            [
                ok(ETAG, MODIFIED),
                not_modified(("Last-Modified", "Fri, 01 Jan 2038 00:00:00 GMT")),
                not_modified(),
            ],
            [NONE, BOTH, BOTH],
            id="a 304 with such a date keeps the one before",
        ),
        pytest.param(
            [ok(ETAG, MODIFIED), Response(status=226, headers=(LATER,), body=OTHER), ok()],
            [NONE, BOTH, BOTH],
            id="a 226 that nobody asked for touches nothing",
        ),
        pytest.param(
            [ok(("ETag", ""), MODIFIED), not_modified()],
            [NONE, (None, MODIFIED[1])],
            id="an empty ETag is none",
        ),
    ],
)
def test_a_request_echoes_the_last_answer_exactly(
    reader: Reader,
    server: Server,
    answers: list[Response],
    said: list[tuple[str | None, str | None]],
) -> None:
    url = server.script("/feed", *answers)

    for _ in answers:
        reader.once(url)

    assert [validators(request) for request in server.requests] == said


def test_a_304_leaves_the_body_and_says_so(reader: Reader, server: Server) -> None:
    url = server.script("/feed", ok(ETAG), not_modified())

    first = reader.once(url)
    second = reader.once(url, known_hash=first.body_hash)

    assert (first.outcome, first.body) == (Outcome.NEW, BODY)
    assert (second.outcome, second.status, second.body) == (Outcome.SAME, 304, None)


def test_the_same_bytes_again_are_not_news(reader: Reader, server: Server) -> None:
    url = server.script("/feed", ok(), ok())

    first = reader.once(url)
    second = reader.once(url, known_hash=first.body_hash)

    assert first.body_hash == hashlib.sha256(BODY).hexdigest()
    assert (second.outcome, second.status, second.body) == (Outcome.SAME, 200, None)


@pytest.mark.parametrize("known", ["", hashlib.sha256(OTHER).hexdigest()], ids=["none", "another"])
def test_a_304_hands_out_the_stored_body_when_its_entries_are_not_stored(
    reader: Reader, server: Server, known: str
) -> None:
    url = server.script("/feed", ok(ETAG), not_modified())

    reader.once(url)
    again = reader.once(url, known_hash=known or None)

    assert (again.status, again.outcome, again.body) == (304, Outcome.NEW, BODY)


def test_a_304_to_an_unconditional_request_is_an_error(reader: Reader, server: Server) -> None:
    url = server.script("/feed", not_modified())

    fetched = reader.once(url)

    assert fetched.error is not None
    assert fetched.error.kind == "unexpected_304"


def test_feeds_whose_addresses_differ_in_a_secret_never_share_validators(
    reader: Reader, server: Server
) -> None:
    one = server.script("/feed?api_key=one", ok(ETAG))
    other = server.script("/feed?api_key=other", ok(("ETag", '"other"'), body=OTHER))

    reader.visit(one, other)
    reader.visit(one, other)

    asked = sorted(
        (request.path, request.header("If-None-Match")) for request in server.requests[2:]
    )
    assert asked == [("/feed?api_key=one", '"one"'), ("/feed?api_key=other", '"other"')]


def test_an_address_is_asked_for_as_it_is_written(reader: Reader, server: Server) -> None:
    path = "/Feed%2F;x?b=1&a=&a=2&%66=%E9"
    url = server.script(path, ok())

    reader.once(url)

    assert [request.path for request in server.requests] == [path]


def test_a_304_writes_nothing_to_the_cache(reader: Reader, server: Server) -> None:
    url = server.script(
        "/feed",
        ok(ETAG, ("Date", "Sat, 21 Nov 2026 10:00:00 GMT")),
        not_modified(ETAG, ("Date", "Sat, 21 Nov 2026 11:00:00 GMT"), ("Age", "1")),
    )
    reader.once(url)
    before = (reader.state / "http.sqlite").read_bytes()

    reader.once(url)

    assert (reader.state / "http.sqlite").read_bytes() == before
