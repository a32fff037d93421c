"""A run: what is opened for it, in which order, and what it does."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from planet.errors import UsageError
from planet.report import Report, called, printable
from planet.store import Episodes, Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from planet.config import Config
    from planet.model import Feed
    from planet.picking import Shelf
    from planet.run import Run, Scope


def clock() -> datetime:
    """The one clock of the program."""
    return datetime.now(UTC)


@contextmanager
def opened(config: Config, *, dry: bool = False) -> Iterator[Run]:
    """Hold the state, and be ready to ask and to read; nothing is asked or started yet.

    A `dry` run has a copy of the state, and writes nothing. A state that had to be mended is told
    on standard error.

    Raises:
        StateError: the state cannot be used.
    """
    from planet import opening

    with opening.opened(config, clock, dry=dry) as run:
        for notice in run.notices:
            click.echo(notice, err=True)
        yield run


@contextmanager
def looked_at(config: Config) -> Iterator[Shelf]:
    """What there is to pick from, also while a run holds the state.

    Raises:
        UsageError: there was no run yet.
        StateError: the state cannot be read.
    """
    from planet.picking import Shelf
    from planet.subscriptions import known

    with Store.look(config.state, config.veil) as store, Episodes.look(config.state) as episodes:
        if store is None:
            raise UsageError("nothing is known of any feed yet; `planet build` reads them")
        feeds = known(config, store.lists())
        yield Shelf(config=config, feeds=feeds, store=store, episodes=episodes)


def new_report(run: Run) -> Report:
    """The report of a run that is about to begin."""
    return Report(started=clock(), notices=run.notices)


def tell_recovery(
    config: Config, feeds: Sequence[Feed], *, run: Run, scope: Scope, report: Report
) -> None:
    """Take back what the published site knows if the state was lost, and tell so.

    Raises:
        StateError: the state cannot be used.
    """
    from planet.recovery import recover

    if words := recover(config, feeds, run=run, scope=scope):
        report.notices += (words,)
        click.echo(printable(words), err=True)


def keys_of(feeds: Sequence[Feed], names: Iterable[str], store: Store) -> frozenset[str] | None:
    """The keys of the feeds that were named on the command line; None when none was.

    A name is what `planet status` calls a feed, its address, its id, or its folder on the site.

    Raises:
        UsageError: no feed is called so.
    """
    memories = store.memories() if names else {}
    wanted = []
    for name in names:
        found = [
            feed.key
            for feed in feeds
            if name in {feed.key, feed.url, feed.slug}
            or name.casefold() == called(feed, memories.get(feed.key)).casefold()
        ]
        if not found:
            raise UsageError(f"there is no feed {name!r} in the config; `planet status` lists them")
        wanted += found
    return frozenset(wanted) if wanted else None
