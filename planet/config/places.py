"""Where a setting stands in the config file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.config import yaml

if TYPE_CHECKING:
    from pathlib import Path

    from planet.config.document import Trail
    from planet.model import Feed, Place


class Places:
    """The places of settings in a config file that has no mistakes."""

    def __init__(self, path: Path) -> None:
        # The environment moves nothing: it is left out.
        self._document, _ = yaml.read(path.read_bytes(), file=str(path), expand=str)

    def of(self, feed: Feed | None, *setting: str) -> Place | None:
        """Where a setting of a feed stands, or with None one of the planet; None if nowhere."""
        above = () if feed is None else self._feed(feed)
        if above is None:
            return None
        trail: Trail = (*above, *setting)
        if self._document.trail(trail) != trail:
            return None
        return self._document.key_place(trail)

    def _feed(self, feed: Feed) -> Trail | None:
        """What leads to a feed; None when it comes from a list of its own."""
        for index in range(len(self._document.root.value.get("feeds") or ())):
            trail = self._document.trail(("feeds", index, "url"))
            if self._document.place(trail) == feed.place:
                return ("feeds", index)
        return None
