"""What stays of a feed when its address changes, and when it is taken up again."""

from datetime import datetime

from msgspec.structs import replace

from planet.model import (
    ClockMark,
    DueReason,
    Feed,
    FeedState,
    Fetched,
    GivenUp,
    Health,
    Moved,
    PollRequest,
)
from planet.schedule import (
    correct_clock,
    estimate_now,
    mark_clock_setback,
    next_poll,
    revive,
    select_due,
)
from tests.builders import NOW, make_feed, make_profile
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    MINUTE,
    attempt,
    make_failed,
    make_known,
    make_read_state,
    make_same,
    wait_of,
    waiting,
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


def test_a_feed_whose_address_was_changed_is_due_at_once_and_keeps_its_past() -> None:
    before = make_failing_state()

    turns = select_due(make_known([ELSEWHERE], {"one": before}), now=NOW)

    assert turns == [PollRequest(feed=ELSEWHERE, known_hash="aa")]
    assert turns == select_due(make_known([ELSEWHERE], {"one": before}), now=NOW, force=True)
    assert next_poll(ELSEWHERE, before, None) == (None, None)


def test_how_asking_went_at_another_address_says_nothing_of_the_new_one() -> None:
    fetched = make_same(url=ELSEWHERE.url, body_hash="aa", conditional=False)

    state = attempt(make_failing_state(), fetched, feed=ELSEWHERE)

    assert replace(state, health=Health()) == FeedState(
        key="one",
        url=ELSEWHERE.url,
        profile=make_profile(),
        processed_hash="aa",
        reader="1",
        attempted_at=NOW,
        **waiting(HOUR, DueReason.FLOOR),
        status=200,
        answered_url=ELSEWHERE.url,
        validators=fetched.validators,
        succeeded_at=NOW,
        whole_at=NOW,
        changed_at=NOW - HOUR,
        posts=(NOW - DAY,),
    )
    assert state.health.whole == 8


def test_nothing_at_a_new_address_may_be_a_typing_error() -> None:
    fetched = make_failed("http_404", url=ELSEWHERE.url)

    state = attempt(make_read_state(), fetched, feed=ELSEWHERE)

    assert wait_of(state) == (DAY, "not_found")


def test_a_run_that_was_killed_at_a_new_address_is_not_repeated_within_the_hour() -> None:
    before = make_read_state(attempted_at=NOW)

    asked = [
        minutes
        for minutes in range(0, 120, 10)
        if select_due(make_known([ELSEWHERE], {"one": before}), now=NOW + minutes * MINUTE)
    ]

    assert asked == list(range(60, 120, 10))


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


def test_a_feed_that_is_asked_again_before_it_was_given_up_waits_for_an_hour() -> None:
    state = revive(make_read_state(unreadable="it is a page", failures=9, due_at=NOW + DAY))

    # It was asked an hour ago.
    assert next_poll(make_feed(), state, None) == (NOW, DueReason.FLOOR)


def test_an_attempt_of_a_clock_that_was_ahead_is_taken_for_one_of_now() -> None:
    ahead = NOW + 300 * DAY
    before = make_read_state(
        attempted_at=ahead, settled_at=ahead, due_at=ahead + DAY, rests_until=ahead + DAY
    )

    state = correct_clock(before, NOW)

    assert state == replace(
        before,
        attempted_at=NOW,
        settled_at=NOW,
        due_at=NOW + HOUR,
        due_reason=DueReason.FLOOR,
        rests_until=None,
        clock_mark=ClockMark(attempted_at=ahead, due_at=ahead + DAY, rests_until=ahead + DAY),
    )


@cases(
    "now, is_due",
    case("not by the clock that was set back", NOW - 2 * HOUR + MINUTE, False),
    case("an hour later by that clock", NOW - HOUR, True),
    case("not when the clock has caught up", NOW, False),
    case("nor before the old wait is over", NOW + HOUR - MINUTE, False),
    case("once that is over", NOW + HOUR, True),
)
def test_a_clock_set_back_makes_a_feed_due_an_hour_later(now: datetime, is_due: bool) -> None:
    before = make_read_state(attempted_at=NOW, settled_at=NOW, due_at=NOW + HOUR)

    state = correct_clock(before, NOW - 2 * HOUR)

    assert bool(select_due(make_known([make_feed()], {"one": state}), now=now)) is is_due


