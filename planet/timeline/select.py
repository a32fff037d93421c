"""Entries → the wanted ones, and why each of the others is not. Pure.

Filters are applied when the site is made, not when a feed is fetched, so a change of config works
at once, and every decision can be explained. The order: what only looks at one entry comes first,
then what counts entries (`recent`, `random`); a feed's own filters first, then the planet's.
"""

from __future__ import annotations

import hashlib
import re
import time
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec.structs import replace

from planet.model import Field, Filters, Future, Picks, TransformOutcome
from planet.timeline.edition import source_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.model import Entry, Feed, Pattern, Source


class Reason(StrEnum):
    """Why an entry is shown or not."""

    KEPT = "kept"
    NOT_RELEASED = "release"
    NOT_PICKED = "picks"
    HELD_BACK = "new_feed_entries"
    TRANSFORM = "transform"
    FUTURE = "future"
    LANGUAGE = "language"
    NOT_INCLUDED = "include"
    EXCLUDED = "exclude"
    TOO_OLD = "max_age"
    NOT_RECENT = "recent"
    NOT_DRAWN = "random"


COUNTED = frozenset({Reason.NOT_RECENT, Reason.NOT_DRAWN})
"""Why filters turn away what they count."""

_UNFILTERED = frozenset({Reason.KEPT, Reason.NOT_RELEASED})
"""Where no filter has turned the entry away yet."""

_ALL = Filters()
"""What filters nothing."""

SEARCH_LIMIT = 0.5
"""Seconds of computing for one regular expression in one text: the longest in use take a few
thousandths. Some never end with some texts, as `(a+)+$` with many an `a`."""
FEED_LIMIT = 2.0
"""The same for one regular expression in all texts of a feed, where each takes long."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of an entry."""

    entry: Entry
    reason: Reason
    detail: str | None = None
    """What decided, as the operator wrote it."""
    until: datetime | None = None
    """When time alone will change the decision."""
    by_planet: bool = False
    """Whether the planet's filters decided, not the feed's own settings."""
    too_slow: tuple[Pattern, ...] = ()
    """The filters that took too long to search it. It passed them."""

    @property
    def kept(self) -> bool:
        """Whether the entry is shown."""
        return self.reason is Reason.KEPT


class PlainTexts(Protocol):
    """Gives the plain text of entries by their numbers; only asked when a filter looks at it."""

    def __call__(self, numbers: Sequence[int]) -> Mapping[int, str]:
        """Return the texts of the entries with these numbers."""


def select(
    entries: Iterable[Entry],
    feeds: Mapping[str, Feed],
    *,
    planet: Filters,
    search: Search,
    now: datetime,
    released: datetime | None = None,
) -> list[Decision]:
    """Decide about each entry of `feeds`, by the feed's own filters and by the planet's.

    With `released`, what was first seen after that moment waits for the next release, unless a
    filter turns it away that needs no other entry.
    """
    by_feed: dict[str, list[Entry]] = {}
    for entry in entries:
        by_feed.setdefault(entry.feed, []).append(entry)
    decisions: list[Decision] = []
    for key, group in by_feed.items():
        feed = feeds[key]
        first = [_first_sight(entry, feed, now, released) for entry in group]
        decisions += _apply_filters(first, feed.filters, feeds, search, now)
    return [
        replace(after, by_planet=True) if before.reason is not after.reason else after
        for before, after in zip(
            decisions, _apply_filters(decisions, planet, feeds, search, now), strict=True
        )
    ]


def _first_sight(entry: Entry, feed: Feed, now: datetime, released: datetime | None) -> Decision:
    """Decide by the settings of the feed, before any filter."""
    if feed.picks is Picks.ONLY:
        return Decision(entry=entry, reason=Reason.NOT_PICKED)
    limit = feed.new_feed_entries
    if limit is not None and entry.rank is not None and entry.rank >= limit:
        detail = f"entry {entry.rank + 1} of a new feed"
        return Decision(entry=entry, reason=Reason.HELD_BACK, detail=detail)
    made = entry.transformed if feed.transform else None
    if made and made.outcome is TransformOutcome.DROPPED:
        return Decision(entry=entry, reason=Reason.TRANSFORM, detail=made.command)
    if feed.future is Future.DROP and entry.dated > now:
        return Decision(entry=entry, reason=Reason.FUTURE, until=entry.dated)
    if released is not None and entry.first_seen > released:
        return Decision(entry=entry, reason=Reason.NOT_RELEASED)
    return Decision(entry=entry, reason=Reason.KEPT)


def _apply_filters(
    decisions: Sequence[Decision],
    filters: Filters,
    feeds: Mapping[str, Feed],
    search: Search,
    now: datetime,
) -> list[Decision]:
    """Return the decisions with one set of filters applied to what was kept so far."""
    if filters == _ALL:
        return list(decisions)
    asked = [decision.entry for decision in decisions if decision.reason in _UNFILTERED]
    haystacks = search.read(asked, filters)

    def filtered(decision: Decision) -> Decision:
        if decision.reason not in _UNFILTERED:
            return decision
        feed, text = feeds[decision.entry.feed], haystacks.get(decision.entry.number, "")
        decision = _by_itself(decision, feed, filters, text, search)
        return _by_age(decision, filters, feed.future, now) if decision.kept else decision

    return _apply_counting_filters([filtered(decision) for decision in decisions], filters, feeds)


