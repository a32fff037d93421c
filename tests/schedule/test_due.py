"""Whose turn it is, in which order, and when: at its server, and before an edition comes out."""

from collections.abc import Mapping
from datetime import UTC, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from planet.model import (
    Conditions,
    DueReason,
    Every,
    Feed,
    FeedState,
    FetchPolicy,
    GivenUp,
    Hints,
    HostState,
    PollRequest,
    Timetable,
)
from planet.schedule import is_resting, next_poll, request_gap, select_due, select_unread
from tests.builders import NOW, make_feed, make_profile, make_state
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    MINUTE,
    NOT_A_FEED,
    SECOND,
    TICK,
    make_known,
    make_read_state,
)

# Now is a Friday noon.
SKIPS = make_profile(hints=Hints(skip_days=frozenset({4})))


def select_keys(
    feeds: list[Feed], states: Mapping[str, FeedState], *, force: bool = False
) -> list[str]:
    turns = select_due(make_known(feeds, states), now=NOW, force=force)
    return [turn.feed.key for turn in turns]


@cases(
    "state, expected",
    case("is due this moment", make_read_state(due_at=NOW), True),
    case("is not due yet", make_read_state(due_at=NOW + TICK), False),
    case("does not want to be asked now", make_read_state(due_at=NOW - HOUR, profile=SKIPS), False),
    case("did not want so for a week", make_read_state(due_at=NOW - 7 * DAY, profile=SKIPS), True),
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
def test_a_feed_is_due_when_its_waits_are_over(state: FeedState, expected: bool) -> None:
    assert select_keys([make_feed()], {"one": state}) == ["one"] * expected


def test_a_feed_that_is_a_file_is_always_due() -> None:
    feed = make_feed(url="file:///feed.xml")
    states = {"one": make_state(url=feed.url, attempted_at=NOW, due_at=NOW + DAY)}

    assert select_keys([feed], states) == select_keys([feed], states, force=True) == ["one"]
    assert next_poll(feed, states["one"], {}) == (None, None)


@pytest.mark.parametrize("changes", [{"enabled": False}, {"is_archived": True}])
def test_a_feed_that_is_not_enabled_or_archived_has_no_turn(changes: dict[str, Any]) -> None:
    feeds = [make_feed(**changes), make_feed("two")]

    assert select_keys(feeds, {}) == select_keys(feeds, {}, force=True) == ["two"]
    assert [turn.feed.key for turn in select_unread(make_known(feeds, {}), now=NOW)] == ["two"]
    assert next_poll(feeds[0], make_read_state(), {}) == (None, None)


def test_important_feeds_go_first_and_then_those_due_longest() -> None:
    names = ("late", "later", "new", "newer")
    feeds = [make_feed(name) for name in names]
    feeds += [make_feed("important", priority=1), make_feed("least", priority=-1)]
    hours = {"late": 1, "later": 2, "important": 0, "least": 9}
    states = {key: make_state(key, due_at=NOW - ago * HOUR) for key, ago in hours.items()}

    expected = ["important", "new", "newer", "later", "late", "least"]
    assert select_keys(feeds, states) == select_keys(feeds, states, force=True) == expected


# What a turn says

READ = {"answered_url": "https://one.example/feed", "known_hash": "aa", "pages": False}


@cases(
    "state, expected, is_unread",
    case("that was never asked", None, {}, True),
    case(
        "that was read",
        make_read_state(answered_url="https://new.example/"),
        {**READ, "answered_url": "https://new.example/"},
        False,
    ),
    case(
        "that an older parser read", make_read_state(reader="0"), {**READ, "known_hash": None}, True
    ),
    case("whose last run was killed", make_read_state(attempted_at=NOW - 30 * MINUTE), READ, True),
    case(
        "that this parser cannot read",
        make_read_state(unreadable=str(NOT_A_FEED), unreadable_kind=NOT_A_FEED.kind),
        {**READ, "conditions": Conditions.NONE},
        False,
    ),
    case(
        "that takes too much memory",
        make_read_state(unreadable="too much", unreadable_kind="too_greedy"),
        {**READ, "known_hash": None, "conditions": Conditions.NONE},
        False,
    ),
    case(
        "that is a web page",
        make_read_state(profile=make_profile(format="hfeed")),
        {**READ, "pages": True},
        False,
    ),
)
def test_a_turn_says_what_is_known_of_a_feed(
    state: FeedState | None, expected: dict[str, Any], is_unread: bool
) -> None:
    feed = make_feed()
    known = make_known([feed], {"one": state} if state else {})

    (turn,) = select_due(known, now=NOW, force=True)

    assert turn == PollRequest(feed=feed, **expected)
    assert select_due(known, now=NOW + DAY) == [turn]
    assert select_unread(known, now=NOW) == ([turn] if is_unread else [])


# What is told of the next attempt


@cases(
    "state, expected",
    case(
        "is well", make_read_state(due_at=NOW + DAY, due_reason=DueReason.TTL), (NOW + DAY, "ttl")
    ),
    case("was given up", make_read_state(given_up=GivenUp.FORBIDDEN), (None, "given_up")),
    case(
        "was asked by a run that was killed",
        make_read_state(attempted_at=NOW - MINUTE),
        (NOW + 59 * MINUTE, "floor"),
    ),
    case("has a new address", make_read_state(url="https://former.example/"), (None, None)),
)
def test_the_next_attempt_is_told_of_each_feed(
    state: FeedState, expected: tuple[datetime | None, str | None]
) -> None:
    assert next_poll(make_feed(), state, {}) == expected


# Servers: how fast they are asked, and when they rest

HOST = "one.example:443"


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


@cases(
    "until, expected",
    case("until the moment it named", NOW + TICK, True),
    case("no longer", NOW, False),
    case("for a month", NOW + 30 * DAY, True),
    case("not by a clock that was ahead for years", NOW + 400 * DAY, False),
)
def test_a_server_rests(until: datetime, expected: bool) -> None:
    assert is_resting(HostState(host=HOST, rests_until=until), now=NOW) is expected


# When a feed is asked that is only wanted when an edition comes out

DAILY = Timetable(at=time(0), zone=ZoneInfo("UTC"))
MONDAYS = Timetable(at=time(6), every=Every.MONDAY, zone=ZoneInfo("UTC"))


def on(day: int, hour: int, minute: int = 0) -> datetime:
    """A moment in November 2026; the 23rd is a Monday."""
    return datetime(2026, 11, day, hour, minute, tzinfo=UTC)


def find_due(
    at: datetime, *releases: Timetable, read_at: datetime, **changes: Any
) -> tuple[datetime | None, DueReason | None]:
    """When and why a feed is asked that was read, and is due by its pace, at these moments."""
    names = ("attempted_at", "settled_at", "allowed_at", "succeeded_at", "whole_at")
    moments = dict.fromkeys(names, read_at)
    state = make_read_state(due_at=at, due_reason=DueReason.ADAPTIVE, changed_at=None, **moments)
    feed = make_feed(policy=FetchPolicy(releases=releases or (DAILY,)))
    return next_poll(feed, replace(state, **changes), {})


@cases(
    "at, read_at, expected",
    case("waits for the time before a release", on(20, 12), on(20, 11), on(20, 22, 36)),
    case("comes sooner, rather than too late", on(21, 0, 30), on(20, 11), on(20, 22, 36)),
    case("is asked once in that time", on(20, 23, 45), on(20, 22, 40), on(21, 22, 36)),
    case("is asked once after that time, too", on(21, 1, 30), on(21, 0, 30), on(21, 22, 36)),
)
def test_a_feed_of_calm_editions(at: datetime, read_at: datetime, expected: datetime) -> None:
    assert find_due(at, read_at=read_at) == (expected, "release")


@cases(
    "at, changes, earliest",
    case("its pace", on(20, 23, 30), {}, on(20, 22, 36)),
    case(
        "another wait",
        on(20, 23, 30),
        {"allowed_at": on(20, 23, 15)},
        on(20, 23, 15),
    ),
)
def test_a_feed_is_put_off_past_its_time_before_a_release_by_limits_alone(
    at: datetime, changes: dict[str, Any], earliest: datetime
) -> None:
    assert find_due(at, read_at=on(20, 19), **changes)[0] == earliest


def test_of_several_editions_the_first_that_comes_out_counts() -> None:
    found = find_due(on(22, 23, 59), DAILY, MONDAYS, read_at=on(22, 22, 40))

    assert found == (on(23, 4, 36), "release")


def test_a_feed_with_many_posts_is_asked_before_some_are_listed_no_longer() -> None:
    posts = tuple(on(20, 2) + number * HOUR for number in range(10))

    assert find_due(on(20, 12), read_at=on(20, 11), posts=posts) == (on(20, 17), "release")
