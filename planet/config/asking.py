"""How one feed is asked for: the planet's settings with the feed's own laid over them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from planet.config.values import spoken
from planet.model import Asking

if TYPE_CHECKING:
    from planet.config import settings

# "Best practices for feed readers": one poll an hour at the most, and one a day where each is
# answered with the whole feed.
_FLOOR: Final = timedelta(hours=1)


def planet_wide(fetch: settings.Fetch) -> Asking:
    """How feeds are asked for that say nothing else."""
    return Asking(
        min_interval=fetch.min_interval,
        max_interval=fetch.max_interval,
        agreed=fetch.agreed,
        timeout=fetch.timeout,
        max_size=fetch.max_size,
    )


def of_feed(base: Asking, feed: settings.Feed) -> Asking:
    """How this feed is asked for. Its one interval moves the planet's other out of the way.

    The operator who knows the feed may ask for whole answers more often than daily, though not
    more often than hourly, whatever was agreed.
    """
    own = feed.fetch
    low = own.min_interval if own.min_interval is not None else base.min_interval
    high = own.max_interval if own.max_interval is not None else base.max_interval
    if own.max_interval is None:
        high = max(low, high)
    elif own.min_interval is None:
        low = min(low, high)
    return Asking(
        min_interval=low,
        max_interval=high,
        agreed=base.agreed if own.agreed is None else own.agreed,
        whole_interval=max(low, _FLOOR) if own.min_interval is not None else base.whole_interval,
        timeout=own.timeout or base.timeout,
        max_size=own.max_size or base.max_size,
        headers=tuple(feed.headers.items()),
        auth=(feed.auth.user, feed.auth.password) if feed.auth else None,
    )


def objection(asking: Asking) -> str | None:
    """Why feeds may not be asked for like this, in words that follow the name of the section."""
    low, high = asking.min_interval, asking.max_interval
    if low > high:
        return f"has a max_interval ({spoken(high)}) below the min_interval ({spoken(low)})"
    if low < _FLOOR and not asking.agreed:
        return (
            f"has a min_interval of {spoken(low)}, which is less than 1h; "
            'if the publisher agreed to that, say so: "agreed: true"'
        )
    return None
