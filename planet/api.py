"""Planet from Python: one feed with one call, or a whole run. docs/python.md has examples."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from planet.config import load
from planet.errors import FeedError
from planet.report import Report
from planet.run.build import build
from planet.run.lists import subscribed
from planet.run.peek import FetchedFeed, opened_cache, peek
from planet.run.publication import check_folders
from planet.run.recovery import recover
from planet.run.runtime import Scope, opened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.config import Config


__all__ = ["FetchedFeed", "Planet", "read_feed"]


def read_feed(url: str, *, cache: str | os.PathLike[str] | None = None) -> FetchedFeed:
    """The feed at an address, which may hold any Unicode; the path of a file will do, too.

    What came is kept in the folder `cache`, by default the user's own for this program, and asked
    for again with validators: no more than once an hour, less often when the feed or its server
    wants that. In between it comes from there, and `FetchedFeed.asked` is false.

    The feed is read in this process. Calls of several threads are made one after the other; of
    several processes each needs a folder of its own.

    Raises:
        FeedError: its server could not be asked, or there is no feed; or so it was the last time,
            and it is too early to ask again. `kind` says what it is.
        UsageError: that is no address.
        StateError: the folder cannot be used, or another process holds it.
    """
    folder = None if cache is None else Path(cache)
    with opened_cache(folder, _clock, processes=0) as run:
        (found,) = peek([url], run=run)
    if isinstance(found.result, FeedError):
        raise found.result
    return found.result


class Planet:
    """A planet: what its config says, to be built."""

    def __init__(self, config: Config) -> None:
        self.config = config

    @classmethod
    def from_config(
        cls, path: str | os.PathLike[str], *, environ: Mapping[str, str] | None = None
    ) -> Self:
        """The planet of a config file; `${NAME}` in it is taken from the environment.

        Raises:
            ConfigError: with every mistake in it.
        """
        return cls(load(Path(path), environ=os.environ if environ is None else environ))

    def build(self, *, offline: bool = False, force: bool = False) -> Report:
        """Ask the feeds that are due and publish what all say together, like `planet build`.

        With `offline` nobody is asked; with `force` all feeds are, due or not, except who is to be
        left alone. A feed that fails ends nothing and is in the report, and so is why nothing was
        published, if it was not.

        Feeds are read in other processes, which import the script that calls this: it has to be
        protected by `if __name__ == "__main__":`, as for `multiprocessing`.

        Raises:
            StateError: the state cannot be used, or another run holds it.
            OutputError: the site cannot be written.
            ThemeError: the theme is broken.
        """
        scope = Scope(offline=offline, force=force)
        with opened(self.config, _clock) as run:
            report = Report(started=run.clock())
            check_folders(self.config, run=run)
            feeds = subscribed(self.config, run=run, scope=scope, report=report)
            if words := recover(self.config, feeds, run=run, scope=scope):
                report.notices += (words,)
            build(self.config, feeds, run=run, scope=scope, report=report)
        return report


def _clock() -> datetime:
    return datetime.now(UTC)
