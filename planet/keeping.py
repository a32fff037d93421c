"""What came of a feed → where it is kept: its entries in the store, or in the cache of episodes.

Of a feed that shows picks only (`Picks.ONLY`) the store keeps what is known of the feed, and no
entries: what can be picked of it is in the cache, for as long as the feed lists it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet.merge.identity import is_same_feed, own_id, published_id, renamed
from planet.model import Kept, Picks, Reading, Seed
from planet.parse import PARSER
from planet.schedule import remember, shows
from planet.schedule.known import known_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.errors import FeedError
    from planet.model import Draft, Entry, Feed, Fetched, Memory, Trace
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
    left: Sequence[str] = (),
) -> tuple[Memory, Kept]:
    """Store what came of asking a feed; what is known of it now, and how much of it is new.

    `left` has the keys of feeds that are not in the config any more.
    """
    if feed.picks is Picks.ONLY and isinstance(result, Reading):
        return _keep_episodes(feed, fetched, result, before, store, episodes)
    if isinstance(result, Reading):
        is_first = before is None or before.profile is None
        if is_first and (former := _former(result, left, store)):
            store.rename(former, feed)
        result = _recognised(feed, result, store, is_first=is_first)
        if before is not None and before.reader != _reader(feed):
            result = replace(result, read_anew=True)
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


def _former(reading: Reading, left: Sequence[str], store: Store) -> str | None:
    """The key of the feed that this one was, before the operator changed its address."""
    for key in left:
        if is_same_feed(store.entries([key]), reading.drafts):
            return key
    return None


def _recognised(feed: Feed, reading: Reading, store: Store, *, is_first: bool) -> Reading:
    """The reading where entries that are stored under other ids say so, and are no news.

    Ids are looked at when most of those that the feed listed are gone at once.
    """
    known = store.entry_digests(feed.key, shown=feed.new_feed_entries)
    if not known:
        return reading
    drafts = reading.drafts
    if is_first:  # of this address; the entries were there before
        drafts = tuple(
            replace(draft, rank=None) for draft in drafts if known.get(draft.id) != draft.digest
        )
    new = [draft for draft in drafts if draft.id not in known]
    listed = store.listed(feed.key)
    former: dict[str, Entry] = {}
    if new and 2 * len(listed - set(reading.ids)) >= len(listed):
        gone = [entry for entry in store.entries([feed.key]) if entry.id not in reading.ids]
        former = renamed(gone, new)
    if not (former or is_first):
        return reading
    return replace(
        reading,
        drafts=tuple(
            replace(draft, former_id=former[draft.id].id) if draft.id in former else draft
            for draft in drafts
        ),
        posted=tuple(_claim(draft) for draft in new if draft.id not in former),
    )


def _claim(draft: Draft) -> datetime | None:
    """When an entry was posted, as it says."""
    return draft.published or draft.updated


def _news(key: str, reading: Reading, store: Store) -> Reading:
    """The reading without what it brought for its text (`as_kept`) or for its new id only."""
    known = store.entry_digests(key, shown=0)
    news = tuple(
        draft
        for draft in reading.drafts
        if known.get(draft.id) != draft.digest and draft.former_id is None
    )
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
        else (_newer(draft) if place < newest else _no_newer(draft, others_before, now))
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
    claim = _claim(draft)
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


def _newer(draft: Draft) -> Draft:
    """An entry that came since: without a date it is no page, though nothing was known of it."""
    return draft if _claim(draft) else replace(draft, rank=None)


def _no_newer(draft: Draft, moment: datetime, now: datetime) -> Draft:
    """An entry that was not on the site: when its date cannot tell, it was met by that moment."""
    claim = _claim(draft)
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
