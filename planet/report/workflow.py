"""What a workflow shows of a command: annotations on lines of the config, and the job summary.

An annotation is a workflow command of GitHub, which Forgejo and Gitea read as well: a line
`::warning file=config.yaml,line=3::words`. The job summary is Markdown: totals, what needs
attention, then the outcome of each feed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

import msgspec

from planet.errors import ConfigError, Place, PlanetError, Problem
from planet.model import Feed, Outcome
from planet.report.printable import printable
from planet.report.report import FeedOutcome, Report, with_failure_count
from planet.text.address import redact
from planet.text.plain import shorten

Linked: TypeAlias = Callable[[Place | None], str | None]
"""Gives the address at which a line of the config can be seen, or None."""

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


def _escape(words: str) -> str:
    return words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


# The job summary


LIMIT: Final = 64_000
"""The most bytes of a job summary; GitHub shows none that is longer than 1 MiB."""

# Unlike a backslash, a character reference is text in Markdown and in HTML.
_REFERENCES: Final = str.maketrans({sign: f"&#{ord(sign)};" for sign in "&<>\"'`*_[]()#|~!\\$:^{}"})
# GitHub makes links of names of people and issues, and of addresses without a scheme.
_NAMING: Final = re.compile(r"[@#](?=\w)|www(?=\.)", re.IGNORECASE)
_MARKUP: Final = str.maketrans({sign: f"&#{ord(sign)};" for sign in "&<>*_`[]|~\\$^{}"})
_STARTING: Final = re.compile(r"[-+#=:%]|[0-9]{1,9}[.)]")
_NO_TARGET: Final = re.compile(r"[\x00-\x20\"'()<>\\^`{|}\x7f]")
_LONGEST: Final = 300
_RESERVE: Final = 300
"""Bytes that are kept free for the end of a table."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table of Markdown with a title."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    folded: bool = False
    """Whether only the title is shown until it is opened."""


def escape_words(text: str) -> str:
    """Return any text as one line that is only text in Markdown, in a sentence or in a cell."""
    line = shorten(printable(text), _LONGEST)
    # A character without width between sign and name.
    return _NAMING.sub("\\g<0>\u200b", line).translate(_REFERENCES)


def escape_prose(text: str) -> str:
    """Return any text as part of a line of Markdown that people edit, and that is only text in it.

    Only what Markdown, HTML and templates (Liquid, Jinja) would read is written as a reference, so
    quotes and brackets of sentences stay as they are.
    """
    line = _NAMING.sub("\\g<0>\u200b", shorten(printable(text), _LONGEST)).translate(_MARKUP)
    line = line.replace("://", "&#58;//")
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
    # Neither is allowed in an address; one would end the code, the other the cell.
    return f"`{line.replace('`', '%60').replace('|', '%7C')}`"


def format_link(text: str, address: str | None) -> str:
    """Return any text as a link to an address of ours, which is quoted; without one, as text."""
    return f"[{escape_words(text)}]({address})" if address else escape_words(text)


def render_page(head: Sequence[str], tables: Sequence[Table]) -> str:
    """Return paragraphs and the tables that have rows; rows beyond `LIMIT` bytes are left out."""
    parts = [f"{paragraph}\n" for paragraph in head]
    tables = [table for table in tables if table.rows]
    for left, table in zip(range(len(tables), 0, -1), tables, strict=True):
        parts.append(_render_table(table, LIMIT - sum(map(_size, parts)) - _RESERVE * left))
    return "\n".join(parts)


def _render_table(table: Table, room: int) -> str:
    """Return a table with as many rows as there are bytes of room for."""
    lines = [_render_row(table.columns), _render_row(["---"] * len(table.columns))]
    size = sum(map(_size, lines))
    shown = 0
    for row in map(_render_row, table.rows):
        if size + _size(row) > room:
            break
        lines.append(row)
        size += _size(row)
        shown += 1
    text = "".join(lines) if shown else ""
    if left := len(table.rows) - shown:
        text += f"\n{left:,} more, for which there is no room here.\n"
    title = f"{table.title} ({len(table.rows):,})"
    if table.folded:
        return f"<details><summary>{title}</summary>\n\n{text}\n</details>\n"
    return f"#### {title}\n\n{text}"


def _render_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _size(text: str) -> int:
    return len(text.encode())


HEADING = "### Planet"
_OUTCOMES: Final = {Outcome.FAILED: "Failed", Outcome.NEW: "With news", Outcome.SAME: "Unchanged"}


def render_report(report: Report, linked: Linked) -> str:
    """Return the job summary of a run, in Markdown."""
    lines = (report.summary, report.outcome, report.alarm, *report.notices)
    head = [f"{escape_words(line).rstrip('.')}." for line in lines if line]
    issues = [
        (
            link_feed(issue.name, issue.feed, linked),
            escape_words(issue.trouble or ""),
            escape_words(issue.advice.words),
        )
        for issue in report.issues
    ]
    columns = "Feed", "What is wrong", "What to do"
    tables = [Table(title="In need of attention", columns=columns, rows=issues)]
    columns_of_all = "Feed", "Status", "What came of it", "Remarks"
    for outcome, title in _OUTCOMES.items():
        rows = [
            _outcome_row(result, linked) for result in report.outcomes if result.outcome is outcome
        ]
        tables.append(Table(title=title, columns=columns_of_all, rows=rows, folded=True))
    return render_page([HEADING, *head], tables)


def render_problems(problems: Iterable[Problem], linked: Linked) -> str:
    """Return the job summary of a config with mistakes, in Markdown."""
    rows = [
        (
            format_link(str(problem.place), linked(problem.place)) if problem.place else "",
            escape_words(problem.message),
        )
        for problem in problems
    ]
    return render_page([HEADING], [Table(title="Mistakes", columns=("Where", "What"), rows=rows)])


def render_words(*paragraphs: str) -> str:
    """Return a job summary of these paragraphs, in Markdown."""
    return render_page([HEADING, *map(escape_words, paragraphs)], [])


def link_feed(name: str, feed: Feed, linked: Linked) -> str:
    """Return a feed's name and its address, with a link to its line in the config."""
    shown, address = format_link(name, linked(feed.place)), redact(feed.written_url)
    return shown if name == address else f"{shown}<br>{format_code(address)}"


def _outcome_row(result: FeedOutcome, linked: Linked) -> tuple[str, ...]:
    moved = [f"leads to {redact(result.moved_to)}"] if result.moved_to else []
    # What cannot wait stands in the table above.
    advice = [result.advice.words] if result.advice and result.advice.concern.can_wait else []
    return (
        link_feed(result.name, result.feed, linked),
        f"{result.status or ''}",
        escape_words(result.words),
        "<br>".join(map(escape_words, [*moved, *advice, *result.notes])),
    )
