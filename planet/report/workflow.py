"""What the runner of a workflow shows of a command: remarks on lines of the config, and a page.

An annotation has the form of the workflow commands of GitHub, which Forgejo and Gitea read as well:
a line `::warning file=config.yaml,line=3::words`. The page is Markdown: totals, what needs a look,
then what each feed said.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from planet.errors import ConfigError
from planet.model import Outcome, noun
from planet.report.printable import printable
from planet.report.report import with_failure_count
from planet.text.address import redact
from planet.text.plain import shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from planet.errors import Place, PlanetError, Problem
    from planet.model import Feed
    from planet.report.report import FeedOutcome, Report

    Linked: TypeAlias = Callable[[Place | None], str | None]
    """Where a line of the config can be looked at, if anywhere."""


_MOST: Final = 8
"""So many of a level: GitHub shows ten of a step, and drops the others in silence."""
_TITLE, _WORDS = 100, 600
"""Characters at the most."""


@noun
class Annotation:
    """A remark on a run, which is shown on a line of the config, where it is about one."""

    words: str
    is_error: bool = False
    """An error, and not a warning."""
    title: str | None = None
    place: Place | None = None
    """The line it is about."""

    def command(self, file: str | None) -> str:
        """The line that has it shown; `file` is the path of the place below the repository.

        Without it, the place is told in words.
        """
        properties: dict[str, str] = {}
        words = shorten(printable(self.words), _WORDS)
        if self.place is not None and file is not None:
            properties = {"file": file, "line": f"{self.place.line}", "col": f"{self.place.column}"}
        elif self.place is not None:
            words = f"{printable(str(self.place))}  {words}"
        if self.title:
            properties["title"] = shorten(printable(self.title), _TITLE)
        given = ",".join(
            f"{name}={_escape(value).replace(':', '%3A').replace(',', '%2C')}"
            for name, value in properties.items()
        )
        level = "error" if self.is_error else "warning"
        return f"::{level}{' ' if given else ''}{given}::{_escape(words)}"


def annotate_report(report: Report) -> list[Annotation]:
    """What the operator is told of a run: feeds that are news, by the rule of `FeedOutcome`."""
    remarks = [Annotation(words=report.refused, is_error=True)] if report.refused else []
    if report.alarm:
        remarks.append(Annotation(words=report.alarm))
    for result in report.outcomes:
        if result.advice and result.is_news:
            trouble = with_failure_count(result.error, result.failures) if result.error else None
            words = join_sentences(trouble, result.advice.words)
            remarks.append(Annotation(title=result.name, words=words, place=result.feed.place))
    return remarks


def join_sentences(trouble: str | None, advice: str) -> str:
    """What is wrong with a feed, and what to do about it, as sentences."""
    return f"{trouble.removesuffix('.')}. {advice}" if trouble else advice


def annotate_error(error: PlanetError) -> list[Annotation]:
    """What the operator is to be told of what ended a command."""
    if isinstance(error, ConfigError):
        return annotate_problems(error.problems)
    return [Annotation(words=str(error), is_error=True)]


def annotate_problems(problems: Iterable[Problem]) -> list[Annotation]:
    """What is wrong with a config, or may want to be looked at."""
    return [
        Annotation(words=problem.message, is_error=not problem.is_warning, place=problem.place)
        for problem in problems
    ]


def limit_annotations(annotations: Iterable[Annotation]) -> list[Annotation]:
    """Not more of them than are shown; how many others there are is said in their place."""
    given, kept = list(annotations), []
    for is_error in (True, False):
        alike = [annotation for annotation in given if annotation.is_error is is_error]
        kept += alike[:_MOST]
        if more := len(alike[_MOST:]):
            words = f"{more:,} more in the summary of this run"
            kept.append(Annotation(words=words, is_error=is_error))
    return kept


def _escape(words: str) -> str:
    return words.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


# The page


LIMIT: Final = 64_000
"""Bytes of a page at the most; GitHub shows none that is longer than 1 MiB."""

# As references they are words wherever they stand, in HTML as well, which a backslash is not.
_REFERENCES: Final = str.maketrans({sign: f"&#{ord(sign)};" for sign in "&<>\"'`*_[]()#|~!\\$:^{}"})
# GitHub looks for people and issues in the page that was made, and for addresses without a scheme.
_NAMING: Final = re.compile(r"[@#](?=\w)|www(?=\.)", re.IGNORECASE)
_LONGEST: Final = 300
_RESERVE: Final = 300
"""Bytes for what a table ends with."""


@noun
class Table:
    """Rows of cells in Markdown, below what they are about."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    folded: bool = False
    """Whether only the title shows until it is opened."""


