"""The id of an entry in the feeds that come out, and which entry it is when its own id changes."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from typing import TYPE_CHECKING

from planet import address, iri
from planet.model import MADE_ID

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from planet.model import Draft, Entry

_UUID = re.compile(r"(?:urn:uuid:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_SPACE = uuid.UUID("8a5c3f0e-6f4d-5d6c-9a5e-0d2f4b7c1e93")


def is_unique(said: str) -> bool:
    """Whether an id is unique in the world: a UUID, or an absolute IRI (RFC 4287 §4.2.6).

    One that the parser made is unique in its feed only.
    """
    if said.startswith(MADE_ID):
        return False
    return _UUID.fullmatch(said) is not None or iri.is_absolute(said)


def published_id(feed: str, said: str) -> str:
    """The id to publish: the original where it is unique in the world, else one made from it.

    The same in every format, for ever; the one that is made depends on the feed's key and its id.
    """
    if not is_unique(said):
        return own_id(feed, said)
    if _UUID.fullmatch(said):
        return f"urn:uuid:{said.lower().removeprefix('urn:uuid:')}"
    return said


def own_id(feed: str, said: str) -> str:
    """An id made from an entry's own and the key of its feed, which nobody else can claim."""
    return uuid.uuid5(_SPACE, f"{feed}\n{said}").urn


def renamed(entries: Iterable[Entry], drafts: Sequence[Draft]) -> dict[str, Entry]:
    """Of entries that came with ids nobody knows, those that are stored, by their new ids.

    A site that moves, or numbers its posts anew, keeps their links, but for the host, and their
    titles. What several entries have alike says nothing, nor does the home page.
    """
    stored = [(entry, sign) for entry in entries if (sign := _sign(entry))]
    came = [(draft, sign) for draft in drafts if (sign := _sign(draft))]
    uses = Counter(sign for _, sign in stored), Counter(sign for _, sign in came)
    looked = max((entry.first_seen for entry, _ in stored), default=None)
    # Where all claim one moment it is that at which the document was made.
    is_dated = len(drafts) == 1 or len({draft.published for draft in drafts}) > 1
    once = {sign: entry for entry, sign in stored if uses[0][sign] == 1}
    return {
        draft.id: entry
        for draft, sign in came
        if uses[1][sign] == 1
        and (entry := once.get(sign))
        and _may_be(draft, entry, looked if is_dated else None)
    }


def is_same_feed(entries: Sequence[Entry], drafts: Sequence[Draft]) -> bool:
    """Whether what a new feed has shows that it is the one these entries are of.

    That is so when it has at least half of the newest of them, as many as it has entries itself:
    a feed that shared some of its posts with another is not that other.
    """
    newest = sorted(entries, key=lambda entry: (entry.dated, entry.number))[-len(drafts) :]
    ids = {draft.id: draft for draft in drafts}
    there = {entry.number for entry in newest if _is_told_by_id(entry, ids.get(entry.id))}
    unknown = [draft for draft in drafts if draft.id not in {entry.id for entry in entries}]
    there |= {entry.number for entry in renamed(newest, unknown).values()}
    return bool(newest) and 2 * len(there) >= len(newest)


def _is_told_by_id(entry: Entry, draft: Draft | None) -> bool:
    """Whether a draft with its id must be the entry: what is called "7" is not alone with that."""
    if draft is None:
        return False
    return is_unique(entry.id) or bool(entry.title and entry.title == draft.title)


def _sign(entry: Entry | Draft) -> tuple[str, str] | None:
    """Where an entry is on its site, whatever that is called, and its title."""
    path = address.page(entry.link).partition("/")[2] if entry.link else ""
    return (path, (entry.title or "").casefold()) if path else None


def _may_be(draft: Draft, entry: Entry, looked: datetime | None) -> bool:
    """Whether no date is against it: a feed may post under one title and link each day.

    What says that it was posted before its feed was last `looked` at was there then.
    """
    if draft.published is None:
        return bool(draft.title)
    if draft.published == entry.published:
        return True
    return bool(draft.title) and (looked is None or draft.published <= looked)
