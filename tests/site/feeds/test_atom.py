"""Atom as RFC 4287 wants it, read back by a checker of its rules and by feedparser."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from planet.model import ContentMode, Enclosure, Person
from tests.site.feeds.make import make_edition, make_entry, make_post, make_source, written
from tests.site.feeds.rfc4287 import ATOM, LANG, problems
from tests.site.feeds.sample import EDITION, TEXTS

if TYPE_CHECKING:
    from planet.model import Edition


def entries(edition: Edition, path: str = "atom.xml") -> list[ET.Element]:
    return ET.fromstring(written(edition, TEXTS)[path]).findall(f"{ATOM}entry")


@pytest.mark.parametrize(
    "edition",
    [
        pytest.param(EDITION, id="with everything"),
        pytest.param(replace(EDITION, link=None), id="without an address"),
        pytest.param(make_edition(sources=EDITION.sources), id="without posts"),
        pytest.param(make_edition(link=None), id="without anything"),
    ],
)
def test_every_document_keeps_to_rfc_4287(edition: Edition) -> None:
    documents = written(edition, TEXTS)

    found = {path: problems(documents[path]) for path in documents if path.endswith("atom.xml")}

    assert found == {path: [] for path in found}
    assert len(found) == 1 + len(edition.sources)


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        pytest.param("<updated>", "<x/><updated>", "unknown", id="unknown element"),
        pytest.param("T10:00:00Z", "", "is no date", id="no date"),
        pytest.param('rel="alternate"', 'rel="replies"', "neither content", id="no alternate"),
        pytest.param('rel="self"', 'rel="x"', "unknown relation", id="unknown relation"),
        pytest.param('rel="self"', 'rel="current"', "an archive has", id="archive unsaid"),
        pytest.param('rel="self"', 'rel="next-archive"', "newer", id="newer archive"),
        pytest.param('<summary type="text">Summary 2</summary>', "", "nothing to read", id="empty"),
        pytest.param(">Summary 2<", "><", "text construct", id="empty text"),
        pytest.param("</feed", "<icon>x:y</icon></feed", "after an entry", id="order"),
        pytest.param("Summary 2", "Summary\x80", "control", id="control"),
        pytest.param("T10:00:00Z", "T25:00:00Z", "is no date", id="hour that is none"),
        pytest.param(
            "</source", "<id>x:y</id></source", "source https://one.example/feed", id="source"
        ),
        pytest.param("<name>One</name>", "<name/>", "not a person", id="no name"),
        pytest.param(">https://one.example/2<", ">2<", "no absolute IRI", id="relative id"),
        pytest.param('href="https:', 'href="', "no absolute IRI", id="relative link"),
        pytest.param("author>", "contributor>", "no author", id="no author"),
        pytest.param('term="x"', 'term=""', "no term", id="no term"),
        pytest.param('type="text"', 'type="x"', "text construct", id="wrong type"),
        pytest.param('type="text/html"', 'type="x"', "media type", id="wrong media type"),
        pytest.param('length="5"', 'length="-"', "no length", id="wrong length"),
        pytest.param('lang="en"', 'lang="e n"', "no language", id="wrong language"),
        pytest.param("<published>", "<rights/><rights/><published>", "two of", id="twice"),
        pytest.param("<published>", "<id>x:y</id><published>", "2 of id", id="two ids"),
        pytest.param(
            "</feed",
            "<entry><id>https://one.example/2</id></entry></feed",
            "twice",
            id="entry twice",
        ),
        pytest.param(
            "<published>", '<link href="x:y"/><link href="x:z"/><published>', "same", id="two links"
        ),
        pytest.param("2005/Atom", "2004/Atom", "the root", id="another language"),
    ],
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


@pytest.mark.parametrize(
    ("mode", "link", "expected"),
    [
        pytest.param(ContentMode.FULL, "https://x.example/", ["summary", "content"], id="full"),
        pytest.param(ContentMode.SUMMARY, "https://x.example/", ["summary"], id="summary"),
        pytest.param(ContentMode.TITLE, "https://x.example/", ["summary"], id="title"),
        pytest.param(ContentMode.SUMMARY, None, ["content"], id="summary, linking nowhere"),
        pytest.param(ContentMode.TITLE, None, ["content"], id="title, linking nowhere"),
    ],
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


@pytest.mark.parametrize(
    ("entry", "source", "expected"),
    [
        pytest.param({"authors": (Person(name="A"), Person(name="B"))}, {}, ["A", "B"], id="own"),
        pytest.param(
            {"authors": (Person(url="https://a.example/"),)},
            {},
            ["https://a.example/"],
            id="nameless",
        ),
        pytest.param({"authors": (Person(name=""),)}, {"author": "S"}, ["S"], id="empty"),
        pytest.param({}, {"author": "S"}, ["S"], id="source's author"),
        pytest.param({}, {}, ["One"], id="source"),
    ],
)
def test_every_entry_has_an_author(
    entry: dict[str, Any], source: dict[str, Any], expected: list[str]
) -> None:
    post = make_post(make_entry(**entry), make_source(**source))

    [element] = entries(make_edition(post))

    assert [name.text for name in element.findall(f"{ATOM}author/{ATOM}name")] == expected


@pytest.mark.parametrize(
    ("entry", "source", "expected"),
    [
        pytest.param("fr", "de", "fr", id="own"),
        pytest.param(None, "de", "de", id="source's"),
        pytest.param("pt_BR ", None, "pt-BR", id="underscore"),
        pytest.param("not a language", "de", "de", id="nonsense"),
        pytest.param("english", "de", "de", id="its name"),
        pytest.param("jp", "de", "de", id="a country"),
        pytest.param("gsw-CH", "de", "gsw-CH", id="three letters"),
        pytest.param(None, None, None, id="unknown"),
    ],
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


@pytest.mark.parametrize(
    ("posts", "expected"),
    [
        pytest.param((1, 2), "2026-11-20T11:00:00Z", id="newest change"),
        pytest.param((), "2000-01-01T00:00:00Z", id="nothing ever changed"),
    ],
)
def test_a_feed_was_updated_when_its_newest_post_was(posts: tuple[int, ...], expected: str) -> None:
    edition = make_edition(*(make_post(make_entry(number)) for number in posts))

    document = ET.fromstring(written(edition)["atom.xml"])

    assert document.findtext(f"{ATOM}updated") == expected
