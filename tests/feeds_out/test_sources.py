"""What may be told of a source: enough to subscribe to it, and nothing secret."""

from __future__ import annotations

import pytest

from planet.feeds import sources
from tests.feeds_out.make import make_edition, make_post, make_source, written


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param("https://a.example/f?format=rss", "https://a.example/f?format=rss", id="open"),
        pytest.param("https://u:p@a.example:81/f", "https://a.example:81/f", id="password"),
        pytest.param("https://a.example/f?id=1&token=x", None, id="token"),
        pytest.param("https://a.example/f?API_KEY=x", None, id="upper-case key"),
        pytest.param("https://a.example/f?rss-auth=x", None, id="part of a name"),
        pytest.param("https://a.example/f?a=1;sig=x", None, id="semicolon"),
        pytest.param(
            "https://a.example/?author=x&keyword=y",
            "https://a.example/?author=x&keyword=y",
            id="only alike",
        ),
        pytest.param("file:///home/me/feed.xml", None, id="file"),
    ],
)
def test_an_address_is_told_without_its_secrets_or_not_at_all(
    url: str, expected: str | None
) -> None:
    assert sources.feed_url(make_source(url=url)) == expected


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
    assert sources.id_of(make_source(id=said, url=url)) == expected


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
