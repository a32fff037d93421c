"""A feed as written → Feed: with the planet's defaults, an identity and a folder of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from planet.config import values
from planet.config.values import slug
from planet.model import Feed

if TYPE_CHECKING:
    from collections.abc import Container

    from planet.config import nouns, settings
    from planet.model import Place


def feed(
    written: settings.Feed,
    *,
    said: str,
    place: Place,
    folder: Path,
    defaults: nouns.Defaults,
    taken: Container[str],
) -> Feed:
    """The feed that is meant.

    `said` is its address as it stands in the file, where secrets are only named: its key and slug
    are made from that. Paths start at `folder`; `taken` are the slugs it cannot have.
    """
    url = values.located(written.url, folder)
    key = written.id or values.identity(said, url)
    entries = written.new_feed_entries
    return Feed(
        key=key,
        url=url,
        is_hidden="${" in said,
        slug=slug((written.id, written.name, _nickname(said)), key=key, taken=taken),
        name=written.name,
        tags=tuple(dict.fromkeys(written.tags)),
        link=written.link,
        author=written.author,
        image=written.image,
        language=written.language,
        enabled=written.enabled,
        priority=written.priority,
        content=written.content or defaults.content,
        future=written.future or defaults.future,
        new_feed_entries=defaults.new_feed_entries if entries is None else count(entries),
        picks=written.picks,
        include=frozenset(written.include),
        filters=written.filters,
        asking=values.of_feed(defaults.asking, written),
        place=place,
    )


def count(written: int | str) -> int | None:
    """A number of entries; None for "all"."""
    return written if isinstance(written, int) else None


def _nickname(said: str) -> str:
    """What an address is called when nobody gave the feed a name: host and path, or the file."""
    parts = urlsplit(said)
    return parts.netloc + parts.path if parts.netloc else Path(parts.path).stem
