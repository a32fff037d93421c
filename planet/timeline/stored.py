"""The table of posts → `model.Timeline`: what a site shows, read a part at a time."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from heapq import merge as merged
from itertools import chain, count, groupby, islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.model import FairShare, Filed, Part, Post
from planet.store import LinkedRow, PostQuery
from planet.timeline.duplicates import published_id
from planet.timeline.edition import feed_order, own_picks, source_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import date, datetime, timedelta

    from planet.model import Source
    from planet.store import DayShare, PostPlace, PostTable


_AT_ONCE = 100
"""Posts that are read together, where nobody says how many there are to be."""
_AT_HAND = 4
"""Queries whose posts are kept: a source's page and feeds show the same, one after the other."""


class StoredTimeline:
    """The posts of an edition as they were decided: `model.Timeline`."""

    def __init__(
        self, table: PostTable, sources: Mapping[str, Source], picked: Iterable[Post]
    ) -> None:
        """Read the days and sources of a table; `picked` are as in `Rules`."""
        self._table, self._all = table, sources
        self._own = {post.entry.number: post for post in own_picks(picked)}
        self._ids = {key: source.number for key, source in table.sources().items()}
        self._keys = {number: key for key, number in self._ids.items()}
        self._at_hand: OrderedDict[object, tuple[Post, ...]] = OrderedDict()
        self.picked = [(post.entry.feed, post.entry.id) for post in self._own.values()]
        self.days = table.days()
        self.sources: dict[str, Part] = {}
        self.timeless: dict[str, Part] = {}
        self.faded = 0
        """How many entries are not shown because they are too old."""
        for row in table.parts():
            if row.kind == -1:
                self.faded += row.part.posts
            else:
                parts = self.sources if row.kind == 1 else self.timeless
                parts[self._keys[row.source]] = row.part

    @cached_property
    def months(self) -> dict[tuple[int, int], Part]:
        """As `model.Timeline.months`."""
        by_month = groupby(self.days, lambda day: (day.year, day.month))
        return {month: Part.together([self.days[day] for day in days]) for month, days in by_month}

    def posts(
        self,
        limit: int | None = None,
        *,
        period: tuple[int, ...] = (),
        sources: Collection[str] | None = None,
        timeless: bool = False,
        playable: bool = False,
        arrived_after: datetime | None = None,
    ) -> Iterator[Post]:
        """As `model.Timeline.posts`."""
        query = limit, period, sources and tuple(sources), timeless, playable, arrived_after
        if query in self._at_hand:
            yield from self._at_hand[query]
            return
        if sources is not None:
            newest = self._of_sources(sources, limit, timeless=timeless, playable=playable)
        else:
            newest = self._newest(
                PostQuery(
                    limit=limit, period=period, playable=playable, arrived_after=arrived_after
                )
            )
        numbers = (place.number for place in newest)
        if limit is None and not period:
            while batch := list(islice(numbers, _AT_ONCE)):
                yield from self._read(batch)
            return
        posts = tuple(self._read(list(numbers)))
        if not period:  # which one page shows, once, and with any number of posts
            self._at_hand[query] = posts
            if len(self._at_hand) > _AT_HAND:
                self._at_hand.popitem(last=False)
        yield from posts

    def fair_share(self, limit: int, per_source: int) -> FairShare:
        """As `model.Timeline.fair_share`."""
        places: list[tuple[date, DayShare]] = []
        for day in self.days:
            if len(places) >= limit:
                break
            places += ((day, place) for place in self._table.share(day, per_source))
        places = places[:limit]
        rest: dict[tuple[date, str], int] = {}
        for day, place in places:
            if place.number > 0 and place.source:
                key = day, self._keys[place.source]
                rest[key] = rest.get(key, place.posts) - 1
        return FairShare(
            posts=tuple(self._read([place.number for _, place in places])),
            rest={key: count for key, count in rest.items() if count},
        )

    def latest(self, limit: int) -> Iterator[Post]:
        """As `model.Timeline.latest`."""
        numbers = iter(self._table.latest(limit))
        while batch := list(islice(numbers, _AT_ONCE)):
            yield from self._read(batch)

    def numbered(self, numbers: Collection[int]) -> dict[int, Post]:
        """As `model.Timeline.numbered`."""
        return {post.entry.number: post for post in self._read(list(numbers))}

    def recent(self, span: timedelta, limit: int) -> list[Filed]:
        """As `model.Timeline.recent`."""
        newest = next(iter(self.days.values()), None)
        rows = self._table.recent(newest.newest - span, limit) if newest else []
        return [self._place(row.number, row.source, row.filed) for row in rows]

    def at(self, addresses: Collection[str]) -> dict[str, Filed]:
        """As `model.Timeline.at`."""
        linked = self._table.linking_to(addresses)
        linked += (
            LinkedRow(number, None, post.when, post.entry.link, feed_order(post.entry))
            for number, post in self._own.items()
            if post.entry.link
        )
        linked.sort(key=lambda row: (row.when, row.feed_order, row.number), reverse=True)
        return {
            address: self._place(row.number, row.source, row.when)
            for row in linked
            if (address := row.link.partition("#")[0]) in addresses
        }

    def _place(self, number: int, source: int | None, when: datetime) -> Filed:
        key = self._keys[source] if source else self._own[number].source.key
        return Filed(number=number, source=key, when=when)

    def _newest(self, query: PostQuery) -> Iterator[PostPlace]:
        """Yield the same as `PostTable.newest`, in parts where nobody knows how many are wanted."""
        if query.limit is not None or query.period or query.arrived_after:
            yield from self._table.newest(query)
            return
        for offset in count(0, _AT_ONCE):
            newest = self._table.newest(query._replace(limit=_AT_ONCE, offset=offset))
            yield from newest
            if len(newest) < _AT_ONCE:
                return

    def _of_sources(
        self, keys: Iterable[str], limit: int | None, *, timeless: bool, playable: bool
    ) -> Iterator[PostPlace]:
        kinds = [(1, self.sources), (2, self.timeless)] if timeless else [(1, self.sources)]
        newest = chain.from_iterable(
            merged(
                *(
                    self._newest(
                        PostQuery(
                            limit=limit, source=self._ids[key], shown=shown, playable=playable
                        )
                    )
                    for key in keys
                    if key in parts
                ),
                reverse=True,
            )
            for shown, parts in kinds
        )
        return islice(newest, limit)

    def _read(self, numbers: Sequence[int]) -> Iterator[Post]:
        rows = self._table.shown(numbers)
        entries = {entry.number: entry for entry in self._table.entries(numbers)}
        for number in numbers:
            row = rows[number]
            also_in = tuple(self._all[key] for key in row.also_in)
            if number in self._own:
                yield replace(self._own[number], also_in=also_in, fingerprint=row.fingerprint)
                continue
            entry = entries[number]
            yield Post(
                entry=entry,
                source=source_of(entry, self._all),
                uid=row.uid or published_id(*entry.identity),
                when=row.filed,
                day=row.day,
                also_in=also_in,
                fingerprint=row.fingerprint,
            )
