"""The numbers of politeness, each with its source.

Waits are lower bounds: configuration can make every wait longer, and none shorter than the floor,
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
"""Between two requests for a feed, from the end of the last. Best practice of feed publishers: at
most one conditional request an hour. For whole answers, at most one a day, see
`FetchPolicy.whole_interval`."""

FLOOR_IGNORED = 6 * _HOUR
"""For a feed whose server does not heed validators: between an hour, which is for conditional
requests, and a day, which is for unconditional ones."""

IGNORED_AFTER = 3
"""Conditional requests in a row that brought the same body, until validators count as ignored."""

ETAG_BROKEN = 30 * _DAY
"""For so long Last-Modified is sent alone where that helped. Apache's mod_deflate 2.4 changes the
ETag on its way out and then never matches it, and If-None-Match goes before If-Modified-Since
(RFC 9110 §13.1.3)."""

AUDIT = 28 * _DAY
"""One request without validators when nothing but 304 came for so long, in case a server says it
for ever. NetNewsWire asks so after 8 days, Tiny Tiny RSS after 12 hours; publishers ask for as
seldom as possible."""

AUDIT_GAPS = 8
"""The same in gaps between posts (their median), where that is longer."""

WHOLE_AGAIN = _DAY
"""From one request without validators to the next, where the operator asks for a feed whose last
whole answer could not be read."""

LONG_QUIET = 180 * _DAY
"""A feed without news for so long may wait `LONG_QUIET_FACTOR` times its longest interval."""

LONG_QUIET_FACTOR = 3

RECENT_POSTS = 20
"""Moments of posts that are remembered of a feed."""

# What publishers say

LIFETIME_PLAUSIBLE = 7 * _DAY
"""A max-age or Expires is honoured up to here, as lion-reader does; NetNewsWire met 1 year and 16,
which nobody meant, and a reader was banned for not heeding 2 days."""

LIFETIME_DEFAULT = 24 * _HOUR
"""In place of a lifetime that is not plausible."""

HINT_MAX = 24 * _HOUR
"""Of RSS ttl and the syndication module. Miniflux: what is longer are mostly seconds, meant as
minutes."""

RETRY_AFTER_MAX = 30 * _DAY
"""What is longer is a mistake; the library reader waits 31 days."""

RETRY_AFTER_WELL_MAX = 24 * _HOUR
"""Of an answer that is none of a server in need: 200 or 304."""

RESOLVED_FOR = 28 * _DAY
"""How long it is believed where a name leads; following it anew costs about three requests, and
tells whom an account has moved to. Our own judgement."""

FEW_LISTED = 7
"""A feed that nobody wants at once is asked again before so many entries can have come: WordPress
lists ten, and what is listed no more when we ask is lost. Our own judgement."""

TURNOVER_LEAST = 3
"""Entries that a list has at the least for it to tell anything that all of them are new. Our own
judgement."""

RUN_EVERY = 72 * _MINUTE
"""From one run to the next where it is not known: that of the schedule which `init` writes."""

RUN_LATE = 7 / 6
"""Of the usual time from one run to the next: the next one may take so long to come, twelve minutes
more than 72. Our own judgement."""

RUNS_SEEN = 21
"""Moments of runs that are remembered: twenty times from one to the next."""

RUNS_TELL = 3
"""With fewer such times nothing is said about the usual one."""

SKIP_SPREAD = 900 * _SECOND
"""How far into the first allowed hour a request may move after skipHours and skipDays, so that not
all readers come with the stroke of the hour."""

SKIP_PATIENCE = 7 * _DAY
"""A planet that runs in skipped hours only asks once a feed has been due for so long: that a daily
run at the wrong hour never reads it, nobody means. Our own judgement."""

# Chance

JITTER = 0.10
"""Of what a wait is longer than the floor, added at most, so that feeds asked together drift apart
(lion-reader, of the whole wait). Never taken off: publishers see 3585 seconds as too early. At the
floor the runs decide: each planet has minutes of its own."""

JITTER_MAX = 1800 * _SECOND

JITTER_BACKOFF = 0.25
"""Of a wait after a failure, added at most."""

# After failures

BACKOFF_MAX = 24 * _HOUR
"""The longest wait of a feed that fails, up to `BACKOFF_PATIENCE`."""

BACKOFF_PATIENCE = 14 * _DAY

BACKOFF_MAX_LATER = 7 * _DAY
"""The longest wait of a feed that has failed for longer than that (lion-reader)."""

THROTTLED_MAX = 24 * _HOUR
"""The longest wait after a 429 that does not say how long."""

LEARNED_FLOOR_MAX = 24 * _HOUR
"""Each 429 doubles the least interval up to here: publishers want a reader that slows down."""

LEARNED_FOR = 14 * _DAY
"""After so long without a 429 half of what it taught is forgotten."""

FORBIDDEN = 4 * _HOUR
"""The first wait after 401, 403 and their like (Unread Cloud). It doubles up to `LADDER_MAX`."""

REJECTED = 24 * _HOUR
"""The first wait after another 4xx, and after an answer that is too large: each try costs the
publisher its bandwidth. It doubles up to `LADDER_MAX`."""

LADDER_MAX = 7 * _DAY

NOT_FOUND = 24 * _HOUR
"""Between two requests to an address at which there never was a feed."""

UNEXPECTED_304 = 24 * _HOUR
"""After a "not modified" in answer to a request that named nothing."""

PATIENCE = 14 * _DAY
"""No feed is given up sooner, except one that is gone. Bloglines waited as long; outages of video
platforms that answer 404 last hours."""

NOT_FOUND_STRIKES = 8
"""404s in a row before a feed is given up. Publishers: a few more times, then stop."""

FORBIDDEN_STRIKES = 5
"""Refusals in a row before a feed is given up; whoever insists is banned."""

# Redirects

ADOPT_TIMES = 3
"""Successful attempts in a row that led to the same place for good, until it is asked directly.
NewsBlur takes 10; Feedbin and lion-reader take 6 and 7 days, Bloglines took 14."""

ADOPT_SPAN = 24 * _HOUR
"""The least time from the first to the last of these."""

MERGED_AGAIN = 28 * _DAY
"""A feed that is the same as another one is asked so seldom, to see whether it still leads there.
Our own judgement."""

# Servers

GAP_MAX = 120 * _SECOND
"""Up to here each 429 doubles the gap between two requests to a server."""

GAP_THROTTLED = _SECOND
"""The least gap that is doubled; an operator may have set none at all."""

GAPS = {"reddit.com": 65 * _SECOND}
"""What some servers need, with all below their name: about a request a minute, as NetNewsWire and
FreshRSS learned of Reddit."""

THROTTLES_403 = frozenset({"reddit.com"})
"""Servers that say 403 where 429 is meant."""

THROTTLES_MAX = 7
"""Throttles that count; by then every gap has reached `GAP_MAX`."""

OVERLOAD = 10 * _MINUTE
"""Two feeds of a server that say 503 within this time speak for the server. One alone does not:
FreshRSS found that a single bad route must not silence a host."""

# Runs

FORCE_GAP = 60 * _SECOND
"""Not even the operator's haste asks for a feed twice in this time (CommaFeed)."""

