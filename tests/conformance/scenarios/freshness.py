"""How long an answer is good for, by its headers and by the feed: waits only get longer."""

from calendar import day_name
from datetime import timedelta
from typing import Any

from tests.conformance import bodies
from tests.conformance.answers import ok, same, status
from tests.conformance.notation import FIRST, NOON, D, H, M, Scenario, after, between, failing, tag

NOW = timedelta(0)
PHP: dict[str, Any] = {
    "expires": "Thu, 19 Nov 1981 08:52:00 GMT",
    "cache_control": "no-store, no-cache, must-revalidate",
    "pragma": "no-cache",
}
SKIPS = "<skipHours><hour>14</hour></skipHours>"
TWO_HOURS = bodies.says("<ttl>120</ttl>")


def _is_good(name: str, wait: timedelta, **fields: Any) -> Scenario:
    """An answer with these fields is asked for again after this wait."""
    return Scenario(name, [ok('"1"', **fields)], [FIRST, after(wait)])


LIFETIME = (
    _is_good("R11 waits as long as max-age says", 2 * H, cache_control="max-age=7200"),
    _is_good("R11 waits until Expires, from Date", 3 * H, expires=3 * H, date=NOW),
    _is_good("R11 waits until Expires where there is no Date", 3 * H, expires=3 * H),
    _is_good("R11 counts Expires by the clock of its server", 3 * H, expires=3 * H - D, date=-D),
    _is_good(
        "R11 takes max-age before Expires",
        2 * H,
        cache_control="max-age=7200",
        expires=5 * H,
        date=NOW,
    ),
    _is_good(
        "R11 takes off the time an answer spent in caches",
        2 * H,
        age="3600",
        cache_control="max-age=10800",
    ),
    _is_good(
        "R11 waits an hour for an answer that had expired on its way",
        H,
        age="9000",
        cache_control="max-age=7200",
    ),
    _is_good(
        "R11 ignores an Age that is no number", 3 * H, age="old", cache_control="max-age=10800"
    ),
    _is_good("R11 ignores what is meant for shared caches", H, cache_control="s-maxage=36000"),
    _is_good(
        "R11 takes max-age where s-maxage stands, too",
        2 * H,
        cache_control="s-maxage=36000, max-age=7200",
    ),
    _is_good("R11 reads max-age in capitals and in quotes", 2 * H, cache_control='Max-Age="7200"'),
    _is_good(
        "R11 reads max-age among words it does not know",
        2 * H,
        cache_control="public, x=y, max-age=7200",
    ),
    _is_good(
        "R11 takes the first of two max-ages", 2 * H, cache_control="max-age=7200, max-age=36000"
    ),
    _is_good("R11 takes a negative max-age for none", H, cache_control="max-age=-7200"),
    _is_good("R11 takes a max-age that is no number for none", H, cache_control="max-age=2.5h"),
    _is_good("R11 does not freeze what is called immutable", H, cache_control="immutable"),
    _is_good("R11 lets no-cache win over max-age", H, cache_control="max-age=36000, no-cache"),
    _is_good("R11 lets no-store win over max-age", H, cache_control="no-store, max-age=36000"),
    _is_good("R11 takes an Expires of 0 for past", H, expires="0"),
    _is_good(
        "R11 reads an Expires in the form of RFC 850",
        3 * H,
        expires="Saturday, 21-Nov-26 15:00:00 GMT",
    ),
    _is_good(
        "R11 reads an Expires in the form of asctime", 3 * H, expires="Sat Nov 21 15:00:00 2026"
    ),
    _is_good("R11 waits for a week if told so", 7 * D, cache_control="max-age=604800"),
    _is_good(
        "R11 waits a day where more than a week is claimed", D, cache_control="max-age=31536000"
    ),
    _is_good("R11 waits a day where Expires is years away", D, expires=5840 * D, date=NOW),
    _is_good(
        "R11 waits a day where max-age has too many digits", D, cache_control="max-age=" + "9" * 400
    ),
    Scenario(
        "R12 neither hurries nor forgets validators when an answer is not to be stored",
        [ok('"1"', **PHP)],
        [FIRST, after(H, tag('"1"')), after(H, tag('"1"'))],
    ),
    Scenario(
        "R12 neither hurries nor forgets validators at max-age=0",
        [ok('"1"', cache_control="max-age=0")],
        [FIRST, after(H, tag('"1"')), after(H, tag('"1"'))],
    ),
    Scenario(
        "R13 takes a longer lifetime from a 304",
        [ok('"1"', cache_control="max-age=3600"), same(cache_control="max-age=18000")],
        [FIRST, after(H), after(5 * H)],
    ),
    Scenario(
        "R13 takes a shorter lifetime from a 304",
        [ok('"1"', cache_control="max-age=10800"), same(cache_control="max-age=7200")],
        [FIRST, after(3 * H), after(2 * H)],
    ),
    Scenario(
        "R13 starts the stored lifetime again at a 304 that says none",
        [ok('"1"', cache_control="max-age=10800"), same()],
        [FIRST, after(3 * H), after(3 * H)],
    ),
    Scenario(
        "R13 forgets a lifetime that a 200 leaves out",
        [ok('"1"', cache_control="max-age=10800"), ok('"2"')],
        [FIRST, after(3 * H), after(H)],
    ),
    Scenario(
        "R14 waits as long as an error is good for",
        [ok('"1"'), status(503, cache_control="max-age=172800")],
        [FIRST, after(H), failing(2 * D)],
    ),
    Scenario(
        "R14 waits until the Expires of an error",
        [ok('"1"'), status(404, expires=10 * H, date=NOW)],
        [FIRST, after(H), failing(10 * H)],
    ),
    Scenario(
        "R14 keeps the lifetime of an error for that error alone",
        [ok('"1"'), status(500, cache_control="max-age=18000"), same()],
        [FIRST, after(H), failing(5 * H), after(H)],
    ),
)


