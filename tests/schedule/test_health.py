"""What is counted of a feed, and its health: for pages, machines and the operator."""

import json
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from planet.errors import FeedError
from planet.model import (
    Day,
    DueReason,
    Failure,
    Feed,
    FeedHealth,
    FeedState,
    Fetched,
    GivenUp,
    Health,
    Hints,
    Moved,
    ParseResult,
)
from planet.schedule import changes_pages
from planet.schedule.health import (
    QUIET,
    advise,
    check_alarm,
    feed_health,
    health_json,
    summarize_health,
)
from tests.builders import NOW, make_draft, make_feed, make_profile, make_reading, make_state
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    NOT_A_FEED,
    attempt,
    make_failed,
    make_new,
    make_read_state,
    make_same,
)

ONE = make_feed()
NEW = "https://new.example/feed"
TODAY = NOW.toordinal()
REQUESTS = Health(
    whole=2,
    unchanged=5,
    failed=1,
    throttled=1,
    response_time=timedelta(milliseconds=120.4),
    days=(
        Day(number=20700, asked=3, failed=1, received=2000),
        Day(number=20710, asked=4, received=1500),
    ),
)
WELL = make_state(
    attempted_at=NOW - HOUR,
    settled_at=NOW,
    due_at=NOW + 6 * HOUR,
    due_reason=DueReason.ADAPTIVE,
    status=304,
    succeeded_at=NOW,
    changed_at=NOW - DAY,
    posts=(NOW - 2 * DAY, NOW - DAY),
    health=REQUESTS,
)
ADOPTED = Moved(to=f"{NEW}?key=secret", since=NOW - 9 * DAY, times=4, adopted=True)


def failing(kind: str = "http_503", **changes: Any) -> FeedState:
    """A feed that worked once, and has failed three times in a row since yesterday."""
    trouble = {"failures": 3, "failing_since": NOW - DAY, "error_kind": kind, "error": "it fails"}
    return replace(WELL, **{**trouble, **changes})


# What is counted


@cases(
    "fetched, result, counts",
    case("not modified", make_same(), None, {"unchanged": 1}),
    case("news", make_new(), make_reading(make_draft()), {"whole": 1}),
    case("a web page", make_new(), NOT_A_FEED, {"whole": 1, "failed": 1}),
    case("an error", make_failed("http_500"), None, {"failed": 1}),
    case("a 429", make_failed("http_429"), None, {"failed": 1, "throttled": 1}),
    case("no answer", make_failed("unreachable", conditional=False), None, {"failed": 1}),
    case("a redirect", make_failed("host_cooldown", conditional=False, status=301), None, {}),
)
def test_an_attempt_is_counted_by_its_result(
    fetched: Fetched, result: ParseResult | FeedError | None, counts: dict[str, Any]
) -> None:
    health = attempt(make_read_state(), fetched, result).health

    assert replace(health, days=()) == Health(**counts)
    assert health.days == (Day(number=TODAY, asked=1, failed=counts.get("failed", 0)),)


# What pages show


@cases(
    "state, expected",
    case("well", WELL, {}),
    case("failing for the second time", failing(failures=2), {}),
    case("in trouble", failing(), {"trouble": "it fails", "failing_since": NOW - DAY}),
    case(
        "given up",
        failing(given_up=GivenUp.GONE, given_up_at=NOW, due_at=None, failures=1),
        {
            "trouble": "it fails",
            "failing_since": NOW - DAY,
            "given_up": GivenUp.GONE,
            "given_up_at": NOW,
        },
    ),
    case("moved", replace(WELL, moved=replace(ADOPTED, to=NEW)), {"new_address": NEW}),
    case("quiet for long", replace(WELL, posts=(NOW - QUIET,)), {"quiet_since": NOW - QUIET}),
    case(
        "perhaps quiet: it has not answered since",
        replace(WELL, posts=(NOW - QUIET,), succeeded_at=NOW - HOUR),
        {},
    ),
)
def test_pages_show_the_trouble_of_a_feed(state: FeedState, expected: dict[str, Any]) -> None:
    nothing, health = FeedHealth(), feed_health(ONE, state)
    names = ("trouble", "given_up", "given_up_at", "quiet_since", "new_address")
    wanted = {name: expected.get(name, getattr(nothing, name)) for name in names}

    assert {name: getattr(health, name) for name in names} == wanted
    assert {name: getattr(health.page_part, name) for name in names} == wanted


NEW_TITLE = make_read_state(profile=make_profile(title="New"))
NEW_HINT = make_read_state(profile=make_profile(hints=Hints(ttl=HOUR)))


@cases(
    "before, after, shown",
    case("its first profile", None, make_read_state(), True),
    case("a new title", make_read_state(), NEW_TITLE, True),
    case("a new hint on how often to ask", make_read_state(), NEW_HINT, False),
    case("the end of its trouble", failing(), WELL, True),
    case("the fourth failure", failing(), failing(failures=4), False),
    case("another answer", WELL, replace(WELL, settled_at=NOW + HOUR, status=200), False),
)
def test_pages_show_some_changes(before: FeedState | None, after: FeedState, shown: bool) -> None:
    assert changes_pages(before, after) is shown


