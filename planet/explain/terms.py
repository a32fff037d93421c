"""What settings and moments are called in an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime
    from zoneinfo import ZoneInfo

    from planet.config.places import Places
    from planet.explain.nouns import Verdict


class Terms:
    """The operator's terms: settings with the lines they stand in, moments in the planet's zone."""

    def __init__(self, places: Places, zone: ZoneInfo) -> None:
        self._places = places
        self._zone = zone

    def setting(self, verdict: Verdict | None, *name: str) -> str:
        """A setting that decided about an entry; with None, one of the planet."""
        label = ".".join(name)
        feed = verdict.feed if verdict and not verdict.by_planet else None
        if verdict and feed and (place := self._places.of(feed, *name)):
            return f"`{label}` of {verdict.name} ({place})"
        if place := self._places.of(None, *name):
            return f"`{label}` of the planet ({place})"
        at = f"; {feed.place} is where the feed stands" if feed and feed.place else ""
        return f"`{label}`, which the config does not set{at}"

    def moment(self, when: datetime) -> str:
        """A moment, in the planet's time zone."""
        return f"{when.astimezone(self._zone):%Y-%m-%d %H:%M}"
