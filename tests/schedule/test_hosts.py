"""What servers say of all their feeds: how fast they are asked, and when they rest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from planet.model import Fetched, FetchPolicy, HostState
from planet.schedule import due, forced, gap, host_after, next_poll, rests
from tests.builders import NOW, make_feed
from tests.schedule.known import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    TICK,
    make_failed,
    make_read_memory,
    make_same,
)

if TYPE_CHECKING:
    from datetime import datetime, timedelta

HOST = "one.example:443"
REDDIT = "www.reddit.com:443"
REDDIT_URL = "https://www.reddit.com/r/one/.rss"


def make_host(**said: Any) -> HostState:
    return replace(HostState(host=HOST), **said)


def after(
    before: HostState | None,
    kind: str,
    *,
    key: str = "one",
    asking: FetchPolicy | None = None,
    **said: Any,
) -> HostState | None:
    feed = make_feed(key, asking=asking or FetchPolicy())
    return host_after(before, feed, make_failed(kind, **said))


# How fast it is asked


@pytest.mark.parametrize(
    ("host", "throttles", "asked", "expected"),
    [
        pytest.param(HOST, 0, 1, 1, id="what the operator set"),
        pytest.param(HOST, 0, 0, 0, id="none, if the operator set none"),
        pytest.param(HOST, 1, 1, 2, id="twice that after a 429"),
        pytest.param(HOST, 3, 1, 8, id="eight times that after three"),
        pytest.param(HOST, 6, 1, 64, id="64 times that after six"),
        pytest.param(HOST, 7, 1, 120, id="two minutes after seven"),
        pytest.param(HOST, 1, 0, 2, id="two seconds after a 429, if the operator set none"),
        pytest.param(HOST, 1, 0.5, 2, id="two seconds after a 429, if the operator set less"),
        pytest.param(HOST, 2, 90, 120, id="two minutes at most"),
        pytest.param(HOST, 2, 300, 300, id="no less than the operator set"),
        pytest.param("reddit.com:443", 0, 1, 65, id="what Reddit needs"),
        pytest.param("old.reddit.com:80", 0, 1, 65, id="what all of Reddit needs"),
        pytest.param(REDDIT, 0, 70, 70, id="no less than set, though Reddit needs less"),
        pytest.param(REDDIT, 1, 1, 120, id="two minutes when Reddit has enough"),
        pytest.param("notreddit.com:443", 0, 1, 1, id="nothing special for a like name"),
        pytest.param("reddit.com.example:443", 0, 1, 1, id="nothing special below a like name"),
    ],
)
def test_the_gap_between_two_requests_is(
    host: str, throttles: int, asked: float, expected: float
) -> None:
    memory = HostState(host=host, throttles=throttles, throttled_at=NOW)

    assert gap(host, memory, asked * SECOND) == expected * SECOND


def test_the_gap_to_a_server_of_which_nothing_is_known_is_what_was_set() -> None:
    assert gap(HOST, None, 3 * SECOND) == 3 * SECOND


# When it says that we come too often


@pytest.mark.parametrize(
    ("before", "headers", "asking", "rest"),
    [
        pytest.param(None, {}, FetchPolicy(), 2 * HOUR, id="twice an hour"),
        pytest.param(
            None, {}, FetchPolicy(min_interval=3 * HOUR), 6 * HOUR, id="twice its interval"
        ),
        pytest.param(
            None, {}, FetchPolicy(min_interval=MINUTE, agreed=True), HOUR, id="an hour at least"
        ),
        pytest.param(
            None,
            {},
            FetchPolicy(min_interval=9 * DAY, max_interval=9 * DAY),
            DAY,
            id="a day at most",
        ),
        pytest.param(make_host(throttles=2), {}, FetchPolicy(), 4 * HOUR, id="longer after others"),
        pytest.param(make_host(throttles=7), {}, FetchPolicy(), DAY, id="a day after many others"),
        pytest.param(
            make_host(throttles=2), {"retry-after": "60"}, FetchPolicy(), MINUTE, id="as it says"
        ),
        pytest.param(
            None,
            {"retry-after": "9999999"},
            FetchPolicy(),
            30 * DAY,
            id="as it says, up to a month",
        ),
        pytest.param(
            make_host(rests_until=NOW + DAY),
            {"retry-after": "60"},
            FetchPolicy(),
            DAY,
            id="as long as before, if that was longer",
        ),
    ],
)
def test_after_a_429_a_server_rests(
    before: HostState | None, headers: dict[str, str], asking: FetchPolicy, rest: timedelta
) -> None:
    known = before or make_host()

    memory = after(before, "http_429", headers=headers, asking=asking)

    assert memory == replace(
        known,
        rests_until=NOW + rest,
        throttles=min(known.throttles + 1, 7),
        throttled_at=NOW,
    )


def test_the_server_that_rests_is_the_one_that_answered() -> None:
    memory = after(None, "http_429", url="https://elsewhere.example:8443/feed")

    assert memory is not None
    assert memory.host == "elsewhere.example:8443"


@pytest.mark.parametrize(
    ("kind", "throttles"),
    [
        pytest.param("http_403", 1, id="forbids"),
        pytest.param("bot_challenge", 1, id="challenges"),
        pytest.param("http_404", None, id="finds nothing"),
    ],
)
def test_reddit_means_too_often_when_it(kind: str, throttles: int | None) -> None:
    status = 404 if kind == "http_404" else 403

    memory = after(None, kind, status=status, url=REDDIT_URL)

    assert memory == (
        HostState(host=REDDIT, throttles=throttles, throttled_at=NOW) if throttles else None
    )


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        pytest.param(
            make_host(throttles=3, throttled_at=NOW - 14 * DAY + TICK),
            make_host(throttles=3, throttled_at=NOW - 14 * DAY + TICK),
            id="kept for a fortnight",
        ),
        pytest.param(
            make_host(throttles=3, throttled_at=NOW - 14 * DAY),
            make_host(throttles=2, throttled_at=NOW),
            id="one less after that",
        ),
        pytest.param(make_host(), make_host(), id="none, where there was none"),
    ],
)
@pytest.mark.parametrize(
    "fetched",
    [
        pytest.param(make_same(), id="when it is well"),
        pytest.param(make_failed("http_500"), id="when it fails"),
    ],
)
def test_429s_are(fetched: Fetched, before: HostState, expected: HostState) -> None:
    assert host_after(before, make_feed(), fetched) == expected


def test_429s_count_on_while_nobody_answers() -> None:
    known = make_host(throttles=3, throttled_at=NOW - 99 * DAY)

    assert host_after(known, make_feed(), make_failed("timeout")) == known


@pytest.mark.parametrize(
    "mark", [{"throttled_at": NOW + 400 * DAY}, {"overloaded_at": NOW + 400 * DAY}]
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

    memory = host_after(replace(known, **mark), make_feed(), make_same())

    assert memory == make_host(throttles=2, throttled_at=NOW)


# When it says that it is overloaded


def overloaded(**said: Any) -> HostState:
    """A server that said 503 a moment ago to feed "two", which waits for three hours."""
    return replace(
        make_host(
            overloaded_feed="two",
            overloaded_at=NOW - MINUTE,
            overloaded_until=NOW + 3 * HOUR,
        ),
        **said,
    )


@pytest.mark.parametrize(
    ("before", "said", "rests_until", "until"),
    [
        pytest.param(None, {}, None, NOW + HOUR, id="not after the first"),
        pytest.param(
            overloaded(overloaded_feed="one"),
            {},
            None,
            NOW + HOUR,
            id="not when it was the same feed",
        ),
        pytest.param(
            overloaded(overloaded_at=NOW - 10 * MINUTE - TICK),
            {},
            None,
            NOW + HOUR,
            id="not when the other was long ago",
        ),
        pytest.param(
            overloaded(overloaded_at=NOW - 10 * MINUTE),
            {},
            NOW + 3 * HOUR,
            NOW + HOUR,
            id="as long as the other feed waits",
        ),
        pytest.param(
            overloaded(),
            {"headers": {"retry-after": "18000"}},
            NOW + 5 * HOUR,
            NOW + 5 * HOUR,
            id="as long as this feed waits, if that is longer",
        ),
        pytest.param(
            overloaded(rests_until=NOW + DAY),
            {},
            NOW + DAY,
            NOW + HOUR,
            id="as long as it rests anyhow, if that is longer",
        ),
        pytest.param(
            overloaded(overloaded_until=NOW),
            {"headers": {"retry-after": "60"}},
            NOW + HOUR,
            NOW + HOUR,
            id="for an hour at least",
        ),
        pytest.param(
            overloaded(),
            {"asking": FetchPolicy(min_interval=4 * HOUR)},
            NOW + 4 * HOUR,
            NOW + 4 * HOUR,
            id="for the interval of this feed",
        ),
    ],
)
def test_after_a_503_a_server_rests(
    before: HostState | None,
    said: dict[str, Any],
    rests_until: datetime | None,
    until: datetime,
) -> None:
    memory = after(before, "http_503", **said)

    assert memory == make_host(
        rests_until=rests_until,
        overloaded_feed="one",
        overloaded_at=NOW,
        overloaded_until=until,
    )


# When it says nothing of the kind


@pytest.mark.parametrize(
    ("fetched", "host"),
    [
        pytest.param(make_same(), HOST, id="an answer"),
        pytest.param(make_failed("http_500", headers={"retry-after": "60"}), HOST, id="an error"),
        pytest.param(make_failed("http_403"), HOST, id="a refusal"),
        pytest.param(make_failed("timeout"), HOST, id="no answer"),
        pytest.param(make_failed("host_cooldown", status=301), HOST, id="a redirect"),
        pytest.param(make_same(url="file:///feed.xml", status=None), "", id="a file"),
        pytest.param(make_same(status=None, asked=False), HOST, id="a body from disk"),
    ],
)
def test_nothing_is_learned_of_a_server_from(fetched: Fetched, host: str) -> None:
    known = make_host(rests_until=NOW + HOUR, throttles=1, throttled_at=NOW)

    assert host_after(None, make_feed(), fetched) is None
    assert host_after(known, make_feed(), fetched) == known


# Whether it is asked


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        pytest.param(None, False, id="is not known"),
        pytest.param(make_host(), False, id="has not said so"),
        pytest.param(
            make_host(rests_until=NOW + TICK, throttled_at=NOW), True, id="is to rest a while more"
        ),
        pytest.param(make_host(rests_until=NOW, throttled_at=NOW), False, id="has rested"),
        pytest.param(
            make_host(rests_until=NOW + 9 * DAY, overloaded_at=NOW - HOUR), True, id="is overloaded"
        ),
        pytest.param(
            make_host(rests_until=NOW + DAY, throttled_at=NOW + HOUR),
            True,
            id="said so when the clock was a little ahead",
        ),
        pytest.param(
            make_host(rests_until=NOW + 401 * DAY, throttled_at=NOW + 400 * DAY),
            False,
            id="said so when the clock was ahead",
        ),
        pytest.param(make_host(rests_until=NOW + DAY), True, id="is to rest for no known reason"),
    ],
)
def test_a_server_rests_when_it(memory: HostState | None, expected: bool) -> None:
    hosts = {HOST: memory} if memory else {}

    turns = due([make_feed()], {}, hosts, reader="1", now=NOW)

    assert rests(memory, now=NOW) is expected
    assert (turns == []) is expected
    assert forced([make_feed()], {}, hosts, reader="1", now=NOW) == turns


def test_a_server_that_rests_stops_no_feed_of_another_nor_a_file() -> None:
    feeds = [make_feed("two"), make_feed("one", url="file:///feed.xml")]
    hosts = {HOST: make_host(rests_until=NOW + HOUR, throttled_at=NOW)}

    turns = due(feeds, {}, hosts, reader="1", now=NOW)

    assert [turn.feed.key for turn in turns] == ["two", "one"]


@pytest.mark.parametrize(
    ("rests_until", "expected"),
    [
        pytest.param(None, (NOW, "floor"), id="does not rest"),
        pytest.param(NOW, (NOW, "floor"), id="rests no longer than the feed"),
        pytest.param(NOW + HOUR, (NOW + HOUR, "host_cooldown"), id="rests longer than the feed"),
    ],
)
def test_the_next_attempt_is_told_of_a_feed_whose_server(
    rests_until: datetime | None, expected: tuple[datetime, str]
) -> None:
    host = make_host(rests_until=rests_until)

    assert next_poll(make_feed(), make_read_memory(), host) == expected
