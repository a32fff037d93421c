"""An address → what the feed there says, through a cache of its own; no config is needed.

As polite as a run: a feed is asked with validators, no more than once an hour, less often when it
or its server wants that, and not at all while its server is to be left alone. In between, what it
said last comes from the cache.
"""

from __future__ import annotations

import os
import threading
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from planet.config import Config, values
from planet.errors import FeedError, FetchError, UsageError
from planet.model import Feed, FetchPolicy, ParseResult
from planet.parse import PARSER
from planet.run import ingest
from planet.run.ingest import read
from planet.run.runtime import PollJournal, cleaning, opened, remembered
from planet.schedule import due, next_poll, remember, undone, unread
from planet.schedule.rhythm import named
from planet.text import address
from planet.text.address import redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from planet.model import FeedState, Fetched, NewEntry, Profile
    from planet.run.runtime import Run


_KEPT: Final = timedelta(days=90)
"""What is known of an address that nobody has asked about for so long goes."""
_LOCK: Final = threading.Lock()


def cache_folder() -> Path:
    """The user's folder for this cache (XDG Base Directory Specification)."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The specification: a relative path is not valid, and to be ignored.
    return (base if base.is_absolute() else Path.home() / ".cache") / "planet"


@contextmanager
def opened_cache(folder: Path | None, clock: Callable[[], datetime]) -> Iterator[Run]:
    """Hold a cache folder; None is `cache_folder`. Other threads wait until it is free.

    Raises:
        StateError: it cannot be used, or another process holds it.
    """
    state = (folder or cache_folder()).absolute()
    with _LOCK, opened(config_of(state), clock) as run:
        _tidy(run)
        yield run


def config_of(state: Path) -> Config:
    """A planet that has nothing but a state."""
    return Config(path=state / "config.yaml", title="", output=state / "public", state=state)


def _tidy(run: Run) -> None:
    """Let go of what nobody has asked about for long."""
    memories, now = run.store.memories(), run.clock()
    if any(memory.interrupted for memory in memories.values()):
        # A body may be there under an address that nobody lived to write down.
        return
    old = {
        key
        for key, memory in memories.items()
        if memory.attempted_at is not None and memory.attempted_at < now - _KEPT
    }
    if old:
        run.store.upkeep.forget(old)
        run.web.keep_only(
            (Feed(key=key, url=memory.url, slug=""), memory.answered_url)
            for key, memory in memories.items()
            if key not in old
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedFeed:
    """A feed as it is now, or as it was when it last could be asked; everything in it is clean."""

    url: str
    """The address that answered."""
    profile: Profile
    """What the feed says of itself: title, link, description, language, and more."""
    entries: tuple[NewEntry, ...]
    """In the order of the document. Titles and summaries are plain text, `content` is clean HTML,
    `raw` is what the feed sent; moments are UTC."""
    asked: bool
    """Whether its server was asked; if not, this is from the cache."""
    notes: tuple[str, ...] = ()
    """What was odd about it, in words."""

    @property
    def title(self) -> str:
        """What the feed is called: its title, else its address."""
        return self.profile.title or redacted(self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class Peek:
    """What came of looking at one address."""

    said: str
    """The address as it was given, without what may be secret."""
    result: FetchedFeed | FeedError
    next_at: datetime | None = None
    """When it is asked again at the earliest; None: nothing stands in the way."""


_ASKING: Final = FetchPolicy(max_interval=timedelta(hours=1))
_NEVER: Final = "never"
"""No parser has this version: whatever is on disk is to be read."""


def peek(names: Sequence[str], *, run: Run, in_workers: bool, texts: bool = True) -> Iterator[Peek]:
    """What the feeds at these addresses say, each as soon as it is known.

    Addresses may hold any Unicode; paths of files will do, too. Without `texts` the texts of
    entries are not cleaned, which takes most of the time. Reading happens `in_workers`, where a
    feed that takes too long is given up, or in this thread.

    Raises:
        UsageError: one of them is no address.
    """
    feeds: dict[str, Feed] = {}
    said: dict[str, str] = {}
    for name in names:
        feed = _feed(name)
        feeds.setdefault(feed.key, feed)
        said.setdefault(feed.key, redacted(name))
    memories = remembered(run)
    ledger = PollJournal(run, host_gap=config_of(Path()).fetch.host_gap)
    turns = due(feeds.values(), memories, ledger.hosts, reader=_NEVER, now=run.clock())
    asked = {turn.feed.key for turn in turns}
    rest = [
        turn
        for turn in unread(feeds.values(), memories, reader=_NEVER)
        if turn.feed.key not in asked
    ]
    left = dict(feeds)
    passed_by = (turn for turn in turns if turn.feed.key not in ledger.begun)
    with closing(run.web.fetch(turns, ledger)) as coming:
        for feed, fetched in chain(
            run.web.recall(rest),
            ledger.heard(coming),
            ledger.held(),
            run.web.recall(passed_by),
        ):
            before = memories.get(feed.key)
            result = _read(feed, fetched, before, run, in_workers=in_workers, texts=texts)
            memory = _remembered(feed, fetched, result, before, run)
            del left[feed.key]
            told = _told(fetched, result, memory)
            yield _peek(said[feed.key], feed, memory, told, ledger)
    unreached: dict[str, FeedError | None] = {}
    for feed, fetched in run.reach.held:
        # It is the network here that is down: nothing is held against anyone.
        unreached[feed.key] = fetched.error
        run.store.put_memory(undone(memories.get(feed.key), feed, fetched))
    for feed in left.values():
        before = memories.get(feed.key)
        error = unreached.get(feed.key) or _last_error(before) or _nothing_yet(feed)
        yield _peek(said[feed.key], feed, before, error, ledger)


def _feed(name: str) -> Feed:
    """The feed at an address.

    Raises:
        UsageError: it is none.
    """
    try:
        url = values.located(values.checked(name), Path.cwd())
    except ValueError as error:
        raise UsageError(f"{redacted(name)} {error}") from None
    return Feed(key=url, url=url, slug="", asking=_ASKING)


def _read(
    feed: Feed,
    fetched: Fetched,
    before: FeedState | None,
    run: Run,
    *,
    in_workers: bool,
    texts: bool,
) -> ParseResult | FeedError | None:
    """What a body says; None without one."""
    if fetched.body is None:
        return None
    call = partial(
        read,
        fetched.body,
        url=fetched.url,
        content_type=fetched.headers.get("content-type"),
        known=None,
        clean_first=None if texts else 0,
        cleaning=cleaning(config_of(Path())),
        read_as=ingest.read_as(feed, before),
    )
    if in_workers:
        return run.workers.call(call).result()
    try:
        return call()
    except FeedError as error:
        return error


def _remembered(
    feed: Feed,
    fetched: Fetched,
    result: ParseResult | FeedError | None,
    before: FeedState | None,
    run: Run,
) -> FeedState:
    """What is known of a feed from now on, kept for the next time."""
    news = result
    if isinstance(result, ParseResult):
        # All entries come anew each time; only what says when it was posted tells how often it is.
        posted = tuple(moment for moment in result.posted if moment and moment <= fetched.ended)
        news = replace(result, drafts=(), posted=posted)
    memory = remember(before, feed, fetched, news, reader=PARSER)
    run.store.keep(memory, None, now=fetched.ended)
    return memory


def _told(
    fetched: Fetched, result: ParseResult | FeedError | None, memory: FeedState
) -> FetchedFeed | FeedError:
    """What there is to tell of an answer, or of a body from disk."""
    if isinstance(result, ParseResult) and not memory.failures:
        return FetchedFeed(
            url=fetched.url,
            profile=named(result.profile, memory.resolved),
            entries=result.drafts,
            asked=fetched.asked,
            notes=result.notes,
        )
    error = fetched.error or (result if isinstance(result, FeedError) else _last_error(memory))
    assert error is not None, "without a body there is an error"
    return error


def _peek(
    said: str,
    feed: Feed,
    memory: FeedState | None,
    result: FetchedFeed | FeedError,
    ledger: PollJournal,
) -> Peek:
    asked_at = (memory.asked_url if memory else None) or feed.url
    next_at, _ = next_poll(feed, memory, ledger.hosts.get(address.host(asked_at)))
    return Peek(said=said, result=result, next_at=next_at)


def _last_error(memory: FeedState | None) -> FeedError | None:
    """Why a feed failed that is not asked again yet."""
    if memory is None or memory.error_kind is None:
        return None
    return FeedError(memory.error_kind, memory.error or memory.error_kind)


def _nothing_yet(feed: Feed) -> FetchError:
    host = address.host(feed.url).rpartition(":")[0] or feed.url
    words = f"{host} is not to be asked yet, and nothing of this feed is in the cache"
    return FetchError("host_cooldown", words)
