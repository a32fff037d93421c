"""Which ids may stand where an absolute IRI is demanded."""

from __future__ import annotations

import pytest

from planet.text import address


@pytest.mark.parametrize(
    "said",
    [
        "https://example.org/1",
        "http://example.org/?p=1",
        "HTTPS://example.org/ä",
        "urn:isbn:0451450523",
        "urn:uuid:0b1fdf04-6e5b-4a1d-9c6f-2f0d6c3b7a11",
        "urn:x-own:a%20b",
        "tag:example.org,2026:1",
        "tag:ada@example.org,2026-11-22:/posts/1#first",
        "at://did:plc:abc/app.bsky.feed.post/1",
        "ftp://example.org/1",
        "news:1@example.org",
    ],
)
def test_this_is_one(said: str) -> None:
    assert address.is_absolute(said)


@pytest.mark.parametrize(
    "said",
    [
        pytest.param("", id="nothing"),
        pytest.param("1", id="a number"),
        pytest.param("/1", id="a path"),
        pytest.param("c:temp", id="a drive"),
        pytest.param("urn:", id="a scheme alone"),
        pytest.param("https://example.org/a b", id="a blank"),
        pytest.param("https://example.org/1\n", id="a line end"),
        pytest.param("https://example.org/\u00a0", id="a no-break space"),
        pytest.param("https:///1", id="no host"),
        pytest.param("http:1", id="no slashes"),
        pytest.param("urn:1", id="a URN without a namespace"),
        pytest.param("urn:uuid:1", id="a UUID that is none"),
        pytest.param("urn:x-own:a/b", id="a URN with a slash"),
        pytest.param("tag:0", id="a tag without authority and date"),
        pytest.param("tag:example.org:1", id="a tag without a date"),
        pytest.param("tag:example.org,2026", id="a tag without an end"),
    ],
)
def test_this_is_none(said: str) -> None:
    assert not address.is_absolute(said)
