"""What a run says while it goes on: a progress bar on a terminal, lines elsewhere.

Words go to standard error, so that standard output is free for JSON.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import click

from planet.cli.runner import runner
from planet.report import Listener, printable, remarks, summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress, TaskID

    from planet.report import Heard, Report


@contextmanager
def speaking(report: Report, *, quiet: bool, verbose: bool, as_json: bool) -> Iterator[None]:
    """Tell what a report hears as it hears it, and what came of it in the end."""
    with ExitStack() as stack:
        report.listener = _Lines(quiet=quiet, verbose=verbose)
        if not quiet and not as_json and sys.stderr.isatty():
            report.listener = _Bar(report.listener, stack.enter_context(_progress()))
        yield
    if as_json:
        click.echo(report.as_json())
    if not quiet:
        click.echo(report.summary, err=True)
    if not quiet or report.refused:
        click.echo(report.outcome, err=True)
    if report.alarm:
        click.echo(report.alarm, err=True)
    here = runner()
    here.annotate(remarks.of_report(report), err=as_json)
    here.summarize(summary.of_report(report, here.link))


class _Lines(Listener):
    """A line for each feed that has something to tell, and what to do where something is wrong."""

    def __init__(self, *, quiet: bool, verbose: bool) -> None:
        self._quiet, self._verbose = quiet, verbose

    def hears(self, heard: Heard) -> None:
        news = bool(heard.added or heard.edited)
        if not heard.is_news and (self._quiet or not (self._verbose or news)):
            return
        click.echo(heard.line, err=True)
        if heard.advice and (heard.is_news or self._verbose):
            click.echo(f"  {printable(heard.advice.words)}", err=True)
        if self._verbose:
            for note in heard.notes:
                click.echo(f"  {printable(note)}", err=True)

    def notices(self, words: str) -> None:
        click.echo(printable(words), err=True)


class _Bar(Listener):
    """A bar that moves with each feed, below the lines."""

    def __init__(self, lines: Listener, progress: Progress) -> None:
        self._lines, self._progress = lines, progress
        self._task: TaskID | None = None

    def expects(self, number: int) -> None:
        self._task = self._progress.add_task("feeds", total=number)

    def hears(self, heard: Heard) -> None:
        self._lines.hears(heard)
        if self._task is not None:
            self._progress.advance(self._task)

    def notices(self, words: str) -> None:
        self._lines.notices(words)


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
