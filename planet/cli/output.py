"""The output of a run: lines, below them a bar on a terminal, and files of a workflow.

Text goes to standard error, and leaves standard output to JSON.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planet.errors import ConfigError, OutputError, Place, PlanetError, Problem
from planet.report import FeedOutcome, Listener, Report, printable, workflow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from planet.cli.options import Verbosity


def print_annotations(problems: Iterable[Problem]) -> None:
    """Print annotations in a workflow, which reads both streams."""
    if os.environ.get("GITHUB_ACTIONS") == "true":
        # GitHub shows ten of a step, and no more.
        for problem in islice(problems, 10):
            click.echo(workflow.annotate(problem, _path_in_repository(problem.place)), err=True)


def append_summary(text: str) -> None:
    """Append a text to the job summary, if there is one.

    Raises:
        OutputError: the file cannot be written.
    """
    _append_to_file("GITHUB_STEP_SUMMARY", text)


def report_refusal(error: PlanetError) -> None:
    """Show an error in a workflow."""
    if isinstance(error, ConfigError):
        problems, text = error.problems, workflow.render_problems(error.problems)
    else:
        problems, text = (Problem(None, str(error)),), workflow.render_page([str(error)])
    print_annotations(problems)
    # The error itself matters more than this one.
    with suppress(OutputError):
        append_summary(text)


def _path_in_repository(place: Place | None) -> str | None:
    """Return the path of a file in the repository of the workflow; None for a file elsewhere."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    if place is None or not workspace:
        return None
    # The address of a list on the web is no file.
    file, top = Path(place.file).resolve(), Path(workspace).resolve()
    return file.relative_to(top).as_posix() if top in file.parents and file.is_file() else None


@contextmanager
def write_step_outputs(report: Report, *, asks: bool = True) -> Iterator[None]:
    """Write the outputs of a step for the next ones, however the run ends.

    A run without polls (`asks`) writes none about feeds: the last value of a name counts.
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
    """Append a text to the file in an environment variable, if there is one."""
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
    """Print each event of a run at once, and a summary at the end."""
    report.listener = lines = _Lines(verbosity)
    try:
        yield
    finally:
        lines.erase_count()
    if verbosity.as_json:
        click.echo(report.as_json())
    if not verbosity.quiet:
        click.echo(report.summary, err=True)
    if not verbosity.quiet or report.refused:
        click.echo(report.outcome, err=True)
    if report.alarm:
        click.echo(report.alarm, err=True)
    print_annotations(report.problems)
    append_summary(workflow.render_report(report))


_ERASE = "\r\x1b[2K"
"""Empties the last line of a terminal."""
_BAR = 20
"""Columns of the progress bar."""


class _Lines(Listener):
    """Prints a line for each feed with news, and advice where something is wrong.

    On a terminal, a progress bar of feeds and the number of files are shown below these lines.
    """

    def __init__(self, verbosity: Verbosity) -> None:
        self._quiet, self._verbose = verbosity.quiet, verbosity.verbose
        # Not with -v: the log would run into the count.
        self._counts = sys.stderr.isatty() and not any(verbosity)
        self._expected = self._polled = self._files = 0

    def on_start(self, number: int) -> None:
        self._expected = number
        self._count()

    def on_outcome(self, result: FeedOutcome) -> None:
        self._polled += 1
        self._count()
        is_news = bool(result.added or result.edited)
        if result.is_news or self._verbose or (is_news and not self._quiet):
            self._print(result.line)
            if result.advice and (result.is_news or self._verbose):
                self._print(f"  {printable(result.advice.words)}")
            for note in result.notes if self._verbose else ():
                self._print(f"  {printable(note)}")

    def on_file(self) -> None:
        self._files += 1
        self._count()

    def on_notice(self, words: str) -> None:
        self._print(printable(words))

    def erase_count(self) -> None:
        """Empty the last line of the terminal."""
        if self._counts:
            click.echo(_ERASE, nl=False, err=True)

    def _print(self, line: str) -> None:
        self.erase_count()
        click.echo(line, err=True)
        self._count()

    def _count(self) -> None:
        if self._counts:
            words = f"files {self._files:,}"
            if not self._files:
                done = "━" * (_BAR * self._polled // max(self._expected, self._polled, 1))
                words = f"feeds {done:{_BAR}} {self._polled:,}/{self._expected:,}"
            click.echo(_ERASE + words, nl=False, err=True)
