"""Bodies: whole or not at all, never larger or slower than allowed."""

import gzip
import threading
import zlib
from datetime import timedelta

import pytest

from planet.model import FetchPolicy
from tests.cases import case, cases
from tests.http.conftest import BODY, Reader, kind
from tests.patience import patient
from tests.server import Response, Server

SMALL = FetchPolicy(max_size=20_000)
BRIEF = FetchPolicy(timeout=timedelta(seconds=patient(1.0)))
RAW_DEFLATE = zlib.compressobj(wbits=-15)
RAW = RAW_DEFLATE.compress(BODY) + RAW_DEFLATE.flush()


def packed(body: bytes, coding: str) -> Response:
    return Response(headers=(("Content-Encoding", coding),), body=body)


@cases(
    "answer",
    case("plain", Response(body=BODY)),
    case("in chunks", Response(body=BODY, chunked=True)),
    case(
        "to the end of the connection",
        Response(headers=(("Connection", "close"), ("Transfer-Encoding", "identity")), body=BODY),
    ),
    case("no coding in words", packed(BODY, "none, identity")),
    case("a type for a coding", packed(BODY, "text/xml")),
    case("500 packed pieces", packed(gzip.compress(BODY) + gzip.compress(b"") * 499, "gzip")),
    case("a coding of no standard", packed(gzip.compress(BODY), "x-no-such, gzip")),
)
def test_a_body_is_unpacked_and_joined_as_it_was_sent(
    reader: Reader, server: Server, answer: Response
) -> None:
    url = server.script("/feed", answer)

    fetched = reader.once(url)

    assert (fetched.error, fetched.body) == (None, BODY)


@cases(
    "answer, expected",
    case("nothing", Response(body=b""), "empty"),
    case("nothing that says gzip", packed(b"", "gzip"), "empty"),
    case("larger than allowed", Response(body=b"x" * 20_001), "too_large"),
    case("larger, length unknown", Response(body=b"x" * 40_000, chunked=True), "too_large"),
    case(
        "large by its own word",
        Response(headers=(("Content-Length", "99999999999"),), body=b"x"),
        "too_large",
    ),
    case("gzip bomb", packed(gzip.compress(b"x" * 5_000_000), "gzip"), "too_large"),
    case(
        "bomb in a bomb",
        packed(gzip.compress(gzip.compress(b"x" * 50_000_000)), "gzip, gzip"),
        "too_large",
    ),
    case("br, which nobody asked for", packed(b"\x0b\x02", "br"), "bad_coding"),
    case("501 packed pieces", packed(gzip.compress(b"x") * 501, "gzip"), "bad_coding"),
    case("bad gzip", packed(gzip.compress(BODY)[:-8] + bytes(8), "gzip"), "bad_coding"),
    case("bad deflate", packed(b"\x00\xff" + BODY, "deflate"), "bad_coding"),
    case("gzip by its word only", packed(b"not packed, and no text", "gzip"), "bad_coding"),
)
def test_a_body_that_is_not_whole_is_a_failure(
    reader: Reader, server: Server, answer: Response, expected: str
) -> None:
    url = server.script("/feed", answer)

    fetched = reader.once(url, policy=SMALL)

    assert (kind(fetched), fetched.body) == (expected, None)


@cases(
    "document, keeps",
    case("a whole one", BODY, True),
    case("one with a remark behind it", BODY + b"<!-- made in 0.1 s -->", True),
    case("one without its last character", BODY[:-1], True),
    case("JSON", b'{"items": []}\n', True),
    case("one that breaks off", BODY[:-9], False),
    case("JSON that breaks off", b'{"items": [', False),
)
def test_without_a_length_a_document_is_stored(
    reader: Reader, server: Server, document: bytes, keeps: bool
) -> None:
    head = b'HTTP/1.1 200 OK\r\nETag: "one"\r\n\r\n'
    url = server.script("/feed", Response(raw=head + document))

    fetched = reader.once(url)
    reader.once(url)

    assert (fetched.error, fetched.body, fetched.cut_off) == (None, document, not keeps)
    assert server.requests[-1].header("If-None-Match") == ('"one"' if keeps else None)


@cases(
    "document, pages, expected",
    case("a page", b"<!DOCTYPE html><p>Log in", False, "not_a_feed"),
    case(
        "a page in XML",
        b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- > --><html xml:lang='en'>",
        False,
        "not_a_feed",
    ),
    case("no page for all its remarks", b"<!-- x -->" * 50_000 + b"<p>", False, None),
    case("a page with a feed in it", b"<html><body>" + BODY, False, None),
    case("a page that may be the feed", b"<!doctype html><p>Log in", True, None),
)
def test_a_page_in_the_place_of_a_feed_is_not_stored(
    reader: Reader, server: Server, document: bytes, pages: bool, expected: str | None
) -> None:
    page = Response(headers=(("ETag", '"page"'),), body=document)
    url = server.script("/feed", Response(headers=(("ETag", '"feed"'),), body=BODY), page)
    reader.once(url)

    fetched = reader.once(url, pages=pages)
    reader.once(url)

    kept = '"feed"' if expected else '"page"'
    assert (kind(fetched), server.requests[-1].header("If-None-Match")) == (expected, kept)


@pytest.mark.parametrize("text", ["\ufeff<rss/>", " \n<rss/>", '{"version": ""}'])
@pytest.mark.parametrize("charset", ["utf-8", "utf-16"])
def test_text_in_a_coding_of_no_standard_is_taken_as_it_is(
    reader: Reader, server: Server, text: str, charset: str
) -> None:
    url = server.script("/feed", packed(text.encode(charset), charset))

    fetched = reader.once(url)

    assert (fetched.error, fetched.body) == (None, text.encode(charset))


@pytest.mark.parametrize("status", [404, 410, 503])
@cases(
    "headers, body",
    case("packed as nobody asked", (("Content-Encoding", "br"),), b"xx"),
    case("badly packed", (("Content-Encoding", "gzip"),), b"\x1f\x8bxx"),
    case("cut short", (("Content-Length", "9"),), b"xx"),
    case("large by its own word", (("Content-Length", "99999999"),), b""),
    case("9 MB", (), b"x" * 9_000_000),
)
def test_an_error_is_judged_by_its_status_whatever_its_body(
    reader: Reader, server: Server, status: int, headers: tuple[tuple[str, str], ...], body: bytes
) -> None:
    url = server.script("/feed", Response(status=status, headers=headers, body=body))

    fetched = reader.once(url)

    assert (fetched.status, kind(fetched)) == (status, f"http_{status}")
    assert fetched.bytes_received <= 1_000_000


@cases(
    "answer",
    case("says nothing", Response(hold=threading.Event())),
    case("drips its headers", Response(headers=(("X", "y" * 999),), body=BODY, drip_head=0.01)),
    case("drips its body", Response(body=BODY * 9, drip_body=0.05)),
    case("drips its body in large drops", Response(body=BODY, drip_body=0.9)),
)
def test_a_server_that_takes_too_long_is_left(
    reader: Reader, server: Server, answer: Response
) -> None:
    url = server.script("/feed", answer)

    fetched = reader.once(url, policy=BRIEF)

    assert (fetched.body, kind(fetched)) == (None, "timeout")


def test_what_came_is_counted_as_it_was_on_the_wire(reader: Reader, server: Server) -> None:
    wire = gzip.compress(BODY * 100)
    url = server.script("/feed", packed(wire, "gzip"))

    fetched = reader.once(url)

    assert fetched.bytes_received == len(wire)
