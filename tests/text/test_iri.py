"""Which ids may stand where an absolute IRI is demanded."""

import pytest

from planet.text import address
from tests.cases import case, cases


@pytest.mark.parametrize(
    "iri",
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
def test_this_is_one(iri: str) -> None:
    assert address.is_valid_iri(iri)


@cases(
    "iri",
    case("nothing", ""),
    case("a number", "1"),
    case("a path", "/1"),
    case("a drive", "c:temp"),
    case("a scheme alone", "urn:"),
    case("a blank", "https://example.org/a b"),
    case("a line end", "https://example.org/1\n"),
    case("a no-break space", "https://example.org/\u00a0"),
    case("no host", "https:///1"),
    case("no slashes", "http:1"),
    case("a URN without a namespace", "urn:1"),
    case("a UUID that is none", "urn:uuid:1"),
    case("a URN with a slash", "urn:x-own:a/b"),
    case("a tag without authority and date", "tag:0"),
    case("a tag without a date", "tag:example.org:1"),
    case("a script", "javascript:alert(1)"),
    case("a script in capitals", "JavaScript:alert(1)"),
    case("another script", "vbscript:msgbox(1)"),
    case("a document", "data:text/html,<b>"),
    case("data", "data:text/plain;base64,YQ=="),
    case("a tag without an end", "tag:example.org,2026"),
)
def test_this_is_none(iri: str) -> None:
    assert not address.is_valid_iri(iri)
