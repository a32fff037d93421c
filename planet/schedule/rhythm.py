"""When a feed posted → when to look next.

A feed without a pattern is looked at about three times in the usual gap between two posts, and the
less often the longer it has been silent. A feed with a pattern has a clock of its own: it runs
fast on the days and at the hours at which the feed has posted, hardly at any other, and a day by
it lasts a day on average. The same wait is measured by that clock, and divided by what the clock
is worth: how many times likelier the moments of the feed's posts are by it than by chance. A clock
that is worth nothing is not used, so few posts, or posts at any hour, never make a pattern.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import timedelta
from functools import cache
from itertools import pairwise
from statistics import fmean, geometric_mean, median
from typing import TYPE_CHECKING, TypeAlias

from planet.model import DueReason, noun
from planet.schedule.constants import FLOOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime


SPREAD = timedelta(minutes=15)
"""A post that is no farther from the usual time of day keeps the hour."""

SHARE = 0.75
"""Of a feed's posts that must keep it, for the feed to be counted on."""

AHEAD = timedelta(hours=6)
"""So long before the hour nobody looks any more until it has passed."""

AFTER = timedelta(minutes=1)
"""What a publisher needs to publish."""


def wait_for_usual_hour(posts: Sequence[datetime], moment: datetime) -> datetime:
    """The moment, or just after the hour that the feed keeps when that is about to come.

    The day must be one on which it posts. All moments are in UTC; `posts` is not empty.
    """
    if moment.weekday() not in {post.weekday() for post in posts}:
        return moment
    seconds = [_second_of_day(post) for post in posts]
    usual = median(seconds)
    kept = [second for second in seconds if abs(second - usual) <= SPREAD.total_seconds()]
    if len(kept) < SHARE * len(posts):
        return moment
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    past = midnight + timedelta(seconds=max(kept)) + AFTER
    return past if timedelta(0) < past - moment <= AHEAD else moment


UNKNOWN = timedelta(hours=6)
"""The wait while nothing is known of a feed's pace."""

NEW_MAX = timedelta(hours=24)
"""The longest wait while too little is known."""

OF_GAP = 0.33
"""The wait, in gaps between posts: about three looks in each."""

OF_QUIET = 0.10
"""The wait, in the time since there was news: what RFC 9111 §4.2.2 takes for freshness."""

AT_ONCE = timedelta(seconds=60)
"""Posts that are closer together came at once: there is no gap between them."""

LEAST_GAPS = 3
"""With fewer gaps, or silences, nothing is said about the usual one."""

LEAST_DAYS = 5
"""On which a feed must have posted before it can have a pattern."""

SLOT = 1800
"""Seconds; by day, the speed of a feed's clock changes this often."""

DOUBT_HOURS = 2
"""As if a feed had also posted evenly through so many days: a clock never stops."""

DOUBT_DAYS = 1
"""As if each day of the week had been once more, and the feed had posted as on the average day."""

Speeds: TypeAlias = tuple[float, ...]

_DAY = 86400
_SLOTS = _DAY // SLOT
_WEEK = 7
_MONDAY = 1
"""The ordinal of some Monday, as datetime counts days."""


@cache
def _half_hour_weights(slot: int) -> Speeds:
    """How likely a feed that posts in one half hour of the day is to post in each; 1 on average.

    Most likely in the same one, a quarter as likely in the next, and hardly less likely in twelve
    hours than in eight: people who keep hours keep them well, except when they do not.
    """
    away = [abs(other - slot) for other in range(_SLOTS)]
    weights = [(1 + min(slots, _SLOTS - slots)) ** -2 for slots in away]
    return tuple(weight * _SLOTS / sum(weights) for weight in weights)


_ANY = (1.0,) * _SLOTS


