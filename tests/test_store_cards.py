"""Cards say what whole entries say; those that may be the same are found by their signs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import fields, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from planet.model import Enclosure, Entry, Episode, Future, Origin, Person
from planet.store import Store
from tests.builders import NOW, make_draft, make_memory, make_reading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from planet.model import NewEntry

HOUR = timedelta(hours=1)
UUID = "0f0e0d0c-0b0a-4908-8706-050403020100"
LINK = "https://one.example/a"
FULL = make_draft(
    "full",
    link=LINK,
    title="Title",
    summary="Summary",
    published=NOW + HOUR,
    updated=NOW - HOUR,
    rank=3,
    authors=(Person(name="Ann"),),
    categories=("news",),
    enclosures=(Enclosure(url=f"{LINK}.mp3"),),
    image="https://one.example/a.png",
    comments=f"{LINK}#comments",
    rights="CC0",
    origin=Origin(title="Elsewhere"),
    language="de",
    episode=Episode(number=4),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path) as opened:
        yield opened


def keep(store: Store, feed: str, *drafts: NewEntry, later: timedelta = timedelta()) -> None:
    store.keep(make_memory(feed), make_reading(*drafts), now=NOW + later)


def the_same(store: Store, *ids: str) -> list[tuple[str, str]]:
    """The feed and id of each entry that may be the same as another."""
    alike = store.alike(ids)
    return [(each.feed, each.id) for each in store.entries(["one", "two"]) if each.number in alike]


@pytest.mark.parametrize("name", [field.name for field in fields(Entry)])
@pytest.mark.parametrize(
    "draft",
    [
        pytest.param(FULL, id="a full one"),
        pytest.param(replace(FULL, origin=None, enclosures=()), id="without file and origin"),
        pytest.param(make_draft("full"), id="an empty one"),
    ],
)
def test_whatever_is_asked_of_a_card_first_is_what_the_entry_says(
    draft: NewEntry, name: str, store: Store
) -> None:
    keep(store, "one", make_draft("full"))
    keep(store, "one", draft, later=HOUR)

    (card,) = store.cards(["one"])
    (entry,) = store.entries(["one"])

    assert getattr(card, name) == getattr(entry, name)


@pytest.mark.parametrize("future", list(Future))
@pytest.mark.parametrize("published", [None, NOW - HOUR, NOW + HOUR])
def test_a_card_is_filed_where_its_entry_is(
    published: object, future: Future, store: Store
) -> None:
    keep(store, "one", make_draft(published=published))

    (card,), (entry,) = store.cards(["one"]), store.entries(["one"])

    assert card.filed(future) == entry.filed(future)


def test_cards_are_by_date_and_of_these_feeds_only(store: Store) -> None:
    keep(store, "one", make_draft("new", published=NOW), make_draft("old", published=NOW - HOUR))
    keep(store, "two", make_draft("other"))

    assert [card.id for card in store.cards(["one", "gone"])] == ["old", "new"]


def test_the_mark_of_a_card_changes_when_its_entry_is_edited(store: Store) -> None:
    keep(store, "one", make_draft("a"))
    (before,) = store.cards(["one"])
    keep(store, "one", make_draft("a", title="Another"))
    (edited,) = store.cards(["one"])
    keep(store, "one", make_draft("a", title="Another"), later=HOUR)
    (later,) = store.cards(["one"])

    assert len({before.mark, edited.mark, later.mark}) == 3


@pytest.mark.parametrize(
    ("one", "two", "are_alike"),
    [
        pytest.param({"link": LINK}, {"link": LINK}, True, id="one link"),
        pytest.param({"link": LINK}, {"link": f"{LINK}#part"}, True, id="links to parts of a page"),
        pytest.param({"link": LINK}, {"link": "HTTPS://ONE.example:443/a"}, True, id="one server"),
        pytest.param({"link": LINK}, {"link": f"{LINK}/?utm_source=x"}, True, id="one page"),
        pytest.param({"link": LINK}, {"link": f"{LINK}/?p=1"}, False, id="other links"),
        pytest.param({}, {}, False, id="no links"),
        pytest.param({"id": UUID}, {"id": f"urn:uuid:{UUID.upper()}"}, True, id="one UUID"),
        pytest.param({"id": "7"}, {"id": "7"}, True, id="one id"),
    ],
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


def test_an_entry_that_is_gone_is_the_same_as_nothing(store: Store) -> None:
    keep(store, "one", make_draft("1", link=LINK))
    keep(store, "two", make_draft("2", link=LINK))
    store.retire(["one"], entries_before=NOW + HOUR, texts_before=NOW)

    assert the_same(store) == []


def test_a_state_without_signs_gets_them(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        keep(store, "one", make_draft("1", link=LINK), make_draft("3"))
        keep(store, "two", make_draft("2", link=f"{LINK}#part"))
    with closing(sqlite3.connect(tmp_path / "planet.sqlite")) as connection:
        connection.executescript(
            "DROP TABLE sign; DROP TABLE seed; DROP TABLE waiting; "
            "ALTER TABLE planet DROP COLUMN believed; "
            "ALTER TABLE text DROP COLUMN excerpt; ALTER TABLE feed DROP COLUMN first_key; "
            "ALTER TABLE entry DROP COLUMN first_id; PRAGMA user_version = 5"
        )

    with Store.open(tmp_path) as store:
        assert the_same(store) == [("one", "1"), ("two", "2")]
