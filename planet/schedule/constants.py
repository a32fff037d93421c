"""The numbers of politeness, each with its source.

They are lower bounds: configuration can make every wait longer, and none shorter than the floor,
save for a feed whose publisher agreed.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planet.model import Asking

FLOOR = timedelta(hours=1)
"""Between two requests for a feed, from the end of the last. Best practice of feed publishers: at
most one conditional request an hour."""


def floor(asking: Asking) -> timedelta:
    """The least time between two requests for a feed."""
    return asking.min_interval if asking.agreed else max(asking.min_interval, FLOOR)
