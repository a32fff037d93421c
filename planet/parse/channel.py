"""What a feed says about itself: feedparser's dict of the channel → Profile."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from planet.model import Hints, Profile
from planet.parse import values
from planet.parse.parts import categories, image_address, linked, moment, page, people
from planet.parse.texts import named
from planet.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.parse.extras import FeedExtras

# RSS 1.0 syndication module.
_PERIODS = {
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(weeks=1),
    "monthly": timedelta(days=30),
    "yearly": timedelta(days=365),
}
_MAX_HUBS = 10


def profile(
    feed: Mapping[str, Any], *, format: str, extras: FeedExtras, base: str | None
) -> Profile:
    """The profile of a feed that was found at `base`."""
    feed = dict(feed)
    link = page(feed, base) or values.link(feed.get("link"), base)
    authors = people(feed, link, base)
    images = [image_address(feed.get("image")), feed.get("logo"), feed.get("icon")]
    explicit = extras.channel.explicit
    return Profile(
        format=format,
        id=values.line(feed.get("id")),
        title=_line(feed, "title"),
        link=link,
        description=_line(feed, "subtitle") or _line(feed, "summary"),
        author=authors[0].name if authors else None,
        image=values.first_link(images, link, base),
        language=values.language(feed.get("language")),
        rights=_line(feed, "rights"),
        updated=moment(feed, "updated") or moment(feed, "published"),
        # Here the same scheme has the categories of the podcast, too.
        categories=categories(feed, keywords=True),
        explicit=values.claim(feed.get("itunes_explicit")) if explicit is None else explicit,
        hints=_hints(feed, extras, base),
    )


def _line(feed: Mapping[str, Any], name: str) -> str | None:
    said = named(feed, name)
    return (plain(said, values.MAX_LINE) or None) if said else None


def _hints(feed: Mapping[str, Any], extras: FeedExtras, base: str | None) -> Hints:
    # A publisher who excludes everything does not mean it.
    hours = extras.skip_hours if len(extras.skip_hours) < 24 else ()
    days = extras.skip_days if len(extras.skip_days) < 7 else ()
    hubs = [values.link(each, base) for each in linked(feed, "hub")]
    return Hints(
        ttl=values.minutes(feed.get("ttl")),
        sy=_sy(feed),
        skip_hours=frozenset(hours),
        skip_days=frozenset(days),
        hubs=tuple(dict.fromkeys(filter(None, hubs)))[:_MAX_HUBS],
    )


def _sy(feed: Mapping[str, Any]) -> timedelta | None:
    """sy:updatePeriod divided by sy:updateFrequency; None without the module."""
    if "sy_updateperiod" not in feed and "sy_updatefrequency" not in feed:
        return None
    said = values.line(feed.get("sy_updateperiod")) or "daily"
    period = _PERIODS.get(said.lower())
    frequency = values.positive(feed.get("sy_updatefrequency")) or 1
    return period / min(frequency, 10_000) if period else None
