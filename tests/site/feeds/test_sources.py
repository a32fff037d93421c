"""What may be told of a source: enough to subscribe to it, and nothing secret."""

from __future__ import annotations

import pytest

from planet.site.feeds import markup
from tests.site.feeds.make import make_edition, make_post, make_source, written


@pytest.mark.parametrize(
    ("said", "url", "expected"),
    [
        pytest.param(
            "tag:a.example,2026:1", "https://a.example/f", "tag:a.example,2026:1", id="tag"
        ),
        pytest.param("https://a.example/", "https://b.example/f", "https://a.example/", id="web"),
        pytest.param("42", "https://a.example/f", "https://a.example/f", id="not an IRI"),
        pytest.param("a: b", "https://a.example/f", "https://a.example/f", id="blank"),
        pytest.param(None, "https://a.example/f", "https://a.example/f", id="absent"),
        pytest.param("file:///f", "https://a.example/f", "https://a.example/f", id="file"),
        pytest.param(
            "https://a.example/?key=1", "https://b.example/f", "https://b.example/f", id="secret"
        ),
        pytest.param(
            "https://u:p@a.example/", "https://b.example/f", "https://b.example/f", id="password"
        ),
        pytest.param(
            None, "file:///f", "urn:uuid:e6ed77eb-8910-5502-9af3-e72690a5d49d", id="nothing to tell"
        ),
    ],
)
def test_a_source_always_has_an_id_that_is_an_iri(
    said: str | None, url: str, expected: str
) -> None:
    assert markup.id_of(make_source(id=said, url=url)) == expected


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("https://user:hunter2@one.example/feed", id="password"),
        pytest.param("https://one.example/feed?token=hunter2", id="token"),
        pytest.param("file:///home/hunter2/feed.xml", id="file"),
    ],
)
def test_no_file_tells_a_secret(url: str) -> None:
    source = make_source(url=url, key=url)
    documents = written(make_edition(make_post(None, source, also_in=(source,))))

    assert [path for path, document in documents.items() if b"hunter2" in document] == []
