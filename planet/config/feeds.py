"""The settings of a feed → the feed, with every default filled in."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from msgspec.structs import replace

from planet.config import texts
from planet.config.resolved import FeedFetchSettings
from planet.config.settings import FeedSettings, lay_over
from planet.model import Feed, FetchPolicy, ProfileLink

if TYPE_CHECKING:
    from collections.abc import Container

    from planet.config.resolved import Basics
    from planet.errors import Place


_AS_WRITTEN: Final = ("name", "link", "author", "language", "priority", "picks", "filters")
_FLOOR: Final = FetchPolicy().min_interval
"""The least time between two polls ("Best practices for feed readers")."""


def resolve_feed(
    written: FeedSettings,
    *,
    address: str,
    place: Place,
    folder: Path,
    planet: Basics,
    taken: Container[str],
) -> Feed:
    """Return the feed with every default filled in.

    `address` is its address as it is written, where secrets are only named: key and slug are made
    from that. Paths start at `folder`; `taken` are the slugs that it cannot have.
    """
    for tag in written.tags:
        if shared := planet.tags.get(tag):
            written = lay_over(written, shared)
    url = texts.resolve_address(written.url, folder)
    key = written.id or _identity(address, url)
    own, picture = written.new_feed_entries, written.image
    entries = planet.new_feed_entries if own is None else own
    image = picture if picture and re.match("https?://", picture, re.IGNORECASE) else None
    names = (written.id, written.name, _short_address(address))
    return Feed(
        **{name: getattr(written, name) for name in _AS_WRITTEN},
        links=tuple(ProfileLink(name=name, url=url) for name, url in (written.links or {}).items()),
        extra=tuple(written.extra.items()),
        enabled=written.enabled is not False,
        is_archived=written.enabled == texts.ARCHIVED,
        image=image,
        face=folder / picture if picture and not image else None,
        key=key,
        url=url,
        is_hidden="${" in address,
        slug=texts.make_slug(names, key=key, taken=taken),
        tags=tuple(dict.fromkeys(written.tags)),
        content=written.content or planet.content,
        images=written.images or planet.pages.images,
        future=planet.future,
        # Else it is "all".
        new_feed_entries=entries if isinstance(entries, int) else None,
        transform=planet.transform if written.transform is None else written.transform,
        include=frozenset(written.include),
        policy=_resolve_policy(planet.policy, written),
        # Any feed may repeat the secrets of another.
        redactor=planet.redactor if planet.redactor.secrets else None,
        place=place,
    )


def _identity(address: str, url: str) -> str:
    """Return the key of a feed without an `id`.

    It is the normalised address; but a relative path as it is written, so that the folder can
    move, and the text as it is written when it has a secret from the environment.
    """
    text = address.strip()
    if "${" in text:
        return text
    if url.startswith("file:") and not text.startswith("/") and not texts.SCHEME.match(text):
        return posixpath.normpath(text)
    return url


_SERVER: Final = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:)?//([^/?#][^?#]*)", re.IGNORECASE)


def _short_address(address: str) -> str:
    """Return a short name for an address: its host, or the name of the file."""
    match = _SERVER.match(address)
    return match[1] if match else Path(urlsplit(address).path).stem


def _resolve_policy(base: FetchPolicy, feed: FeedSettings) -> FetchPolicy:
    """Return the policy of a feed; an interval of its own goes before the planet's other one.

    An operator who knows the feed may have whole answers more often than once a day, but not more
    often than once an hour.
    """
    own = feed.fetch
    if own == FeedFetchSettings() and not feed.headers and not feed.auth:
        return base  # Most feeds share it: a list may be long.
    low = base.min_interval if own.min_interval is None else own.min_interval
    high = own.max_interval or max(low, base.max_interval)
    if own.max_interval and own.min_interval is None:
        low = min(low, high)
    return replace(
        base,
        min_interval=low,
        max_interval=high,
        agreed=base.agreed if own.agreed is None else own.agreed,
        whole_interval=base.whole_interval if own.min_interval is None else max(low, _FLOOR),
        headers=tuple(feed.headers.items()),
        auth=(feed.auth.user, feed.auth.password) if feed.auth else None,
    )
