"""A run: what is opened for it, in which order, and what it does."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from planet.errors import UsageError
from planet.report import Report, called
from planet.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from planet.config import Config
    from planet.model import Feed
    from planet.run import Run


def clock() -> datetime:
    """The one clock of the program."""
    return datetime.now(UTC)


@contextmanager
def opened(config: Config) -> Iterator[Run]:
    """Hold the state, and be ready to ask and to read; nothing is asked or started yet.

    A state that had to be mended is told on standard error.

    Raises:
        StateError: the state cannot be used.
    """
    from planet.fetch import Web, open_session, user_agent
    from planet.reading import PRELOAD
    from planet.run import Run
    from planet.workers import Workers

    with ExitStack() as stack:
        store = stack.enter_context(Store.open(config.state))
        session = stack.enter_context(
            open_session(config.state, backend=config.cache.backend, options=config.cache.options)
        )
        workers = stack.enter_context(Workers(count=_processes(), preload=PRELOAD))
        web = Web(
            session,
            user_agent=user_agent(config.fetch.contact),
            clock=clock,
            workers=config.fetch.workers,
            budget=config.fetch.budget,
        )
        notices = (session.notice,) if session.notice else ()
        for notice in notices:
            click.echo(notice, err=True)
        yield Run(store=store, web=web, workers=workers, clock=clock, notices=notices)


def new_report(run: Run) -> Report:
    """The report of a run that is about to begin."""
    return Report(started=clock(), notices=run.notices)


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


def _processes() -> int:
    return min(4, os.cpu_count() or 1)