def escape_words(text: str) -> str:
    """What anybody said, on one line, to stand in a sentence or in a cell."""
    line = shorten(printable(text), _LONGEST)
    # Between a sign and a name stands what has no width.
    return _NAMING.sub("\\g<0>\u200b", line).translate(_REFERENCES)


def format_code(address: str) -> str:
    """An address, to be copied as it is; it leads nowhere."""
    line = shorten(printable(address), _LONGEST)
    # Neither can stand in an address, and one would end it here, the other the cell.
    return f"`{line.replace('`', '%60').replace('|', '%7C')}`"


def format_link(text: str, address: str | None) -> str:
    """What anybody said, leading to an address of ours, which is quoted, if there is one."""
    return f"[{escape_words(text)}]({address})" if address else escape_words(text)


def render_page(head: Sequence[str], tables: Sequence[Table]) -> str:
    """Paragraphs, then the tables that have rows, of which the last are cut if need be."""
    parts = [f"{paragraph}\n" for paragraph in head]
    wanted = [table for table in tables if table.rows]
    room = LIMIT - sum(map(_size, parts)) - _RESERVE * len(wanted)
    for table in wanted:
        text, size = _render_table(table, room)
        parts.append(text)
        room -= size
    return "\n".join(parts)


def _render_table(table: Table, room: int) -> tuple[str, int]:
    """A table with as many rows as there is room for, and how much of it they took."""
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
        return f"<details><summary>{title}</summary>\n\n{text}\n</details>\n", size
    return f"#### {title}\n\n{text}", size


def _render_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _size(text: str) -> int:
    return len(text.encode())


HEADING = "### Planet"
_OUTCOMES: Final = {Outcome.FAILED: "Failed", Outcome.NEW: "With news", Outcome.SAME: "Unchanged"}


def render_report(report: Report, linked: Linked) -> str:
    """What is to be known of a run, in Markdown."""
    lines = (report.summary, report.outcome, report.alarm, *report.notices)
    head = [f"{escape_words(line).rstrip('.')}." for line in lines if line]
    concerned = [
        (
            link_feed(one.name, one.feed, linked),
            escape_words(one.trouble or ""),
            escape_words(one.advice.words),
        )
        for one in report.concerned
    ]
    columns = "Feed", "What is wrong", "What to do"
    tables = [Table(title="In need of attention", columns=columns, rows=concerned)]
    columns_of_all = "Feed", "Status", "What came of it", "Remarks"
    for outcome, title in _OUTCOMES.items():
        rows = [
            _outcome_row(result, linked) for result in report.outcomes if result.outcome is outcome
        ]
        tables.append(Table(title=title, columns=columns_of_all, rows=rows, folded=True))
    return render_page([HEADING, *head], tables)


def render_problems(problems: Iterable[Problem], linked: Linked) -> str:
    """The mistakes of a config, in Markdown."""
    rows = [
        (
            format_link(str(problem.place), linked(problem.place)) if problem.place else "",
            escape_words(problem.message),
        )
        for problem in problems
    ]
    return render_page([HEADING], [Table(title="Mistakes", columns=("Where", "What"), rows=rows)])


def render_words(*paragraphs: str) -> str:
    """What ended a command, in Markdown."""
    return render_page([HEADING, *map(escape_words, paragraphs)], [])


def link_feed(name: str, feed: Feed, linked: Linked) -> str:
    """A feed's name and its address, leading to its line in the config."""
    shown, address = format_link(name, linked(feed.place)), redact(feed.written_url)
    return shown if name == address else f"{shown}<br>{format_code(address)}"


def _outcome_row(result: FeedOutcome, linked: Linked) -> tuple[str, ...]:
    moved = [f"leads to {redact(result.moved_to)}"] if result.moved_to else []
    # What cannot wait stands in the table above.
    advice = [result.advice.words] if result.advice and result.advice.concern.can_wait else []
    return (
        link_feed(result.name, result.feed, linked),
        f"{result.status or ''}",
        escape_words(result.what),
        "<br>".join(map(escape_words, [*moved, *advice, *result.notes])),
    )
