"""The numbers of politeness, each with its source; docs/politeness.md has the rules.

Waits are lower bounds: the config can make every wait longer, and none shorter than the floor,
save for a feed whose publisher agreed. A number without a source is our own judgement.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planet.model import FetchPolicy


_SECOND = timedelta(seconds=1)
_MINUTE = timedelta(minutes=1)
_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)

# How often a feed is asked

FLOOR = _HOUR
"""The least time from the end of a request for a feed to the next one. Feed publishers ask for at
most one conditional request an hour, and one whole answer a day (`FetchPolicy.whole_interval`)."""

FLOOR_IGNORED = 6 * _HOUR
"""The floor of a feed whose server ignores validators: between the hour of conditional requests
and the day of unconditional ones."""

IGNORED_AFTER = 3
"""So many conditional requests in a row with the same body show that validators are ignored."""

ETAG_BROKEN = 30 * _DAY
"""How long Last-Modified is sent alone where that helped. Apache's mod_deflate 2.4 changes the
ETag of its answers and then never matches it, and If-None-Match goes before If-Modified-Since
(RFC 9110 §13.1.3)."""

AUDIT = 28 * _DAY
"""After only 304s for so long, one request is sent without validators: some servers say 304 for
ever. NetNewsWire does it after 8 days, Tiny Tiny RSS after 12 hours; publishers want it as seldom
as possible."""

AUDIT_GAPS = 8
"""The same in gaps between posts (their median), where that is longer."""

WHOLE_AGAIN = _DAY
"""The least time between two requests without validators, where the operator asks again for a feed
whose body could not be read."""

TOO_SLOW_TIMES = 3
"""Readings in a row that take too long, after which it is the feed and not a busy machine."""

LONG_QUIET = 180 * _DAY
"""A feed without news for so long may wait `LONG_QUIET_FACTOR` times its longest interval."""

LONG_QUIET_FACTOR = 3

RECENT_POSTS = 20
"""Moments of posts that are remembered of a feed."""

# What publishers say

LIFETIME_PLAUSIBLE = 7 * _DAY
"""The longest max-age or Expires that is honoured, as in lion-reader. NetNewsWire met 1 year and
16 by mistake; a reader was banned for ignoring 2 days."""

LIFETIME_DEFAULT = 24 * _HOUR
"""Stands in for a lifetime that is longer than that."""

HINT_MAX = 24 * _HOUR
"""The longest wait by RSS ttl and the syndication module. Miniflux: longer ones are mostly seconds
that should be minutes."""

RETRY_AFTER_MAX = 30 * _DAY
"""The longest Retry-After that is honoured; the library reader has 31 days."""

RETRY_AFTER_WELL_MAX = 24 * _HOUR
"""The same on a 200 or 304."""

RESOLVED_FOR = 28 * _DAY
"""How long the address of an account is kept. To resolve it costs about three requests, and tells
where the account has moved. Our own judgement."""

FEW_LISTED = 7
"""A feed that waits for a release is asked again before so many entries can have come: WordPress
lists ten, and an entry that is not listed any more is lost. Our own judgement."""

RELEASE_LEAD = 84 * _MINUTE
"""How long before a release its feeds are due: the last run before it falls into that time where a
run begins every 72 minutes, as `planet init` writes it, and up to 12 minutes late."""

SKIP_SPREAD = 900 * _SECOND
"""How far into the first allowed hour a request may move after skipHours and skipDays, so that not
all readers come on the hour."""

SKIP_PATIENCE = 7 * _DAY
"""A feed that has been due for so long is asked in skipped hours, too: a daily run at such an hour
would never read it. Our own judgement."""

# Chance

JITTER = 0.10
"""At most this share of what a wait exceeds the floor by is added, so that feeds asked together
drift apart (lion-reader: of the whole wait). Nothing is taken off: for publishers 3585 seconds are
too early. At the floor nothing is added: planets run at minutes of their own."""

JITTER_MAX = 1800 * _SECOND

JITTER_BACKOFF = 0.25
"""At most this share of a wait after a failure is added."""

# After failures

BACKOFF_MAX = 24 * _HOUR
"""The longest wait of a feed that fails, up to `BACKOFF_PATIENCE`."""

BACKOFF_PATIENCE = 14 * _DAY

BACKOFF_MAX_LATER = 7 * _DAY
"""The longest wait of a feed that has failed for longer than that (lion-reader)."""

THROTTLED_MAX = 24 * _HOUR
"""The longest wait after a 429 that does not say how long."""

LEARNED_FLOOR_MAX = 24 * _HOUR
"""Each 429 doubles the floor of a feed up to here: publishers want a reader that slows down."""

LEARNED_FOR = 14 * _DAY
"""After so long without a 429 the learned floor is halved."""

FORBIDDEN = 4 * _HOUR
"""The first wait after 401, 403 and their like (Unread Cloud). It doubles up to `LADDER_MAX`."""

REJECTED = 24 * _HOUR
"""The first wait after any other 4xx, and after an answer that is too large, which costs the
publisher bandwidth each time. It doubles up to `LADDER_MAX`."""

LADDER_MAX = 7 * _DAY

NOT_FOUND = 24 * _HOUR
"""The wait after a 404 from an address at which there never was a feed."""

UNEXPECTED_304 = 24 * _HOUR
"""The wait after a 304 to a request without validators."""

PATIENCE = 14 * _DAY
"""The least time of failures until a feed is given up, except for a 410. Bloglines waited as long;
outages in which video platforms answer 404 last hours."""

NOT_FOUND_STRIKES = 8
"""404s in a row before a feed is given up. Publishers: a few more times, then stop."""

FORBIDDEN_STRIKES = 5
"""Refusals in a row before a feed is given up; whoever insists is banned."""

# Redirects

ADOPT_TIMES = 3
"""So many successful polls in a row with the same permanent redirect until its target is adopted.
NewsBlur has 10; Feedbin and lion-reader have 6 and 7 days, Bloglines had 14."""

ADOPT_SPAN = 24 * _HOUR
"""The least time from the first to the last of these."""

# Servers

GAP_MAX = 120 * _SECOND
"""Up to here each 429 doubles the gap between two requests to a server."""

GAP_THROTTLED = _SECOND
"""The gap that is doubled where the operator has set a shorter one."""

GAPS = {"reddit.com": 65 * _SECOND}
"""The least gap of some servers and their subdomains: Reddit allows about one request a minute,
as NetNewsWire and FreshRSS found."""

THROTTLES_MAX = 7
"""How many throttles count; by then every gap has reached `GAP_MAX`."""

OVERLOAD = 10 * _MINUTE
"""Two feeds of a server with 503 within this time make the whole server rest. One does not:
FreshRSS found that one bad path must not silence a host."""

# Runs

FORCE_GAP = 60 * _SECOND
"""No feed is asked twice within this time, not even with `--force` (CommaFeed)."""

OUTAGE_FEEDS = 10
OUTAGE_HOSTS = 5
"""When so many feeds on so many servers were asked and none could be reached, our own connection is
down, and no failure counts (as in NetNewsWire)."""

CLOCK_LEAP = 30 * _DAY
"""How far the clock may leap from one run to the next and still decide what is old enough to be
deleted. Our own judgement."""

OLDEST_NOW = datetime(2025, 1, 1, tzinfo=UTC)
"""A clock that says an earlier moment is wrong: this program is younger."""

# Health

HEALTH_DAYS = 30
RESPONSE_WEIGHT = 0.25
"""The weight of the last answer in the moving average of response times."""


def policy_floor(policy: FetchPolicy) -> timedelta:
    """Return the least time between two requests for a feed by its policy."""
    return policy.min_interval if policy.agreed else max(policy.min_interval, FLOOR)
