"""What no run needs any more → gone, and the room it took."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from planet.config import Cache
from planet.config.opml import list_feeds
from planet.errors import UsageError
from planet.model import Picks
from planet.run.open import migrate_moved_feeds, open_run, trusted_now
from planet.run.pictures import face_feed
from planet.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.model import Feed, FeedState
    from planet.run.open import Run


_REMEMBERED: Final = timedelta(days=90)
"""What is known of a feed that was taken off the config stays for so long at least: no server asks
to be left alone for longer, and whoever puts the feed back begins where it was."""


class PurgeReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a purge dropped."""

    entries: int
    texts: int
    feeds: int
    """Of which nothing is remembered any more."""
    bodies: int
    """Answers of servers, kept so that they need not be sent again."""
    freed: int
    """Bytes of the state folder."""


def purge(config: Config, *, clock: Callable[[], datetime]) -> PurgeReport:
    """Drop what retention no longer keeps and nobody comes back for, as a run does, and more.

    A run drops entries, texts and bodies, too; this also forgets feeds that left the config long
    ago, and gives the room back to the disk. What a run needs stays.

    Raises:
        UsageError: it is not known which feeds there are.
        StateError: the state cannot be used, or another run holds it.
    """
    size = _size(config.state)
    with open_run(config, clock) as run:
        before = {**run.store.upkeep.counts(), "bodies": run.web.session.count()}
        lists = run.store.lists.read()
        if any(subscription.key not in lists for subscription in config.subscriptions):
            raise UsageError(
                "a subscription list was never read, so nobody knows which feeds are on it; "
                "`planet fetch` reads it"
            )
        feeds = list_feeds(config, lists)
        # Feeds whose new address is in the config first take their past with them.
        forget(config, feeds, migrate_moved_feeds((*feeds, *config.subscriptions), run), run)
        retire(config, feeds, run=run)
        run.store.upkeep.forget(_orphans(config, feeds, run))
        after = {**run.store.upkeep.counts(), "bodies": run.web.session.count()}
        run.store.upkeep.compact()
        run.web.session.compact()
    gone = {name: count - after[name] for name, count in before.items()}
    return PurgeReport(**gone, freed=max(0, size - _size(config.state)))


def purge_dry_run(config: Config, *, clock: Callable[[], datetime]) -> PurgeReport:
    """Return what `purge` would drop; it is tried out on a copy of the state.

    A cache of HTTP answers that is not in the state folder is left out.
    """
    if not config.state.is_dir():
        return PurgeReport(entries=0, texts=0, feeds=0, bodies=0, freed=0)
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "state"
        with Store.open(config.state, config.redactor):  # nobody writes to it meanwhile
            shutil.copytree(config.state, copy)
        is_there = config.cache.backend in ("sqlite", "filesystem") and not config.cache.options
        cache = config.cache if is_there else Cache(backend="memory")
        return purge(replace(config, state=copy, cache=cache), clock=clock)


def _orphans(config: Config, feeds: Iterable[Feed], run: Run) -> frozenset[str]:
    """Return the feeds and lists that left the config long ago and have nothing to show."""
    wanted = {feed.key for feed in (*feeds, *config.subscriptions)}
    now = trusted_now(run)
    limit = now - max(config.retention.entries, _REMEMBERED)
    states = run.store.states()
    bare = run.store.upkeep.without_entries()
    return frozenset(
        key
        for key, state in states.items()
        if key not in wanted and key in bare and _is_past(state, limit, now)
    )


def _is_past(state: FeedState, limit: datetime, now: datetime) -> bool:
    """Return whether a feed was last asked before `limit`, and is not to be left alone any more."""
    asked = state.attempted_at is None or state.attempted_at < limit
    return asked and (state.rests_until is None or state.rests_until <= now)


def _size(folder: Path) -> int:
    """Return the size of all files in a folder, in bytes."""
    # SQLite has a file that ends so only while a database is open.
    files = (path for path in folder.rglob("*") if not path.name.endswith("-shm"))
    return sum(path.stat().st_size for path in files if path.is_file())


def forget(
    config: Config, feeds: Sequence[Feed], states: Mapping[str, FeedState], run: Run
) -> None:
    """Let go of episodes and of bodies that no feed will come back for."""
    run.store.entries.drop_episodes(except_of=[f.key for f in feeds if f.picks is Picks.ONLY])
    wanted = {feed.key: feed for feed in (*feeds, *config.subscriptions)}
    known = {key: (feed, states.get(key)) for key, feed in wanted.items()}
    if any(feed.is_asked and state and state.interrupted for feed, state in known.values()):
        # Its body may be there under an address that nobody lived to write down.
        return
    left = [state for key, state in states.items() if key not in wanted and state.answered_url]
    if left or run.is_connected:
        faces = run.store.pictures.read().values()
        run.web.keep_only(
            [
                *((feed, state.answered_url if state else None) for feed, state in known.values()),
                *((face_feed(one.url), one.answered_url) for one in faces),
            ]
        )
    for state in left:
        run.store.keep(replace(state, answered_url=None))


def keep_archived(feeds: Sequence[Feed], *, run: Run) -> None:
    """Have retention keep all that archived feeds said."""
    run.store.entries.keep_listed([feed.key for feed in feeds if feed.is_archived])


def retire(config: Config, feeds: Sequence[Feed], *, run: Run) -> None:
    """Let go of what retention no longer keeps: for good, so only once no site misses it."""
    keep_archived(feeds, run=run)
    retention, now = config.retention, trusted_now(run)
    # What a filter reads has to last as long as what it decides about.
    reads_texts = any(one.reads_texts for one in (config.filters, *(f.filters for f in feeds)))
    run.store.retire(
        (feed.key for feed in feeds if feed.picks is Picks.ALSO),
        entries_before=now - retention.entries,
        texts_before=now - (retention.entries if reads_texts else retention.content),
    )
