"""When it is not the feeds that are down, but our own connection."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet import address
from planet.model import DueReason
from planet.schedule.causes import NETWORK
from planet.schedule.constants import OUTAGE_FEEDS, OUTAGE_HOSTS
from planet.schedule.known import known_of
from planet.schedule.upcoming import soon

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planet.model import Feed, Fetched, Memory


def is_outage(attempts: Iterable[tuple[Feed, Fetched]]) -> bool:
    """Whether a run has reached nobody, though it tried enough to tell.

    Files and bodies from disk say nothing of that.
    """
    tried = [(feed, fetched) for feed, fetched in attempts if fetched.asked and not feed.is_file]
    feeds = {feed.key for feed, _ in tried}
    hosts = {address.host(feed.url) or address.host(came.url) for feed, came in tried}
    if len(feeds) < OUTAGE_FEEDS or len(hosts) < OUTAGE_HOSTS:
        return False
    return all(fetched.error and fetched.error.kind in NETWORK for _, fetched in tried)


def undone(before: Memory | None, feed: Feed, fetched: Fetched) -> Memory:
    """What is known of a feed after an attempt that an outage took: as before, but attempted."""
    known = replace(known_of(feed, before), attempted_at=fetched.started)
    return soon(known, feed, DueReason.OUTAGE, ended=fetched.ended)
