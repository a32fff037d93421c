"""What may be told of a source: enough to subscribe to it, and nothing secret."""

from planet.site.feeds import markup
from tests.cases import case, cases
from tests.site.feeds.make import make_edition, make_post, make_source, written


@cases(
    "said, url, expected",
    case("tag", "tag:a.example,2026:1", "https://a.example/f", "tag:a.example,2026:1"),
    case("web", "https://a.example/", "https://b.example/f", "https://a.example/"),
    case("not an IRI", "42", "https://a.example/f", "https://a.example/f"),
    case("blank", "a: b", "https://a.example/f", "https://a.example/f"),
    case("absent", None, "https://a.example/f", "https://a.example/f"),
    case("file", "file:///f", "https://a.example/f", "https://a.example/f"),
    case("secret", "https://a.example/?key=1", "https://b.example/f", "https://b.example/f"),
    case("password", "https://u:p@a.example/", "https://b.example/f", "https://b.example/f"),
    case("nothing to tell", None, "file:///f", "urn:uuid:e6ed77eb-8910-5502-9af3-e72690a5d49d"),
)
def test_a_source_always_has_an_id_that_is_an_iri(
    said: str | None, url: str, expected: str
) -> None:
    assert markup.id_of(make_source(id=said, url=url)) == expected


@cases(
    "url",
    case("password", "https://user:hunter2@one.example/feed"),
    case("token", "https://one.example/feed?token=hunter2"),
    case("file", "file:///home/hunter2/feed.xml"),
)
def test_no_file_tells_a_secret(url: str) -> None:
    source = make_source(url=url, key=url)
    documents = written(make_edition(make_post(None, source, also_in=(source,))))

    assert [path for path, document in documents.items() if b"hunter2" in document] == []
