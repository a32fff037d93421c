"""What has changed → rows: what a site shows, decided again only where something asks for it.

An entry is decided again when it came, changed or went, when its feed's settings did, when time
alone has decided otherwise (`until`), and with others that count for it: those of its feed where a
filter counts entries, and those that may be the same. What concerns all entries decides about all.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from heapq import merge as merged
from itertools import chain, count, groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from planet import __version__
from planet.model import Feed, Filed, Part, Post
from planet.store import Row
from planet.text import media
from planet.text.html import Cleaning
from planet.timeline.duplicates import published_id
from planet.timeline.edition import (
    Days,
    digest,
    feed_of,
    file,
    mark,
    merge,
    own_picks,
    picked_posts,
    source_of,
)
from planet.timeline.select import COUNTED, Decision, Reason, counted, counted_by, select

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Container,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from datetime import date, datetime, timedelta
    from zoneinfo import ZoneInfo

    from planet.config import Config
    from planet.model import Entry, Filters, Pattern, Source
    from planet.store import Rows
    from planet.timeline.select import Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """By what is decided what a site shows."""

    feeds: Mapping[str, Feed]
    """Those that the site shows, in the operator's order."""
    sources: Mapping[str, Source]
    """The same as they are shown."""
    picked: Sequence[Post]
    """The posts of picks (`picked_posts`)."""
    planet: Filters
    zone: ZoneInfo
    cleaning: str
    """The version of the cleaner that makes the posts' texts."""
    retention: timedelta
    """How long entries are kept that their feeds no longer list."""

    @property
    def all(self) -> str:
        """A fingerprint of what concerns all entries."""
        return digest((__version__, self.planet, str(self.zone), self.retention))

    @property
    def picks(self) -> str:
        """A fingerprint of the picks."""
        return digest([(post.entry.number, post.fingerprint) for post in self.picked])

    def of_feeds(self, marks: Mapping[str, str]) -> dict[str, str]:
        """A fingerprint of what concerns the entries of each source."""
        carried: dict[str, list[str]] = {}
        for key in marks:
            carried.setdefault(feed_of(key), []).append(marks[key])
        of_feeds = {
            key: digest((settings_shown(feed), carried[key])) for key, feed in self.feeds.items()
        }
        return {key: of_feeds[feed_of(key)] for key in marks}


def settings_shown(feed: Feed) -> tuple[object, ...]:
    """What a feed says that a page may show: not where it stands, nor how and what for it is asked.

    Secrets are none of it.
    """
    return *_shown(feed), _words(feed.filters)


_shown = attrgetter(
    *(
        field.name
        for field in fields(Feed)
        if field.repr
        and field.name not in ("place", "policy", "include", "is_led", "filters", "transform")
    )
)
_words = cache(repr)
"""Most feeds have the same filters: none."""


def rules_of(config: Config, feeds: Mapping[str, Feed], sources: Mapping[str, Source]) -> Rules:
    """The rules of a site that shows these feeds, which are shown as these sources."""
    version = Cleaning(sanitizer=config.sanitizer, images=config.pages.images).version
    return Rules(
        feeds=feeds,
        sources=sources,
        picked=picked_posts(config.picks, sources, zone=config.timezone, cleaning=version),
        planet=config.filters,
        zone=config.timezone,
        cleaning=version,
        retention=config.retention.entries,
    )


def decide(
    rows: Rows,
    rules: Rules,
    *,
    texts: Texts,
    now: datetime,
    released: datetime | None = None,
    going: Collection[int] = frozenset(),
) -> list[Decision]:
    """Bring the rows of a site up to date; those decisions that took long.

    `released` is as in `select`. Entries that are `going` count as gone.
    """
    with rows.transaction():
        return _Deciding(rows, rules).decide(texts, now, released, going)


