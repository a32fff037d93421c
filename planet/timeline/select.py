"""Entries → the wanted ones, and the reason for each. Pure.

Filters are applied when the site is made, not when a feed is fetched: a change of config works at
once, and every decision can be explained. The order: filters of single entries first, then filters
which count (`recent`, `random`); the feed's own first, then the planet's.
"""

from __future__ import annotations

import hashlib
import re
import time
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from msgspec.structs import replace

from planet.model import Field, Filters, Future, Picks, TransformOutcome
from planet.timeline.edition import source_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.model import Entry, Feed, Pattern, Source

    PlainTexts: TypeAlias = Callable[[Sequence[int]], Mapping[int, str]]
    """Gives the plain text of entries by their numbers; only asked when a filter looks at it."""


class Reason(StrEnum):
    """Why an entry is shown or not."""

    SHOWN = "shown"
    PICKED = "picked"
    """Picked, and shown for that."""
    DUPLICATE = "duplicate"
    """Another feed's copy is shown, or a pick."""
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
    DISABLED = "disabled"
    """The feed is switched off."""
    ELSEWHERE = "edition"
    """The edition does not show the feed."""
    LEFT = "left"
    """The feed is not in the config any more."""


_UNFILTERED = frozenset({Reason.SHOWN, Reason.NOT_RELEASED})
"""Where no filter has turned the entry away yet."""

_ALL = Filters()
"""What filters nothing."""

