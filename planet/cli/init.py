"""`planet init`: a first config, a first theme of one's own, or all it takes to publish."""

from __future__ import annotations

import os.path
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.config.opml import Outline, outlines
from planet.config.starter import starter
from planet.errors import ConfigError, OutputError, UsageError
from planet.report import Exit, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_FOLDER = click.Path(path_type=Path, file_okay=False)
_LEFT_TO_DO = """\
Three things are left to do:
1. Put your feeds, and the address that the site will have (link), into {config}.
2. Push this folder to a repository on GitHub, as its branch main.
3. There, under Settings > Pages, choose the source "GitHub Actions"; then, under Actions,
   run the workflow "Publish". From then on it runs by itself."""


@click.command("init")
@options.config_option
@click.option("--opml", type=options.FILE, help="Start with the feeds of a subscription list.")
@click.option("--theme", type=_FOLDER, help="Start a theme of your own in a folder.")
@click.option(
    "--github-pages", is_flag=True, help="Write what it takes to publish on GitHub Pages, too."
)
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def command(
    config_path: Path, opml: Path | None, theme: Path | None, github_pages: bool, force: bool
) -> int:
    """Write a first config, with comments, and say what to do next.

    With --theme a first theme is written in place of it, in which you change what you like. With
    --github-pages the workflows are written as well, and a config that is there stays as it is.
    """
    if theme is not None:
        if opml is not None or github_pages:
            other = "--opml" if opml else "--github-pages"
            raise UsageError(f"--theme writes no config, so {other} cannot stand beside it")
        return _start_theme(theme, config_path, force=force)
    if github_pages:
        return _start_pages(config_path, opml, force=force)
    _write({config_path: _first_config(opml)}, force=force)
    click.echo(f"{config_path} is written. Put your feeds into it, then: planet build")
    return Exit.DONE


def _start_theme(folder: Path, config_path: Path, *, force: bool) -> int:
    from planet.render.seed import SEED

    _write({folder / path: text for path, text in SEED.items()}, force=force)
    # As the config has to name it; without a slash it would be one that comes with Planet.
    named = Path(os.path.relpath(folder, config_path.parent)).as_posix()
    named = named if "/" in named else f"./{named}"
    click.echo(f'{folder} is written. Put "theme: {named}" into {config_path}, then: planet serve')
    return Exit.DONE


def _start_pages(config_path: Path, opml: Path | None, *, force: bool) -> int:
    from planet.cli.pages import DEPENDABOT, files, minute_for, pins

    folder = config_path.parent
    if not re.fullmatch(r"[A-Za-z0-9._-]+", config_path.name):
        raise UsageError(
            f"a workflow cannot name {config_path.name}: call it with a-z, 0-9, '.', '-' and '_'"
        )
    _refuse_inside_a_repository(folder.resolve())
    written = files(config=config_path.name, minute=minute_for(folder))
    # A list of feeds is dear: it is written over only by who says with what.
    texts: dict[Path, str | bytes] = {}
    if opml is not None or not config_path.exists():
        texts[config_path] = _first_config(opml)
    # Before pip is asked, which takes a while.
    _refuse_what_is_there(
        [*texts, *(folder / path for path in ("requirements.txt", *written))], force=force
    )
    click.echo("Asking pip for the hashes of what is to be installed …", err=True)
    pinned = pins()
    if pinned.notice:
        click.echo(pinned.notice, err=True)
    texts |= {folder / path: data for path, data in pinned.files.items()}
    texts |= {folder / path: text for path, text in written.items()}
    texts[folder / DEPENDABOT] = written[DEPENDABOT] + pinned.refused
    _write(texts, force=force)
    ignore = folder / ".gitignore"
    if more := _missing_lines(ignore):
        _write({ignore: more}, force=True)
    for path in (*texts, *([ignore] if more else [])):
        click.echo(f"{path} is written.")
    click.echo(_LEFT_TO_DO.format(config=config_path))
    return Exit.DONE


def _refuse_inside_a_repository(folder: Path) -> None:
    # GitHub looks for workflows at the top of a repository, and nowhere else.
    if (folder / ".git").exists():
        return
    for above in folder.parents:
        if (above / ".git").exists():
            raise UsageError(
                f"{folder} lies inside the repository {above}, and GitHub reads workflows only at "
                "its top: give the planet a repository of its own, or put its config there"
            )


def _missing_lines(ignore: Path) -> str | None:
    """What a `.gitignore` says with the lines that a planet needs; None when it has them."""
    from planet.cli.pages import IGNORED

    said = _read(ignore).decode("utf-8", "replace") if ignore.exists() else ""
    missing = [line for line in IGNORED if line not in said.splitlines()]
    if not missing:
        return None
    said = said if said.endswith("\n") or not said else f"{said}\n"
    return said + "".join(f"{line}\n" for line in missing)


def _first_config(opml: Path | None) -> str:
    feeds: Iterable[Outline] = ()
    if opml is not None:
        feeds, problems, mended = outlines(_read(opml), file=str(opml))
        if any(not problem.is_warning for problem in problems):
            raise ConfigError(problems)
        for problem in (*problems, *mended):
            click.echo(printable(str(problem)), err=True)
    return starter(tuple(feeds))


def _write(texts: Mapping[Path, str | bytes], *, force: bool) -> None:
    """Write all of these files, or, while one of them is there already, none."""
    _refuse_what_is_there(texts, force=force)
    for file, text in texts.items():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode() if isinstance(text, str) else text)
        except OSError as error:
            raise OutputError(f"{file} cannot be written: {error.strerror}") from error


def _refuse_what_is_there(files: Iterable[Path], *, force: bool) -> None:
    there = [str(file) for file in files if file.exists()]
    if not there or force:
        return
    if len(there) == 1:
        raise UsageError(f"{there[0]} is there already; --force writes over it")
    raise UsageError("\n  ".join(["these are there already; --force writes over them:", *there]))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
