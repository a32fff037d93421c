"""Feeds → feeds that know whether they are only wanted at certain times."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planet.config.nouns import Config
    from planet.model import Feed, Timetable


def timed(config: Config, feeds: Iterable[Feed]) -> tuple[Feed, ...]:
    """The feeds, with the releases of the editions that show each, where nobody wants it sooner."""
    if all(site.release is None for site in config.editions):
        return tuple(feeds)
    return tuple(
        replace(feed, asking=replace(feed.asking, releases=_releases(config, feed)))
        for feed in feeds
    )


def _releases(config: Config, feed: Feed) -> tuple[Timetable, ...]:
    releases = [site.release for site in config.editions if site.shows(feed)]
    calm = [release for release in releases if release is not None]
    # What one edition shows at once is asked for as usual.
    return tuple(dict.fromkeys(calm)) if len(calm) == len(releases) else ()
