"""What is known → what becomes of each entry, and why.

Nobody is asked. The posts of a site are assembled as by a run, and each entry is explained by what
was decided about it.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from planet.model import Entry, Feed, Future, Picks, Post, Timeline
from planet.report import name_feeds
from planet.text.address import redact
from planet.timeline.assemble import assemble, make_rules
from planet.timeline.digest import list_news
from planet.timeline.edition import config_at, find_release, sources
from planet.timeline.select import COUNTED, Decision, Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from datetime import datetime

    from planet.config import Config
    from planet.store import Store


class EntryOutcome(StrEnum):
    """What becomes of an entry where no filter decides it; of others a `Reason` says it."""

    SHOWN = "shown"
    PICKED = "picked"
    """It was picked, and is shown for that."""
    DUPLICATE = "duplicate"
    """Another feed's copy of it is shown."""
    DISABLED = "disabled"
    """Its feed is switched off."""
    ELSEWHERE = "edition"
    """The edition does not show its feed."""
    LEFT = "left"
    """Its feed is not in the config any more."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of an entry, and why."""

    entry: Entry
    reason: EntryOutcome | Reason
    feed: Feed | None
    """None when it is not in the config any more."""
    name: str
    """What its feed is called."""
    when: datetime
    """The moment it is filed under."""
    detail: str | None = None
    """What decided, as the operator wrote it."""
    by_planet: bool = False
    """Whether the planet's filters decided, not the feed's own settings."""
    until: datetime | None = None
    """When time alone will change the decision."""
    too_slow: tuple[str, ...] = ()
    """The filters that took too long to search the entry, as they are written. It passed them."""
    post: Post | None = None
    """What is shown of it, or in its place."""
    place: int | None = None
    """Where that stands among all posts; 0 is the newest."""
    is_on_front: bool = False
    """Whether that is on the front page."""
    listed: bool = True
    """Whether its feed still lists it, as far as is known."""

    @property
    def is_shown(self) -> bool:
        """Whether readers find the entry itself."""
        return self.reason in (EntryOutcome.SHOWN, EntryOutcome.PICKED)


