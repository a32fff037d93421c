"""A config → what a run works with, opened in order and closed again."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from planet.fetch import Web, open_session, user_agent
from planet.reading import PRELOAD
from planet.run import Run
from planet.store import Episodes, Store
from planet.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from planet.config import Config


@contextmanager
def opened(config: Config, clock: Callable[[], datetime]) -> Iterator[Run]:
    """Hold the state, and be ready to ask and to read; nothing is asked or started yet.

    Raises:
        StateError: the state cannot be used.
    """
    with ExitStack() as stack:
        store = stack.enter_context(Store.open(config.state))
        episodes = stack.enter_context(Episodes.open(config.state))
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
        yield Run(
            store=store,
            episodes=episodes,
            web=web,
            workers=workers,
            clock=clock,
            notices=(session.notice,) if session.notice else (),
        )


def _processes() -> int:
    return min(4, os.cpu_count() or 1)
