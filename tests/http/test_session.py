"""What is on disk already: files, and bodies of earlier runs."""

import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from planet.errors import StateError
from planet.http import AnyAnswer, FeedSession
from planet.model import FetchPolicy
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

    assert (first.error, first.body) == (None, BODY)
    assert (second.error, second.body) == (None, None)


@cases(
    "content, expected",
    case("not there", None, "no_file"),
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
        web.session.keep_only([one])
        left = [len(list(web.recall([turn(url)]))) for url in (one, other)]

    assert left == [1, 0]


@cases(
    "damaged",
    case("cut", lambda row: row[:-20]),
    case("of another version", lambda row: row.replace(b"P4", b"P0")),
    case("of no version", lambda row: b"\1\2"),
    case("without its address", lambda row: row.replace(b"url", b"URL")),
    case("with line ends", lambda row: row.replace(b'"x"', b'"\r\n')),
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


def _bomb(packed: bytes) -> bytes:
    packer = zlib.compressobj(1)
    return b"".join(packer.compress(bytes(1_000_000)) for _ in range(300)) + packer.flush()


@cases(
    "damage",
    case("is damaged", lambda packed: packed[:-20] + bytes(20)),
    case("unpacks without end", _bomb),
)
def test_a_body_in_the_cache_that_cannot_be_unpacked_is_dropped(
    reader: Reader, server: Server, damage: Callable[[bytes], bytes]
) -> None:
    url = server.feed("/feed", BODY, etag='"x"')
    reader.once(url)
    row = msgspec.msgpack.decode(stored(reader))
    row["packed"] = damage(row["packed"])
    change(reader, "UPDATE responses SET value = ?", msgspec.msgpack.encode(row))

    recalled = reader.recall(turn(url))
    first, second = reader.once(url), reader.once(url)

    assert (recalled, kind(first), second.body) == ([], "broken_answer", BODY)


def test_a_body_that_was_lost_elsewhere_is_asked_for_anew(reader: Reader, server: Server) -> None:
    url = server.feed("/face", BODY, etag='"x"')
    reader.rules = AnyAnswer("image/*")
    reader.once(url)

    again, anew = reader.once(url), reader.once(url)

    assert (kind(again), anew.body) == ("broken_answer", BODY)


def test_a_cache_file_that_is_none_ends_the_run_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "http.sqlite"
    path.write_bytes(b"not a database " * 999)

    with pytest.raises(StateError) as raised:
        FeedSession(tmp_path, name="test", backend="sqlite", options={})

    assert str(raised.value) == (
        "the sqlite cache cannot be opened: file is not a database\n"
        f"{path} may be deleted at the cost of one full answer a feed"
    )


def test_a_cache_file_that_breaks_in_a_run_is_named_too(reader: Reader, server: Server) -> None:
    url = server.feed("/feed", BODY, etag='"x"')
    words = "the sqlite cache cannot be used: no such table"

    with reader.web() as web:
        change(reader, "DROP TABLE responses")
        with pytest.raises(StateError, match=words):
            list(web.fetch([turn(url)], Notes()))
        with pytest.raises(StateError, match=words):
            web.session.keep_only([])


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
def test_an_answer_goes_with_a_feed_renamed(tmp_path: Path, server: Server, backend: str) -> None:
    url = server.feed("/new", BODY, etag='"1"')
    start = server.script("/old", Response(status=301, headers=(("Location", "/new"),)))
    reader = Reader(tmp_path, backend=backend)

    with reader.web() as web:
        list(web.fetch([turn(start, key="old")], Notes()))
        web.session.rename("old", "new")
        ((_, fetched),) = web.fetch([turn(url, key="new")], Notes())
        left = list(web.recall([turn(start, key="old")]))

    assert (fetched.status, left) == (304, [])
