"""How long a feed waits that is well, and why: its own pace, and the longest of its waits."""

from datetime import UTC, datetime, timedelta
from typing import Any

from planet.model import DueReason, FeedState, Fetched, FetchPolicy, Hints
from planet.schedule.rhythm import Wait, predict_next, wait_for_usual_hour
from tests.builders import NOW, make_feed, make_profile
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    MINUTE,
    attempt,
    is_waiting,
    make_failed,
    make_read_state,
    make_same,
)


def after(fetched: Fetched, policy: FetchPolicy | None = None, **changes: Any) -> FeedState:
    """What is known after an attempt of a feed of which this was known."""
    feed = make_feed(policy=policy or FetchPolicy())
    return attempt(make_read_state(**changes), fetched, feed=feed)


@cases(
    "changed_at, policy, longest",
    case("a day", NOW - 179 * DAY, FetchPolicy(), DAY),
    case("three days, after half a year", NOW - 400 * DAY, FetchPolicy(), 3 * DAY),
    case("what it may", NOW - 100 * HOUR, FetchPolicy(max_interval=4 * HOUR), 4 * HOUR),
)
def test_a_feed_waits_by_its_own_pace_up_to_a_day_or_three(
    changed_at: datetime, policy: FetchPolicy, longest: timedelta
) -> None:
    posts = tuple(NOW - (400 + number * 30.3) * DAY for number in range(9, -1, -1))

    state = after(make_same(), policy, changed_at=changed_at, posts=posts)

    assert is_waiting(state, longest, "adaptive")


def test_news_from_a_clock_that_ran_ahead_count_as_news_of_now() -> None:
    state = after(make_same(), changed_at=NOW + DAY, posts=(NOW + DAY,))

    assert is_waiting(state, HOUR, "floor")


@cases(
    "kind, status",
    case("that was cut short", "truncated", 200),
    case("that answers no question", "unexpected_304", 304),
)
def test_there_is_no_lifetime_in_an_answer_that_is_none(kind: str, status: int | None) -> None:
    headers = {"cache-control": "max-age=360000"}

    state = after(make_failed(kind, status=status, headers=headers))

    assert state.due_reason == "backoff"


def test_the_longest_wait_gives_its_name() -> None:
    hints = Hints(ttl=2 * HOUR, sy=3 * HOUR)
    fetched = make_same(headers={"cache-control": "max-age=14400", "retry-after": "18000"})

    state = after(fetched, profile=make_profile(hints=hints), learned_floor=150 * MINUTE)

    assert is_waiting(state, 5 * HOUR, "retry_after")


# When a feed posted, and when to look next

WEEK = 7 * DAY
MONDAY = datetime(2026, 11, 16, tzinfo=UTC)


def every(span: timedelta, *, until: datetime, number: int = 20) -> list[datetime]:
    return [until - span * back for back in reversed(range(number))]


def wait(
    posts: list[datetime],
    *,
    after: datetime,
    edited_at: datetime | None = None,
    limit: timedelta = DAY,
) -> Wait:
    news = max(filter(None, (*posts[-1:], edited_at)), default=None)
    return predict_next(posts, news=news, after=after, least=HOUR, limit=limit)


@cases(
    "days, reason",
    case("not after four days", 4, DueReason.ADAPTIVE),
    case("after five", 5, DueReason.PATTERN),
)
def test_a_feed_is_known_to_keep_an_hour_after_five_days(days: int, reason: DueReason) -> None:
    posts = every(DAY, until=MONDAY + 9 * HOUR, number=days)

    assert wait(posts, after=MONDAY + 10 * HOUR)[1] is reason


def test_an_edit_shortens_the_silence() -> None:
    posts = every(10.7 * HOUR, until=MONDAY - 15 * DAY)
    silent = wait(posts, after=MONDAY, limit=3 * DAY)

    edited = wait(posts, after=MONDAY, edited_at=MONDAY - HOUR, limit=3 * DAY)

    assert edited[0] < silent[0]


def test_a_feed_of_mondays_is_hardly_looked_at_in_midweek() -> None:
    posts = every(WEEK, until=MONDAY + 9 * HOUR)

    assert wait(posts, after=MONDAY + 2 * DAY)[0] == DAY


def test_a_feed_of_weekday_mornings_is_left_alone_at_night_and_watched_in_the_morning() -> None:
    days = [MONDAY - DAY * back for back in range(1, 29)]
    posts = sorted(
        day + 8 * HOUR + 37 * MINUTE * (day.day % 5) for day in days if day.weekday() < 5
    )

    night, _ = wait(posts[-20:], after=MONDAY - 4 * HOUR)
    morning, reason = wait(posts[-20:], after=MONDAY + 8 * HOUR)

    assert reason is DueReason.PATTERN
    assert night > 6 * HOUR
    assert morning < 2 * HOUR


# Feeds that keep an hour


def test_a_look_shortly_before_the_hour_is_put_off_until_just_after_it() -> None:
    posts = every(DAY, until=MONDAY + 9 * HOUR)

    assert wait_for_usual_hour(posts, MONDAY + DAY + 7 * HOUR) == MONDAY + DAY + 9 * HOUR + MINUTE


@cases(
    "posts, moment",
    case("the hour has passed", every(DAY, until=MONDAY + 9 * HOUR), MONDAY + 10 * HOUR),
    case("the hour is far off", every(DAY, until=MONDAY + 9 * HOUR), MONDAY + HOUR),
    case("it is another day", every(WEEK, until=MONDAY + 9 * HOUR), MONDAY + DAY + 8 * HOUR),
    case(
        "the feed keeps no hour",
        every(DAY + 47 * MINUTE, until=MONDAY + 9 * HOUR),
        MONDAY + 8 * HOUR,
    ),
)
def test_a_look_stays_where_no_usual_hour_is_near(posts: list[datetime], moment: datetime) -> None:
    assert wait_for_usual_hour(posts, moment) == moment
