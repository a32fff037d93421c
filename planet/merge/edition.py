"""Wanted entries → the posts of an edition."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from planet.merge.days import Days
from planet.merge.duplicates import without_duplicates
from planet.merge.fingerprint import mark
from planet.merge.identity import own_id, published_id
from planet.merge.picks import lists_of, picked_posts, with_picks
from planet.merge.tags import tags
from planet.model import Edition, Podcast, Post

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

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
    alike: Container[int] | None = None,
) -> Edition:
    """The edition with its posts, newest first, its sources, by title, their tags, and its lists.

    `edition` comes without these and says everything else. `feeds` are in the operator's order,
    which decides where nothing else does. `picks` are episodes that the operator picked, for the
    planet or for one of the `lists`; see `picked_posts` for the numbers of their entries.
    `cleaning` is the version of the cleaner that makes the posts' texts. `alike` has the numbers of
    all entries that may be the same as another one or as a pick; None when that is not known.
    """
    marks = {
        key: mark(source, cleaning, feeds[key].future if key in feeds else None)
        for key, source in sources.items()
    }
    shown = without_duplicates(entries, feeds, sources, alike)
    days = Days(edition.timezone)
    filed = [
        _post(entry, feeds[entry.feed], sources, others, days, marks) for entry, others in shown
    ]
    _share_uids(filed, alike)
    picked = picked_posts(picks, sources, zone=edition.timezone, cleaning=cleaning)
    posts = with_picks(filed, picked, alike)
    # The number decides among equal dates, because a feed whose entries have no dates lists the
    # newest first. No two posts have one number, so that the same entries always give one page.
    posts.sort(key=attrgetter("when", "entry.number"), reverse=True)
    timeless = tuple(post for post in posts if post.entry.is_timeless)
    if timeless:
        posts = [post for post in posts if not post.entry.is_timeless]
    told = _told(sources, posts, timeless)
    told.sort(key=lambda source: (source.title.casefold(), source.slug))
    return replace(
        edition,
        posts=tuple(posts),
        timeless=timeless,
        sources=tuple(told),
        tags=tags(told),
        lists=lists_of(picked, lists),
    )


class _Filed(Post):
    """A post whose id is made when it is asked for: that of most posts is asked for by nobody."""

    __slots__ = ()

    # As in `store.cards`.
    __setattr__ = object.__setattr__
    __delattr__ = object.__delattr__

    def __getattr__(self, name: str) -> str:
        if name != "uid":
            raise AttributeError(name)
        uid = published_id(*self.entry.identity)
        object.__setattr__(self, name, uid)
        return uid


def _share_uids(posts: Iterable[_Filed], alike: Container[int] | None) -> None:
    """See to it that each post has an id of its own: one that two claim is of that met first."""
    taken: set[str] = set()
    claims = [post for post in posts if alike is None or post.entry.number in alike]
    for post in sorted(claims, key=lambda post: post.entry.number):
        said = post.entry.id
        while post.uid in taken:
            said = own_id(post.entry.feed, said)
            object.__setattr__(post, "uid", said)
            object.__setattr__(post, "fingerprint", f"{post.fingerprint} own")
        taken.add(post.uid)


def _post(
    entry: Entry,
    feed: Feed,
    sources: Mapping[str, Source],
    others: Sequence[str],
    days: Days,
    marks: Mapping[str, str],
) -> _Filed:
    post: Any = _Filed.__new__(_Filed)
    post.entry = entry
    post.source = sources[entry.feed]
    post.when = when = entry.filed(feed.future)
    post.day = day = days.of(when)
    post.also_in = ()
    post.picked = None
    # What it is filed under follows from its dates and from what is thought of its feed's.
    post.fingerprint = f"{entry.mark} {day.toordinal()} {marks[entry.feed]}"
    if others:
        post.also_in = tuple(sources[key] for key in others)
        post.fingerprint += "".join(f" {marks[key]}" for key in others)
    return cast("_Filed", post)


def _told(
    sources: Mapping[str, Source], posts: Sequence[Post], timeless: Sequence[Post]
) -> list[Source]:
    """The sources with what their posts, newest first, tell about them."""
    keys = [post.entry.feed for post in posts]
    counts = Counter([*keys, *(post.entry.feed for post in timeless)])
    newest = {key: post.when for key, post in zip(reversed(keys), reversed(posts), strict=True)}
    return [
        replace(source, newest=newest.get(key), count=counts[key])
        for key, source in sources.items()
    ]
