"""Store → Edition: what the planet shows now, chosen and merged from what is stored."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planet import address
from planet.digest import compose, timetable
from planet.links import graph
from planet.merge import merge, sources
from planet.model import OWN_LIST, Edition, Picking, Picks
from planet.plain import shortened
from planet.report import called, counted
from planet.run import cleaning, present
from planet.schedule.record import record, standing
from planet.select import Reason, select
from planet.site.unwatched import unwatched
from planet.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.model import Digest, Entry, Feed, Memory, Post, Standing
    from planet.run import Run
    from planet.select import Decision

    Record = dict[str, Any]

_HEADING = 80
"""Characters of an entry's heading in words for the operator."""


def make_edition(
    config: Config, feeds: Sequence[Feed], *, run: Run, released: datetime | None = None
) -> tuple[Edition, dict[str, Record], int, list[str]]:
    """What a site shows now, or, with `released`, what it showed at that moment.

    With it comes how each of its feeds stands, for machines, how many entries it does not show
    because they are too old, and what the operator should know of filters, in words.
    """
    with unwatched():
        return _made(config, feeds, run, released)


def _made(
    config: Config, feeds: Sequence[Feed], run: Run, released: datetime | None
) -> tuple[Edition, dict[str, Record], int, list[str]]:
    wanted = {feed.key: feed for feed in feeds if feed.enabled}
    memories, hosts = run.store.memories(), run.store.hosts()
    now = released or run.clock()
    standings: dict[str, Standing] = {}
    records: dict[str, Record] = {}
    for key, feed in wanted.items():
        memory = memories.get(key)
        asked_at = (memory.asked_url if memory else None) or feed.url
        host = hosts.get(address.host(asked_at))
        standings[key] = standing(feed, memory, host)
        records[key] = record(
            feed,
            memory,
            host,
            tell=_untold if feed.is_hidden else address.public,
            is_public=True,
        )
    texts = texts_of(config, run)
    going = run.store.retiring(entries_before=present(run) - config.retention.entries)
    cards = run.store.cards(wanted)
    decisions = select(
        [card for card in cards if card.number not in going] if going else cards,
        wanted,
        planet=config.filters,
        texts=texts.plain,
        now=now,
        released=released,
    )
    changes = [item.until for item in decisions if item.until is not None and item.until > now]
    if config.digest:
        changes.append(timetable(config.digest, config.timezone).next(now))
    if config.site.release:
        changes = [config.site.release.next(now)]
    edition = merge(
        [decision.entry for decision in decisions if decision.kept],
        wanted,
        sources(wanted.values(), memories, standings),
        picks=config.picks,
        lists=config.lists,
        cleaning=cleaning(config).version,
        alike=run.store.alike(pick.id for pick in config.picks),
        edition=Edition(
            title=config.title,
            link=config.link,
            description=config.description,
            owner=config.owner,
            language=config.language,
            timezone=config.timezone,
            hub=config.hub,
            repository=config.repository,
            podcast=config.podcast,
            episodes=_episodes(config, wanted.values(), run),
            keeps_until=min(changes, default=None),
        ),
    )
    edition = replace(
        edition,
        digests=_digests(config, edition.posts, run, now),
        links=graph(edition, texts.links),
    )
    faded = sum(decision.reason is Reason.TOO_OLD for decision in decisions)
    return edition, records, faded, list(_slow_filters(decisions, wanted, memories))


def _slow_filters(
    decisions: Iterable[Decision], feeds: Mapping[str, Feed], memories: Mapping[str, Memory]
) -> Iterator[str]:
    """Which filters took too long with which entries, a sentence for each filter and feed."""
    found: dict[tuple[str, str], list[Entry]] = {}
    for decision in decisions:
        for pattern in decision.too_slow:
            found.setdefault((pattern.said, decision.entry.feed), []).append(decision.entry)
    for (said, key), entries in found.items():
        name = called(feeds[key], memories.get(key))
        which, them = f"“{shortened(entries[0].heading, _HEADING)}”", "it"
        if others := len(entries) - 1:
            which, them = f"{which} and {counted(others, 'other entry', 'other entries')}", "them"
        yield f"the filter {said} takes too long to search {which} of {name}, and lets {them} pass"


def _episodes(config: Config, feeds: Iterable[Feed], run: Run) -> dict[str, tuple[Entry, ...]]:
    """The newest episodes of the feeds that show picks only, without those that are picked.

    Where they are picked with a button, what is on a list alone is among them: for other lists.
    """
    keys = [feed.key for feed in feeds if feed.picks is Picks.ONLY]
    others = config.pages.picking is not Picking.FORM
    picked = {(pick.feed, pick.id) for pick in config.picks if others or pick.list == OWN_LIST}
    newest = run.episodes.newest(keys, config.pages.source + len(picked))
    unpicked = {
        key: [entry for entry in found if (key, entry.id) not in picked]
        for key, found in newest.items()
    }
    return {key: tuple(found[: config.pages.source]) for key, found in unpicked.items()}


def _digests(
    config: Config, posts: Sequence[Post], run: Run, now: datetime
) -> tuple[Digest, ...] | None:
    """The digests there are, newest first, with the one that is due; None when none are wanted."""
    if config.digest is None:
        return None
    known = run.store.digests.all(config.site.folder)
    last = known[0] if known else None
    due = compose(posts, last, times=config.digest, zone=config.timezone, now=now)
    return (due, *known) if due else known


def texts_of(config: Config, run: Run) -> Texts:
    """The texts of entries and picks, cleaned as this planet cleans them."""
    return Texts(run.store, run.workers, cleaning(config), config.picks)


def _untold(_: str) -> None:
    """What anyone may know of an address with a secret in it."""
