"""The config file, read to be changed; and as a patch what it should say of feeds that moved."""

from __future__ import annotations

import difflib
import os
from dataclasses import replace
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING, Final

import click

from planet.cli import options
from planet.config.edits import LeftError, added, readdressed
from planet.config.files import alone_with, write_whole
from planet.config.loading import order, understood
from planet.config.picks import FILE, followed
from planet.errors import ConfigError, Problem, UsageError
from planet.report import Exit
from planet.run.overview import planet_state
from planet.schedule import state_of
from planet.text import address

if TYPE_CHECKING:
    from pathlib import Path

    from planet.config import Config


# A name that is nowhere (RFC 6761 §6.4): no feed of anyone's has it.
_NOWHERE: Final = "https://planet.invalid/"


def read_to_add(path: Path, state: Path | None) -> Config:
    """The config in a file, which need not have any feed yet.

    Raises:
        ConfigError: with every mistake in it.
    """
    try:
        return options.check_config(path, state=state)
    except ConfigError as error:
        try:
            config = read_as(path, added(text_of(path), [_NOWHERE], file=str(path)))
        except (ConfigError, OSError, UnicodeDecodeError):
            raise error from None
    feeds = tuple(feed for feed in config.feeds if feed.url != _NOWHERE)
    return replace(config, feeds=feeds, state=state.absolute() if state else config.state)


def text_of(path: Path) -> str:
    """The text of a config that was read before, to the letter."""
    return path.read_bytes().decode()


def read_as(path: Path, text: str) -> Config:
    """What a file would say with this text in it.

    Raises:
        ConfigError: it would have mistakes.
    """
    return understood(text.encode(), path=path, environ=os.environ)


def write_feedfile(path: Path, text: str, *, before: str) -> None:
    """Put a text into a config file, which is replaced whole and keeps its permissions.

    `before` is what the text was made from; empty where there was no file.

    Raises:
        UsageError: somebody else has changed the file meanwhile; it is as they left it.
        OutputError: it cannot be written, and is as it was.
    """
    with alone_with(path):
        if (text_of(path) if path.exists() else "") != before:
            raise UsageError(f"{path} was changed meanwhile; nothing was written, so try again")
        write_whole(path, text.encode())


def tell_patch(config: Config) -> int:
    """Print what config and picks should say of feeds that are asked at another address by now.

    That is a patch, for the folder of the config. What cannot be in it goes to standard error.

    Raises:
        ConfigError: the config would have mistakes; nothing is to be changed.
        StateError: what is known of the feeds cannot be read.
    """
    file, planet = str(config.path), planet_state(config)
    before = after = text_of(config.path)
    picks = config.path.with_name(FILE)
    picked_before = picked = text_of(picks) if picks.exists() else ""
    feeds = (*planet.lists, *planet.feeds)
    taken = {feed.url for feed in feeds}
    problems: list[Problem] = []
    for feed in feeds:
        adopted_url = state_of(feed, planet.states.get(feed.key)).adopted_url
        if adopted_url is None:
            continue
        new = address.same(adopted_url)
        try:
            if feed.place is None or feed.place.file != file:
                raise LeftError("; change it in the list that it comes from")
            if new in taken:
                raise LeftError(", which is a feed here already; remove one of the two")
            after = readdressed(after, feed.place, new, file=file)
            taken.add(new)
            picked = followed(picked, {feed.url: new}, file=str(picks))
        except LeftError as left:
            moved = f"{address.redacted(feed.written_url)} has moved to"
            shown = address.redacted(feed.redact(new))
            problems.append(Problem(feed.place, f"{moved} {shown}{left}"))
        except ConfigError as error:
            problems += error.problems
    read_as(config.path, after)
    patch = _diff(config.path.name, before, after) + _diff(FILE, picked_before, picked)
    if not patch and not problems:
        click.echo("no feed has moved for good", err=True)
    for problem in sorted(problems, key=partial(order, file)):
        click.echo(problem, err=True)
    # As bytes: a patch must be what the file is, whatever the terminal can show.
    click.echo(patch.encode(), nl=False)
    return Exit.DONE


def _diff(name: str, before: str, after: str) -> str:
    """A unified diff; empty when nothing is different."""
    # Without a tab after it, a name with a blank in it ends there for `patch`.
    end = "\t" if " " in name else ""
    lines = difflib.unified_diff(
        # Only what ends a line for `patch`, too: YAML and Python know more line ends.
        list(StringIO(before)),
        list(StringIO(after)),
        f"a/{name}{end}",
        f"b/{name}{end}",
    )
    unended = "\n\\ No newline at end of file\n"
    return "".join(line if line.endswith("\n") else line + unended for line in lines)
