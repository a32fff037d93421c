"""Feeds that keep an hour, and the moment just after it."""

from __future__ import annotations

from datetime import timedelta
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

SPREAD = timedelta(minutes=15)
"""A post that is no farther from the usual time of day keeps the hour."""

SHARE = 0.75
"""Of a feed's posts that must keep it, for the feed to be counted on."""

AHEAD = timedelta(hours=6)
"""So long before the hour nobody looks any more until it has passed."""

AFTER = timedelta(minutes=1)
"""What a publisher needs to publish."""


def punctual(posts: Sequence[datetime], moment: datetime) -> datetime:
    """The moment, or just after the hour that the feed keeps when that is about to come.

    The day must be one on which it posts. All moments are in UTC; `posts` is not empty.
    """
    if moment.weekday() not in {post.weekday() for post in posts}:
        return moment
    seconds = [_of_day(post).total_seconds() for post in posts]
    usual = timedelta(seconds=median(seconds))
    kept = [time for post in posts if abs((time := _of_day(post)) - usual) <= SPREAD]
    if len(kept) < SHARE * len(posts):
        return moment
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    past = midnight + max(kept) + AFTER
    return past if timedelta(0) < past - moment <= AHEAD else moment


def _of_day(post: datetime) -> timedelta:
    return timedelta(hours=post.hour, minutes=post.minute, seconds=post.second)
