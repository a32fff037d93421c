"""A time of day, on each day or on one of the week, in a zone → its moments."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo

import msgspec

from planet.model.parsed import Timestamp, WebAddress

if TYPE_CHECKING:
    from collections.abc import Iterator


class Every(StrEnum):
    """Each day, or once a week on a day of it."""

    DAY = "day"
    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"


class DigestItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A post as a digest tells it."""

    uid: str
    heading: str
    """Empty for a note, whose text is the summary."""
    link: WebAddress | None = None
    summary: str | None = None


class DigestSection(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The posts of one source."""

    source: str
    """The title."""
    link: WebAddress | None = None
    """The home page."""
    items: tuple[DigestItem, ...] = ()


class Digest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One digest: made once, and never changed."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")]
    """The due day in the planet's time zone, `2026-11-22`; unique, and the name of the folder."""
    due_at: Timestamp
    made_at: Timestamp
    """Later posts are in the next digest."""
    since: Timestamp
    """The digest has posts from after this moment until `made_at`."""
    sections: tuple[DigestSection, ...] = ()
    """By source, the one with the newest post first; never empty."""

    @property
    def count(self) -> int:
        """The number of posts."""
        return sum(len(section.items) for section in self.sections)


_DAY = timedelta(days=1)
_WEEKDAYS = tuple(Every)[1:]


class Timetable(msgspec.Struct, frozen=True, kw_only=True):
    """When an edition publishes all entries that were found since the last time.

    A time of day that clocks leave out, because summer time begins, is an hour later by them; of
    one that comes twice it is the first.
    """

    every: Every = Every.DAY
    """Every `day`, or once a week."""
    at: Annotated[time, "time of day"] = time()
    """The time of day in the edition's zone."""
    zone: Annotated[ZoneInfo, "no setting"] = ZoneInfo("UTC")

    def last(self, now: datetime) -> datetime:
        """Return the newest moment, `now` included; UTC."""
        tomorrow = now.astimezone(self.zone).date() + _DAY
        return next(moment for moment in self._moments(tomorrow, -_DAY) if moment <= now)

    def next(self, now: datetime) -> datetime:
        """Return the first moment after `now`; UTC."""
        yesterday = now.astimezone(self.zone).date() - _DAY
        return next(moment for moment in self._moments(yesterday, _DAY) if moment > now)

    def _moments(self, day: date, step: timedelta) -> Iterator[datetime]:
        """Its moments from a day on or, with a step back, before it."""
        while True:
            if self.every in (Every.DAY, _WEEKDAYS[day.weekday()]):
                # Of a time that comes twice, this is the first (PEP 495).
                yield datetime.combine(day, self.at, self.zone).astimezone(UTC)
            day += step


class DigestTimes(Timetable, frozen=True, kw_only=True):
    """A digest of new posts since the one before, as a feed and a page."""

    at: Annotated[time, "time of day"] = time(7)
    """The time of day in the planet's zone; the next run makes it."""
