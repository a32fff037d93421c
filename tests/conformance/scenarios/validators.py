"""Conditional requests: what the next one says is what the last 200 or 304 said."""

from tests.conformance import bodies
from tests.conformance.answers import found, live, ok, same, status
from tests.conformance.notation import FEED, D, H, Scenario, after, bare, both, dated, failing, tag

MON = "Mon, 16 Nov 2026 08:00:00 GMT"
TUE = "Tue, 17 Nov 2026 08:00:00 GMT"
WEEK = "max-age=604800"
SEVENTH = after(7 * D, tag('"1"'))
LONG = '"' + "x" * 4094 + '"'
ADDRESS = "https://one.example/feed?v=1"
RFC850 = "Monday, 16-Nov-26 08:00:00 GMT"
ZONED = "Mon, 16 Nov 2026 09:00:00 +0100"
YEAR_ON = "Sun, 21 Nov 2027 12:00:00 GMT"

ECHO = (
    Scenario("R1 sends an ETag back", [ok('"1"'), same()], [bare, tag('"1"')]),
    Scenario("R1 sends a Last-Modified back", [ok(None, MON), same()], [bare, dated(MON)]),
    Scenario(
        "R1 sends both back when it was given both", [ok('"1"', MON)], [bare, both('"1"', MON)]
    ),
    Scenario("R1 keeps the W/ of a weak ETag", [ok('W/"1"')], [bare, tag('W/"1"')]),
    Scenario("R1 puts no quotes around an ETag that has none", [ok("1-a")], [bare, tag("1-a")]),
    Scenario("R1 sends back an ETag that has one quote", [ok('"1')], [bare, tag('"1')]),
    Scenario("R1 sends back an ETag that is an address", [ok(ADDRESS)], [bare, tag(ADDRESS)]),
    Scenario("R1 sends back an ETag that is an empty string", [ok('""')], [bare, tag('""')]),
    Scenario("R1 keeps the case and the blanks of an ETag", [ok('"a  B"')], [bare, tag('"a  B"')]),
    Scenario("R1 keeps letters of an ETag beyond ASCII", [ok('"é÷"')], [bare, tag('"é÷"')]),
    Scenario("R1 keeps commas and backslashes of an ETag", [ok(r'"a,\b"')], [bare, tag(r'"a,\b"')]),
    Scenario("R1 takes off only the blanks around an ETag", [ok(' "1" \t')], [bare, tag('"1"')]),
    Scenario("R1 sends back an ETag of 4096 characters", [ok(LONG)], [bare, tag(LONG)]),
    Scenario("R1 sends back a date in an old form", [ok(None, RFC850)], [bare, dated(RFC850)]),
    Scenario("R1 sends back a date of another zone", [ok(None, ZONED)], [bare, dated(ZONED)]),
    Scenario(
        "R1 sends back a Last-Modified that is no date", [ok(None, "today")], [bare, dated("today")]
    ),
    Scenario("R1 keeps an ETag whatever Vary says", [ok('"1"', vary="*")], [bare, tag('"1"')]),
    Scenario("R2 drops an ETag of more than 4096 characters", [ok(LONG + "x")], [bare, bare]),
    Scenario("R2 drops an ETag with a NUL in it", [ok('"a\0b"')], [bare, bare]),
    Scenario(
        "R2 drops a Last-Modified more than a day later than the answer's Date",
        [ok(None, 25 * H, date=0 * H)],
        [bare, bare],
    ),
    Scenario(
        "R2 keeps the ETag beside a Last-Modified that it drops",
        [ok('"1"', "Sat, 01 Jan 2041 00:00:00 GMT", date=0 * H)],
        [bare, tag('"1"')],
    ),
    Scenario(
        "R2 keeps a Last-Modified that its server's own clock does not call future",
        [ok(None, 365 * D, date=365 * D)],
        [bare, dated(YEAR_ON)],
    ),
)

LIFE = (
    *(
        Scenario(f"R3 {said}", [ok('"1"', MON), second], [bare, both('"1"', MON), third])
        for said, second, third in (
            ("replaces both with what a 200 says", ok('"2"', TUE), both('"2"', TUE)),
            (
                "replaces both with what a 203 says",
                status(203, '"2"', TUE, body=bodies.FEED),
                both('"2"', TUE),
            ),
            ("forgets an ETag that a 200 leaves out", ok(None, TUE), dated(TUE)),
            ("forgets a Last-Modified that a 200 leaves out", ok('"2"'), tag('"2"')),
            ("forgets both when a 200 leaves both out", ok(), bare),
            ("takes a new ETag for the same bytes", ok('"2"', MON), both('"2"', MON)),
            ("takes a new Last-Modified beside the same ETag", ok('"1"', TUE), both('"1"', TUE)),
            ("keeps both when a 304 says neither", same(), both('"1"', MON)),
            ("takes the ETag of a 304 and keeps the date", same('"2"'), both('"2"', MON)),
            ("takes the date of a 304 and keeps the ETag", same(None, TUE), both('"1"', TUE)),
        )
    ),
    Scenario(
        "R3 takes an ETag that only a 304 has",
        [ok(None, MON), same('"2"')],
        [bare, dated(MON), both('"2"', MON)],
    ),
    *(
        Scenario(
            f"R3 keeps both through a {code} that has others",
            [ok('"1"', MON), status(code, '"x"', TUE), same()],
            [bare, both('"1"', MON), both('"1"', MON)],
        )
        for code in (204, 206, 400, 403, 404, 429, 500, 503)
    ),
)

