"""What came of a feed → where it is kept: its entries in the store, or in the cache of episodes.

Of a feed that shows picks only (`Picks.ONLY`) the store keeps what is known of the feed, and no
entries: what can be picked of it is in the cache, for as long as the feed lists it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet.model import Kept, Picks, Reading
from planet.parse import PARSER
from planet.schedule import remember, shows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planet.errors import FeedError
    from planet.model import Feed, Fetched, Memory
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
    memory = remember(before, feed, fetched, result, reader=_reader(feed))
    reading = result if isinstance(result, Reading) else None
    return memory, store.keep(memory, reading, now=fetched.ended, shows=shows(before, memory))


def known(
    feed: Feed, memory: Memory | None, *, store: Store, episodes: Episodes
) -> dict[str, str] | None:
    """The digests of what is kept of a feed; None when it is to be read as a new one."""
    if memory is None or memory.profile is None:
        return None
    if feed.picks is Picks.ONLY:
        return episodes.digests(feed.key)
    digests = store.entry_digests(feed.key)
    was_left_out = (memory.reader or "").endswith(_EPISODES_ONLY)
    return None if was_left_out and not digests else digests


def as_kept(
    feeds: Iterable[Feed], memories: Mapping[str, Memory], episodes: Episodes
) -> dict[str, Memory]:
    """What is known of feeds, where nobody has read one whose entries are not where they belong.

    Its body is read again then, from disk. This is so when the operator has changed what is shown
    of it, and when the cache was lost.
    """
    hashes = episodes.hashes()
    told = dict(memories)
    for feed in feeds:
        if memory := memories.get(feed.key):
            is_kept = memory.reader == _reader(feed) and (
                feed.picks is Picks.ALSO
                or memory.unreadable is not None
                or memory.processed_hash == hashes.get(feed.key)
            )
            reader = PARSER if is_kept else None
            if memory.reader != reader:
                told[feed.key] = replace(memory, reader=reader)
    return told


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


def _reader(feed: Feed) -> str:
    return PARSER + (_EPISODES_ONLY if feed.picks is Picks.ONLY else "")
