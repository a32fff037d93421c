"""Whose turn it is, and in which order."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pytest

from planet.model import (
    Conditions,
    DueReason,
    Feed,
    FeedState,
    GivenUp,
    PollRequest,
)
from planet.schedule import next_poll, select_due, select_unread
from tests.builders import NOW, make_feed, make_profile, make_state
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    MINUTE,
    NOT_A_FEED,
    TICK,
    make_known,
    make_read_state,
)


def is_due(feed: Feed, state: FeedState | None, *, now: datetime = NOW) -> bool:
    return bool(turns_due([feed], {feed.key: state} if state else {}, now=now))


def is_forced(state: FeedState | None) -> bool:
    return bool(turns_forced([make_feed()], {"one": state} if state else {}))


def turns_due(
    feeds: list[Feed], states: Mapping[str, FeedState], *, now: datetime = NOW
) -> list[str]:
    return [turn.feed.key for turn in select_due(make_known(feeds, states), now=now)]


def turns_forced(feeds: list[Feed], states: Mapping[str, FeedState]) -> list[str]:
    return [turn.feed.key for turn in select_due(make_known(feeds, states), now=NOW, force=True)]


# Hours and days to skip


# Those that are due


@cases(
    "state, expected",
    case("was never asked", None, True),
    case("has no due time", make_state(), True),
    case("is overdue", make_read_state(due_at=NOW - TICK), True),
    case("is due this moment", make_read_state(due_at=NOW), True),
    case("is not due yet", make_read_state(due_at=NOW + TICK), False),
    case("was given up", make_read_state(given_up=GivenUp.GONE, due_at=None), False),
    case("is to be left alone a while more", make_read_state(rests_until=NOW + TICK), False),
    case("was left alone long enough", make_read_state(rests_until=NOW), True),
    case(
        "was asked less than an hour ago by a run that was killed",
        make_state(attempted_at=NOW - HOUR + TICK),
        False,
    ),
    case(
        "was asked an hour ago by a run that was killed", make_state(attempted_at=NOW - HOUR), True
    ),
    case(
        "was due before a run that was killed asked",
        make_read_state(attempted_at=NOW - MINUTE, due_at=NOW - HOUR),
        False,
    ),
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
    assert next_poll(feed, state, None) == (None, None)


@pytest.mark.parametrize("changes", [{"enabled": False}, {"is_archived": True}])
def test_a_feed_that_is_not_enabled_or_archived_has_no_turn(changes: dict[str, Any]) -> None:
    feeds = [make_feed(**changes), make_feed("two")]

    assert turns_due(feeds, {}) == ["two"]
    assert turns_forced(feeds, {}) == ["two"]
    assert [turn.feed.key for turn in select_unread(make_known(feeds, {}))] == ["two"]
    assert next_poll(feeds[0], make_read_state(), None) == (None, None)


# Clocks


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


# The operator's haste


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
    case(
        "a feed that was read elsewhere only",
        make_read_state(succeeded_at=None),
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
    assert select_unread(make_known([feed], states)) == ([turn] if is_unread else [])


# What is told of the next attempt


@cases(
    "state, expected",
    case("was never asked", None, (None, None)),
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
    assert next_poll(make_feed(), state, None) == expected
