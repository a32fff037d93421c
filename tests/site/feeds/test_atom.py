"""Atom and JSON Feed: as much as a source allows, and the same in both."""

import json
from typing import Any
from xml.etree import ElementTree as ET

from planet.model import ContentMode, Edition, Person
from tests.cases import case, cases
from tests.site.feeds.make import (
    ATOM,
    LANG,
    TEXTS,
    make_edition,
    make_post,
    make_source,
    written,
)


def entries(edition: Edition, path: str = "atom.xml") -> list[ET.Element]:
    return ET.fromstring(written(edition, TEXTS)[path]).findall(f"{ATOM}entry")


@cases(
    "mode, link, expected",
    case("full", ContentMode.FULL, "https://x.example/", ["summary", "content"]),
    case("summary", ContentMode.SUMMARY, "https://x.example/", ["summary"]),
    case("title", ContentMode.TITLE, "https://x.example/", ["summary"]),
    case("title, linking nowhere", ContentMode.TITLE, None, ["content"]),
)
def test_only_as_much_of_an_entry_is_published_as_its_source_allows(
    mode: ContentMode, link: str | None, expected: list[str]
) -> None:
    post = make_post(2, make_source(content=mode), link=link)

    [entry] = entries(make_edition(post))

    words = [
        e.tag.removeprefix(ATOM) for e in entry if e.tag in {f"{ATOM}summary", f"{ATOM}content"}
    ]
    assert words == expected
    assert ("Full article" in "".join(entry.itertext())) is (mode is ContentMode.FULL)
    assert ("Summary 2" in "".join(entry.itertext())) is (mode is not ContentMode.TITLE)


@cases(
    "entry, source, expected",
    case("own", {"authors": (Person(name="A"), Person(name="B"))}, {}, ["A (One)", "B (One)"]),
    case("source's author", {}, {"author": "S"}, ["S (One)"]),
    case("source", {}, {}, ["One"]),
)
def test_every_entry_names_its_author_and_its_source(
    entry: dict[str, Any], source: dict[str, Any], expected: list[str]
) -> None:
    post = make_post(1, make_source(**source), **entry)

    [element] = entries(make_edition(post))

    assert [name.text for name in element.findall(f"{ATOM}author/{ATOM}name")] == expected


@cases(
    "entry, source, expected",
    case("own", "fr", "de", "fr"),
    case("source's", None, "de", "de"),
    case("nonsense", "not a language", "de", "de"),
    case("unknown", None, None, None),
)
def test_an_entry_says_its_language_where_that_is_known(
    entry: str | None, source: str | None, expected: str | None
) -> None:
    post = make_post(1, make_source(language=source), language=entry)

    [element] = entries(make_edition(post))

    assert element.get(LANG) == expected


@cases(
    "title, summary, text, expected",
    case("text", "T", "S", "<p>C</p>", ("<p>C</p>", None)),
    case("summary", "T", "S", None, (None, "S")),
    case("title", "T", None, None, (None, "T")),
    case("nothing", None, None, None, (None, "one.example/1")),
)
def test_an_item_always_holds_something_to_read(
    title: str | None,
    summary: str | None,
    text: str | None,
    expected: tuple[str | None, str | None],
) -> None:
    edition = make_edition(make_post(title=title, summary=summary))

    feed = json.loads(written(edition, {1: text} if text else {})["feed.json"])

    [item] = feed["items"]
    assert (item.get("content_html"), item.get("content_text")) == expected
