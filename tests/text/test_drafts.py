"""Drafts and digests: what of an entry is kept, and when it counts as edited."""

from datetime import UTC, datetime
from typing import Any

import pytest

from planet.model import Enclosure, NewEntry, ParsedEntry, Person, Text
from planet.text.html import Cleaning, clean, draft_entry, hash_entry
from tests.cases import case, cases
from tests.text.cases import html


def make_entry(**changes: Any) -> ParsedEntry:
    return ParsedEntry(id="1", **changes)


def draft(entry: ParsedEntry, *, is_cleaned: bool = False) -> NewEntry:
    return draft_entry(entry, cleaning=Cleaning(), clean_content=is_cleaned, rank=None, digest="d")


def test_a_draft_has_lines_and_a_text() -> None:
    text = html("<p>At <a href='https://a.example/'>length</a></p>")
    entry = make_entry(
        link="https://blog.example/1",
        title=html("AT&amp;T <b>wins</b>"),
        summary=html("<p>In short</p>"),
        content=text,
        authors=(Person(name="Ann"),),
        categories=("a",),
    )

    made = draft_entry(entry, cleaning=Cleaning(), clean_content=True, rank=3, digest="d")

    assert made == NewEntry(
        id="1",
        digest="d",
        link="https://blog.example/1",
        title="AT&T wins",
        summary="In short",
        content=clean(text, Cleaning()),
        links=("https://a.example/",),
        raw=text,
        cleaning=Cleaning().version,
        rank=3,
        authors=(Person(name="Ann"),),
        categories=("a",),
    )


@cases(
    "texts, expected",
    case("nothing", {}, (None, None, None)),
    case("tags", {"title": html("<br>"), "summary": html("<i></i>")}, (None, None)),
    case("summary alone", {"summary": Text(value="words")}, (None, "words")),
    case("content alone", {"content": html("<p>words</p>")}, (None, "words")),
    case(
        "long",
        {"title": Text(value="t" * 400), "content": html("<p>word</p>" * 200)},
        ("t" * 299 + "…", "word " * 98 + "word…"),
    ),
)
def test_a_draft_has_what_there_is(
    texts: dict[str, Text], expected: tuple[str | None, ...]
) -> None:
    made = draft(make_entry(**texts))

    assert (made.title, made.summary) == expected[:2]
    raw = texts.get("content") or texts.get("summary")
    assert (made.content, made.links, made.raw) == (None, None, raw)


TITLE = "The heron on the pier"


@cases(
    "words, expected",
    case("the title", TITLE, None),
    case("the title, in capitals", TITLE.upper(), None),
    case("the title and more", f"{TITLE}: It came back", "It came back"),
    case("a sentence that begins so", f"{TITLE} is back", f"{TITLE} is back"),
    case("words that are cut", "It came […]", "It came…"),
    case("a link to the rest", "It came. Read more", "It came."),
    case("a link and an arrow", "It came… Continue reading “The heron” →", "It came…"),
    case("nothing else", "Read more…", None),
    case("where it was first", "It came. The post H appeared first on B.", "It came."),
    case("both", "It came. Read more The post H appeared first on B.", "It came."),
    case("advice", "You should read more", "You should read more"),
)
def test_an_excerpt_leaves_out_what_says_nothing(words: str, expected: str | None) -> None:
    entry = make_entry(title=Text(value=TITLE), summary=Text(value=words))

    made = draft(entry)

    assert made.summary == expected


@pytest.mark.parametrize("is_cleaned", [True, False])
def test_of_pictures_alone_the_excerpt_is_what_they_show(is_cleaned: bool) -> None:
    entry = make_entry(content=html('<img src="https://a.example/1" alt="A &lt;heron&gt;">'))

    made = draft(entry, is_cleaned=is_cleaned)

    assert made.summary == ("A <heron>" if is_cleaned else None)


def test_the_digest_changes_with_every_edit() -> None:
    entries = [
        make_entry(),
        make_entry(title=Text(value="t")),
        make_entry(title=html("t")),
        make_entry(summary=Text(value="t")),
        make_entry(comments="https://a.example/1#comments"),
        make_entry(enclosures=(Enclosure(url="https://a.example/"),)),
        make_entry(enclosures=(Enclosure(url="https://a.example/", length=1),)),
    ]

    assert len({hash_entry(entry) for entry in entries}) == len(entries)


@cases(
    "one, other",
    case("its date", {}, {"published": datetime(2026, 11, 3, tzinfo=UTC)}),
    case("its change", {}, {"updated": datetime(2026, 11, 3, tzinfo=UTC)}),
    case(
        "where the feed is",
        {"content": html("x", base="http://blog.example/")},
        {"content": html("x", base=None)},
    ),
)
def test_the_digest_stays_with(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert hash_entry(make_entry(**one)) == hash_entry(make_entry(**other))
