"""What servers say of all their feeds: how fast they are asked, and when they rest."""

from typing import Any

from msgspec.structs import replace

from planet.model import FetchPolicy, HostState
from planet.schedule import request_gap, update_host
from tests.builders import NOW, make_feed
from tests.cases import case, cases
from tests.schedule.states import (
    SECOND,
    make_failed,
)

HOST = "one.example:443"
REDDIT = "www.reddit.com:443"


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


# When it says that we come too often


# When it says that it is overloaded


# When it says nothing of the kind


# Whether it is asked
