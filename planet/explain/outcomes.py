"""The state → the fate of each entry; words of an operator → the entries and feeds meant.

No request is sent. The posts of a site are assembled as by a run, and each entry is explained by
the decision of the run.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from planet.model import Entry, Feed, Future, Picks, Post, Timeline, handle
from planet.report import name_feeds
from planet.text import account, address
from planet.timeline.assemble import assemble, make_rules
from planet.timeline.digest import list_news
from planet.timeline.edition import config_at, find_release, sources
from planet.timeline.select import Decision, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from planet.config import Config
    from planet.store import Store


_HAVE_POSTS: Final = (Reason.SHOWN, Reason.PICKED, Reason.DUPLICATE)
_HANDLE: Final = re.compile("[0-9a-f]{4,10}", re.IGNORECASE)


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """The fate of an entry, with the reason."""

    entry: Entry
    reason: Reason
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
        return self.reason in (Reason.SHOWN, Reason.PICKED)


class Outcomes:
    """The fates of entries on one site, as a run would decide now."""

    def __init__(
        self, config: Config, feeds: Iterable[Feed], *, store: Store, now: datetime
    ) -> None:
        """Assemble the posts of a site from a store.

        `config` is of the site; `feeds` are all feeds of the planet; `now` is in UTC.
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
        self._rules = make_rules(
            self.config, wanted, sources(wanted.values(), self.states, {}, entries)
        )
        self._assembled = assemble(
            entries,
            self._rules,
            texts=store.texts.read_plain,
            now=released or now,
            released=released,
        )
        picked = [post.entry for post in self._rules.posts_of_picks]
        self._picked = {(entry.feed, entry.id): entry.number for entry in reversed(picked)}
        only = [key for key, feed in self.feeds.items() if feed.picks is Picks.ONLY]
        episodes = store.entries.of_feeds(only, picks=Picks.ONLY)
        # Of a feed that shows picks only, an entry may be stored a second time, as an episode. Of
        # what was picked, nothing but the pick may be known any more.
        self.entries = {
            (entry.feed, entry.id): entry for entry in (*reversed(picked), *entries, *episodes)
        }
        self._unlisted = store.entries.unlisted()
        self._timeline = Timeline(self._assembled.posts)

    def explain(self, entries: Iterable[Entry] | None = None) -> list[Explanation]:
        """Explain these entries, or all, picks among them; the newest first."""
        explanations = [*map(self._explain, self.entries.values() if entries is None else entries)]
        explanations.sort(key=lambda one: (one.when, one.entry.number), reverse=True)
        return explanations

    def news(self, since: datetime, until: datetime) -> list[Post]:
        """Return the posts between two moments, as a digest has them; the newest first."""
        return list_news(self._timeline, since, now=until)

    def count_shown(self, key: str) -> int:
        """Count the shown entries of a feed, picks among them."""
        return sum(post.entry.feed == key for post in self._posts.values())

    def name_of(self, key: str) -> str:
        """Return the name of the feed with this key, also of a feed gone from the config."""
        state = self.states.get(key)
        title = state.profile.title if state and state.profile else None
        return self._names.get(key) or title or address.redact(key)

    def find_entries(self, name: str) -> list[Explanation]:
        """Explain the entries of this address, id or ID, or with these words in their titles.

        The surest of these ways counts. Addresses are compared as servers must, and without any
        match, as people do. The newest entry comes first.
        """
        wanted, loosely = address.normalize(name), _loosely(name)
        words, is_address = name.casefold().split(), "://" in name
        may_be_handle = _HANDLE.fullmatch(name) is not None

        def certainty(entry: Entry) -> int:
            links = (entry.link, *(file.url for file in entry.enclosures))
            urls = [url for url in links if url]
            if name == entry.id or wanted in map(address.normalize, urls):
                return 4
            if may_be_handle and handle(*_key(entry)).startswith(name.lower()):
                return 3
            if loosely in map(_loosely, urls):
                return 2
            title = entry.heading.casefold()
            return int(not is_address and all(word in title for word in words))

        found: dict[int, list[Entry]] = defaultdict(list)
        for entry in self.entries.values() if words else ():
            found[certainty(entry)].append(entry)
        best = max(found, default=0)
        return self.explain(found[best]) if best else []

    def find_feeds(self, name: str) -> list[Feed]:
        """Return the feeds of this address, account or home page, else all of the same site."""
        if url := account.parse_name(name):
            return [feed for feed in self.feeds.values() if feed.url == url]
        site = _site(name)
        if not site:
            return []
        homes = {key: self._homes(feed) for key, feed in self.feeds.items()}
        exact = [key for key, urls in homes.items() if _loosely(name) in map(_loosely, urls)]
        of_site = exact or [key for key, urls in homes.items() if site in map(_site, urls)]
        return [self.feeds[key] for key in of_site]

    def _homes(self, feed: Feed) -> list[str]:
        state = self.states.get(feed.key)
        profile = state.profile if state else None
        urls = (feed.url, feed.link, state and state.asked_url, profile and profile.link)
        return [url for url in urls if url]

    def _explain(self, entry: Entry) -> Explanation:
        feed, decision = self.feeds.get(entry.feed), self._decide(entry)
        number = self._assembled.instead.get(entry.number, entry.number)
        number = self._picked.get(_key(entry), number)
        post = self._posts[number] if decision.reason in _HAVE_POSTS else None
        name = self.name_of(entry.feed)
        when = entry.filing_moment(feed.future if feed else Future.CLAMP)
        if entry.number < 0 and post and post.picked:
            name, when = post.picked.show.title, post.when
        return Explanation(
            entry=entry,
            reason=decision.reason,
            feed=feed,
            name=name,
            when=when,
            detail=decision.detail,
            by_planet=decision.by_planet,
            until=decision.until,
            too_slow=tuple(pattern.written for pattern in decision.too_slow),
            post=post,
            is_on_front=post is not None and number in self._front,
            listed=entry.number > 0 and entry.number not in self._unlisted,
        )

    def _decide(self, entry: Entry) -> Decision:
        """Return the decision about an entry, also where no filter was asked."""
        feed, release = self.feeds.get(entry.feed), self.config.site.release
        if _key(entry) in self._picked:
            return Decision(entry=entry, reason=Reason.PICKED)
        if feed is None:
            return Decision(entry=entry, reason=Reason.LEFT)
        if feed.key not in self._rules.feeds:
            reason = Reason.ELSEWHERE if feed.enabled else Reason.DISABLED
            return Decision(entry=entry, reason=reason)
        # Of an episode of a feed that shows picks only nothing was decided.
        unpicked = Decision(entry=entry, reason=Reason.NOT_PICKED)
        decision = self._assembled.decisions.get(entry.number, unpicked)
        picked_at = self._waiting.get(_key(entry))
        if release and picked_at and decision.reason not in _HAVE_POSTS:
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


def _key(entry: Entry) -> tuple[str, str]:
    return entry.feed, entry.id


def _site(url: str) -> str:
    return address.host(url).rpartition(":")[0].removeprefix("www.")


def _loosely(url: str) -> str:
    """Return an address without scheme, `www.` and tracking, as people compare addresses."""
    return address.page_key(url).removeprefix("www.")
