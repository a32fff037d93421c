"""Feeds that are only wanted when an edition comes out: asked shortly before that. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.schedule.chance import share
from planet.schedule.constants import FEW_LISTED, RELEASE_LEAD, RELEASE_SPREAD

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from planet.model import Timetable


def put_off(
    at: datetime,
    key: str,
    releases: Iterable[Timetable],
    *,
    succeeded_at: datetime | None,
    posts: Sequence[datetime] = (),
) -> datetime:
    """The moment itself, or a later one that is soon enough for the first release after it.

    `posts` are when the feed's last entries were posted, oldest first: one that posts so much that
    it may list some no longer by then is asked sooner.

    Feeds have moments of their own early in the time before a release, so that not all
    are asked at once, and a run that comes late in it still finds all of them due. One that was
    read in that time has done its part, and waits for the release after.
    """
    moments = [_moment(at, key, release, succeeded_at) for release in releases]
    spans = [last - first for first, last in zip(posts, posts[FEW_LISTED - 1 :], strict=False)]
    if spans and succeeded_at is not None:
        moments.append(max(at, succeeded_at + min(spans)))
    return min(moments)


def _moment(at: datetime, key: str, release: Timetable, succeeded_at: datetime | None) -> datetime:
    comes_out = release.next(at)
    while True:
        drawn = share(key, comes_out, "release")
        opens = comes_out - RELEASE_LEAD + RELEASE_SPREAD * drawn
        if succeeded_at is None or succeeded_at < comes_out - RELEASE_LEAD:
            return max(at, opens)
        comes_out = release.next(comes_out)
