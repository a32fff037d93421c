"""A reading of a feed + the stored entries → the changes of the store.

Where a feed shows picks only, an episode is stored as long as the feed lists the episode; picks are
in `picks.yaml`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from planet.model import (
    Counts,
    EntryDates,
    ParseResult,
    Picks,
    Text,
    TextKind,
    Transformed,
    TransformOutcome,
)
from planet.parse import PARSER
from planet.run.read import ReadOptions
from planet.schedule import changes_pages, current_state, record_attempt
from planet.store import EntryChange, FeedChanges
from planet.text import media
from planet.text.plain import plain
from planet.timeline.duplicates import is_same_feed, match_renamed_entries, published_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from planet.model import Feed, FeedState, NewEntry, PollResult
    from planet.run.open import Run
    from planet.store import EntryRow, Store, StoredEntry
    from planet.text.html import Cleaning


# Before a feed is read


def find_reader(feed: Feed, cleaning: Cleaning) -> str:
    """Return the versions of parser and cleaner, with the settings that change stored entries.

    When the reader is another one, the cached body of the feed is read again, without a request.
    """
    shown = "all" if feed.new_feed_entries is None else f"{feed.new_feed_entries}"
    words = f"{PARSER}.{cleaning.version}", shown, feed.picks, *sorted(feed.include)
    return " ".join(words)


def choose_options(
    feed: Feed, *, states: Mapping[str, FeedState], run: Run, cleaning: Cleaning
) -> ReadOptions:
    """Return how to read the next body of a feed: unchanged entries are left out."""
    state, stored = states.get(feed.key), None
    if state and state.profile:
        rows = run.store.entries.rows(feed.key, picks=feed.picks)
        is_current = state.reader == find_reader(feed, cleaning)
        stored = {key: row.digest if is_current else "" for key, row in rows.items()}
        if not rows and state.picks is not feed.picks:
            stored = None
    return ReadOptions(
        stored=stored,
        clean_first=feed.new_feed_entries,
        cleaning=cleaning,
        episodes_only=feed.picks is Picks.ONLY,
        include=feed.include,
        last_format=last_format(feed, state),
        redactor=run.redactor,
    )


def last_format(feed: Feed, state: FeedState | None) -> str | None:
    """Return the format in the last reading of a feed at the present address; None before."""
    state = current_state(feed, state)
    return state.profile.format if state.profile and state.succeeded_at else None


# After a feed was read


class Reading(NamedTuple):
    """The entries of a reading, compared with the stored ones."""

    result: ParseResult
    former: Mapping[str, str] = {}
    """The stored ids of entries with another id since, by the present one."""
    seen: Mapping[str, EntryDates] = {}
    """The dates of new entries from before the state was lost, by id."""
    is_anew: bool = False
    """Whether differences come from another reader, and are no edits."""


def keep(
    answer: PollResult[ParseResult],
    before: FeedState | None,
    *,
    store: Store,
    reader: str,
    left: Sequence[str] = (),
) -> tuple[FeedState, Counts]:
    """Store the result of a poll: the state of the feed and its entries, in one transaction.

    Return the new state, and the counts of entries. `left` has the keys of feeds no longer in the
    config.
    """
    feed, fetched, result = answer
    if not isinstance(result, ParseResult):
        state = record_attempt(before, feed, fetched, result, reader=reader)
        store.keep(state, shows=changes_pages(before, state))
        return state, Counts()
    last = before if before and before.profile else None
    if last is None and (former_key := _find_former_key(feed, result, left, store)):
        store.rename(former_key, feed)
    rows = store.entries.rows(feed.key, picks=feed.picks)
    new = [draft for draft in result.drafts if draft.id not in rows]
    reading = Reading(
        result,
        former=_match_former_ids(feed, result.ids, new, rows, store),
        seen=_read_lost_dates(feed.key, new, store),
        is_anew=before is not None and before.reader != reader,
    )
    changes = decide(feed, reading, rows, store=store, now=fetched.ended)
    new = [draft for draft, _, number in changes.entries if not number]
    if last and last.picks is not feed.picks is Picks.ONLY:
        # Entries that were stored for pages before are no news when they can be picked now.
        new, changes = [], changes._replace(counts=Counts())
    news = result.drafts if changes.counts != Counts() else ()
    posted = tuple(draft.published or draft.updated for draft in new)
    result = replace(result, drafts=news, posted=posted)
    state = record_attempt(before, feed, fetched, result, reader=reader)
    store.keep(state, changes, shows=changes_pages(before, state))
    return state, changes.counts


def _find_former_key(
    feed: Feed, result: ParseResult, left: Sequence[str], store: Store
) -> str | None:
    """Return the key of a feed from before the operator changed the address."""
    for key in left:
        if is_same_feed(store.entries.of_feeds([key], picks=feed.picks), result.drafts):
            return key
    return None


def _match_former_ids(
    feed: Feed,
    ids: Sequence[str],
    new: Sequence[NewEntry],
    rows: Mapping[str, EntryRow],
    store: Store,
) -> dict[str, str]:
    """Return the stored ids of entries with another id now, by the new id.

    Entries are compared when most listed ids are gone at once.
    """
    listed = {key for key, row in rows.items() if row.is_listed}
    if not (rows and new) or 2 * len(listed.difference(ids)) < len(listed):
        return {}
    stored = store.entries.of_feeds([feed.key], picks=feed.picks)
    matches = match_renamed_entries([entry for entry in stored if entry.id not in ids], new)
    return {draft_id: entry.id for draft_id, entry in matches.items()}


def _read_lost_dates(key: str, new: Sequence[NewEntry], store: Store) -> dict[str, EntryDates]:
    """Return the dates of new entries from before the state was lost, by id."""
    uids = {draft.id: published_id(key, draft.id) for draft in new}
    seen = store.seen.read(uids.values())
    return {entry_id: seen[uid] for entry_id, uid in uids.items() if uid in seen}


# Decisions


def decide(
    feed: Feed, reading: Reading, rows: Mapping[str, EntryRow], *, store: Store, now: datetime
) -> FeedChanges:
    """Return the changes by a reading; `rows` has the stored entries of the feed by id.

    Of the first entries of a new feed, only `new_feed_entries` are shown. The others wait without
    texts, until the setting has room for them and the feed is read again.
    """
    # Only a new feed has old entries, and none is new to whoever picks.
    is_new = not rows and feed.picks is Picks.ALSO
    drafts = [
        draft if is_new and draft.id not in reading.seen else replace(draft, rank=None)
        for draft in reading.result.drafts
    ]
    if feed.transform and feed.picks is Picks.ALSO:
        mark = Transformed(outcome=TransformOutcome.WAITING, command=" ".join(feed.transform))
        # An unchanged entry stays as the program made it, also for another reader.
        drafts = [
            replace(draft, transformed=mark)
            for draft in drafts
            if not (row := rows.get(draft.id)) or not row.has_text or row.digest != draft.digest
        ]
    stored = {draft.id: rows.get(reading.former.get(draft.id, draft.id)) for draft in drafts}
    numbers = [row.number for row in stored.values() if row]
    before = store.entries.with_texts(numbers) if numbers else {}
    shown = feed.new_feed_entries
    changes, edited = [], 0
    for draft in order_drafts(drafts):
        row = stored[draft.id]
        # An entry that has a text keeps it: its feed may not list it when there is room again.
        may_wait = can_wait(draft) and not (row and row.has_text)
        kept = draft
        if may_wait and is_held_back((row or draft).rank, shown):
            kept = remove_text(draft)
        if row is None:
            dates = reading.seen.get(draft.id)
            dates = dates or date_new_entry(draft, oldest=reading.result.oldest, now=now)
            changes.append(EntryChange(kept, dates))
            continue
        is_other = draft.digest != row.digest
        is_edit = is_other and not reading.is_anew and draft.id not in reading.former
        edit = date_edit(before[row.number], draft, edited_at=now if is_edit else None)
        kept = replace(kept, updated=edit.updated)
        changes.append(EntryChange(kept, edit.dates, row.number))
        edited += is_other
    new = [change.draft for change in changes if not change.number]
    present = {old: new for new, old in reading.former.items()}
    ids = frozenset(reading.result.ids)
    return FeedChanges(
        entries=changes,
        listed={row.number for key, row in rows.items() if present.get(key, key) in ids},
        counts=Counts(
            added=sum(draft.id not in reading.seen for draft in new),
            edited=edited,
            held=sum(is_held_back(draft.rank, shown) for draft in new),
        ),
    )


def order_drafts(drafts: Sequence[NewEntry]) -> list[NewEntry]:
    """Return the entries of a document in the order of their numbers in the store.

    The last of the document is first, and gets the lowest number; pages go before all. Of two
    entries with one id, the first in the document counts.
    """
    by_id = {draft.id: draft for draft in reversed(drafts)}
    return sorted(by_id.values(), key=lambda draft: not _is_page(draft))


def _is_page(draft: NewEntry) -> bool:
    """Return the same as `Entry.is_page`."""
    return draft.rank is not None and not (draft.published or draft.updated)


def is_held_back(rank: int | None, shown: int | None) -> bool:
    """Return whether an entry is not seen while so many of a new feed are; None is all."""
    return rank is not None and shown is not None and rank >= shown


def can_wait(draft: NewEntry) -> bool:
    """Return whether an entry can do without the text: episodes are picked with notes."""
    return draft.raw is not None and media.find_playable(draft) is None


def remove_text(draft: NewEntry) -> NewEntry:
    """Return the entry without the text, and not to be sent to a program so far."""
    return replace(draft, raw=None, content=None, links=None, cleaning=None, transformed=None)


def date_new_entry(draft: NewEntry, *, oldest: datetime | None, now: datetime) -> EntryDates:
    """Return the dates of an entry met now; `oldest` is the first date in the document."""
    # What was there before anybody looked, and does not say since when, is no news.
    claim = oldest if _is_page(draft) else draft.published or draft.updated
    return EntryDates(first_seen=now, changed_at=now, dated=claim or now)


class EditDates(NamedTuple):
    """The moments of an entry after another reading."""

    dates: EntryDates
    updated: datetime | None


def date_edit(before: StoredEntry, draft: NewEntry, *, edited_at: datetime | None) -> EditDates:
    """Return the moments of an entry after the change to `draft`.

    `edited_at` is when the publisher's edit was seen; None for no edit. The moment of the edit is a
    new date in the draft, or else, with other words, `edited_at`.
    """
    entry = before.entry
    dates = EntryDates(first_seen=entry.first_seen, changed_at=entry.changed_at, dated=entry.dated)
    claims = {moment for moment in (draft.published, draft.updated) if moment}
    claims_before = {moment for moment in (entry.published, entry.updated) if moment}
    moments = {moment for moment in (draft.updated, entry.updated) if moment}
    if edited_at:
        dates = replace(dates, changed_at=edited_at)
        if claims and (not claims_before or max(claims) > max(claims_before)):
            moments.add(max(claims))
        elif _has_other_words(before, draft):
            moments.add(edited_at)
    if entry.rank is not None and claims and not claims_before:
        dates = replace(dates, dated=draft.published or draft.updated or dates.dated)
    return EditDates(dates, max(moments, default=None))


def _has_other_words(before: StoredEntry, draft: NewEntry) -> bool:
    """Return whether an entry has another title, or other words than the stored text.

    Addresses in the text do not count: they change when a site moves, and with each signature.
    """
    if draft.title != before.entry.title:
        return True
    html = draft.content
    text = draft.raw if html is None else Text(value=html, kind=TextKind.HTML)
    return before.text is not None and (text is None or plain(text) != plain(before.text))
