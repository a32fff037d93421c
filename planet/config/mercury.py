"""mercury.toml of Mercury → what our config can say of it.

TOML is read without its lines, so places are the file's, and words say which feed is meant.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, Final

from planet.config.elsewhere import Elsewhere, Translation, Wanted, Word, translated
from planet.config.ini import Option
from planet.errors import ConfigError, Problem
from planet.model import Place

if TYPE_CHECKING:
    from collections.abc import Mapping


def mercury(data: bytes, *, file: str) -> Elsewhere:
    """What a mercury.toml says.

    Raises:
        ConfigError: it is not TOML.
    """
    place = Place(file=file, line=1, column=1)
    try:
        said: dict[str, Any] = tomllib.loads(data.decode())
    except ValueError as error:
        raise ConfigError([Problem(place, f"this is not TOML: {error}")]) from None
    listed = said.pop("feed", [])
    whole = _translated(said, _PLANET, place, "")
    left = [*whole.left]
    feeds = []
    for number, each in enumerate(listed if isinstance(listed, list) else [listed], 1):
        one = _translated(each if isinstance(each, dict) else {}, _FEED, place, f"feed {number}: ")
        left += one.left
        feeds.append(Wanted(said=one.said, place=place))
    return Elsewhere(
        planet=whole.said, planet_places=whole.places, feeds=tuple(feeds), left=tuple(left)
    )


def _translated(
    said: Mapping[str, Any], words: Mapping[str, Word], place: Place, whose: str
) -> Translation:
    options = [
        Option(name=name, value=value if isinstance(value, str) else f"{value}", place=place)
        for name, value in said.items()
    ]
    found = translated(options, words, {}, otherwise="has no setting here")
    found.left[:] = [Problem(each.place, f"{whose}{each.message}") for each in found.left]
    return found


def _number(text: str) -> int:
    return int(text)


def _duration(text: str) -> str:
    """A duration as Go writes it, such as `5m30s`, in seconds."""
    found = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", text)
    if found is None:
        raise ValueError(f"is not a duration that is known here: {text}")
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return f"{hours * 3600 + minutes * 60 + seconds}s"


_PLANET: Final = {
    "name": Word(trail=("title",)),
    "url": Word(trail=("link",)),
    "owner": Word(trail=("owner", "name")),
    "email": Word(trail=("owner", "email")),
    "timeout": Word(trail=("fetch", "timeout"), meaning=_duration),
    "output": Word(trail=("output",)),
    "items": Word(trail=("pages", "front"), meaning=_number),
}
_FEED: Final = {
    "name": Word(trail=("name",)),
    "feed": Word(trail=("url",)),
}