# What machines read


def test_a_record_says_everything_and_is_ready_for_json() -> None:
    state = failing(
        moved=Moved(to=NEW, since=NOW - 9 * DAY, times=4),
        status=503,
        learned_floor=2 * HOUR,
        rests_until=NOW + HOUR,
        identical=2,
        last_failure=Failure(at=NOW - HOUR, error="timeout", message="it takes too long"),
    )

    found = json.loads(json.dumps(health_json(feed_health(ONE, state))))

    assert found == {
        "url": "https://one.example/feed",
        "host": "one.example:443",
        "state": "failing",
        "status": 503,
        "asked_at": "2026-11-20T12:00:00+00:00",
        "succeeded_at": "2026-11-20T12:00:00+00:00",
        "changed_at": "2026-11-19T12:00:00+00:00",
        "posted_at": "2026-11-19T12:00:00+00:00",
        "quiet_since": None,
        "failures": 3,
        "failing_since": "2026-11-19T12:00:00+00:00",
        "error": "http_503",
        "message": "it fails",
        "last_failure": {
            "at": "2026-11-20T11:00:00+00:00",
            "error": "timeout",
            "message": "it takes too long",
        },
        "given_up": None,
        "given_up_at": None,
        "due_at": "2026-11-20T18:00:00+00:00",
        "due_reason": "adaptive",
        "rests_until": "2026-11-20T13:00:00+00:00",
        "learned_floor": 7200,
        "moved": {"to": NEW, "since": "2026-11-11T12:00:00+00:00", "times": 4, "adopted": False},
        "identical_in_a_row": 2,
        "response_time": 0.12,
        "answers": {"whole": 2, "unchanged": 5, "failed": 1, "throttled": 1},
        "last_30_days": {"asked": 7, "failed": 1, "success_rate": 0.857, "bytes": 3500},
    }


@cases(
    "said, state, expected",
    case("new", {}, None, "never asked"),
    case("archived, whatever came last", {"is_archived": True}, failing(), "archived"),
    case("of no answer yet that counts", {}, replace(WELL, succeeded_at=None), "never read"),
    case("failing", {}, failing(failures=1), "failing"),
    case("given up", {}, failing(given_up=GivenUp.GONE), "given up"),
    case("cut short", {}, replace(WELL, attempted_at=NOW + HOUR), "unfinished"),
)
def test_the_state_of_a_feed_is_told_in_a_word(
    said: dict[str, Any], state: FeedState | None, expected: str
) -> None:
    health = feed_health(make_feed(**said), state)

    assert (health.state, health.is_archived) == (expected, expected == "archived")
    assert health.failures == 0 or expected in ("failing", "given up")


@cases(
    "kinds, public",
    case(
        "what cannot be reached",
        ("dns", "unreachable", "private_address"),
        {"error": "unreachable", "message": "the server cannot be reached"},
    ),
    case(
        "what a page leads to",
        ("not_a_feed",),
        {"error": "not_a_feed", "message": "there is no feed at its address"},
    ),
)
def test_the_public_is_not_told_what_there_is_in_the_network_where_we_are(
    kinds: tuple[str, ...], public: dict[str, str]
) -> None:
    for kind in kinds:
        last = Failure(at=NOW, error=kind, message="it fails")
        state = failing(kind, last_failure=last)
        told, private = feed_health(ONE, state, is_public=True), feed_health(ONE, state)

        assert {"error": told.error, "message": told.message} == public
        assert told.last_failure == Failure(at=NOW, **public)
        assert (private.error, private.message, private.last_failure) == (kind, "it fails", last)


@cases(
    "url, told, host",
    case("password", "https://me:x@one.example/a", "https://one.example/a", "one.example:443"),
    case("secret in the query", "https://one.example/a?key=x", None, None),
    case("file", "file:///home/me/feed.xml", None, None),
)
def test_a_record_for_the_public_keeps_secrets(
    url: str, told: str | None, host: str | None
) -> None:
    state = replace(WELL, url=url, moved=Moved(to=f"{url}x", since=NOW))

    found = feed_health(make_feed(url=url), state, is_public=True)

    assert (found.url, found.host) == (told, host)
    assert (found.moved and found.moved.to) == (told and f"{told}x")


def test_records_come_to_an_overview() -> None:
    gone = failing(given_up=GivenUp.GONE, succeeded_at=None)
    records = [
        feed_health(ONE, WELL),
        feed_health(ONE, gone),
        feed_health(ONE, replace(WELL, succeeded_at=NOW - DAY)),
        feed_health(make_feed("four", url="file:///feed.xml"), None),
    ]

    assert summarize_health(records) == {
        "as_of": "2026-11-20T12:00:00+00:00",
        "feeds": 4,
        "failing": 1,
        "given_up": 1,
        "oldest_success": "2026-11-19T12:00:00+00:00",
        "newest_success": "2026-11-20T12:00:00+00:00",
        "last_30_days": {"asked": 21, "failed": 3, "success_rate": 0.857, "bytes": 10500},
    }