def _says(name: str, body: bytes, wait: timedelta) -> Scenario:
    """A feed that says this of itself is asked for again after this wait."""
    return Scenario(name, [ok('"1"', body=body)], [FIRST, after(wait)])


def _moves(name: str, body: bytes, wait: timedelta, **more: Any) -> Scenario:
    """A feed with hours or days to skip: the next request comes within this quarter of an hour."""
    return Scenario(name, [ok('"1"', body=body)], [FIRST, between(wait, wait + 15 * M)], **more)


HINTS = (
    _says("R15 waits as many minutes as ttl says", TWO_HOURS, 2 * H),
    _says("R15 waits an hour where ttl says less", bodies.says("<ttl>10</ttl>"), H),
    _says("R15 waits a day where ttl says more", bodies.says("<ttl>86400</ttl>"), D),
    _says("R15 ignores a ttl of nothing", bodies.says("<ttl>0</ttl>"), H),
    _says("R15 ignores a ttl below nothing", bodies.says("<ttl>-120</ttl>"), H),
    _says("R15 ignores a ttl that is no number", bodies.says("<ttl>2 hours</ttl>"), H),
    _says("R16 takes once an hour for what it is", bodies.every("hourly", "1"), H),
    _says("R16 divides a day by how often a feed changes in it", bodies.every("daily", "4"), 6 * H),
    _says("R16 waits a day for a feed that changes daily", bodies.every("daily"), D),
    _says("R16 takes a frequency alone for times a day", bodies.every(None, "8"), 3 * H),
    _says("R16 waits a day at most for what changes yearly", bodies.every("yearly", "1"), D),
    _says("R16 takes a frequency of nothing for one", bodies.every("daily", "0"), D),
    _says("R16 takes a frequency in words for one", bodies.every("daily", "often"), D),
    _says(
        "R16 reads periods between blanks and in capitals",
        bodies.every("\n  Daily\n", "\n 4 \n"),
        6 * H,
    ),
    _says("R16 ignores a period it does not know", bodies.every("sometimes", "1"), H),
    _moves(
        "R17 waits for the first hour that is not skipped", bodies.skipping(hours=[13, 14]), 3 * H
    ),
    _moves("R17 takes 24 for midnight", bodies.skipping(hours=[24]), 2 * H, start=NOON + 11 * H),
    _moves("R17 takes 0 for midnight", bodies.skipping(hours=[0]), 2 * H, start=NOON + 11 * H),
    _moves(
        "R17 counts hours in GMT, wherever the planet is",
        bodies.skipping(hours=[13]),
        2 * H,
        settings={"timezone": "Asia/Tokyo"},
    ),
    _moves(
        "R17 waits out skipped hours across midnight",
        bodies.skipping(hours=[*range(13, 24), 0, 1]),
        14 * H,
    ),
    _moves(
        "R17 waits for the first day that is not skipped",
        bodies.skipping(days=["Saturday", "Sunday"]),
        36 * H,
    ),
    _moves("R17 reads the names of days in any case", bodies.skipping(days=["SATURDAY"]), 12 * H),
    _moves(
        "R17 waits out skipped days and hours together",
        bodies.skipping(days=["Saturday"], hours=[0, 1]),
        14 * H,
    ),
    Scenario(
        "R17 moves a request that falls due on a skipped day to the next",
        [ok('"1"', body=bodies.skipping(days=["Sunday"]), cache_control="max-age=64800")],
        [FIRST, between(36 * H, 36 * H + 15 * M)],
    ),
    Scenario(
        "R17 honours skipped hours beside the syndication module",
        [ok('"1"', body=bodies.every("daily", "12").replace(b"<item>", f"{SKIPS}<item>".encode()))],
        [FIRST, between(3 * H, 3 * H + 15 * M)],
    ),
    _says(
        "R17 does not move what falls due in another hour", bodies.skipping(hours=[11, 12, 15]), H
    ),
    *(
        Scenario(
            f"R17 stays away in a skipped hour, though it is due before and a run comes each "
            f"{each}",
            [ok('"1"', body=bodies.says(f"<ttl>{ttl}</ttl>{SKIPS}"))],
            [FIRST, between(3 * H, 3 * H), between(2 * H, 2 * H)],
            every=every,
        )
        for each, every, ttl in (("hour", H, 90), ("half hour", 30 * M, 105))
    ),
    _says("R17 ignores a feed that skips every hour", bodies.skipping(hours=range(24)), H),
    _says("R17 ignores a feed that skips every day", bodies.skipping(days=[*day_name]), H),
    Scenario(
        "R18 keeps what a feed said of itself while it is not modified",
        [ok('"1"', body=TWO_HOURS), same()],
        [FIRST, *[after(2 * H)] * 3],
    ),
    Scenario(
        "R18 forgets it when the feed no longer says so",
        [ok('"1"', body=TWO_HOURS), ok('"2"')],
        [FIRST, after(2 * H), after(H)],
    ),
    Scenario(
        "R18 keeps it through an answer that is no feed",
        [ok('"1"', body=TWO_HOURS), ok('"2"', body=bodies.PAGE)],
        [FIRST, after(2 * H), failing(2 * H)],
    ),
    Scenario(
        "R19 never asks again for a JSON Feed that says it has expired",
        [ok('"1"', body=bodies.json_feed(expired=True))],
        [FIRST],
        every=6 * H,
        lasts=60 * D,
    ),
    _says("R19 goes on with one that says it has not", bodies.json_feed(expired=False), H),
    _is_good(
        "R22 waits for the longest of what the headers and the feed say",
        3 * H,
        body=TWO_HOURS,
        cache_control="max-age=10800",
    ),
    _is_good(
        "R22 lets the feed win over headers that say less",
        6 * H,
        body=bodies.every("daily", "4"),
        cache_control="max-age=10800",
    ),
    Scenario(
        "R22 waits as long as the operator says, if that is longest",
        [ok('"1"', body=TWO_HOURS, cache_control="max-age=10800")],
        [FIRST, after(6 * H)],
        fetch={"min_interval": "6h"},
    ),
    Scenario(
        "R22 waits as long as the publisher says, whatever the operator's longest wait is",
        [ok('"1"', cache_control="max-age=18000")],
        [FIRST, after(5 * H)],
        fetch={"max_interval": "2h"},
    ),
)

SCENARIOS = (*LIFETIME, *HINTS)
