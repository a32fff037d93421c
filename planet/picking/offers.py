"""The state → what there is to pick from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planet import media
from planet.merge import sources
from planet.model import Future, Picks, handle

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.model import Enclosure, Entry, Feed, Source, Text
    from planet.store import Episodes, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An episode that can be picked."""

    entry: Entry
    source: Source
    enclosure: Enclosure
    """What is played."""
    when: datetime
    """The moment it is filed under."""
    lists: tuple[str, ...] = ()
    """The lists it is picked for; `OWN_LIST` is the planet's own."""

    @property
    def handle(self) -> str:
        """What it is called on a command line and in a form."""
        return handle(self.entry.feed, self.entry.id)

    def matches(self, words: Iterable[str]) -> bool:
        """Whether each of these words is in its title, its summary, or the title of its show."""
        parts = (self.entry.heading, self.source.title, self.entry.summary or "")
        text = "\n".join(parts).casefold()
        return all(word.casefold() in text for word in words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """What there is to pick from."""

    config: Config
    feeds: Sequence[Feed]
    """Those of the config, and of its subscription lists."""
    store: Store
    episodes: Episodes

    def offers(self, keys: frozenset[str] | None = None) -> list[Offer]:
        """All that can be picked of these feeds, newest first; None is all feeds."""
        feeds = [feed for feed in self.feeds if feed.enabled and (keys is None or feed.key in keys)]
        shows = sources(feeds, self.store.memories(), {})
        only = {feed.key for feed in feeds if feed.picks is Picks.ONLY}
        futures = {feed.key: feed.future for feed in feeds}
        listed = self.episodes.newest(only)
        # Those first that a document lists first: among equal dates, that is the order.
        entries = [
            *reversed(self.store.entries(shows.keys() - only)),
            *(entry for found in listed.values() for entry in found),
        ]
        lists: dict[tuple[str, str], tuple[str, ...]] = {}
        for pick in self.config.picks:
            lists[pick.feed, pick.id] = (*lists.get((pick.feed, pick.id), ()), pick.list)
        offers = [
            Offer(
                entry=entry,
                source=shows[entry.feed],
                enclosure=enclosure,
                when=entry.filed(Future.CLAMP if entry.feed in only else futures[entry.feed]),
                lists=lists.get((entry.feed, entry.id), ()),
            )
            for entry in entries
            if (enclosure := media.playable(entry))
        ]
        return sorted(offers, key=lambda offer: offer.when, reverse=True)

    def notes(self, entry: Entry) -> Text | None:
        """The show notes of an episode, as its feed sent them."""
        if entry.number < 0:
            return self.episodes.notes(entry.number)
        return self.store.raw_texts([entry.number]).get(entry.number)
