"""Digests as a feed."""

from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree as ET

from msgspec.structs import replace

from planet.model import Digest, DigestItem, DigestSection, Edition
from tests.cases import case, cases
from tests.site.feeds.checks import problems
from tests.site.feeds.make import make_edition, written
from tests.site.feeds.rfc4287 import ATOM

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


def test_the_feed_has_the_newest_thirty() -> None:
    made = [make_digest(days) for days in range(31)]

    document = ET.fromstring(written(planet(*made))["digest.xml"])

    ids = [entry.findtext(f"{ATOM}id") for entry in document.findall(f"{ATOM}entry")]
    assert ids == [f"https://planet.example/digest/{digest.name}/" for digest in made[:30]]


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


def test_a_digest_without_an_address_has_an_id_that_depends_on_title_and_day_alone() -> None:
    def ids(title: str) -> list[str | None]:
        edition = planet(make_digest(0), make_digest(1), link=None, title=title)
        document = ET.fromstring(written(edition)["digest.xml"])
        return [element.text for element in document.iter(f"{ATOM}id")]

    assert ids("A") == [
        "urn:uuid:87321c60-0940-501b-bbe4-4781115eb736",
        "urn:uuid:8e66f0ed-a65c-53e1-b4c5-726e003a24f3",
        "urn:uuid:bd693808-fafd-5870-85c9-94a9da214a37",
    ]
    assert len({*ids("A"), *ids("B")}) == 6
