"""Several feeds at one server: what one of them is told, and how the server is spared."""

from tests.conformance import bodies
from tests.conformance.answers import found, live, ok, status
from tests.conformance.notation import (
    FIRST,
    H,
    M,
    Scenario,
    Tally,
    after,
    bare,
    between,
    failing,
    tag,
)

ONE, TWO, THREE, FAR = "/one", "/two", "/three", "b:/far"
THREE_FEEDS = (
    {"url": ONE, "priority": 9},
    {"url": TWO, "priority": 8},
    {"url": THREE, "priority": 7},
)
"""Asked in this order."""
ONE_GOES = {1.75 * H: THREE_FEEDS[1:2]}
"""The operator no longer subscribes to the first, so that only what the second is told counts."""
BUSY = status(503, retry_after="7200")

THROTTLED = (
    Scenario(
        "R25 asks nothing more of a server that said 429, until the time it named is over",
        {ONE: [status(429, retry_after="7200")], TWO: [live('"2"')]},
        {ONE: [FIRST], TWO: [failing(2 * H, bare)]},
        feeds=THREE_FEEDS[:2],
        edits=ONE_GOES,
    ),
    Scenario(
        "R25 asks nothing more of a server that said 429 and named no time, for twice the usual "
        "wait",
        {ONE: [ok('"1"'), status(429)], TWO: [live('"2"')]},
        {ONE: [FIRST, after(H)], TWO: [FIRST, between(3 * H, 4 * H, tag('"2"'))]},
        feeds=THREE_FEEDS[:2],
        edits=ONE_GOES,
        every=30 * M,
    ),
    Scenario(
        "R25 does not count it as a failure of the feeds that had to wait",
        {ONE: [status(429, retry_after="7200")], TWO: [live('"2"')]},
        {ONE: [FIRST], TWO: [failing(2 * H), after(H), after(H)]},
        feeds=[ONE],
        edits={5 * M: THREE_FEEDS[:2], **ONE_GOES},
    ),
    Scenario(
        "R25 asks other servers meanwhile",
        {ONE: [status(429, retry_after="7200"), live('"1"')], FAR: [live('"2"')]},
        {ONE: [FIRST], FAR: [between(0 * H, 0 * H), after(H)]},
        feeds=[ONE, FAR],
    ),
    Scenario(
        "R25 does not follow a redirect to a server that said 429, until the time it named is over",
        {
            ONE: [status(429, retry_after="7200"), live('"1"')],
            FAR: [found(TWO)],
            TWO: [live('"2"')],
        },
        {ONE: [FIRST], FAR: Tally(1, 3), TWO: []},
        feeds=[ONE],
        edits={10 * M: [ONE, FAR]},
        lasts=2 * H - M,
    ),
    Scenario(
        "R25 does not let the operator hurry a server that said 429",
        {ONE: [status(429, retry_after="7200")], TWO: [live('"2"')]},
        {ONE: [FIRST], TWO: [failing(2 * H)]},
        feeds=[ONE],
        edits={5 * M: THREE_FEEDS[:2], **ONE_GOES},
        forced=(H / 2, H),
    ),
)

OVERLOADED = (
    Scenario(
        "R26 asks nothing more of a server that said 503 for two feeds, for the longer of their "
        "waits",
        {
            ONE: [status(503, retry_after="18000"), live('"1"')],
            TWO: [BUSY, live('"2"')],
            THREE: [live('"3"')],
        },
        {ONE: [FIRST, failing(5 * H)], TWO: [FIRST, failing(5 * H)], THREE: [failing(5 * H, bare)]},
        feeds=THREE_FEEDS,
    ),
    Scenario(
        "R26 goes on with the other feeds of a server that said 503 for one",
        {ONE: [BUSY, live('"1"')], TWO: [live('"2"')], THREE: [live('"3"')]},
        {
            ONE: [FIRST],
            TWO: [between(0 * H, 0 * H), after(H)],
            THREE: [between(0 * H, 0 * H), after(H)],
        },
        feeds=THREE_FEEDS,
    ),
    Scenario(
        "R26 does not add up what two feeds were told half an hour apart",
        {ONE: [BUSY], TWO: [BUSY], THREE: [live('"3"')]},
        {ONE: [FIRST], TWO: [between(H / 2, H / 2)], THREE: [between(40 * M, 40 * M)]},
        feeds=THREE_FEEDS[:1],
        edits={H / 2: THREE_FEEDS[:2], 40 * M: THREE_FEEDS},
    ),
    Scenario(
        "R26 does not take a missing page for a server in trouble",
        {ONE: [status(404)], TWO: [status(404)], THREE: [live('"3"')]},
        {ONE: [FIRST], TWO: [FIRST], THREE: [between(0 * H, 0 * H)]},
        feeds=THREE_FEEDS,
    ),
)

SPARED = (
    Scenario(
        "R50 asks for all the feeds of a server over one connection",
        {f"/{number}": [live(f'"{number}"')] for number in range(5)},
        {f"/{number}": [FIRST] for number in range(5)},
        feeds=[f"/{number}" for number in range(5)],
        connections=1,
    ),
    Scenario(
        "R50 keeps that connection when one of the answers is an error",
        {ONE: [status(404)], TWO: [status(500)], THREE: [live('"3"')]},
        {ONE: [FIRST], TWO: [FIRST], THREE: [FIRST]},
        feeds=THREE_FEEDS,
        connections=1,
    ),
    Scenario(
        "R50 lets a second pass between two requests to one server",
        {ONE: [live('"1"')], TWO: [live('"2"')]},
        {ONE: [FIRST], TWO: [FIRST]},
        feeds=[ONE, TWO],
        fetch={"host_gap": "1s"},
        gap=1.0,
    ),
    Scenario(
        "R50 lets twice as much pass after a 429",
        {ONE: [status(429, retry_after="3600"), live('"1"')], TWO: [live('"2"')]},
        {ONE: [FIRST, between(3 * H, 3 * H)], TWO: [between(3 * H, 3 * H)]},
        feeds=[ONE],
        edits={3 * H: [ONE, TWO]},
        fetch={"host_gap": "1s"},
        every=3 * H,
        gap=2.0,
    ),
    Scenario(
        "R50 asks the important feeds first when time is short, and the others in the next run",
        {ONE: [live('"1"')], TWO: [live('"2"')], THREE: [live('"3"')]},
        {
            THREE: [between(0 * H, 0 * H)],
            TWO: [between(5 * M, 5 * M)],
            ONE: [between(10 * M, 10 * M)],
        },
        feeds=[{"url": ONE}, {"url": TWO, "priority": 1}, {"url": THREE, "priority": 2}],
        fetch={"host_gap": "2s", "budget": "1s"},
        every=5 * M,
    ),
    Scenario(
        "R52 asks once for a feed that is subscribed to in two spellings",
        {ONE: [live('"1"')], "/list": [live('"l"', body=bodies.opml(ONE))]},
        {ONE: [bare, after(H, tag('"1"'))], "/list": Tally(1, 2)},
        feeds=[ONE],
        lists=["/list"],
        lasts=70 * M,
    ),
)

SCENARIOS = (*THROTTLED, *OVERLOADED, *SPARED)
