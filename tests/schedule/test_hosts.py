"""What servers say of all their feeds: how fast they are asked, and when they rest."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from planet.model import Fetched, FetchPolicy, HostState
from planet.schedule import is_resting, next_poll, request_gap, select_due, update_host
from tests.builders import NOW, make_feed
from tests.cases import case, cases
from tests.schedule.states import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    TICK,
    make_failed,
    make_known,
    make_read_state,
    make_same,
)

HOST = "one.example:443"
REDDIT = "www.reddit.com:443"
REDDIT_URL = "https://www.reddit.com/r/one/.rss"


def make_host(**changes: Any) -> HostState:
    return replace(HostState(host=HOST), **changes)


def after(
    before: HostState | None,
    kind: str,
    *,
    key: str = "one",
    policy: FetchPolicy | None = None,
    **changes: Any,
) -> HostState | None:
    feed = make_feed(key, policy=policy or FetchPolicy())
    return update_host(before, feed, make_failed(kind, **changes))


def test_what_a_server_says_by_https_holds_by_http() -> None:
    feeds = [make_feed("one"), make_feed("two", url="http://one.example/two")]
    throttled = after(None, "http_429", headers={"retry-after": "7200"})
    by_http = after(None, "http_429", url="http://one.example/feed")
    assert throttled is not None

    requests = select_due(make_known(feeds, {}, {throttled.host: throttled}), now=NOW + HOUR)

    assert (requests, by_http and by_http.host) == ([], throttled.host)


# How fast it is asked


@cases(
    "host, throttles, asked, expected",
    case("what the operator set", HOST, 0, 1, 1),
    case("none, if the operator set none", HOST, 0, 0, 0),
    case("twice that after a 429", HOST, 1, 1, 2),
    case("eight times that after three", HOST, 3, 1, 8),
    case("64 times that after six", HOST, 6, 1, 64),
    case("two minutes after seven", HOST, 7, 1, 120),
    case("two seconds after a 429, if the operator set none", HOST, 1, 0, 2),
    case("two seconds after a 429, if the operator set less", HOST, 1, 0.5, 2),
    case("two minutes at most", HOST, 2, 90, 120),
    case("no less than the operator set", HOST, 2, 300, 300),
    case("what Reddit needs", "reddit.com:443", 0, 1, 65),
    case("what all of Reddit needs", "old.reddit.com:80", 0, 1, 65),
    case("no less than set, though Reddit needs less", REDDIT, 0, 70, 70),
    case("two minutes when Reddit has enough", REDDIT, 1, 1, 120),
    case("nothing special for a like name", "notreddit.com:443", 0, 1, 1),
    case("nothing special below a like name", "reddit.com.example:443", 0, 1, 1),
)
def test_the_gap_between_two_requests_grows_with_each_429_to_two_minutes(
    host: str, throttles: int, asked: float, expected: float
) -> None:
    state = HostState(host=host, throttles=throttles, throttled_at=NOW)

    assert request_gap(host, state, asked * SECOND) == expected * SECOND


def test_the_gap_to_a_server_of_which_nothing_is_known_is_what_was_set() -> None:
    assert request_gap(HOST, None, 3 * SECOND) == 3 * SECOND


# When it says that we come too often


@cases(
    "before, headers, policy, rest",
    case("twice an hour", None, {}, FetchPolicy(), 2 * HOUR),
    case("twice its interval", None, {}, FetchPolicy(min_interval=3 * HOUR), 6 * HOUR),
    case("an hour at least", None, {}, FetchPolicy(min_interval=MINUTE, agreed=True), HOUR),
    case("a day at most", None, {}, FetchPolicy(min_interval=9 * DAY, max_interval=9 * DAY), DAY),
    case("longer after others", make_host(throttles=2), {}, FetchPolicy(), 4 * HOUR),
    case("a day after many others", make_host(throttles=7), {}, FetchPolicy(), DAY),
    case("as it says", make_host(throttles=2), {"retry-after": "60"}, FetchPolicy(), MINUTE),
    case("as it says, up to a month", None, {"retry-after": "9999999"}, FetchPolicy(), 30 * DAY),
    case(
        "as long as before, if that was longer",
        make_host(rests_until=NOW + DAY),
        {"retry-after": "60"},
        FetchPolicy(),
        DAY,
    ),
)
def test_after_a_429_a_server_rests_as_it_says_or_twice_the_interval(
    before: HostState | None, headers: dict[str, str], policy: FetchPolicy, rest: timedelta
) -> None:
    known = before or make_host()

    state = after(before, "http_429", headers=headers, policy=policy)

    assert state == replace(
        known, rests_until=NOW + rest, throttles=min(known.throttles + 1, 7), throttled_at=NOW
    )


def test_the_server_that_rests_is_the_one_that_answered() -> None:
    state = after(None, "http_429", url="https://elsewhere.example:8443/feed")

    assert state is not None
    assert state.host == "elsewhere.example:8443"


@cases(
    "kind, throttles",
    case("forbids", "http_403", 1),
    case("challenges", "bot_challenge", 1),
    case("finds nothing", "http_404", None),
)
def test_reddit_means_too_often_when_it_forbids(kind: str, throttles: int | None) -> None:
    status = 404 if kind == "http_404" else 403

    state = after(None, kind, status=status, url=REDDIT_URL)

    assert state == (
        HostState(host=REDDIT, throttles=throttles, throttled_at=NOW) if throttles else None
    )


@cases(
    "before, expected",
    case(
        "kept for a fortnight",
        make_host(throttles=3, throttled_at=NOW - 14 * DAY + TICK),
        make_host(throttles=3, throttled_at=NOW - 14 * DAY + TICK),
    ),
    case(
        "one less after that",
        make_host(throttles=3, throttled_at=NOW - 14 * DAY),
        make_host(throttles=2, throttled_at=NOW),
    ),
    case("none, where there was none", make_host(), make_host()),
)
@cases(
    "fetched", case("when it is well", make_same()), case("when it fails", make_failed("http_500"))
)
def test_429s_are_forgotten_slowly(
    fetched: Fetched, before: HostState, expected: HostState
) -> None:
    assert update_host(before, make_feed(), fetched) == expected


def test_429s_count_on_while_nobody_answers() -> None:
    known = make_host(throttles=3, throttled_at=NOW - 99 * DAY)

    assert update_host(known, make_feed(), make_failed("timeout")) == known


@pytest.mark.parametrize(
    "mark",
    [{"throttled_at": NOW + 400 * DAY}, {"overloaded_at": NOW + 400 * DAY}],
    ids=["of a 429", "of a 503"],
)
def test_what_was_written_when_the_clock_ran_ahead_is_written_anew(mark: dict[str, Any]) -> None:
    known = make_host(
        throttles=2,
        throttled_at=NOW - DAY,
        overloaded_feed="two",
        overloaded_at=NOW - DAY,
        overloaded_until=NOW + 400 * DAY,
        rests_until=NOW + 400 * DAY,
    )

    state = update_host(replace(known, **mark), make_feed(), make_same())

    assert state == make_host(throttles=2, throttled_at=NOW)


# When it says that it is overloaded


def overloaded(**changes: Any) -> HostState:
    """A server that said 503 a moment ago to feed "two", which waits for three hours."""
    return replace(
        make_host(
            overloaded_feed="two", overloaded_at=NOW - MINUTE, overloaded_until=NOW + 3 * HOUR
        ),
        **changes,
    )


@cases(
    "before, said, rests_until, until",
    case("not after the first", None, {}, None, NOW + HOUR),
    case("not when it was the same feed", overloaded(overloaded_feed="one"), {}, None, NOW + HOUR),
    case(
        "not when the other was long ago",
        overloaded(overloaded_at=NOW - 10 * MINUTE - TICK),
        {},
        None,
        NOW + HOUR,
    ),
    case(
        "as long as the other feed waits",
        overloaded(overloaded_at=NOW - 10 * MINUTE),
        {},
        NOW + 3 * HOUR,
        NOW + HOUR,
    ),
    case(
        "as long as this feed waits, if that is longer",
        overloaded(),
        {"headers": {"retry-after": "18000"}},
        NOW + 5 * HOUR,
        NOW + 5 * HOUR,
    ),
    case(
        "as long as it rests anyhow, if that is longer",
        overloaded(rests_until=NOW + DAY),
        {},
        NOW + DAY,
        NOW + HOUR,
    ),
    case(
        "for an hour at least",
        overloaded(overloaded_until=NOW),
        {"headers": {"retry-after": "60"}},
        NOW + HOUR,
        NOW + HOUR,
    ),
    case(
        "for the interval of this feed",
        overloaded(),
        {"policy": FetchPolicy(min_interval=4 * HOUR)},
        NOW + 4 * HOUR,
        NOW + 4 * HOUR,
    ),
)
def test_after_503s_to_two_feeds_a_server_rests_for_the_longer_wait(
    before: HostState | None, said: dict[str, Any], rests_until: datetime | None, until: datetime
) -> None:
    state = after(before, "http_503", **said)

    assert state == make_host(
        rests_until=rests_until, overloaded_feed="one", overloaded_at=NOW, overloaded_until=until
    )


# When it says nothing of the kind


@cases(
    "fetched, host",
    case("an answer", make_same(), HOST),
    case("an error", make_failed("http_500", headers={"retry-after": "60"}), HOST),
    case("a refusal", make_failed("http_403"), HOST),
    case("no answer", make_failed("timeout"), HOST),
    case("a redirect", make_failed("host_cooldown", status=301), HOST),
    case("a file", make_same(url="file:///feed.xml", status=None), ""),
    case("a body from disk", make_same(status=None, asked=False), HOST),
)
def test_nothing_is_learned_of_a_server_that_wants_no_rest(fetched: Fetched, host: str) -> None:
    known = make_host(rests_until=NOW + HOUR, throttles=1, throttled_at=NOW)

    assert update_host(None, make_feed(), fetched) is None
    assert update_host(known, make_feed(), fetched) == known


# Whether it is asked


@cases(
    "state, expected",
    case("is not known", None, False),
    case("has not said so", make_host(), False),
    case("is to rest a while more", make_host(rests_until=NOW + TICK, throttled_at=NOW), True),
    case("has rested", make_host(rests_until=NOW, throttled_at=NOW), False),
    case("is overloaded", make_host(rests_until=NOW + 9 * DAY, overloaded_at=NOW - HOUR), True),
    case(
        "said so when the clock was a little ahead",
        make_host(rests_until=NOW + DAY, throttled_at=NOW + HOUR),
        True,
    ),
    case(
        "said so when the clock was ahead",
        make_host(rests_until=NOW + 401 * DAY, throttled_at=NOW + 400 * DAY),
        False,
    ),
    case("is to rest for no known reason", make_host(rests_until=NOW + DAY), True),
)
def test_a_server_rests_as_long_as_it_said(state: HostState | None, expected: bool) -> None:
    hosts = {HOST: state} if state else {}

    turns = select_due(make_known([make_feed()], {}, hosts), now=NOW)

    assert is_resting(state, now=NOW) is expected
    assert (turns == []) is expected
    assert select_due(make_known([make_feed()], {}, hosts), now=NOW, force=True) == turns


def test_a_server_that_rests_stops_no_feed_of_another_nor_a_file() -> None:
    feeds = [make_feed("two"), make_feed("one", url="file:///feed.xml")]
    hosts = {HOST: make_host(rests_until=NOW + HOUR, throttled_at=NOW)}

    turns = select_due(make_known(feeds, {}, hosts), now=NOW)

    assert [turn.feed.key for turn in turns] == ["two", "one"]


@cases(
    "rests_until, expected",
    case("does not rest", None, (NOW, "floor")),
    case("rests no longer than the feed", NOW, (NOW, "floor")),
    case("rests longer than the feed", NOW + HOUR, (NOW + HOUR, "host_cooldown")),
)
def test_the_next_attempt_is_told_of_a_feed_whose_server_rests(
    rests_until: datetime | None, expected: tuple[datetime, str]
) -> None:
    host = make_host(rests_until=rests_until)

    assert next_poll(make_feed(), make_read_state(), host) == expected
