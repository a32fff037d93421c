"""How often a feed is asked for that says nothing of that itself."""

from datetime import datetime, timedelta

from tests.conformance import bodies
from tests.conformance.answers import live, ok
from tests.conformance.notation import (
    FIRST,
    NOON,
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

PACE = (
    Scenario(
        "R20 looks three times between two posts",
        [live('"1"', body=bodies.now_and_then())],
        [FIRST, after(0.33 * 12 * H)],
    ),
    Scenario(
        "R20 does not hurry after a burst of posts",
        [live('"1"', body=BURST)],
        [FIRST, between(3.5 * H, 4.5 * H)],
    ),
    Scenario(
        "R20 is not misled by a post of long ago",
        [live('"1"', body=IMPORTED)],
        [FIRST, between(3.5 * H, 5 * H)],
    ),
    Scenario(
        "R20 looks every hour after a feed that posts faster",
        [live('"1"', body=bodies.posted(*(20 * M * number for number in range(1, 20))))],
        [FIRST, after(H)],
    ),
    Scenario(
        "R20 looks every six hours after a feed that never had a post",
        [live('"1"', body=EMPTY)],
        [FIRST, after(6 * H), after(6 * H)],
    ),
    Scenario(
        "R20 comes more and more seldom while a feed is silent",
        [live('"1"')],
        Tally(25, 50),
        lasts=10 * D,
    ),
    Scenario(
        "R20 comes once a day at the least after a feed that posts once a month",
        [live('"1"', body=bodies.now_and_then(times=61))],
        [FIRST, after(D), after(D)],
    ),
    Scenario(
        "R20 comes every three days after half a year of silence",
        [live('"1"', body=bodies.now_and_then(newest=181 * D))],
        [FIRST, after(3 * D), after(3 * D)],
    ),
    Scenario(
        "R20 comes more seldom, too, after a feed that has a new date in each answer and no news",
        [ok(timedelta(0), body=bodies.restless)],
        Tally(20, 40),
        lasts=5 * D,
    ),
    Scenario(
        "R21 goes on daily with a feed whose dates are years away",
        [live('"1"', body=bodies.posted(*(-400 * D * number for number in range(1, 9))))],
        [FIRST, between(H, D + 30 * M), between(H, D + 30 * M)],
    ),
    Scenario(
        "R21 goes on with a feed whose dates are from last century",
        [live('"1"', body=bodies.posted(*(10000 * D + 400 * D * number for number in range(9))))],
        [FIRST, between(H, 3.1 * D), between(H, 3.1 * D)],
    ),
    Scenario(
        "R20 comes just after nine on Monday when a feed posts on Mondays at nine",
        [live('"1"', body=bodies.weekly(MONDAY - 7 * D + 9 * H))],
        [FIRST, between(3 * H, 4 * H)],
        start=MONDAY + 6 * H,
    ),
    Scenario(
        "R20 comes no sooner than after an hour, even if the usual time of a post is sooner",
        [live('"1"', body=bodies.weekly(MONDAY - 7 * D + 9 * H))],
        [FIRST, between(H, 25 * H)],
        start=MONDAY + 8 * H + 50 * M,
    ),
)

SCENARIOS = (*FLOOR, *PACE)