class _Deciding:
    def __init__(self, rows: Rows, rules: Rules) -> None:
        self._rows, self._rules = rows, rules
        self._days = Days(rules.zone)
        self._marks = {key: mark(source, rules.cleaning) for key, source in rules.sources.items()}
        self._own = {post.entry.number: post for post in own_picks(rules.picked)}
        self._ids: dict[str, int] = {}
        """The numbers of sources among the rows, by key."""
        self._sources: set[int] = set()
        self._dates: set[date] = set()
        self._slow: list[Decision] = []

    def decide(
        self, texts: Texts, now: datetime, released: datetime | None, going: Collection[int]
    ) -> list[Decision]:
        rows, rules = self._rows, self._rules
        changed, left = self._begin(now, released)
        site = rows.site()
        assert site is not None, "it was begun"
        touched = rows.undecided() | rows.expired(now) | rows.of_feeds(map(feed_of, changed))
        touched |= rows.of_sources(self._ids[key] for key in (*changed, *left))
        touched |= {row.number for row in rows.rows(going)}
        if site.released != released:
            touched |= rows.because(Reason.NOT_RELEASED)
        touched = {number for number in touched if number > 0}
        by_feed = self._by_feed(touched, going)
        touched = touched.difference(*by_feed.values())
        again = rows.picks() | self._own.keys() if site.picks != rules.picks else set()

        def selected(by_feed: Mapping[str, Collection[int]]) -> dict[int, Row]:
            return self._selected(by_feed, texts, now, released)

        for batch in self._batches(by_feed):
            self._settle(batch, touched, again, selected)
            touched, again = set(), set()
        rows.count(self._sources, self._dates)
        rows.forget_sources(self._ids[key] for key in left)
        rows.decided(rules.all, rules.picks, now, released)
        return self._slow

    def _batches(self, by_feed: Mapping[str, set[int]]) -> Iterator[dict[str, set[int]]]:
        """Some feeds at a time, as if the others came later: a first run holds few of its rows."""
        batch: dict[str, set[int]] = {}
        size = 0
        for key, numbers in by_feed.items():
            batch[key] = numbers
            size += len(numbers)
            # The planet's filters that count do so among all.
            if size >= _TOGETHER and not self._rules.planet.counts:
                yield batch
                batch, size = {}, 0
        yield batch

    def _settle(
        self,
        by_feed: Mapping[str, set[int]],
        gone: set[int],
        again: set[int],
        selected: Callable[[Mapping[str, Collection[int]]], dict[int, Row]],
    ) -> None:
        """Decide about entries, and `again` about others, where some are `gone`."""
        rows = self._rows
        touched = gone.union(*by_feed.values())
        after = selected(by_feed)
        if self._rules.planet.counts and touched:
            self._count(after, touched, selected)
        again = again | touched
        again |= rows.relatives(again)
        families = rows.families(again, {n: post.entry.id for n, post in self._own.items()})
        before = {row.number: row for row in rows.rows(again | families.keys())}
        after |= {n: row for n, row in before.items() if n > 0 and n not in touched}
        groups: dict[int, set[int]] = {}
        for number in again | families.keys():
            groups.setdefault(families.get(number, number), set()).add(number)
        self._relate(after, groups)
        self._write(before, after)

    def _begin(self, now: datetime, released: datetime | None) -> tuple[list[str], list[str]]:
        """The feeds whose settings have changed, and those that are gone.

        Where something has changed that concerns all, all that was decided is forgotten.
        """
        rows, rules, feeds = self._rows, self._rules, self._rules.feeds
        site, old = rows.site(), rows.sources()
        in_order = [key for key in feeds if key in old] == [key for key in old if key in feeds]
        if site is None or site.rules != rules.all or now < site.decided_at or not in_order:
            rows.forget()
            rows.decided(rules.all, "", now, released)
            old = {}
        of_feeds = rules.of_feeds(self._marks)
        changed = [key for key in of_feeds if key not in old or old[key][1] != of_feeds[key]]
        left = [key for key in old if key not in of_feeds]
        if changed or left:
            rows.keep_sources(of_feeds)
        self._ids = {key: number for key, (number, _) in rows.sources().items()}
        return changed, left

    def _by_feed(self, touched: set[int], going: Container[int]) -> dict[str, set[int]]:
        """The entries to decide about, by feed: all of one whose filters count entries."""
        feeds = self._rules.feeds
        names = {number: key for key, number in self._ids.items()}
        by_feed = self._rows.feeds_of(touched)
        of_rows = (names[row.source] for row in self._rows.rows(touched) if row.source)
        keys = {*by_feed, *map(feed_of, of_rows)}
        numbers_by_feed: dict[str, set[int]] = {}
        for key in feeds:
            if key in keys:
                counts = feeds[key].filters.counts
                numbers = self._rows.of_feeds([key]) if counts else by_feed.get(key, ())
                numbers_by_feed[key] = {number for number in numbers if number not in going}
        return numbers_by_feed

    def _selected(
        self,
        by_feed: Mapping[str, Collection[int]],
        texts: Texts,
        now: datetime,
        released: datetime | None,
    ) -> dict[int, Row]:
        """The rows of entries by themselves, before the planet counts what is left."""
        rules, decided = self._rules, dict[int, Row]()
        planet = replace(rules.planet, recent=None, random=None)
        reads_texts = planet.reads_texts or any(
            rules.feeds[key].filters.reads_texts for key in by_feed
        )
        for numbers in by_feed.values():
            decisions = select(
                self._rows.entries(numbers, whole=reads_texts),
                rules.feeds,
                planet=planet,
                sources=rules.sources,
                texts=texts,
                now=now,
                released=released,
            )
            for decision in decisions:
                post = self._filed(decision.entry, is_shown=decision.kept)
                decided[decision.entry.number] = self._row(post, decision)
            self._slow += (decision for decision in decisions if decision.too_slow)
        return decided

    def _count(
        self,
        after: dict[int, Row],
        touched: set[int],
        selected: Callable[[Mapping[str, Collection[int]]], dict[int, Row]],
    ) -> None:
        """Apply the planet's filters that count: to what is decided now, and to what was before.

        Both `after` and `touched` come to hold those, too, that are now counted otherwise.
        """
        planet, kept = self._rules.planet, Reason.KEPT
        others = {row.number: row for row in self._rows.counted() if row.number not in touched}
        last = max((*others, *after), default=0)
        others = {
            number: row
            for number, row in others.items()
            if row.reason == kept or (row.by_planet and row.reason in COUNTED)
        }
        while True:
            filed = {number: row.filed for number, row in others.items()}
            filed |= {number: row.filed for number, row in after.items() if row.reason == kept}
            newest = sorted(filed, key=lambda number: (filed[number], number), reverse=True)
            turned_away = counted(newest, planet, last=last, entries=self._rows.entries)
            otherwise = {n for n, row in others.items() if turned_away.get(n, kept) != row.reason}
            if not otherwise:
                break
            # Decided by themselves again: what shows for how long was not stored of them.
            after |= selected(self._rows.feeds_of(otherwise))
            touched |= otherwise
            for number in otherwise:
                del others[number]
        for number in turned_away.keys() & after.keys():
            reason = turned_away[number]
            detail = counted_by(planet, reason)
            after[number] = after[number]._replace(
                reason=reason, detail=detail, by_planet=True, shown=0
            )

    def _relate(self, after: dict[int, Row], groups: Mapping[int, Collection[int]]) -> None:
        """Find among entries that may be the same which are, and what is shown of these."""
        rules, own = self._rules, self._own
        kept = {
            family: [n for n in numbers if n in after and after[n].reason == Reason.KEPT]
            for family, numbers in groups.items()
            # What is alone, and always was, is right by itself.
            if len(numbers) > 1
            or any(n in own or (n in after and after[n].family) for n in numbers)
        }
        entries = {
            entry.number: entry for entry in self._rows.entries(chain.from_iterable(kept.values()))
        }
        for family, numbers in kept.items():
            members = [entries[number] for number in numbers]
            picked = [own[number] for number in groups[family] if number in own]
            merged_posts, instead = merge(
                members,
                rules.feeds,
                rules.sources,
                days=self._days,
                marks=self._marks,
                picked=picked,
            )
            posts = {post.entry.number: post for post in merged_posts}
            for number in groups[family]:
                label = family if len(groups[family]) > 1 else None
                row = after.get(number)
                if number in posts:
                    after[number] = self._row(posts[number], row, family=label)
                elif number in instead:
                    single = self._row(
                        self._filed(entries[number], is_shown=False), row, family=label
                    )
                    after[number] = single._replace(shown=0, instead=instead[number])
                elif row is not None:
                    after[number] = row._replace(family=label)

    def _filed(self, entry: Entry, *, is_shown: bool) -> Post:
        feed, marks = self._rules.feeds[entry.feed], self._marks if is_shown else None
        return file(entry, feed, self._rules.sources, days=self._days, marks=marks)

    def _row(
        self, post: Post, decision: Decision | Row | None, *, family: int | None = None
    ) -> Row:
        entry = post.entry
        is_kept = decision is None or decision.reason == Reason.KEPT
        version = f"{post.fingerprint} {post.uid}".encode(errors="backslashreplace")
        return Row(
            number=entry.number,
            # The show of a pick may be no source of the site, or none any more.
            source=self._ids[key] if (key := post.source.key) in self._rules.sources else None,
            reason=decision.reason if decision else Reason.KEPT,
            detail=decision.detail if decision else None,
            by_planet=decision.by_planet if decision else False,
            too_slow=_pattern_text(decision.too_slow) if decision else None,
            until=decision.until if decision else None,
            shown=0 if not is_kept else 2 if entry.is_timeless else 1,
            filed=post.when,
            day=post.day,
            modified=post.modified,
            arrived=post.when if post.picked else max(entry.first_seen, post.when),
            playable=media.playable(entry) is not None,
            family=family,
            also_in=json.dumps([source.key for source in post.also_in]) if post.also_in else None,
            uid=post.uid if post.uid != published_id(*entry.identity) else None,
            # Positive, so that sums of what it begins with stay within what SQLite counts to.
            fingerprint=int.from_bytes(hashlib.blake2b(version, digest_size=8).digest()) >> 1,
        )

    def _write(self, before: Mapping[int, Row], after: Mapping[int, Row]) -> None:
        """Store what has changed, and note what is to be counted."""
        changed = [row for number, row in after.items() if before.get(number) != row]
        gone = before.keys() - after.keys()
        self._rows.put(changed)
        self._rows.drop(gone)
        numbers = [*gone, *(row.number for row in changed)]
        met = [*changed, *(before[number] for number in numbers if number in before)]
        self._sources |= {row.source for row in met if row.source}
        self._dates |= {row.day for row in met if row.shown == 1}


