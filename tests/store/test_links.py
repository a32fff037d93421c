"""What texts link to is kept with them, and goes with them."""

from datetime import timedelta

from planet.model import Html, NewEntry
from planet.store import Store
from tests.builders import NOW, make_draft, make_reading, make_state
from tests.cases import case, cases

A, B = "https://a.example/", "https://b.example/?x=1&y=%20"


def keep(store: Store, *drafts: NewEntry) -> list[int]:
    """Store what a feed lists now; the numbers of its entries."""
    store.keep(make_state(), make_reading(*drafts), now=NOW)
    return [entry.number for entry in store.entries(["one"])]


def linking(entry_id: str = "1", *links: str, raw: str = "raw") -> NewEntry:
    return make_draft(
        entry_id, raw=raw, content=Html("clean"), cleaning="1", links=links, published=NOW
    )


def test_links_come_back_in_their_order(store: Store) -> None:
    drafts = [linking("3", B, A), linking("2"), make_draft("1", raw="not cleaned yet")]

    numbers = keep(store, *drafts)

    assert store.links.of([*numbers, 99]) == {2: (), 3: (B, A)}


def test_links_can_be_put_later(store: Store) -> None:
    numbers = keep(store, make_draft("1", raw="a"))

    store.links.put({numbers[0]: (A,)})

    assert store.links.of(numbers) == {1: (A,)}


def test_any_number_can_be_asked_for_at_once(store: Store) -> None:
    numbers = keep(store, *(linking(str(n), A) for n in range(1234)))

    assert store.links.of(numbers) == dict.fromkeys(numbers, (A,))
    assert store.links.of([]) == {}


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

    numbers = keep(store, edited)

    assert store.links.of(numbers) == expected


def test_a_text_that_is_cleaned_again_keeps_them(store: Store) -> None:
    numbers = keep(store, linking("1", A))

    store.put_clean({1: Html("cleaner")}, cleaning="2")

    assert store.links.of(numbers) == {1: (A,)}


def test_they_go_with_the_text(store: Store) -> None:
    keep(store, linking("1", A))
    keep(store)
    later = NOW + timedelta(days=2)

    store.retire(["one"], entries_before=NOW - timedelta(days=9), texts_before=later)

    assert store.links.of([1]) == {}
