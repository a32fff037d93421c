"""A report → the page of a run on GitHub: totals, what needs a look, then what each feed said."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planet.model import Outcome
from planet.report.printable import printable
from planet.text.address import redacted
from planet.text.plain import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from planet.errors import Place, Problem
    from planet.model import Feed
    from planet.report.report import FeedOutcome, Report

    Linked: TypeAlias = Callable[[Place | None], str | None]
    """Where a line of the config can be looked at, if anywhere."""


LIMIT: Final = 64_000
"""Bytes of a page at the most; GitHub shows none that is longer than 1 MiB."""

# As references they are words wherever they stand, in HTML as well, which a backslash is not.
_REFERENCES: Final = str.maketrans({sign: f"&#{ord(sign)};" for sign in "&<>\"'`*_[]()#|~!\\$:^{}"})
# GitHub looks for people and issues in the page that was made, and for addresses without a scheme.
_NAMING: Final = re.compile(r"[@#](?=\w)|www(?=\.)", re.IGNORECASE)
_LONGEST: Final = 300
_RESERVE: Final = 300
"""Bytes for what a table ends with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells in Markdown, below what they are about."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    folded: bool = False
    """Whether only the title shows until it is opened."""


def words(text: str) -> str:
    """What anybody said, on one line, to stand in a sentence or in a cell."""
    line = shortened(printable(text), _LONGEST)
    # Between a sign and a name stands what has no width.
    return _NAMING.sub("\\g<0>\u200b", line).translate(_REFERENCES)


def code(address: str) -> str:
    """An address, to be copied as it is; it leads nowhere."""
    line = shortened(printable(address), _LONGEST)
    # Neither can stand in an address, and one would end it here, the other the cell.
    return f"`{line.replace('`', '%60').replace('|', '%7C')}`"


def link(text: str, address: str | None) -> str:
    """What anybody said, leading to an address of ours, which is quoted, if there is one."""
    return f"[{words(text)}]({address})" if address else words(text)


def page(head: Sequence[str], tables: Sequence[Table]) -> str:
    """Paragraphs, then the tables that have rows, of which the last are cut if need be."""
    parts = [f"{paragraph}\n" for paragraph in head]
    wanted = [table for table in tables if table.rows]
    room = LIMIT - sum(map(_size, parts)) - _RESERVE * len(wanted)
    for table in wanted:
        text, size = _table(table, room)
        parts.append(text)
        room -= size
    return "\n".join(parts)


def _table(table: Table, room: int) -> tuple[str, int]:
    """A table with as many rows as there is room for, and how much of it they took."""
    lines = [_row(table.columns), _row(["---"] * len(table.columns))]
    size = sum(map(_size, lines))
    shown = 0
    for row in map(_row, table.rows):
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


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _size(text: str) -> int:
    return len(text.encode())


HEADING = "### Planet"


def of_report(report: Report, linked: Linked) -> str:
    """What is to be known of a run, in Markdown."""
    lines = (report.summary, report.outcome, report.alarm, *report.notices)
    head = [f"{words(line).rstrip('.')}." for line in lines if line]
    concerned = Table(
        title="In need of attention",
        columns=("Feed", "What is wrong", "What to do"),
        rows=[
            (
                named(issue.name, issue.feed, linked),
                words(issue.trouble or ""),
                words(issue.advice.words),
            )
            for issue in report.concerned
        ],
    )
    by_outcome = [
        Table(
            title=title,
            columns=("Feed", "Status", "What came of it", "Remarks"),
            rows=[
                _row_of(result, linked) for result in report.outcomes if result.outcome is outcome
            ],
            folded=True,
        )
        for title, outcome in (
            ("Failed", Outcome.FAILED),
            ("With news", Outcome.NEW),
            ("Unchanged", Outcome.SAME),
        )
    ]
    return page([HEADING, *head], [concerned, *by_outcome])


def of_problems(problems: Iterable[Problem], linked: Linked) -> str:
    """The mistakes of a config, in Markdown."""
    rows = [
        (
            link(str(problem.place), linked(problem.place)) if problem.place else "",
            words(problem.message),
        )
        for problem in problems
    ]
    return page([HEADING], [Table(title="Mistakes", columns=("Where", "What"), rows=rows)])


def of_words(text: str) -> str:
    """What ended a command, in Markdown."""
    return page([HEADING, words(text)], [])


def named(name: str, feed: Feed, linked: Linked) -> str:
    """A feed's name and its address, leading to its line in the config."""
    shown, address = link(name, linked(feed.place)), redacted(feed.written_url)
    return shown if name == address else f"{shown}<br>{code(address)}"


def _row_of(result: FeedOutcome, linked: Linked) -> tuple[str, ...]:
    moved = [f"leads to {redacted(result.moved_to)}"] if result.moved_to else []
    # What cannot wait stands in the table above.
    advice = [result.advice.words] if result.advice and result.advice.concern.can_wait else []
    return (
        named(result.name, result.feed, linked),
        f"{result.status or ''}",
        words(result.what),
        "<br>".join(map(words, [*moved, *advice, *result.notes])),
    )
