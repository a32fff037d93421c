"""Options that several commands have, and the config they lead to."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import wraps
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from planet.config import lies_in, load, snapshot
from planet.errors import UsageError
from planet.explain.status import bare
from planet.report import FailOn, FeedNames, feed_name, printable
from planet.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from planet.config import Config
    from planet.model import Feed, FeedState
    from planet.picks.picking import Offers
    from planet.run.open import Run


R = TypeVar("R")

FILE = click.Path(path_type=Path, dir_okay=False)


class _FolderType(click.Path):
    """A folder, which need not be there."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        # A variable that is not set: as a path it would be the current folder.
        if value == "":
            self.fail("the name of a folder must not be empty", param, ctx)
        return super().convert(value, param, ctx)


FOLDER = _FolderType(path_type=Path, file_okay=False)

config_option = click.option(
    "--config",
    "-c",
    "config_path",
    # That a folder is none is told with what to write in its place.
    type=click.Path(path_type=Path),
    envvar="PLANET_CONFIG",
    default="config.yaml",
    show_default=True,
    show_envvar=True,
    help="The config file.",
)
state_option = click.option(
    "--state", type=FOLDER, help="The state folder, in place of the config's."
)
output_option = click.option(
    "--output", type=FOLDER, help="The folder of the site, in place of the config's."
)
feeds_option = click.option(
    "--feed",
    "names",
    multiple=True,
    metavar="NAME",
    help="Ask only this feed, named as `planet status` does or by its address; repeatable.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")


def pass_config(function: Callable[..., R]) -> Callable[..., R]:
    """`--config FILE` and `--state DIR`; the function is called with the `config` they lead to.

    With `output_option` above it, `--output DIR` counts as well.
    """

    @wraps(function)
    def command(
        config_path: Path, state: Path | None, output: Path | None = None, **others: Any
    ) -> R:
        return function(config=read_config(config_path, output=output, state=state), **others)

    return config_option(state_option(command))


class Verbosity(NamedTuple):
    """How much a command says, and in which form."""

    quiet: bool
    verbose: bool
    as_json: bool


def pass_verbosity(function: Callable[..., R]) -> Callable[..., R]:
    """`-q`, `-v` and `--json`; the function is called with the `verbosity` that they ask for."""

    @wraps(function)
    def command(quiet: bool, verbose: int, as_json: bool, **others: Any) -> R:
        with log_to_stderr(0 if quiet else verbose):
            return function(verbosity=Verbosity(quiet, verbose > 0, as_json), **others)

    json_form = click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
    words = "A line for every feed, every request and every decision; -vv: for every step."
    more = click.option("-v", "--verbose", count=True, help=words)
    less = click.option("-q", "--quiet", is_flag=True, help="Only what went wrong.")
    return less(more(json_form(command)))


def add_log_option(function: Callable[..., R]) -> Callable[..., R]:
    """`-v` alone, for a command whose other words stay as they are."""

    @wraps(function)
    def command(verbose: int, **others: Any) -> R:
        with log_to_stderr(verbose):
            return function(**others)

    words = "A line for every request and every decision; -vv: for every step."
    return click.option("-v", "--verbose", count=True, help=words)(command)


