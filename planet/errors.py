"""Everything Planet raises on purpose.

::

    PlanetError            the run cannot go on; the site stays unchanged
    ├── UsageError         the command line names something unknown
    ├── ConfigError        config.yaml is wrong (every problem, not the first)
    ├── ThemeError         a template is missing or broken
    ├── StateError         the state folder cannot be read or written, or another run holds it
    ├── OutputError        the output folder or the index for searching cannot be written
    └── FeedError          one feed failed; the run goes on with the others
        ├── FetchError     … while we asked for it
        └── ParseError     … while we read the answer

Any other exception is a bug, and keeps the traceback.

A `FeedError` is raised inside a stage and becomes a value at the stage's door, because errors cross
threads and processes and are stored with the feed; `PlanetError` is caught once, in `cli`.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def suggestion(name: str, names: Iterable[str], *, least: float = 0.6) -> str:
    """Return the end of a message with the name that was probably meant, if any comes near.

    `least` is how near, from 0 to 1 (`difflib`); more for names with the same end.
    """
    from difflib import get_close_matches

    find = partial(get_close_matches, possibilities=list(names), n=1, cutoff=least)
    near = find(name) or find(name.lower())
    return f'; did you mean "{near[0]}"?' if near else ""


class PlanetError(Exception):
    """The run cannot go on; the message is one an operator can act on."""

    exit_code = 1


class UsageError(PlanetError):
    """The command line names something unknown."""

    exit_code = 2


class Place(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A place in a file the operator wrote; lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Problem(msgspec.Struct, frozen=True):
    """One mistake in a file the operator wrote: the place, and words with a way out."""

    place: Place | None
    message: str
    is_warning: bool = False
    """Whether the file can be used all the same: the problem is told, and stops nothing."""

    def __str__(self) -> str:
        return f"{self.place}  {self.message}" if self.place else self.message


_SHOWN = 3
"""So many problems of a kind are told one by one, where there are many."""


def fold_problems(problems: Sequence[Problem]) -> list[str]:
    """Write a line for each problem; of many equal ones at other places, the first few."""
    kinds = [_find_kind(problem) for problem in problems]
    totals, told = Counter(kinds), Counter[tuple[str | None, str]]()
    lines = []
    for problem, kind in zip(problems, kinds, strict=True):
        told[kind] += 1
        more = totals[kind] - _SHOWN
        if told[kind] <= _SHOWN or more == 1:
            lines.append(str(problem))
        elif told[kind] == _SHOWN + 1:
            lines.append(str(replace(problem, message=f"and {more} more like the one above")))
    return lines


def _find_kind(problem: Problem) -> tuple[str | None, str]:
    file = problem.place.file if problem.place else None
    return file, re.sub(r"\[\d+\]|, not \"[^\"]*\"", "", problem.message)


class ConfigError(PlanetError):
    """The configuration is wrong; `problems` holds every mistake, in the order of the file."""

    exit_code = 2

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(fold_problems(self.problems)))


class ThemeError(PlanetError):
    """A theme is missing or broken; the message names file and line."""

    exit_code = 2


class StateError(PlanetError):
    """The state folder cannot be used."""

    exit_code = 5


def not_allowed(what: str) -> StateError:
    """Return the error for a system that allows no more threads or processes."""
    return StateError(
        f"{what}: the system allows no more\n"
        "Raise the limit of memory (ulimit -v) or of processes (ulimit -u), which a container or a "
        "service may set as well, and run again: nothing is lost."
    )


class OutputError(PlanetError):
    """The site or the index for searching cannot be written; the output folder stays unchanged."""

    exit_code = 5


class FeedError(PlanetError):
    """One feed failed; the others go on.

    `kind` is a stable, lower-case code for machines (`timeout`, `http_404`, `not_a_feed`);
    the message is a sentence for the operator, without unescaped text of the feed.
    """

    exit_code = 3

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(kind, message)

    def __str__(self) -> str:
        return str(self.args[1])


class FetchError(FeedError):
    """The feed could not be fetched."""


GAVE_UP = frozenset({"too_slow", "too_greedy"})
"""The kinds of a ParseError for a slow machine rather than a wrong answer: the body on disk is read
again when the feed is due."""


class ParseError(FeedError):
    """The answer cannot be read as a feed."""
