"""Options of several commands, and the config, the state and the forms behind these."""

from __future__ import annotations

import logging
import os
import re
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import click
import msgspec
from msgspec.structs import replace

from planet.config import Config, lies_in, load
from planet.errors import UsageError
from planet.report import FailOn, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


R = TypeVar("R")

FILE = click.Path(path_type=Path, dir_okay=False)


class _FolderType(click.Path):
    """A folder, which need not exist."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        # As a path, an unset variable would be the current folder.
        if value == "":
            self.fail("the name of a folder must not be empty", param, ctx)
        return super().convert(value, param, ctx)


FOLDER = _FolderType(path_type=Path, file_okay=False)

config_option = click.option(
    "--config",
    "-c",
    "config_path",
    # A folder is refused later, with what to write instead.
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


class ConfigFile(msgspec.Struct, frozen=True, kw_only=True):
    """A config file, and folders of the command line in place of the config's."""

    path: Path
    output: Path | None = None
    state: Path | None = None

    def read(self, *, needs_feeds: bool = True) -> Config:
        """Return the config, which may have no feeds yet without `needs_feeds`.

        Raises:
            ConfigError: with every mistake of the file.
            UsageError: with these folders the state would be published.
        """
        config = load(self.path, environ=os.environ, needs_feeds=needs_feeds)
        folders = {"output": self.output, "state": self.state}
        given = {name: folder.absolute() for name, folder in folders.items() if folder is not None}
        config = replace(config, **given)
        if any(lies_in(config.state, site.output) for site in config.sites):
            raise UsageError(
                f"the state folder {config.state} would be published: it must not lie in the "
                f"output folder {config.output}"
            )
        return config

    def edit(self, change: Callable[[str], str], *, dry_run: bool = False) -> Config:
        """Replace the text of the file, and return the new config; the file need not exist.

        Meanwhile other commands that edit a file of the folder wait.

        Raises:
            ConfigError: the new text has mistakes, and the file stays unchanged.
            OutputError: the file cannot be written, and stays unchanged.
        """
        from planet.config.edits import lock_folder, read_text, replace_file
        from planet.config.loading import parse_config

        with lock_folder(self.path):
            text = change(read_text(self.path)).encode()
            config = parse_config(text, path=self.path, environ=os.environ)
            if not dry_run:
                replace_file(self.path, text)
        return config


def pass_file(function: Callable[..., R]) -> Callable[..., R]:
    """Add `--config FILE` and `--state DIR`, and call the function with the `config_file`.

    With `output_option` above it, `--output DIR` counts as well.
    """

    @wraps(function)
    def command(
        config_path: Path, state: Path | None, output: Path | None = None, **others: Any
    ) -> R:
        return function(
            config_file=ConfigFile(path=config_path, output=output, state=state), **others
        )

    return config_option(state_option(command))


def pass_config(function: Callable[..., R]) -> Callable[..., R]:
    """Add what `pass_file` adds, and call the function with the `config`."""

    @wraps(function)
    def command(config_file: ConfigFile, **others: Any) -> R:
        return function(config=config_file.read(), **others)

    return pass_file(command)


class Verbosity(NamedTuple):
    """How much a command prints, and in which form."""

    quiet: bool
    verbose: bool
    as_json: bool


def _start_log(ctx: click.Context, _: click.Parameter, verbose: bool) -> bool:
    if verbose:
        ctx.with_resource(log_to_stderr())
    return verbose


log_option = click.option(
    "-v",
    "--verbose",
    is_flag=True,
    callback=_start_log,
    expose_value=False,
    help="A line for every request and every decision.",
)


def pass_verbosity(function: Callable[..., R]) -> Callable[..., R]:
    """Add `-q`, `-v` and `--json`, and call the function with the `verbosity`."""

    @wraps(function)
    def command(quiet: bool, verbose: bool, as_json: bool, **others: Any) -> R:
        return function(verbosity=Verbosity(quiet, verbose, as_json), **others)

    words = "A line for every feed, every request and every decision."
    more = click.option("-v", "--verbose", is_flag=True, callback=_start_log, help=words)
    less = click.option("-q", "--quiet", is_flag=True, help="Only what went wrong.")
    return less(more(json_option(command)))


class _LineFormatter(logging.Formatter):
    """Makes one line of a record, of which the words of servers may be a part."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(f"{record.name}: {record.getMessage()}")


@contextmanager
def log_to_stderr() -> Iterator[None]:
    """Print the log of the package on standard error: each request and each decision."""
    logger, handler = logging.getLogger("planet"), logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LineFormatter())
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(before)
        logger.removeHandler(handler)


def _parse_fail_on(_: click.Context, __: click.Parameter, value: str) -> FailOn:
    if value in ("never", "any"):
        return FailOn() if value == "never" else FailOn(1)
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(%?)", value)
    if match is None or not float(match[1]):
        words = f"{value!r} is none of never, any, a number, or a share like 10%"
        raise click.BadParameter(words)
    return FailOn(float(match[1]), bool(match[2]))


fail_on_option = click.option(
    "--fail-on",
    callback=_parse_fail_on,
    metavar="never|any|N|N%",
    default="never",
    show_default=True,
    help="End with 3 when so many feeds failed: never, any, a number, or a share like 10%.",
)


def read_file(path: Path) -> bytes:
    """Read a file of the command line.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


def clock() -> datetime:
    """Return the time, in UTC: the only clock of the program."""
    return datetime.now(UTC)


# The text of an issue that was made with a form

_EMPTY: Final = "_No response_"


def form_option(form: str) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Return the option for the text of an issue, in place of other words."""
    words = f'A file with the text of an issue of the form "{form}", which says it all.'
    return click.option("--form", "form_path", type=FILE, help=words)


def read_fields(path: Path, form: str, labels: Sequence[str]) -> list[str]:
    """Return the text of each field of a form, in order; an empty field is "".

    Each field is a heading with a label, and text below the heading. The text of the last field may
    look like another form.

    Raises:
        UsageError: the file cannot be read, or is no issue made with this form.
    """
    text = read_file(path).decode("utf-8", "replace")
    headings = [f"### {label}" for label in labels]
    pattern = r"\s*" + r"\n(.*?)\n".join(headings) + r"\n(.*)"
    match = re.fullmatch(pattern, re.sub(r"\r\n?", "\n", text), re.DOTALL)
    if match is None:
        named = " and ".join(f'"{heading}"' for heading in headings)
        raise UsageError(
            f'this is not what the form "{form}" makes: the lines {named}, each with what was '
            "filled in below it"
        )
    return ["" if field.strip() == _EMPTY else field.strip() for field in match.groups()]
