"""How asking a feed has gone so far, in numbers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from planet.model import Day, Health
from planet.schedule.constants import HEALTH_DAYS, RESPONSE_WEIGHT
from planet.schedule.validators import is_unconditional

if TYPE_CHECKING:
    from planet.model import Fetched

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def tallied(health: Health, fetched: Fetched, *, failed: bool, noise: bool) -> Health:
    """With one attempt more.

    `failed` says that it counts as a failure; `noise` that a body came which differs from the one
    before, without any news in it.
    """
    came = fetched.error is None
    return Health(
        whole=health.whole + (came and fetched.status == 200),
        unchanged=health.unchanged + (came and fetched.status == 304),
        failed=health.failed + failed,
        unconditional=health.unconditional + is_unconditional(fetched),
        noise=health.noise + noise,
        throttled=health.throttled + (fetched.status == 429),
        response_time=_averaged(health.response_time, fetched.response_time if came else None),
        days=_counted(health.days, fetched, failed=failed),
    )


def _averaged(before: timedelta | None, new: timedelta | None) -> timedelta | None:
    if before is None or new is None:
        return new or before
    return before + (new - before) * RESPONSE_WEIGHT


def _counted(days: tuple[Day, ...], fetched: Fetched, *, failed: bool) -> tuple[Day, ...]:
    """The last days, with this attempt on the day it ended."""
    number = (fetched.ended - _EPOCH).days
    # Days to come were counted when the clock ran ahead.
    recent = {day.number: day for day in days if number - HEALTH_DAYS < day.number <= number}
    today = recent.pop(number, Day(number=number))
    today = replace(
        today,
        asked=today.asked + 1,
        failed=today.failed + failed,
        received=today.received + fetched.bytes_received,
    )
    return (*recent.values(), today)