class _LineFormatter(logging.Formatter):
    """Makes one line of a record, of which the words of servers may be a part."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(f"{record.name}: {record.getMessage()}")


@contextmanager
def log_to_stderr(verbose: int) -> Iterator[None]:
    """Print on standard error what the package logs: nothing, what it decides (1), or all (2)."""
    if not verbose:
        yield
        return
    logger, handler = logging.getLogger("planet"), logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LineFormatter())
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO if verbose == 1 else logging.DEBUG)
    try:
        yield
    finally:
        logger.setLevel(before)
        logger.removeHandler(handler)


def _parse_fail_on(_: click.Context, __: click.Parameter, value: str) -> FailOn:
    try:
        return FailOn.parse(value)
    except ValueError:
        words = f"{value!r} is none of never, any, a number, or a share like 10%"
        raise click.BadParameter(words) from None


fail_on_option = click.option(
    "--fail-on",
    callback=_parse_fail_on,
    metavar="never|any|N|N%",
    default="never",
    show_default=True,
    help="End with 3 when so many feeds failed: never, any, a number, or a share like 10%.",
)


def read_config(
    path: Path, *, output: Path | None = None, state: Path | None = None, keep: bool = False
) -> Config:
    """The config in a file, with folders from the command line laid over it.

    One that has not changed is not checked again where a run kept what came of it (`keep`).

    Raises:
        ConfigError: with every mistake in it.
        UsageError: with these folders, the state would be published.
    """
    with _show_reading(path):
        config = snapshot.load(path, environ=os.environ, state=state, keep=keep)
    return _set_folders(config, output, state)


def check_config(path: Path, *, output: Path | None = None, state: Path | None = None) -> Config:
    """As `read_config`, by a check of the file as it is."""
    with _show_reading(path):
        config = load(path, environ=os.environ)
    return _set_folders(config, output, state)


def _show_reading(path: Path) -> AbstractContextManager[object]:
    # A thousand feeds are read in less time than it takes to show that.
    return show_progress(
        f"reading {path}", is_long=path.is_file() and path.stat().st_size > 500_000
    )


@contextmanager
def show_progress(words: str, *, is_long: bool) -> Iterator[Callable[[], None]]:
    """Show on a terminal that something goes on which takes seconds, if it is so long.

    How often the function was called that it gives is shown as well.
    """
    if not is_long or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console

    steps = count(1)
    with Console(stderr=True, markup=False).status(words) as status:
        yield lambda: status.update(f"{words}: {next(steps):,}")


def _set_folders(config: Config, output: Path | None, state: Path | None) -> Config:
    if output is not None:
        config = replace(config, output=output.absolute())
    if state is not None:
        config = replace(config, state=state.absolute())
    if any(lies_in(config.state, site.output) for site in config.sites):
        raise UsageError(
            f"the state folder {config.state} would be published: it must not lie in the output "
            f"folder {config.output}"
        )
    return config


def read_file(path: Path) -> bytes:
    """The bytes of a file that was named on the command line.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


def clock() -> datetime:
    """The one clock of the program."""
    return datetime.now(UTC)


@contextmanager
def open_run(
    config: Config, *, dry: bool = False, time: Callable[[], datetime] | None = None
) -> Iterator[Run]:
    """Hold the state, and be ready to ask and to read; nothing is asked or started yet.

    A `dry` run has a copy of the state, and writes nothing. A state that had to be mended is told
    on standard error. `time` stands in for `clock`.

    Raises:
        StateError: the state cannot be used.
    """
    from planet.run import open as runtime

    with runtime.open_run(config, time or clock, dry=dry) as run:
        try:
            yield run
        finally:
            for notice in run.notices:
                click.echo(notice, err=True)


NOTHING_KNOWN = "nothing is known of any feed yet; `planet build` reads them"


@contextmanager
def open_offers(config: Config) -> Iterator[Offers]:
    """What there is to pick from, also while a run holds the state.

    Raises:
        UsageError: there was no run yet.
        StateError: the state cannot be read.
    """
    from planet.config.subscriptions import feeds_of
    from planet.picks.picking import Offers

    with Store.look(config.state, config.redactor) as store:
        if store is None:
            raise UsageError(NOTHING_KNOWN)
        feeds = feeds_of(config, store.lists())
        yield Offers(config=config, feeds=feeds, store=store)


def find_feeds(name: str, feeds: Iterable[Feed], states: Mapping[str, FeedState]) -> list[Feed]:
    """The feeds that are called so: what `planet status` calls them, address, id, or folder.

    Raises:
        UsageError: there is none.
    """
    feeds = list(feeds)
    titles = {
        key: state.profile.title
        for key, state in states.items()
        if state.profile and state.profile.title
    }
    full_name = FeedNames(feeds, lambda: titles)
    matching = [
        feed
        for feed in feeds
        if name in {feed.key, feed.slug}
        or bare(name) == bare(feed.url)
        or name.casefold() == feed_name(feed, states.get(feed.key)).casefold()
        or name.casefold() == full_name(feed, states.get(feed.key)).casefold()
    ]
    if not matching:
        raise UsageError(f"there is no feed {name!r} in the config; `planet status` lists them")
    return matching


def find_keys(feeds: Sequence[Feed], names: Iterable[str], store: Store) -> frozenset[str] | None:
    """The keys of the feeds that were named on the command line; None when none was.

    Raises:
        UsageError: no feed is called so.
    """
    states = store.states() if names else {}
    return frozenset(feed.key for name in names for feed in find_feeds(name, feeds, states)) or None
