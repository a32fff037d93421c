"""Which entries may be the same is told by their signs."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from planet.model import NewEntry
from planet.store import Row, Store
from tests.builders import NOW, make_draft, make_reading, make_state
from tests.cases import case, cases

HOUR = timedelta(hours=1)
UUID = "0f0e0d0c-0b0a-4908-8706-050403020100"
LINK = "https://one.example/a"


def keep(store: Store, feed: str, *drafts: NewEntry, later: timedelta = timedelta()) -> None:
    store.keep(make_state(feed), make_reading(*drafts), now=NOW + later)


def the_same(store: Store, *ids: str) -> list[tuple[str, str]]:
    """The feed and id of each entry that may be the same as another."""
    entries = store.entries(["one", "two"])
    picks = {-place: said for place, said in enumerate(ids, 1)}
    families = store.timeline("").families([*picks, *(entry.number for entry in entries)], picks)
    return [(entry.feed, entry.id) for entry in entries if entry.number in families]


@cases(
    "one, two, are_alike",
    case("one link", {"link": LINK}, {"link": LINK}, True),
    case("links to parts of a page", {"link": LINK}, {"link": f"{LINK}#part"}, True),
    case("one server", {"link": LINK}, {"link": "HTTPS://ONE.example:443/a"}, True),
    case("one page", {"link": LINK}, {"link": f"{LINK}/?utm_source=x"}, True),
    case("other links", {"link": LINK}, {"link": f"{LINK}/?p=1"}, False),
    case("no links", {}, {}, False),
    case("one UUID", {"id": UUID}, {"id": f"urn:uuid:{UUID.upper()}"}, True),
    case("one id", {"id": "7"}, {"id": "7"}, True),
    case("a link that is an id, too", {"id": LINK, "link": LINK}, {"link": LINK}, True),
    case("a link that is another's id", {"link": LINK}, {"id": LINK}, True),
)
def test_entries_of_two_feeds_may_be_the_same_with(
    one: dict[str, Any], two: dict[str, Any], are_alike: bool, store: Store
) -> None:
    keep(store, "one", replace(make_draft("1"), **one))
    keep(store, "two", replace(make_draft("2"), **two))

    assert len(the_same(store)) == (2 if are_alike else 0)


def test_a_link_that_only_one_feed_has_says_nothing(store: Store) -> None:
    keep(store, "one", make_draft("1", link=LINK), make_draft("2", link=LINK))

    assert the_same(store) == []


def test_entries_may_be_the_same_as_what_was_asked_for(store: Store) -> None:
    keep(store, "one", make_draft("1"), make_draft("2"))

    assert the_same(store, "2", "3") == [("one", "2")]


def test_an_edit_changes_what_an_entry_may_be_the_same_as(store: Store) -> None:
    keep(store, "one", make_draft("1", link=LINK))
    keep(store, "two", make_draft("2", link=LINK))
    keep(store, "two", make_draft("2"))

    assert the_same(store) == []


def test_posts_are_found_by_their_links_whatever_their_ids(store: Store) -> None:
    drafts = (
        make_draft("1", link=LINK),
        make_draft(LINK, link=f"{LINK}#part"),
        make_draft(f"{LINK}?utm_source=x"),
        make_draft("4", link=f"{LINK}/b"),
    )
    keep(store, "one", *drafts)
    rows = store.timeline("")
    rows.decided("", "", NOW, None)
    rows.put(
        Row(entry.number, None, "", None, False, None, None, 1, NOW, NOW.date(), NOW, NOW, False)
        for entry in store.entries(["one"])
    )

    assert sorted(link for *_, link in rows.linked([LINK])) == [LINK, f"{LINK}#part"]


def test_an_entry_that_is_gone_is_the_same_as_nothing(store: Store) -> None:
    keep(store, "one", make_draft("1", link=LINK))
    keep(store, "two", make_draft("2", link=LINK))
    store.retire(["one"], entries_before=NOW + HOUR, texts_before=NOW)

    assert the_same(store) == []