SEARCH_LIMIT = 0.5
"""Seconds of computing for one regular expression in one text: the longest in use take a few
thousandths. Some never end with some texts, as `(a+)+$` with many an `a`."""
FEED_LIMIT = 2.0
"""The same for one regular expression in all texts of a feed, where each takes long."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The fate of an entry."""

    entry: Entry
    reason: Reason
    detail: str | None = None
    """The deciding setting, as written by the operator."""
    until: datetime | None = None
    """When time alone will change the decision."""
    by_planet: bool = False
    """Whether the planet's filters decided, not the feed's own settings."""
    too_slow: tuple[Pattern, ...] = ()
    """The filters that took too long to search the entry, which passed them."""

    @property
    def kept(self) -> bool:
        """Whether no filter turns the entry away."""
        return self.reason is Reason.SHOWN


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

    With `released`, entries first seen after the moment wait for the next release, unless a filter
    turns them away without counting.
    """
    by_feed: dict[str, list[Entry]] = {}
    for entry in entries:
        by_feed.setdefault(entry.feed, []).append(entry)
    by_feeds: list[Decision] = []
    for key, group in by_feed.items():
        first = [_decide_unfiltered(entry, feeds[key], now, released) for entry in group]
        by_feeds += _filter(first, feeds[key].filters, feeds, search, now)
    by_all = _filter(by_feeds, planet, feeds, search, now)
    return [
        after if after.reason is before.reason else replace(after, by_planet=True)
        for before, after in zip(by_feeds, by_all, strict=True)
    ]


def _decide_unfiltered(
    entry: Entry, feed: Feed, now: datetime, released: datetime | None
) -> Decision:
    """Decide by the settings of the feed, before any filter."""
    reason, detail, until = Reason.SHOWN, None, None
    rank, limit, made = entry.rank, feed.new_feed_entries, entry.transformed
    if feed.picks is Picks.ONLY:
        reason = Reason.NOT_PICKED
    elif rank is not None and limit is not None and rank >= limit:
        reason, detail = Reason.HELD_BACK, f"entry {rank + 1} of a new feed"
    elif feed.transform and made and made.outcome is TransformOutcome.DROPPED:
        reason, detail = Reason.TRANSFORM, made.command
    elif feed.future is Future.DROP and entry.dated > now:
        reason, until = Reason.FUTURE, entry.dated
    elif released is not None and entry.first_seen > released:
        reason = Reason.NOT_RELEASED
    return Decision(entry=entry, reason=reason, detail=detail, until=until)


def _filter(
    decisions: list[Decision],
    filters: Filters,
    feeds: Mapping[str, Feed],
    search: Search,
    now: datetime,
) -> list[Decision]:
    """Return the decisions after one more set of filters."""
    if filters == _ALL:
        return decisions
    open_ = [decision for decision in decisions if decision.reason in _UNFILTERED]
    texts = search.read([decision.entry for decision in open_], filters)

    def look_at(decision: Decision) -> Decision:
        entry = decision.entry
        feed, text = feeds[entry.feed], texts.get(entry.number, "")
        decision = _filter_words(decision, feed, filters, text, search)
        if filters.max_age is None or not decision.kept:
            return decision
        end = entry.filing_moment(feed.future) + filters.max_age
        if end <= now:
            return replace(decision, reason=Reason.TOO_OLD, until=None)
        return replace(decision, until=min(end, decision.until or end))

    decisions = [
        look_at(decision) if decision.reason in _UNFILTERED else decision for decision in decisions
    ]
    return _count(decisions, filters, feeds) if filters.counts else decisions


def _filter_words(
    decision: Decision, feed: Feed, filters: Filters, text: str, search: Search
) -> Decision:
    """Decide by language and by words, which need no other entry."""
    entry, too_slow = decision.entry, list(decision.too_slow)
    include, exclude = filters.include, filters.exclude
    language = entry.language or feed.language
    parts = search.parts(entry, feed, text) if include or exclude else {}

    def fits(pattern: Pattern, *, in_doubt: bool) -> bool:
        answer = search(pattern, parts[pattern.field], entry.feed)
        if answer is None:
            too_slow.append(pattern)
        return in_doubt if answer is None else answer

    reason, detail = decision.reason, decision.detail
    if filters.languages and not _speaks(language, filters.languages):
        reason, detail = Reason.LANGUAGE, language
    elif include and not any(fits(pattern, in_doubt=True) for pattern in include):
        reason, detail = Reason.NOT_INCLUDED, ", ".join(pattern.written for pattern in include)
    elif found := next((one for one in exclude if fits(one, in_doubt=False)), None):
        reason, detail = Reason.EXCLUDED, found.written
    if reason is decision.reason and len(too_slow) == len(decision.too_slow):
        return decision
    until = decision.until if reason is Reason.SHOWN else None
    return replace(decision, reason=reason, detail=detail, until=until, too_slow=tuple(too_slow))


def _count(
    decisions: list[Decision], filters: Filters, feeds: Mapping[str, Feed]
) -> list[Decision]:
    """Return the decisions after the filters which count: the newest, and of these a lot."""

    def filed(entry: Entry) -> tuple[datetime, int]:
        return entry.filing_moment(feeds[entry.feed].future), entry.number

    newest = sorted((one.entry for one in decisions if one.kept), key=filed, reverse=True)
    recent = newest[: filters.recent]
    why = {entry.number: (Reason.NOT_RECENT, f"the newest {filters.recent}") for entry in newest}
    why |= {entry.number: (Reason.NOT_DRAWN, f"{filters.random} drawn by lot") for entry in recent}
    # By the last entry that was met, shown or not: the lot is another when new ones come, and
    # stays when old ones go.
    seed = max((decision.entry.number for decision in decisions), default=0)

    def lot(entry: Entry) -> bytes:
        ticket = f"{seed}\n{entry.feed}\n{entry.id}".encode(errors="surrogatepass")
        return hashlib.blake2b(ticket, digest_size=8).digest()

    drawn = recent if filters.random is None else sorted(recent, key=lot)[: filters.random]
    for entry in drawn:
        del why[entry.number]
    return [
        # When the decision changes, other entries decide as well.
        replace(one, reason=why[number][0], detail=why[number][1], until=None)
        if (number := one.entry.number) in why
        else one
        for one in decisions
    ]


def _speaks(language: str | None, wanted: Sequence[str]) -> bool:
    """Return whether a language is wanted (basic filtering, RFC 4647 §3.3.1); an unknown one is."""
    if language is None:
        return True
    tag = language.casefold()
    ranges = [item.casefold() for item in wanted]
    return any(tag == item or tag.startswith(f"{item}-") for item in ranges)


class Search:
    """Searches entries for patterns, within the limits above; `sources` are by key."""

    def __init__(self, sources: Mapping[str, Source], texts: PlainTexts) -> None:
        self._sources, self._texts = sources, texts
        self._left: dict[tuple[Pattern, str], float] = {}
        """Of `FEED_LIMIT`, by pattern and feed."""

    def read(self, entries: Sequence[Entry], filters: Filters) -> Mapping[int, str]:
        """Return the plain texts of entries by number; none unless a filter looks at them."""
        return self._texts([entry.number for entry in entries]) if filters.reads_texts else {}

    def parts(self, entry: Entry, feed: Feed, text: str) -> dict[Field | None, list[str]]:
        """Return the texts of an entry, by the field of a pattern."""
        parts: dict[Field | None, list[str]] = {
            Field.TITLE: [entry.title or ""],
            Field.CONTENT: [entry.summary or "", text],
            Field.AUTHOR: [one.name or "" for one in entry.authors] or [feed.author or ""],
            Field.CATEGORY: [*entry.categories],
            Field.LINK: [entry.link or ""],
        }
        everywhere = [part for of_field in parts.values() for part in of_field]
        return parts | {None: everywhere, Field.SOURCE: [source_of(entry, self._sources).title]}

    def __call__(self, pattern: Pattern, parts: Iterable[str], feed: str) -> bool | None:
        """Return whether texts of a feed have a pattern; None after too much time."""
        if isinstance(pattern.regex, re.Pattern):
            return any(map(pattern.regex.search, parts))
        left, begun = self._left.get((pattern, feed), FEED_LIMIT), time.process_time()
        if left <= 0:
            return None
        try:
            limit = min(left, SEARCH_LIMIT)
            return any(pattern.regex.search(part, timeout=limit) for part in parts)
        except (TimeoutError, MemoryError):
            return None
        finally:
            self._left[pattern, feed] = left - (time.process_time() - begun)
