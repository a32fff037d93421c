"""The rules in words for publishers, by theme. `document` puts their scenarios under each."""

from dataclasses import dataclass

from planet.config.resolved import Fetch
from planet.http import limits
from planet.model import FetchPolicy
from planet.schedule import constants
from tests.conformance.spoken import size, spoken, times

ASKING = FetchPolicy()
FETCH = Fetch()


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A test outside this suite that shows a promise."""

    file: str
    """Its path in the folder of tests."""
    name: str


@dataclass(frozen=True, slots=True)
class Promise:
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
    "Each rule is a reason to wait; none brings a request forward.",
    (
        Promise(
            "R23",
            "At most once an hour",
            f"The next request comes {spoken(constants.FLOOR)} after the end of the last, or "
            f"later; {spoken(ASKING.whole_interval)} where your server gives neither `ETag` nor "
            "`Last-Modified`, or what the operator has set for your feed alone.\n"
            "For less than an hour an operator needs your leave.",
        ),
        Promise(
            "R24",
            "One request in a run",
            "There is no second try with other headers, over another protocol, or without a "
            "condition.\n"
            "Only a request over a connection that was kept, and ended before the first byte of an "
            "answer, is sent once more, over a new one (RFC 9112 §9.3.1).",
        ),
        Promise(
            "R20",
            "As often as you post",
            "A feed is asked about three times between two posts, as far as its last "
            f"{constants.RECENT_POSTS} entries tell, and just after its usual time.\n"
            "In silence the waits grow to a day, and to three days after "
            f"{spoken(constants.LONG_QUIET)}.",
        ),
        Promise(
            "R21",
            "Odd dates do no harm",
            "Entries from the future or another century neither hurry us nor keep us away.",
        ),
        Promise(
            "R11",
            "As long as your headers say",
            "We wait for `Cache-Control: max-age`, else until `Expires`, up to "
            f"{spoken(constants.LIFETIME_PLAUSIBLE)}; what is longer is taken for a mistake and "
            f"counts as {spoken(constants.LIFETIME_DEFAULT)}.",
        ),
        Promise(
            "R12",
            "Not to be stored is not to be hurried",
            "`no-cache`, `no-store` and an `Expires` in the past bring no request sooner, and none "
            "without a condition.",
        ),
        Promise(
            "R13",
            "A 304 counts",
            "It may name a new lifetime; else the one you gave before starts again.",
        ),
        Promise("R14", "An error counts", "We stay away for the lifetime of an error."),
        Promise("R15", "`ttl`", f"We wait for its minutes, up to {spoken(constants.HINT_MAX)}."),
        Promise(
            "R16",
            "The syndication module",
            "We wait for `updatePeriod` by `updateFrequency`, up to "
            f"{spoken(constants.HINT_MAX)}; without them nothing is assumed.",
        ),
        Promise(
            "R17",
            "`skipHours` and `skipDays`",
            "No request is sent in these hours and days of GMT; it moves to some minute of the "
            "first quarter of an hour after them.\n"
            "A planet that runs in such hours alone asks after "
            f"{spoken(constants.SKIP_PATIENCE)}.",
        ),
        Promise(
            "R18",
            "What a feed says of itself lasts",
            "It holds until the feed says otherwise, through every 304.",
        ),
        Promise("R19", "The end of a feed", "A JSON Feed that has `expired` is not asked again."),
        Promise(
            "R22",
            "The longest wait wins",
            "Your headers, your feed, its pace and the operator's settings are compared.",
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
            "`ETag` comes back as `If-None-Match` and `Last-Modified` as `If-Modified-Since`, "
            "neither parsed nor rewritten.",
        ),
        Promise(
            "R2",
            "What does not come back",
            "A value that no header can carry, or of more than "
            f"{limits.MAX_VALIDATOR} characters, and a `Last-Modified` more than a day after "
            "the answer's own `Date`.",
        ),
        Promise(
            "R3",
            "What replaces them",
            "A `200` or `203` replaces both, or forgets what it leaves out; a `304` replaces what "
            "it names; no other answer touches them.",
        ),
        Promise(
            "R4", "Never made up", "No date is taken from a clock, from `Date` or from the feed."
        ),
        Promise(
            "R5",
            "They belong to one address",
            "Validators go to the address that gave them, and to no other along a redirect.",
        ),
        Promise(
            "R6",
            "Whole answers are rare",
            "A feed is asked for without its validators only after nothing but `304` for "
            f"{spoken(constants.AUDIT)} and {times(constants.AUDIT_GAPS)} its usual time between "
            "posts: some servers say `304` for ever.",
        ),
        Promise(
            "R7",
            "A 304 that nobody asked for",
            f"It counts as a failure, and we stay away for {spoken(constants.UNEXPECTED_304)}.",
        ),
        Promise(
            "R8",
            "Whole feeds only",
            "We do not ask for new entries alone (`A-IM`); where they come, they are not the feed.",
        ),
        Promise(
            "R9",
            "Validators that do not work",
            f"When the same feed came {times(constants.IGNORED_AFTER)} although its `ETag` was "
            f"named, we come every {spoken(constants.FLOOR_IGNORED)} at most, and try the date "
            "alone.",
        ),
    ),
)

TROUBLE = Theme(
    "When something is wrong",
    "A server in trouble is left alone for as long as it says, else longer each time.",
    (
        Promise(
            "R25",
            "429",
            "No feed of your server is asked until `Retry-After` is over; without it, for twice "
            "the usual wait, and longer each time.\n"
            "This feed is then asked half as often until "
            f"{spoken(constants.LEARNED_FOR)} after the last 429.",
        ),
        Promise(
            "R27",
            "Retry-After",
            "Seconds, or a date by your clock, count on any answer, up to "
            f"{spoken(constants.RETRY_AFTER_MAX)}; on a `200` or `304` up to "
            f"{spoken(constants.RETRY_AFTER_WELL_MAX)}.\n"
            f"A redirect with up to {limits.REDIRECT_WAIT:.0f} seconds is followed after them, "
            "with more at the next request.",
        ),
        Promise(
            "R26",
            "Trouble that passes",
            "After a `5xx`, `408` or `425` the usual wait doubles with each failure up to "
            f"{spoken(constants.BACKOFF_MAX)}, after {spoken(constants.BACKOFF_PATIENCE)} up to "
            f"{spoken(constants.BACKOFF_MAX_LATER)}.\n"
            f"Two feeds with `503` within {spoken(constants.OVERLOAD)} speak for their server.",
        ),
        Promise(
            "R32",
            "No answer at all",
            "Waits grow in the same way, unless nobody can be reached: then our own connection is "
            "down.",
        ),
        Promise(
            "R28",
            "401, 402, 403, 407, 451",
            f"We stay away for {spoken(constants.FORBIDDEN)}, and twice as long each time up to "
            f"{spoken(constants.LADDER_MAX)}; after {constants.FORBIDDEN_STRIKES} refusals over "
            f"{spoken(constants.PATIENCE)} or more for good.\n"
            "A challenge for browsers is a refusal.",
        ),
        Promise(
            "R29",
            "404",
            f"Waits grow; after {constants.NOT_FOUND_STRIKES} in a row over "
            f"{spoken(constants.PATIENCE)} or more we stay away for good.\n"
            f"Where there never was a feed we ask once in {spoken(constants.NOT_FOUND)}.",
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
            "A feed that was given up is asked again only at the operator's word, once and with "
            "its validators.",
        ),
    ),
)

REDIRECTS = Theme(
    "Redirects",
    f"They are followed one by one, {limits.MAX_REDIRECTS} at most, and each hop is a request "
    "like any other.",
    (
        Promise(
            "R34",
            "Where they lead",
            "To `http` and `https` only, relative or absolute, and without the fragment.",
        ),
        Promise("R36", "302, 303, 307", "The next request begins at the old address again."),
        Promise(
            "R35",
            "301, 308",
            f"When {constants.ADOPT_TIMES} requests in a row led to a feed there, over "
            f"{spoken(constants.ADOPT_SPAN)} or more, or the old address is gone, the new one is "
            "asked directly.\n"
            "When that has no feed any more, the old one is tried again.\n"
            "Two subscriptions that lead to one address are asked once, and the other once in "
            f"{spoken(constants.MERGED_AGAIN)}.",
            (
                Elsewhere(
                    "schedule/test_moved.py",
                    "test_an_address_over_tls_is_adopted_at_once_when_it_is_otherwise_the_same",
                ),
            ),
        ),
        Promise(
            "R37",
            "What is secret stays with you",
            "Password and headers that an operator configured for your feed go to your server "
            "only.",
        ),
        Promise(
            "R48",
            "Not into private networks",
            "No redirect of a public server, and no subscription list on one, makes us connect to "
            "an address that is not public.\n"
            "Nor does the name of a feed that was asked for at a public address before, until the "
            "operator says so.\n"
            "Where an operator has us use a proxy, we see no address and refuse only what is "
            "written as one; where names lead is for the proxy to judge.",
            (
                Elsewhere("http/test_guard.py", "test_addresses_for_special_use_are_not_public"),
                Elsewhere(
                    "http/test_environment.py",
                    "test_no_redirect_leads_through_a_proxy_to_a_private_address",
                ),
            ),
        ),
    ),
)

TAKEN = Theme(
    "What is taken",
    "What can be mended here is mended here, and not asked for again.",
    (
        Promise(
            "R38",
            "Within limits",
            f"An answer of more than {size(ASKING.max_size)}, or {times(limits.DECODED_FACTOR)} "
            "as much unpacked, is given up at once, and tried again after "
            f"{spoken(constants.REJECTED)}, then ever more seldom.\n"
            f"An exchange ends after {spoken(ASKING.timeout)}.",
        ),
        Promise(
            "R39",
            "Nothing partial",
            "An answer that breaks off or is empty counts as none, and the validators from before "
            "are kept.\n"
            "Where no length was told, the entries of a document without an end are read, without "
            "its validators.",
        ),
        Promise(
            "R40",
            "Packed",
            "Every request says `Accept-Encoding: gzip`; an answer packed otherwise, or not as it "
            "says, is unpacked if possible.",
        ),
        Promise("R41", "Charsets", "A wrong or missing charset costs you no second request."),
        Promise(
            "R42",
            "Content types",
            "A feed is known by its content, not its type.\n"
            "A page in the place of a feed is a failure, and the feed's validators are kept; where "
            "there never was a feed, the page's are.",
        ),
        Promise(
            "R43",
            "Damaged feeds",
            "They are read as far as possible, and nothing is fetched that they refer to.",
        ),
        Promise(
            "R44",
            "Nothing is sent twice",
            "What has arrived is stored before it is read: a program that dies, a feed that "
            "cannot be read and a newer reader cost you no second answer.",
            (
                Elsewhere(
                    "schedule/test_attempts.py",
                    "test_what_an_older_parser_read_is_read_again_and_asked_for_no_sooner",
                ),
            ),
        ),
        Promise(
            "R47",
            "The feed, and nothing besides",
            "No article, picture or hub, and no page to look for feeds on. An icon only where the "
            "operator turned on faces: once in 30 days, in a run that asks for feeds. A picture of "
            "an entry only where the operator has copies made: once.",
        ),
    ),
)

WHO = Theme(
    "Who asks",
    "A program that says its name to everybody.",
    (
        Promise(
            "R46",
            "An honest name",
            "Every request says `User-Agent: Planet/1.2.3 (+address)`, with the real version and "
            "this page or the operator's own.\n"
            "No cookie comes back, no password is taken from `.netrc`, and addresses are asked "
            "for as written.",
            (
                Elsewhere(
                    "http/test_manners.py", "test_a_request_says_who_asks_and_nothing_it_need_not"
                ),
            ),
        ),
        Promise(
            "R49",
            "Certificates",
            "They are always verified, also through a proxy; no failure leads to a request without "
            "TLS.",
            (Elsewhere("http/test_tls.py", "test_a_certificate_of_strangers_is_refused"),),
        ),
        Promise(
            "R50",
            "One connection",
            "A server has one for all its feeds, with "
            f"{spoken(FETCH.host_gap)} between two requests, and twice as much after each "
            f"429, up to {spoken(constants.GAP_MAX)}.\n"
            "http and https of a name are one server; another port is another.\n"
            "Where many names lead to one IP address, and no proxy hides it, it has "
            f"{limits.ADDRESS_CONNECTIONS} connections at a time.",
            (
                Elsewhere(
                    "http/test_manners.py",
                    "test_one_host_is_asked_one_by_one_over_one_connection",
                ),
            ),
        ),
        Promise(
            "R52",
            "One feed, one request",
            "A feed that is listed in two spellings is asked once.\n"
            "Two runs of a planet cannot go on at the same time.",
            (
                Elsewhere(
                    "store/test_store.py", "test_a_second_run_is_kept_out_until_the_first_has_ended"
                ),
            ),
        ),
        Promise(
            "R51",
            "An operator in a hurry",
            "`--force` asks before time, but with validators, not twice within "
            f"{spoken(constants.FORCE_GAP)}, and nobody who asked to be left alone.\n"
            "What cannot be read is asked for again in whole, once in "
            f"{spoken(constants.WHOLE_AGAIN)} at most.",
        ),
        Promise(
            "R45",
            "A program in a loop",
            "Each attempt is stored before it is made: a program that dies and starts again all "
            "day, or whose clock is wrong, still asks once an hour.",
        ),
    ),
)

THEMES = (HOW_OFTEN, CONDITIONAL, TROUBLE, REDIRECTS, TAKEN, WHO)
PROMISES = tuple(promise for theme in THEMES for promise in theme.promises)
