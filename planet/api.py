"""Planet from Python: feeds through a cache, or a whole planet. docs/python.md has examples."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Self, get_args
from weakref import finalize

from planet.config import Backend, Cache, Config, load
from planet.config.edits import Places
from planet.errors import FeedError, FetchError, UsageError
from planet.explain.outcomes import Explanation
from planet.explain.sentences import Answer, Speaker
from planet.explain.status import load_planet_state, open_outcomes, status
from planet.http import read_page
from planet.model import (
    Enclosure,
    Entry,
    Episode,
    Feed,
    FetchPolicy,
    NewEntry,
    Person,
    Pick,
    Profile,
)
from planet.model.secrets import Secret
from planet.peek import FetchedFeed, open_cache, parse_address, parse_feed, peek, purge
from planet.report import Report
from planet.run.build import build
from planet.run.open import Run, Scope, open_run
from planet.schedule.waits import FLOOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

__all__ = [
    "Answer",
    "Enclosure",
    "Entry",
    "Episode",
    "Explanation",
    "Feed",
    "FeedCache",
    "FetchedFeed",
    "NewEntry",
    "Person",
    "Pick",
    "Planet",
    "Profile",
    "Report",
    "parse_feed",
    "read_feed",
    "read_page",
]


def read_feed(url: str, *, cache: str | os.PathLike[str] | None = None) -> FetchedFeed:
    """Return the feed at an address, as `FeedCache(cache).fetch(url)`."""
    return FeedCache(cache).fetch(url)


class FeedCache:
    """Feeds by their addresses, each asked for as seldom as a polite reader may.

    Answers are kept in a folder, by default the user's own for this program, and asked for again
    with validators: no more than once in `ttl`, which is at least an hour, less often when the feed
    or the server wants so. In between the kept answer counts, and `FetchedFeed.asked` is false.

    `backend` names another place for the bodies, with `options` for the client, as in `cache` of a
    config: `FeedCache("feeds", backend="redis", options={"host": "redis.example"})`. The state of
    each server stays in the folder, so that none is asked too often. With `backend="memory"` there
    is no folder: everything is kept as long as this object, and no longer.

    Any number of threads and processes may use a folder: one call at a time, the others wait. So
    many feeds are asked for by one `fetch_many`, which asks servers at the same time; between two
    requests to a server, also of two calls in a program, there is `host_gap` (no gap is for servers
    of one's own). Feeds are read in another process, with the limits of time and memory of `planet
    build`.

    Raises:
        UsageError: a setting is of no use.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        backend: Backend = "sqlite",
        options: Mapping[str, str | bool | int | float] | None = None,
        ttl: timedelta = FLOOR,
        user_agent: str | None = None,
        host_gap: timedelta = timedelta(seconds=1),
    ) -> None:
        agent = user_agent or ""
        if not (agent.isascii() and agent.isprintable() and "mozilla/" not in agent.lower()):
            raise UsageError("user_agent must be one line of ASCII, and not a browser's (Mozilla/)")
        if backend not in (known := get_args(Backend)):
            raise UsageError(f"backend must be one of {', '.join(known)}")
        self._policy = _policy(ttl)
        self._folder = None if folder is None else Path(folder)
        if backend == "memory":
            if folder is not None or options:
                raise UsageError("a cache in memory has no folder and no options; leave them out")
            # What is known of servers has to be where all threads can see it. It goes with this.
            self._folder, backend = Path(mkdtemp(prefix="planet-")), "sqlite"
            finalize(self, rmtree, self._folder, ignore_errors=True)
        self._cache = Cache(
            backend=backend,
            options={name: Secret(value) for name, value in (options or {}).items()},
        )
        self._user_agent = user_agent
        self._host_gap = host_gap

    def fetch(
        self,
        url: str,
        *,
        force: bool = False,
        offline: bool = False,
        ttl: timedelta | None = None,
    ) -> FetchedFeed:
        """Return the feed at an address, which may hold any Unicode, or in a file.

        With `force` the feed is asked before time, with validators, but not within a minute, nor
        while the server is to be left alone. With `offline` no request is sent. `ttl` is for this
        call, in place of the cache's.

        Raises:
            FeedError: the server could not be asked, or there is no feed; now, or the last time
                when the next request is not due. `kind` names the reason.
            UsageError: the address is none, or `ttl` is less than an hour.
            StateError: the folder or the back end cannot be used.
        """
        parse_address(url)
        ((_, result),) = self.fetch_many([url], force=force, offline=offline, ttl=ttl).items()
        if isinstance(result, FeedError):
            raise result
        return result

    def fetch_many(
        self,
        urls: Iterable[str],
        *,
        force: bool = False,
        offline: bool = False,
        ttl: timedelta | None = None,
    ) -> dict[str, FetchedFeed | FeedError]:
        """Return each address, once, with the feed or the error.

        Servers are asked at the same time, the feeds of one after the other; the rest is as for
        `fetch`. A word that is no address has an error of the kind `no_address`.

        Raises:
            UsageError: `ttl` is less than an hour.
            StateError: the folder or the back end cannot be used.
        """
        results: dict[str, FetchedFeed | FeedError] = {}
        policy = self._policy if ttl is None else _policy(ttl)
        wanted = list(dict.fromkeys(urls))
        for url in wanted:
            try:
                parse_address(url)
            except UsageError as error:
                results[url] = FetchError("no_address", str(error))
        names = [url for url in wanted if url not in results]
        with self._opened() as run:
            scope = Scope(force=force, offline=offline)
            results |= dict(peek(names, run=run, scope=scope, policy=policy))
        return results

    def purge(self, *, older_than: timedelta) -> int:
        """Drop addresses without a call since, and return their number.

        Pauses of servers stay. Without a call, an address is dropped after 90 days.

        Raises:
            StateError: the folder or the back end cannot be used.
        """
        # Who asks again begins anew, and must not do so within the hour.
        with self._opened() as run:
            return purge(run, older_than=max(older_than, self._policy.min_interval))

    def _opened(self) -> AbstractContextManager[Run]:
        return open_cache(
            self._folder,
            _clock,
            cache=self._cache,
            host_gap=self._host_gap,
            agent=self._user_agent,
        )


def _policy(ttl: timedelta) -> FetchPolicy:
    if ttl < FLOOR:
        raise UsageError("ttl is less than an hour; no server may be asked more often than that")
    return FetchPolicy(min_interval=ttl, max_interval=ttl)


class Planet:
    """A planet, by the config."""

    def __init__(self, config: Config) -> None:
        self.config = config

    @classmethod
    def from_config(
        cls, path: str | os.PathLike[str], *, environ: Mapping[str, str] | None = None
    ) -> Self:
        """Return the planet of a config file; `${NAME}` is taken from the environment.

        Raises:
            ConfigError: with every mistake of the file.
        """
        return cls(load(Path(path), environ=os.environ if environ is None else environ))

    @property
    def picks(self) -> tuple[Pick, ...]:
        """The picked episodes, as in `picks.yaml`."""
        return self.config.picks

    def feeds(self) -> tuple[Feed, ...]:
        """Return the feeds of the config, and of the lists as they were read last.

        Raises:
            StateError: the state cannot be read.
        """
        return load_planet_state(self.config).feeds

    def status(self) -> dict[str, Any]:
        """Return the health of each feed, as `planet status --json`; no request is sent.

        Raises:
            StateError: the state cannot be read.
        """
        return status(load_planet_state(self.config), now=_clock())

    def entries(self, *, edition: str | None = None) -> tuple[Explanation, ...]:
        """Return every stored entry, newest first, with the fate on a site.

        `edition` names the site; without a name, the first. `Explanation.is_shown` tells whether
        the entry is shown, `reason` why not, `entry` is the entry itself.

        Raises:
            StateError: the state cannot be read.
            UsageError: there is no such edition.
        """
        with open_outcomes(self.config, edition, now=_clock()) as outcomes:
            return tuple(outcomes.explain())

    def why(self, name: str, *, edition: str | None = None) -> tuple[Answer, ...]:
        """Return the fate of an entry, and the reason, in sentences as of `planet why`.

        `name` is the address, the id, or words of the title; all fitting entries are told.

        Raises: as `entries`.
        """
        with open_outcomes(self.config, edition, now=_clock()) as outcomes:
            speaker = Speaker(outcomes, Places(self.config.path))
            return tuple(speaker.explain_entry(one) for one in outcomes.find_entries(name))

    def build(self, *, offline: bool = False, force: bool = False) -> Report:
        """Ask the feeds that are due and publish the site, like `planet build`.

        With `offline` no request is sent; with `force` all feeds are asked, due or not, except at
        servers to be left alone. A feed that fails ends nothing and is in the report, and so is the
        reason when nothing was published.

        Feeds are read in other processes, which import nothing of the caller's program.

        Raises:
            StateError: the state cannot be used, or another run holds it.
            OutputError: the site cannot be written.
            ThemeError: the theme is broken.
        """
        scope = Scope(offline=offline, force=force)
        with open_run(self.config, _clock) as run:
            report = Report(started=run.clock())
            build(self.config, run=run, scope=scope, report=report)
        return report


def _clock() -> datetime:
    return datetime.now(UTC)
