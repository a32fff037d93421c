"""Wanted entries → the posts of an edition, and the moment whose state of things it shows.

An edition that comes out at times (`release`) shows what was known at the newest of them; what is
found later waits, and a run that comes late, or after days without one, brings out what belonged to
that moment, once.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec.structs import replace

from planet.config.texts import make_slug
from planet.model import (
    Entry,
    Facts,
    FeedHealth,
    Filters,
    Picks,
    Post,
    Profile,
    Source,
    Tag,
    fingerprint,
)
from planet.text import address
from planet.text.media import find_playable
from planet.timeline.duplicates import own_id, published_id

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence
    from datetime import datetime
    from zoneinfo import ZoneInfo

    from planet.config import Config
    from planet.model import Feed, FeedState, Origin, Pick, Timeline


_NO_FILTERS = Filters()
MAX_CARRIED = 2_000
"""Sources besides the feeds that are asked: each has a page, and a feed can name any number."""


def tags(sources: Iterable[Source]) -> tuple[Tag, ...]:
    """Return the tags of sources by name, each with a folder of its own."""
    names = sorted({tag for source in sources for tag in source.tags})
    slugs: dict[str, str] = {}
    for name in names:
        # A name without a letter from a to z is called by a hash of it.
        other = f"tag-{hashlib.sha256(name.encode(errors='replace')).hexdigest()[:6]}"
        slugs[name] = make_slug((name, other), key=name, taken=set(slugs.values()))
    shown = sorted(names, key=lambda name: (name.casefold(), name))
    return tuple(Tag(name=name, slug=slugs[name]) for name in shown)


def fingerprint_source(source: Source, cleaning: str) -> str:
    """Return a fingerprint of what a source shows beside its posts, and of the cleaning."""
    return fingerprint(_beside_posts(source), cleaning)


_NOT_BESIDE = "links", "newest", "count", "standing"
_beside_posts = attrgetter(*(name for name in Source.__struct_fields__ if name not in _NOT_BESIDE))


_FACTS = Facts.__struct_fields__


def picked_posts(
    picks: Sequence[Pick], sources: Mapping[str, Source], *, zone: ZoneInfo, cleaning: str
) -> tuple[Post, ...]:
    """Return a post for each pick, in their order.

    The entry of the first has the number -1, of the second -2, and so on. A pick whose source is
    not among `sources` is shown under the name its show had.
    """
    return tuple(
        _picked_post(number, pick, sources.get(pick.feed) or _picked_source(pick), zone, cleaning)
        for number, pick in enumerate(picks, 1)
    )


def _picked_post(number: int, pick: Pick, source: Source, zone: ZoneInfo, cleaning: str) -> Post:
    content_hash = fingerprint(replace(pick, place=None))
    entry = Entry(
        number=-number,
        feed=pick.feed,
        id=pick.id,
        digest=content_hash,
        first_seen=pick.picked_at,
        changed_at=pick.picked_at,
        dated=pick.published or pick.picked_at,
        title=pick.title,
        summary=pick.summary,
        **{name: getattr(pick, name) for name in _FACTS},
    )
    day = pick.picked_at.astimezone(zone).date()
    return Post(
        entry=entry,
        source=source,
        uid=published_id(pick.feed, pick.id),
        when=pick.picked_at,
        day=day,
        picked=pick,
        is_playable=find_playable(entry) is not None,
        fingerprint=fingerprint(content_hash, day, fingerprint_source(source, cleaning)),
    )


def _picked_source(pick: Pick) -> Source:
    """Return the show of a pick whose feed is no source of the planet."""
    show = pick.show
    return Source(
        key=pick.feed,
        slug="",
        url=show.url or "",
        title=show.title,
        link=show.link,
        author=show.author,
        image=show.image,
        language=show.language,
        explicit=show.explicit,
        own_format="rss" if show.url else None,
    )


def drop_repeated_ids(posts: Iterable[Post]) -> list[Post]:
    """Return the posts of a published feed, without the later ones of an id."""
    taken: set[str] = set()
    distinct: list[Post] = []
    for post in posts:
        uid = post.entry.id
        while post.uid in taken:
            uid = own_id(post.entry.feed, uid)
            post = replace(post, uid=uid, fingerprint=fingerprint(post.fingerprint, uid))
        taken.add(post.uid)
        distinct.append(post)
    return distinct


def with_post_counts(sources: Mapping[str, Source], timeline: Timeline) -> tuple[Source, ...]:
    """Return the sources by title, with how many posts they have, and of when.

    Those that another planet's feed carries are left out where they have none.
    """
    counts = Counter(post.source.key for post in timeline.posts(timeless=True))
    newest: dict[str, datetime] = {}
    for post in timeline.dated:
        newest.setdefault(post.source.key, post.when)
    counted = [
        replace(source, newest=newest.get(key), count=counts[key])
        for key, source in sources.items()
        if counts[key] or not source.via
    ]
    return tuple(sorted(counted, key=lambda source: (source.title.casefold(), source.slug)))


def sources(
    feeds: Iterable[Feed],
    states: Mapping[str, FeedState],
    health: Mapping[str, FeedHealth],
    carried: Mapping[str, Sequence[Origin]] = MappingProxyType({}),
    *,
    faces: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Source]:
    """Return the feeds as they are shown, by key, and after them what they carry (`source_of`).

    `health` says how it goes with them. `carried` are the origins of their entries, by the
    feed's key, the first met first. `faces` has the paths on the site of their pictures, by the
    feed's key.
    """
    shown: dict[str, Source] = {}
    by_key: dict[str, Feed] = {}
    for feed in feeds:
        by_key[feed.key] = feed
        source = _source(feed, states.get(feed.key), health.get(feed.key, FeedHealth()))
        source = replace(source, face=faces.get(feed.key))
        shown[feed.key] = _with_feeds(source, feed)
    slugs = {source.slug for source in shown.values()}
    last = len(shown) + MAX_CARRIED
    for via in [replace(shown[key], standing=FeedHealth()) for key in carried if key in shown]:
        for origin in carried[via.key]:
            key = _key(via.key, origin)
            if not _is_another(origin, via) or (key not in shown and len(shown) == last):
                continue
            # By its place, as feeds are: titles change.
            place = origin.link or origin.url
            names = (place and address.page_key(place), origin.title)
            name = shown[key].slug if key in shown else make_slug(names, key=key, taken=slugs)
            slugs.add(name)
            source = _make_carried_source(origin, key, name, via)
            shown[key] = _with_feeds(source, by_key[via.key])
    return shown


def _with_feeds(source: Source, feed: Feed) -> Source:
    """Return the source with whether the site has feeds of it.

    They are needed where readers cannot subscribe to it themselves, and where the operator has the
    site show something else of its feed than the feed has. The planet's own filters do not count:
    they concern all feeds alike, and its feeds have them.
    """
    is_narrowed = feed.filters != _NO_FILTERS or feed.transform or feed.picks is Picks.ONLY
    return replace(source, has_feeds=True) if source.own_format is None or is_narrowed else source


_UNREAD = Profile(format="rss")
"""What is taken for that of a feed that was not read yet: most are RSS."""


def _own_format(feed: Feed, profile: Profile) -> str | None:
    """Return the format in which readers can subscribe to a feed; None if they cannot."""
    if feed.is_hidden or feed.needs_login or address.without_secrets(feed.url) is None:
        return None
    return next((name for name in ("atom", "json", "rss") if profile.format.startswith(name)), None)


def source_of(entry: Entry, sources: Mapping[str, Source]) -> Source:
    """Return the source of an entry: its feed, or the one its feed has it from."""
    carried = sources.get(_key(entry.feed, entry.origin)) if entry.origin else None
    return carried or sources[entry.feed]


def _key(feed: str, origin: Origin) -> str:
    # That of the feed stands first: what one feed says of its sources is about no other's, so that
    # none can put its entries among those of a feed it only names.
    return f"{feed}\n{origin.id or origin.url}"


def _is_another(origin: Origin, feed: Source) -> bool:
    """Return whether an origin names another feed than the one that has the entry."""
    if not origin.title or not (origin.id or origin.url):
        return False
    own = {address.normalize(place) for place in (feed.id, feed.url, feed.link) if place}
    named = (origin.id, origin.url, origin.link)
    return own.isdisjoint(address.normalize(place) for place in named if place)


def _make_carried_source(origin: Origin, key: str, name: str, via: Source) -> Source:
    return Source(
        key=key,
        slug=name,
        url=origin.url or "",
        title=origin.title or "",
        id=origin.id,
        link=origin.link,
        own_format="rss" if origin.url and address.without_secrets(origin.url) else None,
        tags=via.tags,
        content=via.content,
        images=via.images,
        via=via,
    )


def _source(feed: Feed, state: FeedState | None, health: FeedHealth) -> Source:
    profile = (state and state.profile) or _UNREAD
    parts = urlsplit(feed.url)
    return Source(
        key=feed.key,
        slug=feed.slug,
        url="" if feed.is_hidden else feed.url,
        title=feed.name
        or profile.title
        or parts.hostname
        or parts.path.rpartition("/")[2]
        or feed.url,
        # What a feed is known by is often its address.
        id=None if feed.is_hidden else profile.id,
        link=feed.link or profile.link,
        description=profile.description,
        author=feed.author or profile.author,
        # A picture that is a file has its address on the site.
        image=feed.image or (None if feed.face else profile.image),
        language=feed.language or profile.language,
        rights=profile.rights,
        explicit=profile.explicit,
        own_format=_own_format(feed, profile),
        links=feed.links,
        extra=feed.extra,
        tags=feed.tags,
        content=feed.content,
        images=feed.images,
        standing=health,
    )


def find_release(config: Config, last: datetime | None, now: datetime) -> datetime | None:
    """Return the moment a site with releases shows; None for one that shows what is there now.

    `last` is the one it showed when it was last made. The first time it is the present one: a new
    site shows what is there.
    """
    if config.site.release is None:
        return None
    return now if last is None else max(last, config.site.release.last(now))


def config_at(config: Config, moment: datetime | None, shown: Container[str]) -> Config:
    """Return the config with the picks its site has at a moment; `shown` are the keys of its feeds.

    A site that shows some feeds has picks of these.
    """
    picks = [pick for pick in config.picks if moment is None or pick.picked_at <= moment]
    if not config.site.shows_all:
        picks = [pick for pick in picks if pick.feed in shown]
    return replace(config, picks=tuple(picks))
