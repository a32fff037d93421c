"""What is known → what becomes of each entry, and why: in a word, and in sentences.

`look` assembles all entries as a run would do now; nobody is asked and nothing is written.
`Speaker` puts an explanation into words, `state` what is known of a feed; `entries` and `feeds`
find what an operator means.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from planet.model import OWN_LIST, Future, Picks, handle
from planet.report import GIVEN_UP, FeedNames, explain_due
from planet.schedule import current_state, find_host, is_resting, next_poll
from planet.schedule.health import advise
from planet.text import account, address
from planet.text.address import redact
from planet.timeline.assemble import assemble, rules_of
from planet.timeline.edition import as_of, lists_of, newest_first, released, sources
from planet.timeline.select import COUNTED, Decision, Reason, select

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.config.edits import Places
    from planet.model import Entry, Feed, FeedState, HostState, Pick, Post, Timetable
    from planet.store import Store
    from planet.timeline.assemble import AssembledPost, Rules


class EntryOutcome(StrEnum):
    """What becomes of an entry."""

    SHOWN = "shown"
    PICKED = "picked"
    """It was picked, and is shown for that."""
    DUPLICATE = "duplicate"
    """Another feed's copy of it is shown."""
    DROPPED = "dropped"
    """A setting speaks against it; `Explanation.decision` says which."""
    DISABLED = "disabled"
    """Its feed is switched off."""
    ELSEWHERE = "edition"
    """The edition does not show its feed."""
    LEFT = "left"
    """Its feed is not in the config any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What becomes of an entry, and why."""

    entry: Entry
    outcome: EntryOutcome
    feed: Feed | None
    """None when it is not in the config any more."""
    name: str
    """What its feed is called."""
    when: datetime
    """The moment it is filed under."""
    decision: Decision | None = None
    post: Post | None = None
    """What is shown of it, or in its place."""
    place: int | None = None
    """Where that stands among all posts; 0 is the newest."""
    place_in_source: int | None = None
    """The same among the posts of its source."""
    has_day: bool = False
    """Whether its day has a page of its own."""
    lists: tuple[str, ...] = ()
    """The lists it was picked for, besides the planet's own."""
    listed: bool = True
    """Whether its feed still lists it, as far as is known."""

    @property
    def is_shown(self) -> bool:
        """Whether readers find the entry itself."""
        return self.outcome in (EntryOutcome.SHOWN, EntryOutcome.PICKED)

    @property
    def by_planet(self) -> bool:
        """Whether the planet's filters decided, not the feed's own settings."""
        return self.decision is not None and self.decision.by_planet

    @property
    def reason(self) -> str:
        """A word for machines: the outcome, or what of the settings speaks against the entry."""
        if self.outcome is EntryOutcome.DROPPED and self.decision is not None:
            return self.decision.reason
        return self.outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """All that is known of feeds and entries, with an explanation for each entry, newest first."""

    config: Config
    feeds: Mapping[str, Feed]
    states: Mapping[str, FeedState]
    hosts: Mapping[str, HostState]
    explanations: tuple[Explanation, ...]
    names: Mapping[str, str]
    """What the feeds are called, by key."""
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer in words. Feed text is in it: it is for `report.printable`."""

    reason: str
    """A word for machines."""
    subject: str
    """What it is about."""
    words: tuple[str, ...]
    """Sentences, each on a line of its own."""


_UNTIL_THEN = frozenset({Reason.KEPT, *COUNTED})
"""Kept, or nobody can know yet."""


def look(config: Config, feeds: Iterable[Feed], *, store: Store, now: datetime) -> Overview:
    """What becomes of each entry that is known; nobody is asked, and nothing is written.

    `config` is that of a site, `feeds` are all there are.
    """
    by_key = {feed.key: feed for feed in feeds}
    shows = {key for key, feed in by_key.items() if config.site.shows(feed)}
    moment = released(config, store.publications.released(config.site.folder), now)
    picks, config = as_of(config, None, shows).picks, as_of(config, moment, shows)
    states = store.states()
    entries = _entries(by_key, states, store)
    wanted = {key: feed for key, feed in by_key.items() if feed.enabled and key in shows}
    texts = store.plain_texts
    shown_as = sources(wanted.values(), states, {}, store.origins())
    select_at = partial(select, feeds=wanted, planet=config.filters, sources=shown_as, texts=texts)
    rules = rules_of(config, wanted, shown_as)
    assembled = assemble(
        (entry for entry in entries if entry.feed in wanted),
        rules,
        picks=rules.own_picks.values(),
        texts=texts,
        now=moment or now,
        released=moment,
    )
    by_number = {post.number: post for post in assembled}
    decisions = {
        number: _without_lot(post.decision) for number, post in by_number.items() if post.decision
    }
    if moment is not None and config.site.release is not None:
        asked = [entry for entry in entries if entry.number in decisions]
        later = select_at(asked, now=config.site.release.next(now))
        then = {decision.entry.number: decision for decision in later}
        waiting = set(picks) - set(config.picks)
        decisions = _at_release(decisions, then, config.site.release, waiting)
    full_name = FeedNames(by_key.values(), store.titles)
    names = {
        key: _name(key, by_key.get(key), states, full_name) for key in by_key.keys() | states.keys()
    }
    places = _Places(assembled, rules, config)
    unlisted = store.upkeep.unlisted()
    explanations = [
        replace(
            places.explanation(
                decisions[entry.number], by_number[entry.number].instead, names[entry.feed]
            )
            if entry.number in decisions
            else _undecided(entry, by_key.get(entry.feed), names[entry.feed]),
            listed=entry.number not in unlisted,
        )
        for entry in entries
    ]
    explanations += places.picked_only({(entry.feed, entry.id) for entry in entries})
    explanations.sort(
        key=lambda explanation: (explanation.when, explanation.entry.number), reverse=True
    )
    return Overview(
        config=config,
        feeds=by_key,
        states=states,
        hosts=store.hosts(),
        names=names,
        explanations=tuple(explanations),
        now=now,
    )


def _without_lot(decision: Decision) -> Decision:
    """Return the decision; without when it ends, where other entries decide that, too."""
    return replace(decision, until=None) if decision.reason in COUNTED else decision


class _Places:
    """What is shown, and where."""

    def __init__(self, assembled: Iterable[AssembledPost], rules: Rules, config: Config) -> None:
        self._feeds = rules.feeds
        self._on_lists: dict[tuple[str, str], tuple[str, ...]] = {}
        for pick in config.picks:
            if pick.list != OWN_LIST:
                key = pick.feed, pick.id
                self._on_lists[key] = (*self._on_lists.get(key, ()), pick.list)
        own = rules.own_picks
        self._picked = {(post.entry.feed, post.entry.id): number for number, post in own.items()}
        off_page = [post for picks in lists_of(rules.picked, {}) for post in picks.posts]
        self._of_picks = (*own.values(), *off_page)
        shown = newest_first(one.post for one in assembled if one.is_shown)
        shown.sort(key=lambda post: post.entry.is_timeless)
        self._posts = {post.entry.number: post for post in shown}
        self._places = {post.entry.number: place for place, post in enumerate(shown)}
        self._months = Counter(
            (post.day.year, post.day.month) for post in shown if not post.entry.is_timeless
        )
        self._most = config.pages.archive
        newer: Counter[str] = Counter()
        self._in_source: list[int] = []
        for post in shown:
            self._in_source.append(newer[post.source.key])
            newer[post.source.key] += 1

    def explanation(self, decision: Decision, instead: int | None, name: str) -> Explanation:
        """Return what becomes of an entry; `instead` is the post that is shown in its place."""
        entry = decision.entry
        key, feed = (entry.feed, entry.id), self._feeds[entry.feed]
        number = None
        if key in self._picked:
            outcome, number = EntryOutcome.PICKED, self._picked[key]
        elif not decision.kept:
            outcome = EntryOutcome.DROPPED
        elif instead is None:
            outcome, number = EntryOutcome.SHOWN, entry.number
        else:
            outcome, number = EntryOutcome.DUPLICATE, instead
        return Explanation(
            entry=entry,
            outcome=outcome,
            feed=feed,
            name=name,
            when=entry.filed(feed.future),
            decision=decision,
            lists=self._on_lists.get(key, ()),
            **self._at(number),
        )

    def picked_only(self, explained: Container[tuple[str, str]]) -> list[Explanation]:
        """The picked episodes of which nothing but the pick is known any more."""
        explanations: dict[tuple[str, str], Explanation] = {}
        for post in self._of_picks:
            key = post.entry.feed, post.entry.id
            if post.picked and key not in explained and key not in explanations:
                explanations[key] = Explanation(
                    entry=post.entry,
                    outcome=EntryOutcome.PICKED,
                    feed=self._feeds.get(post.entry.feed),
                    name=post.picked.show.title,
                    when=post.when,
                    lists=self._on_lists.get(key, ()),
                    listed=False,
                    **self._at(self._picked.get(key)),
                )
        return list(explanations.values())

    def _at(self, number: int | None) -> dict[str, Any]:
        """What is shown, and where."""
        if number is None:
            return {}
        place, post = self._places[number], self._posts[number]
        return {
            "post": post,
            "place": place,
            "place_in_source": self._in_source[place],
            "has_day": self._months[post.day.year, post.day.month] > self._most,
        }


def _at_release(
    decisions: Mapping[int, Decision],
    then: Mapping[int, Decision],
    release: Timetable,
    picks: Iterable[Pick],
) -> dict[int, Decision]:
    """What waits for a release only where it comes out there, by what would be decided `then`.

    `picks` are those that wait for it.
    """
    picked = {(pick.feed, pick.id): pick.picked_at for pick in picks if pick.list == OWN_LIST}
    at_release = {}
    for number, decision in decisions.items():
        entry, later = decision.entry, then[number]
        at = None if decision.kept else picked.get((entry.feed, entry.id))
        if at is not None:
            waits, until = Reason.NOT_RELEASED, release.next(at)
            decision = Decision(entry=entry, reason=waits, detail="picked", until=until)
        elif decision.reason is Reason.NOT_RELEASED and later.reason not in _UNTIL_THEN:
            decision = later
        at_release[number] = decision
    return at_release


def _name(
    key: str, feed: Feed | None, states: Mapping[str, FeedState], full_name: FeedNames
) -> str:
    feed_state = states.get(key)
    if feed is not None:
        return full_name(feed, feed_state)
    return (feed_state.profile.title if feed_state and feed_state.profile else None) or redact(key)


def _entries(
    feeds: Mapping[str, Feed],
    states: Mapping[str, FeedState],
    store: Store,
) -> list[Entry]:
    """All entries that are known, also those of feeds that are not in the config any more."""
    only = [key for key, feed in feeds.items() if feed.picks is Picks.ONLY]
    offered = store.entries(only, picks=Picks.ONLY)
    twice = {(entry.feed, entry.id) for entry in offered}
    stored = store.entries(states.keys() | feeds.keys())
    return [entry for entry in stored if (entry.feed, entry.id) not in twice] + offered


def _undecided(entry: Entry, feed: Feed | None, name: str) -> Explanation:
    """What becomes of an entry whose feed the site does not have."""
    outcome = EntryOutcome.LEFT
    if feed is not None:
        outcome = EntryOutcome.ELSEWHERE if feed.enabled else EntryOutcome.DISABLED
    return Explanation(
        entry=entry,
        outcome=outcome,
        feed=feed,
        name=name,
        when=entry.filed(feed.future if feed else Future.CLAMP),
    )


def state(feed: Feed, overview: Overview, terms: Terms) -> Answer:
    """How it goes with a feed, and when something new of it can show."""
    feed_state = current_state(feed, overview.states.get(feed.key))
    code, words = _state(feed, feed_state, overview, terms)
    hint = advise(feed, overview.states.get(feed.key))
    sentences = (*words, hint.words) if hint and feed.enabled else tuple(words)
    name, url = overview.names[feed.key], redact(feed.written_url)
    return Answer(reason=code, subject=name if name == url else f"{name} ({url})", words=sentences)


def _state(
    feed: Feed, feed_state: FeedState, overview: Overview, terms: Terms
) -> tuple[str, list[str]]:
    if not feed.enabled:
        place = f" ({feed.place})" if feed.place else ""
        return "disabled", [f"This feed is switched off in the config, by `enabled`{place}."]
    shown = sum(
        explanation.is_shown and explanation.entry.feed == feed.key
        for explanation in overview.explanations
    )
    count = f"{shown} of its entries are shown." if shown != 1 else "One of its entries is shown."
    if feed_state.given_up:
        words = f"This feed is not asked any more: {GIVEN_UP[feed_state.given_up]}."
        return "given_up", [words, count]
    following = _next(feed, feed_state, overview, terms)
    if feed_state.attempted_at is None:
        return "never_asked", ["This feed was never asked.", following]
    attempted = terms.moment(feed_state.attempted_at)
    if feed_state.interrupted:
        words = f"A run that asked this feed at {attempted} was cut short."
        return "interrupted", [words, following]
    if feed_state.failures:
        return "failing", [*_failing(feed_state, terms), count, following]
    if feed_state.succeeded_at is None and not feed.is_file:
        # What was held against it is forgotten once `planet retry` was told to.
        words = f"This feed was last asked at {attempted}, and never read."
        return "never_read", [words, following]
    answered = terms.moment(feed_state.succeeded_at or feed_state.attempted_at)
    words = f"This feed was last read at {answered}, and all was well. {count}"
    return "ok", [words, following]


def _failing(feed_state: FeedState, terms: Terms) -> Iterator[str]:
    times = f"{feed_state.failures} times in a row" if feed_state.failures > 1 else "once"
    yield f"This feed has failed {times}: {feed_state.error}."
    if feed_state.succeeded_at is None:
        yield "It was never read."
    else:
        yield f"It was last read at {terms.moment(feed_state.succeeded_at)}; what it said stays."


def _next(feed: Feed, feed_state: FeedState, overview: Overview, terms: Terms) -> str:
    """When it is asked next, for what it lists since then."""
    if feed.is_file:
        return "It is a file, which every run reads."
    host = find_host(feed, feed_state, overview.hosts)
    if host and host.rests_until and is_resting(host, now=overview.now):
        return f"Its server is to be left alone until {terms.moment(host.rests_until)}."
    at, reason = next_poll(feed, feed_state, host)
    if at is None or at <= overview.now:
        return "It is due: the next `planet build` asks it."
    why = f" ({explain_due(feed_state, reason)})" if reason else ""
    return f"It is asked again at {terms.moment(at)}{why}; what it has listed since comes then."


_HANDLE: Final = re.compile("[0-9a-f]{4,10}", re.IGNORECASE)


def entries(name: str, overview: Overview) -> list[Explanation]:
    """The entries that are called so: by id, address, ID, or the words of their title.

    An address is compared as servers must, and if nothing has it, as people do.
    """
    for is_meant in (_is_at, _has_handle, _is_near, _has_words):
        if meant := [
            explanation
            for explanation in overview.explanations
            if is_meant(explanation.entry, name)
        ]:
            return meant
    return []


def feeds(name: str, overview: Overview) -> list[Feed]:
    """The feeds whose address, name or home page it is, else those of the same site."""
    if url := account.name(name):
        return [feed for feed in overview.feeds.values() if feed.url == url]
    site = _site(name)
    if not site:
        return []
    wanted = _loosely(name)
    exact = [
        feed for feed in overview.feeds.values() if wanted in map(_loosely, _homes(feed, overview))
    ]
    return exact or [
        feed for feed in overview.feeds.values() if site in map(_site, _homes(feed, overview))
    ]


def _addresses(entry: Entry) -> set[str]:
    links = (entry.link, *(file.url for file in entry.enclosures))
    return {address.normalize(url) for url in links if url}


def _is_at(entry: Entry, name: str) -> bool:
    return name == entry.id or address.normalize(name) in _addresses(entry)


def _is_near(entry: Entry, name: str) -> bool:
    return _loosely(name) in map(_loosely, _addresses(entry))


def _has_handle(entry: Entry, name: str) -> bool:
    return bool(_HANDLE.fullmatch(name)) and handle(entry.feed, entry.id).startswith(name.lower())


def _has_words(entry: Entry, name: str) -> bool:
    """Whether each of the words is in the title; an address has none."""
    title = entry.heading.casefold()
    return "://" not in name and all(word in title for word in name.casefold().split())


def _homes(feed: Feed, overview: Overview) -> Sequence[str]:
    feed_state = overview.states.get(feed.key)
    profile = feed_state.profile if feed_state else None
    urls = (feed.url, feed.link, feed_state and feed_state.asked_url, profile and profile.link)
    return [url for url in urls if url]


def _site(url: str) -> str:
    return address.host(url).rpartition(":")[0].removeprefix("www.")


def _loosely(url: str) -> str:
    """An address without what people take for the same: the page it leads to, without `www.`."""
    return address.page_key(url).removeprefix("www.")


class Terms:
    """The operator's terms: settings with the lines they stand in, moments in a site's zone."""

    def __init__(self, places: Places, config: Config) -> None:
        """`config` is that of a site."""
        self._places = places
        self._zone = config.timezone
        self._site = config.site

    @property
    def edition(self) -> str:
        """What the site is called."""
        return f"the edition “{self._site.name}”" if self._site.name else "the planet"

    def comes_out(self, moment: datetime) -> datetime:
        """When an edition that comes out at times shows what was found then."""
        assert self._site.release is not None, "only what waits for a release asks for it"
        return self._site.release.next(moment)

    def setting(self, explanation: Explanation | None, *name: str) -> str:
        """A setting that decided about an entry; with None, one of the site."""
        label = ".".join(name)
        feed = explanation.feed if explanation and not explanation.by_planet else None
        if explanation and feed and (place := self._places.of(feed, *name)):
            return f"`{label}` of {explanation.name} ({place})"
        own = ("editions", self._site.name, *name)
        if self._site.name and (place := self._places.of(None, *own)):
            return f"`{label}` of {self.edition} ({place})"
        if place := self._places.of(None, *name):
            return f"`{label}` of the planet ({place})"
        at = f"; {feed.place} is where the feed stands" if feed and feed.place else ""
        return f"`{label}`, which the config does not set{at}"

    def moment(self, when: datetime) -> str:
        """A moment, in the planet's time zone."""
        return f"{when.astimezone(self._zone):%Y-%m-%d %H:%M}"
