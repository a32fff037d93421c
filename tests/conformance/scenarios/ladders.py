"""Failures in a row: each kind waits longer and longer in its own way, and some end in silence."""

from tests.conformance.answers import live, ok, same, status
from tests.conformance.notation import (
    FIRST,
    D,
    H,
    Scenario,
    Tally,
    after,
    bare,
    between,
    failing,
    tag,
)

BACKOFF = (
    Scenario(
        "R26 waits twice as long after each failure in a row, up to a day",
        [ok('"1"'), status(500)],
        [
            *(FIRST, after(H), failing(H), failing(2 * H), failing(4 * H), failing(8 * H)),
            *(between(16 * H, 30 * H), failing(D), failing(D)),
        ],
    ),
    Scenario(
        "R26 is back to normal after one good answer",
        [ok('"1"'), status(500), status(500), status(500), same()],
        [FIRST, after(H), failing(H), failing(2 * H), failing(4 * H), after(H)],
    ),
    Scenario(
        "R26 comes once a week when a server has failed for two weeks",
        [ok('"1"'), status(500)],
        Tally(23, 32, last=(80 * D, 90 * D)),
        every=H,
        lasts=90 * D,
    ),
    *(
        Scenario(
            f"R26 takes {code} for a trouble that passes",
            [ok('"1"'), status(code)],
            [FIRST, after(H), failing(H, tag('"1"')), failing(2 * H, tag('"1"'))],
        )
        for code in (408, 425, 502, 503, 504, 520, 524)
    ),
)

FORBIDDEN = (
    Scenario(
        "R28 waits four hours after a 403, and twice as long after each that follows",
        [ok('"1"'), status(403)],
        [FIRST, after(H), *(failing(4 * 2**times * H) for times in range(5))],
    ),
    *(
        Scenario(
            f"R28 waits four hours after {said}",
            [ok('"1"'), answer, same()],
            [FIRST, after(H), failing(4 * H, tag('"1"')), after(H)],
        )
        for said, answer in (
            ("a 401, and tries no other name or password", status(401, www_authenticate="Basic")),
            ("a 402", status(402)),
            ("a 407", status(407)),
            ("a 451", status(451)),
            (
                "the challenge of a CDN, and does not pretend to be a browser",
                status(
                    403, server="cloudflare", cf_mitigated="challenge", content_type="text/html"
                ),
            ),
        )
    ),
    Scenario(
        "R28 gives up a feed that has been forbidden for two weeks",
        [ok('"1"'), status(403)],
        Tally(9, 9, last=(17 * D, 23 * D)),
        every=H,
        lasts=90 * D,
    ),
)

NOT_FOUND = (
    Scenario(
        "R29 comes back to a feed that is suddenly not there as after any failure",
        [ok('"1"'), status(404), status(404), same()],
        [FIRST, after(H), failing(H), failing(2 * H, tag('"1"')), after(H)],
    ),
    Scenario(
        "R29 asks once a day where there never was a feed",
        [status(404)],
        [bare, failing(D, bare), failing(D, bare), failing(D, bare)],
    ),
    Scenario(
        "R29 gives up a feed that has not been there for two weeks",
        [ok('"1"'), status(404)],
        Tally(15, 22, last=(14 * D, 16 * D)),
        every=H,
        lasts=60 * D,
    ),
    Scenario(
        "R29 gives up an address where there never was a feed after two weeks",
        [status(404)],
        Tally(12, 16, last=(14 * D, 16 * D)),
        every=H,
        lasts=60 * D,
    ),
    Scenario(
        "R29 gives up no feed that was there in between",
        [ok('"1"'), *[status(404)] * 12, live('"1"'), status(404)],
        Tally(24, 42, last=(20 * D, 30 * D)),
        every=H,
        lasts=45 * D,
    ),
)

REJECTED = (
    *(
        Scenario(
            f"R31 waits a day after a {code}, and asks in no other way",
            [ok('"1"'), status(code), same()],
            [FIRST, after(H), failing(D, tag('"1"'))],
        )
        for code in (400, 405, 406, 415, 421, 426, 431)
    ),
    Scenario(
        "R31 gives up a feed whose server has rejected every request for two weeks",
        [ok('"1"'), status(400)],
        Tally(5, 17, last=(14 * D, 24 * D)),
        every=H,
        lasts=60 * D,
    ),
)

SCENARIOS = (*BACKOFF, *FORBIDDEN, *NOT_FOUND, *REJECTED)
