"""An address → what the feed there says, through a cache of its own; no config is needed.

As polite as a run: a feed is asked with validators, no more than once an hour, less often when it
or its server wants that, and not at all while its server is to be left alone. In between, what it
said last comes from the cache.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
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
from planet.run.journal import PollJournal
from planet.run.poll import chosen, poll
from planet.run.runtime import cleaning, opened, remembered
from planet.schedule import named, next_poll, remember
from planet.text import address
from planet.text.address import redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
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
def opened_cache(
    folder: Path | None, clock: Callable[[], datetime], *, processes: int | None = None
) -> Iterator[Run]:
    """Hold a cache folder; None is `cache_folder`. Other threads wait until it is free.

    Feeds are read in so many `processes`, where one that takes too long is given up; with 0, here.

    Raises:
        StateError: it cannot be used, or another process holds it.
    """
    state = (folder or cache_folder()).absolute()
    with _LOCK, opened(config_of(state), clock, processes=processes) as run:
        _tidy(run)
        yield run


def config_of(state: Path) -> Config:
    """A planet that has nothing but a state."""
    return Config(path=state / "config.yaml", title="", output=state / "public", state=state)


def _tidy(run: Run) -> None:
    """Let go of what nobody has asked about for long."""
    states, limit = run.store.states(), run.clock() - _KEPT
    if any(state.interrupted for state in states.values()):
        # A body may be there under an address that nobody lived to write down.
        return
    old = {key for key, state in states.items() if (state.attempted_at or limit) < limit}
    if old:
        run.store.upkeep.forget(old)
        run.web.keep_only(
            (Feed(key=key, url=state.url, slug=""), state.answered_url)
            for key, state in states.items()
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

    shown: str
    """The address as it was given, without what may be secret."""
    result: FetchedFeed | FeedError
    next_at: datetime | None = None
    """When it is asked again at the earliest; None: nothing stands in the way."""


_POLICY: Final = FetchPolicy(max_interval=timedelta(hours=1))
_NEVER: Final = "never"
"""No parser has this version: whatever is on disk is to be read."""


def peek(names: Sequence[str], *, run: Run, texts: bool = True) -> Iterator[Peek]:
    """What the feeds at these addresses say, each as soon as it is known.

    Addresses may hold any Unicode; paths of files will do, too. Without `texts` the texts of
    entries are not cleaned, which takes most of the time.

    Raises:
        UsageError: one of them is no address.
    """
    feeds: dict[str, Feed] = {}
    shown: dict[str, str] = {}
    for name in names:
        feed = _feed(name)
        feeds.setdefault(feed.key, feed)
        shown.setdefault(feed.key, redacted(name))
    states, journal = remembered(run), PollJournal(run)

    def peeked(feed: Feed, state: FeedState | None, result: FetchedFeed | FeedError) -> Peek:
        asked_at = (state.asked_url if state else None) or feed.url
        next_at, _ = next_poll(feed, state, journal.hosts.get(address.host(asked_at)))
        return Peek(shown=shown[feed.key], result=result, next_at=next_at)

    requests, rest = chosen(
        [*feeds.values()], states, journal.hosts, reader=_NEVER, now=run.clock()
    )
    passed_by = (request for request in requests if request.feed.key not in journal.begun)
    reading = partial(_reading, states=states, texts=texts)
    left = dict(feeds)
    for feed, fetched, result in chain(
        poll(requests, journal, run, read=reading, on_disk=rest),
        poll([], journal, run, read=reading, on_disk=passed_by),
    ):
        news = result
        if isinstance(result, ParseResult):
            # All entries come anew each time; only when it posted tells how often it does.
            posted = tuple(moment for moment in result.posted if moment and moment <= fetched.ended)
            news = replace(result, drafts=(), posted=posted)
        state = remember(states.get(feed.key), feed, fetched, news, reader=PARSER)
        run.store.keep(state, None, now=fetched.ended)
        del left[feed.key]
        yield peeked(feed, state, _result(fetched, result, state))
    # If it is the network here that is down, nothing is held against anyone.
    journal.undo(states)
    unreached = {feed.key: fetched.error for feed, fetched in run.reach.held}
    for feed in left.values():
        before = states.get(feed.key)
        error = unreached.get(feed.key) or _last_error(before) or _nothing_yet(feed)
        yield peeked(feed, before, error)


def _feed(name: str) -> Feed:
    """The feed at an address."""
    try:
        url = values.located(values.checked(name), Path.cwd())
    except ValueError as error:
        raise UsageError(f"{redacted(name)} {error}") from None
    return Feed(key=url, url=url, slug="", policy=_POLICY)


def _reading(
    feed: Feed, fetched: Fetched, *, states: Mapping[str, FeedState], texts: bool
) -> Callable[[], ParseResult]:
    return partial(
        ingest.read,
        fetched.body or b"",
        url=fetched.url,
        content_type=fetched.headers.get("content-type"),
        stored=None,
        clean_first=None if texts else 0,
        cleaning=cleaning(config_of(Path())),
        read_as=ingest.read_as(feed, states.get(feed.key)),
    )


def _result(
    fetched: Fetched, result: ParseResult | FeedError | None, state: FeedState
) -> FetchedFeed | FeedError:
    """What there is to tell of an answer, or of a body from disk."""
    if isinstance(result, ParseResult) and not state.failures:
        return FetchedFeed(
            url=fetched.url,
            profile=named(result.profile, state.resolved),
            entries=result.drafts,
            asked=fetched.asked,
            notes=result.notes,
        )
    error = fetched.error or (result if isinstance(result, FeedError) else _last_error(state))
    assert error is not None, "without a body there is an error"
    return error


def _last_error(state: FeedState | None) -> FeedError | None:
    """Why a feed failed that is not asked again yet."""
    if state is None or state.error_kind is None:
        return None
    return FeedError(state.error_kind, state.error or state.error_kind)


def _nothing_yet(feed: Feed) -> FetchError:
    host = address.host(feed.url).rpartition(":")[0] or feed.url
    words = f"{host} is not to be asked yet, and nothing of this feed is in the cache"
    return FetchError("host_cooldown", words)
