"""Replays when a feed posted, as a program that asks for it sees it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from planet.schedule import remember
from tests.benchmarks.histories import DAY, History
from tests.builders import make_draft, make_feed, make_fetched, make_reading

if TYPE_CHECKING:
    from random import Random

    from planet.model import Memory

CRON = timedelta(minutes=15)
"""Between two runs."""
LISTED = 20
"""Entries that a feed lists; an older one can no longer be seen."""
WARM_UP = 30 * DAY
"""Asked before anything counts."""

Asker = Callable[[datetime, tuple[datetime, ...]], datetime]
"""From when it asked and which posts it found to be new, to when it asks next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What asking for one feed cost, and what it brought."""

    requests: int
    days: float
    delays: tuple[timedelta, ...]
    """From post to seen, of each post that was seen."""
    missed: int
    """Posts that were never seen."""


def every(wait: timedelta) -> Asker:
    """One that asks on the dot."""
    return lambda at, new: at + wait


def planet(history: History) -> Asker:
    """This program: what it remembers after each answer says when it asks next."""
    feed = make_feed(history.name)
    memory: Memory | None = None

    def ask(at: datetime, new: tuple[datetime, ...]) -> datetime:
        nonlocal memory
        fetched = make_fetched(
            started=at,
            ended=at,
            conditional=memory is not None,
            validators=frozenset({"etag"}),
        )
        reading = None
        if new:
            fetched = replace(fetched, status=200, body=b"", body_hash=at.isoformat())
            drafts = [make_draft(str(post)) for post in new]
            reading = make_reading(*drafts, posted=new)
        memory = remember(memory, feed, fetched, reading, reader="1")
        assert memory.due_at is not None
        return memory.due_at

    return ask


def replay(history: History, ask: Asker, *, chance: Random) -> Result:
    """Ask from `WARM_UP` before the start to the end, at the first run that is due."""
    run = history.start - WARM_UP - chance.random() * DAY
    seen = 0
    requests = missed = 0
    delays: list[timedelta] = []
    while run < history.end:
        listed = bisect_right(history.posts, run)
        new = history.posts[max(seen, listed - LISTED) : listed]
        if run >= history.start:
            requests += 1
            counted = [post for post in history.posts[seen:listed] if post >= history.start]
            delays += [run - post for post in new if post >= history.start]
            missed += len(counted) - sum(post >= history.start for post in new)
        seen = listed
        due = ask(run, new)
        run += -(-(due - run) // CRON) * CRON
    days = (history.end - history.start) / DAY
    return Result(requests=requests, days=days, delays=tuple(delays), missed=missed)