NEVER_MADE_UP = (
    Scenario("R4 makes no date of the answer's Date", [ok(date=-1 * H)], [bare, bare]),
    Scenario("R4 makes no date of those in a feed", [ok(body=bodies.ATOM)], [bare, bare]),
    Scenario(
        "R5 sends validators to the address that answered, not to the one that redirects",
        {FEED: [found("/real")], "/real": [ok('"1"'), same()]},
        {FEED: [bare, bare], "/real": [bare, tag('"1"')]},
    ),
    Scenario(
        "R5 sends none to where an address begins to redirect",
        {FEED: [ok('"1"'), found("b:/new")], "b:/new": [ok('"2"')]},
        {FEED: [bare, tag('"1"')], "b:/new": [bare]},
    ),
    Scenario(
        "R5 sends none to where a redirect newly leads",
        {FEED: [found("/x"), found("/y")], "/x": [ok('"1"')], "/y": [ok('"2"')]},
        {FEED: [bare, bare], "/x": [bare], "/y": [bare]},
    ),
    Scenario(
        "R5 keeps nothing of what a redirect itself says",
        {FEED: [found("/x", etag='"r"', last_modified=MON)], "/x": [ok('"1"')]},
        {FEED: [bare, bare], "/x": [bare, tag('"1"')]},
    ),
    Scenario(
        "R5 keeps the validators of addresses apart that differ in the query",
        {"/feed?api_key=1": [ok('"1"')], "/feed?api_key=2": [ok('"2"')]},
        {"/feed?api_key=1": [bare, tag('"1"')], "/feed?api_key=2": [bare, tag('"2"')]},
        feeds=("/feed?api_key=1", "/feed?api_key=2"),
    ),
    Scenario(
        "R5 drops them when the operator changes the address",
        {FEED: [ok('"1"')], "/new": [ok('"2"')]},
        {FEED: [bare], "/new": [bare, tag('"2"')]},
        feeds=({"url": FEED, "id": "one"},),
        edits={H / 2: [{"url": "/new", "id": "one"}]},
    ),
)

WHOLE = (
    Scenario(
        "R6 asks for a whole answer once in four weeks when it heard nothing but 304",
        [live('"1"', cache_control=WEEK)],
        [bare, *[SEVENTH] * 3, after(7 * D, bare), *[SEVENTH] * 3, after(7 * D, bare)],
    ),
    Scenario(
        "R6 counts the four weeks from the last whole answer",
        [*[live('"1"', cache_control=WEEK)] * 2, live('"2"', cache_control=WEEK)],
        [bare, *[SEVENTH] * 2, *[after(7 * D, tag('"2"'))] * 3, after(7 * D, bare)],
    ),
    Scenario(
        "R6 asks for no whole answer of a feed that posts monthly before eight months are over",
        [live('"1"', body=bodies.now_and_then(times=61), cache_control=WEEK)],
        [bare, *[SEVENTH] * 14],
    ),
    Scenario(
        "R7 waits a day after a 304 to a request that named nothing",
        [same()],
        [bare, failing(24 * H, bare), failing(24 * H, bare)],
    ),
    Scenario(
        "R7 takes no validators from a 304 to a request that named nothing",
        [ok(), same('"1"', MON)],
        [bare, bare, bare],
    ),
    Scenario(
        "R8 keeps its validators through a 226, whose body is only a part",
        [ok('"1"'), status(226, '"2"', body=bodies.says(""), im="feed"), same()],
        [bare, tag('"1"'), tag('"1"')],
    ),
)

INEFFECTIVE = (
    Scenario(
        "R9 waits six hours once the same answer came three times in spite of its own ETag",
        [ok('"1"')],
        [bare, *[after(H, tag('"1"'))] * 3, after(6 * H, tag('"1"'))],
    ),
    Scenario(
        "R9 waits no longer for answers that are new each time under one ETag",
        [ok('"1"', body=bodies.says(f"<ttl>{number}</ttl>")) for number in range(1, 6)],
        [bare, *[after(H, tag('"1"'))] * 4],
    ),
    Scenario(
        "R9 counts anew after a 304",
        [ok('"1"')] * 3 + [same()] + [ok('"1"')] * 2,
        [bare, *[after(H, tag('"1"'))] * 5],
    ),
    Scenario(
        "R9 tries the Last-Modified alone where an ETag never matches",
        [ok('"1"', MON)] * 4 + [same()],
        [bare, *[both('"1"', MON)] * 3, dated(MON), dated(MON), dated(MON)],
    ),
    Scenario(
        "R9 returns to the ETag when the Last-Modified alone does no better",
        [ok('"1"', MON)],
        [bare, *[both('"1"', MON)] * 3, dated(MON), both('"1"', MON)],
    ),
)

SCENARIOS = (*ECHO, *LIFE, *NEVER_MADE_UP, *WHOLE, *INEFFECTIVE)
