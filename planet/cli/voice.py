"""What a run says while it goes on: a progress bar on a terminal, lines elsewhere.

Words go to standard error, so that standard output is free for JSON.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from planet.errors import ConfigError, OutputError
from planet.report import Listener, printable, remarks, summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from planet.cli.options import Voice
    from planet.errors import PlanetError
    from planet.model import Place
    from planet.report import FeedOutcome, Report
    from planet.report.remarks import Annotation


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """What there is to tell; each part is missing where nobody asks for it."""

    annotates: bool = False
    output: Path | None = None
    summary: Path | None = None
    workspace: Path | None = None
    """The repository in which the run is."""
    tree: str | None = None
    """The address below which its files can be looked at, as they are in this run."""

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Runner:
        """The runner that the variables of an environment tell of."""
        given = {name: Path(said) for name in _FILES if (said := environ.get(name))}
        where = [environ.get(name) for name in _TREE]
        return cls(
            annotates=environ.get("GITHUB_ACTIONS") == "true",
            output=given.get("GITHUB_OUTPUT"),
            summary=given.get("GITHUB_STEP_SUMMARY"),
            workspace=given.get("GITHUB_WORKSPACE"),
            tree="{}/{}/blob/{}".format(*where) if all(where) else None,
        )

    def annotate(self, found: Iterable[Annotation], *, err: bool) -> None:
        """Have these shown; the runner reads both streams, and one may be wanted for JSON."""
        if self.annotates:
            for each in remarks.fewer(found):
                click.echo(each.command(self._below(each.place)), err=err)

    def summarize(self, text: str) -> None:
        """Put this on the page of the run, below what is there.

        Raises:
            OutputError: it cannot be written.
        """
        if self.summary is not None:
            _append(self.summary, f"{text}\n", "GITHUB_STEP_SUMMARY")

    def put_out(self, **values: str | int) -> None:
        """Tell the next steps; a value is a number or a word of ours, and no feed's.

        Raises:
            OutputError: it cannot be written.
        """
        if self.output is not None:
            lines = "".join(f"{name}={value}\n" for name, value in values.items())
            _append(self.output, lines, "GITHUB_OUTPUT")

    def refused(self, error: PlanetError, *, err: bool) -> None:
        """Tell what ended a command."""
        self.annotate(remarks.of_error(error), err=err)
        if isinstance(error, ConfigError):
            text = summary.of_problems(error.problems, self.link)
        else:
            text = summary.of_words(str(error))
        # What ended it matters more than that it cannot be told here as well.
        with suppress(OutputError):
            self.summarize(text)

    def link(self, place: Place | None) -> str | None:
        """Where a line of a file can be looked at; None when it is not one of the repository."""
        path = self._below(place)
        if self.tree is None or path is None or place is None:
            return None
        return f"{self.tree}/{quote(path)}#L{place.line}"

    def _below(self, place: Place | None) -> str | None:
        """The path of a file below the repository; None for one that is not in it."""
        if place is None or self.workspace is None:
            return None
        # A list on the web is no file, though its address could be a path.
        file, top = Path(place.file).resolve(), self.workspace.resolve()
        return file.relative_to(top).as_posix() if top in file.parents and file.is_file() else None


_FILES = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE")
_TREE = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")


def runner() -> Runner:
    """The one that this process is in."""
    return Runner.of(os.environ)


@contextmanager
def put_out(report: Report, *, asks: bool = True) -> Iterator[None]:
    """Tell the next steps what came of a run, however it ends.

    One that asks nobody says nothing of the feeds: of two values of a name, the later one counts.
    """
    try:
        yield
    finally:
        heard = {"new_entries": report.added, "failed_feeds": len(report.failed)} if asks else {}
        runner().put_out(changed="true" if report.changed else "false", **heard)


def _append(file: Path, text: str, name: str) -> None:
    try:
        with file.open("a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise OutputError(f"{name} cannot be written: {file}: {error.strerror}") from error


@contextmanager
def speaking(report: Report, voice: Voice) -> Iterator[None]:
    """Tell what a report hears as it hears it, and what came of it in the end."""
    with ExitStack() as stack:
        report.listener = _Lines(voice)
        if not voice.quiet and not voice.as_json and sys.stderr.isatty():
            report.listener = bar = _Bar(voice)
            stack.callback(bar.end)
        yield
    if voice.as_json:
        click.echo(report.as_json())
    if not voice.quiet:
        click.echo(report.summary, err=True)
    if not voice.quiet or report.refused:
        click.echo(report.outcome, err=True)
    if report.alarm:
        click.echo(report.alarm, err=True)
    here = runner()
    here.annotate(remarks.of_report(report), err=voice.as_json)
    here.summarize(summary.of_report(report, here.link))


class _Lines(Listener):
    """A line for each feed that has something to tell, and what to do where something is wrong."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice

    def hears(self, heard: FeedOutcome) -> None:
        quiet, verbose, _ = self._voice
        news = bool(heard.added or heard.edited)
        if not heard.is_news and (quiet or not (verbose or news)):
            return
        self._print(heard.line)
        if heard.advice and (heard.is_news or verbose):
            self._print(f"  {printable(heard.advice.words)}")
        if verbose:
            for note in heard.notes:
                self._print(f"  {printable(note)}")

    def notices(self, words: str) -> None:
        self._print(printable(words))

    def _print(self, line: str) -> None:
        click.echo(line, err=True)


class _Bar(_Lines):
    """A bar that moves with each feed, below the lines."""

    def __init__(self, voice: Voice) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        super().__init__(voice)
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

    def hears(self, heard: FeedOutcome) -> None:
        super().hears(heard)
        for task in self._progress.task_ids:
            self._progress.advance(task)

    def _print(self, line: str) -> None:
        # Through its console, which puts the bar below it. Soft: the terminal wraps long lines.
        self._progress.console.print(line, soft_wrap=True)
