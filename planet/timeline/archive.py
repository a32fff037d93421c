"""How many posts arrived on each day → the archive documents of a planet's feeds. Pure.

A feed holds the newest posts, and of a loud source no more than its share; archive documents hold
all that arrived, so that a reader who asks seldom can fetch what it missed (RFC 5005 §4). Such a
document is fetched once. So posts are parted by when they arrived and not by their dates: what
arrives late, or with an old date, must not stand in a document that readers have already.
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from itertools import groupby
from typing import TYPE_CHECKING

from planet.model import ArchivePart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from planet.model import Arrivals


ARCHIVED = 5_000
"""How many posts are in archive documents, roughly: the last ones that arrived."""
IN_ONE = 500
"""Posts of one document, at most."""

_DAY = timedelta(days=1)


def plan_archive(arrivals: Sequence[Arrivals], now: datetime) -> tuple[ArchivePart, ...]:
    """Return the archive documents, the newest first; `arrivals` are by day, the newest first.

    A day is whole once something arrived on a later one, and has a document; a month of which all
    days are whole has one for all of them if it has few posts. Days are those of UTC.
    """
    if not arrivals:
        return ()
    # What may be dated in the future (`Future`) arrives then, and other posts before it.
    last = min(arrivals[0].day, now.date())
    whole = [day for day in arrivals if day.day < last]
    parts: list[ArchivePart] = []
    posts = 0
    for (year, month), group in groupby(whole, lambda day: (day.day.year, day.day.month)):
        days = list(group)
        is_over = (year, month) != (last.year, last.month)
        if is_over and sum(day.posts for day in days) <= IN_ONE:
            made = [_part(f"{year:04}-{month:02}", days)]
        else:
            made = [part for day in days for part in _parts_of_day(day)]
        for part in made:
            if posts >= ARCHIVED:
                return tuple(parts)
            parts.append(part)
            posts += part.posts
    return tuple(parts)


def next_change(arrivals: Sequence[Arrivals], now: datetime) -> datetime | None:
    """Return when time alone makes another document; None where only a new post does."""
    if not arrivals or arrivals[0].day <= now.date():
        return None
    return _begin(now.date()) + _DAY


def _parts_of_day(day: Arrivals) -> Iterator[ArchivePart]:
    for number, offset in enumerate(range(0, day.posts, IN_ONE), 1):
        name = day.day.isoformat() if number == 1 else f"{day.day.isoformat()}-{number}"
        yield _part(name, [day], offset)


def _part(name: str, days: Sequence[Arrivals], offset: int = 0) -> ArchivePart:
    return ArchivePart(
        name=name,
        since=_begin(days[-1].day),
        until=_begin(days[0].day) + _DAY,
        offset=offset,
        posts=min(sum(day.posts for day in days) - offset, IN_ONE),
        mark=" ".join(f"{day.posts} {day.mark}" for day in days),
    )


def _begin(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
