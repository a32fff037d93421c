"""How long a feed waits that is well, and why: its pace, jitter, lifetimes of answers."""

from datetime import UTC, datetime, timedelta
from typing import Any

from planet.model import DueReason, Feed, FeedState, Fetched, FetchPolicy, Hints, Lifetime
from planet.schedule.rhythm import Wait, predict_next, wait_for_usual_hour
from planet.schedule.waits import (
    answer_lifetime,
    stable_fraction,
)
from tests.builders import NOW, make_feed, make_profile
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    MINUTE,
    attempt,
    make_failed,
    make_read_state,
    make_same,
    wait_of,
)

LONG_AGO = NOW - 400 * DAY


def after(
    fetched: Fetched,
    policy: FetchPolicy | None = None,
    before: FeedState | None = None,
    **changes: Any,
) -> FeedState:
    """What is known after an attempt of a feed of which this was known."""
    feed = make_feed(policy=policy or FetchPolicy())
    return attempt(before or make_read_state(**changes), fetched, feed=feed)


def hinted(**hints: Any) -> dict[str, Any]:
    return {"profile": make_profile(hints=Hints(**hints))}


# The floor


# Chance


# What the validators are worth


# Its own pace


@cases(
    "known, policy, expected",
    case(
        "six hours, if none is known", {"changed_at": None}, FetchPolicy(), (6 * HOUR, "adaptive")
    ),
    case(
        "a tenth of the time without news",
        {"changed_at": NOW - 100 * HOUR},
        FetchPolicy(),
        (10 * HOUR, "adaptive"),
    ),
    case(
        "a tenth of the time without posts",
        {"changed_at": None, "posts": (NOW - 100 * HOUR,)},
        FetchPolicy(),
        (10 * HOUR, "adaptive"),
    ),
    case("no more than a day", {"changed_at": NOW - 100 * DAY}, FetchPolicy(), (DAY, "adaptive")),
    case(
        "no more than it may",
        {"changed_at": NOW - 100 * HOUR},
        FetchPolicy(max_interval=4 * HOUR),
        (4 * HOUR, "adaptive"),
    ),
    case(
        "three days without news for half a year",
        {
            "changed_at": LONG_AGO,
            "posts": tuple(LONG_AGO - number * 30.3 * DAY for number in range(9, -1, -1)),
        },
        FetchPolicy(),
        (3 * DAY, "adaptive"),
    ),
    case(
        "a day without news for less than that",
        {
            "changed_at": NOW - 179 * DAY,
            "posts": tuple(LONG_AGO - number * 30.3 * DAY for number in range(9, -1, -1)),
        },
        FetchPolicy(),
        (DAY, "adaptive"),
    ),
    case(
        "an hour after news from a clock that ran ahead",
        {"changed_at": NOW + DAY, "posts": (NOW + DAY,)},
        FetchPolicy(),
        (HOUR, "floor"),
    ),
)
def test_a_feed_waits_by_its_own_pace_up_to_a_day_or_three(
    known: dict[str, Any], policy: FetchPolicy, expected: tuple[timedelta, str]
) -> None:
    assert wait_of(after(make_same(), policy, **known)) == expected


# What its answer says


@cases(
    "kind, status",
    case("that was cut short", "truncated", 200),
    case("that answers no question", "unexpected_304", 304),
    case("that leads elsewhere", "redirect_loop", 301),
    case("that never came", "unreachable", None),
)
def test_there_is_no_lifetime_in_an_answer_that_is_none(kind: str, status: int | None) -> None:
    headers = {"cache-control": "max-age=360000"}

    state = after(make_failed(kind, status=status, headers=headers))

    assert state.due_reason == "backoff"


# What its publisher hints at


def test_the_longest_wait_gives_its_name() -> None:
    hints = Hints(ttl=2 * HOUR, sy=3 * HOUR)
    fetched = make_same(headers={"cache-control": "max-age=14400", "retry-after": "18000"})

    state = after(fetched, profile=make_profile(hints=hints), learned_floor=150 * MINUTE)

    assert wait_of(state) == (5 * HOUR, "retry_after")


# Hours and days to skip; now is a Friday noon


def next_of(hints: dict[str, Any], fetched: Fetched, feed: Feed | None = None) -> FeedState:
    before = make_read_state(**hinted(**hints))
    return attempt(before, fetched, feed=feed or make_feed())


@cases(
    "hints, start",
    case("the only hour", {"skip_hours": set(range(24)) - {12}}, NOW + DAY),
    case("the only day", {"skip_days": {0, 1, 2, 4, 5, 6}}, NOW + 5.5 * DAY),
    case(
        "the first hour of another day", {"skip_days": {4}, "skip_hours": {0, 1}}, NOW + 14 * HOUR
    ),
)
def test_a_feed_that_skips_hours_and_days_is_next_early_in_one_it_does_not(
    hints: dict[str, Any], start: datetime
) -> None:
    said = {name: frozenset(each) for name, each in hints.items()}

    state = next_of(said, make_same())

    assert state.due_at == start + 15 * MINUTE * stable_fraction("one", NOW, "skip")
    assert state.due_reason == "skip"


# Other agreements


# Another policy after the attempt


# What an answer says of its lifetime


NOON = "Fri, 20 Nov 2026 12:00:00 GMT"
ONE_PM = "Fri, 20 Nov 2026 13:00:00 GMT"


def by(said_by: DueReason, length: timedelta, *, implausible: bool = False) -> Lifetime:
    return Lifetime(length=length, said_by=said_by, implausible=implausible)


@cases(
    "headers, expected",
    case("nothing", {}, None),
    case(
        "what every PHP session says",
        {"expires": "Thu, 19 Nov 1981 08:52:00 GMT", "cache-control": "no-store"},
        by(DueReason.MAX_AGE, timedelta(0)),
    ),
    case(
        "when it expires after some has passed",
        {"expires": ONE_PM, "date": NOON, "age": "600"},
        by(DueReason.EXPIRES, 50 * MINUTE),
    ),
    case("a week", {"cache-control": "max-age=604800"}, by(DueReason.MAX_AGE, 7 * DAY)),
    case(
        "more than a week",
        {"cache-control": "max-age=604801", "age": "604000"},
        by(DueReason.MAX_AGE, DAY, implausible=True),
    ),
    case(
        "a year",
        {"expires": "Sat, 20 Nov 2027 12:00:00 GMT"},
        by(DueReason.EXPIRES, DAY, implausible=True),
    ),
)
def test_a_lifetime_is_what_an_answer_says_of_it(
    headers: dict[str, str], expected: Lifetime | None
) -> None:
    assert answer_lifetime(make_same(headers=headers)) == expected


# When a feed posted, and when to look next

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
