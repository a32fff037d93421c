"""Moments → the days on which they are, in a time zone."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date
    from zoneinfo import ZoneInfo

_DAY = timedelta(days=1)


class Days:
    """The days of a time zone. What they are offset by is looked up once for each."""

    def __init__(self, zone: ZoneInfo) -> None:
        self._zone = zone
        self._offsets: dict[date, timedelta | None] = {}

    def of(self, moment: datetime) -> date:
        """The day on which a moment is; `moment` is UTC."""
        day = moment.date()
        if day not in self._offsets:
            self._offsets[day] = self._offset(day)
        offset = self._offsets[day]
        return (moment.astimezone(self._zone) if offset is None else moment + offset).date()

    def _offset(self, day: date) -> timedelta | None:
        """What the zone is ahead of UTC by on a whole day of UTC; None when that changes.

        No zone ever changed its offset and changed it back within a day.
        """
        begin = datetime.combine(day, time(), UTC)
        try:
            end = begin + _DAY
            found = {each.astimezone(self._zone).utcoffset() for each in (begin, end)}
        except OverflowError:  # the first and the last day that there are
            return None
        return found.pop() if len(found) == 1 else None
