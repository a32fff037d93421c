"""A config → the opened tools of a run; and the scope of the run."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec

from planet.errors import StateError
from planet.model.secrets import NO_REDACTOR, Redactor
from planet.run.poll import Reach
from planet.run.workers import Workers
from planet.schedule import correct_clock, match_renamed_feeds
from planet.schedule.waits import CLOCK_LEAP, OLDEST_NOW
from planet.store import Store
from planet.text.html import Cleaning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime, timedelta

    from planet.config import Config
    from planet.http import Web
    from planet.model import Feed, FeedState
    from planet.social.signing import Signer


@dataclass(frozen=True, kw_only=True)
class Run:
    """The opened tools of a run."""

    store: Store
    connect: Callable[[], Web]
    """Opens `web`; most runs ask nobody, and do without it and its libraries."""
    workers: Workers
    clock: Callable[[], datetime]
    host_gap: timedelta
    """The least time between two requests to a host, as the config has it."""
    redactor: Redactor = NO_REDACTOR
    """Hides the secrets of the config in the state."""
    reach: Reach = field(default_factory=Reach)

    def __post_init__(self) -> None:
        """Refuse a clock never set, before anybody is asked and anything is written."""
        if (now := self.clock()) < OLDEST_NOW:
            raise StateError(
                f"the clock of this machine says {now:%Y-%m-%d %H:%M} UTC, which cannot be: set it "
                "first, or what is found now is dated so for ever; nobody was asked"
            )

    @cached_property
    def web(self) -> Web:
        """The feeds' servers, and the answers of them on disk."""
        return self.connect()

    @property
    def is_connected(self) -> bool:
        """Whether `web` was needed so far."""
        return "web" in vars(self)


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """The feeds to ask in a run; by default the due ones."""

    offline: bool = False
    """Nobody is asked; files, and bodies that are on disk already, are still read."""
    force: bool = False
    """All are asked, due or not, but with validators, and nobody who is to be left alone."""
    names: tuple[str, ...] = ()
    """The names of the feeds to consider, as `planet status` shows them; none is all."""
    only: frozenset[str] | None = None
    """The keys of these feeds; None is all."""

    def includes(self, feed: Feed) -> bool:
        """Return whether a feed is to be considered."""
        return self.only is None or feed.key in self.only

    def asks(self, feed: Feed) -> bool:
        """Return whether a feed may be asked when due."""
        return self.includes(feed) and (feed.is_file or not self.offline)


_FREE_AT: Final[dict[str, float]] = {}
"""`Web.free_at` of all runs that wait for each other."""


@contextmanager
def open_run(
    config: Config,
    clock: Callable[[], datetime],
    *,
    waits: bool = False,
    is_rehearsal: bool = False,
    agent: str | None = None,
    workers: Workers | None = None,
) -> Iterator[Run]:
    """Lock the state, and be ready to ask and to read; nothing is asked or started yet.

    With `waits` the run begins when nobody else holds the state, and leaves each server the gap
    since the last such run of this program. A rehearsal works on a copy, also of a state held by a
    run, and must ask nobody. `agent` is who asks, besides Planet. These `workers` read bodies, by
    default some of the run's own.

    Raises:
        StateError: the state cannot be used.
    """
    with ExitStack() as stack:
        if is_rehearsal:
            store = stack.enter_context(Store.copy(config.state, config.redactor))
        else:
            store = stack.enter_context(Store.open(config.state, config.redactor, waits=waits))

        def connect() -> Web:
            from planet.http import FeedSession, Web, make_user_agent
            from planet.parse.sniff import FeedAnswers
            from planet.social.resolver import Resolver

            session = FeedSession(
                config.state,
                name=store.name,
                backend=config.cache.backend,
                options={name: secret.value for name, secret in config.cache.options.items()},
                redactor=config.redactor,
            )
            return Web(
                stack.enter_context(session),
                resolver=Resolver(),
                rules=FeedAnswers(),
                user_agent=" ".join(filter(None, (agent, make_user_agent(config.contact)))),
                clock=clock,
                workers=config.fetch.workers,
                budget=config.fetch.budget,
                signer=make_signer(config),
                free_at=_FREE_AT if waits else {},
            )

        yield Run(
            store=store,
            connect=connect,
            workers=workers or stack.enter_context(_make_workers(config)),
            clock=clock,
            host_gap=config.fetch.host_gap,
            redactor=config.redactor,
        )


def _make_workers(config: Config) -> Workers:
    if config.workers.dask is None:
        return Workers()
    # Imported here, as its libraries: most planets have no cluster.
    from planet.cluster import ClusterWorkers

    return ClusterWorkers(config.workers.dask)


def make_signer(config: Config) -> Signer | None:
    """Return the signer of requests, if the operator has a key.

    Raises:
        ConfigError: the key is of no use.
    """
    key = config.fetch.signature
    if key is None:
        return None
    from planet.social.signing import Signer

    return Signer(key.key_id, key.key.value)


def cleaning(config: Config) -> Cleaning:
    """Return how this planet's texts are cleaned."""
    return Cleaning(sanitizer=config.sanitizer)


def load_feed_states(run: Run, keys: Iterable[str] | None = None) -> dict[str, FeedState]:
    """Return the states of these feeds, or of all, by key, without moments in the future."""
    states, now = run.store.states(keys), run.clock()
    corrected = {key: correct_clock(state, now) for key, state in states.items()}
    ahead = {key: state for key, state in corrected.items() if state is not states[key]}
    run.store.feeds.put(ahead)
    return corrected


def trusted_now(run: Run) -> datetime:
    """Return the moment to delete by: the time now, but at most a month after the last run."""
    now, last = run.clock(), run.store.believed
    return now if last is None else min(now, last + CLOCK_LEAP)


def migrate_moved_feeds(feeds: Sequence[Feed], run: Run) -> dict[str, FeedState]:
    """Return the states of feeds; a feed with a new address in the config takes over the past."""
    states = load_feed_states(run)
    moved = match_renamed_feeds(feeds, states)
    for old_key, feed in moved.items():
        # The body first: killed in between, the next run finds the old key again.
        run.web.session.rename(old_key, feed.key)
        run.store.rename(old_key, feed)
    return run.store.states() if moved else states
