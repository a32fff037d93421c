"""Programs die, operators press keys, clocks go wrong: none of it costs a publisher anything."""

from tests.conformance.answers import interrupted, live, ok, same, status
from tests.conformance.notation import (
    FIRST,
    D,
    H,
    M,
    S,
    Scenario,
    Tally,
    after,
    bare,
    between,
    failing,
    tag,
)

ALWAYS = range(1, 10_000)

KILLED = (
    Scenario(
        "R44 is not sent again what arrived before the program died",
        [ok('"1"'), same()],
        [bare, between(H, 80 * M, tag('"1"'))],
        deaths={"keeping": [1]},
    ),
    Scenario(
        "R44 is not sent again a change that arrived before the program died",
        [ok('"1"'), ok('"2"'), same()],
        [bare, after(H, tag('"1"')), between(H, 80 * M, tag('"2"'))],
        deaths={"keeping": [2]},
    ),
    Scenario(
        "R45 asks once an hour at the most when the program dies each time after an answer",
        [live('"1"')],
        Tally(2, 4),
        every=10 * M,
        lasts=4 * H - M,
        deaths={"keeping": ALWAYS},
    ),
    Scenario(
        "R45 asks once an hour at the most when the program dies each time before an answer",
        [interrupted()],
        Tally(2, 3),
        lasts=3 * H - M,
        every=10 * M,
    ),
    Scenario(
        "R45 writes down that it is about to ask before it does",
        [live('"1"')],
        [between(H, 80 * M, bare), after(H, tag('"1"'))],
        deaths={"sending": [1]},
    ),
    Scenario(
        "R45 keeps its validators when the program dies before an answer",
        [ok('"1"'), interrupted(), same()],
        [bare, after(H, tag('"1"')), between(H, 80 * M, tag('"1"'))],
    ),
    Scenario(
        "R45 holds still for an hour when its clock was a year ahead, and then goes on",
        [live('"1"')],
        [bare, between(H, 26 * H, tag('"1"'))],
        ahead=(5 * M, 365 * D),
    ),
    Scenario(
        "R45 holds still for an hour when its clock was half an hour ahead",
        [live('"1"')],
        [bare, between(H, 3 * H, tag('"1"'))],
        ahead=(5 * M, 30 * M),
    ),
)

FORCED = (
    Scenario(
        "R51 asks before time when told to, and still with its validators",
        [live('"1"')],
        [bare, between(10 * M, 10 * M, tag('"1"'))],
        forced=(10 * M,),
    ),
    Scenario(
        "R51 counts the hour from a request that it was told to send",
        [live('"1"')],
        [bare, between(30 * M, 30 * M), after(H)],
        forced=(30 * M + S,),
    ),
    Scenario(
        "R51 is not told to ask again within a minute",
        [live('"1"')],
        [bare, between(10 * M, 10 * M)],
        forced=(30 * S, 59 * S, 10 * M, 10 * M + 30 * S),
        lasts=50 * M,
    ),
    Scenario(
        "R51 is not told to disobey a Retry-After",
        [ok('"1"'), status(503, retry_after="18000"), same()],
        [FIRST, after(H), failing(5 * H)],
        forced=(2 * H + 30 * M, 5 * H),
    ),
    Scenario(
        "R51 may be told to ask a feed again that failed and named no time",
        [status(500), ok('"1"')],
        [FIRST, between(10 * M, 10 * M)],
        forced=(10 * M,),
    ),
    Scenario(
        "R51 is not told to ask for a feed that is gone",
        [ok('"1"'), status(410)],
        [FIRST, after(H)],
        forced=(3 * H, 2 * D),
        every=H,
        lasts=4 * D,
    ),
    Scenario(
        "R51 is not told to ask for a feed that it gave up as forbidden",
        [ok('"1"'), status(403)],
        Tally(9, 9, last=(17 * D, 24 * D)),
        forced=(30 * D, 40 * D),
        every=6 * H,
        lasts=50 * D,
    ),
)

SCENARIOS = (*KILLED, *FORCED)
