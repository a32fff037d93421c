"""Which feeds are due, what an attempt changes, and when each is next.

All decisions are pure: they follow from the states of feeds and servers, from the result of an
attempt, and from `now`. Even jitter does (`waits.stable_fraction`). Comments name the rules of
docs/politeness.md by number, such as R24.

Doors besides what it offers itself:

    waits   every wait with its reason, and every number with its source
    health  the health of a feed: for readers, for machines, and advice for the operator
"""

from __future__ import annotations

from planet.schedule.due import (
    KnownFeeds,
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
from planet.schedule.waits import NETWORK, earliest_request
