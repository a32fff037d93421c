"""Which feeds are due, what an attempt changes, and when each is next. Pure decisions.

Nothing here reads a clock, a disk or a network: everything follows from what is known of a feed
and its server, what asking it brought, and `now`. Even chance does, see `waits.share`.

Doors besides what it offers itself:

    advice     what the operator should know of feeds in trouble
    constants  every number of the politeness rules, with its source
    health     how a feed is: for readers, for machines, and what the operator should do
"""

from __future__ import annotations

from planet.schedule.attempts import (
    believable,
    corrected,
    dated_later,
    named,
    remember,
    renamed,
    revived,
    state_of,
    undone,
)
from planet.schedule.due import due, interval, next_poll, release_lead, unread
from planet.schedule.health import shows
from planet.schedule.merge import find_merges, merge
from planet.schedule.waits import (
    NETWORK,
    gap,
    host_after,
    host_of,
    is_outage,
    rests,
    skips,
    with_policy,
)
