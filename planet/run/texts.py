"""Numbers of entries → their clean texts, those of picks among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.model import Html
from planet.run.open import cleaning
from planet.text.html import clean as clean_html
from planet.text.html import find_links, make_paragraphs, show_images
from planet.text.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.config import Config
    from planet.run.open import Run


_AT_HAND = 16_000_000
"""Characters kept at hand: pages and feeds show the same texts."""

_TOGETHER = 500
"""Texts whose links are looked for together."""

_GIVEN_UP = 10_000
"""Characters shown of a text that could not be cleaned in time."""


class Texts:
    """The texts in a store and of picks: `model.Contents`."""

    def __init__(self, config: Config, run: Run) -> None:
        self._stored, self._workers = run.store.texts, run.workers
        self._cleaning = cleaning(config)
        self._images = config.pages.images
        self._images_of = {
            feed.key: feed.images for feed in config.feeds if feed.images is not self._images
        }
        # By the numbers that `Rules.picked_posts` gives to the entries of picks.
        self._picked = {-n: pick.text for n, pick in enumerate(config.picks, 1) if pick.text}
        self._feeds_of_picks = {-n: pick.feed for n, pick in enumerate(config.picks, 1)}
        self._at_hand: dict[int, Html] = {}
        self._length = 0

    def __call__(self, numbers: Sequence[int]) -> Mapping[int, Html]:
        """Return the clean texts of entries by their numbers; those without one are left out.

        They are as the site shows them: what becomes of images is decided here.
        """
        missing = [number for number in numbers if number not in self._at_hand]
        if missing:
            if self._length > _AT_HAND:
                self._at_hand.clear()
                self._length, missing = 0, list(numbers)
            clean, given_up = self._read_clean(missing)
            texts = self._show_images(clean | given_up)
            self._at_hand.update(texts)
            self._length += sum(map(len, texts.values()))
        at_hand = self._at_hand
        return {number: at_hand[number] for number in numbers if number in at_hand}

    def _show_images(self, texts: Mapping[int, Html]) -> dict[int, Html]:
        feeds: dict[int, str] = {}
        if self._images_of:
            feeds = self._stored.feeds([*texts]) | self._feeds_of_picks
        return {
            number: show_images(text, self._images_of.get(feeds.get(number, ""), self._images))
            for number, text in texts.items()
        }

    def links(self, numbers: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """Return what the texts of entries in the store link to, by their numbers."""
        linked = self._stored.links(numbers)
        missing = [number for number in numbers if number > 0 and number not in linked]
        for start in range(0, len(missing), _TOGETHER):
            batch = missing[start : start + _TOGETHER]
            # Those that were clean before there was a place for their links are among these.
            texts, _ = self._read_clean(batch)
            links_of = {number: find_links(text) for number, text in texts.items()}
            if links_of:
                self._stored.put_links(links_of)
                linked |= links_of
        return linked

    def _read_clean(self, numbers: Sequence[int]) -> tuple[dict[int, Html], dict[int, Html]]:
        """Return clean texts, and what to show of those that could not be cleaned in time.

        What this cleaner had not made is kept.
        """
        version, stored = self._cleaning.version, self._stored.read_stored(numbers)
        clean = {n: Html(one.text.value) for n, one in stored.items() if one.cleaning == version}
        unclean = {n: one.text for n, one in stored.items() if n not in clean}
        unclean |= {n: self._picked[n] for n in numbers if n in self._picked}
        call = self._workers.call
        calls = {n: call(clean_html, text, self._cleaning) for n, text in unclean.items()}
        results = {n: call.result() for n, call in calls.items()}
        made = {n: text for n, text in results.items() if isinstance(text, str)}
        if to_store := {n: text for n, text in made.items() if n in stored}:
            self._stored.put_clean(to_store, cleaning=version)
        # Given up, perhaps because the machine was busy: not kept, so that it is tried again.
        given_up = {n: make_paragraphs(plain(unclean[n], _GIVEN_UP)) for n in results.keys() - made}
        return clean | made, given_up
