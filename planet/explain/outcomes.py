"""What is known → what becomes of each entry, and why.

Nobody is asked. The posts of a site are assembled as by a run, and each entry is explained by what
was decided about it.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from planet.model import OWN_LIST, Entry, Feed, Future, Picks, Post
from planet.report import FeedNames
from planet.text.address import redact
from planet.timeline.assemble import assemble, make_rules
from planet.timeline.digest import list_news
from planet.timeline.edition import config_at, find_release, lists_of, sources
from planet.timeline.select import COUNTED, Decision, Reason, Search, select
from planet.timeline.timeline import PostTimeline

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from datetime import datetime

    from planet.config import Config
    from planet.store import Store


class EntryOutcome(StrEnum):
    """What becomes of an entry."""

    SHOWN = "shown"
    PICKED = "picked"
    """It was picked, and is shown for that."""
    DUPLICATE = "duplicate"
    """Another feed's copy of it is shown."""
    DROPPED = "dropped"
    """A setting speaks against it; `Explanation.rule` says which."""
    DISABLED = "disabled"
    """Its feed is switched off."""
    ELSEWHERE = "edition"
    """The edition does not show its feed."""
    LEFT = "left"
    """Its feed is not in the config any more."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of an entry, and why."""

    entry: Entry
    outcome: EntryOutcome
    feed: Feed | None
    """None when it is not in the config any more."""
    name: str
    """What its feed is called."""
    when: datetime
    """The moment it is filed under."""
    rule: Reason | None = None
    """What the filters decided; None where they were not asked."""
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
    place_on_front: int | None = None
    """The same on the front page; None where it is not there."""
    exceeds_share: bool = False
    """Whether the front page leaves it out because it has enough of its source on that day."""
    place_in_source: int | None = None
    """The same among the posts of its source."""
    lists: tuple[str, ...] = ()
    """The lists it was picked for, besides the planet's own."""
    listed: bool = True
    """Whether its feed still lists it, as far as is known."""

    @property
    def is_shown(self) -> bool:
        """Whether readers find the entry itself."""
        return self.outcome in (EntryOutcome.SHOWN, EntryOutcome.PICKED)

    @property
    def reason(self) -> str:
        """A word for machines: the outcome, or what of the settings speaks against the entry."""
        if self.outcome is EntryOutcome.DROPPED and self.rule is not None:
            return self.rule
        return self.outcome


