"""What a published site tells of its entries when the state is lost."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from planet.model import PublishedEntry
from planet.run.recover import published_entries
from tests.cases import case, cases

_SEEN = "2026-11-20T11:00:00Z"
OF_ANOTHER = "it is not a feed that Planet made"


def said(*items: object) -> bytes:
    """A feed of this program's with these items."""
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "_planet": {"about": "https://docs.example/"},
        "items": list(items),
    }
    return json.dumps(feed).encode()


def item(**members: Any) -> dict[str, Any]:
    """An item of `said`; a member that is None is not there."""
    found = {
        "id": "urn:e:a",
        "date_published": _SEEN,
        "_planet": {"source": {"slug": "one"}, "first_seen": _SEEN},
    } | members
    return {name: value for name, value in found.items() if value is not None}


@cases(
    "wrong",
    case("a number", 7),
    case("without id", item(id=None)),
    case("an id that is no text", item(id=7)),
    case("without date", item(date_published=None)),
    case("a date that is none", item(date_published="yesterday")),
    case("a date before all", item(date_published="0001-01-01T00:00:00+23:00")),
    case("a date without zone", item(date_published="2026-11-20T11:00:00")),
    case("an extension that is a list", item(_planet=[])),
    case("a source of no kind", item(_planet={"source": 7, "first_seen": _SEEN})),
    case("without first_seen", item(_planet={"source": {"slug": "one"}})),
    case("a show without page", item(_planet={"source": {}, "first_seen": _SEEN})),
)
def test_an_item_that_does_not_say_everything_is_passed_over(wrong: object) -> None:
    found = published_entries(said(wrong, item(id="urn:e:b")))

    assert [entry.uid for entry in found] == ["urn:e:b"]


def test_a_feed_tells_when_each_entry_was_seen_and_filed() -> None:
    filed = "2026-11-21T11:00:00+01:00"

    (entry,) = published_entries(said(item(date_published=filed)))

    seen = datetime(2026, 11, 20, 11, tzinfo=UTC)
    assert entry == PublishedEntry(
        slug="one", uid="urn:e:a", first_seen=seen, filed=seen + timedelta(hours=23)
    )
