"""`planet check`: find mistakes before they cost a run."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import click

from planet.address import redacted
from planet.cli import options
from planet.cli.runner import runner
from planet.errors import ConfigError, Problem, UsageError, folded
from planet.report import Exit, counted, printable_json, printable_line, remarks, summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from planet.cli.moves import Correction
    from planet.cli.online import Found
    from planet.config import Config


@click.command("check")
@options.config_option
@options.state_option
@click.option(
    "--fix", is_flag=True, help="Write the new addresses of feeds that moved into the config."
)
@click.option("--online", is_flag=True, help="Ask each feed, too, and tell what came of it.")
@click.option(
    "--against",
    type=options.FILE,
    metavar="OLD.yaml",
    help="With --online: ask only feeds that are not in this other config.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the mistakes as JSON.")
def command(
    config_path: Path,
    state: Path | None,
    fix: bool,
    online: bool,
    against: Path | None,
    as_json: bool,
) -> int:
    """Find every mistake in the config and in the theme's templates; nobody is asked.

    With --online each feed is asked once, politely, and what it says is kept as in any run; the
    exit code is 3 when one of them does not work.
    """
    from planet.look import theme_of
    from planet.render import check_theme

    if against and not online:
        raise UsageError("--against says whom --online leaves alone; say --online as well")
    try:
        config = options.read_config(config_path, state=state)
        problems = [*_missing_files(config)]
        themes = []
        with _added_to(problems):
            _check_asking(config)
        for site in config.sites:
            with _added_to(problems):
                themes.append(theme_of(site))
        if problems:
            raise ConfigError(sorted(problems, key=_by_place))
    except ConfigError as error:
        if not as_json:
            raise
        _print(problems=_as_json(error.problems))
        runner().refused(error, err=True)
        return Exit.USAGE
    for theme in themes:
        check_theme(theme)
    found = _asked(config, against) if online else None
    fixed = _fixed(config) if fix else None
    enabled = sum(feed.enabled for feed in config.feeds)
    well = f"{config_path}: no mistake found; {counted(enabled, 'feed')}"
    if as_json:
        _print(
            problems=[],
            warnings=_as_json(config.warnings),
            feeds=enabled,
            **(_fixed_as_json(fixed) if fixed else {}),
            **(_found_as_json(found) if found else {}),
        )
    else:
        click.echo(well)
        for line in folded(config.warnings):
            click.echo(printable_line(f"  {line}"))
        _tell_all(found, fixed)
    _tell_runner(well, config.warnings, found, err=as_json)
    return found.exit_code if found else Exit.DONE


@contextmanager
def _added_to(problems: list[Problem]) -> Iterator[None]:
    """Go on after mistakes, so that all of them are told."""
    try:
        yield
    except ConfigError as error:
        problems += error.problems


def _by_place(problem: Problem) -> tuple[int, int]:
    return (problem.place.line, problem.place.column) if problem.place else (0, 0)


def _missing_files(config: Config) -> Iterator[Problem]:
    """Feeds that are files, and are not there."""
    for feed in config.feeds:
        path = Path(unquote(urlsplit(feed.url).path))
        if feed.enabled and feed.is_file and not path.exists():
            words = f"there is no file {path}; a feed on the web begins with https://"
            yield Problem(feed.place, words)


def _check_asking(config: Config) -> None:
    """Look at the options of the cache, and at the key that requests are signed with.

    Raises:
        ConfigError: one is of no use.
    """
    if config.cache.options or config.fetch.signature:
        from planet.opening import check_cache, signer

        check_cache(config)
        signer(config)


def _asked(config: Config, against: Path | None) -> Found:
    from planet.cli.online import asked

    return asked(config, against=_earlier(against, config) if against else None)


def _earlier(path: Path, config: Config) -> Config:
    """Another config, as if it stood where this one does; what is wrong in it does not matter.

    Raises:
        UsageError: it cannot be read.
    """
    from planet.config.earlier import earlier

    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    return earlier(data, path=config.path, environ=os.environ)


def _found_as_json(found: Found) -> dict[str, Any]:
    from planet.cli.online import record

    return record(found)


def _tell_all(found: Found | None, fixed: Correction | None) -> None:
    if found:
        from planet.cli.online import tell

        tell(found)
    if fixed:
        _tell(fixed)


def _tell_runner(well: str, warnings: Sequence[Problem], found: Found | None, *, err: bool) -> None:
    here = runner()
    annotations = remarks.of_warnings(warnings)
    page = summary.of_words(f"{well}.")
    if found is not None:
        from planet.cli import onlinepage

        annotations += onlinepage.remarks_on(found)
        page = onlinepage.page(well, found, here.link)
    here.annotate(annotations, err=err)
    here.summarize(page)


def _fixed(config: Config) -> Correction:
    """The correction of the config, after it was written into it, and into its picks."""
    from planet.cli.moves import correction, write
    from planet.picking import follow

    found = correction(config)
    if found.moves:
        write(found)
        follow(config, {move.old: move.new for move in found.moves})
    return found


def _tell(fixed: Correction) -> None:
    from planet.cli.moves import NOTHING

    for move in fixed.moves:
        where = f"{move.place.file}:{move.place.line}"
        click.echo(f"{where}  {redacted(move.old)} → {redacted(move.new)}")
    for problem in fixed.by_hand:
        click.echo(problem)
    if not fixed.moves and not fixed.by_hand:
        click.echo(NOTHING)


def _fixed_as_json(fixed: Correction) -> dict[str, Any]:
    changed = [
        {
            "file": move.place.file,
            "line": move.place.line,
            "from": redacted(move.old),
            "to": redacted(move.new),
        }
        for move in fixed.moves
    ]
    return {"changed": changed, "by_hand": _as_json(fixed.by_hand)}


def _print(**said: Any) -> None:
    click.echo(printable_json(said))


def _as_json(problems: Iterable[Problem]) -> list[dict[str, str | int]]:
    return [
        {"message": problem.message}
        if problem.place is None
        else {
            "file": problem.place.file,
            "line": problem.place.line,
            "column": problem.place.column,
            "message": problem.message,
        }
        for problem in problems
    ]
