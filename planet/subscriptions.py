"""Subscription lists on the web → the feeds on them, beside those of the config.

A list is asked for like a feed: when it is due, with validators, by the same rules. While it
cannot be had, the copy on disk still counts, so a list that is down takes no feed off the planet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.address import redacted
from planet.config import feeds_from_opml
from planet.errors import ParseError
from planet.schedule import due, remember

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.fetch import Web
    from planet.model import Feed, Fetched
    from planet.store import Store

_READER = "opml 1"


def subscribed(
    config: Config,
    *,
    store: Store,
    web: Web,
    clock: Callable[[], datetime],
    offline: bool = False,
) -> tuple[Feed, ...]:
    """The feeds of the config and those of its lists on the web, each once.

    Lists that are due are asked for first, unless `offline`.
    """
    feeds = list(config.feeds)
    if not config.subscriptions:
        return tuple(feeds)
    memories = store.memories()
    turns = due(config.subscriptions, memories, reader=_READER, now=clock())
    if not offline:
        for subscription, fetched in web.fetch(
            turns, starting=lambda subscription: store.attempt(subscription, clock())
        ):
            error = _error(subscription, fetched, config)
            memory = remember(
                memories.get(subscription.key), subscription, fetched, error, reader=_READER
            )
            store.keep(memory, None, now=fetched.ended)
            memories[subscription.key] = memory
    for subscription in config.subscriptions:
        known = memories.get(subscription.key)
        body = web.stored(subscription, known.answered_url if known else None)
        if body is not None:
            feeds += _listed(body, subscription, config, feeds)
    return tuple(feeds)


def _error(subscription: Feed, fetched: Fetched, config: Config) -> ParseError | None:
    """What is wrong with a list that came; nothing is, as long as it can be read."""
    if fetched.body is None:
        return None
    _, problems = feeds_from_opml(
        fetched.body, file=redacted(subscription.url), defaults=config.defaults
    )
    return ParseError("bad_list", str(problems[0])) if problems else None


def _listed(
    body: bytes, subscription: Feed, config: Config, known: Sequence[Feed]
) -> tuple[Feed, ...]:
    found, _ = feeds_from_opml(
        body,
        file=redacted(subscription.url),
        base=subscription.url,
        defaults=config.defaults,
        known=known,
    )
    return found
