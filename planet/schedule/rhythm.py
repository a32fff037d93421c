"""When a feed posted → when to look next.

A feed without a pattern is asked about three times in the usual gap between two posts, and less
often the longer the feed is silent. A feed with a pattern has a clock of its own, which runs fast
on the days and at the hours of the feed's posts, and hardly at others; a day by the clock lasts a
day on average. The same wait is measured by this clock, and divided by the worth of the clock: how
many times likelier the moments of the posts are by the clock than by chance. A clock without worth
is not used, so few posts, or posts at any hour, never make a pattern.
"""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from itertools import pairwise
from statistics import fmean, geometric_mean, median
from typing import TYPE_CHECKING, NamedTuple

from planet.model import DueReason

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime


class Wait(NamedTuple):
    """The least time from the end of an attempt to the next request, and its reason."""

    length: timedelta
    reason: DueReason


SPREAD = timedelta(minutes=15)
"""A post is on time when it is no farther than this from the usual time of day."""

SHARE = 0.75
"""A feed has a usual time when at least this share of its posts is on time."""

AHEAD = timedelta(hours=6)
"""A request that would come less than this before the usual time comes after it instead."""

AFTER = timedelta(minutes=1)
"""What a publisher needs to publish."""


def wait_for_usual_hour(posts: Sequence[datetime], moment: datetime) -> datetime:
    """Return `moment`, or a moment just after the feed's usual time of day, if soon (`AHEAD`).

    The feed must post on this day of the week. All moments are in UTC; `posts` is not empty.
    """
    seconds = [_second_of_day(post) for post in posts]
    usual = median(seconds)
    on_time = [second for second in seconds if abs(second - usual) <= SPREAD.total_seconds()]
    is_its_day = any(post.weekday() == moment.weekday() for post in posts)
    if not is_its_day or len(on_time) < SHARE * len(posts):
        return moment
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    past = midnight + timedelta(seconds=max(on_time)) + AFTER
    return past if timedelta(0) < past - moment <= AHEAD else moment


UNKNOWN = timedelta(hours=6)
"""The wait while nothing is known of a feed's pace."""

OF_GAP = 0.33
"""The wait as a share of the usual gap between posts: about three requests in each."""

OF_QUIET = 0.10
"""The wait as a share of the time since the last news, as RFC 9111 §4.2.2 has it for freshness."""

AT_ONCE = timedelta(seconds=60)
"""Posts that are closer together count as one: there is no gap between them."""

LEAST_GAPS = 3
"""The fewest gaps, or silences, that tell the usual one."""

LEAST_DAYS = 5
"""The fewest days with posts that tell a pattern."""

SLOT = 1800
"""Seconds; the speed of a feed's clock changes this often within a day."""

DOUBT_HOURS = 2
"""So many posts at any hour are added, so that the clock never stops."""

DOUBT_DAYS = 1
"""So many posts on each day of the week are added."""

_DAY = 86400
_SLOTS = _DAY // SLOT


@cache
def _half_hour_weights(slot: int) -> tuple[float, ...]:
    """Return how likely each half hour of the day is after a post in one, 1 on average.

    The weight falls with the square of the distance: a quarter in the next half hour, and nearly
    the same at eight and at twelve hours from it.
    """
    distances = [abs(other - slot) for other in range(_SLOTS)]
    weights = [(1 + min(slots, _SLOTS - slots)) ** -2 for slots in distances]
    return tuple(weight * _SLOTS / sum(weights) for weight in weights)