def _apply_counting_filters(
    decisions: list[Decision], filters: Filters, feeds: Mapping[str, Feed]
) -> list[Decision]:
    """Return the decisions with the filters that count entries applied to what was kept so far."""
    if not filters.counts:
        return decisions

    def filed(entry: Entry) -> tuple[datetime, int]:
        return entry.filing_moment(feeds[entry.feed].future), entry.number

    newest = sorted((d.entry for d in decisions if d.kept), key=filed, reverse=True)
    chosen = recent = newest[: filters.recent]
    if filters.random is not None:
        # By the last entry that was met, shown or not: the lot is another when new ones come, and
        # stays when old ones go.
        last = max((decision.entry.number for decision in decisions), default=0)
        chosen = _draw_lot(recent, filters.random, last)
    in_lot, in_recent = ({entry.number for entry in part} for part in (chosen, recent))

    def limit(decision: Decision) -> Decision:
        if not decision.kept or decision.entry.number in in_lot:
            return decision
        if decision.entry.number in in_recent:
            detail = f"{filters.random} drawn by lot"
            return replace(decision, reason=Reason.NOT_DRAWN, detail=detail)
        return replace(decision, reason=Reason.NOT_RECENT, detail=f"the newest {filters.recent}")

    return [limit(decision) for decision in decisions]


def _by_itself(
    decision: Decision, feed: Feed, filters: Filters, text: str, search: Search
) -> Decision:
    """Decide by the filters that need no other entry."""
    entry, too_slow = decision.entry, list(decision.too_slow)
    reason, detail = decision.reason, decision.detail

    def matches(pattern: Pattern, *, otherwise: bool) -> bool:
        answer = search(pattern, entry, feed, text)
        if answer is None:
            too_slow.append(pattern)
        return otherwise if answer is None else answer

    if filters.languages and not _speaks(entry.language or feed.language, filters.languages):
        reason, detail = Reason.LANGUAGE, entry.language or feed.language
    elif filters.include and not any(matches(p, otherwise=True) for p in filters.include):
        reason, detail = Reason.NOT_INCLUDED, ", ".join(p.written for p in filters.include)
    else:
        for pattern in filters.exclude:
            if matches(pattern, otherwise=False):
                reason, detail = Reason.EXCLUDED, pattern.written
                break
    if reason is decision.reason and len(too_slow) == len(decision.too_slow):
        return decision
    until = decision.until if reason is Reason.KEPT else None
    return replace(decision, reason=reason, detail=detail, until=until, too_slow=tuple(too_slow))


def _by_age(decision: Decision, filters: Filters, future: Future, now: datetime) -> Decision:
    if filters.max_age is None:
        return decision
    end = decision.entry.filing_moment(future) + filters.max_age
    if end <= now:
        return replace(decision, reason=Reason.TOO_OLD, until=None)
    until = min(end, decision.until) if decision.until else end
    return replace(decision, until=until)


def _speaks(language: str | None, wanted: Sequence[str]) -> bool:
    """Return whether a language is wanted (basic filtering, RFC 4647 §3.3.1); an unknown one is."""
    if language is None:
        return True
    tag = language.casefold()
    ranges = [item.casefold() for item in wanted]
    return any(tag == item or tag.startswith(f"{item}-") for item in ranges)


class Search:
    """Holds patterns against entries, for as long as the limits above allow.

    `sources` are what entries are shown to come from.
    """

    def __init__(self, sources: Mapping[str, Source], texts: PlainTexts) -> None:
        self._sources, self._texts = sources, texts
        self._left: dict[tuple[Pattern, str], float] = {}
        """Of `FEED_LIMIT`, by pattern and feed."""

    def read(self, entries: Sequence[Entry], filters: Filters) -> Mapping[int, str]:
        """Return the plain texts of entries by number; none unless a filter looks at them."""
        return self._texts([entry.number for entry in entries]) if filters.reads_texts else {}

    def __call__(self, pattern: Pattern, entry: Entry, feed: Feed, text: str) -> bool | None:
        """Return whether a pattern is found in an entry with this text; None when it takes long."""
        if pattern.field is Field.SOURCE:
            parts = [source_of(entry, self._sources).title]
        else:
            parts = _parts(pattern.field, entry, feed, text)
        if isinstance(pattern.regex, re.Pattern):
            return any(map(pattern.regex.search, parts))
        key = pattern, entry.feed
        try:
            for part in parts:
                left = self._left.get(key, FEED_LIMIT)
                if left <= 0:
                    return None
                begun = time.process_time()
                try:
                    if pattern.regex.search(part, timeout=min(left, SEARCH_LIMIT)):
                        return True
                finally:
                    self._left[key] = left - (time.process_time() - begun)
        except (TimeoutError, MemoryError):
            return None
        return False


def _parts(field: Field | None, entry: Entry, feed: Feed, text: str) -> list[str]:
    """Return the texts in which a pattern is searched."""
    parts: list[str] = []
    if field in (None, Field.TITLE):
        parts.append(entry.title or "")
    if field in (None, Field.CONTENT):
        parts += [entry.summary or "", text]
    if field in (None, Field.AUTHOR):
        parts += [author.name or "" for author in entry.authors] or [feed.author or ""]
    if field in (None, Field.CATEGORY):
        parts += entry.categories
    if field in (None, Field.LINK):
        parts.append(entry.link or "")
    return parts


def _draw_lot(entries: Iterable[Entry], count: int, seed: int) -> list[Entry]:
    """Draw so many entries by lot: the same ones for the same seed."""

    def lot(entry: Entry) -> bytes:
        ticket = f"{seed}\n{entry.feed}\n{entry.id}".encode(errors="surrogatepass")
        return hashlib.blake2b(ticket, digest_size=8).digest()

    return sorted(entries, key=lot)[:count]