def _pattern_text(too_slow: str | tuple[Pattern, ...] | None) -> str | None:
    """Filters as a row has them."""
    if too_slow is None or isinstance(too_slow, str):
        return too_slow
    return json.dumps([pattern.written for pattern in too_slow]) if too_slow else None


_TOGETHER = 5_000
"""Entries after which the next feeds are decided about by themselves."""
_AT_ONCE = 100
"""Posts that are read together, where nobody says how many there are to be."""
_AT_HAND = 4
"""Queries whose posts are kept: a source's page and feeds show the same, one after the other."""


class StoredTimeline:
    """The posts of an edition as they were decided: `model.Timeline`."""

    def __init__(self, rows: Rows, sources: Mapping[str, Source], picked: Iterable[Post]) -> None:
        """`picked` are those of all lists, as in `Rules`."""
        self._rows, self._all = rows, sources
        self._own = {post.entry.number: post for post in own_picks(picked)}
        self._ids = {key: number for key, (number, _) in rows.sources().items()}
        self._keys = {number: key for key, number in self._ids.items()}
        self._at_hand: OrderedDict[object, tuple[Post, ...]] = OrderedDict()
        self.picked = [(post.entry.feed, post.entry.id) for post in self._own.values()]
        self.days = rows.days()
        self.sources: dict[str, Part] = {}
        self.timeless: dict[str, Part] = {}
        self.faded = 0
        """How many entries are not shown because they are too old."""
        for source, kind, part in rows.parts():
            if kind == -1:
                self.faded += part.posts
            else:
                (self.sources if kind == 1 else self.timeless)[self._keys[source]] = part

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
                limit, period=period, playable=playable, arrived_after=arrived_after
            )
        numbers = (number for _, number in newest)
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

    def latest(self, limit: int) -> Iterator[Post]:
        """As `model.Timeline.latest`."""
        numbers = iter(self._rows.latest(limit))
        while batch := list(islice(numbers, _AT_ONCE)):
            yield from self._read(batch)

    def numbered(self, numbers: Collection[int]) -> dict[int, Post]:
        """As `model.Timeline.numbered`."""
        return {post.entry.number: post for post in self._read(list(numbers))}

    def recent(self, span: timedelta, limit: int) -> list[Filed]:
        """As `model.Timeline.recent`."""
        newest = next(iter(self.days.values()), None)
        rows = self._rows.recent(newest.newest - span, limit) if newest else []
        return [self._place(number, source, when) for number, source, when in rows]

    def at(self, addresses: Collection[str]) -> dict[str, Filed]:
        """As `model.Timeline.at`."""
        linked = self._rows.linked(addresses)
        linked += (
            (number, None, post.when, post.entry.link)
            for number, post in self._own.items()
            if post.entry.link
        )
        linked.sort(key=lambda row: (row[2], row[0]), reverse=True)
        return {
            address: self._place(number, source, when)
            for number, source, when, link in linked
            if (address := link.partition("#")[0]) in addresses
        }

    def _place(self, number: int, source: int | None, when: datetime) -> Filed:
        key = self._keys[source] if source else self._own[number].source.key
        return Filed(number=number, source=key, when=when)

    def _newest(self, limit: int | None, **query: Any) -> Iterator[tuple[int, int]]:
        """As `Rows.newest`, in parts where nobody can know how many are wanted."""
        if limit is not None or query.get("period") or query.get("arrived_after"):
            yield from self._rows.newest(limit, **query)
            return
        for offset in count(0, _AT_ONCE):
            newest = self._rows.newest(_AT_ONCE, offset=offset, **query)
            yield from newest
            if len(newest) < _AT_ONCE:
                return

    def _of_sources(
        self, keys: Iterable[str], limit: int | None, *, timeless: bool, playable: bool
    ) -> Iterator[tuple[int, int]]:
        kinds = [(1, self.sources), (2, self.timeless)] if timeless else [(1, self.sources)]
        newest = chain.from_iterable(
            merged(
                *(
                    self._newest(limit, source=self._ids[key], shown=shown, playable=playable)
                    for key in keys
                    if key in parts
                ),
                reverse=True,
            )
            for shown, parts in kinds
        )
        return islice(newest, limit)

    def _read(self, numbers: Sequence[int]) -> Iterator[Post]:
        rows = self._rows.shown(numbers)
        entries = {entry.number: entry for entry in self._rows.entries(numbers, whole=True)}
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
