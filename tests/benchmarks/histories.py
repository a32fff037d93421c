"""When feeds posted: histories made up by kind, and those of recorded feeds.

What is made up is the same each time. Hours are those of Berlin, where summer time begins on day
55 of the 90 that are replayed.
"""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

from planet.errors import ParseError
from planet.parse import parse

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
START = datetime(2025, 2, 3, tzinfo=UTC)
"""A Monday."""
LENGTH = 90 * DAY
BEFORE = -2 * 365
"""The day, counted from `START`, on which made-up histories begin."""
FEEDS = 8
"""Made-up feeds of each kind."""

_ZONE = ZoneInfo("Europe/Berlin")
_DAYS = range(BEFORE, LENGTH.days)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """When one feed posted."""

    name: str
    kind: str
    posts: tuple[datetime, ...]
    start: datetime
    """What is posted from here on counts."""
    end: datetime

    @property
    def is_weekly(self) -> bool:
        """Whether it posts at least weekly; one post in ten may be missing."""
        counted = sum(post >= self.start for post in self.posts)
        return counted * WEEK >= 0.9 * (self.end - self.start)


def made_up() -> list[History]:
    """Eight feeds of each kind."""
    return [_made_up(kind, number) for kind in KINDS for number in range(FEEDS)]


def recorded() -> list[History]:
    """Recorded feeds of 20 posts and more over 90 days and more, to be replayed for a year.

    Those whose posts bear a date and no time are left out, and so is what was recorded twice.
    """
    found: dict[tuple[datetime, ...], History] = {}
    for path in _recordings():
        posts = _posts(path)
        start = max(posts[-1] - 360 * DAY, posts[len(posts) // 4]) if posts else START
        if len(posts) >= 20 and posts[-1] - start >= LENGTH:
            history = History(name=path.name, kind="", posts=posts, start=start, end=posts[-1])
            found[posts[-20:]] = history
    return list(found.values())


def _made_up(kind: str, number: int) -> History:
    chance = Random(f"{kind} {number}")
    posts = sorted(post for post in KINDS[kind](chance) if post < START + LENGTH)
    return History(
        name=f"{kind} {number}", kind=kind, posts=tuple(posts), start=START, end=START + LENGTH
    )


def _recordings() -> Iterator[Path]:
    with (CORPUS / "inventory.tsv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["kind"] == "feed" and row["captured_in_the_wild"] == "yes":
                yield CORPUS / row["path"]


def _posts(path: Path) -> tuple[datetime, ...]:
    try:
        parsed = parse(path.read_bytes(), url="https://one.example/feed", content_type=None)
    except ParseError:
        return ()
    dates = {entry.published or entry.updated for entry in parsed.entries}
    posts = sorted(date for date in dates if date)
    timed = [post for post in posts if post.time() != time()]
    return tuple(posts) if 2 * len(timed) > len(posts) else ()


def _at(day: int, hour: float) -> datetime:
    """An hour of a day in Berlin."""
    midnight = datetime(START.year, START.month, START.day) + day * DAY  # noqa: DTZ001
    return (midnight + hour * HOUR).replace(tzinfo=_ZONE).astimezone(UTC)


def _is_workday(day: int) -> bool:
    return day % 7 < 5


def _news(chance: Random) -> Iterator[datetime]:
    for day in _DAYS:
        for hour in range(24):
            often = 1.3 if 7 <= hour < 22 else 0.1
            after = chance.expovariate(often if _is_workday(day) else often / 2)
            while after < 1:
                yield _at(day, hour + after)
                after += chance.expovariate(often)


def _dozen(chance: Random) -> Iterator[datetime]:
    moment = START + BEFORE * DAY
    while moment < START + LENGTH:
        moment += chance.uniform(1.5, 2.5) * HOUR
        yield moment


def _blog(chance: Random) -> Iterator[datetime]:
    for day in _DAYS:
        many = chance.choice([0, 1, 2, 3, 3, 4, 5] if _is_workday(day) else [0, 0, 1, 2])
        for _ in range(many):
            yield _at(day, chance.uniform(9, 23))


def _mornings(chance: Random) -> Iterator[datetime]:
    for day in filter(_is_workday, _DAYS):
        for _ in range(chance.choice([1, 2, 2, 3, 3, 4])):
            yield _at(day, chance.uniform(6, 11))


def _daily(chance: Random) -> Iterator[datetime]:
    for day in _DAYS:
        if chance.random() < 0.95:
            yield _at(day, chance.gauss(9, 1 / 6))


def _weekly(chance: Random) -> Iterator[datetime]:
    weekday, hour = chance.randrange(7), chance.randrange(6, 22)
    for day in _DAYS:
        if day % 7 == weekday and chance.random() < 0.95:
            yield _at(day, chance.gauss(hour, 1 / 12))


def _twice_a_week(chance: Random) -> Iterator[datetime]:
    for day in _DAYS:
        if chance.random() < 2 / 7:
            yield _at(day, chance.uniform(8, 23))


def _bursts(chance: Random) -> Iterator[datetime]:
    for first in _now_and_then(lambda: chance.uniform(4, 10)):
        for _ in range(5):
            yield first + chance.uniform(0, 2) * HOUR


def _any_time(chance: Random) -> Iterator[datetime]:
    yield from _now_and_then(lambda: chance.expovariate(1 / 7))


def _monthly(chance: Random) -> Iterator[datetime]:
    yield from _now_and_then(lambda: chance.uniform(25, 36))


def _dormant(chance: Random) -> Iterator[datetime]:
    for month in range(25):
        yield START - (400 + 30 * month + chance.uniform(0, 30)) * DAY


def _now_and_then(days: Callable[[], float]) -> Iterator[datetime]:
    moment = START + BEFORE * DAY
    while moment < START + LENGTH:
        moment += days() * DAY
        yield moment


KINDS: dict[str, Callable[[Random], Iterator[datetime]]] = {
    "news, about hourly by day": _news,
    "a dozen a day, at any hour": _dozen,
    "several a day, 9 to 23 h": _blog,
    "weekday mornings": _mornings,
    "daily at 9 h": _daily,
    "weekly, same day and hour": _weekly,
    "twice a week, 8 to 23 h": _twice_a_week,
    "bursts, then days of nothing": _bursts,
    "weekly, at any time": _any_time,
    "monthly": _monthly,
    "dormant": _dormant,
}
