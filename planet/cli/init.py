"""`planet init`: a first config."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.config.opml import Outline, outlines
from planet.config.starter import starter
from planet.errors import ConfigError, OutputError, UsageError
from planet.report import Exit

if TYPE_CHECKING:
    from pathlib import Path


@click.command("init")
@options.config_option
@click.option("--opml", type=options.FILE, help="Start with the feeds of a subscription list.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def command(config_path: Path, opml: Path | None, force: bool) -> int:
    """Write a first config, with comments, and say what to do next."""
    if config_path.exists() and not force:
        raise UsageError(f"{config_path} is there already; --force writes over it")
    feeds: tuple[Outline, ...] = ()
    if opml is not None:
        feeds, problems = outlines(_read(opml), file=str(opml))
        if problems:
            raise ConfigError(problems)
    try:
        config_path.parent.mkdir(parents=True, exist_ok=True)
        config_path.write_text(starter(feeds), encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{config_path} cannot be written: {error.strerror}") from error
    click.echo(f"{config_path} is written. Put your feeds into it, then: planet build")
    return Exit.DONE


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
