"""Entries + rules + now → posts, each with its reason. Pure.

Nothing else decides about posts: the site, `why` and `preview` call `assemble`. The order: filters
turn entries away, the rest get their dates, and of the copies in several feeds one is shown.

    select      → the wanted entries, and why the others are not
    merge       → one post for all copies, picks among them
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from planet.model import Entry, Facts, Feed, Post, Source, fingerprint
from planet.text.html import Cleaning
from planet.text.media import find_playable
from planet.timeline.duplicates import group_duplicates, own_id, published_id
from planet.timeline.edition import source_of
from planet.timeline.select import Reason, Search, select

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from zoneinfo import ZoneInfo

    from planet.config import Config
    from planet.model import Filters, Pick
    from planet.timeline.select import Decision, PlainTexts


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules of a site."""

    feeds: Mapping[str, Feed]
    """Those that the site shows, in the operator's order, which decides where nothing else does."""
    sources: Mapping[str, Source]
    """The same as sources, by key, with the feeds that they carry."""
    picks: Sequence[Pick]
    planet: Filters
    zone: ZoneInfo
    cleaning: str
    """The version of the cleaner that makes the posts' texts, and how their images are shown."""
    _marks: dict[str, str] = field(default_factory=dict)

    @cached_property
    def posts_of_picks(self) -> tuple[Post, ...]:
        """A post for each pick, in their order, each id once.

        The entry of the first has the number -1, of the second -2, and so on. A pick without a
        source here is shown under the name of the show at the time.
        """
        return drop_repeated_ids(
            self._make_post(
                _make_picked_entry(-number, pick),
                self.sources.get(pick.feed) or _make_picked_source(pick),
                when=pick.picked_at,
                pick=pick,
            )
            for number, pick in enumerate(self.picks, 1)
        )

    def make_post(
        self, entry: Entry, others: Sequence[str] = (), *, uid: str | None = None
    ) -> Post:
        """Return the post of an entry; `others` are the keys of other feeds with the entry.

        `uid` is the published id, if known.
        """
        source = source_of(entry, self.sources)
        if source.via:
            others = (*others, entry.feed)
        also_in = tuple(self.sources[key] for key in others)
        when = entry.filing_moment(self.feeds[entry.feed].future)
        return self._make_post(entry, source, also_in, when=when, uid=uid)

    def _make_post(
        self,
        entry: Entry,
        source: Source,
        also_in: tuple[Source, ...] = (),
        *,
        when: datetime,
        pick: Pick | None = None,
        uid: str | None = None,
    ) -> Post:
        day = when.astimezone(self.zone).date()
        # Moment and day follow from more than the entry: from `future` of the feed, and the zone.
        # The digest of a pick leaves out the place in the file, which no page shows.
        shown = (entry.digest if pick else entry.mark, when, day)
        return Post(
            entry=entry,
            source=source,
            uid=uid or published_id(*entry.identity),
            when=when,
            day=day,
            also_in=also_in,
            picked=pick,
            is_playable=find_playable(entry) is not None,
            fingerprint=" ".join(map(str, (*shown, *map(self._mark, (source, *also_in))))),
        )

    def _mark(self, source: Source) -> str:
        """Return a fingerprint of the facts shown of a source beside the posts."""
        if source.key not in self._marks:
            self._marks[source.key] = fingerprint(_beside_posts(source), self.cleaning)
        return self._marks[source.key]


_NOT_BESIDE = "links", "newest", "count", "standing"
_beside_posts = attrgetter(*(name for name in Source.__struct_fields__ if name not in _NOT_BESIDE))


def _make_picked_entry(number: int, pick: Pick) -> Entry:
    return Entry(
        number=number,
        feed=pick.feed,
        id=pick.id,
        digest=fingerprint(replace(pick, place=None)),
        first_seen=pick.picked_at,
        changed_at=pick.picked_at,
        dated=pick.published or pick.picked_at,
        title=pick.title,
        summary=pick.summary,
        **{name: getattr(pick, name) for name in Facts.__struct_fields__},
    )


_OF_SHOW = "title", "link", "author", "image", "language", "explicit"