def test_a_rest_that_a_server_asked_for_outlasts_a_clock_that_was_set_back() -> None:
    rests_until = NOW + 5 * HOUR
    before = make_read_state(attempted_at=NOW, due_at=NOW + HOUR, rests_until=rests_until)
    states = {"one": correct_clock(before, NOW - 2 * HOUR)}

    asked = [
        bool(select_due(make_known([make_feed()], states), now=now, force=True))
        for now in (NOW, rests_until - MINUTE, rests_until)
    ]

    assert asked == [False, False, True]


def test_of_two_old_dates_of_an_attempt_the_one_that_comes_first_is_kept() -> None:
    a_day_ahead = make_read_state(attempted_at=NOW + DAY, due_at=NOW + DAY + HOUR)

    once = correct_clock(a_day_ahead, NOW)
    twice = correct_clock(replace(once, attempted_at=NOW), NOW - 2 * HOUR)
    thrice = correct_clock(replace(twice, attempted_at=NOW + DAY), NOW - 2 * HOUR)

    marks = [state.clock_mark and state.clock_mark.attempted_at for state in (once, twice, thrice)]
    assert marks == [NOW + DAY, NOW, NOW]


def test_the_next_attempt_ends_what_an_older_clock_said() -> None:
    state = make_read_state(clock_mark=ClockMark(attempted_at=NOW - DAY, due_at=NOW + DAY))

    after = attempt(state, make_same())

    assert after.clock_mark is None


def test_a_feed_asked_by_a_clock_set_back_is_marked_with_the_time_of_before() -> None:
    state = make_read_state(attempted_at=NOW, due_at=NOW + HOUR)

    marked = mark_clock_setback(state, 2 * HOUR)

    assert marked.clock_mark == ClockMark(attempted_at=NOW + 2 * HOUR, due_at=NOW + 3 * HOUR)
    assert mark_clock_setback(FeedState(key="one", url="u"), 2 * HOUR).clock_mark is None


def test_a_feed_that_was_given_up_stays_so_whatever_the_clock_was() -> None:
    before = make_read_state(attempted_at=NOW + DAY, given_up=GivenUp.GONE, due_at=None)

    state = correct_clock(before, NOW)

    assert (state.attempted_at, state.due_at) == (NOW, None)
    assert state.due_reason is DueReason.GIVEN_UP


def test_what_a_feed_did_in_the_future_was_done_at_the_latest_now() -> None:
    ahead = NOW + 400 * DAY
    before = make_read_state(
        attempted_at=ahead,
        posts=(NOW - DAY, NOW, ahead),
        changed_at=ahead,
        succeeded_at=ahead,
        failing_since=ahead,
    )

    state = correct_clock(before, NOW)

    assert state.posts == (NOW - DAY, NOW)
    assert {state.changed_at, state.succeeded_at, state.failing_since} == {NOW}


@cases(
    "before, answered, expected",
    case("the clock, the first time", None, [], NOW),
    case("the clock, after a month", NOW - 30 * DAY, [], NOW),
    case("a month more, after a longer time", NOW - 31 * DAY, [], NOW - DAY),
    case("the clock, if it was ahead before", NOW + 90 * DAY, [], NOW),
    case("the clock, if a server says so", NOW - 400 * DAY, [NOW + MINUTE], NOW),
    case("that of a server, if earlier", NOW - DAY, [NOW - 9 * DAY], NOW - 9 * DAY),
    case(
        "that of the server in the middle",
        NOW - DAY,
        [NOW - 900 * DAY, NOW - HOUR, NOW + 900 * DAY],
        NOW - HOUR,
    ),
)
def test_the_present_is_that_of_the_clock_unless_servers_or_its_past_deny_it(
    before: datetime | None, answered: list[datetime], expected: datetime
) -> None:
    assert estimate_now(NOW, before, answered) == expected


def test_clocks_that_differ_by_minutes_are_not_corrected() -> None:
    state = make_read_state(attempted_at=NOW + 20 * MINUTE)

    assert correct_clock(state, NOW) is state


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
    "feed, before",
    case("says that it may be asked again", make_feed(), revive(make_read_state(was_public=True))),
    case("gives it another address", ELSEWHERE, make_read_state(was_public=True)),
)
def test_a_feed_may_be_in_a_private_network_when_the_operator_says_so(
    feed: Feed, before: FeedState
) -> None:
    (turn,) = select_due(make_known([feed], {"one": before}), now=NOW + DAY)

    assert not turn.was_public


def test_an_address_that_its_publisher_chose_is_public_in_the_config_too() -> None:
    moved = Moved(to=ELSEWHERE.url, since=NOW, adopted=True)
    before = make_read_state(was_public=True, moved=moved)

    (turn,) = select_due(make_known([ELSEWHERE], {"one": before}), now=NOW)

    assert turn.was_public
