"""A feed as written → Feed: with the planet's defaults, an identity and a folder of its own."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from planet.config import settings, values
from planet.model import Feed, Filters

if TYPE_CHECKING:
    from collections.abc import Container

    from planet.config import nouns
    from planet.errors import Place
    from planet.model import FetchPolicy


FLOOR: Final = timedelta(hours=1)
"""The least time between two polls ("Best practices for feed readers")."""
_AS_WRITTEN: Final = (
    *("name", "link", "author", "image", "language", "enabled", "priority", "picks"),
)
_NO_OWN: Final = settings.FeedFetchSettings()
_NO_FILTERS: Final = Filters()


def feed(
    written: settings.Feed,
    *,
    address: str,
    place: Place,
    folder: Path,
    defaults: nouns.Defaults,
    taken: Container[str],
) -> Feed:
    """The feed that is meant.

    `address` is its own as it stands in the file, where secrets are only named: its key and slug
    are made from that. Paths start at `folder`; `taken` are the slugs it cannot have.
    """
    url = values.located(written.url, folder)
    key = written.id or _identity(address, url)
    entries = written.new_feed_entries
    return Feed(
        **{name: getattr(written, name) for name in _AS_WRITTEN},
        filters=_NO_FILTERS if written.filters == _NO_FILTERS else written.filters,
        key=key,
        url=url,
        is_hidden="${" in address,
        slug=values.slug((written.id, written.name, _nickname(address)), key=key, taken=taken),
        tags=tuple(dict.fromkeys(written.tags)),
        content=written.content or defaults.content,
        future=written.future or defaults.future,
        new_feed_entries=defaults.new_feed_entries if entries is None else count(entries),
        transform=defaults.transform if written.transform is None else written.transform,
        include=frozenset(written.include),
        policy=_policy(defaults.policy, written),
        place=place,
    )


def count(written: int | str) -> int | None:
    """A number of entries; None for "all"."""
    return written if isinstance(written, int) else None


def _identity(address: str, url: str) -> str:
    """What a feed without an `id` is known by in the state.

    That is its normalised address; but the path as written of a relative one, so that the folder
    can move, and the text as written when it takes a secret from the environment.
    """
    text = address.strip()
    if "${" in text:
        return text
    if url.startswith("file:") and not text.startswith("/") and not values.SCHEME.match(text):
        return posixpath.normpath(text)
    return url


_SERVER: Final = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:)?//([^/?#][^?#]*)", re.IGNORECASE)


def _nickname(address: str) -> str:
    """What an address is called when nobody gave the feed a name: host and path, or the file."""
    match = _SERVER.match(address)
    return match[1] if match else Path(urlsplit(address).path).stem


def _policy(base: FetchPolicy, feed: settings.Feed) -> FetchPolicy:
    """How this feed is asked for. Its one interval moves the planet's other out of the way.

    The operator who knows the feed may ask for whole answers more often than daily, though not
    more often than hourly, whatever was agreed.
    """
    own = feed.fetch
    if own == _NO_OWN and not feed.headers and not feed.auth:
        return base  # which most feeds share: a list may be long
    low = base.min_interval if own.min_interval is None else own.min_interval
    high = own.max_interval or max(low, base.max_interval)
    if own.max_interval and own.min_interval is None:
        low = min(low, high)
    return replace(
        base,
        min_interval=low,
        max_interval=high,
        agreed=base.agreed if own.agreed is None else own.agreed,
        whole_interval=base.whole_interval if own.min_interval is None else max(low, FLOOR),
        timeout=own.timeout or base.timeout,
        max_size=own.max_size or base.max_size,
        headers=tuple(feed.headers.items()),
        auth=(feed.auth.user, feed.auth.password) if feed.auth else None,
    )