def _make_picked_source(pick: Pick) -> Source:
    """Return the show of a pick whose feed is no source of the planet."""
    show = pick.show
    return Source(
        key=pick.feed,
        slug="",
        url=show.url or "",
        own_format="rss" if show.url else None,
        **{name: getattr(show, name) for name in _OF_SHOW},
    )


def make_rules(config: Config, feeds: Mapping[str, Feed], sources: Mapping[str, Source]) -> Rules:
    """Return the rules of a site with these feeds, shown as these sources."""
    version = f"{Cleaning(sanitizer=config.sanitizer).version}-{config.pages.images}"
    return Rules(
        feeds=feeds,
        sources=sources,
        picks=config.picks,
        planet=config.filters,
        zone=config.timezone,
        cleaning=version,
    )


class Assembled(NamedTuple):
    """The posts of a site, and the decision about each entry."""

    posts: list[Post]
    """Those of picks first."""
    instead: Mapping[int, int]
    """By the number of each wanted entry that is not shown, that of what is in its place; the
    numbers of picks are negative."""
    decisions: Mapping[int, Decision]
    """The decision about each entry, by number."""


def assemble(
    entries: Iterable[Entry],
    rules: Rules,
    *,
    texts: PlainTexts,
    now: datetime,
    released: datetime | None = None,
) -> Assembled:
    """Return the posts of a site, of entries and picks, and the decision about each entry.

    All entries must come in one call: some may be copies, and filters count. Entries of feeds
    outside of the rules are left out. `texts` gives plain texts to filters. `released` is as in
    `select`; moments are in UTC.
    """
    decisions = select(
        (entry for entry in entries if entry.feed in rules.feeds),
        rules.feeds,
        planet=rules.planet,
        search=Search(rules.sources, texts),
        now=now,
        released=released,
    )
    posts, instead = merge([decision.entry for decision in decisions if decision.kept], rules)
    by_number = {decision.entry.number: decision for decision in decisions}
    for number in instead:
        by_number[number] = replace(by_number[number], reason=Reason.DUPLICATE)
    return Assembled(posts, instead, by_number)


def merge(entries: Sequence[Entry], rules: Rules) -> tuple[list[Post], dict[int, int]]:
    """Merge the posts of entries, one for all copies, with the posts of picks.

    Return posts and replacements as in `Assembled`.
    """
    uids = {entry.number: published_id(*entry.identity) for entry in entries}
    things = group_duplicates(entries, rules.feeds, rules.sources, uids)
    posts = [
        rules.make_post(entry, thing.also_in, uid=uids[entry.number])
        for thing in things
        for entry in thing.shown
    ]
    own, others = [*rules.posts_of_picks], []
    places = {key: place for place, post in enumerate(own) for key in _dedupe_keys(post)}
    instead: dict[int, int] = {}
    for post in drop_repeated_ids(sorted(posts, key=lambda post: post.entry.number)):
        met = dict.fromkeys(places[key] for key in _dedupe_keys(post) if key in places)
        if not met:
            others.append(post)
        for place in met:
            pick = own[place]
            carriers = {
                source.key: source for source in (*pick.also_in, post.source, *post.also_in)
            }
            carriers.pop(pick.entry.feed, None)
            both = fingerprint(pick.fingerprint, post.fingerprint)
            own[place] = replace(pick, also_in=tuple(carriers.values()), fingerprint=both)
            instead[post.entry.number] = pick.entry.number
    for thing in things:
        best = thing.shown[0].number
        instead.update((copy.number, instead.get(best, best)) for copy in thing.copies)
    return [*own, *others], instead


def drop_repeated_ids(posts: Iterable[Post]) -> tuple[Post, ...]:
    """Return the posts, the later ones of a published id with another."""
    taken: set[str] = set()
    distinct: list[Post] = []
    for post in posts:
        uid = post.entry.id
        while post.uid in taken:
            uid = own_id(post.entry.feed, uid)
            post = replace(post, uid=uid, fingerprint=fingerprint(post.fingerprint, uid))
        taken.add(post.uid)
        distinct.append(post)
    return tuple(distinct)


def _dedupe_keys(post: Post) -> tuple[object, ...]:
    """Return keys: one in common makes two posts the same. Shows may have one link for all."""
    return post.uid, (post.entry.feed, post.entry.id)
