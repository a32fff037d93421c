"""Whose turn it is, in which order, and when: at its server, and before an edition comes out."""

from collections.abc import Mapping
from datetime import UTC, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from planet.model import (
    Conditions,
    DueReason,
    Feed,
    FeedState,
    FetchPolicy,
    GivenUp,
    Hints,
    HostState,
    Lifetime,
    PollRequest,
    Timetable,
    Weekday,
)
from planet.schedule import next_poll, request_gap, select_due, select_unread, update_host
from planet.schedule.due import due_before_release
from tests.builders import NOW, make_feed, make_profile, make_state
from tests.cases import case, cases
from tests.schedule.states import (
    BOTH,
    DAY,
    HOUR,
    MINUTE,
    NOT_A_FEED,
    SECOND,
    TICK,
    make_failed,
    make_known,
    make_read_state,
)


def is_due(feed: Feed, state: FeedState | None, *, now: datetime = NOW) -> bool:
    return bool(turns_due([feed], {feed.key: state} if state else {}, now=now))


def turns_due(
    feeds: list[Feed], states: Mapping[str, FeedState], *, now: datetime = NOW
) -> list[str]:
    return [turn.feed.key for turn in select_due(make_known(feeds, states), now=now)]


def turns_forced(feeds: list[Feed], states: Mapping[str, FeedState]) -> list[str]:
    return [turn.feed.key for turn in select_due(make_known(feeds, states), now=NOW, force=True)]


# Those that are due


@cases(
    "state, expected",
    case("is due this moment", make_read_state(due_at=NOW), True),
    case("is not due yet", make_read_state(due_at=NOW + TICK), False),
    case("was given up", make_read_state(given_up=GivenUp.GONE, due_at=None), False),
    case("is to be left alone a while more", make_read_state(rests_until=NOW + TICK), False),
    case(
        "is asked too often by runs that are killed, as a 429 taught",
        make_state(attempted_at=NOW - 2 * HOUR, learned_floor=3 * HOUR),
        False,
    ),
    case(
        "is to be left alone, and was asked by a run that was killed",
        make_state(attempted_at=NOW - 2 * HOUR, rests_until=NOW + HOUR),
        False,
    ),
    case(
        "was given up, and asked by a run that was killed",
        make_state(attempted_at=NOW - DAY, given_up=GivenUp.GONE),
        False,
    ),
)
def test_a_feed_is_due_when_its_waits_are_over(state: FeedState | None, expected: bool) -> None:
    assert is_due(make_feed(), state) is expected


def test_a_feed_that_is_a_file_is_always_due() -> None:
    feed = make_feed(url="file:///feed.xml")
    state = make_state(url=feed.url, attempted_at=NOW, due_at=NOW + DAY)

    assert is_due(feed, state)
    assert turns_forced([feed], {"one": state}) == ["one"]
    assert next_poll(feed, state, {}) == (None, None)


@pytest.mark.parametrize("changes", [{"enabled": False}, {"is_archived": True}])
def test_a_feed_that_is_not_enabled_or_archived_has_no_turn(changes: dict[str, Any]) -> None:
    feeds = [make_feed(**changes), make_feed("two")]

    assert turns_due(feeds, {}) == ["two"]
    assert turns_forced(feeds, {}) == ["two"]
    assert [turn.feed.key for turn in select_unread(make_known(feeds, {}), now=NOW)] == ["two"]
    assert next_poll(feeds[0], make_read_state(), {}) == (None, None)


# Their order


def test_important_feeds_go_first_and_then_those_due_longest() -> None:
    feeds = [
        make_feed("late"),
        make_feed("later"),
        make_feed("new"),
        make_feed("newer"),
        make_feed("important", priority=1),
        make_feed("least", priority=-1),
    ]
    states = {
        key: make_state(key, due_at=NOW - hours * HOUR)
        for key, hours in {"late": 1, "later": 2, "important": 0, "least": 9}.items()
    }

    expected = ["important", "new", "newer", "later", "late", "least"]
    assert turns_due(feeds, states) == expected
    assert turns_forced(feeds, states) == expected


