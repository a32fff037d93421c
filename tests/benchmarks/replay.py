"""Replays when a feed posted, as a program that asks for it sees it."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from msgspec.structs import replace

from planet.model import FeedState, FetchPolicy, Timetable
from planet.schedule import next_poll, record_attempt
from tests.benchmarks.histories import DAY, History
from tests.builders import make_draft, make_feed, make_fetched, make_reading

WRITTEN = timedelta(minutes=72)
"""Between two runs of the schedule that `planet init` writes."""
QUARTER = timedelta(minutes=15)
ANSWER = timedelta(seconds=5)
"""From the beginning of a run to the end of its answer."""
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
    seen: tuple[tuple[datetime, datetime], ...]
    """When each post that was seen was posted, and when it was seen."""
    missed: int
    """Posts that were never seen."""

    @property
    def delays(self) -> list[timedelta]:
        """From post to seen, of each post that was seen."""
        return [seen - post for post, seen in self.seen]


def every(wait: timedelta) -> Asker:
    """One that asks on the dot."""
    return lambda at, new: at + wait


def planet(history: History, *releases: Timetable) -> Asker:
    """This program: what it remembers after each answer says when it asks next.

    With `releases`, nobody wants the feed but editions that come out at these times.
    """
    feed = make_feed(history.name, policy=FetchPolicy(releases=releases))
    memory: FeedState | None = None

    def ask(at: datetime, new: tuple[datetime, ...]) -> datetime:
        nonlocal memory
        fetched = make_fetched(
            started=at,
            ended=at + ANSWER,
            conditional=memory is not None,
            validators=frozenset({"etag"}),
        )
        reading = None
        if new:
            fetched = replace(fetched, status=200, body=b"", body_hash=at.isoformat())
            drafts = [make_draft(str(post)) for post in new]
            reading = make_reading(*drafts, posted=new)
        memory = record_attempt(memory, feed, fetched, reading, reader="1")
        due, _ = next_poll(feed, memory, None)
        assert due is not None
        return due

    return ask


def replay(history: History, ask: Asker, *, chance: Random, cron: timedelta = QUARTER) -> Result:
    """Ask from `WARM_UP` before the start to the end, at the first run that is due."""
    run = history.start - WARM_UP - chance.random() * DAY
    seen = 0
    requests = missed = 0
    found: list[tuple[datetime, datetime]] = []
    while run < history.end:
        listed = bisect_right(history.posts, run)
        new = history.posts[max(seen, listed - LISTED) : listed]
        if run >= history.start:
            requests += 1
            counted = [post for post in history.posts[seen:listed] if post >= history.start]
            found += [(post, run) for post in new if post >= history.start]
            missed += len(counted) - sum(post >= history.start for post in new)
        seen = listed
        due = ask(run, new)
        run += -(-(due - run) // cron) * cron
    days = (history.end - history.start) / DAY
    return Result(requests=requests, days=days, seen=tuple(found), missed=missed)
