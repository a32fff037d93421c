"""Redirects: followed by hand, from the subscribed address, until they prove lasting."""

from tests.conformance import bodies
from tests.conformance.answers import found, live, moved, ok, same, status
from tests.conformance.notation import (
    FEED,
    FIRST,
    D,
    H,
    M,
    Scenario,
    Tally,
    after,
    anything,
    bare,
    failing,
    tag,
)

HELD = live('"1"', cache_control="max-age=43200")
"""Good for half a day."""
SECRET = "Basic bWU6c2VjcmV0"
LOGIN = {"url": FEED, "auth": {"user": "me", "password": "secret"}}
KEYED = {"url": FEED, "headers": {"X-Key": "secret"}}

FOLLOWED = (
    Scenario(
        "R34 follows redirects of all five kinds, five in a row",
        {
            FEED: [moved("/2", 301)],
            "/2": [found("/3", 302)],
            "/3": [found("/4", 303)],
            "/4": [found("/5", 307)],
            "/5": [moved("/6", 308)],
            "/6": [ok('"1"'), same()],
        },
        {FEED: [bare, bare], "/2": [bare] * 2, "/3": [bare] * 2, "/4": [bare] * 2, "/5": [bare] * 2}
        | {"/6": [bare, tag('"1"')]},
    ),
    Scenario(
        "R34 does not follow a sixth",
        {FEED: [found("/2")]} | {f"/{hop}": [found(f"/{hop + 1}")] for hop in range(2, 9)},
        {FEED: [FIRST, failing(H)]} | {f"/{hop}": [FIRST, anything] for hop in range(2, 7)},
    ),
    Scenario(
        "R34 leaves a circle",
        {FEED: [found("/2")], "/2": [found(FEED)]},
        {FEED: Tally(1, 3), "/2": Tally(1, 3)},
        lasts=50 * M,
    ),
    Scenario(
        "R34 leaves an address that redirects to itself",
        {FEED: [found(FEED)]},
        Tally(1, 6),
        lasts=50 * M,
    ),
    Scenario(
        "R34 understands a target that is written from where it stands",
        {"/blog/feed": [status(302, location="../new.xml?a=1")], "/new.xml?a=1": [ok('"1"')]},
        {"/blog/feed": [FIRST], "/new.xml?a=1": [FIRST]},
        feeds=["/blog/feed"],
    ),
    Scenario(
        "R34 sends no fragment to the server",
        {FEED: [found("/new#latest")], "/new": [ok('"1"')]},
        {FEED: [FIRST], "/new": [FIRST]},
    ),
    *(
        Scenario(
            f"R34 does not follow {said}, and counts it as a failure",
            [ok('"1"'), answer],
            [FIRST, after(H), failing(H, tag('"1"')), failing(2 * H)],
        )
        for said, answer in (
            ("a redirect to a file", status(302, location="file:///etc/hostname")),
            ("a redirect to another protocol", status(301, location="ftp://127.0.0.1/feed")),
            ("a redirect to a script", status(301, location="javascript:alert(1)")),
            ("a redirect to nowhere", status(302)),
            ("a list of choices", status(300, location="/choice")),
        )
    ),
)

TEMPORARY = (
    *(
        Scenario(
            f"R36 begins at its own address again after a {code}, for days",
            {FEED: [found("/new", code)], "/new": [HELD]},
            {FEED: [FIRST] * 6, "/new": [bare, *[tag('"1"')] * 5]},
            every=H,
        )
        for code in (302, 303, 307)
    ),
    Scenario(
        "R35 does not take a move for lasting that begins with a temporary redirect",
        {FEED: [found("/mid")], "/mid": [moved("/new")], "/new": [HELD]},
        {FEED: [FIRST] * 6, "/mid": [FIRST] * 6, "/new": [FIRST] * 6},
        every=H,
    ),
)

ADOPTED = (
    *(
        Scenario(
            f"R35 asks at the new address alone once a {code} led there three times in a day",
            {FEED: [moved("/new", code)], "/new": [HELD]},
            {FEED: [bare] * 3, "/new": [bare, *[tag('"1"')] * 5]},
            every=H,
        )
        for code in (301, 308)
    ),
    Scenario(
        "R35 does not believe a move before a day is over",
        {FEED: [moved("/new")], "/new": [live('"1"')]},
        {FEED: Tally(14, 22), "/new": Tally(14, 22)},
        lasts=24 * H - 5 * M,
    ),
    Scenario(
        "R35 does not believe a move that it has seen twice, though more than a day lies between",
        {FEED: [moved("/new")], "/new": [live('"1"', cache_control="max-age=108000")]},
        {FEED: [FIRST] * 3, "/new": [FIRST] * 4},
        every=H,
    ),
    Scenario(
        "R35 adopts the last of the moves that come before a temporary redirect",
        {FEED: [moved("/mid")], "/mid": [found("/new")], "/new": [HELD]},
        {FEED: [FIRST] * 3, "/mid": [FIRST] * 5, "/new": [FIRST] * 5},
        every=H,
    ),
    Scenario(
        "R35 does not believe a move to a page that is no feed",
        {FEED: [moved("b:/login")], "b:/login": [ok('"1"', body=bodies.PAGE)]},
        {FEED: Tally(6, 14), "b:/login": Tally(6, 14)},
        every=H,
        lasts=6 * D,
    ),
    Scenario(
        "R35 begins to count again when a move leads elsewhere",
        {FEED: [moved("/x"), moved("/x"), moved("/y")], "/x": [HELD], "/y": [HELD]},
        {FEED: [FIRST] * 5, "/x": [FIRST] * 2, "/y": [FIRST] * 5},
        every=H,
    ),
    *(
        Scenario(
            f"R35 goes where a move led before when the old address says {code}",
            {FEED: [moved("/new"), moved("/new"), status(code)], "/new": [HELD]},
            {FEED: [FIRST] * 3, "/new": [bare, *[tag('"1"')] * 3]},
            every=H,
        )
        for code in (404, 410)
    ),
    *(
        Scenario(
            f"R35 goes back to the configured address when the new one {said}",
            {FEED: [*[moved("/new")] * 3, ok('"2"')], "/new": [*[HELD] * 4, answer]},
            {FEED: [*[bare] * 4, tag('"2"')], "/new": [FIRST] * 5},
            every=H,
        )
        for said, answer in (
            ("is not there", status(404)),
            ("is gone", status(410)),
            ("has a page that is no feed", ok('"3"', body=bodies.PAGE)),
        )
    ),
)

