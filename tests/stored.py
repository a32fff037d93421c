"""A store that has kept readings, as a run keeps them."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

from planet.model import Counts, FeedState, ParseResult, Picks
from planet.run.ingest import Reading, decide
from planet.store import Store
from tests.builders import NOW, make_feed


def keep_reading(
    store: Store,
    state: FeedState,
    result: ParseResult,
    *,
    now: datetime = NOW,
    shown: int | None = None,
    shows: bool = False,
    former: Mapping[str, str] = MappingProxyType({}),
) -> Counts:
    """Keep a reading of a feed of whose first entries so many are shown; None is all.

    `former` has the stored ids of entries that have another one now.
    """
    feed = make_feed(state.key, picks=state.picks, new_feed_entries=shown)
    rows = store.entries.rows(state.key, picks=state.picks)
    reading = Reading(result, former)
    changes = decide(feed, reading, rows, store=store, now=now)
    store.keep(state, changes, shows=shows)
    return changes.counts


def stored_digests(store: Store, key: str = "one", *, picks: Picks = Picks.ALSO) -> dict[str, str]:
    """Return the digests of what is kept of a feed, by the ids of its entries."""
    return {entry: row.digest for entry, row in store.entries.rows(key, picks=picks).items()}


def listed_ids(store: Store, key: str = "one") -> set[str]:
    """Return the ids of the entries that a feed had when it was last read."""
    return {entry_id for entry_id, row in store.entries.rows(key).items() if row.is_listed}
