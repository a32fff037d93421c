"""The output of a run: a progress bar on a terminal, lines elsewhere, and files of a workflow.

Text goes to standard error, so that standard output is free for JSON.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planet.errors import ConfigError, OutputError, Place, PlanetError, Problem
from planet.report import FeedOutcome, Listener, Report, printable, workflow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.progress import TaskID

    from planet.cli.options import Verbosity


_SUMMARY = "GITHUB_STEP_SUMMARY"


def print_annotations(problems: Iterable[Problem], *, err: bool) -> None:
    """Print annotations in a workflow, which reads both streams; `err` keeps one free for JSON."""
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for problem in problems:
            click.echo(workflow.annotate(problem, _path_in_repository(problem.place)), err=err)


def append_summary(text: str) -> None:
    """Append a text to the job summary, if there is one.

    Raises:
        OutputError: it cannot be written.
    """
    _append_to_file(_SUMMARY, text)


def report_refusal(error: PlanetError, *, err: bool) -> None:
    """Show in a workflow what ended a command."""
    if isinstance(error, ConfigError):
        problems, text = error.problems, workflow.render_problems(error.problems)
    else:
        problems, text = (Problem(None, str(error)),), workflow.render_page([str(error)])
    print_annotations(problems, err=err)
    # The error itself matters more than this one.
    with suppress(OutputError):
        append_summary(text)


def _path_in_repository(place: Place | None) -> str | None:
    """Return the path of a file in the repository of the workflow; None when it is elsewhere."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    if place is None or not workspace:
        return None
    # The address of a list on the web is no file.
    file, top = Path(place.file).resolve(), Path(workspace).resolve()
    return file.relative_to(top).as_posix() if top in file.parents and file.is_file() else None


@contextmanager
def write_step_outputs(report: Report, *, asks: bool = True) -> Iterator[None]:
    """Write the outputs of a step for the next ones, however the run ends.

    A run that polls nothing (`asks`) writes none about feeds: the last value of a name counts.
    """
    try:
        yield
    finally:
        # Nothing here comes from a feed.
        lines = f"changed={'true' if report.changed else 'false'}\n"
        if asks:
            lines += f"new_entries={report.added}\nfailed_feeds={len(report.failed)}\n"
        _append_to_file("GITHUB_OUTPUT", lines)


def _append_to_file(name: str, text: str) -> None:
    """Append a text to the file that an environment variable names, if it is set."""
    file = os.environ.get(name)
    if not file:
        return
    try:
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise OutputError(f"{name} cannot be written: {file}: {error.strerror}") from error


@contextmanager
def show_report(report: Report, verbosity: Verbosity) -> Iterator[None]:
    """Print what happens in a run as it happens, and a summary at the end."""
    with ExitStack() as stack:
        report.listener = _Lines(verbosity)
        # Not with -v: the log would run into it.
        is_bare = verbosity.quiet or verbosity.verbose or verbosity.as_json
        if not is_bare and sys.stderr.isatty():
            report.listener = bar = _Bar(verbosity)
            stack.callback(bar.end)
        yield
    if verbosity.as_json:
        click.echo(report.as_json())
    if not verbosity.quiet:
        click.echo(report.summary, err=True)
    if not verbosity.quiet or report.refused:
        click.echo(report.outcome, err=True)
    if report.alarm:
        click.echo(report.alarm, err=True)
    print_annotations(report.problems, err=verbosity.as_json)
    if os.environ.get(_SUMMARY):
        append_summary(workflow.render_report(report))


class _Lines(Listener):
    """Prints a line for each feed with news, and what to do where something is wrong."""

    def __init__(self, verbosity: Verbosity) -> None:
        self._verbosity = verbosity

    def on_outcome(self, result: FeedOutcome) -> None:
        quiet, verbose = self._verbosity.quiet, self._verbosity.verbose
        news = bool(result.added or result.edited or result.is_unread)
        if not result.is_news and (quiet or not (verbose or news)):
            return
        self._print(result.line)
        if result.advice and (result.is_news or verbose):
            self._print(f"  {printable(result.advice.words)}")
        if verbose:
            for note in result.notes:
                self._print(f"  {printable(note)}")

    def on_notice(self, words: str) -> None:
        self._print(printable(words))

    def _print(self, line: str) -> None:
        click.echo(line, err=True)


class _Bar(_Lines):
    """Shows a progress bar below the lines."""

    def __init__(self, verbosity: Verbosity) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        super().__init__(verbosity)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        # Feed text is shown as it is.
        console = Console(stderr=True, markup=False, emoji=False, highlight=False)
        self._progress = Progress(*columns, console=console, transient=True)
        self._feeds: TaskID | None = None
        self._files: TaskID | None = None

    def on_start(self, number: int) -> None:
        self._feeds = self._progress.add_task("feeds", total=number)
        # Not earlier: other output would run into it.
        self._progress.start()

    def on_file(self) -> None:
        if self._files is None:
            self._files = self._progress.add_task("files", total=None)
            self._progress.start()
        self._progress.advance(self._files)

    def end(self) -> None:
        """Remove the bar."""
        self._progress.stop()

    def on_outcome(self, result: FeedOutcome) -> None:
        super().on_outcome(result)
        if self._feeds is not None:
            self._progress.advance(self._feeds)

    def _print(self, line: str) -> None:
        # Through its console, which puts the bar below it. Soft: the terminal wraps long lines.
        self._progress.console.print(line, soft_wrap=True)
