"""Which entries are assembled together, and that the table of posts follows."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from planet.model import Filters, NewEntry
from planet.store import PostTable, Store
from planet.timeline.assemble import Rules
from planet.timeline.edition import picked_posts
from planet.timeline.posts import update_posts
from tests.builders import (
    NOW,
    make_draft,
    make_feed,
    make_pick,
    make_reading,
    make_source,
    make_state,
)
from tests.cases import case, cases
from tests.stored import keep_reading

HOUR = timedelta(hours=1)
UUID = "0f0e0d0c-0b0a-4908-8706-050403020100"
LINK = "https://one.example/a"
FEEDS = {key: make_feed(key) for key in ("one", "two")}
SOURCES = {key: make_source(key) for key in FEEDS}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "state") as store:
        yield store


def keep(store: Store, feed: str, *drafts: NewEntry, later: timedelta = timedelta()) -> None:
    keep_reading(store, make_state(feed), make_reading(*drafts), now=NOW + later)


def make_rules(*picks: str, **changes: Any) -> Rules:
    zone = ZoneInfo("UTC")
    rules: dict[str, Any] = {
        "feeds": FEEDS,
        "sources": SOURCES,
        "picked": picked_posts(
            [make_pick(pick) for pick in picks], SOURCES, zone=zone, cleaning=""
        ),
        "planet": Filters(),
        "zone": zone,
        "cleaning": "",
        "retention": timedelta(days=365),
    }
    return Rules(**{**rules, **changes})


def update(store: Store, rules: Rules, *, later: timedelta = timedelta()) -> PostTable:
    table = store.posts("")
    update_posts(table, rules, texts=lambda _: {}, now=NOW + later)
    return table


def related(store: Store, *picks: str) -> list[tuple[str, str]]:
    """The feed and id of each entry that may be the same as another, or as a pick."""
    table = update(store, make_rules(*picks))
    numbers = {row.number for row in table.rows() if row.family is not None}
    entries = store.entries.of_feeds(["one", "two"])
    return [(entry.feed, entry.id) for entry in entries if entry.number in numbers]


@cases(
    "one, two, are_alike",
    case("one link", {"link": LINK}, {"link": LINK}, True),
    case("one page", {"link": LINK}, {"link": f"{LINK}/?utm_source=x"}, True),
    case("other links", {"link": LINK}, {"link": f"{LINK}/?p=1"}, False),
    case("no links", {}, {}, False),
    case("one UUID", {"id": UUID}, {"id": f"urn:uuid:{UUID.upper()}"}, True),
    case("one id", {"id": "7"}, {"id": "7"}, True),
    case("a link that is an id, too", {"id": LINK, "link": LINK}, {"link": LINK}, True),
    case("a link that is another's id", {"link": LINK}, {"id": LINK}, True),
)
def test_entries_of_two_feeds_may_be_the_same_with_one_link_or_id(
    one: dict[str, Any], two: dict[str, Any], are_alike: bool, store: Store
) -> None:
    keep(store, "one", replace(make_draft("1"), **one))
    keep(store, "two", replace(make_draft("2"), **two))

    assert len(related(store)) == (2 if are_alike else 0)


def test_a_link_that_only_one_feed_has_says_nothing(store: Store) -> None:
    keep(store, "one", make_draft("1", link=LINK), make_draft("2", link=LINK))

    assert related(store) == []


def test_an_entry_is_related_to_a_pick_of_it(store: Store) -> None:
    keep(store, "one", make_draft("1"), make_draft("2"))

    assert related(store, "2", "3") == [("one", "2")]


def test_an_edit_changes_what_an_entry_may_be_the_same_as(store: Store) -> None:
    keep(store, "one", make_draft("1", link=LINK))
    keep(store, "two", make_draft("2", link=LINK))
    related(store)
    keep(store, "two", make_draft("2"))

    assert related(store) == []


def test_posts_are_found_by_their_links_whatever_their_ids(store: Store) -> None:
    drafts = (
        make_draft("1", link=LINK),
        make_draft(LINK, link=f"{LINK}#part"),
        make_draft(f"{LINK}?utm_source=x"),
        make_draft("4", link=f"{LINK}/b"),
    )
    keep(store, "one", *drafts)
    table = update(store, make_rules())

    assert sorted(row.link for row in table.linking_to([LINK])) == [LINK, f"{LINK}#part"]


def test_an_entry_that_is_gone_is_the_same_as_nothing(store: Store) -> None:
    keep(store, "one", make_draft("1", link=LINK))
    keep(store, "two", make_draft("2", link=LINK))
    related(store)
    store.retire(["one"], entries_before=NOW + HOUR, texts_before=NOW)

    assert related(store) == []


def rows_written(store: Store, rules: Rules) -> list[int]:
    """The numbers of the entries whose rows an update writes, found by emptying their reasons."""
    table = store.posts("")
    table.put(row._replace(detail="old") for row in list(table.rows()))
    update(store, rules)
    return sorted(row.number for row in table.rows() if row.detail != "old")


def test_what_did_not_change_is_not_assembled_again(store: Store) -> None:
    keep(store, "one", make_draft("1"), make_draft("2"))
    update(store, make_rules())
    keep(store, "two", make_draft("3"))

    assert rows_written(store, make_rules()) == [3]


def test_what_is_the_same_as_a_new_entry_is_assembled_with_it(store: Store) -> None:
    keep(store, "one", make_draft("1", link=LINK), make_draft("2"))
    update(store, make_rules())
    number = next(entry.number for entry in store.entries.of_feeds(["one"]) if entry.id == "1")
    keep(store, "two", make_draft("3", link=LINK))

    assert rows_written(store, make_rules()) == [number, 3]


@pytest.mark.parametrize("counts", ["feed", "planet"])
def test_filters_that_count_assemble_all_that_they_count(counts: str, store: Store) -> None:
    recent = Filters(recent=1)
    changes: dict[str, Any] = {"planet": recent}
    if counts == "feed":
        changes = {"feeds": {**FEEDS, "one": replace(FEEDS["one"], filters=recent)}}
    rules = make_rules(**changes)
    keep(store, "one", make_draft("1"))
    keep(store, "two", make_draft("2"))
    update(store, rules)
    keep(store, "one", make_draft("1"), make_draft("3"), later=HOUR)

    assert rows_written(store, rules) == ([1, 3] if counts == "feed" else [1, 2, 3])


def test_changed_rules_of_all_assemble_everything(store: Store) -> None:
    keep(store, "one", make_draft("1"))
    keep(store, "two", make_draft("2"))
    update(store, make_rules())

    assert rows_written(store, make_rules(zone=ZoneInfo("Asia/Tokyo"))) == [1, 2]


def test_an_entry_whose_time_has_come_is_assembled_again(store: Store) -> None:
    rules = make_rules(planet=Filters(max_age=HOUR))
    keep(store, "one", make_draft("1", published=NOW))
    update(store, rules)

    table = update(store, rules, later=2 * HOUR)

    assert [row.reason for row in table.rows()] == ["max_age"]
