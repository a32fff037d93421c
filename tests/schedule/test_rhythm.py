"""When a feed posted, and when to look next."""

from datetime import UTC, datetime, timedelta

from planet.model import DueReason
from planet.schedule.rhythm import Wait, predict_next, wait_for_usual_hour
from tests.cases import case, cases

MINUTE, HOUR, DAY, WEEK = (timedelta(**{unit: 1}) for unit in ("minutes", "hours", "days", "weeks"))
MONDAY = datetime(2026, 11, 16, tzinfo=UTC)


def every(span: timedelta, *, until: datetime, number: int = 20) -> list[datetime]:
    return [until - span * back for back in reversed(range(number))]


def wait(
    posts: list[datetime],
    *,
    after: datetime,
    changed_at: datetime | None = None,
    limit: timedelta = DAY,
) -> Wait:
    return predict_next(posts, changed_at=changed_at, after=after, limit=limit)


@cases(
    "silence, expected_wait",
    case("an hour at the least", 5 * HOUR, HOUR),
    case("a tenth of the silence", 50 * HOUR, 5 * HOUR),
    case("a day at the most", 20 * DAY, DAY),
)
def test_a_feed_with_few_posts_is_looked_at_after_a_tenth_of_its_silence(
    silence: timedelta, expected_wait: timedelta
) -> None:
    posts = [MONDAY - silence - DAY, MONDAY - silence]

    assert wait(posts, after=MONDAY, limit=3 * DAY) == (expected_wait, DueReason.ADAPTIVE)


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

    edited = wait(posts, after=MONDAY, changed_at=MONDAY - HOUR, limit=3 * DAY)

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
