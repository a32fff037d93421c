"""A config → what a run works with, opened in order and closed again."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from planet.errors import ConfigError, Problem, suggestion
from planet.fetch import Signer, Web, accepted_options, open_session, user_agent
from planet.reading import PRELOAD
from planet.resolve import Resolver
from planet.run import Run
from planet.store import Episodes, Store
from planet.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from planet.config import Config


@contextmanager
def opened(config: Config, clock: Callable[[], datetime], *, dry: bool = False) -> Iterator[Run]:
    """Hold the state, and be ready to ask and to read; nothing is asked or started yet.

    A `dry` run has a copy of the state in memory, and writes nothing to a disk.

    Raises:
        ConfigError: the cache or the key is of no use.
        StateError: the state cannot be used.
    """
    check_cache(config)
    with ExitStack() as stack:
        store = stack.enter_context((Store.copy if dry else Store.open)(config.state, config.veil))
        episodes = stack.enter_context((Episodes.look if dry else Episodes.open)(config.state))
        session = stack.enter_context(
            open_session(
                config.state,
                backend="memory" if dry else config.cache.backend,
                options={} if dry else config.cache.options,
                veil=config.veil,
            )
        )
        workers = stack.enter_context(Workers(count=_processes(), preload=PRELOAD))
        web = Web(
            session,
            resolver=Resolver(appview=config.fetch.appview),
            user_agent=user_agent(config.contact),
            clock=clock,
            workers=config.fetch.workers,
            budget=config.fetch.budget,
            signer=signer(config),
        )
        yield Run(
            store=store,
            episodes=episodes,
            web=web,
            workers=workers,
            clock=clock,
            veil=config.veil,
            notices=(session.notice,) if session.notice else (),
        )


def signer(config: Config) -> Signer | None:
    """Who signs requests, if the operator has a key for that.

    Raises:
        ConfigError: the key is of no use.
    """
    key = config.fetch.signature
    return Signer(key.key_id, key.key) if key else None


def check_cache(config: Config) -> None:
    """See whether the back end of the cache knows its options.

    Raises:
        ConfigError: it does not know one, which then would do nothing.
    """
    backend, options = config.cache.backend, config.cache.options
    known = accepted_options(backend) if options else None
    if known is None or known.issuperset(options):
        return
    from planet.config.places import Places

    places = Places(config.path)
    there = f"; there are {', '.join(sorted(known))}" if known else ", which has none"
    raise ConfigError(
        [
            Problem(
                places.of(None, "cache", "options", name),
                f'cache.options has no option "{name}" for {backend}'
                f"{suggestion(name, sorted(known)) or there}",
            )
            for name in options
            if name not in known
        ]
    )


def _processes() -> int:
    return min(4, os.cpu_count() or 1)
