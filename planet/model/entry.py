"""What Planet keeps: clean."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import NewType, TypeAlias

import msgspec

from planet.model.feed import Future
from planet.model.parsed import Facts, Profile, Text, Timestamp

Html = NewType("Html", str)
"""HTML that `planet.text` has cleaned: safe in a page and in a feed."""


class TransformOutcome(StrEnum):
    """What a program of the operator's made of an entry."""

    WAITING = "waiting"
    """It has not seen the entry yet."""
    CHANGED = "changed"
    SAME = "same"
    """It answered with the entry as it got it."""
    DROPPED = "dropped"
    """It answered that the entry is not to be shown."""
    FAILED = "failed"
    """The entry is as its feed says it, and waits for the next run."""


class Transformed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a program of the operator's made of an entry, which has its own words since."""

    outcome: TransformOutcome
    command: str
    """As it stands in the config."""
    detail: str = ""
    """Which members of the JSON are others, or what failed."""
    digest: str = ""
    """Changes with what it answered."""


class NewEntry(Facts, frozen=True, kw_only=True):
    """An entry made clean, before the store has met it."""

    id: str
    digest: str
    """Hex digest of everything the source said; it changes when the entry is edited."""
    title: str | None = None
    """Plain text on one line."""
    summary: str | None = None
    """Plain text on one line, an excerpt."""
    content: Html | None = None
    """Clean HTML with absolute addresses; None when the entry has no text or is not cleaned yet."""
    links: tuple[str, ...] | None = None
    """The addresses that `content` links to; None when they are not known yet."""
    raw: Text | None = None
    """What `content` is made from, so that it can be made later, or again by a better cleaner."""
    cleaning: str | None = None
    """The version of the cleaner that made `content`."""
    rank: int | None = None
    """As in `Entry`."""
    former_id: str | None = None
    """The id under which it is stored, where its feed has given it another since."""
    restored: EntryDates | None = None
    """Its dates from before the state was lost; None when it was not, or nobody knows."""
    transformed: Transformed | None = None
    """None as its feed says it."""


class ParseResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a feed's body came to: all that is new or edited in it, clean."""

    profile: Profile
    drafts: tuple[NewEntry, ...]
    """Entries that are new, or whose digest is not the one known before, in document order."""
    ids: tuple[str, ...]
    """The ids of all entries in the document, in its order."""
    posted: tuple[Timestamp | None, ...] = ()
    """When those entries were posted that were not known before, as they claim; None where an entry
    does not say. In document order."""
    oldest: Timestamp | None = None
    """The earliest date that any entry in the document claims."""
    read_anew: bool = False
    """Whether what differs from before was not edited: it is the reader that is another one."""
    notes: tuple[str, ...] = ()


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """What a reading added to the store."""

    added: int = 0
    edited: int = 0
    held: int = 0
    """How many of the new ones `new_feed_entries` holds back."""


