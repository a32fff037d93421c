"""What is known → what becomes of each entry, and why.

Nobody is asked. The posts of a site are assembled as by a run, and each entry is explained by what
was decided about it.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from planet.model import Entry, Feed, Future, Picks, Post, Timeline
from planet.report import name_feeds
from planet.text.address import redact
from planet.timeline.assemble import assemble, make_rules
from planet.timeline.digest import list_news
from planet.timeline.edition import config_at, find_release, sources
from planet.timeline.select import COUNTED, Decision, Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from planet.config import Config
    from planet.store import Store


class EntryOutcome(StrEnum):
    """The fate of an entry without a deciding filter; others have a `Reason`."""

    SHOWN = "shown"
    PICKED = "picked"
    """Picked, and shown for that."""
    DUPLICATE = "duplicate"
    """Another feed's copy is shown."""
    DISABLED = "disabled"
    """The feed is switched off."""
    ELSEWHERE = "edition"
    """The edition does not show the feed."""
    LEFT = "left"
    """The feed is not in the config any more."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """The fate of an entry, with the reason."""

    entry: Entry
    reason: EntryOutcome | Reason
    feed: Feed | None
    """None when the feed is not in the config any more."""
    name: str
    """The name of the feed."""
    when: datetime
    """The moment to file under."""
    detail: str | None = None
    """The deciding setting, as written by the operator."""
    by_planet: bool = False
    """Whether the planet's filters decided, not the feed's own settings."""
    until: datetime | None = None
    """When time alone will change the decision."""
    too_slow: tuple[str, ...] = ()
    """The filters that took too long to search the entry, which passed them."""
    post: Post | None = None
    """The shown post of the entry, or the one in its place."""
    is_on_front: bool = False
    """Whether that is on the front page."""
    listed: bool = True
    """Whether the feed still lists the entry, as far as is known."""

    @property
    def is_shown(self) -> bool:
        """Whether readers find the entry itself."""
        return self.reason in (EntryOutcome.SHOWN, EntryOutcome.PICKED)


class Outcomes:
    """Explains the fates of entries on one site, as a run would decide now."""

    def __init__(
        self, config: Config, feeds: Iterable[Feed], *, store: Store, now: datetime
    ) -> None:
        """Assemble the posts of a site from a store.

        `config` is that of a site, `feeds` are all there are; `now` is in UTC.
        """
        self.feeds = {feed.key: feed for feed in feeds}
        self.states, self.hosts, self.now = store.states(), store.hosts.read(), now
        self._names = name_feeds(self.feeds.values(), self.states)
        shows = {key for key, feed in self.feeds.items() if config.site.shows(feed)}
        released = find_release(config, store.publications.read_release(config.site.folder), now)
        self.config = config_at(config, released, shows)
        self._waiting = {
            (pick.feed, pick.id): pick.picked_at
            for pick in config_at(config, None, shows).picks
            if pick not in self.config.picks
        }
        wanted = {key: feed for key, feed in self.feeds.items() if feed.enabled and key in shows}
        entries = store.entries.of_feeds(self.feeds.keys() | self.states.keys())
        shown_as = sources(wanted.values(), self.states, {}, entries)
        self._rules = make_rules(self.config, wanted, shown_as)
        self._assembled = assemble(
            entries,
            self._rules,
            texts=store.texts.read_plain,
            now=released or now,
            released=released,
        )
        picked = [post.entry for post in self._rules.picked_posts]
        self._picked = {(entry.feed, entry.id): entry.number for entry in reversed(picked)}
        only = [key for key, feed in self.feeds.items() if feed.picks is Picks.ONLY]
        episodes = store.entries.of_feeds(only, picks=Picks.ONLY)
        # Of a feed that shows picks only, an entry may be stored a second time, as an episode. Of
        # what was picked, nothing but the pick may be known any more.
        self._entries = {
            (entry.feed, entry.id): entry for entry in (*reversed(picked), *entries, *episodes)
        }
        self._unlisted = store.entries.unlisted()
        self._timeline = Timeline(self._assembled.posts)

    def explain(self, is_meant: Callable[[Entry], bool] = lambda _: True) -> list[Explanation]:
        """Explain the entries, and the picks, that are meant; the newest first."""
        explanations = [*map(self._explain, filter(is_meant, self._entries.values()))]
        explanations.sort(key=lambda one: (one.when, one.entry.number), reverse=True)
        return explanations

    def news(self, since: datetime, until: datetime) -> list[Post]:
        """Return the posts that came after a moment, up to another; the newest first.

        They are what a digest of that time tells.
        """
        return list_news(self._timeline, since, now=until)

    def count_shown(self, key: str) -> int:
        """Count the entries of a feed that are shown, picks among them."""
        return sum(post.entry.feed == key for post in self._posts.values())

    def name_of(self, key: str) -> str:
        """Return the name of the feed with this key, also of one that left the config."""
        state = self.states.get(key)
        title = state.profile.title if state and state.profile else None
        return self._names.get(key) or title or redact(key)

    def _explain(self, entry: Entry) -> Explanation:
        """Explain an entry by what was decided."""
        feed = self.feeds.get(entry.feed)
        reason, decision = self._decide(entry, feed)
        number = self._assembled.instead.get(entry.number, entry.number)
        number = self._picked.get((entry.feed, entry.id), number)
        post = self._posts[number] if reason in _HAVE_POSTS else None
        explanation = Explanation(
            entry=entry,
            reason=reason,
            feed=feed,
            name=self.name_of(entry.feed),
            when=entry.filing_moment(feed.future if feed else Future.CLAMP),
            post=post,
            is_on_front=post is not None and number in self._front,
            listed=entry.number > 0 and entry.number not in self._unlisted,
        )
        if entry.number < 0 and post and post.picked:
            explanation = replace(explanation, name=post.picked.show.title, when=post.when)
        if decision is None:
            return explanation
        return replace(
            explanation,
            detail=decision.detail,
            by_planet=decision.by_planet,
            # Of what is counted, other entries decide as well.
            until=None if reason in COUNTED else decision.until,
            too_slow=tuple(pattern.written for pattern in decision.too_slow),
        )

    def _decide(
        self, entry: Entry, feed: Feed | None
    ) -> tuple[EntryOutcome | Reason, Decision | None]:
        """Return what becomes of an entry, and by which decision, if filters were asked at all."""
        if (entry.feed, entry.id) in self._picked:
            return EntryOutcome.PICKED, None
        if feed is None:
            return EntryOutcome.LEFT, None
        if feed.key not in self._rules.feeds:
            return EntryOutcome.ELSEWHERE if feed.enabled else EntryOutcome.DISABLED, None
        # Of an episode of a feed that shows picks only nothing was decided.
        unpicked = Decision(entry=entry, reason=Reason.NOT_PICKED)
        decision = self._hold_back(self._assembled.decisions.get(entry.number, unpicked))
        if not decision.kept:
            return decision.reason, decision
        is_copy = entry.number in self._assembled.instead
        return EntryOutcome.DUPLICATE if is_copy else EntryOutcome.SHOWN, decision

    def _hold_back(self, decision: Decision) -> Decision:
        """Return the decision with the release for which an entry, or its pick, waits."""
        release, entry = self.config.site.release, decision.entry
        picked_at = self._waiting.get((entry.feed, entry.id))
        if release and picked_at and not decision.kept:
            until = release.next(picked_at)
            return Decision(entry=entry, reason=Reason.NOT_RELEASED, detail="picked", until=until)
        if release and decision.reason is Reason.NOT_RELEASED:
            return replace(decision, until=release.next(entry.first_seen))
        return decision

    @cached_property
    def _posts(self) -> dict[int, Post]:
        """All posts by the numbers of their entries."""
        return {post.entry.number: post for post in self._timeline.posts(timeless=True)}

    @cached_property
    def _front(self) -> frozenset[int]:
        """The numbers of the posts of the front page."""
        pages = self.config.pages
        front = self._timeline.fair_share(pages.front, pages.per_source)
        return frozenset(post.entry.number for post in front.posts)


_HAVE_POSTS: Final = (EntryOutcome.SHOWN, EntryOutcome.PICKED, EntryOutcome.DUPLICATE)
"""The outcomes of which something is shown."""