PRIVATE = (
    Scenario(
        "R37 sends name and password to the server they are for, and to no other",
        {FEED: [found("/near")], "/near": [found("b:/far")], "b:/far": [ok('"1"')]},
        {
            FEED: [bare.with_header("authorization", SECRET)],
            "/near": [bare.with_header("authorization", SECRET)],
            "b:/far": [bare],
        },
        feeds=[LOGIN],
    ),
    Scenario(
        "R37 sends the operator's own fields to the server they are for, and to no other",
        {FEED: [found("b:/far")], "b:/far": [ok('"1"')]},
        {FEED: [bare.with_header("x-key", "secret")], "b:/far": [bare]},
        feeds=[KEYED],
    ),
    Scenario(
        "R37 sends them from the first request on, and waits for no challenge",
        {FEED: [ok('"1"')]},
        {FEED: [bare.with_header("authorization", SECRET)]},
        feeds=[LOGIN],
    ),
)

INSIDE = (
    Scenario(
        "R48 follows no redirect of a public server into a private network",
        {"b:/feed": [live('"1"'), found("c:/inside")], "c:/inside": [ok('"2"')]},
        {"b:/feed": [FIRST, after(H), failing(H, tag('"1"'))]},
        feeds=["b:/feed"],
        public="b",
    ),
    Scenario(
        "R48 follows none by a detour over another public server either",
        {"b:/feed": [found("c:/on")], "c:/on": [found("d:/inside")], "d:/inside": [ok('"2"')]},
        {"b:/feed": [FIRST], "c:/on": [FIRST]},
        feeds=["b:/feed"],
        public="bc",
    ),
    Scenario(
        "R48 asks for no feed in a private network that was in the public Internet before",
        {"b:/feed": [live('"1"')]},
        {"b:/feed": [FIRST, after(H)]},
        feeds=["b:/feed"],
        public="b",
        rebound=1.5 * H,
        lasts=6 * H,
    ),
    Scenario(
        "R48 asks for none there under an address that was adopted, or the one before it",
        {"b:/feed": [moved("b:/new")], "b:/new": [HELD]},
        {"b:/feed": [bare] * 3, "b:/new": [bare, *[tag('"1"')] * 2]},
        feeds=["b:/feed"],
        public="b",
        rebound=30 * H,
        every=H,
        lasts=3 * D,
    ),
    Scenario(
        "R48 asks for one there after the operator said that it may be",
        {"b:/feed": [live('"1"')]},
        # Two before; how soon after depends on when it was last tried.
        {"b:/feed": Tally(4, 6)},
        feeds=["b:/feed"],
        public="b",
        rebound=1.5 * H,
        revived=6 * H,
        lasts=9 * H,
    ),
    Scenario(
        "R48 follows redirects from one public server to another",
        {"b:/feed": [found("c:/new")], "c:/new": [ok('"2"')]},
        {"b:/feed": [FIRST], "c:/new": [FIRST]},
        feeds=["b:/feed"],
        public="bc",
    ),
)

LED = (
    Scenario(
        "R48 asks for no feed in a private network because a public list names it",
        {
            "b:/list": [live('"l"', body=bodies.opml("b:/feed", "c:/inside"))],
            "b:/feed": [ok('"1"')],
            "c:/inside": [ok('"2"')],
        },
        {"b:/list": Tally(1, 2), "b:/feed": Tally(1, 2)},
        feeds=[],
        lists=["b:/list"],
        public="b",
        lasts=70 * M,
    ),
    Scenario(
        "R48 asks for a feed in a private network that a list in one names",
        {"b:/list": [live('"l"', body=bodies.opml("c:/inside"))], "c:/inside": [ok('"2"')]},
        {"b:/list": Tally(1, 2), "c:/inside": Tally(1, 2)},
        feeds=[],
        lists=["b:/list"],
        lasts=70 * M,
    ),
)

SCENARIOS = (*FOLLOWED, *TEMPORARY, *ADOPTED, *PRIVATE, *INSIDE, *LED)
