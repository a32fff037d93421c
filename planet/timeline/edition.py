"""Feeds → the sources and tags of an edition, and the moment of a release.

An edition with releases shows the state of the newest release; later entries wait. A late run, or
the first after days without one, brings out the state of the release, once.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec.structs import replace

from planet.config.feeds import make_slug
from planet.model import (
    Entry,
    FeedHealth,
    Filters,
    Picks,
    Profile,
    Source,
    Tag,
)
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping
    from datetime import datetime

    from planet.config import Config
    from planet.model import Feed, FeedState, Origin, Timeline


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


def with_post_counts(sources: Mapping[str, Source], timeline: Timeline) -> tuple[Source, ...]:
    """Return the sources by title, with the number of posts and the newest date.

    Sources carried by another planet's feed are left out without posts.
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
    entries: Iterable[Entry] = (),
    *,
    faces: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Source]:
    """Return the sources of feeds, by key, and after them the sources they carry (`source_of`).

    `health` and `faces` (paths of pictures on the site) are by the feed's key; `entries` name the
    carried sources.
    """
    by_key = {feed.key: feed for feed in feeds}
    shown = {
        key: _make_source(feed, states.get(key), health.get(key, FeedHealth()), faces.get(key))
        for key, feed in by_key.items()
    }
    slugs = {source.slug for source in shown.values()}
    last = len(shown) + MAX_CARRIED
    # Each once, the first met first: so that folders stay as they are.
    having = [entry for entry in entries if entry.origin and entry.feed in by_key]
    having.sort(key=lambda entry: entry.number)
    carried = dict.fromkeys((entry.feed, entry.origin) for entry in having if entry.origin)
    for via_key, origin in carried:
        feed, via = by_key[via_key], replace(shown[via_key], standing=FeedHealth())
        key = _key(via_key, origin)
        if not _is_another(origin, via) or (key not in shown and len(shown) == last):
            continue
        # By its place, as feeds are: titles change.
        place = origin.link or origin.url
        names = (place and address.page_key(place), origin.title)
        slug = shown[key].slug if key in shown else make_slug(names, key=key, taken=slugs)
        slugs.add(slug)
        shown[key] = _make_carried_source(origin, key, slug, feed, via)
    return shown


def _is_narrowed(feed: Feed) -> bool:
    """Return whether the site shows other entries of a feed than the feed has.

    Then the site has feeds of the source, as where readers cannot subscribe themselves. Filters of
    the planet do not count: they concern all feeds alike.
    """
    return feed.filters != _NO_FILTERS or bool(feed.transform) or feed.picks is Picks.ONLY


_UNREAD = Profile(format="rss")
"""What is taken for that of a feed that was not read yet: most are RSS."""


def _own_format(feed: Feed, profile: Profile) -> str | None:
    """Return the format in which readers can subscribe to a feed; None if they cannot."""
    if feed.is_hidden or feed.needs_login or address.without_secrets(feed.url) is None:
        return None
    return next((name for name in ("atom", "json", "rss") if profile.format.startswith(name)), None)


def source_of(entry: Entry, sources: Mapping[str, Source]) -> Source:
    """Return the source of an entry: the feed, or the source carried by the feed."""
    carried = sources.get(_key(entry.feed, entry.origin)) if entry.origin else None
    return carried or sources[entry.feed]


def _key(feed: str, origin: Origin) -> str:
    # That of the feed stands first: what one feed says of its sources is about no other's, so that
    # none can put its entries among those of a feed it only names.
    return f"{feed}\n{origin.id or origin.url}"


def _is_another(origin: Origin, feed: Source) -> bool:
    """Return whether an origin names another feed than the feed of the entry."""
    if not origin.title or not (origin.id or origin.url):
        return False
    own = {address.normalize(place) for place in (feed.id, feed.url, feed.link) if place}
    named = (origin.id, origin.url, origin.link)
    return own.isdisjoint(address.normalize(place) for place in named if place)


def _make_carried_source(origin: Origin, key: str, slug: str, feed: Feed, via: Source) -> Source:
    own_format = "rss" if origin.url and address.without_secrets(origin.url) else None
    return Source(
        key=key,
        slug=slug,
        url=origin.url or "",
        title=origin.title or "",
        id=origin.id,
        link=origin.link,
        own_format=own_format,
        has_feeds=own_format is None or _is_narrowed(feed),
        tags=via.tags,
        content=via.content,
        images=via.images,
        via=via,
    )


_OF_CONFIG = "key", "slug", "links", "extra", "tags", "content", "images"
"""The fields of a source that its feed has from the config alone."""
_OF_PROFILE = "description", "rights", "explicit"
"""Those that the feed tells alone."""
_OF_BOTH = "link", "author", "language"
"""Those where the operator's words go before the feed's."""


def _make_source(
    feed: Feed, state: FeedState | None, health: FeedHealth, face: str | None
) -> Source:
    profile = (state and state.profile) or _UNREAD
    own_format, parts = _own_format(feed, profile), urlsplit(feed.url)
    address_name = parts.hostname or parts.path.rpartition("/")[2] or feed.url
    return Source(
        url="" if feed.is_hidden else feed.url,
        title=feed.name or profile.title or address_name,
        # What a feed is known by is often its address.
        id=None if feed.is_hidden else profile.id,
        # A picture that is a file has its address on the site.
        image=feed.image or (None if feed.face else profile.image),
        face=face,
        own_format=own_format,
        has_feeds=own_format is None or _is_narrowed(feed),
        standing=health,
        **{name: getattr(feed, name) for name in _OF_CONFIG},
        **{name: getattr(profile, name) for name in _OF_PROFILE},
        **{name: getattr(feed, name) or getattr(profile, name) for name in _OF_BOTH},
    )


def find_release(config: Config, last: datetime | None, now: datetime) -> datetime | None:
    """Return the moment of the newest release; None for a site without releases.

    `last` is the release of the published site. A new site shows the present, and so does one that
    a clock ahead has published.
    """
    if config.site.release is None:
        return None
    return now if last is None or last > now else max(last, config.site.release.last(now))


def config_at(config: Config, moment: datetime | None, shown: Container[str]) -> Config:
    """Return the config with the picks of a site at a moment; `shown` are the keys of feeds.

    A site of some feeds has picks of these alone.
    """
    picks = [pick for pick in config.picks if moment is None or pick.picked_at <= moment]
    if config.site.feeds or config.site.tags:
        picks = [pick for pick in picks if pick.feed in shown]
    return replace(config, picks=tuple(picks))
