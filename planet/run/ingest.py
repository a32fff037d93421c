"""What came of a feed → the store: its entries, or of a feed that shows picks only, its episodes.

Such an episode is stored for as long as its feed lists it; what was picked is in `picks.yaml`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from planet.model import Counts, ParseResult, Picks, Transformed, TransformOutcome
from planet.parse import PARSER
from planet.run.changes import decide_changes, is_held_back, known_digests
from planet.schedule import changes_pages, current_state, record_attempt
from planet.text.policy import REVISION
from planet.timeline.duplicates import is_same_feed, match_renamed_entries, published_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.errors import FeedError
    from planet.model import Entry, EntryDates, Feed, FeedState, Fetched, NewEntry
    from planet.store import EntryRow, FeedChanges, Store
    from planet.text.html import Cleaning


class KeptAnswer(NamedTuple):
    """The stored parts of an answer."""

    state: FeedState
    """The state of the feed."""
    counts: Counts
    """The number of new entries."""


def keep(
    feed: Feed,
    fetched: Fetched,
    result: ParseResult | FeedError | None,
    before: FeedState | None,
    *,
    store: Store,
    left: Sequence[str] = (),
) -> KeptAnswer:
    """Store what came of asking a feed.

    `left` has the keys of feeds that are not in the config any more.
    """
    if feed.picks is Picks.ONLY and isinstance(result, ParseResult):
        return _keep_episodes(feed, fetched, result, before, store)
    news, reading = result, None
    rows: Mapping[str, EntryRow] = {}
    if isinstance(result, ParseResult):
        is_first = before is None or before.profile is None
        if is_first and (former := _find_former_key(result, left, store)):
            store.rename(former, feed)
        rows = store.entries.rows(feed.key)
        result = _match_renamed_entries(feed, result, rows, store, is_first=is_first)
        if before is not None and before.reader != _reader(feed):
            result = replace(result, read_anew=True)
        news = _news(result, rows)
        reading = _restore_dates(feed.key, result, rows, store)
    state = record_attempt(before, feed, fetched, news, reader=_reader(feed))
    shows = changes_pages(before, state)
    if reading is None and not shows:
        store.keep(state)
        return KeptAnswer(state, Counts())
    changes = None
    if reading is not None:
        changes = decide(feed, reading, rows, store=store, now=fetched.ended)
    store.keep(state, changes, shows=shows)
    return KeptAnswer(state, changes.counts if changes else Counts())


def decide(
    feed: Feed,
    result: ParseResult,
    rows: Mapping[str, EntryRow],
    *,
    store: Store,
    now: datetime,
) -> FeedChanges:
    """Return the changes by a reading, compared with the rows of the feed."""
    if feed.picks is Picks.ONLY:
        # They are dated by themselves, and none is held back: a feed is not new to whoever picks.
        drafts = tuple(replace(draft, rank=None) for draft in result.drafts)
        result = replace(result, drafts=drafts)
    elif feed.transform:
        waits = Transformed(outcome=TransformOutcome.WAITING, command=" ".join(feed.transform))
        drafts = tuple(replace(draft, transformed=waits) for draft in result.drafts)
        result = replace(result, drafts=drafts)
    ids = [draft.former_id or draft.id for draft in result.drafts]
    numbers = [rows[key].number for key in ids if key in rows]
    before = store.entries.drafts(numbers) if numbers else {}
    return decide_changes(result, rows, before, shown=feed.new_feed_entries, now=now)


def stored_digests(
    feed: Feed, state: FeedState | None, *, store: Store, cleaning: Cleaning
) -> dict[str, str] | None:
    """Return the digests of what is kept of a feed; None when it is to be read as a new one.

    That of an entry is empty where its text is to be read again, because another cleaner made it.
    """
    if state is None or state.profile is None:
        return None
    rows = store.entries.rows(feed.key, picks=feed.picks)
    digests = known_digests(rows, shown=feed.new_feed_entries)
    if state.picks is not feed.picks and not digests:
        return None
    others = store.texts.entries_cleaned_otherwise(feed.key, cleaning=cleaning.version)
    return digests | dict.fromkeys(others & digests.keys(), "")


def last_format(feed: Feed, state: FeedState | None) -> str | None:
    """Return the format of a feed when it was last read at its address; None when it never was."""
    state = current_state(feed, state)
    return state.profile.format if state.profile and state.succeeded_at else None


def reset_changed_readers(
    feeds: Iterable[Feed], states: Mapping[str, FeedState], *, store: Store
) -> dict[str, FeedState]:
    """Return feed states, without `reader` where stored entries no longer match the config.

    The body on disk is read again then: the operator has changed what is shown of the feed, or how
    much.
    """
    waiting = store.entries.first_waiting()
    changed = dict(states)
    for feed in feeds:
        if state := states.get(feed.key):
            first = waiting.get(feed.key)
            # Entries that were held back wait for their texts, and are shown now.
            shows_more = first is not None and not is_held_back(first, feed.new_feed_entries)
            shows_more = shows_more and feed.picks is Picks.ALSO
            is_kept = state.reader == _reader(feed) and state.picks is feed.picks
            is_whole = not shows_more or state.unreadable is not None
            changed[feed.key] = replace(state, reader=PARSER if is_kept and is_whole else None)
    return changed


def _find_former_key(reading: ParseResult, left: Sequence[str], store: Store) -> str | None:
    """Return the key that a feed had before the operator changed its address."""
    return next(
        (key for key in left if is_same_feed(store.entries.of_feeds([key]), reading.drafts)), None
    )


def _match_renamed_entries(
    feed: Feed,
    reading: ParseResult,
    rows: Mapping[str, EntryRow],
    store: Store,
    *,
    is_first: bool,
) -> ParseResult:
    """Return the reading with the former ids of entries, which are then no news.

    Ids are looked at when most of those that the feed listed are gone at once.
    """
    stored = known_digests(rows, shown=feed.new_feed_entries)
    if not stored:
        return reading
    drafts = reading.drafts
    if is_first:  # of this address; the entries were there before
        drafts = tuple(
            replace(draft, rank=None) for draft in drafts if stored.get(draft.id) != draft.digest
        )
    new = [draft for draft in drafts if draft.id not in stored]
    listed = {key for key, row in rows.items() if row.is_listed}
    former: dict[str, Entry] = {}
    if new and 2 * len(listed - set(reading.ids)) >= len(listed):
        gone = [
            entry for entry in store.entries.of_feeds([feed.key]) if entry.id not in reading.ids
        ]
        former = match_renamed_entries(gone, new)
    if not (former or is_first):
        return reading
    return replace(
        reading,
        drafts=tuple(
            replace(draft, former_id=former[draft.id].id) if draft.id in former else draft
            for draft in drafts
        ),
        posted=tuple(_find_date(draft) for draft in new if draft.id not in former),
    )


def _find_date(draft: NewEntry) -> datetime | None:
    """Return when an entry was posted, as it says."""
    return draft.published or draft.updated


def _news(reading: ParseResult, rows: Mapping[str, EntryRow]) -> ParseResult:
    """Return the reading without what it brought for its text or for its new id only.

    It does for its text where `reset_changed_readers` had it read again.
    """
    stored = known_digests(rows, shown=0)
    news = tuple(
        draft
        for draft in reading.drafts
        if stored.get(draft.id) != draft.digest and draft.former_id is None
    )
    return replace(reading, drafts=news)


def _restore_dates(
    key: str, reading: ParseResult, rows: Mapping[str, EntryRow], store: Store
) -> ParseResult:
    """Return the reading with the dates of new entries that were seen before a state was lost."""
    new = (draft.id for draft in reading.drafts if draft.id not in rows)
    uids = {text: published_id(key, text) for text in new}
    if not (seen := store.seen.read(uids.values())):
        return reading
    drafts = [
        _restore(draft, seen[uids[draft.id]]) if uids.get(draft.id) in seen else draft
        for draft in reading.drafts
    ]
    return replace(reading, drafts=tuple(drafts))


def _restore(draft: NewEntry, dates: EntryDates) -> NewEntry:
    """Return an entry that was on the site, dated as it was there."""
    claim = _find_date(draft)
    # The site tells the second only. A date that was in the future is the one it claims still.
    is_whole = claim and claim.replace(microsecond=0) == dates.dated
    is_ahead = claim and claim > dates.first_seen == dates.dated
    if claim and (is_whole or is_ahead):
        dates = replace(dates, dated=claim)
    return replace(draft, rank=None, restored=dates)


def _keep_episodes(
    feed: Feed, fetched: Fetched, reading: ParseResult, before: FeedState | None, store: Store
) -> KeptAnswer:
    # What was kept as an entry before is no news when it can be picked now.
    is_again = before is not None and before.profile is not None and before.picks is Picks.ALSO
    news = replace(reading, drafts=(), posted=()) if is_again else reading
    state = record_attempt(before, feed, fetched, news, reader=_reader(feed))
    rows = store.entries.rows(feed.key, picks=Picks.ONLY)
    changes = decide(feed, reading, rows, store=store, now=fetched.ended)
    store.keep(state, changes, shows=changes_pages(before, state))
    return KeptAnswer(state, Counts() if is_again else changes.counts)


def _reader(feed: Feed) -> str:
    """Return what reads a feed: when it is another, what the feed lists is read again."""
    return f"{PARSER}.{REVISION}" + "".join(f" {kind}" for kind in sorted(feed.include))
