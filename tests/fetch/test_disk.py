"""What is on disk already: files, and bodies of earlier runs."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from planet.errors import StateError
from planet.fetch import open_session
from planet.model import Asking, Outcome
from tests.fetch.conftest import BODY, OTHER, Reader, turn
from tests.server import Response, Server

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_read_as_an_answer_would_be(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "a feed.xml"
    path.write_bytes(BODY)

    first = reader.once(path.as_uri())
    second = reader.once(path.as_uri(), known_hash=first.body_hash)

    assert (first.outcome, first.body) == (Outcome.NEW, BODY)
    assert (second.outcome, second.body) == (Outcome.SAME, None)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(None, "no_file", id="not there"),
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b"x" * 101, "too_large", id="too large"),
    ],
)
def test_a_file_that_cannot_be_a_feed_is_a_failure(
    reader: Reader, tmp_path: Path, content: bytes | None, expected: str
) -> None:
    path = tmp_path / "feed.xml"
    if content is not None:
        path.write_bytes(content)

    fetched = reader.once(path.as_uri(), asking=Asking(max_size=100))

    assert fetched.error is not None
    assert fetched.error.kind == expected


def test_a_body_whose_entries_are_not_stored_is_recalled_without_a_request(
    reader: Reader, server: Server
) -> None:
    url = server.script("/feed", Response(body=BODY))
    body_hash = reader.once(url).body_hash

    with reader.web() as web:
        recalled = list(web.recall([turn(url)]))
        nothing_new = list(web.recall([turn(url, known_hash=body_hash)]))
        never_seen = list(web.recall([turn(server.url("/other"))]))

    assert [(fetched.asked, fetched.body) for _, fetched in recalled] == [(False, BODY)]
    assert (nothing_new, never_seen) == ([], [])
    assert len(server.requests) == 1


def test_a_body_behind_a_redirect_is_recalled_by_the_address_that_answered(
    reader: Reader, server: Server
) -> None:
    start = server.script("/old", Response(status=302, headers=(("Location", "/new"),)))
    server.script("/new", Response(body=BODY))
    answered_url = reader.once(start).url

    with reader.web() as web:
        ((_, fetched),) = web.recall([turn(start, answered_url=answered_url)])

    assert fetched.body == BODY


def test_answers_to_one_reader_s_credentials_are_kept_from_another(
    reader: Reader, server: Server
) -> None:
    answers = {None: BODY, "Basic YWRhOng=": OTHER}
    url = server.answer(
        "/feed",
        lambda request: Response(
            headers=(("ETag", '"x"'),), body=answers[request.header("Authorization")]
        ),
    )

    public = reader.once(url)
    private = reader.once(url, asking=Asking(auth=("ada", "x")))

    assert (public.body, private.body) == (BODY, OTHER)
    assert server.requests[1].header("If-None-Match") is None


def test_answers_of_feeds_that_are_no_longer_wanted_are_dropped(
    reader: Reader, server: Server
) -> None:
    one, other = (server.script(path, Response(body=BODY)) for path in ("/one", "/other"))
    reader.visit(one, other)

    with reader.web() as web:
        web.keep_only([(turn(one).feed, None)])
        left = [len(list(web.recall([turn(url)]))) for url in (one, other)]

    assert left == [1, 0]


def test_nothing_in_the_cache_file_can_be_run(reader: Reader, server: Server) -> None:
    url = server.script("/feed", Response(body=BODY))
    reader.once(url)

    connection = sqlite3.connect(reader.state / "http.sqlite")
    ((packed,),) = connection.execute("SELECT value FROM responses").fetchall()
    connection.close()

    assert packed.startswith(b"P1\n{")


def test_a_row_that_another_version_wrote_costs_one_full_answer(
    reader: Reader, server: Server
) -> None:
    url = server.script("/feed", Response(headers=(("ETag", '"x"'),), body=BODY))
    reader.once(url)
    connection = sqlite3.connect(reader.state / "http.sqlite")
    connection.execute("UPDATE responses SET value = x'0102'")
    connection.commit()
    connection.close()

    fetched = reader.once(url)

    assert fetched.body == BODY
    assert server.requests[1].header("If-None-Match") is None


@pytest.mark.parametrize("backend", ["memory", "filesystem"])
def test_other_back_ends_keep_the_bytes_too(tmp_path: Path, server: Server, backend: str) -> None:
    body = "<rss>caf\xe9 \u20ac</rss>".encode("utf-16")
    url = server.script("/feed", Response(headers=(("ETag", '"x"'),), body=body))
    reader = Reader(tmp_path, backend=backend)

    with reader.web() as web:
        ((_, first),) = web.fetch([turn(url)], starting=lambda _: None)
        ((_, again),) = web.recall([turn(url)])

    assert (first.body, again.body) == (body, body)


def test_a_back_end_whose_library_is_missing_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="redis cache cannot be opened"):
        open_session(tmp_path, backend="redis", options={})
