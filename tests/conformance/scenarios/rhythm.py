"""How often a feed is asked for that says nothing of that itself."""

from datetime import datetime, timedelta
from typing import Any

from tests.conformance import bodies
from tests.conformance.answers import Body, live, ok
from tests.conformance.notation import (
    FIRST,
    NOON,
    Asked,
    D,
    H,
    M,
    S,
    Scenario,
    Tally,
    after,
    bare,
    between,
    tag,
)

EMPTY = bodies.rss()
MONDAY = datetime(2026, 11, 23, tzinfo=NOON.tzinfo)
MONDAYS = bodies.weekly(MONDAY - 7 * D + 9 * H)
QUICK = bodies.posted(*(20 * M * number for number in range(1, 20)))
BURST = bodies.posted(
    *(H + 10 * number * S for number in range(12)), *(H * hours for hours in (14, 25, 38, 49, 62))
)
IMPORTED = bodies.posted(*(H * hours for hours in (1, 13, 26, 37, 50, 61, 74)), 9000 * D)

FLOOR = (
    Scenario(
        "R23 waits an hour, though cron comes each minute",
        [live('"1"')],
        [FIRST, after(H), after(H), after(H)],
        every=M,
    ),
    Scenario("R23 does not come a second early", [live('"1"')], [FIRST], every=H - S, lasts=H - S),
    Scenario(
        "R23 asks each of ten feeds no sooner than an hour later",
        {f"/{number}": [live('"1"')] for number in range(10)},
        {f"/{number}": [FIRST, after(H)] for number in range(10)},
        feeds=[f"/{number}" for number in range(10)],
    ),
    Scenario(
        "R23 waits a day where every answer is a whole one",
        [ok()],
        [bare, after(D, bare), after(D, bare)],
    ),
    Scenario(
        "R23 has whole answers sent more often only where the operator says so of this feed",
        [ok()],
        [bare, after(3 * H, bare), after(3 * H, bare)],
        feeds=[{"url": "/feed", "fetch": {"min_interval": "3h"}}],
    ),
    Scenario(
        "R23 has whole answers sent no more often than every hour, whatever its publisher agreed "
        "to",
        [ok()],
        [bare, after(H, bare), after(H, bare)],
        feeds=[{"url": "/feed", "fetch": {"min_interval": "10m", "agreed": True}}],
    ),
    Scenario(
        "R23 comes sooner again once its server gives validators",
        [ok(), ok('"1"', body=bodies.now_and_then())],
        [bare, after(D, bare), between(H, 6 * H, tag('"1"'))],
    ),
    Scenario(
        "R23 waits as long as the operator says",
        [live('"1"')],
        [FIRST, after(5 * H)],
        fetch={"min_interval": "5h"},
    ),
    Scenario(
        "R23 comes every ten minutes where the publisher agreed and the feed moves that fast",
        [live('"1"', body=bodies.posted(*(5 * M * number for number in range(1, 20))))],
        [FIRST, after(10 * M), after(10 * M)],
        feeds=[{"url": "/feed", "fetch": {"min_interval": "10m", "agreed": True}}],
    ),
)


def _paced(name: str, body: Body, *waits: Asked, **more: Any) -> Scenario:
    """A feed with such posts, asked for again after these waits."""
    return Scenario(name, [live('"1"', body=body)], [FIRST, *waits], **more)


PACE = (
    _paced("R20 looks three times between two posts", bodies.now_and_then(), after(0.33 * 12 * H)),
    _paced("R20 does not hurry after a burst of posts", BURST, between(3.5 * H, 4.5 * H)),
    _paced("R20 is not misled by a post of long ago", IMPORTED, between(3.5 * H, 5 * H)),
    _paced("R20 looks every hour after a feed that posts faster", QUICK, after(H)),
    _paced(
        "R20 looks every six hours after a feed that never had a post", EMPTY, *[after(6 * H)] * 2
    ),
    Scenario(
        "R20 comes more and more seldom while a feed is silent",
        [live('"1"')],
        Tally(25, 50),
        lasts=10 * D,
    ),
    _paced(
        "R20 comes once a day at the least after a feed that posts once a month",
        bodies.now_and_then(times=61),
        *[after(D)] * 2,
    ),
    _paced(
        "R20 comes every three days after half a year of silence",
        bodies.now_and_then(newest=181 * D),
        *[after(3 * D)] * 2,
    ),
    Scenario(
        "R20 comes more seldom, too, after a feed that has a new date in each answer and no news",
        [ok(timedelta(0), body=bodies.restless)],
        Tally(20, 40),
        lasts=5 * D,
    ),
    _paced(
        "R21 goes on daily with a feed whose dates are years away",
        bodies.posted(*(-400 * D * number for number in range(1, 9))),
        *[between(H, D + 30 * M)] * 2,
    ),
    _paced(
        "R21 goes on with a feed whose dates are from last century",
        bodies.posted(*(10000 * D + 400 * D * number for number in range(9))),
        *[between(H, 3.1 * D)] * 2,
    ),
    _paced(
        "R20 comes just after nine on Monday when a feed posts on Mondays at nine",
        MONDAYS,
        between(3 * H, 4 * H),
        start=MONDAY + 6 * H,
    ),
    _paced(
        "R20 comes no sooner than after an hour, even if the usual time of a post is sooner",
        MONDAYS,
        between(H, 25 * H),
        start=MONDAY + 8 * H + 50 * M,
    ),
)

SCENARIOS = (*FLOOR, *PACE)
