"""Bodies: whole or not at all, never larger or slower than allowed."""

from __future__ import annotations

import gzip
import threading
import zlib
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from planet.model import Asking, Outcome
from tests.fetch.conftest import BODY, Reader
from tests.server import Response, Server

if TYPE_CHECKING:
    from planet.model import Fetched

SMALL = Asking(max_size=10_000)
BRIEF = Asking(timeout=timedelta(seconds=1))
RAW_DEFLATE = zlib.compressobj(wbits=-15)
RAW = RAW_DEFLATE.compress(BODY) + RAW_DEFLATE.flush()


def packed(body: bytes, coding: str) -> Response:
    return Response(headers=(("Content-Encoding", coding),), body=body)


def kind(fetched: Fetched) -> str | None:
    return fetched.error.kind if fetched.error else None


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Response(body=BODY), id="plain"),
        pytest.param(Response(body=BODY, chunked=True), id="in chunks"),
        pytest.param(
            Response(
                headers=(("Connection", "close"), ("Transfer-Encoding", "identity")), body=BODY
            ),
            id="to the end of the connection",
        ),
        pytest.param(packed(gzip.compress(BODY), "gzip"), id="gzip"),
        pytest.param(packed(gzip.compress(BODY), "x-gzip"), id="x-gzip"),
        pytest.param(packed(gzip.compress(BODY), "GZip"), id="gzip, shouted"),
        pytest.param(packed(zlib.compress(BODY), "deflate"), id="deflate"),
        pytest.param(packed(RAW, "deflate"), id="raw deflate"),
        pytest.param(packed(gzip.compress(gzip.compress(BODY)), "gzip, gzip"), id="gzip twice"),
        pytest.param(
            packed(gzip.compress(BODY[:9]) + gzip.compress(BODY[9:]), "gzip"), id="two members"
        ),
        pytest.param(packed(BODY, "gzip"), id="plain that says gzip"),
        pytest.param(Response(body=gzip.compress(BODY)), id="gzip that says nothing"),
        pytest.param(packed(BODY, "UTF-8"), id="a charset for a coding"),
        pytest.param(packed(BODY, "none, identity"), id="no coding in words"),
    ],
)
def test_a_body_is_what_was_meant(reader: Reader, server: Server, answer: Response) -> None:
    url = server.script("/feed", answer)

    fetched = reader.once(url)

    assert (fetched.error, fetched.body) == (None, BODY)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(Response(body=b""), "empty", id="nothing"),
        pytest.param(Response(body=b"x" * 10_001), "too_large", id="larger than allowed"),
        pytest.param(
            Response(body=b"x" * 20_000, chunked=True), "too_large", id="larger, length unknown"
        ),
        pytest.param(
            Response(headers=(("Content-Length", "99999999999"),), body=b"x"),
            "too_large",
            id="large by its own word",
        ),
        pytest.param(packed(gzip.compress(b"x" * 5_000_000), "gzip"), "too_large", id="gzip bomb"),
        pytest.param(
            packed(gzip.compress(gzip.compress(b"x" * 50_000_000)), "gzip, gzip"),
            "too_large",
            id="bomb in a bomb",
        ),
        pytest.param(packed(BODY, "gzip, gzip, gzip"), "bad_coding", id="packed three times"),
        pytest.param(packed(BODY, "br"), "bad_coding", id="a coding not asked for"),
        pytest.param(
            packed(gzip.compress(BODY)[:-8], "gzip"), "truncated", id="gzip without its end"
        ),
        pytest.param(
            packed(gzip.compress(BODY)[:-8] + bytes(8), "gzip"), "bad_coding", id="bad gzip"
        ),
        pytest.param(packed(b"\x00\xff" + BODY, "deflate"), "bad_coding", id="bad deflate"),
        pytest.param(
            Response(headers=(("Content-Length", "1000"),), body=BODY), "truncated", id="cut short"
        ),
        pytest.param(
            Response(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n<rss>"),
            "truncated",
            id="cut within a chunk",
        ),
        pytest.param(Response(raw=b""), "truncated", id="hung up"),
        pytest.param(Response(raw=b"SSH-2.0-OpenSSH\r\n"), "broken_answer", id="not HTTP"),
        pytest.param(
            Response(raw=b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n"),
            "broken_answer",
            id="five hundred headers",
        ),
    ],
)
def test_a_body_that_is_not_whole_is_a_failure(
    reader: Reader, server: Server, answer: Response, expected: str
) -> None:
    url = server.script("/feed", answer)

    fetched = reader.once(url, asking=SMALL)

    assert (kind(fetched), fetched.body) == (expected, None)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Response(hold=threading.Event()), id="says nothing"),
        pytest.param(Response(body=BODY, drip_head=0.05), id="drips its headers"),
        pytest.param(Response(body=BODY * 9, drip_body=0.05), id="drips its body"),
    ],
)
def test_a_server_that_takes_too_long_is_left(
    reader: Reader, server: Server, answer: Response
) -> None:
    url = server.script("/feed", answer)

    fetched = reader.once(url, asking=BRIEF)

    assert (fetched.outcome, kind(fetched)) == (Outcome.FAILED, "timeout")


def test_what_came_is_counted_as_it_was_on_the_wire(reader: Reader, server: Server) -> None:
    wire = gzip.compress(BODY * 100)
    url = server.script("/feed", packed(wire, "gzip"))

    fetched = reader.once(url)

    assert fetched.bytes_received == len(wire)
