"""Which feeds are due, what an attempt changes, and when each is next. Pure decisions.

Nothing here reads a clock, a disk or a network: everything follows from what is known of a feed
and its server, what asking it brought, and `now`. Even chance does, see `waits.stable_fraction`.

Doors besides what it offers itself:

    advice     what the operator should know of feeds in trouble
    constants  every number of the politeness rules, with its source
    health     how a feed is: for readers, for machines, and what the operator should do
"""

from __future__ import annotations

from planet.schedule.attempts import (
    correct_clock,
    current_state,
    estimate_now,
    fill_profile_gaps,
    mark_clock_setback,
    match_renamed_feeds,
    record_attempt,
    revive,
    undo_attempt,
)
from planet.schedule.due import next_poll, release_lead, select_due, select_unread, usual_interval
from planet.schedule.health import changes_pages
from planet.schedule.merge import find_merges, set_merged_into
from planet.schedule.waits import (
    NETWORK,
    apply_policy,
    find_host,
    is_outage,
    is_resting,
    is_skipped,
    request_gap,
    update_host,
)
