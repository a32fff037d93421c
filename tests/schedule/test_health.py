"""What is counted of a feed, and how it stands in the words of readers and of machines."""

from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from planet.errors import FeedError
from planet.model import (
    Day,
    DueReason,
    Feed,
    FeedState,
    Fetched,
    GivenUp,
    Health,
    Hints,
    Moved,
    ParseResult,
    Resolved,
)
from planet.schedule import (
    changes_pages,
    next_poll,
    revive,
    select_due,
)
from tests.builders import NOW, make_draft, make_feed, make_profile, make_reading
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    NOT_A_FEED,
    SECOND,
    attempt,
    make_failed,
    make_known,
    make_new,
    make_read_state,
    make_same,
)

TODAY = 20777
"""The day of `NOW`, from 1970-01-01."""


def after(fetched: Fetched, result: ParseResult | FeedError | None = None, **health: Any) -> Health:
    before = make_read_state(health=Health(**health))
    return attempt(before, fetched, result).health


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
def test_an_attempt_is_counted_by_what_it_brings(
    fetched: Fetched, result: ParseResult | FeedError | None, counts: dict[str, Any]
) -> None:
    health = after(fetched, result)

    assert replace(health, days=()) == Health(**counts)
    assert health.days == (Day(number=TODAY, asked=1, failed=counts.get("failed", 0)),)


@cases(
    "fetched, before, average",
    case("a quarter of the new one", make_same(response_time=2 * SECOND), 4, 3.5),
    case("the same without a new one", make_same(response_time=None), 4, 4),
    case("the same after an error", make_failed("http_500", response_time=2 * SECOND), 4, 4),
)
def test_the_average_response_time_follows_new_ones_by_a_quarter(
    fetched: Fetched, before: float | None, average: float | None
) -> None:
    def seconds(number: float | None) -> timedelta | None:
        return None if number is None else number * SECOND

    assert after(fetched, response_time=seconds(before)).response_time == seconds(average)


# What readers are told


FAILING = make_read_state(failures=3, failing_since=NOW, error="404", error_kind="http_404")


@cases(
    "before, after, shown",
    case("its first profile", None, make_read_state(), True),
    case(
        "a new title", make_read_state(), make_read_state(profile=make_profile(title="New")), True
    ),
    case("the third failure", make_read_state(), FAILING, True),
    case("the end of its trouble", FAILING, make_read_state(), True),
    case("the fourth failure", FAILING, replace(FAILING, failures=4), False),
    case(
        "that it has moved",
        make_read_state(),
        make_read_state(moved=Moved(to="https://new.example/", since=NOW, adopted=True)),
        True,
    ),
    case(
        "that it has been quiet for long",
        make_read_state(posts=(NOW - 90 * DAY,), succeeded_at=NOW - HOUR),
        make_read_state(posts=(NOW - 90 * DAY,), succeeded_at=NOW),
        True,
    ),
    case(
        "an attempt that brought nothing",
        make_read_state(),
        make_read_state(
            attempted_at=NOW,
            settled_at=NOW,
            due_at=NOW + HOUR,
            status=304,
            succeeded_at=NOW,
            processed_hash="bb",
            moved=Moved(to="https://new.example/", since=NOW),
            health=Health(whole=1),
        ),
        False,
    ),
    case(
        "a new hint on how often to ask",
        make_read_state(),
        make_read_state(profile=make_profile(hints=Hints(ttl=HOUR))),
        False,
    ),
)
def test_pages_show_some_changes(before: FeedState | None, after: FeedState, shown: bool) -> None:
    assert changes_pages(make_feed(), before, after) is shown


# What stays of a feed when its address changes, and when it is taken up again

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
    assert next_poll(make_feed(), state, {}) == (None, None)
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
    case("answered", make_same(is_public=True)),
    case("failed", make_failed("http_500", is_public=True)),
    case("asked to come back later", make_failed("retry_later", is_public=True)),
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