class Clock(NamedTuple):
    """The clock of a feed, which runs fast when the feed usually posts, at speed 1 on average.

    The speed is the product of the speeds of the half hour and of the weekday.
    """

    hours: Sequence[float]
    """In each half hour of the day (UTC)."""
    weekdays: Sequence[float]
    """On each day of the week, from Monday."""
    aim: float
    """How much likelier a request at its busy hours finds a post than one at any hour."""

    def wait(self, length: float, *, after: datetime, limit: float) -> float:
        """Return the seconds until the clock has run for `length` seconds, at most `limit`."""
        start = _second_of_day(after)
        elapsed, left = 0, length
        while elapsed < limit:
            day, second = divmod(start + elapsed, _DAY)
            speed = self.hours[second // SLOT] * self.weekdays[(after.weekday() + day) % 7]
            step = SLOT - second % SLOT
            if speed * step >= left:
                return min(elapsed + left / speed, limit)
            elapsed, left = elapsed + step, left - speed * step
        return limit


def predict_next(
    posts: Sequence[datetime],
    *,
    news: datetime | None,
    after: datetime,
    least: timedelta,
    limit: timedelta,
) -> Wait:
    """Predict when a feed posts next, as the wait after a request ended at `after` (R20).

    `posts` are the moments of the last entries, oldest first; `news` is when an entry was last
    posted, added or edited. All are in UTC and not after `after`. `least` and `limit` are the
    shortest and the longest wait. The reason is PATTERN or ADAPTIVE.
    """

    def bound(length: timedelta) -> timedelta:
        return min(max(length, least), limit)

    if news is None:
        return Wait(bound(UNKNOWN), DueReason.ADAPTIVE)
    by_quiet = max((after - news) * OF_QUIET, timedelta(0))
    gaps = [gap for one, other in pairwise(posts) if (gap := other - one) >= AT_ONCE]
    if len(gaps) < LEAST_GAPS:
        return Wait(bound(by_quiet), DueReason.ADAPTIVE)
    usual = timedelta(seconds=median(gap.total_seconds() for gap in gaps))
    length = max(usual * OF_GAP, by_quiet)
    # After a burst of posts, the rest of the silence counts, if that lasts as long as the next
    # longer gap. Where gaps are of every length, the rest is next to nothing.
    rests = [rest for gap in gaps if (rest := gap - (after - posts[-1])) > timedelta(0)]
    silence = OF_GAP * (min(rests) if len(rests) >= LEAST_GAPS else timedelta(0))
    clock = _fit_clock(posts)
    if clock is None:
        return Wait(bound(max(length, silence)), DueReason.ADAPTIVE)
    by_clock = bound(max(length / clock.aim, silence)).total_seconds()
    seconds = clock.wait(by_clock, after=after, limit=limit.total_seconds())
    moment = wait_for_usual_hour(posts, after + timedelta(seconds=seconds))
    return Wait(bound(moment - after), DueReason.PATTERN)


def _fit_clock(posts: Sequence[datetime]) -> Clock | None:
    """Fit a clock to posts; None when they are of too few days, or have no pattern.

    Each post must be likelier by the clock of all others than by chance, in the mean.
    """
    if len({post.date() for post in posts}) < LEAST_DAYS:
        return None
    moments = [(post.weekday(), _second_of_day(post)) for post in posts]
    # At 0:00:00 a post most likely has only a date.
    weights = [_half_hour_weights(second // SLOT) for _, second in moments if second]
    number = len(posts) + DOUBT_HOURS
    even = (number - len(weights),) * _SLOTS
    hours = [sum(column) for column in zip(even, *weights, strict=True)]
    per_day = len(posts) / 7 + DOUBT_DAYS
    days = [DOUBT_DAYS + sum(day == of for of, _ in moments) for day in range(7)]
    own = _half_hour_weights(0)[0]
    predicted = [
        ((hours[second // SLOT] - own) / (number - 1) if second else 1)
        * ((days[day] - 1) / (per_day - 1 / 7))
        for day, second in moments
    ]
    if geometric_mean(predicted) <= 1:
        return None
    return Clock(
        hours=[speed / number for speed in hours],
        weekdays=[speed / per_day for speed in days],
        aim=fmean(predicted),
    )


def _second_of_day(moment: datetime) -> int:
    return moment.hour * 3600 + moment.minute * 60 + moment.second
