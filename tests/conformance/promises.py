"""The rules in words for publishers, by theme. `document` puts their scenarios under each."""

from dataclasses import dataclass

from planet.config.nouns import Fetch
from planet.http import exchange
from planet.model import FetchPolicy
from planet.schedule import constants
from tests.conformance.spoken import size, spoken, times

ASKING = FetchPolicy()
FETCH = Fetch()


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A test outside this suite that shows a promise."""

    promise: str
    """As in `notation.Scenario`."""
    file: str
    """Its path in the folder of tests."""
    name: str


@dataclass(frozen=True, slots=True)
class Promise:
    """A rule."""

    rule: str
    title: str
    words: str
    elsewhere: tuple[Elsewhere, ...] = ()


@dataclass(frozen=True, slots=True)
class Theme:
    """Rules that belong together."""

    title: str
    words: str
    promises: tuple[Promise, ...]


HOW_OFTEN = Theme(
    "How often",
    "All that follows are reasons to wait, and of several the longest counts.\n"
    "Nothing brings a request forward.",
    (
        Promise(
            "R23",
            "At most once an hour",
            f"Between two requests for a feed there is {spoken(constants.FLOOR)} at least, counted "
            "from the end of the first, on whatever schedule the planet runs.\n"
            "Where your server gives neither `ETag` nor `Last-Modified`, so that each answer is a "
            f"whole one, it is {spoken(ASKING.whole_interval)}.\n"
            "Operators can make that longer; for less than an hour they need your leave.",
        ),
        Promise(
            "R24",
            "One request in a run",
            "Whatever comes of it: there is no second try with other headers, over another "
            "protocol, or without a condition.",
        ),
        Promise(
            "R20",
            "As often as you post",
            "A feed is looked at about three times between two posts, as far as its last "
            f"{constants.RECENT_POSTS} entries tell, and just after the usual time where it has "
            "one.\n"
            "While it is silent the waits grow, up to a day, and to three days once it has been "
            f"silent for {spoken(constants.LONG_QUIET)}.",
        ),
        Promise(
            "R21",
            "Odd dates do no harm",
            "Entries dated in the future or in another century neither hurry us nor keep us away.",
        ),
        Promise(
            "R11",
            "As long as your headers say",
            "`Cache-Control: max-age`, or else `Expires`, is how long nobody need come back.\n"
            f"Up to {spoken(constants.LIFETIME_PLAUSIBLE)} are honoured in full; what is longer is "
            f"taken for a mistake and counts as {spoken(constants.LIFETIME_DEFAULT)}.",
        ),
        Promise(
            "R12",
            "Not to be stored is not to be hurried",
            "`no-cache`, `no-store` and an `Expires` in the past mean that the next request has to "
            "ask again, not that it has to come soon, or without a condition.",
        ),
        Promise(
            "R13",
            "A 304 counts",
            "It may name a new lifetime; if it names none, the one you gave before starts again.",
        ),
        Promise(
            "R14", "An error counts", "A lifetime on an error is how long we stay away after it."
        ),
        Promise(
            "R15", "`ttl`", f"The minutes in it are waited, up to {spoken(constants.HINT_MAX)}."
        ),
        Promise(
            "R16",
            "The syndication module",
            "`updatePeriod` by `updateFrequency` is waited, up to "
            f"{spoken(constants.HINT_MAX)}; a feed without the module is not taken for a daily "
            "one.",
        ),
        Promise(
            "R17",
            "`skipHours` and `skipDays`",
            "Hours and days are GMT.\n"
            "A request that would fall into one of them moves to the first quarter of an hour "
            "after it, each time to another minute, so that not everybody comes at once.\n"
            "What counts is when the request would be sent, not when it fell due.\n"
            "A planet that runs in such hours alone asks when a feed has been due for "
            f"{spoken(constants.SKIP_PATIENCE)}.",
        ),
        Promise(
            "R18",
            "What a feed says of itself lasts",
            "It holds while you answer 304, and until the feed says otherwise.",
        ),
        Promise("R19", "The end of a feed", "A JSON Feed that has `expired` is not asked again."),
        Promise(
            "R22",
            "The longest wait wins",
            "Between your headers, your feed, its pace and the operator's own settings.",
        ),
    ),
)

CONDITIONAL = Theme(
    "Conditional requests",
    "What the next request says is what your last `200` or `304` said; nothing else is a source "
    "for it.",
    (
        Promise(
            "R1",
            "Byte for byte",
            "`ETag` comes back as `If-None-Match` and `Last-Modified` as `If-Modified-Since`, both "
            "where there are both.\n"
            "They are not parsed, quoted, shortened or rewritten: what they mean is your business.",
        ),
        Promise(
            "R2",
            "What does not come back",
            "A value that no header can carry, or of more than "
            f"{exchange.MAX_VALIDATOR} characters, and a `Last-Modified` more than a day later "
            "than the answer's own `Date`: with it, a feed would never be new again.",
        ),
        Promise(
            "R3",
            "What replaces them",
            "A `200` replaces both, and what it leaves out is forgotten.\n"
            "A `304` replaces what it names, and no more.\n"
            "No other answer touches them.",
        ),
        Promise(
            "R4", "Never made up", "No date is taken from a clock, from `Date` or from the feed."
        ),
        Promise(
            "R5",
            "They belong to one address",
            "Validators go to the very address that gave them, and to no other along a redirect.",
        ),
        Promise(
            "R6",
            "Whole answers are rare",
            "A feed with validators is asked for without them only when nothing but `304` came for "
            f"{spoken(constants.AUDIT)}, and for {times(constants.AUDIT_GAPS)} its usual time "
            "between posts: some servers say `304` for ever.",
        ),
        Promise(
            "R7",
            "A 304 that nobody asked for",
            f"It counts as a failure, and we stay away for {spoken(constants.UNEXPECTED_304)}.",
        ),
        Promise(
            "R8",
            "Whole feeds only",
            "We do not ask for new entries alone (`A-IM`); when they come all the same, they do "
            "not count as the feed.",
        ),
        Promise(
            "R9",
            "Validators that do not work",
            f"When the same feed came {times(constants.IGNORED_AFTER)} although its own `ETag` was "
            f"named, we come every {spoken(constants.FLOOR_IGNORED)} at most, and try the date "
            "alone: some servers change the tag on its way out and then never know it again.",
        ),
    ),
)

TROUBLE = Theme(
    "When something is wrong",
    "A server in trouble is left alone, and longer each time.\n"
    "One that says for how long is left alone for so long.",
    (
        Promise(
            "R25",
            "429",
            "Nothing more is asked of your server until `Retry-After` is over, whichever feed it "
            "was said to; without one, for twice the usual wait, and longer each time.\n"
            "The feed it was said to is asked half as often from then on, for "
            f"{spoken(constants.LEARNED_FOR)} after the last 429.",
        ),
        Promise(
            "R27",
            "Retry-After",
            "Seconds or a date, on any answer; a date counts by your own clock.\n"
            f"Up to {spoken(constants.RETRY_AFTER_MAX)} are waited, and "
            f"{spoken(constants.RETRY_AFTER_WELL_MAX)} after a `200` or a `304`.\n"
            "On a redirect it is the wait for the request that follows it: up to "
            f"{exchange.REDIRECT_WAIT:.0f} seconds we wait, and after more the next request goes "
            "to where it leads.",
        ),
        Promise(
            "R26",
            "Trouble that passes",
            "After a `5xx`, a `408` or a `425` the wait is an hour or the usual one, and doubles "
            f"with each failure up to {spoken(constants.BACKOFF_MAX)}, after "
            f"{spoken(constants.BACKOFF_PATIENCE)} up to {spoken(constants.BACKOFF_MAX_LATER)}.\n"
            f"Two feeds of a server that say `503` within {spoken(constants.OVERLOAD)} speak for "
            "all of it; one alone does not.",
        ),
        Promise(
            "R32",
            "No answer at all",
            "Waits grow in the same way when a server cannot be reached or does not finish.\n"
            "But when nobody can be reached it is our own connection that is down, and no feed has "
            "to wait for that.",
        ),
        Promise(
            "R28",
            "401, 402, 403, 407, 451",
            f"We stay away for {spoken(constants.FORBIDDEN)}, and twice as long each time up to "
            f"{spoken(constants.LADDER_MAX)}; after {constants.FORBIDDEN_STRIKES} refusals over "
            f"{spoken(constants.PATIENCE)} or more we do not come back.\n"
            "There is no disguise: a challenge for browsers is a refusal.",
        ),
        Promise(
            "R29",
            "404",
            "Waits grow as after any failure.\n"
            f"After {constants.NOT_FOUND_STRIKES} in a row over {spoken(constants.PATIENCE)} or "
            "more we do not come back.\n"
            "An address at which there never was a feed is asked once in "
            f"{spoken(constants.NOT_FOUND)}.",
        ),
        Promise("R30", "410", "That was our last request."),
        Promise(
            "R31",
            "Any other 4xx",
            f"We stay away for {spoken(constants.REJECTED)} and longer each time, and for good "
            f"after {spoken(constants.PATIENCE)}.",
        ),
        Promise(
            "R33",
            "Coming back",
            "A feed that was given up is asked for again only when its operator says so, and then "
            "once, with its validators.",
        ),
    ),
)

REDIRECTS = Theme(
    "Redirects",
    f"They are followed one by one, {exchange.MAX_REDIRECTS} at most, and each hop is a request "
    "like any other.",
    (
        Promise(
            "R34",
            "Where they lead",
            "To `http` and `https` only, relative or absolute, and without the fragment.",
        ),
        Promise(
            "R36",
            "302, 303, 307",
            "The next request begins at the old address again, however long this goes on.",
        ),
        Promise(
            "R35",
            "301, 308",
            f"When {constants.ADOPT_TIMES} requests in a row led to a feed there, over "
            f"{spoken(constants.ADOPT_SPAN)} or more, the new address is asked directly; it is so "
            "at once when the old one is gone.\n"
            "If there is no feed at the new one some day, the old one is tried again.",
            (
                Elsewhere(
                    "goes from http to https at once where the address is the same otherwise",
                    "schedule/test_moved.py",
                    "test_an_address_over_tls_is_adopted_at_once_when_it_is_otherwise",
                ),
            ),
        ),
        Promise(
            "R37",
            "What is secret stays with you",
            "A name and password, or any header, that an operator configured for your feed goes to "
            "your server only.",
        ),
        Promise(
            "R48",
            "Not into private networks",
            "No redirect of a public server leads us to an address that is not public, and no "
            "subscription list on one; the address that would be connected to decides, before it "
            "is.",
            (
                Elsewhere(
                    "knows the addresses that are not public, however they are written",
                    "http/test_peers.py",
                    "test_an_address_is_not_public",
                ),
            ),
        ),
    ),
)

TAKEN = Theme(
    "What is taken",
    "An answer is taken whole or not at all, and what can be mended here is mended here.",
    (
        Promise(
            "R38",
            "Within limits",
            f"An answer of more than {size(ASKING.max_size)}, or {times(exchange.DECODED_FACTOR)} "
            "as much unpacked, is given up as soon as that is known, and tried again after "
            f"{spoken(constants.REJECTED)}, then ever more seldom.\n"
            f"An exchange is over after {spoken(ASKING.timeout)}.",
        ),
        Promise(
            "R39",
            "Nothing partial",
            "An answer that breaks off or is empty counts as none: its validators are not kept, "
            "and those from before are.\n"
            "So it is with the validators of a document that has no end where no length was "
            "told; its entries are read.",
        ),
        Promise(
            "R40",
            "Packed",
            "`Accept-Encoding: gzip` on every request; an answer that is packed otherwise, or not "
            "as it says, is unpacked if that can be done, and not asked for again.",
        ),
        Promise("R41", "Charsets", "A wrong or missing charset costs you no second request."),
        Promise(
            "R42",
            "Content types",
            "A feed is known by what it is, not by what it is called.\n"
            "A page in the place of a feed is a failure, and the feed's validators are kept; where "
            "there never was a feed, the page's are.",
        ),
        Promise(
            "R43",
            "Damaged feeds",
            "They are read as far as can be, and nothing is fetched that they refer to.",
        ),
        Promise(
            "R44",
            "Nothing is sent twice",
            "What has arrived is on disk before anything is made of it.\n"
            "A program that dies, or a feed that cannot be read, costs you no second answer; nor "
            "does a better reader.",
            (
                Elsewhere(
                    "reads again what an older version read, and asks for it no sooner",
                    "schedule/test_attempts.py",
                    "test_what_an_older_parser_read_is_read_again_and_asked_for_no_sooner",
                ),
            ),
        ),
        Promise(
            "R47",
            "The feed, and nothing besides",
            "No article, picture, icon or hub, and no page to look for feeds on.",
        ),
    ),
)

WHO = Theme(
    "Who asks",
    "A program with a name of its own, which it says to everybody.",
    (
        Promise(
            "R46",
            "An honest name",
            "`User-Agent: Planet/1.2.3 (+address)` with the real version and this page, or the "
            "operator's own.\n"
            "Every request says the same, whoever it goes to and whatever the last one brought.\n"
            "No cookie comes back, and addresses are asked for as they were written.",
            (
                Elsewhere(
                    "has no proxy and no password that nobody configured",
                    "http/test_manners.py",
                    "test_a_request_says_who_asks_and_nothing_it_need_not",
                ),
            ),
        ),
        Promise(
            "R49",
            "Certificates",
            "They are always verified, and no failure leads to a request without TLS.",
            (
                Elsewhere(
                    "takes no answer from a server whose certificate is not good for it",
                    "http/test_tls.py",
                    "test_a_certificate_is_refused_that",
                ),
            ),
        ),
        Promise(
            "R50",
            "One connection",
            "One at a time to a server, kept for all its feeds, with "
            f"{spoken(FETCH.host_gap)} at least between two requests, and twice as much after each "
            f"429, up to {spoken(constants.GAP_MAX)}.",
            (
                Elsewhere(
                    "sends a server no second request before it has answered the first",
                    "http/test_manners.py",
                    "test_one_host_is_asked_over_one_connection_one_request_at_a_time",
                ),
            ),
        ),
        Promise(
            "R52",
            "One feed, one request",
            "A feed that is listed twice, in whatever spelling, is asked for once.\n"
            "Two programs cannot ask for the same list at the same time.",
            (
                Elsewhere(
                    "does not start while another run of the same planet is under way",
                    "store/test_store.py",
                    "test_a_second_run_is_kept_out_until_the_first_has_ended",
                ),
            ),
        ),
        Promise(
            "R51",
            "An operator in a hurry",
            "`--force` asks before time, but with validators, never twice within "
            f"{spoken(constants.FORCE_GAP)}, and nobody who asked to be left alone.\n"
            "Only where what you last sent cannot be read is it asked for again in whole, once in "
            f"{spoken(constants.WHOLE_AGAIN)} at most.",
        ),
        Promise(
            "R45",
            "A program in a loop",
            "Each attempt is written down before it is made.\n"
            "A program that dies and starts again all day, or whose clock is wrong, still asks "
            "once an hour.",
        ),
    ),
)

THEMES = (HOW_OFTEN, CONDITIONAL, TROUBLE, REDIRECTS, TAKEN, WHO)
PROMISES = tuple(promise for theme in THEMES for promise in theme.promises)
