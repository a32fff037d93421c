"""How a feed stands, in the words of readers and of machines."""

import json
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from planet.model import (
    Day,
    DueReason,
    Failure,
    FeedHealth,
    FeedState,
    GivenUp,
    Health,
    Moved,
)
from planet.schedule.health import QUIET, HealthSummary, describe_health, feed_health
from planet.text.address import without_secrets
from tests.builders import NOW, make_feed, make_state
from tests.cases import case, cases

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
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


def test_a_feed_in_good_order_stands_with_when_and_why_it_is_asked() -> None:
    assert feed_health(ONE, WELL) == FeedHealth(
        asked_at=NOW,
        answered_at=NOW,
        due_at=NOW + 6 * HOUR,
        due_reason=DueReason.ADAPTIVE,
        wait=6 * HOUR,
    )


@cases(
    "state, expected",
    case("in trouble", FAILING, {"trouble": FAILING.error, "trouble_since": NOW - DAY}),
    case("with a hiccup", replace(FAILING, failures=2), {}),
    case(
        "given up",
        replace(FAILING, given_up=GivenUp.GONE, given_up_at=NOW, due_at=None, failures=1),
        {
            "trouble": FAILING.error,
            "trouble_since": NOW - DAY,
            "given_up": GivenUp.GONE,
            "given_up_at": NOW,
            "due_at": None,
            "due_reason": DueReason.GIVEN_UP,
            "wait": None,
        },
    ),
    case("moved", replace(WELL, moved=ADOPTED), {"moved_to": NEW}),
    case("on its way", replace(WELL, moved=replace(ADOPTED, adopted=False)), {}),
    case("quiet for long", replace(WELL, posts=(NOW - QUIET,)), {"quiet_since": NOW - QUIET}),
    case("quiet, but not for so long", replace(WELL, posts=(NOW - QUIET + HOUR,)), {}),
    case(
        "perhaps quiet: it has not answered since",
        replace(WELL, posts=(NOW - QUIET,), succeeded_at=NOW - HOUR),
        {"answered_at": NOW - HOUR},
    ),
    case("without an entry", replace(WELL, posts=()), {}),
)
def test_the_standing_of_a_feed_tells_its_trouble(
    state: FeedState, expected: dict[str, Any]
) -> None:
    assert feed_health(ONE, state) == replace(feed_health(ONE, WELL), **expected)


def test_a_record_says_everything_and_is_ready_for_json() -> None:
    state = replace(
        FAILING,
        moved=replace(ADOPTED, adopted=False),
        learned_floor=2 * HOUR,
        rests_until=NOW + HOUR,
        identical=2,
        last_failure=Failure(at=NOW - HOUR, kind="timeout", message="it takes too long"),
    )

    found = json.loads(json.dumps(describe_health(ONE, state)))

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
    case("switched off", {"enabled": False}, WELL, "disabled"),
    case("archived, whatever came last", {"is_archived": True}, FAILING, "archived"),
    case("well", {}, WELL, "ok"),
    case("of no answer yet that counts", {}, replace(WELL, succeeded_at=None), "never read"),
    case("failing", {}, replace(FAILING, failures=1), "failing"),
    case("given up", {}, replace(FAILING, given_up=GivenUp.GONE), "given up"),
    case("cut short", {}, replace(WELL, attempted_at=NOW + HOUR), "interrupted"),
)
def test_the_state_of_a_feed_is_told_in_a_word(
    said: dict[str, Any], state: FeedState | None, expected: str
) -> None:
    assert describe_health(make_feed(**said), state)["state"] == expected


@pytest.mark.parametrize("kind", ["dns", "refused", "unreachable", "private_address"])
def test_the_public_is_not_told_what_there_is_in_the_network_where_we_are(kind: str) -> None:
    last = Failure(at=NOW, kind=kind, message=f"it is {kind}")
    state = replace(FAILING, error_kind=kind, error=last.message, last_failure=last, status=None)

    told = describe_health(ONE, state, tell=without_secrets, is_public=True)
    well = describe_health(
        ONE, replace(WELL, last_failure=last), tell=without_secrets, is_public=True
    )

    assert (told["error"], told["message"]) == ("unreachable", "the server cannot be reached")
    assert well["last_failure"] == told["last_failure"]
    assert (well["last_failure"]["error"], well["last_failure"]["message"]) == (
        told["error"],
        told["message"],
    )
    assert feed_health(ONE, state).trouble == "the server cannot be reached"
    assert (describe_health(ONE, state)["error"], describe_health(ONE, state)["message"]) == (
        kind,
        f"it is {kind}",
    )


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

    found = describe_health(make_feed(url=url), state, tell=without_secrets)

    assert (found["url"], found["host"]) == (told, host)
    assert (found["moved"] and found["moved"]["to"]) == (told and f"{told}x")


def overview(*records: dict[str, Any]) -> dict[str, Any]:
    together = HealthSummary()
    for one in records:
        together.add(one)
    return together.as_json()


def test_records_come_to_an_overview() -> None:
    two = make_feed("two", url="https://one.example/two")
    away = replace(WELL, key="three", url="https://three.example/feed", succeeded_at=NOW - DAY)
    gone = replace(FAILING, key="two", url=two.url, given_up=GivenUp.GONE, succeeded_at=None)
    records = [
        describe_health(ONE, WELL),
        describe_health(two, gone),
        describe_health(make_feed("three"), away),
        describe_health(make_feed("four", url="file:///feed.xml"), None),
    ]

    assert overview(*records) == {
        "as_of": "2026-11-20T12:00:00+00:00",
        "feeds": 4,
        "failing": 1,
        "given_up": 1,
        "oldest_success": "2026-11-19T12:00:00+00:00",
        "newest_success": "2026-11-20T12:00:00+00:00",
        "last_30_days": {"asked": 21, "failed": 3, "success_rate": 0.857, "bytes": 10500},
        "hosts": {
            "one.example:443": {"feeds": 2, "asked": 14, "bytes": 7000},
            "three.example:443": {"feeds": 1, "asked": 7, "bytes": 3500},
        },
    }
