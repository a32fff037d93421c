"""Subscription lists on the web → the feeds on them, beside those of the config.

A list is asked for like a feed: when it is due, with validators, by the same rules. The last one
that could be read counts, so a list that is down, or is suddenly a login page, takes no feed off
the planet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.address import redacted
from planet.config import feeds_from_opml
from planet.errors import ParseError
from planet.model import Kept
from planet.schedule import due, forced, remember

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.config import Config
    from planet.errors import Problem
    from planet.model import Feed, Turn
    from planet.report import Report
    from planet.run import Run, Scope

_READER = "opml 1"


def subscribed(config: Config, *, run: Run, scope: Scope, report: Report) -> tuple[Feed, ...]:
    """The feeds of the config and those of its lists on the web, each once.

    Lists that are due are asked for first, unless the run is offline; one that fails is reported.
    """
    if config.subscriptions and not scope.offline:
        _update(config, run=run, scope=scope, report=report)
    feeds = known(config, run.store.lists())
    report.feeds = sum(feed.enabled for feed in feeds)
    return feeds


def known(config: Config, lists: Mapping[str, bytes]) -> tuple[Feed, ...]:
    """The feeds of the config and those on its lists; `lists` has what these last said, by key."""
    feeds = list(config.feeds)
    for subscription in config.subscriptions:
        if subscription.key in lists:
            found, _ = _read(lists[subscription.key], subscription, config, feeds)
            feeds += found
    return tuple(feeds)


def turns_of_lists(config: Config, *, run: Run, scope: Scope) -> list[Turn]:
    """The lists to ask for."""
    memories = run.store.memories()
    if scope.force:
        return forced(config.subscriptions, memories, reader=_READER)
    return due(config.subscriptions, memories, reader=_READER, now=run.clock())


def _update(config: Config, *, run: Run, scope: Scope, report: Report) -> None:
    """Ask for the lists whose turn it is, and keep those that can be read."""
    memories = run.store.memories()
    turns = turns_of_lists(config, run=run, scope=scope)
    arriving = run.web.fetch(turns, starting=lambda one: run.store.attempt(one, run.clock()))
    for subscription, fetched in arriving:
        error: ParseError | None = None
        if fetched.body is not None:
            found, problems = _read(fetched.body, subscription, config, ())
            if problems and not found:
                error = ParseError("bad_list", str(problems[0]))
            else:
                run.store.keep_list(subscription.key, fetched.body)
        before = memories.get(subscription.key)
        memory = remember(before, subscription, fetched, error, reader=_READER)
        run.store.keep(memory, None, now=fetched.ended)
        if memory.failures:
            report.hear(subscription, fetched, memory, error, Kept())


def _read(
    body: bytes, subscription: Feed, config: Config, known: Sequence[Feed]
) -> tuple[tuple[Feed, ...], tuple[Problem, ...]]:
    """The feeds on a list that are not known yet, and what is wrong with it."""
    return feeds_from_opml(
        body,
        file=redacted(subscription.url),
        base=subscription.url,
        defaults=config.defaults,
        known=known,
    )
