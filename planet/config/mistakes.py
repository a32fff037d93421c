"""Mistake → Problem: what is wrong with a value, in words that say what to write instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planet.config import yaml
from planet.config.kinds import TEXT
from planet.config.sections import settings_at
from planet.config.settings import Planet
from planet.config.yaml import label
from planet.errors import Problem, suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from planet.config.sections import Mistake
    from planet.config.yaml import Document, KeyPath
    from planet.model import Feed, Place


# What the settings are called in other aggregators and in OPML.
_ELSEWHERE: Final = {
    "avatar": "image",
    "category": "tags",
    "face": "image",
    "feed": "url",
    "homepage": "link",
    "htmlurl": "link",
    "name": "title",
    "title": "name",
    "xmlurl": "url",
}


def problems(mistakes: Iterable[Mistake], document: Document) -> Iterator[Problem]:
    """Each mistake with its place in the file."""
    for mistake in mistakes:
        trail = document.trail(mistake.location)
        if mistake.fault == "unknown":
            yield Problem(document.key_place(trail), _unknown(trail))
        elif mistake.fault == "name":
            # Its label is what was written.
            words = mistake.words.replace(", not {said}", "")
            yield Problem(document.key_place(trail), f"{label(trail)} {words}")
        elif mistake.fault == "missing":
            name = mistake.location[-1]
            words = f'{label(trail)} needs "{name}"' if trail else f'"{name}" is missing'
            yield Problem(document.place(trail), words)
        else:
            quote = document.quote(trail)
            words = mistake.words.replace(", not {said}", f", not {quote}" if quote else "")
            if words == TEXT and document.bare(trail):
                # YAML reads a bare no as false, 12:30 as 750 and 1.10 as 1.1.
                words = f"{TEXT}; put it into quotes" + (f": {quote}" if quote else "")
            yield Problem(document.place(trail), f"{label(trail)} {words}")


def _unknown(trail: KeyPath) -> str:
    *above, name = trail
    subject = f"{label(tuple(above))} has" if above else "there is"
    return f'{subject} no setting "{name}"{_better(str(name), tuple(above))}'


def _better(name: str, above: KeyPath) -> str:
    """The setting that was probably meant by `name`."""
    here = settings_at(Planet, above)
    if _ELSEWHERE.get(name.lower()) in here:
        return f'; did you mean "{_ELSEWHERE[name.lower()]}"?'
    for section in here:
        if name in settings_at(Planet, (*above, section)):
            return f'; it belongs under "{section}"'
    if near := suggestion(name, here):
        return near
    return "; it is a setting of the whole planet" if name in settings_at(Planet, ()) else ""


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
        trail: KeyPath = (*above, *setting)
        if self._document.trail(trail) != trail:
            return None
        return self._document.key_place(trail)

    def _feed(self, feed: Feed) -> KeyPath | None:
        """What leads to a feed; None when it comes from a list of its own."""
        for index in range(len(self._document.root.value.get("feeds") or ())):
            trail = self._document.trail(("feeds", index, "url"))
            if self._document.place(trail) == feed.place:
                return ("feeds", index)
        return None
