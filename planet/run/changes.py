"""What a feed lists now + what is stored of it → what is to be stored. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from planet.model import Counts, EntryDates, Text, TextKind
from planet.store import EntryChange, FeedChanges
from planet.text import media
from planet.text.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from planet.model import NewEntry, ParseResult
    from planet.store import EntryRow, StoredEntry


def decide_changes(
    result: ParseResult,
    rows: Mapping[str, EntryRow],
    before: Mapping[int, StoredEntry],
    *,
    shown: int | None,
    now: datetime,
) -> FeedChanges:
    """Return what a reading changes in what is stored of its feed.

    `rows` has all stored entries of the feed by id, and `before` by number what those say that are
    in the reading again. Only `shown` of the entries that the feed had when it was new are seen
    (None: all): the others wait, without their texts, until there is room for them and they are
    read again.
    """
    changes, edits = [], 0
    for draft in order_drafts(result.drafts):
        row = rows.get(draft.former_id or draft.id)
        # One that has its text keeps it: its feed may not list it when there is room again.
        may_wait = (row is None or row.waits) and is_held_back((row or draft).rank, shown)
        waits = may_wait and can_wait(draft)
        stored = remove_text(draft) if waits else draft
        if row is None:
            dates = draft.restored or date_new_entry(draft, oldest=result.oldest, now=now)
            changes.append(EntryChange(stored, dates, waits))
        else:
            is_same = draft.digest == row.digest
            is_edit = not (is_same or result.read_anew or draft.former_id)
            edit = date_edit(before[row.number], draft, edited_at=now if is_edit else None)
            stored = replace(stored, updated=edit.updated)
            changes.append(EntryChange(stored, edit.dates, waits, row.number, row.first_id))
            edits += not is_same
    added = [change.draft for change in changes if change.number is None]
    renamed = {draft.former_id: draft.id for draft in result.drafts if draft.former_id}
    ids = set(result.ids)
    return FeedChanges(
        entries=changes,
        listed={row.number for key, row in rows.items() if renamed.get(key, key) in ids},
        counts=Counts(
            added=sum(not draft.restored for draft in added),
            edited=edits,
            held=sum(is_held_back(draft.rank, shown) for draft in added),
        ),
    )


def known_digests(rows: Mapping[str, EntryRow], *, shown: int | None) -> dict[str, str]:
    """Return the digest of each stored entry by id: what has another one is news.

    It is empty where an entry waits for its text, and `shown` (as in `decide_changes`) does not
    hold it back any more.
    """
    return {
        key: "" if row.waits and not is_held_back(row.rank, shown) else row.digest
        for key, row in rows.items()
    }


def order_drafts(drafts: Sequence[NewEntry]) -> list[NewEntry]:
    """Return the entries of a document in the order in which they get their numbers.

    The last of the document is first, so that a higher number is the newer one; pages go before
    all. Of two with one id, the first in the document counts.
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
    """Return the entry without its text, and with no more summary than it is called by."""
    return replace(
        draft,
        summary=None if draft.title else draft.summary,
        raw=None,
        content=None,
        links=None,
        cleaning=None,
        transformed=None,
    )


def date_new_entry(draft: NewEntry, *, oldest: datetime | None, now: datetime) -> EntryDates:
    """Return how an entry is dated that is met now; `oldest` is the first date in its feed."""
    # What was there before anybody looked, and does not say since when, is no news.
    claim = oldest if _is_page(draft) else draft.published or draft.updated
    return EntryDates(first_seen=now, changed_at=now, dated=claim or now)


class EditDates(NamedTuple):
    """The moments of an entry that is written anew."""

    dates: EntryDates
    updated: datetime | None


def date_edit(before: StoredEntry, draft: NewEntry, *, edited_at: datetime | None) -> EditDates:
    """Return the moments of an entry as they are once it says what `draft` says.

    `edited_at` is when its publisher's edit was seen; None when it is no edit. The publisher tells
    when it was with a date that is new; where it does not, and the words are others, it was then.
    """
    entry, dates = before
    claims = {moment for moment in (draft.published, draft.updated) if moment}
    claims_before = {moment for moment in (entry.published, entry.updated) if moment}
    moments = {moment for moment in (draft.updated, entry.updated) if moment}
    if edited_at:
        dates = replace(dates, changed_at=edited_at)
        if claims and (not claims_before or max(claims) > max(claims_before)):
            moments.add(max(claims))
        elif _has_other_words(entry, draft):
            moments.add(edited_at)
    if entry.rank is not None and claims and not claims_before:
        dates = replace(dates, dated=draft.published or draft.updated or dates.dated)
    return EditDates(dates, max(moments, default=None))


def _has_other_words(entry: NewEntry, draft: NewEntry) -> bool:
    """Return whether an entry has another title, or its text is stored and says something else.

    Addresses in it do not count: they change when its site moves, and with each signature.
    """
    if draft.title != entry.title:
        return True
    words = _words(entry)
    return words is not None and words != _words(draft)


def _words(draft: NewEntry) -> str | None:
    if draft.content is not None:
        return plain(Text(value=draft.content, kind=TextKind.HTML))
    return None if draft.raw is None else plain(draft.raw)
