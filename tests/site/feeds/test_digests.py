"""Digests as a feed, and what Planet itself says in feeds in its language."""

import io
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree as ET

import feedparser  # type: ignore[import-untyped]  # it ships no types
import pytest
from msgspec.structs import replace

from planet.model import Digest, DigestItem, DigestSection, Edition
from tests.cases import case, cases
from tests.site.feeds.checks import ATOM, problems
from tests.site.feeds.make import make_edition, make_entry, make_picked, make_source, written

DAY = datetime(2026, 11, 20, 6, tzinfo=UTC)


def make_digest(days: int = 0, **item: Any) -> Digest:
    """A digest of so many days ago that tells of one post."""
    due = DAY - timedelta(days=days)
    told = DigestItem(uid="urn:x", heading="Heading")
    return Digest(
        name=f"{due:%Y-%m-%d}",
        due_at=due,
        made_at=due + timedelta(minutes=7),
        since=due - timedelta(days=1),
        sections=(DigestSection(source="One", items=(replace(told, **item),)),),
    )


def planet(*digests: Digest, **changes: Any) -> Edition:
    return make_edition(digests=digests, **changes)


def test_an_entry_never_changes_when_others_come_after_it() -> None:
    def entries(*days: int) -> list[bytes]:
        document = ET.fromstring(written(planet(*map(make_digest, days)))["digest.xml"])
        return [ET.tostring(entry) for entry in document.findall(f"{ATOM}entry")]

    before, after = entries(2, 3), entries(0, 1, 2, 3)

    assert after[2:] == before


@cases(
    "edition, expected",
    case("none to be made", make_edition(digests=None), []),
    case("none made yet", make_edition(digests=()), ["digest.xml"]),
    case("one made", planet(make_digest()), ["digest.xml"]),
)
def test_there_are_feeds_of_digests_where_digests_are_made(
    edition: Edition, expected: list[str]
) -> None:
    documents = written(edition)

    assert [path for path in documents if path.startswith("digest")] == expected
    assert problems({path: documents[path] for path in expected}) == {}


@pytest.mark.parametrize(
    ("language", "title", "entry"),
    [
        ("en", "Digest", "Digest of 20 November 2026"),
        ("de", "Überblick", "Überblick vom 20. November 2026"),
        ("ja", "ダイジェスト", "2026年11月20日のダイジェスト"),
        ("ar", "الملخص", "ملخص 20 نوفمبر 2026"),
    ],
)
def test_a_digest_is_called_in_the_language_of_the_planet(
    language: str, title: str, entry: str
) -> None:
    files = written(planet(make_digest(), language=language))

    parsed = feedparser.parse(io.BytesIO(files["digest.xml"]))
    assert (parsed.feed.title, parsed.entries[0].title) == (f"Planet Test: {title}", entry)


def test_when_a_pick_was_published_is_said_as_the_planet_speaks() -> None:
    entry = make_entry(-1, published=datetime(2024, 5, 3, tzinfo=UTC), summary="S")
    post = make_picked(entry, make_source())

    files = written(make_edition(post, language="de"))

    parsed = feedparser.parse(io.BytesIO(files["atom.xml"]))
    assert parsed.entries[0].content[0].value.startswith("<p><em>Erschienen am 3. Mai 2024</em>")
