"""`planet init`: a first config, or a first theme of one's own."""

from __future__ import annotations

import os.path
from pathlib import Path

import click

from planet.cli import options
from planet.config.opml import Outline, outlines
from planet.config.starter import starter
from planet.errors import ConfigError, OutputError, UsageError
from planet.report import Exit

_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command("init")
@options.config_option
@click.option("--opml", type=options.FILE, help="Start with the feeds of a subscription list.")
@click.option("--theme", type=_FOLDER, help="Start a theme of your own in a folder.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def command(config_path: Path, opml: Path | None, theme: Path | None, force: bool) -> int:
    """Write a first config, with comments, and say what to do next.

    With --theme a first theme is written in place of it, in which you change what you like.
    """
    if theme is not None:
        if opml is not None:
            raise UsageError("--theme writes no config, so --opml cannot stand beside it")
        return _start_theme(theme, config_path, force=force)
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


def _start_theme(folder: Path, config_path: Path, *, force: bool) -> int:
    from planet.render.seed import SEED

    texts = {folder / path: text for path, text in SEED.items()}
    for file in texts:
        if file.exists() and not force:
            raise UsageError(f"{file} is there already; --force writes over it")
    for file, text in texts.items():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{file} cannot be written: {error.strerror}") from error
    # As the config has to name it; without a slash it would be one that comes with Planet.
    named = Path(os.path.relpath(folder, config_path.parent)).as_posix()
    named = named if "/" in named else f"./{named}"
    click.echo(f'{folder} is written. Put "theme: {named}" into {config_path}, then: planet serve')
    return Exit.DONE


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
