"""Digests: what came in a day or a week, told once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


class Every(StrEnum):
    """How often a digest is made."""

    DAY = "day"
    WEEK = "week"


class Weekday(StrEnum):
    """A day of the week."""

    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestTimes:
    """When a digest is made, in the planet's time zone."""

    every: Every = Every.DAY
    at: time = time(7)
    weekday: Weekday = Weekday.MONDAY
    """The day of the week on which a weekly one is made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestItem:
    """A post as a digest tells it."""

    uid: str
    heading: str
    link: str | None = None
    summary: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestSection:
    """What came from one source."""

    source: str
    """Its title."""
    link: str | None = None
    """Its home page."""
    items: tuple[DigestItem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """One digest: made once, and never changed."""

    name: str
    """The day it was due in the planet's time zone, `2026-11-22`; unique, and its folder."""
    due_at: datetime
    made_at: datetime
    """What came later is in the next one."""
    since: datetime
    """What it tells came after this, and until `made_at`."""
    sections: tuple[DigestSection, ...] = ()
    """By source, the one with the newest post first; never empty."""

    @property
    def count(self) -> int:
        """How many posts it tells of."""
        return sum(len(section.items) for section in self.sections)
