"""Addresses → what the feeds there say, each as soon as it is known."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from planet import address, keeping
from planet.address import redacted
from planet.config import addresses
from planet.errors import FeedError, FetchError, UsageError
from planet.model import Asking, Feed, Reading
from planet.parse import PARSER
from planet.peeking.cache import config_of
from planet.peeking.nouns import FetchedFeed, Peek
from planet.reading import read
from planet.run import Ledger, cleaning, remembered
from planet.schedule import due, next_poll, remember, undone, unread
from planet.schedule.learned import named

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planet.model import Fetched, Memory
    from planet.run import Run

_ASKING: Final = Asking(max_interval=timedelta(hours=1))
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
    ledger = Ledger(run, host_gap=config_of(Path()).fetch.host_gap)
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
        url = addresses.located(addresses.checked(name), Path.cwd())
    except ValueError as error:
        raise UsageError(f"{redacted(name)} {error}") from None
    return Feed(key=url, url=url, slug="", asking=_ASKING)


def _read(
    feed: Feed,
    fetched: Fetched,
    before: Memory | None,
    run: Run,
    *,
    in_workers: bool,
    texts: bool,
) -> Reading | FeedError | None:
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
        read_as=keeping.read_as(feed, before),
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
    result: Reading | FeedError | None,
    before: Memory | None,
    run: Run,
) -> Memory:
    """What is known of a feed from now on, kept for the next time."""
    news = result
    if isinstance(result, Reading):
        # All entries come anew each time; only what says when it was posted tells how often it is.
        posted = tuple(moment for moment in result.posted if moment and moment <= fetched.ended)
        news = replace(result, drafts=(), posted=posted)
    memory = remember(before, feed, fetched, news, reader=PARSER)
    run.store.keep(memory, None, now=fetched.ended)
    return memory


def _told(
    fetched: Fetched, result: Reading | FeedError | None, memory: Memory
) -> FetchedFeed | FeedError:
    """What there is to tell of an answer, or of a body from disk."""
    if isinstance(result, Reading) and not memory.failures:
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
    memory: Memory | None,
    result: FetchedFeed | FeedError,
    ledger: Ledger,
) -> Peek:
    asked_at = (memory.asked_url if memory else None) or feed.url
    next_at, _ = next_poll(feed, memory, ledger.hosts.get(address.host(asked_at)))
    return Peek(said=said, result=result, next_at=next_at)


def _last_error(memory: Memory | None) -> FeedError | None:
    """Why a feed failed that is not asked again yet."""
    if memory is None or memory.error_kind is None:
        return None
    return FeedError(memory.error_kind, memory.error or memory.error_kind)


def _nothing_yet(feed: Feed) -> FetchError:
    host = address.host(feed.url).rpartition(":")[0] or feed.url
    words = f"{host} is not to be asked yet, and nothing of this feed is in the cache"
    return FetchError("host_cooldown", words)
