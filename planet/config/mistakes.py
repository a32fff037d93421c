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
    from planet.errors import Place
    from planet.model import Feed


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
        key_path = document.key_path(mistake.location)
        if mistake.fault == "unknown":
            yield Problem(document.key_place(key_path), _unknown(key_path))
        elif mistake.fault == "name":
            # Its label is what was written.
            words = mistake.words.replace(", not {value}", "")
            yield Problem(document.key_place(key_path), f"{label(key_path)} {words}")
        elif mistake.fault == "missing":
            name = mistake.location[-1]
            words = f'{label(key_path)} needs "{name}"' if key_path else f'"{name}" is missing'
            yield Problem(document.place(key_path), words)
        else:
            quote = document.quote(key_path)
            words = mistake.words.replace(", not {value}", f", not {quote}" if quote else "")
            if words == TEXT and document.bare(key_path):
                # YAML reads a bare no as false, 12:30 as 750 and 1.10 as 1.1.
                words = f"{TEXT}; put it into quotes" + (f": {quote}" if quote else "")
            yield Problem(document.place(key_path), f"{label(key_path)} {words}")


def _unknown(key_path: KeyPath) -> str:
    *above, name = key_path
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
        key_path: KeyPath = (*above, *setting)
        if self._document.key_path(key_path) != key_path:
            return None
        return self._document.key_place(key_path)

    def _feed(self, feed: Feed) -> KeyPath | None:
        """What leads to a feed; None when it comes from a list of its own."""
        for index in range(len(self._document.root.value.get("feeds") or ())):
            key_path = self._document.key_path(("feeds", index, "url"))
            if self._document.place(key_path) == feed.place:
                return ("feeds", index)
        return None
