"""Entries → their texts, cleaned when they are first wanted and then kept.

Most entries are cleaned when they are read. What was not to be shown then, or was cleaned by an
older cleaner, is cleaned here, in a worker as well: cleaning hostile text can take for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.content import Cleaning, clean, escaped, is_clean, links, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.model import Html, Pick
    from planet.store import Store
    from planet.workers import Workers

_AT_HAND = 16_000_000
"""Characters kept at hand: a source's page and feeds show the same texts, one after the other."""

_TOGETHER = 500
"""Texts whose links are looked for together."""

_GIVEN_UP = 10_000
"""Characters shown of a text that could not be cleaned in time."""


class Texts:
    """The texts in a store and of picks: `model.Contents`, and `select.Texts` with `plain`."""

    def __init__(
        self,
        store: Store,
        workers: Workers,
        cleaning: Cleaning,
        picks: Sequence[Pick] = (),
    ) -> None:
        self._store = store
        # By the numbers that `merge` gives to the entries of picks.
        self._picked = {-n: pick.text for n, pick in enumerate(picks, 1) if pick.text}
        self._workers = workers
        self._cleaning = cleaning
        self._at_hand: dict[int, Html] = {}
        self._length = 0

    def __call__(self, numbers: Sequence[int]) -> Mapping[int, Html]:
        """The clean texts of entries by their numbers; those without one are left out."""
        missing = [number for number in numbers if number not in self._at_hand]
        if missing:
            if self._length > _AT_HAND:
                self._at_hand.clear()
                self._length, missing = 0, list(numbers)
            kept = self._store.contents(missing)
            # Whoever could write to the state could have put anything there.
            tampered = [number for number, text in kept.items() if not is_clean(text)]
            found = {**kept, **self._cleaned(missing, anew=tampered)}
            self._at_hand.update(found)
            self._length += sum(map(len, found.values()))
        at_hand = self._at_hand
        return {number: at_hand[number] for number in numbers if number in at_hand}

    def plain(self, numbers: Sequence[int]) -> Mapping[int, str]:
        """The same as plain text, from what the feeds sent."""
        return {number: plain(text) for number, text in self._store.raw_texts(numbers).items()}

    def links(self, numbers: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """What the texts of entries in the store link to, by their numbers."""
        known = self._store.links.of(numbers)
        missing = [number for number in numbers if number > 0 and number not in known]
        for start in range(0, len(missing), _TOGETHER):
            batch = missing[start : start + _TOGETHER]
            self._cleaned(batch)
            # Those that were clean before there was a place for their links are among these.
            found = {number: links(text) for number, text in self._store.contents(batch).items()}
            if found:
                self._store.links.put(found)
                known |= found
        return known

    def _cleaned(self, numbers: Sequence[int], *, anew: Sequence[int] = ()) -> dict[int, Html]:
        """The texts that this cleaner has not made yet, and those of `anew`, made now and kept."""
        version = self._cleaning.version
        picked = {number: self._picked[number] for number in numbers if number in self._picked}
        raw = {
            **self._store.uncleaned(numbers, cleaning=version),
            **(self._store.raw_texts(anew) if anew else {}),
            **picked,
        }
        calls = {
            number: self._workers.call(clean, text, self._cleaning) for number, text in raw.items()
        }
        results = {number: call.result() for number, call in calls.items()}
        made = {number: text for number, text in results.items() if isinstance(text, str)}
        if stored := {number: text for number, text in made.items() if number not in picked}:
            self._store.put_clean(stored, cleaning=version)
        # Given up, perhaps because the machine was busy: not kept, so that it is tried again.
        given_up = {number: escaped(raw[number], _GIVEN_UP) for number in results.keys() - made}
        return made | given_up
