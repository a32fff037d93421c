"""What a server says when something is wrong: when to come back, or never."""

from datetime import timedelta
from typing import Any

from tests.conformance import bodies
from tests.conformance.answers import drops, found, hangs, live, ok, same, speaks, status
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
    between,
    failing,
    tag,
)
from tests.patience import patient

NOW = timedelta(0)
RETRY_AFTER_MAX = 30 * D
QUICK = bodies.posted(*(20 * M * number for number in range(1, 20)))


def _comes_back(name: str, wait: timedelta, code: int = 503, **fields: Any) -> Scenario:
    """A server that says this is asked again after this wait."""
    answers = [ok('"1"'), status(code, **fields), same()]
    return Scenario(name, answers, [FIRST, after(H), failing(wait, tag('"1"'))])


RETRY_AFTER = (
    _comes_back("R27 waits as many seconds as Retry-After says", 2 * H, retry_after="7200"),
    _comes_back("R27 waits until the date of Retry-After", 5 * H, retry_after=5 * H, date=NOW),
    _comes_back(
        "R27 counts that date by the clock of its server", 5 * H, retry_after=5 * H - D, date=-D
    ),
    _comes_back("R27 waits until that date where there is no Date", 5 * H, retry_after=5 * H),
    _comes_back(
        "R27 waits the usual time where that date is past", H, retry_after=-5 * H, date=NOW
    ),
    _comes_back("R27 waits the usual time where Retry-After is 0", H, retry_after="0"),
    _comes_back("R27 waits the usual time where Retry-After is below 0", H, retry_after="-7200"),
    _comes_back(
        "R27 waits the usual time where Retry-After is no number", H, retry_after="2 hours"
    ),
    _comes_back("R27 waits no shorter than usual for a short Retry-After", H, retry_after="5"),
    _comes_back("R27 waits for a month where Retry-After says so", 30 * D, retry_after="2592000"),
    _comes_back("R27 waits for no longer than a month", RETRY_AFTER_MAX, retry_after="99999999"),
    _comes_back(
        "R27 waits for a month where Retry-After has too many digits",
        RETRY_AFTER_MAX,
        retry_after="9" * 400,
    ),
    _comes_back(
        "R27 heeds the Retry-After of a page that is not there", 10 * H, 404, retry_after="36000"
    ),
    Scenario(
        "R27 heeds the Retry-After of a good answer",
        [ok('"1"', retry_after="7200")],
        [FIRST, after(2 * H)],
    ),
    Scenario(
        "R27 heeds the Retry-After of a 304",
        [ok('"1"'), same(retry_after="7200")],
        [FIRST, after(H), after(2 * H)],
    ),
    Scenario(
        "R27 waits a day at most where a good answer has a long Retry-After",
        [ok('"1"', retry_after="864000")],
        [FIRST, after(D)],
    ),
    Scenario(
        "R27 forgets a Retry-After once it is over",
        [ok('"1"'), status(503, retry_after="18000"), same()],
        [FIRST, after(H), failing(5 * H), after(H)],
    ),
    Scenario(
        "R27 waits a few seconds before it follows a redirect that asks for it",
        {FEED: [found("/new", retry_after="1")], "/new": [ok('"1"')]},
        {FEED: [FIRST], "/new": [FIRST]},
        gap=1.0,
    ),
    Scenario(
        "R27 begins at the old address once the long wait is over that a redirect asks for",
        {FEED: [found("/new", retry_after="36000"), found("/new")], "/new": [ok('"1"')]},
        {FEED: [bare, between(10 * H, 12.5 * H)], "/new": [bare]},
    ),
)

THROTTLED = (
    Scenario(
        "R25 waits twice as long as before after a 429 without Retry-After",
        [ok('"1"'), status(429), same()],
        [FIRST, after(H), between(2 * H, 3 * H, tag('"1"'))],
    ),
    _comes_back(
        "R25 waits as long as the Retry-After of a 429 says", 5 * H, 429, retry_after="18000"
    ),
    _comes_back(
        "R25 waits as long as a 429 is good for", 2 * D, 429, cache_control="max-age=172800"
    ),
    Scenario(
        "R25 waits longer from one 429 to the next, up to a day",
        [ok('"1"'), status(429)],
        [
            *(FIRST, after(H), between(2 * H, 4 * H), between(4 * H, 12 * H)),
            *(between(8 * H, 30 * H), between(16 * H, 30 * H), failing(D)),
        ],
    ),
    Scenario(
        "R25 comes half as often for two weeks after a 429",
        [ok('"1"'), status(429), live('"1"')],
        [FIRST, after(H), between(2 * H, 3 * H), after(2 * H), after(2 * H)],
    ),
    Scenario(
        "R25 comes at least once a day, however many times it was told to slow down",
        [ok('"1"'), *[status(429)] * 8, live('"1"')],
        [*[anything] * 9, between(D, 1.25 * D), after(D), after(D)],
    ),
    Scenario(
        "R25 comes half as often after a 429 that named a short wait, too",
        [ok('"1"'), status(429, retry_after="60"), live('"1"')],
        [FIRST, after(H), between(2 * H, 3 * H), after(2 * H)],
    ),
    Scenario(
        "R25 still comes half as often a week later",
        [ok('"1"'), status(429), ok('"2"', cache_control="max-age=604800"), ok('"3"', body=QUICK)],
        [FIRST, after(H), between(2 * H, 3 * H), after(7 * D), after(2 * H)],
    ),
    Scenario(
        "R25 comes as often as before when there was no 429 for two weeks",
        [
            ok('"1"'),
            status(429),
            *[ok('"2"', cache_control="max-age=604800")] * 2,
            ok('"3"', body=QUICK),
        ],
        [FIRST, after(H), between(2 * H, 3 * H), after(7 * D), after(7 * D), after(H)],
    ),
    Scenario(
        "R25 gives up no feed for coming too often",
        [ok('"1"'), status(429)],
        Tally(45, 70, last=(58 * D, 60 * D)),
        every=H,
        lasts=60 * D,
    ),
)

