"""Which validators a request names, and what is learned of them."""

from datetime import datetime
from typing import Any

from planet.model import Conditions, FeedState, Fetched
from planet.schedule import select_due
from tests.builders import NOW, make_feed
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    TICK,
    attempt,
    make_failed,
    make_known,
    make_new,
    make_read_state,
    make_same,
)

ETAG, DATE = frozenset({"etag"}), frozenset({"last-modified"})


def again(**changes: Any) -> Fetched:
    """A 200 with the body that is known already, and with the ETag that was named."""
    return make_same(**{"body_hash": "aa", "same_etag": True, **changes})


def after(fetched: Fetched, before: FeedState | None = None, **changes: Any) -> FeedState:
    return attempt(before or make_read_state(**changes), fetched)


def asked_with(state: FeedState, *, now: datetime = NOW, force: bool = False) -> Conditions:
    (turn,) = select_due(make_known([make_feed()], {"one": state}), now=now, force=force)
    return turn.conditions


# What is stored


# Servers that ignore them


@cases(
    "fetched, identical",
    case("the same ETag again", again(), 2),
    case("no ETag", again(same_etag=False, validators=DATE), 2),
    case("no validators", again(same_etag=False, validators=frozenset()), 2),
    case("another ETag", again(same_etag=False), 0),
    case("another body", make_new(same_etag=True), 0),
    case("not modified", make_same(), 0),
    case("what was asked for without validators", again(conditional=False), 1),
    case("an error", make_failed("http_500"), 1),
)
def test_bodies_that_came_in_vain_are_counted(fetched: Fetched, identical: int) -> None:
    assert after(fetched, identical=1).identical == identical


# One question without any, in case the server says 304 for ever


MONTHLY = tuple(NOW - number * 30 * DAY for number in range(3, -1, -1))


@cases(
    "known, conditions",
    case("after four weeks", {"whole_at": NOW - 28 * DAY}, Conditions.NONE),
    case("no sooner", {"whole_at": NOW - 28 * DAY + TICK}, Conditions.ALL),
    case("not when nothing ever came", {"whole_at": None}, Conditions.ALL),
    case(
        "not when there is nothing to leave out",
        {"whole_at": NOW - 28 * DAY, "validators": frozenset()},
        Conditions.ALL,
    ),
    case("not while it fails", {"whole_at": NOW - 28 * DAY, "failures": 1}, Conditions.ALL),
    case(
        "four weeks after the last time",
        {"whole_at": NOW - 60 * DAY, "audited_at": NOW - 28 * DAY},
        Conditions.NONE,
    ),
    case(
        "no sooner after the last time",
        {"whole_at": NOW - 60 * DAY, "audited_at": NOW - 28 * DAY + TICK},
        Conditions.ALL,
    ),
    case(
        "after eight months of a monthly",
        {"whole_at": NOW - 240 * DAY, "posts": MONTHLY},
        Conditions.NONE,
    ),
    case(
        "no sooner of a monthly",
        {"whole_at": NOW - 240 * DAY + TICK, "posts": MONTHLY},
        Conditions.ALL,
    ),
    case(
        "after four weeks of a feed with one post",
        {"whole_at": NOW - 28 * DAY, "posts": (NOW - DAY,)},
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