@noun
class Clock:
    """The time of a feed, as its posts tell it: its speed, which is 1 on average."""

    hours: Speeds
    """In each half hour of the day (UTC)."""
    weekdays: Speeds
    """On each day of the week, from Monday; the two are multiplied."""
    aim: float
    """How much more a look at its busy hours finds than one at any hour."""

    def wait(self, length: float, *, after: datetime, limit: float) -> float:
        """Seconds until it has run for `length` seconds, at most `limit`."""
        start = _second_of_day(after)
        gone, left = 0, length
        while gone < limit:
            day, second = divmod(start + gone, _DAY)
            speed = self.hours[second // SLOT] * self.weekdays[(after.weekday() + day) % _WEEK]
            step = SLOT - second % SLOT
            if speed * step >= left:
                return min(gone + left / speed, limit)
            gone, left = gone + step, left - speed * step
        return limit


def predict_next(
    posts: Sequence[datetime],
    *,
    changed_at: datetime | None,
    after: datetime,
    limit: timedelta,
    is_irregular: bool = False,
) -> tuple[datetime, DueReason]:
    """When to look next by a feed's own pace, after a request that ended at `after`.

    `posts` are the moments of its last entries, oldest first; `changed_at` is when one was last
    added or edited. All are in UTC and not after `after`. `limit` is the longest wait; the
    shortest is an hour. With `is_irregular` it is known already that they have no pattern. The
    reason is PATTERN or ADAPTIVE.
    """
    length, reason = _wait(posts, changed_at, after, limit, is_irregular)
    return after + max(min(length, limit), FLOOR), reason


def has_no_pattern(posts: Sequence[datetime]) -> bool:
    """Whether a feed that posted then keeps to no hours or days."""
    return _fit_clock(posts) is None


def _wait(
    posts: Sequence[datetime],
    changed_at: datetime | None,
    after: datetime,
    limit: timedelta,
    is_irregular: bool,
) -> tuple[timedelta, DueReason]:
    news = [*posts[-1:], *([changed_at] if changed_at else [])]
    if not news:
        return UNKNOWN, DueReason.ADAPTIVE
    by_quiet = max((after - max(news)) * OF_QUIET, timedelta(0))
    gaps = [gap for one, other in pairwise(posts) if (gap := other - one) >= AT_ONCE]
    if len(gaps) < LEAST_GAPS:
        return min(by_quiet, NEW_MAX), DueReason.ADAPTIVE
    usual = timedelta(seconds=median(gap.total_seconds() for gap in gaps))
    length = max(usual * OF_GAP, by_quiet)
    rest = _remaining_silence(gaps, after - posts[-1]) * OF_GAP
    clock = None if is_irregular else _fit_clock(posts)
    if clock is None:
        return max(length, rest), DueReason.ADAPTIVE
    by_clock = max(min(max(length / clock.aim, rest), limit), FLOOR).total_seconds()
    wait = timedelta(seconds=clock.wait(by_clock, after=after, limit=limit.total_seconds()))
    return wait_for_usual_hour(posts, after + wait) - after, DueReason.PATTERN


def _remaining_silence(gaps: Sequence[timedelta], silence: timedelta) -> timedelta:
    """What is left of a silence, judged by the shortest that has lasted longer.

    Once a burst of posts is over, this is most of the time until the next one. Where gaps are of
    every length it is next to nothing.
    """
    longer = [gap - silence for gap in gaps if gap > silence]
    return min(longer) if len(longer) >= LEAST_GAPS else timedelta(0)


def _fit_clock(posts: Sequence[datetime]) -> Clock | None:
    """The clock of a feed; None when it posted on too few days, or whenever it liked.

    Each day on which it posted has the same say, however much it posted then. Its posts must be
    likelier by the clock than by chance: each by what the other days tell.
    """
    days: dict[int, list[int | None]] = defaultdict(list)
    for post in posts:
        days[post.toordinal() - _MONDAY].append(_half_hour(post))
    if len(days) < LEAST_DAYS:
        return None
    shares = [_day_speeds(slots) for slots in days.values()]
    weekdays, foretold_weekdays = _weekday_speeds(list(days))
    foretold = [
        hour * day
        for hour, day in zip(_predict_hours(days.values(), shares), foretold_weekdays, strict=True)
    ]
    if geometric_mean(foretold) <= 1:
        return None
    count = len(shares) + DOUBT_HOURS
    hours = tuple((sum(column) + DOUBT_HOURS) / count for column in zip(*shares, strict=True))
    return Clock(hours=hours, weekdays=weekdays, aim=fmean(foretold))


def _half_hour(post: datetime) -> int | None:
    """The half hour of the day; None for the stroke of midnight: that post bears only a date."""
    second = _second_of_day(post)
    return second // SLOT if second else None


def _second_of_day(moment: datetime) -> int:
    return moment.hour * 3600 + moment.minute * 60 + moment.second


def _day_speeds(slots: Sequence[int | None]) -> Speeds:
    """The speed in each half hour, as the posts of one day tell it."""
    shares = [_ANY if slot is None else _half_hour_weights(slot) for slot in slots]
    if len(shares) == 1:
        return shares[0]
    return tuple([sum(column) / len(shares) for column in zip(*shares, strict=True)])


def _predict_hours(
    days: Iterable[Sequence[int | None]], shares: Sequence[Speeds]
) -> Iterator[float]:
    """The speed at the posts of each day, as the other days tell it."""
    # Most feeds have no clock: so this is all that is worked out of their hours.
    posted = {slot for slots in days for slot in slots if slot is not None}
    sums = {slot: sum([share[slot] for share in shares]) + DOUBT_HOURS for slot in posted}
    others = len(shares) + DOUBT_HOURS - 1
    for slots, own in zip(days, shares, strict=True):
        yield fmean([1.0 if slot is None else (sums[slot] - own[slot]) / others for slot in slots])


def _weekday_speeds(days: Sequence[int]) -> tuple[Speeds, Speeds]:
    """The speed on each day of the week, and that on each day, as the others tell it.

    What counts is on how many of its Mondays a feed posted, not how many of its posts came on one.
    """
    first, last = min(days), max(days)
    doubt = DOUBT_DAYS * len(days) / (last - first + 1)
    posted = Counter(day % _WEEK for day in days)
    been = [(last - day) // _WEEK - (first - 1 - day) // _WEEK for day in range(_WEEK)]
    chances = [(posted[day] + doubt) / (been[day] + DOUBT_DAYS) for day in range(_WEEK)]
    total = sum(chances)
    foretold = {}
    for day, times in posted.items():
        others = (times - 1 + doubt) / (been[day] - 1 + DOUBT_DAYS)
        foretold[day] = others * _WEEK / (total - chances[day] + others)
    return tuple(chance * _WEEK / total for chance in chances), tuple(
        foretold[day % _WEEK] for day in days
    )