GONE = (
    Scenario(
        "R30 never asks again after a 410",
        [ok('"1"'), status(410)],
        [FIRST, after(H)],
        every=6 * H,
        lasts=90 * D,
    ),
    Scenario(
        "R30 never asks again when the first answer is a 410",
        [status(410)],
        [bare],
        every=6 * H,
        lasts=90 * D,
    ),
    Scenario(
        "R33 asks once, and with validators, when the operator wants a gone feed back",
        [ok('"1"'), status(410), same()],
        [FIRST, after(H), between(11 * D - 3 * H, 11 * D, tag('"1"'))],
        revived=11 * D,
    ),
    Scenario(
        "R33 stops again at once when a feed that was wanted back is still gone",
        [ok('"1"'), status(410)],
        [FIRST, after(H), anything],
        every=6 * H,
        revived=11 * D,
        lasts=60 * D,
    ),
    Scenario(
        "R33 does not ask for a feed that is switched off, and remembers it for when it is on "
        "again",
        [live('"1"')],
        [FIRST, between(9 * D, 9 * D, tag('"1"'))],
        feeds=[{"url": FEED}],
        edits={H / 2: [{"url": FEED, "enabled": False}], 9 * D: [{"url": FEED}]},
    ),
)

NETWORK = tuple(
    Scenario(
        f"R32 keeps its validators and waits when {said}",
        [ok('"1"'), answer, answer, same()],
        [FIRST, after(H), failing(H, tag('"1"')), failing(2 * H, tag('"1"'))],
    )
    for said, answer in (
        ("a connection is closed without an answer", drops()),
        ("an answer is no HTTP", speaks(b"nonsense\r\n\r\n")),
        ("an answer ends within its head", speaks(b'HTTP/1.1 200 OK\r\nETag: "2"\r\n')),
    )
)
SLOW = (
    Scenario(
        "R32 keeps its validators and waits when a server never answers",
        [ok('"1"'), hangs(), same()],
        [FIRST, after(H), failing(H, tag('"1"'))],
        fetch={"timeout": f"{patient(3):.0f}s"},
    ),
)

TEN = [f"{host}:/{number}" for host in "bcdef" for number in (1, 2)]
ON_FOUR = [f"{host}:/{number}" for host in "bcde" for number in (1, 2, 3)]
FAILS = [FIRST, between(H, H + 6 * M), failing(H), failing(2 * H)]
OUTAGE = (
    Scenario(
        "R32 takes it for its own fault when nothing can be reached, and holds it against nobody",
        {address: [live('"1"'), drops(), drops(), drops(), live('"1"')] for address in TEN},
        {address: [FIRST, *[between(H, H + 6 * M)] * 4] for address in TEN},
        feeds=TEN,
        every=30 * M,
    ),
    Scenario(
        "R32 holds it against each feed when one of ten can be reached",
        {address: [live('"1"'), drops()] for address in TEN[1:]} | {FEED: [live('"1"')]},
        dict.fromkeys(TEN[1:], FAILS) | {FEED: Tally(3, 9)},
        feeds=[FEED, *TEN[1:]],
        every=30 * M,
        lasts=6 * H,
    ),
    Scenario(
        "R32 holds it against each feed when there are fewer than ten",
        {address: [live('"1"'), drops()] for address in TEN[:9]},
        dict.fromkeys(TEN[:9], FAILS),
        feeds=TEN[:9],
        every=30 * M,
    ),
    Scenario(
        "R32 holds it against each feed when there are fewer than five servers",
        {address: [live('"1"'), drops()] for address in ON_FOUR},
        dict.fromkeys(ON_FOUR, FAILS),
        feeds=ON_FOUR,
        every=30 * M,
    ),
)

SCENARIOS = (*RETRY_AFTER, *THROTTLED, *GONE, *NETWORK, *SLOW, *OUTAGE)
