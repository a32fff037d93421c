"""Wanted entries → the posts of an edition."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from planet.merge.duplicates import without_duplicates
from planet.merge.fingerprint import digest, mark
from planet.merge.identity import own_id, published_id
from planet.merge.picks import lists_of, picked_posts, with_picks
from planet.merge.tags import tags
from planet.model import Edition, Podcast, Post

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from zoneinfo import ZoneInfo

    from planet.model import Entry, Feed, Pick, Source


def merge(
    entries: Sequence[Entry],
    feeds: Mapping[str, Feed],
    sources: Mapping[str, Source],
    *,
    edition: Edition,
    picks: Sequence[Pick] = (),
    lists: Mapping[str, Podcast] = MappingProxyType({}),
    cleaning: str = "",
) -> Edition:
    """The edition with its posts, newest first, its sources, by title, their tags, and its lists.

    `edition` comes without these and says everything else. `feeds` are in the operator's order,
    which decides where nothing else does. `picks` are episodes that the operator picked, for the
    planet or for one of the `lists`; see `picked_posts` for the numbers of their entries.
    `cleaning` is the version of the cleaner that makes the posts' texts.
    """
    marks = {key: mark(source, cleaning) for key, source in sources.items()}
    shown = without_duplicates(entries, feeds, sources)
    uids = _uids(entry for entry, _ in shown)
    posts = [
        _post(
            entry, uids[entry.number], feeds[entry.feed], sources, others, edition.timezone, marks
        )
        for entry, others in shown
    ]
    picked = picked_posts(picks, sources, zone=edition.timezone, cleaning=cleaning)
    posts = with_picks(posts, picked)
    # The number comes first among equal dates, because a feed whose entries have no dates lists
    # the newest first; the id decides the rest, so that the same entries always give one page.
    posts.sort(key=lambda post: (post.when, post.entry.number, post.uid), reverse=True)
    told = _told(sources, posts)
    told.sort(key=lambda source: (source.title.casefold(), source.slug))
    return replace(
        edition,
        posts=tuple(posts),
        sources=tuple(told),
        tags=tags(told),
        lists=lists_of(picked, lists),
    )


def _uids(entries: Iterable[Entry]) -> dict[int, str]:
    """The ids to publish, by number. One that two feeds claim is that of the entry met first."""
    uids: dict[int, str] = {}
    taken: set[str] = set()
    for entry in sorted(entries, key=lambda entry: entry.number):
        uid = published_id(entry.feed, entry.id)
        if uid in taken:
            uid = own_id(entry.feed, entry.id)
        taken.add(uid)
        uids[entry.number] = uid
    return uids


def _post(
    entry: Entry,
    uid: str,
    feed: Feed,
    sources: Mapping[str, Source],
    others: Sequence[str],
    zone: ZoneInfo,
    marks: Mapping[str, str],
) -> Post:
    when = entry.filed(feed.future)
    day = when.astimezone(zone).date()
    shown = (
        uid,
        entry.digest,
        entry.first_seen,
        entry.changed_at,
        when,
        day,
        marks[entry.feed],
        [marks[key] for key in others],
    )
    return Post(
        entry=entry,
        source=sources[entry.feed],
        uid=uid,
        when=when,
        day=day,
        also_in=tuple(sources[key] for key in others),
        fingerprint=digest(shown),
    )


def _told(sources: Mapping[str, Source], posts: Sequence[Post]) -> list[Source]:
    """The sources with what their posts, newest first, tell about them."""
    counts = Counter(post.entry.feed for post in posts)
    newest = {post.entry.feed: post.when for post in reversed(posts)}
    return [
        replace(source, newest=newest.get(key), count=counts[key])
        for key, source in sources.items()
    ]
