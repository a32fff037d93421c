"""mercury.toml of Mercury → what our config can say of it."""

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
    text = data.decode("utf-8", "replace")
    try:
        said: dict[str, Any] = tomllib.loads(data.decode())
    except ValueError as error:
        at = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        line, column = map(int, at.groups()) if at else (text.count("\n") + 1, 1)
        place = Place(file=file, line=line, column=column)
        raise ConfigError([Problem(place, f"this is not TOML: {error}")]) from None
    tables = _places(text, file)
    listed = said.pop("feed", [])
    whole = _translated(said, _PLANET, tables[0])
    left = [*whole.left]
    feeds = []
    for number, each in enumerate(listed if isinstance(listed, list) else [listed], 1):
        # A list of feeds in brackets has no tables of its own.
        above = {"": tables[0].get("feed", tables[0][""])}
        places = tables[number] if number < len(tables) else above
        one = _translated(each if isinstance(each, dict) else {}, _FEED, places)
        left += one.left
        feeds.append(Wanted(said=one.said, place=places[""], places=one.places))
    return Elsewhere(
        planet=whole.said, planet_places=whole.places, feeds=tuple(feeds), left=tuple(left)
    )


# Strings first, so that nothing in them is taken for a comment, a table or a key.
_TOML: Final = re.compile(
    r'\"\"\"(?:\\.|[^\\])*?\"\"\"|"(?:\\.|[^"\\\n])*"' r"|'''.*?'''|'[^'\n]*'|#[^\n]*", re.DOTALL
)
_TABLE_OR_KEY: Final = re.compile(
    r"^[ \t]*(?:(?P<table>\[\[?)[ \t]*(?P<name>[\w.-]+)[ \t]*\]|(?P<key>[\w-]+)[ \t]*[.=])",
    re.MULTILINE,
)


def _places(text: str, file: str) -> list[dict[str, Place]]:
    """Where the settings of the planet stand, then those of each `[[feed]]`.

    Under the empty name stands where the table begins. tomllib, which reads the rest, tells none.
    """
    bare = _TOML.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    here = {"": Place(file=file, line=1, column=1)}
    found = [here]
    for match in _TABLE_OR_KEY.finditer(bare):
        start = match.start("table") if match["table"] else match.start("key")
        line = bare.count("\n", 0, start) + 1
        place = Place(file=file, line=line, column=start - bare.rfind("\n", 0, start))
        if match["key"]:
            here.setdefault(match["key"], place)
        elif match["name"] == "feed":
            here = {"": place}
            found.append(here)
        else:
            # Of another table it is known only that there is one.
            found[0].setdefault(match["name"].partition(".")[0], place)
            here = {}
    return found


def _translated(
    said: Mapping[str, Any], words: Mapping[str, Word], places: Mapping[str, Place]
) -> Translation:
    options = [
        Option(
            name=name,
            value=value if isinstance(value, str) else f"{value}",
            place=places.get(name, places[""]),
        )
        for name, value in said.items()
    ]
    return translated(options, words, {}, otherwise="has no setting here")


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
