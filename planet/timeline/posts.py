"""What is stored + rules → the table `post`, brought up to date.

Only a range of all entries is assembled: those that changed since the last time, and those about
which time alone has decided otherwise, with all that is decided together with them. When settings
changed that concern every entry, the range is everything. What lies outside of it stays as it was,
and is what it would be if everything were assembled: `tests/properties/test_incremental.py`.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from typing import TYPE_CHECKING

from planet.store import Assembly, PostRow, dedupe_key_of_id
from planet.text import media
from planet.timeline.assemble import assemble
from planet.timeline.duplicates import find_lowest, published_id
from planet.timeline.edition import feed_of, feed_order
from planet.timeline.select import Decision, Reason

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from datetime import date, datetime

    from planet.store import DedupeRow, PostTable
    from planet.timeline.assemble import AssembledPost, Rules
    from planet.timeline.select import PlainTexts


_BATCH = 5_000
"""Entries assembled in one call, at least: a first run then holds few of them in memory."""


def update_posts(
    table: PostTable,
    rules: Rules,
    *,
    texts: PlainTexts,
    now: datetime,
    released: datetime | None = None,
    leaving: Collection[int] = frozenset(),
) -> list[Decision]:
    """Bring the posts of a site up to date; return the decisions in which a filter took too long.

    `texts` gives plain texts by the numbers of entries; `released` is as in `select`. Entries that
    are `leaving` count as gone. It is one transaction.
    """
    update = _Update(table, rules)
    slow: list[Decision] = []
    with table.transaction():
        numbers = update.find_range(now, released, leaving)
        for batch in update.split(numbers):
            posts = assemble(
                table.entries(number for number in batch if number not in leaving),
                rules,
                picks=[post for number, post in rules.own_picks.items() if number in batch],
                texts=texts,
                now=now,
                released=released,
            )
            slow += (post.decision for post in posts if post.decision and post.decision.too_slow)
            update.write(batch, posts)
        update.finish(now, released)
    return slow


class _Update:
    """Finds what of a table is to be assembled, and writes what came of it."""

    def __init__(self, table: PostTable, rules: Rules) -> None:
        self._table, self._rules = table, rules
        self._counting = {key for key, feed in rules.feeds.items() if feed.filters.counts}
        self._pick_keys = {
            number: dedupe_key_of_id(post.entry.id) for number, post in rules.own_picks.items()
        }
        self._source_ids: dict[str, int] = {}
        self._left: list[str] = []
        """The keys of sources that the site shows no more."""
        self._families: dict[int, int] = {}
        self._recounted_sources: set[int] = set()
        self._recounted_days: set[date] = set()

    def find_range(
        self, now: datetime, released: datetime | None, leaving: Iterable[int]
    ) -> set[int]:
        """Return the numbers to assemble, with all that is decided together with them.

        Where something changed that concerns every entry, the table is emptied first.
        """
        table, rules = self._table, self._rules
        last, sources = table.assembly(), table.sources()
        is_in_order = [key for key in rules.feeds if key in sources] == [
            key for key in sources if key in rules.feeds
        ]
        if (
            last is None
            or last.rules != rules.fingerprint
            or now < last.assembled_at
            or not is_in_order
        ):
            table.forget()
            last, sources = Assembly(rules.fingerprint, now, released), {}
            table.record(last)
        fingerprints = rules.fingerprints_of_sources()
        changed = [
            key
            for key, fingerprint in fingerprints.items()
            if key not in sources or sources[key].rules != fingerprint
        ]
        self._left = [key for key in sources if key not in fingerprints]
        if changed or self._left:
            table.put_sources(fingerprints)
        self._source_ids = {key: source.number for key, source in table.sources().items()}

        numbers = table.find_changed() | table.find_expired(now) | table.replaced_by_picks()
        numbers |= table.of_feeds({feed_of(key) for key in changed})
        numbers |= table.of_sources(self._source_ids[key] for key in (*changed, *self._left))
        numbers |= set(leaving)
        if last.released != released:
            numbers |= table.with_reason(Reason.NOT_RELEASED)
        for post in rules.own_picks.values():
            numbers |= table.with_identity(post.entry.feed, post.entry.id)
        if rules.planet.counts and numbers:
            numbers |= table.of_feeds(rules.feeds)
        return self._close(numbers) | table.picks() | self._pick_keys.keys()

    def _close(self, numbers: set[int]) -> set[int]:
        """Add all that is decided together with these entries.

        That are those which share a dedupe key with one, now or when it was assembled last, and all
        of a feed whose filters count.
        """
        table = self._table
        feed_keys = {number: feed_of(key) for key, number in self._source_ids.items()}
        new = numbers | table.family_members(numbers)
        feeds = {feed_keys[row.source] for row in table.rows(numbers) if row.source in feed_keys}
        keys = set(self._pick_keys.values())
        closed: set[int] = set()
        met_keys: set[int] = set()
        met_feeds: set[str] = set()
        while new or keys or feeds:
            closed |= new
            for row in table.dedupe_rows(new):
                keys |= {row.id, row.link or row.id}
                feeds.add(row.feed)
            keys -= met_keys
            met_keys |= keys
            feeds = (feeds & self._counting) - met_feeds
            met_feeds |= feeds
            related = table.of_feeds(feeds).union(*self._sharing(table.with_keys(keys), keys))
            new = {number for number in related if number > 0} - closed
            keys, feeds = set(), set()
        return closed

    def _sharing(
        self, rows: Iterable[DedupeRow], keys: Collection[int] | None = None
    ) -> Iterator[set[int]]:
        """Yield the entries and picks that share a dedupe key, for each key, or each of `keys`.

        A link counts only where two feeds have it: feeds link to one page in many of their posts.
        """
        ids, links = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
        feeds = defaultdict[int, set[str]](set)
        for row in rows:
            if row.feed in self._rules.feeds:
                ids[row.id].add(row.number)
                feeds[row.id].add(row.feed)
                if row.link is not None:
                    links[row.link].add(row.number)
                    feeds[row.link].add(row.feed)
        for number, key in self._pick_keys.items():
            ids[key].add(number)
        for key in ids.keys() | links.keys() if keys is None else keys:
            if len(ids[key]) > 1 or len(feeds[key]) > 1:
                yield ids[key] | links[key]

    def split(self, numbers: set[int]) -> Iterator[set[int]]:
        """Yield the numbers in batches; what is decided together is in one of them."""
        rows = self._table.dedupe_rows(number for number in numbers if number > 0)
        groups = list(self._sharing(rows))
        self._families = find_lowest(groups)
        of_feeds = defaultdict[str, set[int]](set)
        for row in rows:
            if row.feed in self._counting:
                of_feeds[row.feed].add(row.number)
        together = {} if self._rules.planet.counts else find_lowest([*groups, *of_feeds.values()])
        batch: set[int] = set()
        last = None
        for number in sorted(numbers, key=lambda number: (together.get(number, number), number)):
            unit = together.get(number, number)
            if len(batch) >= _BATCH and unit != last and not self._rules.planet.counts:
                yield batch
                batch = set()
            batch.add(number)
            last = unit
        yield batch

    def write(self, numbers: Iterable[int], posts: Iterable[AssembledPost]) -> None:
        """Store the rows of posts in place of those that these numbers had, where they differ."""
        before = {row.number: row for row in self._table.rows(numbers)}
        after = {post.number: self._row(post) for post in posts}
        changed = [row for number, row in after.items() if before.get(number) != row]
        gone = before.keys() - after.keys()
        self._table.put(changed)
        self._table.drop(gone)
        replaced = [before[row.number] for row in changed if row.number in before]
        for row in (*changed, *replaced, *(before[number] for number in gone)):
            if row.source:
                self._recounted_sources.add(row.source)
            if row.shown == 1:
                self._recounted_days.add(row.day)

    def finish(self, now: datetime, released: datetime | None) -> None:
        """Count the posts of days and sources, and record by what they were assembled."""
        table = self._table
        table.recount(self._recounted_sources, self._recounted_days)
        table.drop_sources(self._source_ids[key] for key in self._left)
        table.record(Assembly(self._rules.fingerprint, now, released))

    def _row(self, assembled: AssembledPost) -> PostRow:
        post, rules = assembled.post, self._rules
        entry = post.entry
        decision = assembled.decision or Decision(entry=entry, reason=Reason.KEPT)
        slow = decision.too_slow
        version = f"{post.fingerprint} {post.uid}".encode(errors="backslashreplace")
        return PostRow(
            number=entry.number,
            # The show of a pick may be no source of the site, or none any more.
            source=self._source_ids[key] if (key := post.source.key) in rules.sources else None,
            reason=decision.reason,
            detail=decision.detail,
            by_planet=decision.by_planet,
            too_slow=json.dumps([pattern.written for pattern in slow]) if slow else None,
            until=decision.until,
            shown=0 if not assembled.is_shown else 2 if entry.is_timeless else 1,
            filed=post.when,
            day=post.day,
            modified=post.modified,
            arrived=post.when if post.picked else max(entry.first_seen, post.when),
            playable=media.find_playable(entry) is not None,
            family=self._families.get(entry.number),
            instead=assembled.instead,
            also_in=json.dumps([source.key for source in post.also_in]) if post.also_in else None,
            uid=post.uid if post.uid != published_id(*entry.identity) else None,
            # Positive, so that sums of what it begins with stay within what SQLite counts to.
            fingerprint=int.from_bytes(hashlib.blake2b(version, digest_size=8).digest()) >> 1,
            feed_order=feed_order(entry),
        )