class Outcomes:
    """Explains what becomes of entries on one site, as a run would decide now."""

    def __init__(
        self, config: Config, feeds: Iterable[Feed], *, store: Store, now: datetime
    ) -> None:
        """Assemble the posts of a site from a store, which should be a copy.

        `config` is that of a site, `feeds` are all there are; `now` is in UTC.
        """
        self.feeds = {feed.key: feed for feed in feeds}
        self.states, self.hosts, self.now = store.states(), store.hosts.read(), now
        self._store = store
        shows = {key for key, feed in self.feeds.items() if config.site.shows(feed)}
        released = find_release(config, store.publications.released(config.site.folder), now)
        self.config = config_at(config, released, shows)
        self._waiting = {
            (pick.feed, pick.id): pick.picked_at
            for pick in config_at(config, None, shows).picks
            if pick not in self.config.picks
        }
        wanted = {key: feed for key, feed in self.feeds.items() if feed.enabled and key in shows}
        self._rules = make_rules(
            self.config, wanted, sources(wanted.values(), self.states, {}, store.entries.origins())
        )
        own = self._rules.picks_by_number
        self._assembled = assemble(
            store.entries.of_feeds(wanted),
            self._rules,
            texts=store.texts.read_plain,
            now=released or now,
            released=released,
        )
        self._timeline = Timeline(self._assembled.posts)
        self._picked = {(post.entry.feed, post.entry.id): number for number, post in own.items()}
        self._unlisted = store.entries.unlisted()
        self._names = name_feeds(self.feeds.values(), self.states)

    def of_all(self) -> list[Explanation]:
        """Explain every entry that is known, and every pick; the newest first."""
        return self.where(lambda _: True)

    def of_feeds(self, keys: Collection[str]) -> list[Explanation]:
        """Explain the entries of feeds, and the picks from them; the newest first."""
        return self.where(lambda entry: entry.feed in keys)

    def where(self, is_meant: Callable[[Entry], bool]) -> list[Explanation]:
        """Explain the entries, and the picks, that are meant; the newest first."""
        # Of a feed that shows picks only, an entry may be stored a second time, as an episode.
        known = {(entry.feed, entry.id): entry for entry in self._entries() if is_meant(entry)}
        explanations = list(map(self._explain, known.values()))
        alone: dict[tuple[str, str], Post] = {}
        for post in filter(lambda post: is_meant(post.entry), self._rules.picks_by_number.values()):
            if (key := (post.entry.feed, post.entry.id)) not in known:
                alone.setdefault(key, post)
        explanations += map(self._explain_pick, alone.values())
        explanations.sort(key=lambda one: (one.when, one.entry.number), reverse=True)
        return explanations

    def news(self, since: datetime, until: datetime) -> list[Post]:
        """Return the posts that came after a moment, up to another; the newest first.

        They are what a digest of that time tells.
        """
        return list_news(self._timeline, since, now=until)

    def count_shown(self, key: str) -> int:
        """Count the entries of a feed that are shown, picks among them."""
        return sum(post.entry.feed == key for post in self._timeline.posts(timeless=True))

    def name_of(self, key: str) -> str:
        """Return what the feed with this key is called, also one that left the config."""
        state = self.states.get(key)
        title = state.profile.title if state and state.profile else None
        return self._names.get(key) or title or redact(key)

    def _entries(self) -> Iterator[Entry]:
        """Yield all entries, then the episodes that can be picked of feeds that show picks only."""
        yield from self._store.entries.of_feeds(self.feeds.keys() | self.states.keys())
        only = [key for key, feed in self.feeds.items() if feed.picks is Picks.ONLY]
        yield from self._store.entries.of_feeds(only, picks=Picks.ONLY)

    def _explain(self, entry: Entry) -> Explanation:
        """Explain an entry by what was decided."""
        feed = self.feeds.get(entry.feed)
        return Explanation(
            entry=entry,
            feed=feed,
            name=self.name_of(entry.feed),
            when=entry.filing_moment(feed.future if feed else Future.CLAMP),
            listed=entry.number not in self._unlisted,
            **self._decide(entry, feed),
        )

    def _decide(self, entry: Entry, feed: Feed | None) -> dict[str, Any]:
        """Return what becomes of an entry, as fields of its explanation."""
        key = entry.feed, entry.id
        if feed is None:
            return {"reason": EntryOutcome.LEFT}
        if feed.key not in self._rules.feeds:
            return {"reason": EntryOutcome.ELSEWHERE if feed.enabled else EntryOutcome.DISABLED}
        if key in self._picked:
            return {"reason": EntryOutcome.PICKED, **self._locate(self._picked[key])}
        # Of an episode of a feed that shows picks only nothing was decided.
        unpicked = Decision(entry=entry, reason=Reason.NOT_PICKED)
        decision = self._assembled.decisions.get(entry.number, unpicked)
        reason, until, release = decision.reason, decision.until, self.config.site.release
        if release and reason is not Reason.KEPT and key in self._waiting:
            until = release.next(self._waiting[key])
            return {"reason": Reason.NOT_RELEASED, "detail": "picked", "until": until}
        if release and reason is Reason.NOT_RELEASED:
            until = release.next(entry.first_seen)
        fields = {
            "reason": reason,
            "detail": decision.detail,
            "by_planet": decision.by_planet,
            # Of what is counted, other entries decide as well.
            "until": None if reason in COUNTED else until,
            "too_slow": tuple(pattern.written for pattern in decision.too_slow),
        }
        if reason is not Reason.KEPT:
            return fields
        number = self._assembled.instead.get(entry.number, entry.number)
        is_shown = number == entry.number
        outcome = EntryOutcome.SHOWN if is_shown else EntryOutcome.DUPLICATE
        return fields | {"reason": outcome, **self._locate(number)}

    def _explain_pick(self, post: Post) -> Explanation:
        """Explain a pick of which nothing but the pick is known any more."""
        assert post.picked, "it is the post of a pick"
        return Explanation(
            entry=post.entry,
            reason=EntryOutcome.PICKED,
            feed=self._rules.feeds.get(post.entry.feed),
            name=post.picked.show.title,
            when=post.when,
            listed=False,
            **self._locate(self._picked[post.entry.feed, post.entry.id]),
        )

    def _locate(self, number: int) -> dict[str, Any]:
        """Return what is shown, and where, as fields of an explanation."""
        return {
            "post": self._places[number][1],
            "place": self._places[number][0],
            "is_on_front": number in self._front,
        }

    @cached_property
    def _places(self) -> dict[int, tuple[int, Post]]:
        """Each post with its place among all, by its number."""
        posts = self._timeline.posts(timeless=True)
        return {post.entry.number: (place, post) for place, post in enumerate(posts)}

    @cached_property
    def _front(self) -> frozenset[int]:
        """The numbers of the posts of the front page."""
        pages = self.config.pages
        front = self._timeline.fair_share(pages.front, pages.per_source)
        return frozenset(post.entry.number for post in front.posts)