# What the operator should do


def concern(state: FeedState | None, feed: Feed = ONE) -> str | None:
    found = advise(feed, state)
    return found.concern if found else None


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        *(("http_401", "http_401"), ("http_407", "http_403"), ("http_451", "http_403")),
        *(("http_404", "http_404"), ("http_414", "http_4xx"), ("http_425", "down")),
        *(("http_500", "down"), ("timeout", "down"), ("empty", "down")),
    ],
)
def test_what_to_do_follows_from_how_a_feed_fails(kind: str, expected: str) -> None:
    assert concern(failing(kind)) == expected


NEVER = {"failures": 1, "succeeded_at": None}


@cases(
    "state, expected",
    case("not at its second failure", failing("timeout", failures=2), None),
    case("at its first when it never worked", failing("timeout", **NEVER), "down"),
    case(
        "at once when there never was anything at its address",
        failing("http_404", **NEVER),
        "never_worked",
    ),
    case(
        "not when its server has said only twice that we come too often",
        failing("http_429", failures=1, health=Health(throttled=2)),
        None,
    ),
    case(
        "when its server says again and again that we come too often",
        failing("http_429", failures=1, health=Health(throttled=3)),
        "http_429",
    ),
    case("not while it is well", WELL, None),
    case("when it has moved for good", replace(WELL, moved=ADOPTED), "moved"),
    case("not while it may be moving", replace(WELL, moved=replace(ADOPTED, adopted=False)), None),
    case("when it is the same again and again", replace(WELL, identical=3), "ignored"),
    case(
        "while it has an ETag that never matches",
        replace(WELL, etag_broken_until=NOW + DAY),
        "ignored",
    ),
)
def test_advice_on_a_feed_has_a_time(state: FeedState | None, expected: str | None) -> None:
    assert concern(state) == expected


@pytest.mark.parametrize("given_up", GivenUp)
def test_of_a_feed_that_was_given_up_is_told_how_to_have_it_asked_again(given_up: GivenUp) -> None:
    found = advise(make_feed(slug="the-one"), failing(given_up=given_up, failures=1))

    assert found is not None
    assert "`planet retry the-one`" in found.words


def test_advice_keeps_secrets() -> None:
    found = [advise(ONE, state) for state in (failing("http_404"), replace(WELL, moved=ADOPTED))]

    assert [each.words for each in found if each] == [
        "There is nothing at its address any more: see what its site names now.",
        "It has moved to https://new.example/feed?key=… for good: let `planet status --fix` write "
        "that to the config.",
    ]


@cases(
    "feed",
    case("is switched off", make_feed(enabled=False)),
    case("is archived", make_feed(is_archived=True)),
    case("has another address now", make_feed(url="https://elsewhere.example/feed")),
)
def test_there_is_nothing_to_do_about_a_feed_that_is_off_or_moved_by_hand(feed: Feed) -> None:
    assert advise(feed, failing("tls")) is None


# The planet as a whole


def asked(at: timedelta, wait: timedelta, **changes: Any) -> FeedState:
    """A feed that was last asked, and answered, so long ago, and is asked again after a wait."""
    moment = NOW - at
    times = {"settled_at": moment, "succeeded_at": moment, "due_at": moment + wait}
    return make_state(**{**times, **changes})


def down(since: timedelta, **changes: Any) -> FeedState:
    """A feed that answered so long ago, and fails since then."""
    times = {"succeeded_at": NOW - since, "failures": 2, "failing_since": NOW - since}
    return asked(HOUR, HOUR, **{**times, **changes})


SINCE = "no feed at all has come since 2026-11-20 09:00 UTC"


@cases(
    "states, expected",
    case("one of two came", [asked(HOUR, HOUR), down(DAY)], None),
    case("one is long overdue", [asked(3 * HOUR, HOUR)], SINCE),
    case("one is asked in every run", [asked(3 * HOUR, timedelta(0))], SINCE),
    case("one is asked daily", [asked(20 * HOUR, DAY), down(DAY)], None),
    case("all fail", [down(3 * HOUR), down(DAY)], SINCE),
    case("none ever came", [down(3 * HOUR, succeeded_at=None)], None),
    case("all were given up", [asked(DAY, HOUR, given_up=GivenUp.GONE)], None),
)
def test_an_alarm_tells_that_nothing_comes(states: list[FeedState], expected: str | None) -> None:
    feeds = [make_feed(str(number)) for number in range(len(states))]
    known = {str(number): state for number, state in enumerate(states)}
    files = [replace(feed, url="file:///one.xml") for feed in feeds]

    assert check_alarm(feeds, known, now=NOW) == expected
    assert check_alarm(files, known, now=NOW) is None
