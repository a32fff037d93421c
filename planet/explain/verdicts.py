"""What is known → what becomes of each entry, as the next site would have it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from planet.address import redacted
from planet.content import plain
from planet.explain.nouns import Fate, Known, Verdict
from planet.explain.shown import Shown
from planet.model import OWN_LIST, Filters, Future, Picks
from planet.release import as_of, released
from planet.report import called
from planet.select import Decision, Reason, select

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.model import Entry, Feed, Memory, Pick, Timetable
    from planet.store import Episodes, Store


_UNTIL_THEN = frozenset({Reason.KEPT, Reason.NOT_RECENT, Reason.NOT_DRAWN})
"""Kept, or nobody can know yet."""


def look(
    config: Config, feeds: Iterable[Feed], *, store: Store, episodes: Episodes, now: datetime
) -> Known:
    """What becomes of each entry that is known; nobody is asked, and nothing is written.

    `config` is that of a site, `feeds` are all there are.
    """
    by_key = {feed.key: feed for feed in feeds}
    shows = {key for key, feed in by_key.items() if config.site.shows(feed)}
    moment = released(config, store.publications.released(config.site.folder), now)
    picks, config = as_of(config, None, shows).picks, as_of(config, moment, shows)
    memories = store.memories()
    entries = _entries(by_key, memories, store, episodes)
    wanted = {key: feed for key, feed in by_key.items() if feed.enabled and key in shows}

    def texts(numbers: Sequence[int]) -> Mapping[int, str]:
        return {number: plain(text) for number, text in store.raw_texts(numbers).items()}

    asked = [entry for entry in entries if entry.feed in wanted]
    how = partial(select, asked, wanted, texts=texts)

    def decide(filters: Filters) -> Sequence[Decision]:
        decisions = how(planet=filters, now=moment or now, released=moment)
        if moment is None or config.site.release is None:
            return decisions
        then = how(planet=filters, now=config.site.release.next(now))
        return _at_release(decisions, then, config.site.release, set(picks) - set(config.picks))

    decisions, own = decide(config.filters), decide(Filters())
    by_itself = {decision.entry.number: decision.kept for decision in own}
    shown = Shown(
        [decision.entry for decision in decisions if decision.kept], config, wanted, memories
    )
    names = {key: _name(key, by_key.get(key), memories) for key in by_key.keys() | memories.keys()}
    decided = {
        decision.entry.number: shown.verdict(
            decision,
            by_planet=by_itself[decision.entry.number],
            name=names[decision.entry.feed],
        )
        for decision in decisions
    }
    unlisted = store.upkeep.unlisted()
    verdicts = [
        replace(
            decided.get(entry.number)
            or _undecided(entry, by_key.get(entry.feed), names[entry.feed]),
            listed=entry.number not in unlisted,
        )
        for entry in entries
    ]
    verdicts += shown.picked_only({(entry.feed, entry.id) for entry in entries})
    verdicts.sort(key=lambda verdict: (verdict.when, verdict.entry.number), reverse=True)
    return Known(
        config=config,
        feeds=by_key,
        memories=memories,
        hosts=store.hosts(),
        names=names,
        verdicts=tuple(verdicts),
        now=now,
    )


def _at_release(
    decisions: Iterable[Decision],
    then: Iterable[Decision],
    release: Timetable,
    picks: Iterable[Pick],
) -> list[Decision]:
    """What waits for a release only where it comes out there, by what would be decided `then`.

    `picks` are those that wait for it.
    """
    picked = {(pick.feed, pick.id): pick.picked_at for pick in picks if pick.list == OWN_LIST}
    found = []
    for decision, later in zip(decisions, then, strict=True):
        entry = decision.entry
        at = None if decision.kept else picked.get((entry.feed, entry.id))
        if at is not None:
            waits = Reason.NOT_RELEASED
            found.append(
                Decision(entry=entry, reason=waits, detail="picked", until=release.next(at))
            )
        elif decision.reason is Reason.NOT_RELEASED and later.reason not in _UNTIL_THEN:
            found.append(later)
        else:
            found.append(decision)
    return found


def _name(key: str, feed: Feed | None, memories: Mapping[str, Memory]) -> str:
    memory = memories.get(key)
    if feed is not None:
        return called(feed, memory)
    return (memory.profile.title if memory and memory.profile else None) or redacted(key)


def _entries(
    feeds: Mapping[str, Feed],
    memories: Mapping[str, Memory],
    store: Store,
    episodes: Episodes,
) -> list[Entry]:
    """All entries that are known, also those of feeds that are not in the config any more."""
    only = [key for key, feed in feeds.items() if feed.picks is Picks.ONLY]
    offered = [entry for found in episodes.newest(only).values() for entry in found]
    twice = {(entry.feed, entry.id) for entry in offered}
    stored = store.entries(memories.keys() | feeds.keys())
    return [entry for entry in stored if (entry.feed, entry.id) not in twice] + offered


def _undecided(entry: Entry, feed: Feed | None, name: str) -> Verdict:
    """What becomes of an entry whose feed the site does not have."""
    fate = Fate.LEFT
    if feed is not None:
        fate = Fate.ELSEWHERE if feed.enabled else Fate.DISABLED
    return Verdict(
        entry=entry,
        fate=fate,
        feed=feed,
        name=name,
        when=entry.filed(feed.future if feed else Future.CLAMP),
    )
