"""What can be picked of feeds that show picks only: exactly what their documents list now."""

from datetime import datetime, timedelta
from typing import Any

from planet.model import Counts, Enclosure, Episode, NewEntry, Person, Picks, Text, TextKind
from planet.store import Store
from tests.builders import NOW, make_draft, make_feed, make_reading, make_state
from tests.stored import keep_reading, stored_digests

HOUR = timedelta(hours=1)


def keep(
    store: Store, *drafts: NewEntry, feed: str = "one", now: datetime = NOW, **document: Any
) -> Counts:
    """Keep a reading of these drafts; `ids` says what else the document lists."""
    state = make_state(feed, picks=Picks.ONLY)
    return keep_reading(store, state, make_reading(*drafts, **document), now=now)


def ids(store: Store, feed: str = "one", limit: int = 9) -> list[str]:
    return [entry.id for entry in store.entries.newest([feed], limit, picks=Picks.ONLY)]


def test_an_episode_comes_back_as_it_was(store: Store) -> None:
    raw = Text(value="<p>Ä</p>", kind=TextKind.HTML, base="https://one.example/")
    draft = make_draft(
        "a",
        title="Ä",
        summary="about",
        link="https://one.example/a",
        published=NOW - HOUR,
        updated=NOW,
        enclosures=(Enclosure(url="https://one.example/a.mp3", length=1, duration=2),),
        episode=Episode(number=3, explicit=False, persons=(Person(name="Ann"),)),
        raw=raw,
    )

    keep(store, draft)

    (entry,) = store.entries.newest(["one"], 9, picks=Picks.ONLY)
    assert (entry.feed, entry.id, entry.digest, entry.rank) == ("one", "a", draft.digest, None)
    assert (entry.first_seen, entry.changed_at, entry.dated) == (NOW, NOW, NOW - HOUR)
    for name in ("title", "summary", "link", "published", "updated", "enclosures", "episode"):
        assert getattr(entry, name) == getattr(draft, name)
    assert store.texts.read([entry.number]) == {entry.number: raw}
    assert store.entries.of_feeds(["one"], picks=Picks.ONLY) == [entry]
    assert (store.entries.of_feeds(["one"]), stored_digests(store)) == ([], {})


def test_a_feed_has_exactly_the_episodes_that_its_document_lists(store: Store) -> None:
    first = keep(store, make_draft("b"), make_draft("a"))
    edited = make_draft("b", title="B")
    second = keep(store, make_draft("c"), edited, ids=("c", "b"), now=NOW + HOUR)

    b = next(
        entry for entry in store.entries.newest(["one"], 9, picks=Picks.ONLY) if entry.id == "b"
    )
    assert (first, second) == (Counts(added=2), Counts(added=1, edited=1))
    assert ids(store) == ["c", "b"]
    assert (b.title, b.first_seen, b.changed_at) == ("B", NOW, NOW + HOUR)
    digests = {"c": make_draft("c").digest, "b": edited.digest}
    assert stored_digests(store, picks=Picks.ONLY) == digests


def test_the_newest_come_first_and_no_date_in_the_future_counts(store: Store) -> None:
    listed = ("future", "undated", "undated, too", "old")
    old = make_draft("old", published=NOW - 2 * HOUR)
    keep(store, make_draft("undated"), make_draft("undated, too"), old)
    future = make_draft("future", published=NOW + 1000 * HOUR)
    keep(store, future, ids=listed, now=NOW + HOUR)

    assert ids(store) == [*listed]
    assert ids(store, limit=2) == ["future", "undated"]


def test_feeds_know_nothing_of_each_other(store: Store) -> None:
    keep(store, make_draft("a"))
    keep(store, make_draft("a"), make_draft("b"), feed="two")

    keep(store, ids=(), now=NOW + HOUR)

    assert (ids(store), ids(store, "two"), ids(store, "three")) == ([], ["a", "b"], [])
    assert len({entry.number for entry in store.entries.newest(["two"], 9, picks=Picks.ONLY)}) == 2


def test_feeds_that_are_no_more_are_forgotten_with_their_episodes(store: Store) -> None:
    keep(store, make_draft("a"))
    keep(store, make_draft("b"), feed="two")

    store.entries.drop_episodes(except_of=["two", "three"])

    assert (ids(store), ids(store, "two")) == ([], ["b"])


def test_a_feed_may_get_another_key(store: Store) -> None:
    keep(store, make_draft("a"))

    store.rename("one", make_feed("two"))

    assert (ids(store), ids(store, "two")) == ([], ["a"])
