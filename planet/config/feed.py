"""A feed as written → Feed: with the planet's defaults, an identity and a folder of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from planet.config import addresses, asking, filters
from planet.config.slug import slug
from planet.model import Feed, Field, Filters, Pattern

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

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
    url = addresses.located(written.url, folder)
    key = written.id or addresses.identity(said, url)
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
        filters=wanted(written.filters),
        asking=asking.of_feed(defaults.asking, written),
        place=place,
    )


def count(written: int | str) -> int | None:
    """A number of entries; None for "all"."""
    return written if isinstance(written, int) else None


def wanted(written: settings.Filters) -> Filters:
    """The filters with their patterns compiled."""
    return Filters(
        include=tuple(_patterns(written.include)),
        exclude=tuple(_patterns(written.exclude)),
        categories=written.categories,
        languages=written.languages,
        max_age=written.max_age,
        recent=written.recent,
        random=written.random,
    )


def _patterns(written: Sequence[str | settings.InField]) -> Iterator[Pattern]:
    for each in written:
        if isinstance(each, str):
            yield filters.pattern(each)
            continue
        for field in Field:
            for text in getattr(each, field.value):
                yield replace(filters.pattern(text), field=field)


def _nickname(said: str) -> str:
    """What an address is called when nobody gave the feed a name: host and path, or the file."""
    parts = urlsplit(said)
    return parts.netloc + parts.path if parts.netloc else Path(parts.path).stem
