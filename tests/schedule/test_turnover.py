"""Feeds that post so much that nothing is listed any more that was there at the last request."""

from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from planet.model import DueReason, FeedState, FetchPolicy, IssueKind, Timetable
from planet.schedule import next_poll
from planet.schedule.health import advise
from tests.builders import NOW, make_draft, make_feed, make_reading
from tests.cases import case, cases
from tests.schedule.states import DAY, HOUR, MINUTE, attempt, make_new, make_read_state, make_same
from tests.schedule.test_releases import DAILY

IDS = tuple("abcd")


def dates(*minutes: float) -> tuple[datetime, ...]:
    """Moments so many minutes ago."""
    return tuple(NOW - number * MINUTE for number in minutes)


def after(
    posted: tuple[datetime | None, ...],
    *,
    ids: tuple[str, ...] = IDS,
    read_anew: bool = False,
    policy: FetchPolicy | None = None,
    **changes: Any,
) -> FeedState:
    """What is known of a feed that was read a day ago, once these of its entries are new."""
    known = {"succeeded_at": NOW - DAY, "whole_at": NOW - DAY, "attempted_at": NOW - DAY}
    state = make_read_state(**{**known, **changes})
    drafts = [make_draft(name) for name in ids[: len(posted)]]
    reading = replace(make_reading(*drafts), ids=ids, posted=posted, read_anew=read_anew)
    feed = make_feed(policy=policy or FetchPolicy())
    fetched = make_new(validators=changes.get("validators", frozenset({"etag"})))
    return attempt(state, fetched, reading, feed=feed)


@cases(
    "posted, changes, expected",
    case("the time they span", dates(10, 70, 130, 370), {}, 6 * HOUR),
    case("what passed, if they have no dates", (None,) * 4, {}, DAY),
    case("the least that was seen", dates(1, 2, 3, 900), {"turnover": HOUR}, HOUR),
    case("not known if one was there before", dates(1, 2, 3), {}, None),
    case("forgotten once one was there after it", dates(1, 2, 3), {"turnover": DAY}, None),
    case("kept if that was sooner", dates(1, 2, 3), {"turnover": 2 * DAY}, 2 * DAY),
    case("not known of what came at once", dates(9, 9, 9, 9), {}, None),
    case("not known of old posts with other ids", dates(1, 2, 3, 2000), {}, None),
    case("not known of the first reading", dates(1, 2, 3, 900), {"succeeded_at": None}, None),
    case("not known of another reader", dates(1, 2, 3, 900), {"read_anew": True}, None),
    case("not known of a list of two", dates(1, 900), {"ids": ("a", "b")}, None),
)
def test_how_long_a_list_lasts_is_told_by_lists_of_nothing_but_news(
    posted: tuple[datetime | None, ...], changes: dict[str, Any], expected: timedelta | None
) -> None:
    assert after(posted, **changes).turnover == expected


def test_a_feed_is_asked_twice_in_the_time_that_its_list_lasts() -> None:
    before = make_read_state(turnover=3 * HOUR, posts=(NOW - 30 * DAY,), changed_at=None)

    state = attempt(before, make_same())

    assert state.due_at is not None
    assert 1.5 * HOUR <= state.due_at - NOW <= 1.6 * HOUR
    assert advise(make_feed(), state) is None, "there is nothing to do"


def test_it_is_asked_no_sooner_than_a_whole_answer_may_be() -> None:
    state = after(dates(10, 70, 130, 370), validators=frozenset())

    found = advise(make_feed(), state)

    assert state.due_reason is DueReason.UNCONDITIONAL
    assert found is not None
    assert (found.concern, found.concern.can_wait) == (IssueKind.MISSED, True)
    assert "posts may have been missed" in found.words
    assert "`min_interval` of 3h" in found.words
    assert "ETag" in found.words


def test_with_the_interval_that_is_advised_nothing_is_left_to_do() -> None:
    policy = FetchPolicy(min_interval=3 * HOUR, whole_interval=3 * HOUR)

    state = after(dates(10, 70, 130, 370), validators=frozenset(), policy=policy)

    assert state.due_at is not None
    assert state.due_at - NOW <= 3.5 * HOUR
    assert advise(make_feed(), state) is None


@cases(
    "turnover, policy",
    case("it posts more than may be asked for", 90 * MINUTE, FetchPolicy()),
    case("the operator set a longer interval", 6 * HOUR, FetchPolicy(min_interval=6 * HOUR)),
)
def test_the_operator_is_told_of_missed_posts(turnover: timedelta, policy: FetchPolicy) -> None:
    state = after((None,) * 4, turnover=turnover, policy=policy)

    found = advise(make_feed(policy=policy), state)

    assert found is not None
    assert found.concern is IssueKind.MISSED
    assert "list more posts" in found.words


def test_what_only_a_release_shows_is_asked_sooner_as_well() -> None:
    releases: tuple[Timetable, ...] = (DAILY,)
    state = after((None,) * 4, turnover=4 * HOUR)

    at, _ = next_poll(make_feed(policy=FetchPolicy(releases=releases)), state, None)

    assert at is not None
    assert at - NOW <= 2.5 * HOUR
