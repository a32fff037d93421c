"""planet.ini of Pluto → what our config can say of it."""

from __future__ import annotations

from typing import Final

from planet.config.elsewhere import Elsewhere, Wanted, Word, translated
from planet.config.ini import sections

_UNKNOWN: Final = "has no setting here"


def pluto(data: bytes, *, file: str) -> Elsewhere:
    """What a planet.ini says: options of the planet, then a section for each feed."""
    found, problems, twice = sections(data, file=file)
    whole = translated(found.pop("").options.values(), _PLANET, {}, otherwise=_UNKNOWN)
    left = [*problems, *whole.left]
    feeds = []
    for section in found.values():
        one = translated(section.options.values(), _FEED, {}, otherwise=_UNKNOWN)
        left += one.left
        feeds.append(Wanted(said=one.said, place=section.place, places=one.places))
    return Elsewhere(
        planet=whole.said,
        planet_places=whole.places,
        feeds=tuple(feeds),
        left=tuple(left),
        mended=twice,
    )


_PLANET: Final = {
    "title": Word(trail=("title",)),
    "link": Word(trail=("link",)),
    "url": Word(trail=("link",)),
    "author": Word(trail=("owner", "name")),
    "email": Word(trail=("owner", "email")),
}
_FEED: Final = {
    "title": Word(trail=("name",)),
    "name": Word(trail=("name",)),
    "link": Word(trail=("link",)),
    "url": Word(trail=("link",)),
    "feed": Word(trail=("url",)),
    "feed_url": Word(trail=("url",)),
    "author": Word(trail=("author",)),
    "avatar": Word(trail=("image",)),
}