# What a turn says


@cases(
    "state, expected, is_unread",
    case("a feed that was never asked", None, {}, True),
    case(
        "a feed that was read",
        make_read_state(answered_url="https://new.example/"),
        {"known_hash": "aa", "answered_url": "https://new.example/", "pages": False},
        False,
    ),
    case(
        "a feed that an older parser read",
        make_read_state(reader="0"),
        {"answered_url": "https://one.example/feed", "pages": False},
        True,
    ),
    case(
        "a feed whose last run was killed",
        make_read_state(attempted_at=NOW - 30 * MINUTE),
        {"known_hash": "aa", "answered_url": "https://one.example/feed", "pages": False},
        True,
    ),
    case(
        "a feed that this parser cannot read",
        make_read_state(unreadable=str(NOT_A_FEED), unreadable_kind=NOT_A_FEED.kind),
        {
            "known_hash": "aa",
            "answered_url": "https://one.example/feed",
            "pages": False,
            "conditions": Conditions.NONE,
        },
        False,
    ),
    case(
        "a feed that is a web page",
        make_read_state(profile=make_profile(format="hfeed")),
        {"known_hash": "aa", "answered_url": "https://one.example/feed"},
        False,
    ),
)
def test_a_turn_says_what_is_known_of_its_feed(
    state: FeedState | None, expected: dict[str, Any], is_unread: bool
) -> None:
    feed = make_feed()
    states = {"one": state} if state else {}

    (turn,) = select_due(make_known([feed], states), now=NOW, force=True)

    assert turn == PollRequest(feed=feed, **expected)
    assert select_due(make_known([feed], states), now=NOW + DAY) == [turn]
    assert select_unread(make_known([feed], states), now=NOW) == ([turn] if is_unread else [])


# What is told of the next attempt


@cases(
    "state, expected",
    case(
        "is well", make_read_state(due_at=NOW + DAY, due_reason=DueReason.TTL), (NOW + DAY, "ttl")
    ),
    case(
        "was given up",
        make_read_state(due_at=None, due_reason=DueReason.GIVEN_UP, given_up=GivenUp.FORBIDDEN),
        (None, "given_up"),
    ),
    case(
        "was asked by a run that was killed",
        make_read_state(attempted_at=NOW - MINUTE),
        (NOW + 59 * MINUTE, "floor"),
    ),
    case("has a new address", make_read_state(url="https://former.example/"), (None, None)),
)
def test_the_next_attempt_is_told_of_each_feed(
    state: FeedState | None, expected: tuple[datetime | None, str | None]
) -> None:
    assert next_poll(make_feed(), state, {}) == expected


# What servers say of all their feeds: how fast they are asked, and when they rest

HOST = "one.example:443"


def after(
    before: HostState | None,
    kind: str,
    *,
    key: str = "one",
    policy: FetchPolicy | None = None,
    **changes: Any,
) -> HostState | None:
    feed = make_feed(key, policy=policy or FetchPolicy())
    return update_host(before, feed, make_failed(kind, **changes))


# How fast it is asked


@cases(
    "host, throttles, asked, expected",
    case("what the operator set", HOST, 0, 1, 1),
    case("none, if the operator set none", HOST, 0, 0, 0),
    case("two minutes after seven", HOST, 7, 1, 120),
    case("two seconds after a 429, if the operator set none", HOST, 1, 0, 2),
    case("two minutes at most", HOST, 2, 90, 120),
    case("no less than the operator set", HOST, 2, 300, 300),
    case("what Reddit needs", "reddit.com:443", 0, 1, 65),
    case("what all of Reddit needs", "old.reddit.com:80", 0, 1, 65),
    case("nothing special for a like name", "notreddit.com:443", 0, 1, 1),
)
def test_the_gap_between_two_requests_grows_with_each_429_to_two_minutes(
    host: str, throttles: int, asked: float, expected: float
) -> None:
    state = HostState(host=host, throttles=throttles, throttled_at=NOW)

    assert request_gap(host, state, asked * SECOND) == expected * SECOND


