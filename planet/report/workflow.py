"""The words of a command in a workflow: annotations on lines of the config, and a job summary.

An annotation is a workflow command of GitHub, which Forgejo and Gitea read as well: a line
`::warning file=config.yaml,line=3::words`. The job summary is Markdown: totals, a list of feeds
in need of attention, then the outcome of each feed as lines of text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from planet.report.printable import printable
from planet.report.report import Outcome
from planet.text.plain import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from planet.errors import Problem
    from planet.report.report import Report

_LONGEST_ANNOTATION: Final = 600


def annotate(problem: Problem, file: str | None) -> str:
    """Return the workflow command for a problem, on the line of the problem if there is one.

    `file` is the path in the repository; without, the place is part of the message.
    """
    level, place = "warning" if problem.is_warning else "error", problem.place
    at, words = "", problem.message
    if place is not None and file is not None:
        name = _escape(file).replace(":", "%3A").replace(",", "%2C")
        at = f" file={name},line={place.line},col={place.column}"
    elif place is not None:
        words = str(problem)
    return f"::{level}{at}::{_escape(shorten(printable(words), _LONGEST_ANNOTATION))}"


def _escape(words: str) -> str:
    return words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


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
    """Return any text as part of a line of Markdown, without any markup.

    Only signs of Markdown, HTML and templates (Liquid, Jinja) are written as references, so
    quotes and brackets of sentences stay as they are.
    """
    line = _shorten(text).translate(_MARKUP).replace("://", "&#58;//")
    # At the beginning of an item it would begin a list, a heading or a table.
    start = _STARTING.match(line)
    end = start.end() - 1 if start else 0
    return f"{line[:end]}&#{ord(line[end])};{line[end + 1 :]}" if start else line


def format_prose_link(text: str, url: str | None) -> str:
    """Return any text as a link to any address, for Markdown to be edited, or else as text."""
    if url is None:
        return escape_prose(text)
    target = _NO_TARGET.sub(lambda match: f"%{ord(match[0]):02X}", printable(url))
    return f"[{escape_prose(text)}]({target})"


def render_page(paragraphs: Iterable[str], title: str = "", items: Sequence[str] = ()) -> str:
    """Return a job summary of paragraphs and of a list, which may be any text."""
    parts = ["### Planet", *map(escape_prose, paragraphs)]
    if items:
        lines = [f"- {escape_prose(item)}" for item in items[:MOST]]
        parts += [f"#### {title} ({len(items):,})", "\n".join(lines)]
    if more := len(items[MOST:]):
        parts.append(f"{more:,} more.")
    return "".join(f"{part}\n\n" for part in parts)


def render_report(report: Report) -> str:
    """Return the job summary of a run, in Markdown."""
    lines = (report.summary, report.outcome, report.alarm, *report.notices)
    paragraphs = [f"{line.rstrip('.')}." for line in lines if line]
    issues = [issue.message for issue in report.issues]
    page = render_page(paragraphs, "In need of attention", issues)
    # As code, in which nothing of a feed is more than text.
    told = [result for result in report.outcomes if result.outcome is not Outcome.SAME]
    told.sort(key=lambda result: result.outcome is not Outcome.FAILED)
    return page + "".join(f"    {shorten(result.line, _LONGEST)}\n" for result in told[:MOST])


def render_problems(problems: Iterable[Problem]) -> str:
    """Return the job summary of a config with mistakes, in Markdown."""
    return render_page([], "Mistakes", list(map(str, problems)))
