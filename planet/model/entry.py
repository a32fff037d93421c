"""Entries as Planet keeps them: clean."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NewType, TypeAlias

import msgspec

from planet.model.feed import Future
from planet.model.parsed import Facts, Profile, Text, Timestamp

Html = NewType("Html", str)
"""HTML that `planet.text` has cleaned: safe in a page and in a feed."""


class TransformOutcome(StrEnum):
    """The result of a program of the operator's."""

    WAITING = "waiting"
    """The program has not seen the entry yet."""
    CHANGED = "changed"
    SAME = "same"
    """The entry came back unchanged."""
    DROPPED = "dropped"
    """The answer was to hide the entry."""
    FAILED = "failed"
    """The entry is as in the feed, and waits for the next run."""


class Transformed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The change of an entry by a program of the operator's."""

    outcome: TransformOutcome
    command: str
    """As in the config."""
    detail: str = ""
    """The changed members of the JSON, or the failure."""
    digest: str = ""
    """Changes with the answer."""


class NewEntry(Facts, frozen=True, kw_only=True):
    """A clean entry, before the store has met it."""

    id: str
    digest: str
    """Hex digest of everything the source said; changes when the entry is edited."""
    title: str | None = None
    """Plain text on one line."""
    summary: str | None = None
    """Plain text on one line, an excerpt."""
    content: Html | None = None
    """Clean HTML with absolute addresses; None when the entry has no text or is not cleaned yet."""
    links: tuple[str, ...] | None = None
    """The addresses that `content` links to; None when they are not known yet."""
    raw: Text | None = None
    """The source of `content`, to be cleaned later, or again by a better cleaner."""
    cleaning: str | None = None
    """The version of the cleaner that made `content`."""
    rank: int | None = None
    """As in `Entry`."""
    transformed: Transformed | None = None
    """None for an entry as in the feed."""


class ParseResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The reading of a feed's body: new and edited entries, clean."""

    profile: Profile
    drafts: tuple[NewEntry, ...]
    """Entries that are new, or whose digest is not the one known before, in document order."""
    ids: tuple[str, ...]
    """The ids of all entries of the document, in order."""
    posted: tuple[Timestamp | None, ...] = ()
    """When those entries were posted that were not known before, as they claim; None where an entry
    does not say. In document order."""
    oldest: Timestamp | None = None
    """The earliest date that any entry in the document claims."""
    notes: tuple[str, ...] = ()


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """The additions of a reading to the store."""

    added: int = 0
    edited: int = 0
    held: int = 0
    """How many of the new ones `new_feed_entries` holds back."""


class Entry(Facts, frozen=True, kw_only=True):
    """An entry as it is kept: clean, dated, without its text (`Contents` has that)."""

    number: int = 0
    """The number in the store; never used again for another entry. 0 before it is stored."""
    feed: str
    """The key of the feed."""
    id: str
    digest: str
    first_seen: Timestamp
    changed_at: Timestamp
    """When the present form was first seen: `first_seen`, or the last edit."""
    dated: Timestamp
    """The claimed date at first sight, for a page the oldest of the feed, else `first_seen`; not
    moved by a later edit, but for a page that gets a date at last."""
    rank: int | None = None
    """The place, newest first, in the first reading of the feed; None for later entries. Compared
    with `new_feed_entries`."""
    title: str | None = None
    summary: str | None = None
    first_key: str | None = None
    """The first key of the feed, where that was another."""
    first_id: str | None = None
    """The first id, where that was another."""
    transformed: Transformed | None = None
    """None for an entry as in the feed."""

    @property
    def identity(self) -> tuple[str, str]:
        """Return the first key of the feed and the first id; the published id follows."""
        return self.first_key or self.feed, self.first_id or self.id

    @property
    def is_page(self) -> bool:
        """Return whether the entry was in the first reading of the feed, and has no date."""
        return self.rank is not None and self.published is None and self.updated is None

    @property
    def is_timeless(self) -> bool:
        """Return whether the entry has no place among others, as in a feed without any dates."""
        return self.is_page and self.dated == self.first_seen

    def filing_moment(self, future: Future) -> datetime:
        """Return the moment to file the entry under: as dated, but no later than first seen.

        Feeds date posts in the future, by mistake or to stay on top; `future` says whether the
        feed is believed. The moment does not move when the entry is edited.
        """
        if self.dated <= self.first_seen or future is not Future.CLAMP:
            return self.dated
        return self.first_seen

    @property
    def mark(self) -> str:
        """Return a text of this entry alone, which changes when the entry is edited."""
        by_program = f" {self.transformed.digest}" if self.transformed else ""
        moments = f"{self.first_seen} {self.changed_at}"
        return f"{self.number} {self.id!r} {self.digest} {moments}{by_program}"

    @property
    def is_note(self) -> bool:
        """Return whether the entry is text alone, as on the fediverse, Bluesky and micro.blog.

        A title that is the beginning of the text, cut, is none: the program behind the feed made
        that up.
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
        """Return the name in a list: the title, else the first words, else the address."""
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
    """Return plain text on one line, with web addresses without scheme, and cut."""
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


class EntryDates(msgspec.Struct, frozen=True, kw_only=True):
    """The moments with which a new entry is stored."""

    first_seen: Timestamp
    changed_at: Timestamp
    dated: Timestamp