# When a feed is asked that is only wanted when an edition comes out

DAILY = Timetable(at=time(0), zone=ZoneInfo("UTC"))
MONDAYS = Timetable(at=time(6), days=(Weekday.MONDAY,), zone=ZoneInfo("UTC"))


def on(day: int, hour: int, minute: int = 0) -> datetime:
    """A moment in November 2026; the 23rd is a Monday."""
    return datetime(2026, 11, day, hour, minute, tzinfo=UTC)


def read(at: datetime, due_at: datetime, **changes: Any) -> FeedState:
    """What is known of a feed that was read at a moment, and is due by its pace at another."""
    known = {
        "attempted_at": at,
        "settled_at": at,
        "succeeded_at": at,
        "due_at": due_at,
        "due_reason": DueReason.ADAPTIVE,
        "validators": BOTH,
        "whole_at": at,
    }
    return make_state(**{**known, **changes})


def moment(
    due_at: datetime,
    *releases: Timetable,
    read_at: datetime,
    name: str = "one",
    **changes: Any,
) -> datetime:
    """When such a feed is to be asked."""
    feed = make_feed(name, policy=FetchPolicy(releases=releases or (DAILY,)))
    return due_before_release(due_at, feed, read(read_at, due_at, **changes))


def test_it_waits_for_the_time_before_a_release() -> None:
    assert moment(on(20, 12), read_at=on(20, 11)) == on(20, 22, 36)


@cases(
    "due_at, changes, earliest",
    case("its pace", on(20, 23, 30), {}, None),
    case(
        "a failure",
        on(20, 23, 15),
        {"due_reason": DueReason.BACKOFF, "failures": 1},
        on(20, 23, 15),
    ),
    case(
        "its ttl, whatever its pace is",
        on(20, 23, 30),
        {"profile": make_profile(hints=Hints(ttl=4.25 * HOUR))},
        on(20, 23, 15),
    ),
    case(
        "the lifetime of its answer",
        on(20, 23, 30),
        {"lifetime": Lifetime(length=4.25 * HOUR, said_by=DueReason.MAX_AGE)},
        on(20, 23, 15),
    ),
    case("a rest", on(20, 23, 30), {"rests_until": on(20, 23, 20)}, on(20, 23, 20)),
)
def test_a_feed_is_put_off_past_its_time_before_a_release_by_limits_alone(
    due_at: datetime, changes: dict[str, Any], earliest: datetime | None
) -> None:
    at = moment(due_at, read_at=on(20, 19), **changes)

    if earliest is None:
        assert at == on(20, 22, 36), "no reason to come too late"
    else:
        assert at == earliest


@cases(
    "due_at, read_at",
    case("for one that was read in time", on(20, 23, 45), on(20, 22, 40)),
    case("for one that was read after it, too", on(21, 1, 30), on(21, 0, 30)),
)
def test_once_before_each_release_is_enough(due_at: datetime, read_at: datetime) -> None:
    again = moment(due_at, read_at=read_at)

    assert again == on(21, 22, 36)


def test_of_several_editions_the_first_that_comes_out_counts() -> None:
    at = moment(on(22, 23, 59), DAILY, MONDAYS, read_at=on(22, 22, 40))

    assert at == on(23, 4, 36)


@cases(
    "due_at, reason",
    case("put off", on(20, 12), DueReason.RELEASE),
    case("asked sooner", on(21, 0, 30), DueReason.RELEASE),
)
def test_the_reason_says_what_it_waits_for(due_at: datetime, reason: DueReason) -> None:
    feed = make_feed(policy=FetchPolicy(releases=(DAILY,)))
    before = DueReason.TTL if reason is DueReason.TTL else DueReason.ADAPTIVE
    state = read(on(20, 11), due_at, url=feed.url, due_reason=before)

    assert next_poll(feed, state, {})[1] is reason
