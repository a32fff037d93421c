"""INI files of older planets → their sections and options, each with its line.

They are read as the `ConfigParser` of Python 2 reads them, which Planet 2.0 and Venus use: a line
that is indented deeper than its option goes on with it, and `;` after a blank begins a comment.
Options may stand before the first section, as Pluto has them, and what is no option is told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from planet.errors import Problem
from planet.model import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECTION: Final = re.compile(r"\[(.+)\]\s*(?:[#;].*)?")
_OPTION: Final = re.compile(r"([^:=\s][^:=]*?)\s*[:=]\s*(.*)")
_COMMENT: Final = re.compile(r"\s;.*")
_PLACEHOLDER: Final = re.compile(r"%\((\w+)\)s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A setting in another program's words."""

    name: str
    """In lower case."""
    value: str
    """Without blanks around it; lines it goes on in are joined by line ends."""
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What stands under a name in square brackets; of a section that comes twice, all."""

    name: str
    """Empty for what stands before the first section."""
    place: Place
    options: dict[str, Option] = field(default_factory=dict)
    """By their names; of one that comes twice, the last."""


def sections(
    data: bytes, *, file: str
) -> tuple[dict[str, Section], tuple[Problem, ...], tuple[Problem, ...]]:
    """The sections of a file in their order, by name; lines that are nothing; what comes twice."""
    here = Section(name="", place=Place(file=file, line=1, column=1))
    found: dict[str, Section] = {"": here}
    problems: list[Problem] = []
    twice: list[Problem] = []
    last, depth = "", 0
    for number, line in enumerate(_decoded(data).splitlines(), 1):
        words, place = line.strip(), Place(file=file, line=number, column=1)
        indentation = len(line) - len(line.lstrip())
        if not words or words.startswith(("#", ";")):
            continue
        if last and indentation > depth:
            option = here.options[last]
            value = f"{option.value}\n{_without_comment(words)}".strip()
            here.options[last] = Option(name=last, value=value, place=option.place)
        elif section := _SECTION.fullmatch(words):
            name, last = section[1].strip(), ""
            here = found.setdefault(name, Section(name=name, place=place))
            if here.place != place:
                words = f"[{name}] is there already, in line {here.place.line}; both count as one"
                twice.append(Problem(place, words))
        elif option_ := _OPTION.fullmatch(words):
            last, depth = option_[1].lower(), indentation
            value = _without_comment(option_[2])
            if before := here.options.get(last):
                words = f"{last} takes the place of the one in line {before.place.line}"
                twice.append(Problem(place, words))
            here.options[last] = Option(name=last, value=value, place=place)
        else:
            problems.append(Problem(place, "is neither a section nor an option"))
    return found, tuple(problems), tuple(twice)


def filled_in(option: Option, others: Mapping[str, Option]) -> Option:
    """The option with the values of others put in where it says `%(name)s`."""

    def value(match: re.Match[str]) -> str:
        other = others.get(match[1].lower())
        return other.value if other else match[0]

    said = _PLACEHOLDER.sub(value, option.value)
    return Option(name=option.name, value=said, place=option.place)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # What editors wrote before they wrote UTF-8. Bytes it does not know are of no use.
        return data.decode("cp1252", "replace")


def _without_comment(value: str) -> str:
    return _COMMENT.sub("", f" {value}").strip()
