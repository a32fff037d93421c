"""What is shown on the page of a run, and on the line of the config that it is about.

The form is that of the workflow commands of GitHub, which Forgejo and Gitea read as well: a line
`::warning file=config.yaml,line=3::words`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from planet.errors import ConfigError
from planet.report.printable import printable
from planet.report.report import in_a_row
from planet.text.plain import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planet.errors import Place, PlanetError, Problem
    from planet.report.report import FeedOutcome, Report


_MOST: Final = 8
"""So many of a level: GitHub shows ten of a step, and drops the others in silence."""
_TITLE, _WORDS = 100, 600
"""Characters at the most."""


class Level(StrEnum):
    """How bad it is."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A remark on a run."""

    level: Level
    words: str
    title: str | None = None
    place: Place | None = None
    """The line it is about."""

    def command(self, file: str | None) -> str:
        """The line that has it shown; `file` is the path of the place below the repository.

        Without it, the place is told in words.
        """
        properties: dict[str, str] = {}
        words = shortened(printable(self.words), _WORDS)
        if self.place is not None and file is not None:
            properties |= {
                "file": file,
                "line": str(self.place.line),
                "col": str(self.place.column),
            }
        elif self.place is not None:
            words = f"{printable(str(self.place))}  {words}"
        if self.title:
            properties["title"] = shortened(printable(self.title), _TITLE)
        given = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        return f"::{self.level}{' ' if given else ''}{given}::{_escaped(words)}"


def of_report(report: Report) -> list[Annotation]:
    """What the operator is told of a run: feeds that are news, by the rule of `FeedOutcome`."""
    annotations = [
        Annotation(
            level=Level.WARNING,
            title=result.name,
            words=sentences(_trouble(result), result.advice.words),
            place=result.feed.place,
        )
        for result in report.outcomes
        if result.advice and result.is_news
    ]
    if report.alarm:
        annotations.insert(0, Annotation(level=Level.WARNING, words=report.alarm))
    if report.refused:
        annotations.insert(0, Annotation(level=Level.ERROR, words=report.refused))
    return annotations


def _trouble(result: FeedOutcome) -> str | None:
    return in_a_row(result.error, result.failures) if result.error else None


def sentences(trouble: str | None, advice: str) -> str:
    """What is wrong with a feed, and what to do about it, as sentences."""
    return f"{trouble.removesuffix('.')}. {advice}" if trouble else advice


def of_error(error: PlanetError) -> list[Annotation]:
    """What the operator is to be told of what ended a command."""
    if isinstance(error, ConfigError):
        return [
            Annotation(level=Level.ERROR, words=problem.message, place=problem.place)
            for problem in error.problems
        ]
    return [Annotation(level=Level.ERROR, words=str(error))]


def of_warnings(problems: Iterable[Problem]) -> list[Annotation]:
    """What the operator may want to look at in a config that can be used."""
    return [
        Annotation(level=Level.WARNING, words=problem.message, place=problem.place)
        for problem in problems
    ]


def fewer(remarks: Iterable[Annotation]) -> list[Annotation]:
    """Not more of them than are shown; how many others there are is said in their place."""
    remarks, kept = list(remarks), []
    for level in Level:
        of_level = [remark for remark in remarks if remark.level is level]
        kept += of_level[:_MOST]
        if more := len(of_level[_MOST:]):
            kept.append(Annotation(level=level, words=f"{more:,} more in the summary of this run"))
    return kept


def _property(value: str) -> str:
    return _escaped(value).replace(":", "%3A").replace(",", "%2C")


def _escaped(words: str) -> str:
    return words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
