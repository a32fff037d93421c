"""Feeds that have moved for good: what the config should say, as a patch or written into it."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING, Final

import click

from planet.cli import options
from planet.config.edits import Move, added, edited
from planet.config.files import alone_with, write_whole
from planet.config.loading import order, understood
from planet.errors import ConfigError, Problem, UsageError
from planet.report import Exit
from planet.schedule import known_of
from planet.text import address

if TYPE_CHECKING:
    from pathlib import Path

    from planet.cli.options import Known
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


NOTHING = "no feed has moved for good"


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A config that does not know yet where its feeds have moved, and what it should say."""

    path: Path
    before: str
    after: str
    moves: tuple[Move, ...]
    """What is different in `after`, in the order of the file."""
    by_hand: tuple[Problem, ...]
    """Moves that cannot be written into the config, each with what to do."""

    @property
    def patch(self) -> str:
        """A unified diff, to be applied in the config's folder; empty when nothing is different."""
        name = self.path.name
        # Without a tab after it, a name with a blank in it ends there for `patch`.
        end = "\t" if " " in name else ""
        lines = difflib.unified_diff(
            # Only what ends a line for `patch`, too: YAML and Python know more line ends.
            list(StringIO(self.before)),
            list(StringIO(self.after)),
            f"a/{name}{end}",
            f"b/{name}{end}",
        )
        unended = "\n\\ No newline at end of file\n"
        return "".join(line if line.endswith("\n") else line + unended for line in lines)


def correction(config: Config) -> Correction:
    """What the config should say of the feeds that are asked at another address by now.

    It has been read again as it would be then, and has no mistakes.

    Raises:
        ConfigError: it would have some; nothing is to be changed.
        StateError: what is known of the feeds cannot be read.
    """
    file, before = str(config.path), text_of(config.path)
    moves, problems = _sorted_out(options.known_to(config), file)
    after, made, left = edited(before, moves, file=file)
    read_as(config.path, after)
    return Correction(
        path=config.path,
        before=before,
        after=after,
        moves=made,
        by_hand=tuple(sorted([*left, *problems], key=partial(order, file))),
    )


def tell_patch(config: Config) -> int:
    """Print the correction of the config as a patch, and everything else to standard error."""
    fix = correction(config)
    if not fix.patch and not fix.by_hand:
        click.echo(NOTHING, err=True)
    for problem in fix.by_hand:
        click.echo(problem, err=True)
    # As bytes: a patch must be what the file is, whatever the terminal can show.
    click.echo(fix.patch.encode(), nl=False)
    return Exit.DONE


def _sorted_out(known: Known, file: str) -> tuple[list[Move], list[Problem]]:
    """The moves that `file` can tell, and what to do about the others."""
    feeds = (*known.lists, *known.feeds)
    taken = {feed.url for feed in feeds}
    moves: list[Move] = []
    problems: list[Problem] = []
    for feed in feeds:
        adopted_url = known_of(feed, known.states.get(feed.key)).adopted_url
        if adopted_url is None:
            continue
        new = address.same(adopted_url)
        shown = address.redacted(feed.redact(new))
        words = f"{address.redacted(feed.written_url)} has moved to {shown}"
        if feed.place is None or feed.place.file != file:
            words += "; change it in the list that it comes from"
            problems.append(Problem(feed.place, words))
        elif new in taken:
            words += ", which is a feed here already; remove one of the two"
            problems.append(Problem(feed.place, words))
        else:
            taken.add(new)
            moves.append(Move(place=feed.place, old=feed.url, new=new, shown=shown))
    return moves, problems
