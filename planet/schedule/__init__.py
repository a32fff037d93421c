"""Which feeds are due, what an attempt changes, and when each is next.

All decisions are pure: they follow from the states of feeds and servers, from what an attempt
brought, and from `now`. Even jitter does (`waits.stable_fraction`). Comments name the rules of
docs/politeness.md by their numbers, such as R24.

Doors besides what it offers itself:

    waits   every wait, its reason, and the number of each rule with its source
    health  how a feed is: for readers, for machines, and what the operator should do
"""

from __future__ import annotations

from planet.schedule.due import (
    KnownFeeds,
    find_host,
    is_resting,
    next_poll,
    request_gap,
    select_due,
    select_unread,
)
from planet.schedule.health import changes_pages
from planet.schedule.record import (
    correct_clock,
    current_state,
    fill_profile_gaps,
    match_renamed_feeds,
    record_attempt,
    revive,
    undo_attempt,
    update_host,
)
from planet.schedule.waits import NETWORK, apply_policy, is_skipped
