"""What the store keeps beside entries: their texts, pictures, and episodes to pick."""

import sqlite3
import zlib
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from planet.errors import StateError
from planet.model import (
    Counts,
    Html,
    NewEntry,
    Picks,
    StoredPicture,
)
from planet.store import Store
from tests.builders import NOW, make_draft, make_feed, make_reading, make_state
from tests.cases import case, cases
from tests.stored import keep_reading, stored_digests

LINK = "https://one.example/a"


def keep(
    store: Store,
    *drafts: NewEntry,
    shown: int | None = None,
    ids: tuple[str, ...] | None = None,
) -> Counts:
    reading = make_reading(*drafts)
    reading = reading if ids is None else replace(reading, ids=ids)
    return keep_reading(store, make_state(), reading, shown=shown)


def texts(store: Store) -> dict[str, str]:
    """The texts that are stored, by the ids of their entries."""
    ids = {entry.number: entry.id for entry in store.entries.of_feeds(["one"])}
    return {ids[number]: text.value for number, text in store.texts.read(list(ids)).items()}


def test_a_text_is_stored_once_clean_where_it_was_cleaned(tmp_path: Path) -> None:
    script = "<script>spam()</script>"
    with Store.open(tmp_path) as store:
        keep(store, make_draft("1", raw=script, content=Html("clean"), cleaning="1"))
        keep(store, make_draft("2", raw=script))
        store.texts.put_clean({2: Html("clean")}, cleaning="1")

    with closing(sqlite3.connect(tmp_path / "planet.sqlite")) as connection:
        values = connection.execute("SELECT text FROM entry").fetchall()
    assert [zlib.decompress(value) for (value,) in values] == [b"clean", b"clean"]


# Entries that a new feed had already


def first(number: int, **changes: object) -> NewEntry:
    """An entry of a new feed."""
    usual = {"title": "Title", "summary": f"Summary {number}", "raw": f"Text {number}"}
    return make_draft(str(number), **({"rank": number} | usual | changes))


def again(draft: NewEntry) -> NewEntry:
    """The same when its feed is read again: it is not new any more, and made clean."""
    return replace(draft, rank=None, content=Html("clean"), links=(LINK,), cleaning="1")


FOUR = (first(0), first(1), first(2), first(3))


@pytest.mark.parametrize("shown", [None, 4])
def test_none_waits_when_all_are_shown(shown: int | None, store: Store) -> None:
    keep(store, *FOUR, shown=shown)

    assert list(texts(store)) == ["3", "2", "1", "0"]


def test_what_is_held_back_waits_for_its_text_until_more_is_shown(store: Store) -> None:
    keep(store, *FOUR, shown=2)

    assert list(texts(store)) == ["1", "0"]
    assert keep(store, *FOUR, shown=4) == Counts(), "that is no edit"
    assert list(texts(store)) == ["3", "2", "1", "0"]


def test_an_edit_of_what_is_shown_does_not_wait(store: Store) -> None:
    keep(store, *FOUR, shown=2)

    keep(store, replace(again(FOUR[1]), digest="ff"), shown=1, ids=tuple("0123"))

    assert texts(store) == {"0": "Text 0", "1": "clean"}


# What texts link to

A, B = "https://a.example/", "https://b.example/?x=1&y=%20"


def kept(store: Store, *drafts: NewEntry) -> list[int]:
    """Store what a feed lists now; the numbers of its entries."""
    keep(store, *drafts)
    return [entry.number for entry in store.entries.of_feeds(["one"])]


def linking(entry_id: str = "1", *links: str, raw: str = "raw") -> NewEntry:
    return make_draft(
        entry_id, raw=raw, content=Html("clean"), cleaning="1", links=links, published=NOW
    )


def test_links_come_back_in_their_order(store: Store) -> None:
    drafts = [linking("3", B, A), linking("2"), make_draft("1", raw="not cleaned yet")]

    numbers = kept(store, *drafts)

    assert store.texts.links([*numbers, 99]) == {2: (), 3: (B, A)}


def test_links_can_be_put_later(store: Store) -> None:
    numbers = kept(store, make_draft("1", raw="a"))

    store.texts.put_links({numbers[0]: (A,)})

    assert store.texts.links(numbers) == {1: (A,)}


def test_any_number_can_be_asked_for_at_once(store: Store) -> None:
    numbers = kept(store, *(linking(str(n), A) for n in range(1234)))

    assert store.texts.links(numbers) == dict.fromkeys(numbers, (A,))
    assert store.texts.links([]) == {}