class Entry(Facts, frozen=True, kw_only=True):
    """An entry as it is kept: clean, dated, without its text (`Contents` has that)."""

    number: int
    """Its number in the store; never used again for another entry."""
    feed: str
    """The key of its feed."""
    id: str
    digest: str
    first_seen: Timestamp
    changed_at: Timestamp
    """When its present form was first seen: `first_seen`, or the last edit."""
    dated: Timestamp
    """What it claimed when first seen, for a page the oldest date of its feed, else `first_seen`;
    a later edit does not move it, but for a page that says its date at last."""
    rank: int | None = None
    """Its place, newest first, among the entries of its feed's first reading; None if it came
    later. `new_feed_entries` is held against it."""
    title: str | None = None
    summary: str | None = None
    first_key: str | None = None
    """The key of its feed when that was first known, where it was another."""
    first_id: str | None = None
    """Its id when it was first seen, where it was another."""
    transformed: Transformed | None = None
    """None as its feed says it."""

    @property
    def identity(self) -> tuple[str, str]:
        """The key of its feed and its id, as they were first: its published id is made of them."""
        return self.first_key or self.feed, self.first_id or self.id

    @property
    def is_page(self) -> bool:
        """Whether it was there when its feed was read first, and nobody says since when."""
        return self.rank is not None and self.published is None and self.updated is None

    @property
    def is_timeless(self) -> bool:
        """Whether it has no place among others: a page of a feed that has no dates at all."""
        return self.is_page and self.dated == self.first_seen

    def filing_moment(self, future: Future) -> datetime:
        """Return the moment to file it under: as dated, but no later than it was first seen.

        Feeds date posts in the future, by mistake or to stay on top; `future` says whether the
        feed is believed. The moment does not move when the entry is edited.
        """
        if self.dated <= self.first_seen or future is not Future.CLAMP:
            return self.dated
        return self.first_seen

    @property
    def feed_order(self) -> bytes:
        """What decides between posts of one moment: it follows from the first key of the feed."""
        first_key = self.identity[0].encode(errors="surrogatepass")
        return blake2b(first_key, digest_size=4).digest()

    @property
    def mark(self) -> str:
        """A text that changes when the entry is edited, and tells it from all others."""
        by_program = f" {self.transformed.digest}" if self.transformed else ""
        moments = f"{self.first_seen} {self.changed_at}"
        return f"{self.number} {self.id!r} {self.digest} {moments}{by_program}"

    @property
    def is_note(self) -> bool:
        """Whether it is its text and nothing else, as on the fediverse, Bluesky and micro.blog.

        A title that is the beginning of the text, cut, is none: whatever wrote the feed made it up.
        """
        if not self.title or not self.summary:
            return bool(self.summary)
        cut = next((cut for cut in _CUTS if self.title.endswith(cut)), None)
        if cut is None:
            return False
        beginning = self.title.removesuffix(cut).rstrip()
        return len(beginning) >= _MIN_BEGINNING and self.summary.startswith(beginning)

    @property
    def heading(self) -> str:
        """What to call it in a list: its title, else its first words, else where it is."""
        if self.title and not self.is_note:
            return self.title
        if self.summary:
            return _first_words(with_short_addresses(self.summary))
        return with_short_addresses(self.link or self.id)


_CUTS = "…", "...", "[…]", "[...]"
_MIN_BEGINNING = 10
_ADDRESS = re.compile(r"https?://(?:www\.)?([^\s/?#]*)([^\s]*)", re.IGNORECASE)
_ADDRESS_LENGTH = 40
_HEADING_LENGTH = 100
# Up to the end of a sentence, which is not that of its first word. In Chinese and Japanese, no
# blank follows it.
_SENTENCE = re.compile(rf".{{20,{_HEADING_LENGTH}}}?(?:[.!?](?=\s)|[。！？])")
_STOPS = " ,.;:、。–—-"


def with_short_addresses(text: str) -> str:
    """Plain text on one line, its web addresses as people write them: without scheme, and cut."""
    return _ADDRESS.sub(_short_address, text) if "://" in text else text


def _short_address(match: re.Match[str]) -> str:
    short = f"{match[1]}{match[2]}".rstrip("/")
    return short if len(short) <= _ADDRESS_LENGTH else f"{short[: _ADDRESS_LENGTH - 1]}…"


def _first_words(text: str) -> str:
    """Return the first sentence, or as much of it as makes a heading."""
    if sentence := _SENTENCE.match(text):
        return sentence[0]
    if len(text) <= _HEADING_LENGTH:
        return text
    cut = text[: _HEADING_LENGTH - 1]
    head = cut.rpartition(" ")[0]
    return (head if len(head) > _HEADING_LENGTH // 2 else cut).rstrip(_STOPS) + "…"


Contents: TypeAlias = Callable[[Sequence[int]], Mapping[int, Html]]
"""Gives the clean text of entries by their numbers; entries without text are left out."""


class PublishedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What a published site says of an entry."""

    slug: str
    """Of its source."""
    uid: str
    """The id it is published with."""
    first_seen: Timestamp
    filed: Timestamp
    """The moment it stands under, to the second."""


class EntryDates(msgspec.Struct, frozen=True, kw_only=True):
    """The moments that an entry is stored with when it is new to the store."""

    first_seen: Timestamp
    changed_at: Timestamp
    dated: Timestamp
