"""What is on disk already: files, and bodies of earlier runs."""

import json
import re
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from planet.errors import StateError
from planet.http import FeedSession
from planet.model import FetchPolicy, Outcome
from planet.model.secrets import Secret
from tests.cases import case, cases
from tests.http.conftest import BODY, OTHER, Notes, Reader, kind, turn
from tests.server import Response, Server


def change(reader: Reader, statement: str, *values: bytes) -> None:
    """Do this to the cache, from outside."""
    with closing(sqlite3.connect(reader.state / "http.sqlite")) as connection, connection:
        connection.execute(statement, values)


def stored(reader: Reader) -> bytes:
    """The one answer in the cache."""
    with closing(sqlite3.connect(reader.state / "http.sqlite")) as connection:
        ((packed,),) = connection.execute("SELECT value FROM responses").fetchall()
        return bytes(packed)


def test_a_file_is_read_as_an_answer_would_be(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "a feed.xml"
    path.write_bytes(BODY)

    first = reader.once(path.as_uri())
    second = reader.once(path.as_uri(), known_hash=first.body_hash)

    assert (first.outcome, first.body) == (Outcome.NEW, BODY)
    assert (second.outcome, second.body) == (Outcome.SAME, None)


@cases(
    "content, expected",
    case("not there", None, "no_file"),
    case("empty", b"", "empty"),
    case("too large", b"x" * 101, "too_large"),
)
def test_a_file_that_cannot_be_a_feed_is_a_failure(
    reader: Reader, tmp_path: Path, content: bytes | None, expected: str
) -> None:
    path = tmp_path / "feed.xml"
    if content is not None:
        path.write_bytes(content)

    fetched = reader.once(path.as_uri(), policy=FetchPolicy(max_size=100))

    assert kind(fetched) == expected


def test_a_body_is_recalled_whose_entries_are_not_stored(reader: Reader, server: Server) -> None:
    url = server.script("/feed", Response(body=BODY))
    body_hash = reader.once(url).body_hash

    (recalled,) = reader.recall(turn(url))
    nothing_new = reader.recall(turn(url, known_hash=body_hash))
    never_seen = reader.recall(turn(server.url("/other")))

    assert (recalled.asked, recalled.body) == (False, BODY)
    assert (nothing_new, never_seen) == ([], [])
    assert len(server.requests) == 1


def test_answers_to_credentials_are_kept_from_others(reader: Reader, server: Server) -> None:
    answers = {None: BODY, "Basic YWRhOng=": OTHER}
    url = server.answer(
        "/feed",
        lambda request: Response(
            headers=(("ETag", '"x"'),), body=answers[request.header("Authorization")]
        ),
    )

    turns = [turn(url), turn(url, key="private", policy=FetchPolicy(auth=("ada", Secret("x"))))]
    with reader.web() as web:
        came = [fetched.body for _, fetched in web.fetch(turns, Notes())]

    assert came == [BODY, OTHER]
    assert server.requests[1].header("If-None-Match") is None


def test_answers_of_feeds_nobody_wants_are_dropped(reader: Reader, server: Server) -> None:
    one, other = (server.script(path, Response(body=BODY)) for path in ("/one", "/other"))
    reader.visit(one, other)

    with reader.web() as web:
        web.keep_only([(turn(one).feed, None)])
        left = [len(list(web.recall([turn(url)]))) for url in (one, other)]

    assert left == [1, 0]


@cases(
    "damaged",
    case("cut in its body", lambda row: row[:-20]),
    case("other bytes in its body", lambda row: row[:-20] + bytes(20)),
    case("cut in its head", lambda row: row[:20]),
    case("of another version", lambda row: b"P0" + row[2:]),
    case("other bytes in its head", lambda row: row.replace(b'"url"', b'"\xff"')),
    case("of no version", lambda row: b"\1\2"),
    case("without its address", lambda row: row.replace(b'"url"', b'"URL"')),
    case("with line ends", lambda row: row.replace(rb"\"x\"", rb"\"x\"\r\nCookie: a=1")),
    case("with another head", lambda row: b"P3\n[]\n" + row.split(b"\n", 2)[2]),
)
def test_a_row_that_is_damaged_is_not_there(
    reader: Reader, server: Server, damaged: Callable[[bytes], bytes]
) -> None:
    url = server.feed("/feed", BODY, etag='"x"')
    reader.once(url)
    change(reader, "UPDATE responses SET value = ?", damaged(stored(reader)))

    recalled, fetched = reader.recall(turn(url)), reader.once(url)

    assert (recalled, fetched.error, fetched.body) == ([], None, BODY)
    assert server.requests[1].header("If-None-Match") is None
    assert [again.body for again in reader.recall(turn(url))] == [BODY]


@pytest.mark.parametrize(
    "content", [b"not a database " * 999, b"SQLite format 3\0" + bytes(999)], ids=["text", "a head"]
)
def test_a_cache_file_that_is_none_is_set_aside_and_named(tmp_path: Path, content: bytes) -> None:
    path, aside = tmp_path / "http.sqlite", tmp_path / "http.sqlite.damaged"
    path.write_bytes(content)
    aside.write_bytes(b"the last one")
    (tmp_path / "http.sqlite-wal").write_bytes(b"its log")

    with pytest.raises(StateError) as raised:
        FeedSession(tmp_path, name="test", backend="sqlite", options={})
    with FeedSession(tmp_path, name="test", backend="sqlite", options={}) as session:
        kept = list(session.cache.responses)

    assert str(raised.value) == (
        f"the HTTP cache {path} was damaged (file is not a database) and is set aside as "
        "http.sqlite.damaged; run again: it costs one full answer from each feed"
    )
    assert (kept, aside.read_bytes()) == ([], content)
    assert {each.name for each in tmp_path.iterdir()} == {path.name, aside.name}


def test_a_cache_file_that_breaks_in_a_run_is_named_too(reader: Reader, server: Server) -> None:
    url = server.feed("/feed", BODY, etag='"x"')
    path = reader.state / "http.sqlite"

    with reader.web() as web:
        change(reader, "DROP TABLE responses")
        with pytest.raises(StateError, match=re.escape(f"the HTTP cache {path} cannot be used")):
            list(web.fetch([turn(url)], Notes()))
        with pytest.raises(StateError, match=re.escape(f"the HTTP cache {path} cannot be used")):
            web.keep_only([])


def test_an_answer_in_the_cache_that_unpacks_without_end_is_dropped(
    reader: Reader, server: Server
) -> None:
    url = server.feed("/feed", BODY, etag='"x"')
    reader.once(url)
    packer = zlib.compressobj(1)
    packed = b"".join(packer.compress(bytes(1_000_000)) for _ in range(300)) + packer.flush()
    magic, head, _ = stored(reader).split(b"\n", 2)
    head = json.dumps(json.loads(head) | {"check": zlib.crc32(packed)}).encode()
    change(reader, "UPDATE responses SET value = ?", b"\n".join((magic, head, packed)))

    recalled = reader.recall(turn(url))
    first, second = reader.once(url), reader.once(url)

    assert (recalled, kind(first), second.body) == ([], "broken_answer", BODY)


def test_a_cache_file_that_is_damaged_inside_is_set_aside_for_a_new_one(
    reader: Reader, server: Server
) -> None:
    url = server.feed("/feed", BODY, etag='"x"')
    reader.once(url)
    path = reader.state / "http.sqlite"
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + bytes(len(whole) - 4096))

    with reader.web() as web:
        with pytest.raises(StateError, match="set aside as http"):
            list(web.fetch([turn(url)], Notes()))
        ((_, again),) = web.fetch([turn(url)], Notes())

    assert (again.body, server.requests[-1].header("If-None-Match")) == (BODY, None)