OUTAGE_FEEDS = 10
OUTAGE_HOSTS = 5
"""When so many feeds on so many servers were tried and none could be reached, it is our own
connection that is down (NetNewsWire counts nothing then)."""

CLOCK_LEAP = 30 * _DAY
"""So far a clock may leap from one run to the next, with no server to ask, until what is too old
is deleted by it. Our own judgement."""

CLOCK_SET = 10 * _MINUTE
"""By so much the clock here and those of servers must have moved against each other from one run to
the next for the clock here to count as set: then what waits may not be over. Servers take up to a
minute to answer, and nobody's clock drifts that far in a day."""

CLOCK_DOUBTED = 2 * _HOUR
"""After so long without a run a few servers are asked before all others, so that they can tell
whether it was so long. A run every 72 minutes never waits for that. Our own judgement."""

CLOCK_WITNESSES = 3
"""Servers that are asked first then; two of them are enough, because one may not answer."""

CLOCK_WRONG = _DAY
"""By so much it has to differ from those of servers for the operator to be told."""

OLDEST_NOW = datetime(2025, 1, 1, tzinfo=UTC)
"""No clock that is right says an earlier moment: this program is younger."""

# Health

HEALTH_DAYS = 30
RESPONSE_WEIGHT = 0.25
"""Of the last answer in the moving average of response times."""


def policy_floor(policy: FetchPolicy) -> timedelta:
    """The least time between two requests for a feed."""
    return policy.min_interval if policy.agreed else max(policy.min_interval, FLOOR)
