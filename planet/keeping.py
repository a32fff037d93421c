"""What came of a feed → where it is kept: its entries in the store, or in the cache of episodes.

Of a feed that shows picks only (`Picks.ONLY`) the store keeps what is known of the feed, and no
entries: what can be picked of it is in the cache, for as long as the feed lists it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet.merge.identity import own_id, published_id
from planet.model import Kept, Picks, Reading, Seed
from planet.parse import PARSER
from planet.schedule import remember, shows
from planet.schedule.known import known_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from planet.errors import FeedError
    from planet.model import Draft, Feed, Fetched, Memory, Trace
    from planet.store import Episodes, Store

_EPISODES_ONLY = " episodes"
"""How `Memory.reader` ends when the entries that were read are not in the store."""


def keep(
    feed: Feed,
    fetched: Fetched,
    result: Reading | FeedError | None,
    before: Memory | None,
    *,
    store: Store,
    episodes: Episodes,
) -> tuple[Memory, Kept]:
    """Store what came of asking a feed; what is known of it now, and how much of it is new."""
    if feed.picks is Picks.ONLY and isinstance(result, Reading):
        return _keep_episodes(feed, fetched, result, before, store, episodes)
    news = _news(feed.key, result, store) if isinstance(result, Reading) else result
    memory = remember(before, feed, fetched, news, reader=_reader(feed))
    reading = (
        _planted(feed.key, result, store, fetched.ended) if isinstance(result, Reading) else None
    )
    kept = store.keep(
        memory,
        reading,
        now=fetched.ended,
        shows=shows(before, memory),
        shown=feed.new_feed_entries,
    )
    return memory, kept


def known(
    feed: Feed, memory: Memory | None, *, store: Store, episodes: Episodes
) -> dict[str, str] | None:
    """The digests of what is kept of a feed; None when it is to be read as a new one."""
    if memory is None or memory.profile is None:
        return None
    if feed.picks is Picks.ONLY:
        return episodes.digests(feed.key)
    digests = store.entry_digests(feed.key, shown=feed.new_feed_entries)
    was_left_out = (memory.reader or "").endswith(_EPISODES_ONLY)
    return None if was_left_out and not digests else digests


def read_as(feed: Feed, memory: Memory | None) -> str | None:
    """The format of a feed when it was last read at its address; None when it never was."""
    there = known_of(feed, memory)
    return there.profile.format if there.profile and there.succeeded_at else None


def as_kept(
    feeds: Iterable[Feed], memories: Mapping[str, Memory], *, store: Store, episodes: Episodes
) -> dict[str, Memory]:
    """What is known of feeds, where nobody has read one whose entries are not where they belong.

    Its body is read again then, from disk. This is so when the operator has changed what is shown
    of it, or how much, and when the cache was lost.
    """
    hashes, waiting = episodes.hashes(), store.first_waiting()
    told = dict(memories)
    for feed in feeds:
        if memory := memories.get(feed.key):
            is_kept = memory.reader == _reader(feed) and (
                (feed.picks is Picks.ALSO and not _shows_more(feed, waiting.get(feed.key)))
                or memory.unreadable is not None
                or memory.processed_hash == hashes.get(feed.key)
            )
            reader = PARSER if is_kept else None
            if memory.reader != reader:
                told[feed.key] = replace(memory, reader=reader)
    return told


def _news(key: str, reading: Reading, store: Store) -> Reading:
    """The reading without what it brought for its text only (`as_kept`)."""
    known = store.entry_digests(key, shown=0)
    news = tuple(draft for draft in reading.drafts if known.get(draft.id) != draft.digest)
    return replace(reading, drafts=news)


def _planted(key: str, reading: Reading, store: Store, now: datetime) -> Reading:
    """The reading with all that is known of its entries since before the state was lost."""
    known, others_before = store.seeds.of(key)
    if others_before is None:
        return reading
    traces = [_trace(key, draft.id, known) for draft in reading.drafts]
    # Feeds without dates list the newest first: what stands above those that were met is new.
    newest = next((place for place, trace in enumerate(traces) if trace is not None), 0)
    drafts = tuple(
        _again(draft, *trace)
        if trace is not None
        else (draft if place < newest else _no_newer(draft, others_before, now))
        for place, (draft, trace) in enumerate(zip(reading.drafts, traces, strict=True))
    )
    return replace(reading, drafts=drafts)


def _trace(
    key: str, said: str, known: dict[str, tuple[int, Trace]]
) -> tuple[int | None, Trace] | None:
    """What is known of an entry, and its number; what is found is taken out of `known`."""
    uid = published_id(key, said)
    if uid in known:
        return known.pop(uid)
    # Another entry has that id. It was met before, so this one comes after it again.
    found = known.pop(own_id(key, said), None)
    return (None, found[1]) if found else None


def _again(draft: Draft, number: int | None, trace: Trace) -> Draft:
    """An entry that was on the site, stored as it was."""
    claim = draft.published or draft.updated
    dated = trace.filed
    # The site tells the second only. A date that was in the future is the one it claims still.
    if claim and (claim.replace(microsecond=0) == dated or claim > trace.first_seen == dated):
        dated = claim
    seed = Seed(
        number=number,
        first_seen=trace.first_seen,
        changed_at=max(trace.first_seen, trace.modified),
        dated=dated,
    )
    return replace(draft, rank=None, seed=seed)


def _no_newer(draft: Draft, moment: datetime, now: datetime) -> Draft:
    """An entry that was not on the site: when its date cannot tell, it was met by that moment."""
    claim = draft.published or draft.updated
    if claim and claim <= now:
        return draft
    seed = Seed(first_seen=moment, changed_at=moment, dated=claim or moment)
    return replace(draft, seed=seed)


def _keep_episodes(
    feed: Feed,
    fetched: Fetched,
    reading: Reading,
    before: Memory | None,
    store: Store,
    episodes: Episodes,
) -> tuple[Memory, Kept]:
    digests = episodes.digests(feed.key)
    is_again = before is not None and before.profile is not None and not digests
    # What was lost, or was in the store before, is no news when it is read again.
    news = replace(reading, drafts=(), posted=()) if is_again else reading
    memory = remember(before, feed, fetched, news, reader=_reader(feed))
    differs = bool(reading.drafts) or not digests.keys() <= set(reading.ids)
    # The episodes last: killed in between, the next run finds that they are not of this body.
    store.keep(memory, None, now=fetched.ended, shows=differs or shows(before, memory))
    kept = episodes.keep(feed.key, reading, body_hash=fetched.body_hash, now=fetched.ended)
    return memory, Kept() if is_again else kept


def _shows_more(feed: Feed, first_waiting: int | None) -> bool:
    """Whether entries are shown now that were held back, and wait for their texts."""
    limit = feed.new_feed_entries
    return first_waiting is not None and (limit is None or first_waiting < limit)


def _reader(feed: Feed) -> str:
    included = "".join(f" {each}" for each in sorted(feed.include))
    return PARSER + included + (_EPISODES_ONLY if feed.picks is Picks.ONLY else "")
