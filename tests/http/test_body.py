"""Bodies: whole or not at all, never larger or slower than allowed."""

import gzip
import random
import threading
import zlib
from datetime import timedelta
from pathlib import Path

import pytest
from urllib3.connection import HTTPConnection

from planet.errors import StateError
from planet.http.limits import CHUNK
from planet.http.request import make_fetch_error
from planet.model import FetchPolicy, Outcome
from tests.cases import case, cases
from tests.http.conftest import BODY, ETAG, Reader, kind, turn
from tests.patience import patient
from tests.server import Response, Server

SMALL = FetchPolicy(max_size=20_000)
BRIEF = FetchPolicy(timeout=timedelta(seconds=patient(1.0)))
NOWHERE = HTTPConnection("a.example")
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
    *(
        case(f"{coding}, which nobody asked for", packed(BODY, coding), "bad_coding")
        for coding in ("br", "zstd", "compress")
    ),
    case("no coding, and no text", packed(b"\x0b\x02", "x-no-such"), "bad_coding"),
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


@pytest.mark.parametrize("size", [600_000, 3_000_000])
@pytest.mark.parametrize("coding", ["gzip", "identity"])
def test_a_large_body_comes_whole(reader: Reader, server: Server, size: int, coding: str) -> None:
    body = random.Random(1).randbytes(size)
    wire = gzip.compress(body) if coding == "gzip" else body
    url = server.script("/feed", packed(wire, coding))

    fetched = reader.once(url)

    assert (fetched.error, fetched.body) == (None, body)


@pytest.mark.parametrize("ahead", range(-2, 3))
def test_pieces_of_a_body_may_begin_anywhere(reader: Reader, server: Server, ahead: int) -> None:
    # Bodies are read 64 KiB at a time: the second piece begins where one reading ends.
    first = b"x" * (65_536 - 23 + ahead)
    wire = gzip.compress(first, compresslevel=0)
    assert len(wire) == 65_536 + ahead
    url = server.script("/feed", packed(wire + gzip.compress(BODY), "gzip"))

    fetched = reader.once(url)

    assert (fetched.error, fetched.body) == (None, first + BODY)


@pytest.mark.parametrize("more", [1, 100])
def test_nothing_is_lost_after_the_last_byte(reader: Reader, server: Server, more: int) -> None:
    # The last byte stands for more than is unpacked at once, and nothing follows that asks for it.
    body = b"x" * (CHUNK + more)
    packer = zlib.compressobj(9, wbits=-15)
    url = server.script("/feed", packed(packer.compress(body) + packer.flush(), "deflate"))

    fetched = reader.once(url)

    assert (fetched.error, fetched.body) == (None, body)


def test_many_large_bodies_come_although_few_are_held_at_a_time(reader: Reader) -> None:
    hosts = [f"127.0.0.{number}" for number in range(1, 7)]
    body = b"<rss>" + b" " * 1_000_000
    with Server(*hosts) as server:
        server.script("/feed", packed(gzip.compress(body), "gzip"))
        turns = [turn(server.url("/feed", host)) for host in hosts]

        first = reader.ask(*turns)
        hashes = {key: fetched.body_hash for key, fetched in first.items()}
        again = reader.ask(*(turn(url, known_hash=known) for url, known in hashes.items()))

    assert [fetched.body for fetched in first.values()] == [body] * 6
    assert [fetched.outcome for fetched in again.values()] == [Outcome.SAME] * 6


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


def test_a_document_of_a_told_length_is_stored_as_it_is(reader: Reader, server: Server) -> None:
    url = server.script("/feed", Response(headers=(ETAG,), body=BODY[:-9]))

    fetched = reader.once(url)
    reader.once(url)

    assert (fetched.body, fetched.cut_off) == (BODY[:-9], False)
    assert server.requests[-1].header("If-None-Match") == '"one"'


@pytest.mark.parametrize("blank", [b" ", b"\r\n\t\n", b"\xef\xbb\xbf\n", b"\xff\xfe\n\0"])
def test_blanks_are_no_answer(reader: Reader, server: Server, blank: bytes) -> None:
    url = server.script("/feed", Response(headers=(ETAG,), body=blank))

    fetched = reader.once(url)
    reader.once(url)

    assert kind(fetched) == "empty"
    assert server.requests[-1].header("If-None-Match") is None


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


def test_a_full_disk_ends_the_run_with_a_reason(
    reader: Reader, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.script("/feed", Response(body=b"x" * 600_000))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))

    with pytest.raises(StateError, match="no temporary file can be written: "):
        reader.once(url)


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


def test_a_304_is_judged_by_its_status_whatever_its_headers(reader: Reader, server: Server) -> None:
    odd = (("Content-Encoding", "br"), ("Content-Length", "99999999"))
    url = server.script(
        "/feed", Response(headers=(ETAG,), body=BODY), Response(status=304, headers=odd)
    )

    again = reader.once(url, known_hash=reader.once(url).body_hash)

    assert (again.status, again.outcome) == (304, Outcome.SAME)


@pytest.mark.parametrize("chunked", [False, True], ids=["with its length", "in chunks"])
def test_an_error_page_leaves_the_connection(reader: Reader, server: Server, chunked: bool) -> None:
    page = Response(status=404, body=b"There is nothing here.", chunked=chunked)
    urls = [server.script(f"/{number}", page) for number in range(3)]

    reader.visit(*urls)

    assert [request.connection for request in server.requests] == [0, 0, 0]


def test_what_no_one_foresaw_is_a_broken_answer() -> None:
    failure = make_fetch_error(ValueError("who would have thought"))

    assert failure.kind == "broken_answer"
    assert "ValueError" in str(failure)


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

    assert (fetched.outcome, kind(fetched)) == (Outcome.FAILED, "timeout")


def test_what_came_is_counted_as_it_was_on_the_wire(reader: Reader, server: Server) -> None:
    wire = gzip.compress(BODY * 100)
    url = server.script("/feed", packed(wire, "gzip"))

    fetched = reader.once(url)

    assert fetched.bytes_received == len(wire)
