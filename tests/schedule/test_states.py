"""What stays of a feed when its address changes, and when it is taken up again."""

from typing import Any

from msgspec.structs import replace

from planet.model import (
    DueReason,
    Feed,
    FeedState,
    Fetched,
    GivenUp,
    Health,
    Moved,
    Resolved,
)
from planet.schedule import (
    next_poll,
    revive,
    select_due,
)
from tests.builders import NOW, make_feed
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    attempt,
    make_failed,
    make_known,
    make_read_state,
    make_same,
)

ELSEWHERE = make_feed(url="https://new.example/feed")


def make_failing_state() -> FeedState:
    """What is known of a feed that is in all kinds of trouble, and was given up."""
    return make_read_state(
        due_at=None,
        due_reason=DueReason.GIVEN_UP,
        rests_until=NOW + DAY,
        identical=3,
        etag_broken_until=NOW + DAY,
        learned_floor=DAY,
        throttled_at=NOW,
        failures=9,
        failing_since=NOW - DAY,
        strikes=9,
        struck_since=NOW - DAY,
        error_kind="http_404",
        error="it is gone",
        moved=Moved(to="https://other.example/", since=NOW - DAY, adopted=True),
        given_up=GivenUp.NOT_FOUND,
        given_up_at=NOW,
        posts=(NOW - DAY,),
        health=Health(whole=7),
    )


def test_a_feed_that_is_taken_up_again_is_due_at_once_as_if_it_had_not_failed() -> None:
    before = replace(make_failing_state(), due_at=NOW + DAY, rests_until=None, moved=None)

    state = revive(before)
    (turn,) = select_due(make_known([make_feed()], {"one": state}), now=NOW)
    after = attempt(state, make_failed("http_404"))

    assert turn.known_hash == "aa"
    assert next_poll(make_feed(), state, None) == (None, None)
    assert (after.failures, after.strikes, after.given_up) == (1, 1, None)
    assert (after.failing_since, after.struck_since) == (NOW, NOW)
    assert state == replace(
        before,
        due_at=None,
        due_reason=None,
        failures=0,
        failing_since=None,
        strikes=0,
        struck_since=None,
        error_kind=None,
        error=None,
        given_up=None,
        given_up_at=None,
    )


# Whether it is in the public Internet


@cases(
    "fetched",
    case("answered", make_same(is_outside=True)),
    case("failed", make_failed("http_500", is_outside=True)),
    case("asked to come back later", make_failed("retry_later", is_outside=True)),
)
def test_a_feed_is_asked_in_the_public_internet_alone_once_it_was_there(fetched: Fetched) -> None:
    state = attempt(make_read_state(), fetched)
    later = attempt(state, make_failed("private_address"))
    turns = select_due(make_known([make_feed()], {"one": later}), now=NOW + 9 * DAY)

    assert [turn.was_public for turn in turns] == [True]


@cases(
    "learned",
    case("moved", {"moved": Moved(to=ELSEWHERE.url, since=NOW - DAY, times=3, adopted=True)}),
    case("named", {"resolved": Resolved(url=ELSEWHERE.url), "resolved_at": NOW}),
)
def test_an_address_that_was_learned_stays_public_whatever_the_operator_says(
    learned: dict[str, Any],
) -> None:
    before = revive(make_read_state(was_public=True, **learned))

    (turn,) = select_due(make_known([make_feed()], {"one": before}), now=NOW + DAY)

    assert turn.was_public


@cases(
    "feed, before",
    case("says that it may be asked again", make_feed(), revive(make_read_state(was_public=True))),
    case("gives it another address", ELSEWHERE, make_read_state(was_public=True)),
)
def test_a_feed_may_be_in_a_private_network_when_the_operator_says_so(
    feed: Feed, before: FeedState
) -> None:
    (turn,) = select_due(make_known([feed], {"one": before}), now=NOW + DAY)

    assert not turn.was_public
