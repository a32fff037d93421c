"""Atom as RFC 4287 wants it, read back by a checker of its rules and by feedparser."""

from typing import Any
from xml.etree import ElementTree as ET

from planet.model import ContentMode, Edition, Enclosure, Person
from tests.cases import case, cases
from tests.site.feeds.make import make_edition, make_entry, make_post, make_source, written
from tests.site.feeds.rfc4287 import ATOM, LANG, problems
from tests.site.feeds.sample import EDITION, TEXTS


def entries(edition: Edition, path: str = "atom.xml") -> list[ET.Element]:
    return ET.fromstring(written(edition, TEXTS)[path]).findall(f"{ATOM}entry")


@cases(
    "right, wrong, problem",
    case("unknown element", "<updated>", "<x/><updated>", "unknown"),
    case("no date", "T10:00:00Z", "", "is no date"),
    case("no alternate", 'rel="alternate"', 'rel="replies"', "neither content"),
    case("unknown relation", 'rel="self"', 'rel="x"', "unknown relation"),
    case("empty", '<summary type="text">Summary 2</summary>', "", "nothing to read"),
    case("empty text", ">Summary 2<", "><", "text construct"),
    case("order", "</feed", "<icon>x:y</icon></feed", "after an entry"),
    case("control", "Summary 2", "Summary\x80", "control"),
    case("hour that is none", "T10:00:00Z", "T25:00:00Z", "is no date"),
    case("source", "</source", "<id>x:y</id></source", "source https://one.example/feed"),
    case("no name", "<name>One</name>", "<name/>", "not a person"),
    case("relative id", ">https://one.example/2<", ">2<", "no absolute IRI"),
    case("relative link", 'href="https:', 'href="', "no absolute IRI"),
    case("no author", "author>", "contributor>", "no author"),
    case("no term", 'term="x"', 'term=""', "no term"),
    case("wrong type", 'type="text"', 'type="x"', "text construct"),
    case("wrong media type", 'type="text/html"', 'type="x"', "media type"),
    case("wrong length", 'length="5"', 'length="-"', "no length"),
    case("wrong language", 'lang="en"', 'lang="e n"', "no language"),
    case("twice", "<published>", "<rights/><rights/><published>", "two of"),
    case("two ids", "<published>", "<id>x:y</id><published>", "2 of id"),
    case("entry twice", "</feed", "<entry><id>https://one.example/2</id></entry></feed", "twice"),
    case("two links", "<published>", '<link href="x:y"/><link href="x:z"/><published>', "same"),
    case("another language", "2005/Atom", "2004/Atom", "the root"),
)
def test_the_checker_sees_what_is_wrong(right: str, wrong: str, problem: str) -> None:
    enclosure = Enclosure(url="https://one.example/x", length=5)
    entry = make_entry(2, categories=("x",), enclosures=(enclosure,), language="en")
    document = written(make_edition(make_post(entry)))["atom.xml"].decode()
    assert right in document

    found = problems(document.replace(right, wrong).encode())

    assert any(problem in each for each in found)


def test_a_feed_without_an_address_is_known_by_its_titles() -> None:
    def ids(title: str) -> list[str | None]:
        edition = make_edition(make_post(), link=None, title=title)
        documents = written(edition)
        return [
            ET.fromstring(documents[path]).findtext(f"{ATOM}id")
            for path in ("atom.xml", "source/one/atom.xml")
        ]

    assert ids("A") == [
        "urn:uuid:e4a949f3-70ea-501d-afab-a776e00be584",
        "urn:uuid:37267aec-62eb-58c9-97d6-e8f761b5ff14",
    ]
    assert len({*ids("A"), *ids("B")}) == 4


@cases(
    "mode, link, expected",
    case("full", ContentMode.FULL, "https://x.example/", ["summary", "content"]),
    case("summary", ContentMode.SUMMARY, "https://x.example/", ["summary"]),
    case("title", ContentMode.TITLE, "https://x.example/", ["summary"]),
    case("summary, linking nowhere", ContentMode.SUMMARY, None, ["content"]),
    case("title, linking nowhere", ContentMode.TITLE, None, ["content"]),
)
def test_only_as_much_of_an_entry_is_published_as_its_source_allows(
    mode: ContentMode, link: str | None, expected: list[str]
) -> None:
    post = make_post(make_entry(2, link=link), make_source(content=mode))

    [entry] = entries(make_edition(post))

    words = [
        e.tag.removeprefix(ATOM) for e in entry if e.tag in {f"{ATOM}summary", f"{ATOM}content"}
    ]
    assert words == expected
    assert ("Full article" in "".join(entry.itertext())) is (mode is ContentMode.FULL)
    assert ("Summary 2" in "".join(entry.itertext())) is (mode is not ContentMode.TITLE)


@cases(
    "entry, source, expected",
    case("own", {"authors": (Person(name="A"), Person(name="B"))}, {}, ["A", "B"]),
    case("nameless", {"authors": (Person(url="https://a.example/"),)}, {}, ["https://a.example/"]),
    case("empty", {"authors": (Person(name=""),)}, {"author": "S"}, ["S"]),
    case("source's author", {}, {"author": "S"}, ["S"]),
    case("source", {}, {}, ["One"]),
)
def test_every_entry_has_an_author(
    entry: dict[str, Any], source: dict[str, Any], expected: list[str]
) -> None:
    post = make_post(make_entry(**entry), make_source(**source))

    [element] = entries(make_edition(post))

    assert [name.text for name in element.findall(f"{ATOM}author/{ATOM}name")] == expected


@cases(
    "entry, source, expected",
    case("own", "fr", "de", "fr"),
    case("source's", None, "de", "de"),
    case("underscore", "pt_BR ", None, "pt-BR"),
    case("nonsense", "not a language", "de", "de"),
    case("its name", "english", "de", "de"),
    case("a country", "jp", "de", "de"),
    case("three letters", "gsw-CH", "de", "gsw-CH"),
    case("unknown", None, None, None),
)
def test_an_entry_says_its_language_where_that_is_known(
    entry: str | None, source: str | None, expected: str | None
) -> None:
    post = make_post(make_entry(language=entry), make_source(language=source))

    [element] = entries(make_edition(post))

    assert element.get(LANG) == expected


def test_the_planets_entries_name_their_source_and_a_sources_do_not() -> None:
    documents = {path: entries(EDITION, path) for path in ("atom.xml", "source/blog/atom.xml")}

    named = {
        path: [entry.findtext(f"{ATOM}source/{ATOM}title") for entry in found]
        for path, found in documents.items()
    }

    assert named == {
        "atom.xml": ["The Show", "A Blog", "A Blog", "Short", "Terse"],
        "source/blog/atom.xml": [None, None],
    }


@cases(
    "posts, expected",
    case("newest change", (1, 2), "2026-11-20T11:00:00Z"),
    case("nothing ever changed", (), "2000-01-01T00:00:00Z"),
)
def test_a_feed_was_updated_when_its_newest_post_was(posts: tuple[int, ...], expected: str) -> None:
    edition = make_edition(*(make_post(make_entry(number)) for number in posts))

    document = ET.fromstring(written(edition)["atom.xml"])

    assert document.findtext(f"{ATOM}updated") == expected
