"""What the visits of a round have in common."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from planet.fetch.deadline import Watchdog
    from planet.fetch.room import Room
    from planet.fetch.route import Resolver
    from planet.fetch.session import FeedSession
    from planet.fetch.signing import Signer


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What all visits of a round share."""

    session: FeedSession
    resolver: Resolver
    signer: Signer | None
    """None where the operator has no key."""
    watchdog: Watchdog
    room: Room
    user_agent: str
    clock: Callable[[], datetime]
    ends_at: float = inf
    """When all is over, on the monotonic clock."""
