"""What stays of a feed, and what an attempt changes of what is known; its validators among that."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from planet.errors import FeedError
from planet.model import (
    Conditions,
    Day,
    DueReason,
    Failure,
    FeedHealth,
    FeedState,
    Fetched,
    GivenUp,
    Health,
    Moved,
    ParseResult,
)
from planet.schedule import select_due
from planet.schedule.health import QUIET, feed_health, health_json, summarize_health
from tests.builders import (
    NOW,
    make_draft,
    make_feed,
    make_profile,
    make_reading,
    make_state,
)
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    MINUTE,
    NOT_A_FEED,
    attempt,
    make_failed,
    make_known,
    make_new,
    make_read_state,
    make_same,
    waiting,
)

ONE = make_feed()
NEW = "https://new.example/feed"
WELL = make_state(
    attempted_at=NOW - HOUR,
    settled_at=NOW,
    due_at=NOW + 6 * HOUR,
    due_reason=DueReason.ADAPTIVE,
    status=304,
    succeeded_at=NOW,
    changed_at=NOW - DAY,
    posts=(NOW - 2 * DAY, NOW - DAY),
    health=Health(
        whole=2,
        unchanged=5,
        failed=1,
        throttled=1,
        response_time=timedelta(milliseconds=120.4),
        days=(
            Day(number=20700, asked=3, failed=1, received=2000),
            Day(number=20710, asked=4, received=1500),
        ),
    ),
)
FAILING = replace(
    WELL,
    failures=3,
    failing_since=NOW - DAY,
    error_kind="http_503",
    error="the server has a problem of its own (HTTP 503)",
    status=503,
)
ADOPTED = Moved(to=NEW, since=NOW - 9 * DAY, times=4, adopted=True)


def test_a_feed_in_good_order_has_nothing_to_show() -> None:
    assert feed_health(ONE, WELL).shown == FeedHealth().shown


@cases(
    "state, expected",
    case("in trouble", FAILING, {"trouble": FAILING.error, "trouble_since": NOW - DAY}),
    case(
        "given up",
        replace(FAILING, given_up=GivenUp.GONE, given_up_at=NOW, due_at=None, failures=1),
        {
            "trouble": FAILING.error,
            "trouble_since": NOW - DAY,
            "given_up": GivenUp.GONE,
            "given_up_at": NOW,
        },
    ),
    case("failing for the second time", replace(FAILING, failures=2), {}),
    case("moved", replace(WELL, moved=ADOPTED), {"moved_to": NEW}),
    case("quiet for long", replace(WELL, posts=(NOW - QUIET,)), {"quiet_since": NOW - QUIET}),
    case(
        "perhaps quiet: it has not answered since",
        replace(WELL, posts=(NOW - QUIET,), succeeded_at=NOW - HOUR),
        {},
    ),
)
def test_pages_show_the_trouble_of_a_feed(state: FeedState, expected: dict[str, Any]) -> None:
    health, nothing = feed_health(ONE, state), FeedHealth()
    names = ("trouble", "trouble_since", "given_up", "given_up_at", "quiet_since", "moved_to")

    assert {name: getattr(health, name) for name in names} == {
        name: expected.get(name, getattr(nothing, name)) for name in names
    }


def test_a_record_says_everything_and_is_ready_for_json() -> None:
    state = replace(
        FAILING,
        moved=replace(ADOPTED, adopted=False),
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
        "message": "the server has a problem of its own (HTTP 503)",
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
        "response_time": 0.12,
        "identical_in_a_row": 2,
        "answers": {
            "whole": 2,
            "unchanged": 5,
            "failed": 1,
            "throttled": 1,
        },
        "last_30_days": {"asked": 7, "failed": 1, "success_rate": 0.857, "bytes": 3500},
    }


@cases(
    "said, state, expected",
    case("new", {}, None, "never asked"),
    case("archived, whatever came last", {"is_archived": True}, FAILING, "archived"),
    case("of no answer yet that counts", {}, replace(WELL, succeeded_at=None), "never read"),
    case("failing", {}, replace(FAILING, failures=1), "failing"),
    case("given up", {}, replace(FAILING, given_up=GivenUp.GONE), "given up"),
    case("cut short", {}, replace(WELL, attempted_at=NOW + HOUR), "interrupted"),
)
def test_the_state_of_a_feed_is_told_in_a_word(
    said: dict[str, Any], state: FeedState | None, expected: str
) -> None:
    assert feed_health(make_feed(**said), state).state == expected


UNREACHED = ("unreachable", "the server cannot be reached")


@pytest.mark.parametrize(
    ("kind", "public"),
    [
        *((kind, UNREACHED) for kind in ("dns", "unreachable", "private_address")),
        ("not_a_feed", ("not_a_feed", "there is no feed at its address")),
    ],
)
def test_the_public_is_not_told_what_there_is_in_the_network_where_we_are(
    kind: str, public: tuple[str, str]
) -> None:
    last = Failure(at=NOW, error=kind, message=f"it is {kind}")
    state = replace(FAILING, error_kind=kind, error=last.message, last_failure=last, status=None)

    told = feed_health(ONE, state, is_public=True)
    well = feed_health(ONE, replace(WELL, last_failure=last), is_public=True)
    private = feed_health(ONE, state)

    assert (told.error, told.message, told.trouble) == (*public, public[1])
    assert told.last_failure == Failure(at=NOW, error=public[0], message=public[1])
    assert well.last_failure == told.last_failure
    assert (private.error, private.message) == (kind, f"it is {kind}")


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
    two = make_feed("two", url="https://one.example/two")
    away = replace(WELL, key="three", url="https://three.example/feed", succeeded_at=NOW - DAY)
    gone = replace(FAILING, key="two", url=two.url, given_up=GivenUp.GONE, succeeded_at=None)
    records = [
        feed_health(ONE, WELL),
        feed_health(two, gone),
        feed_health(make_feed("three"), away),
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


# What an attempt changes of what is known, seen as a whole


@cases(
    "fetched, result, changes",
    case(
        "not modified, after a redirect",
        make_same(url=NEW),
        None,
        {"status": 304, "succeeded_at": NOW, "answered_url": NEW},
    ),
    case(
        "the same bytes again",
        make_same(body_hash="aa", same_etag=True),
        None,
        {"status": 200, "succeeded_at": NOW, "whole_at": NOW, "identical": 1},
    ),
    case(
        "a new entry",
        make_new(),
        make_reading(make_draft(), posted=(NOW - MINUTE,)),
        {
            "succeeded_at": NOW,
            "whole_at": NOW,
            "processed_hash": "bb",
            "changed_at": NOW,
            "posts": (NOW - MINUTE,),
        },
    ),
    case(
        "a body that cannot be read, of which the old profile stays",
        make_new(validators=frozenset()),
        NOT_A_FEED,
        {
            "whole_at": NOW,
            "validators": frozenset(),
            "processed_hash": "bb",
            "unreadable": "this is a web page",
            "unreadable_kind": "not_a_feed",
            "failures": 1,
            "failing_since": NOW,
            "strikes": 1,
            "struck_since": NOW,
            "error_kind": "not_a_feed",
            "error": "this is a web page",
            "last_failure": Failure(at=NOW, error="not_a_feed", message="this is a web page"),
            **waiting(DAY, DueReason.BACKOFF),
        },
    ),
    case(
        "an error, after a redirect",
        make_failed("http_404", url=NEW, validators=frozenset()),
        None,
        {
            "status": 404,
            "failures": 1,
            "failing_since": NOW,
            "strikes": 1,
            "struck_since": NOW,
            "error_kind": "http_404",
            "error": "it is http_404",
            "last_failure": Failure(at=NOW, error="http_404", message="it is http_404"),
            **waiting(HOUR, DueReason.BACKOFF),
        },
    ),
)
def test_an_answer_changes_what_is_known_and_nothing_else(
    fetched: Fetched, result: ParseResult | FeedError | None, changes: dict[str, Any]
) -> None:
    before = make_read_state()

    after = attempt(before, fetched, result)

    times: dict[str, Any] = {"attempted_at": NOW, **waiting(HOUR, DueReason.FLOOR)}
    assert replace(after, health=Health()) == replace(before, **{**times, **changes})


# A body from disk, of which nobody was asked


def make_recalled(**changes: Any) -> Fetched:
    return replace(make_new(status=None, conditional=False, asked=False), **changes)


def test_what_an_older_parser_read_is_read_again_and_asked_for_no_sooner() -> None:
    before = make_read_state(reader="0", due_at=NOW + MINUTE)
    profile = make_profile(title="Better")

    after = attempt(before, make_recalled(body_hash="aa"), make_reading(profile=profile))

    # It was the disk that answered, not the server.
    assert after == replace(before, reader="1", profile=profile)


# Which validators a request names, and what is learned of them

ETAG, DATE = frozenset({"etag"}), frozenset({"last-modified"})


def again(**changes: Any) -> Fetched:
    """A 200 with the body that is known already, and with the ETag that was named."""
    return make_same(**{"body_hash": "aa", "same_etag": True, **changes})


def after(fetched: Fetched, before: FeedState | None = None, **changes: Any) -> FeedState:
    return attempt(before or make_read_state(**changes), fetched)


def asked_with(state: FeedState, *, now: datetime = NOW, force: bool = False) -> Conditions:
    (turn,) = select_due(make_known([make_feed()], {"one": state}), now=now, force=force)
    return turn.conditions


# Servers that ignore them


@cases(
    "fetched, identical",
    case("no ETag", again(same_etag=False, validators=DATE), 2),
    case("another ETag", again(same_etag=False), 0),
    case("what was asked for without validators", again(conditional=False), 1),
    case("an error", make_failed("http_500"), 1),
)
def test_bodies_that_came_in_vain_are_counted(fetched: Fetched, identical: int) -> None:
    assert after(fetched, identical=1).identical == identical


# One question without any, in case the server says 304 for ever


@cases(
    "known, conditions",
    case("not when nothing ever came", {"whole_at": None}, Conditions.ALL),
    case("not while it fails", {"whole_at": NOW - 28 * DAY, "failures": 1}, Conditions.ALL),
    case(
        "four weeks after the last time",
        {"whole_at": NOW - 60 * DAY, "audited_at": NOW - 28 * DAY},
        Conditions.NONE,
    ),
    case(
        "after four weeks of a busy feed",
        {"whole_at": NOW - 28 * DAY, "posts": (NOW - HOUR, NOW)},
        Conditions.NONE,
    ),
)
def test_a_feed_is_asked_without_validators(known: dict[str, Any], conditions: Conditions) -> None:
    assert asked_with(make_read_state(**known)) is conditions
