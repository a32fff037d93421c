"""What a workflow shows of a command: annotations on lines of the config, and the job summary.

An annotation is a workflow command of GitHub, which Forgejo and Gitea read as well: a line
`::warning file=config.yaml,line=3::words`. The job summary is Markdown: totals, a list of what
needs attention, then the outcome of each feed as lines of text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from planet.errors import ConfigError, Place, PlanetError, Problem
from planet.model import Outcome
from planet.report.printable import printable
from planet.report.report import Report, with_failure_count
from planet.text.address import redact
from planet.text.plain import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST: Final = 8
"""How many of a level are printed: GitHub shows ten of a step, and silently drops the others."""
_TITLE, _WORDS = 100, 600
"""The longest title and message, in characters."""


class Annotation(msgspec.Struct, frozen=True, kw_only=True):
    """A message that is shown with a run, on the line of the config that it is about, if any."""

    words: str
    is_error: bool = False
    """Whether it is an error; otherwise it is a warning."""
    title: str | None = None
    place: Place | None = None

    def command(self, file: str | None) -> str:
        """Return the workflow command; `file` is the path of the place in the repository.

        Without a `file`, the place is part of the message.
        """
        properties: dict[str, str] = {}
        words = shorten(printable(self.words), _WORDS)
        if self.place is not None and file is not None:
            properties = {"file": file, "line": f"{self.place.line}", "col": f"{self.place.column}"}
        elif self.place is not None:
            words = f"{printable(str(self.place))}  {words}"
        if self.title:
            properties["title"] = shorten(printable(self.title), _TITLE)
        fields = ",".join(
            f"{name}={_escape(value).replace(':', '%3A').replace(',', '%2C')}"
            for name, value in properties.items()
        )
        level = "error" if self.is_error else "warning"
        return f"::{level}{' ' if fields else ''}{fields}::{_escape(words)}"


def _escape(words: str) -> str:
    return words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def annotate_report(report: Report) -> list[Annotation]:
    """Annotate a run: why nothing is published, and feeds with new advice (`is_news`)."""
    annotations = [Annotation(words=report.refused, is_error=True)] if report.refused else []
    if report.alarm:
        annotations.append(Annotation(words=report.alarm))
    for result in report.outcomes:
        if result.advice and result.is_news:
            trouble = with_failure_count(result.error, result.failures) if result.error else None
            words = join_sentences(trouble, result.advice.words)
            annotations.append(Annotation(title=result.name, words=words, place=result.feed.place))
    return annotations


def join_sentences(trouble: str | None, advice: str) -> str:
    """Join what is wrong with a feed, and what to do about it, to sentences."""
    return f"{trouble.removesuffix('.')}. {advice}" if trouble else advice


def annotate_error(error: PlanetError) -> list[Annotation]:
    """Annotate the error that ended a command."""
    if isinstance(error, ConfigError):
        return annotate_problems(error.problems)
    return [Annotation(words=str(error), is_error=True)]


def annotate_problems(problems: Iterable[Problem]) -> list[Annotation]:
    """Annotate the mistakes and warnings of a config."""
    return [
        Annotation(words=problem.message, is_error=not problem.is_warning, place=problem.place)
        for problem in problems
    ]


def limit_annotations(annotations: Iterable[Annotation]) -> list[Annotation]:
    """Return the first of each level, and one that says how many more there are."""
    annotations, limited = list(annotations), []
    for is_error in (True, False):
        level = [annotation for annotation in annotations if annotation.is_error is is_error]
        limited += level[:_MOST]
        if more := len(level[_MOST:]):
            words = f"{more:,} more in the summary of this run"
            limited.append(Annotation(words=words, is_error=is_error))
    return limited


# The job summary

MOST: Final = 200
"""The most items of a list and lines of a text: GitHub shows no page of more than 1 MiB."""
_LONGEST: Final = 300
# Unlike a backslash, a character reference is text in Markdown and in HTML.
_MARKUP: Final = str.maketrans({sign: f"&#{ord(sign)};" for sign in "&<>*_`[]|~\\$^{}"})
# GitHub makes links of names of people and issues, and of addresses without a scheme.
_NAMING: Final = re.compile(r"[@#](?=\w)|www(?=\.)", re.IGNORECASE)
_STARTING: Final = re.compile(r"[-+#=:%]|[0-9]{1,9}[.)]")
_NO_TARGET: Final = re.compile(r"[\x00-\x20\"'()<>\\^`{|}\x7f]")


def _shorten(text: str) -> str:
    # A character without width between sign and name.
    return _NAMING.sub("\\g<0>\u200b", shorten(printable(text), _LONGEST))


def escape_prose(text: str) -> str:
    """Return any text as part of a line of Markdown, and that is only text in it.

    Only what Markdown, HTML and templates (Liquid, Jinja) would read is written as a reference, so
    quotes and brackets of sentences stay as they are.
    """
    line = _shorten(text).translate(_MARKUP).replace("://", "&#58;//")
    # At the beginning of an item it would begin a list, a heading or a table.
    start = _STARTING.match(line)
    end = start.end() - 1 if start else 0
    return f"{line[:end]}&#{ord(line[end])};{line[end + 1 :]}" if start else line


def format_prose_link(text: str, url: str | None) -> str:
    """Return any text as a link to any address, for Markdown that people edit, or else as text."""
    if url is None:
        return escape_prose(text)
    target = _NO_TARGET.sub(lambda match: f"%{ord(match[0]):02X}", printable(url))
    return f"[{escape_prose(text)}]({target})"


def format_code(address: str) -> str:
    """Return an address as code, which is no link."""
    line = shorten(printable(address), _LONGEST)
    # It is not allowed in an address, and would end the code.
    return f"`{line.replace('`', '%60')}`"


def render_page(paragraphs: Iterable[str], title: str = "", items: Sequence[str] = ()) -> str:
    """Return a job summary of paragraphs, which may be any text, and a list of Markdown."""
    parts = ["### Planet", *map(escape_prose, paragraphs)]
    if items:
        parts += [f"#### {title} ({len(items):,})", "\n".join(f"- {item}" for item in items[:MOST])]
    if more := len(items[MOST:]):
        parts.append(f"{more:,} more.")
    return "".join(f"{part}\n\n" for part in parts)


def render_report(report: Report) -> str:
    """Return the job summary of a run, in Markdown."""
    lines = (report.summary, report.outcome, report.alarm, *report.notices)
    items = []
    for issue in report.issues:
        name, url = issue.name, redact(issue.feed.written_url)
        feed = escape_prose(name) + ("" if name == url else f" ({format_code(url)})")
        items.append(f"{feed}: {escape_prose(join_sentences(issue.trouble, issue.advice.words))}")
    page = render_page(
        [f"{line.rstrip('.')}." for line in lines if line], "In need of attention", items
    )
    # As code, in which nothing of a feed is more than text.
    told = [result for result in report.outcomes if result.outcome is not Outcome.SAME]
    told.sort(key=lambda result: result.outcome is not Outcome.FAILED)
    text = [f"    {shorten(result.line, _LONGEST)}" for result in told[:MOST]]
    return page + "".join(f"{line}\n" for line in text)


def render_problems(problems: Iterable[Problem]) -> str:
    """Return the job summary of a config with mistakes, in Markdown."""
    return render_page([], "Mistakes", [escape_prose(str(problem)) for problem in problems])
