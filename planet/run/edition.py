"""The state → what a site shows now, with what is told beside it."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from planet.model import Edition, Future, Picks, Timeline
from planet.report import feed_name, format_count
from planet.run.open import trusted_now
from planet.run.pictures import face_files
from planet.run.texts import Texts
from planet.schedule.health import feed_health
from planet.timeline.assemble import assemble, make_rules
from planet.timeline.digest import make_digest, timetable
from planet.timeline.edition import sources, tags, with_post_counts
from planet.timeline.links import build_link_graph
from planet.timeline.select import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.model import Digest, Entry, Feed, FeedState, File
    from planet.run.open import Run
    from planet.timeline.select import Decision

_AS_OF_FOR = timedelta(days=7)
"""After so long a site is made again, also with nothing new, so that what it says of when its feeds
were last asked is never older while somebody looks after it."""


class SiteContent(msgspec.Struct, frozen=True, kw_only=True):
    """What a site shows, and what is told beside it."""

    edition: Edition
    pictures: tuple[File, ...]
    """The faces of its sources."""
    faded: int
    """How many entries it does not show because they are too old."""
    notices: tuple[str, ...]
    """What the operator should know of filters, in words."""


def make_edition(
    config: Config,
    feeds: Sequence[Feed],
    *,
    run: Run,
    icons: bool,
    released: datetime | None = None,
) -> SiteContent:
    """Return what a site shows now, or, with `released`, what it showed at that moment.

    With `icons` it shows those that were fetched.

    Raises:
        OSError: the file of a source's picture cannot be read.
    """
    wanted = {feed.key: feed for feed in feeds if feed.enabled}
    states, hosts = run.store.states(), run.store.hosts.read()
    now = released or run.clock()

    health = {
        key: feed_health(feed, states.get(key), hosts, is_public=True)
        for key, feed in wanted.items()
    }
    run.store.entries.keep_listed([feed.key for feed in feeds if feed.is_archived])
    leaving = run.store.entries.unlisted(before=trusted_now(run) - config.retention.entries)
    entries = [one for one in run.store.entries.of_feeds(wanted) if one.number not in leaving]
    faces = face_files(wanted.values(), run=run, icons=icons)
    texts = Texts(config, run)
    shown_as = sources(
        wanted.values(),
        states,
        health,
        entries,
        faces={key: file.path for key, file in faces.items()},
    )
    rules = make_rules(config, wanted, shown_as)
    assembled = assemble(
        entries,
        rules,
        texts=run.store.texts.read_plain,
        now=now,
        released=released,
    )
    timeline, decisions = Timeline(assembled.posts), assembled.decisions.values()
    ends = (decision.until for decision in decisions if decision.until and decision.until > now)
    changes = [min(ends, default=None), now + _AS_OF_FOR]
    if config.digest:
        changes.append(timetable(config.digest, config.timezone).next(now))
    if config.site.release:
        changes = [config.site.release.next(now)]
    listed = with_post_counts(shown_as, timeline)
    edition = Edition(
        title=config.title,
        link=config.link,
        description=config.description,
        owner=config.owner,
        language=config.language,
        timezone=config.timezone,
        hub=config.hub,
        repository=config.repository,
        podcast=config.podcast,
        timeline=timeline,
        sources=listed,
        tags=tags(listed),
        episodes=_episodes(config, wanted.values(), run),
        digests=_digests(config, timeline, run, now),
        keeps_until=min(filter(None, changes), default=None),
    )
    edition = replace(edition, links=build_link_graph(edition, texts.links, texts))
    return SiteContent(
        edition=edition,
        pictures=tuple(faces.values()),
        faded=sum(decision.reason is Reason.TOO_OLD for decision in decisions),
        notices=tuple(_slow_filters(decisions, wanted, states)),
    )


def _slow_filters(
    decisions: Iterable[Decision], feeds: Mapping[str, Feed], states: Mapping[str, FeedState]
) -> Iterator[str]:
    """Yield which filters took too long, a sentence for each filter and feed."""
    passed = Counter(
        (pattern.written, decision.entry.feed)
        for decision in decisions
        for pattern in decision.too_slow
    )
    for (words, key), count in passed.items():
        name, entries = (
            feed_name(feeds[key], states.get(key)),
            format_count(count, "entry", "entries"),
        )
        yield f"the filter {words} takes too long to search {entries} of {name}, and lets that pass"


def _episodes(config: Config, feeds: Iterable[Feed], run: Run) -> dict[str, tuple[Entry, ...]]:
    """Return the newest episodes of feeds that show picks only, without those that are picked."""
    keys = [feed.key for feed in feeds if feed.picks is Picks.ONLY]
    picked = {(pick.feed, pick.id) for pick in config.picks}
    episodes: dict[str, list[Entry]] = {key: [] for key in keys}
    for entry in run.store.entries.of_feeds(keys, picks=Picks.ONLY):
        if (entry.feed, entry.id) not in picked:
            episodes[entry.feed].append(entry)
    return {
        key: tuple(sorted(entries, key=_filing_order, reverse=True)[: config.pages.source])
        for key, entries in episodes.items()
    }


def _filing_order(entry: Entry) -> tuple[datetime, int]:
    return entry.filing_moment(Future.CLAMP), entry.number


def _digests(
    config: Config, timeline: Timeline, run: Run, now: datetime
) -> tuple[Digest, ...] | None:
    """Return the digests, newest first, with the one that is due; None when none are wanted."""
    if config.digest is None:
        return None
    made = run.store.digests.all(config.site.folder)
    last = made[0] if made else None
    due = make_digest(timeline, last, times=config.digest, zone=config.timezone, now=now)
    return (due, *made) if due else made
