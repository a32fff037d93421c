"""picks.yaml ⇄ picks, or all mistakes with line and column.

The file stands beside the config. A pick holds everything for publishing the episode, and stays
when the source drops the episode. A person who adds one writes the title, the date of picking, and
the address of the file.
"""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 - types of settings are looked up
from enum import StrEnum
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from planet.config import yaml
from planet.config.sections import Checker, settings
from planet.errors import ConfigError, Problem
from planet.model import Pick
from planet.text import media

FILE: Final = "picks.yaml"


class PicksFile(msgspec.Struct, frozen=True, kw_only=True):
    """The whole file."""

    picks: Sequence[Pick | None] = ()


class ParsedPicks(NamedTuple):
    """The picks of a file, in order."""

    picks: tuple[Pick, ...] = ()
    problems: tuple[Problem, ...] = ()
    """What is wrong in the file."""


def parse_picks(data: bytes, *, file: str) -> ParsedPicks:
    """Parse the picks of a file.

    Variables are not expanded. A file with nothing but comments has no picks.
    """
    if is_blank(data):
        return ParsedPicks()
    try:
        document = yaml.read(data, file=file)
    except ConfigError as error:
        return ParsedPicks(problems=error.problems)
    checker = Checker(document, PicksFile)
    items = checker.check(PicksFile, document.data).picks
    picks: dict[tuple[str, str], Pick] = {}
    problems = [*document.problems, *checker.problems.values()]
    for index, item in enumerate(items):
        if item is None:
            continue
        here = ("picks", index)
        if media.find_playable(item) is None:
            words = (
                "needs a file that is audio or video; where its address does not tell, say so: "
                "{url: https://…, type: audio/mpeg}"
            )
            problems.append(document.problem((*here, "enclosure"), words))
            continue
        pick = replace(_fill_in(item), place=document.place(here))
        first = picks.setdefault((pick.feed, pick.id), pick)
        if first.place and first is not pick:
            words = f"is the episode of line {first.place.line} again; remove one of the two"
            problems.append(document.problem(here, words))
    return ParsedPicks(tuple(picks.values()), tuple(problems))


def is_blank(data: bytes) -> bool:
    """Tell whether a file has nothing but comments."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return all(not line.strip() or line.lstrip().startswith(b"#") for line in lines)


def _fill_in(pick: Pick) -> Pick:
    """Return a pick with defaults for the settings a person may leave out."""
    url = pick.enclosures[0].url
    title = pick.show.title or urlsplit(url).hostname or url
    show = replace(pick.show, title=title)
    return replace(pick, feed=pick.feed or url, id=pick.id or url, show=show)


_ORDER: Final = dict.fromkeys(("title", "picked", "note", "show", *settings(Pick)))
"""The settings of a pick as they are written: first those by which a person knows it."""


def format_pick(pick: Pick) -> dict[str, Any]:
    """Return a pick as in the file, without empty settings. Moments are `datetime`."""
    written = _format(pick)
    return {name: written[name] for name in _ORDER if name in written}


def _format(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        values = {
            name: _format(getattr(value, field.name))
            for name, field in settings(type(value)).items()
        }
        return {name: item for name, item in values.items() if item not in (None, "", [], {})}
    if isinstance(value, tuple):
        return [_format(item) for item in value]
    return str(value) if isinstance(value, StrEnum) else value
