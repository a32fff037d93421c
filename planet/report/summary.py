"""A report → the page of a run on GitHub: totals, what needs a look, then what each feed said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.address import redacted
from planet.model import Outcome
from planet.report.markdown import Table, code, link, page, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from planet.errors import Problem
    from planet.model import Feed, Place
    from planet.report.heard import Heard
    from planet.report.report import Report

    Linked: TypeAlias = Callable[[Place | None], str | None]
    """Where a line of the config can be looked at, if anywhere."""

HEADING = "### Planet"


def of_report(report: Report, linked: Linked) -> str:
    """What is to be known of a run, in Markdown."""
    told = (report.summary, report.outcome, report.alarm, *report.notices)
    concerned = Table(
        title="In need of attention",
        columns=("Feed", "What is wrong", "What to do"),
        rows=[
            (
                named(each.name, each.feed, linked),
                words(each.trouble or ""),
                words(each.advice.words),
            )
            for each in report.concerned
        ],
    )
    by_outcome = (
        ("Failed", Outcome.FAILED),
        ("With news", Outcome.NEW),
        ("Unchanged", Outcome.SAME),
    )
    asked = [
        _asked(title, [each for each in report.heard if each.outcome is outcome], linked)
        for title, outcome in by_outcome
    ]
    head = [f"{words(each).rstrip('.')}." for each in told if each]
    return page([HEADING, *head], [concerned, *asked])


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


def of_words(said: str) -> str:
    """What ended a command, in Markdown."""
    return page([HEADING, words(said)], [])


def named(name: str, feed: Feed, linked: Linked) -> str:
    """A feed's name and its address, leading to its line in the config."""
    shown, address = link(name, linked(feed.place)), redacted(feed.written_url)
    return shown if name == address else f"{shown}<br>{code(address)}"


def _asked(title: str, heard: Iterable[Heard], linked: Linked) -> Table:
    rows = [
        (
            named(each.name, each.feed, linked),
            f"{each.status or ''}",
            words(each.what),
            "<br>".join(map(words, _noted(each))),
        )
        for each in heard
    ]
    columns = ("Feed", "Status", "What came of it", "Remarks")
    return Table(title=title, columns=columns, rows=rows, folded=True)


def _noted(heard: Heard) -> list[str]:
    # What cannot wait stands in the table above.
    advice = [heard.advice.words] if heard.advice and heard.advice.concern.can_wait else []
    moved = [f"leads to {redacted(heard.moved_to)}"] if heard.moved_to else []
    return [*moved, *advice, *heard.notes]
