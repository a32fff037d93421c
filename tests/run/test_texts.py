"""Texts at hand: each is read once, until there are too many of them."""

from pathlib import Path

from planet.model import Html, NewEntry
from planet.run.texts import Texts
from planet.run.workers import Workers
from planet.store import Store
from planet.text.html import Cleaning
from tests.builders import make_draft, make_reading, make_state
from tests.stored import keep_reading

CLEANING = Cleaning()
LONG = "x" * 200_000


def make_text(entry_id: int, text: str) -> NewEntry:
    content = Html(f"<p>{text}</p>")
    return make_draft(str(entry_id), raw=text, content=content, cleaning=CLEANING.version)


def keep(store: Store, *drafts: NewEntry) -> list[int]:
    """Store what a feed lists now; the numbers of its entries, in that order."""
    keep_reading(store, make_state(), make_reading(*drafts))
    numbers = {entry.id: entry.number for entry in store.entries.of_feeds(["one"])}
    return [numbers[draft.id] for draft in drafts]


def test_texts_are_at_hand_until_there_are_sixteen_million_characters(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store, Workers(count=1) as workers:
        texts = Texts(store.texts, workers, CLEANING)
        short, other, *many = keep(
            store,
            make_text(1, "old"),
            make_text(2, "b"),
            *(make_text(n, LONG) for n in range(3, 84)),
        )
        first = texts([short])
        keep(store, make_text(1, "new"))

        at_hand = texts([short, *many])
        cleared = texts([short, other, many[-1]])

    assert first == {short: "<p>old</p>"}
    assert at_hand == {short: "<p>old</p>", **dict.fromkeys(many, f"<p>{LONG}</p>")}
    assert cleared == {short: "<p>new</p>", other: "<p>b</p>", many[-1]: f"<p>{LONG}</p>"}