_UNTIL_THEN = frozenset({Reason.KEPT, *COUNTED})
"""Kept, or nobody can know yet."""


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
        self._released = find_release(config, store.publications.released(config.site.folder), now)
        self.config = config_at(config, self._released, shows)
        self._waiting = {
            (pick.feed, pick.id): pick.picked_at
            for pick in config_at(config, None, shows).picks
            if pick.list == OWN_LIST and pick not in self.config.picks
        }
        wanted = {key: feed for key, feed in self.feeds.items() if feed.enabled and key in shows}
        self._rules = make_rules(
            self.config, wanted, sources(wanted.values(), self.states, {}, store.entries.origins())
        )
        own = self._rules.own_picks
        assembled = assemble(
            store.entries.of_feeds(wanted),
            self._rules,
            picks=own.values(),
            texts=store.texts.read_plain,
            now=self._released or now,
            released=self._released,
        )
        self._assembled = {each.number: each for each in assembled}
        self._timeline = PostTimeline(each.post for each in assembled if each.is_shown)
        self._picked = {(post.entry.feed, post.entry.id): number for number, post in own.items()}
        off_page = [post for picks in lists_of(self._rules.picked, {}) for post in picks.posts]
        self._of_picks = (*own.values(), *off_page)
        self._on_lists: dict[tuple[str, str], tuple[str, ...]] = {}
        for pick in self.config.picks:
            if pick.list != OWN_LIST:
                key = pick.feed, pick.id
                self._on_lists[key] = (*self._on_lists.get(key, ()), pick.list)
        self._unlisted = store.entries.unlisted()
        self._full_name = FeedNames(self.feeds.values(), self.states)
        self._orders: dict[str | None, dict[int, int]] = {}

    def of_all(self) -> list[Explanation]:
        """Explain every entry that is known, and every pick; the newest first."""
        keys = self.feeds.keys() | self.states.keys()
        return self.of_entries(self._entries_of(keys), self._of_picks)

    def of_feeds(self, keys: Collection[str]) -> list[Explanation]:
        """Explain the entries of feeds, and the picks from them; the newest first."""
        return self.of_entries(
            self._entries_of(keys), [post for post in self._of_picks if post.entry.feed in keys]
        )

    def where(self, is_meant: Callable[[Entry], bool]) -> list[Explanation]:
        """Explain the entries, and the picks, that are meant; the newest first."""
        keys = self.feeds.keys() | self.states.keys()
        entries = (entry for entry in self._entries_of(keys) if is_meant(entry))
        return self.of_entries(entries, [post for post in self._of_picks if is_meant(post.entry)])

    def news(self, since: datetime, until: datetime) -> list[Post]:
        """Return the posts that came after a moment, up to another; the newest first.

        They are what a digest of that time tells.
        """
        return list_news(self._timeline, since, now=until)

    def count_shown(self, key: str) -> int:
        """Count the entries of a feed that are shown, picks among them."""
        posts = (*self._timeline.dated, *self._timeline.undated)
        return sum(post.entry.feed == key for post in posts)

    def name_of(self, key: str) -> str:
        """Return what the feed with this key is called, also one that left the config."""
        feed, state = self.feeds.get(key), self.states.get(key)
        if feed is not None:
            return self._full_name(feed, state)
        return (state.profile.title if state and state.profile else None) or redact(key)

    def of_entries(self, entries: Iterable[Entry], picks: Iterable[Post]) -> list[Explanation]:
        """Explain entries, and posts of picks of which nothing else is known; the newest first."""
        # Of a feed that shows picks only, an entry may be stored a second time, as an episode.
        by_identity = {(entry.feed, entry.id): entry for entry in entries}
        numbers = {key: self._number_shown(key, entry) for key, entry in by_identity.items()}
        posts = self._timeline.numbered({number for number in numbers.values() if number})
        later = self._decide_at_release(by_identity.values())
        explanations = [
            replace(
                self._explain(entry, later.get(entry.number)),
                **self._place(posts.get(numbers[key] or 0)),
            )
            for key, entry in by_identity.items()
        ]
        explanations += self._of_picks_alone(picks, by_identity.keys())
        explanations.sort(key=lambda one: (one.when, one.entry.number), reverse=True)
        return explanations

    def _entries_of(self, keys: Collection[str]) -> Iterator[Entry]:
        """Yield the entries of feeds, then the episodes that can be picked of them."""
        only = {key for key in keys if key in self.feeds and self.feeds[key].picks is Picks.ONLY}
        for key in keys:
            yield from self._store.entries.of_feeds([key])
        for key in only:
            yield from self._store.entries.of_feeds([key], picks=Picks.ONLY)

    def _number_shown(self, key: tuple[str, str], entry: Entry) -> int | None:
        """Return the number of the post that is shown of an entry, or in its place, if any is."""
        if key in self._picked:
            return self._picked[key]
        found = self._assembled.get(entry.number)
        if found is None or found.decision is None or not found.decision.kept:
            return None
        return found.number if found.instead is None else found.instead

    def _explain(self, entry: Entry, later: Decision | None) -> Explanation:
        """Explain an entry by what was decided, without saying where it is shown.

        `later` is what is decided at the next release about an entry that waits for it.
        """
        feed, key = self.feeds.get(entry.feed), (entry.feed, entry.id)
        explanation = Explanation(
            entry=entry,
            outcome=EntryOutcome.LEFT,
            feed=feed,
            name=self.name_of(entry.feed),
            when=entry.filing_moment(feed.future if feed else Future.CLAMP),
            lists=self._on_lists.get(key, ()),
            listed=entry.number not in self._unlisted,
        )
        if feed is None:
            return explanation
        if feed.key not in self._rules.feeds:
            outcome = EntryOutcome.ELSEWHERE if feed.enabled else EntryOutcome.DISABLED
            return replace(explanation, outcome=outcome, lists=())
        found = self._assembled.get(entry.number)
        if found is not None and found.decision is not None:
            decision = found.decision
            rule = decision.reason
            explanation = replace(
                explanation,
                rule=rule,
                detail=decision.detail,
                by_planet=decision.by_planet,
                # Of what is counted, other entries decide as well.
                until=None if rule in COUNTED else decision.until,
                too_slow=tuple(pattern.written for pattern in decision.too_slow),
            )
        else:
            # It is an episode of a feed that shows picks only: all else was decided about.
            waits = self._released is not None and entry.first_seen > self._released
            rule = Reason.NOT_RELEASED if waits else Reason.NOT_PICKED
            explanation = replace(explanation, rule=rule)
        if key in self._picked:
            return replace(explanation, outcome=EntryOutcome.PICKED)
        if rule is Reason.KEPT:
            is_shown = found is not None and found.instead is None
            outcome = EntryOutcome.SHOWN if is_shown else EntryOutcome.DUPLICATE
            return replace(explanation, outcome=outcome)
        explanation = replace(explanation, outcome=EntryOutcome.DROPPED)
        if key in self._waiting and self.config.site.release:
            until = self.config.site.release.next(self._waiting[key])
            return replace(explanation, rule=Reason.NOT_RELEASED, detail="picked", until=until)
        if later is not None and later.reason not in _UNTIL_THEN:
            return replace(
                explanation,
                rule=later.reason,
                detail=later.detail,
                by_planet=later.by_planet,
                until=later.until,
            )
        return explanation

    def _decide_at_release(self, entries: Iterable[Entry]) -> dict[int, Decision]:
        """Return what is decided at the next release about entries that wait for it, by number.

        Decisions of what is counted (`recent`, `random`) are not to be relied on: they are made
        among these entries only.
        """
        if self._released is None or self.config.site.release is None:
            return {}
        waiting = [entry for entry in entries if self._waits(entry)]
        decisions = select(
            waiting,
            self._rules.feeds,
            planet=self._rules.planet,
            search=Search(self._rules.sources, self._store.texts.read_plain),
            now=self.config.site.release.next(self.now),
        )
        return {decision.entry.number: decision for decision in decisions}

    def _waits(self, entry: Entry) -> bool:
        """Return whether an entry waits for the next release."""
        if entry.feed not in self._rules.feeds:
            return False
        found = self._assembled.get(entry.number)
        if found is not None and found.decision is not None:
            return found.decision.reason is Reason.NOT_RELEASED
        return self._released is not None and entry.first_seen > self._released

    def _of_picks_alone(
        self, picks: Iterable[Post], known: Collection[tuple[str, str]]
    ) -> list[Explanation]:
        """Explain the picks of which nothing but the pick is known any more."""
        alone: dict[tuple[str, str], Post] = {}
        for post in picks:
            if (key := (post.entry.feed, post.entry.id)) not in known:
                alone.setdefault(key, post)
        own = self._timeline.numbered({self._picked[key] for key in alone if key in self._picked})
        return [
            Explanation(
                entry=post.entry,
                outcome=EntryOutcome.PICKED,
                feed=self._rules.feeds.get(post.entry.feed),
                name=post.picked.show.title,
                when=post.when,
                lists=self._on_lists.get(key, ()),
                listed=False,
                **self._place(own.get(self._picked.get(key, 0))),
            )
            for key, post in alone.items()
            if post.picked
        ]

    def _place(self, post: Post | None) -> dict[str, Any]:
        """Return what is shown, and where, as fields of an explanation."""
        if post is None:
            return {}
        number = post.entry.number
        front = {shown.entry.number: place for place, shown in enumerate(self._front)}
        is_new_enough = bool(self._front) and post.when > self._front[-1].when
        return {
            "post": post,
            "place": self._order()[number],
            "place_on_front": front.get(number),
            "exceeds_share": is_new_enough and number not in front,
            "place_in_source": self._order(post.source.key).get(number),
        }

    @cached_property
    def _front(self) -> tuple[Post, ...]:
        """The posts of the front page."""
        pages = self.config.pages
        return self._timeline.fair_share(pages.front, pages.per_source).posts

    def _order(self, source: str | None = None) -> dict[int, int]:
        """Return the place among all posts, or those of a source, of each of them, by number."""
        if source not in self._orders:
            posts = (*self._timeline.dated, *self._timeline.undated)
            shown = (post for post in posts if source in (None, post.source.key))
            self._orders[source] = {post.entry.number: n for n, post in enumerate(shown)}
        return self._orders[source]