@cases(
    "edited, expected",
    case("another text", linking("1", B, raw="new"), {1: (B,)}),
    case("a text not cleaned yet", make_draft("1", raw="new"), {}),
    case("no text", make_draft("1"), {}),
)
def test_an_edit_replaces_them(
    edited: NewEntry, expected: dict[int, tuple[str, ...]], store: Store
) -> None:
    keep(store, linking("1", A))

    numbers = kept(store, edited)

    assert store.texts.links(numbers) == expected


def test_a_text_that_is_cleaned_again_keeps_them(store: Store) -> None:
    numbers = kept(store, linking("1", A))

    store.texts.put_clean({1: Html("cleaner")}, cleaning="2")

    assert store.texts.links(numbers) == {1: (A,)}


# Pictures in the store, and what of them was damaged there

URL = "https://one.example/icon.png"


def test_a_picture_is_what_was_stored_or_a_fault_of_the_state(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.pictures.put_face(StoredPicture(url=URL, asked_at=NOW, kind="png"), b"body")
        known, body = store.pictures.read()[URL], store.pictures.face(URL)
    with closing(sqlite3.connect(tmp_path / "planet.sqlite")) as connection:
        connection.execute("UPDATE picture SET body = x'00'")
        connection.commit()

    with pytest.raises(StateError), Store.open(tmp_path) as store:
        store.pictures.face(URL)

    assert (known.kind, known.asked_at, body) == ("png", NOW, b"body")


def test_a_picture_of_no_kind_is_a_fault_of_the_state(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.pictures.put_face(StoredPicture(url=URL, asked_at=NOW, kind="../../html"), b"body")

    with pytest.raises(StateError), Store.open(tmp_path) as store:
        store.pictures.read()


# What can be picked of feeds that show picks only: exactly what their documents list now

HOUR = timedelta(hours=1)


def keep_episodes(
    store: Store, *drafts: NewEntry, feed: str = "one", now: datetime = NOW, **document: Any
) -> Counts:
    """Keep a reading of these drafts; `ids` says what else the document lists."""
    state = make_state(feed, picks=Picks.ONLY)
    return keep_reading(store, state, make_reading(*drafts, **document), now=now)


def ids(store: Store, feed: str = "one") -> list[str]:
    return [entry.id for entry in store.entries.of_feeds([feed], picks=Picks.ONLY)]


def test_an_episode_is_kept_beside_the_entries_of_its_feed(store: Store) -> None:
    draft = make_draft("a", raw="text")

    keep_episodes(store, draft)

    (entry,) = store.entries.of_feeds(["one"], picks=Picks.ONLY)
    assert (entry.feed, entry.id, entry.digest, entry.rank) == ("one", "a", draft.digest, None)
    assert store.texts.read([entry.number]) == {entry.number: draft.raw}
    assert (store.entries.of_feeds(["one"]), stored_digests(store)) == ([], {})


def test_a_feed_has_exactly_the_episodes_that_its_document_lists(store: Store) -> None:
    first = keep_episodes(store, make_draft("b"), make_draft("a"))
    edited = make_draft("b", title="B")
    second = keep_episodes(store, make_draft("c"), edited, ids=("c", "b"), now=NOW + HOUR)

    b, _ = store.entries.of_feeds(["one"], picks=Picks.ONLY)
    assert (first, second) == (Counts(added=2), Counts(added=1, edited=1))
    assert ids(store) == ["b", "c"]
    assert (b.title, b.first_seen, b.changed_at) == ("B", NOW, NOW + HOUR)
    digests = {"c": make_draft("c").digest, "b": edited.digest}
    assert stored_digests(store, picks=Picks.ONLY) == digests


def test_feeds_know_nothing_of_each_other(store: Store) -> None:
    keep_episodes(store, make_draft("a"))
    keep_episodes(store, make_draft("a"), make_draft("b"), feed="two")

    keep_episodes(store, ids=(), now=NOW + HOUR)

    assert (ids(store), ids(store, "two"), ids(store, "three")) == ([], ["b", "a"], [])


def test_feeds_that_are_no_more_are_forgotten_with_their_episodes(store: Store) -> None:
    keep_episodes(store, make_draft("a"))
    keep_episodes(store, make_draft("b"), feed="two")

    store.entries.drop_episodes(except_of=["two", "three"])

    assert (ids(store), ids(store, "two")) == ([], ["b"])


def test_episodes_go_along_when_their_feed_gets_another_key(store: Store) -> None:
    keep_episodes(store, make_draft("a"))

    store.rename("one", make_feed("two"))

    assert (ids(store), ids(store, "two")) == ([], ["a"])
