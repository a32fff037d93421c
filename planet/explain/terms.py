"""What settings and moments are called in an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from planet.config import Config
    from planet.config.places import Places
    from planet.explain.nouns import Verdict


class Terms:
    """The operator's terms: settings with the lines they stand in, moments in a site's zone."""

    def __init__(self, places: Places, config: Config) -> None:
        """`config` is that of a site."""
        self._places = places
        self._zone = config.timezone
        self._site = config.site

    @property
    def edition(self) -> str:
        """What the site is called."""
        return f"the edition “{self._site.name}”" if self._site.name else "the planet"

    def comes_out(self, found: datetime) -> datetime:
        """When an edition that comes out at times shows what was found then."""
        assert self._site.release is not None, "only what waits for a release asks for it"
        return self._site.release.next(found)

    def setting(self, verdict: Verdict | None, *name: str) -> str:
        """A setting that decided about an entry; with None, one of the site."""
        label = ".".join(name)
        feed = verdict.feed if verdict and not verdict.by_planet else None
        if verdict and feed and (place := self._places.of(feed, *name)):
            return f"`{label}` of {verdict.name} ({place})"
        own = ("editions", self._site.name, *name)
        if self._site.name and (place := self._places.of(None, *own)):
            return f"`{label}` of {self.edition} ({place})"
        if place := self._places.of(None, *name):
            return f"`{label}` of the planet ({place})"
        at = f"; {feed.place} is where the feed stands" if feed and feed.place else ""
        return f"`{label}`, which the config does not set{at}"

    def moment(self, when: datetime) -> str:
        """A moment, in the planet's time zone."""
        return f"{when.astimezone(self._zone):%Y-%m-%d %H:%M}"
