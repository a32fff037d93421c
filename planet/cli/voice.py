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

    from planet.report import Heard, Report


@contextmanager
def speaking(report: Report, *, quiet: bool, verbose: bool, as_json: bool) -> Iterator[None]:
    """Tell what a report hears as it hears it, and what came of it in the end."""
    with ExitStack() as stack:
        report.listener = _Lines(quiet=quiet, verbose=verbose)
        if not quiet and not as_json and sys.stderr.isatty():
            report.listener = bar = _Bar(verbose=verbose)
            stack.callback(bar.end)
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

    def __init__(self, *, quiet: bool = False, verbose: bool) -> None:
        self._quiet, self._verbose = quiet, verbose

    def hears(self, heard: Heard) -> None:
        news = bool(heard.added or heard.edited)
        if not heard.is_news and (self._quiet or not (self._verbose or news)):
            return
        self._print(heard.line)
        if heard.advice and (heard.is_news or self._verbose):
            self._print(f"  {printable(heard.advice.words)}")
        if self._verbose:
            for note in heard.notes:
                self._print(f"  {printable(note)}")

    def notices(self, words: str) -> None:
        self._print(printable(words))

    def _print(self, line: str) -> None:
        click.echo(line, err=True)


class _Bar(_Lines):
    """A bar that moves with each feed, below the lines."""

    def __init__(self, *, verbose: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        super().__init__(verbose=verbose)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        # What feeds say is shown as it is.
        console = Console(stderr=True, markup=False, emoji=False, highlight=False)
        self._progress = Progress(*columns, console=console, transient=True)

    def expects(self, number: int) -> None:
        self._progress.add_task("feeds", total=number)
        # Not before: what others print would run into it.
        self._progress.start()

    def end(self) -> None:
        """Take the bar away."""
        self._progress.stop()

    def hears(self, heard: Heard) -> None:
        super().hears(heard)
        for task in self._progress.task_ids:
            self._progress.advance(task)

    def _print(self, line: str) -> None:
        # Through its console, which puts the bar below it. Soft: the terminal wraps long lines.
        self._progress.console.print(line, soft_wrap=True)