@pytest.mark.parametrize("backend", ["memory", "filesystem"])
def test_other_back_ends_keep_the_bytes_too(tmp_path: Path, server: Server, backend: str) -> None:
    body = "<rss>caf\xe9 \u20ac</rss>".encode("utf-16")
    url = server.script("/feed", Response(headers=(("ETag", '"x"'),), body=body))
    reader = Reader(tmp_path, backend=backend)

    with reader.web() as web:
        ((_, first),) = web.fetch([turn(url)], Notes())
        ((_, again),) = web.recall([turn(url)])

    assert (first.body, again.body) == (body, body)


@pytest.mark.parametrize("backend", ["sqlite", "filesystem"])
def test_bodies_go_with_a_feed_renamed(tmp_path: Path, server: Server, backend: str) -> None:
    url = server.feed("/new", BODY, etag='"1"')
    start = server.script("/old", Response(status=301, headers=(("Location", "/new"),)))
    other = turn(server.feed("/other", OTHER, etag='"2"'))
    reader = Reader(tmp_path, backend=backend)

    with reader.web() as web:
        list(web.fetch([turn(start, key="old"), other], Notes()))
        web.session.rename("old", "new")
        statuses = [each.status for _, each in web.fetch([turn(url, key="new"), other], Notes())]
        left = list(web.recall([turn(start, key="old", answered_url=url)]))

    assert statuses == [304, 304]
    assert left == []
