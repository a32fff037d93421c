"""What a feed says about itself: feedparser's dict of the channel → Profile."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from planet.model import Hints, Profile
from planet.parse import dates, values
from planet.parse.media import address
from planet.parse.people import different, person
from planet.parse.texts import named
from planet.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from planet.model import Person
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
    link = page(feed, base)
    author = next(iter(people(feed, link, base)), None)
    explicit = extras.channel.explicit
    images = [address(feed.get("image")), feed.get("logo"), feed.get("icon")]
    return Profile(
        format=format,
        id=values.line(feed.get("id")),
        title=_line(feed, "title"),
        link=link,
        description=_line(feed, "subtitle") or _line(feed, "summary"),
        author=author.name if author else None,
        image=next((found for said in images if (found := values.link(said, link, base))), None),
        language=values.language(feed.get("language")),
        rights=_line(feed, "rights"),
        updated=moment(feed, "updated") or moment(feed, "published"),
        categories=categories(feed),
        explicit=values.claim(feed.get("itunes_explicit")) if explicit is None else explicit,
        hints=_hints(feed, extras, base),
    )


def page(said: Mapping[str, Any], *bases: str | None) -> str | None:
    """The page a feed or an entry stands for: the first alternate link that is one."""
    links = [each for each in values.dicts(said.get("links")) if each.get("rel") == "alternate"]
    # A stable sort: pages first, then what else there is.
    links.sort(key=lambda each: each.get("type") not in ("text/html", "application/xhtml+xml"))
    candidates = [*(each.get("href") for each in links), said.get("link")]
    return next((found for each in candidates if (found := values.link(each, *bases))), None)


def people(said: Mapping[str, Any], *bases: str | None) -> tuple[Person, ...]:
    """The authors of a feed or an entry."""
    return different(
        person(each.get("name"), each.get("href"), *bases)
        for each in values.dicts(said.get("authors"))
    )


def categories(said: Mapping[str, Any]) -> tuple[str, ...]:
    """The categories of a feed or an entry, by label."""
    return values.lines(
        each.get("label") or each.get("term") for each in values.dicts(said.get("tags"))
    )


def moment(said: Mapping[str, Any], name: str) -> datetime | None:
    """A date of a feed or an entry."""
    # Not feedparser's own reading of it: that depends on the host's zone and on today's date.
    written = said.get(name)
    return dates.moment(written) if isinstance(written, str) else None


def _line(feed: Mapping[str, Any], name: str) -> str | None:
    said = named(feed, name)
    return (plain(said, values.MAX_LINE) or None) if said else None


def _hints(feed: Mapping[str, Any], extras: FeedExtras, base: str | None) -> Hints:
    # A publisher who excludes everything does not mean it.
    hours = extras.skip_hours if len(extras.skip_hours) < 24 else ()
    days = extras.skip_days if len(extras.skip_days) < 7 else ()
    return Hints(
        ttl=values.minutes(feed.get("ttl")),
        sy=_sy(feed),
        skip_hours=frozenset(hours),
        skip_days=frozenset(days),
        hubs=tuple(dict.fromkeys(_hubs(feed, base)))[:_MAX_HUBS],
    )


def _sy(feed: Mapping[str, Any]) -> timedelta | None:
    """sy:updatePeriod divided by sy:updateFrequency; None without the module."""
    if "sy_updateperiod" not in feed and "sy_updatefrequency" not in feed:
        return None
    said = values.line(feed.get("sy_updateperiod")) or "daily"
    period = _PERIODS.get(said.lower())
    frequency = values.positive(feed.get("sy_updatefrequency")) or 1
    return period / min(frequency, 10_000) if period else None


def _hubs(feed: Mapping[str, Any], base: str | None) -> Iterator[str]:
    for each in values.dicts(feed.get("links")):
        if each.get("rel") == "hub" and (hub := values.link(each.get("href"), base)):
            yield hub
