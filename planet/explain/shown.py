"""Wanted entries → what the next site shows of each, and where."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from planet.explain.nouns import Fate, Verdict
from planet.merge import copies, merge, sources
from planet.merge.identity import published_id
from planet.model import OWN_LIST, Edition

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from planet.config import Config
    from planet.model import Entry, Feed, Memory
    from planet.select import Decision


class Shown:
    """The posts of the next site."""

    def __init__(
        self,
        kept: Sequence[Entry],
        config: Config,
        feeds: Mapping[str, Feed],
        memories: Mapping[str, Memory],
    ) -> None:
        self._feeds = feeds
        self._on_lists: dict[tuple[str, str], tuple[str, ...]] = {}
        for pick in config.picks:
            if pick.list != OWN_LIST:
                key = pick.feed, pick.id
                self._on_lists[key] = (*self._on_lists.get(key, ()), pick.list)
        told = sources(feeds.values(), memories, {})
        edition = merge(
            kept,
            feeds,
            told,
            picks=config.picks,
            lists=config.lists,
            edition=Edition(title=config.title, timezone=config.timezone),
        )
        self._posts = (*edition.posts, *edition.timeless)
        newer: Counter[str] = Counter()
        self._in_source: list[int] = []
        for post in self._posts:
            self._in_source.append(newer[post.source.key])
            newer[post.source.key] += 1
        self._off_page = [post for each in edition.lists for post in each.posts]
        self._copies = copies(kept, feeds, told)
        self._by_number = {post.entry.number: place for place, post in enumerate(self._posts)}
        self._picked: dict[object, int] = {
            sign: place
            for place, post in enumerate(self._posts)
            if post.picked
            for sign in ((post.entry.feed, post.entry.id), post.uid)
        }

    def verdict(self, decision: Decision, *, by_planet: bool, name: str) -> Verdict:
        """What becomes of an entry about which was decided."""
        entry = decision.entry
        feed = self._feeds[entry.feed]
        fate, place = self._fate(decision)
        return Verdict(
            entry=entry,
            fate=fate,
            feed=feed,
            name=name,
            when=entry.filed(feed.future),
            decision=decision,
            by_planet=by_planet and not decision.kept,
            lists=self._on_lists.get((entry.feed, entry.id), ()),
            **self._at(place),
        )

    def picked_only(self, known: Container[tuple[str, str]]) -> list[Verdict]:
        """The picked episodes of which nothing but the pick is known any more."""
        found: dict[tuple[str, str], Verdict] = {}
        for post in (*self._posts, *self._off_page):
            key = post.entry.feed, post.entry.id
            if post.picked and key not in known and key not in found:
                found[key] = Verdict(
                    entry=post.entry,
                    fate=Fate.PICKED,
                    feed=self._feeds.get(post.entry.feed),
                    name=post.picked.show.title,
                    when=post.when,
                    lists=self._on_lists.get(key, ()),
                    listed=False,
                    **self._at(self._picked.get(key)),
                )
        return list(found.values())

    def _fate(self, decision: Decision) -> tuple[Fate, int | None]:
        """What becomes of an entry, and the place of the post that is shown of it."""
        entry = decision.entry
        if (place := self._picked.get((entry.feed, entry.id))) is not None:
            return Fate.PICKED, place
        if not decision.kept:
            return Fate.DROPPED, None
        if (place := self._by_number.get(entry.number)) is not None:
            return Fate.SHOWN, place
        best = self._copies.get(entry.number, entry)
        if (place := self._by_number.get(best.number)) is None:
            # What would be shown gave way to a pick.
            place = self._picked.get((best.feed, best.id))
        if place is None:
            place = self._picked.get(published_id(*best.identity))
        return Fate.DUPLICATE, place

    def _at(self, place: int | None) -> dict[str, Any]:
        """What is shown, and where."""
        if place is None:
            return {}
        return {
            "post": self._posts[place],
            "place": place,
            "place_in_source": self._in_source[place],
        }
