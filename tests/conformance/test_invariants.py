"""Whatever goes wrong in a request is noticed, even when the scenario is about something else."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.conformance.expectations import differences
from tests.conformance.invariants import broken
from tests.conformance.notation import (
    FEED,
    NOON,
    Expected,
    H,
    M,
    Scenario,
    Tally,
    after,
    bare,
    tag,
)
from tests.conformance.publishers import Seen
from tests.server import Request, Response

QUIET = Scenario("R0", "keeps still", [], [])
HEAD = (
    ("Host", "127.0.0.1"),
    ("User-Agent", "Planet/1.2.3 (+https://planet.example/)"),
    ("Accept", "*/*"),
    ("Accept-Encoding", "gzip"),
)
OK = Response(headers=(("ETag", '"1"'),))


def seen(
    at: timedelta = timedelta(0),
    address: str = FEED,
    *more: tuple[str, str],
    run: int = 0,
    forced: bool = False,
    method: str = "GET",
    response: Response | None = OK,
) -> Seen:
    """A request as it should be, but for what is said."""
    request = Request(
        host="127.0.0.1",
        connection=0,
        method=method,
        path=address,
        headers=tuple({**dict(HEAD), **dict(more)}.items()),
        raw=f"{method} {address} HTTP/1.1\r\n".encode(),
    )
    return Seen(
        at=at,
        run=run,
        forced=forced,
        address=address,
        request=request,
        response=response,
        moment=0.0,
    )


def twice(one: Seen) -> Seen:
    """The request with its first field sent again."""
    headers = (*one.request.headers, one.request.headers[0])
    return replace(one, request=replace(one.request, headers=headers))


MOVED = Response(status=301, headers=(("Location", "http://127.0.0.1/new#here"),))
NAMED = ("If-None-Match", '"1"')


@pytest.mark.parametrize(
    ("requests", "promise"),
    [
        pytest.param([seen(method="HEAD")], "Every request is a plain `GET`.", id="a HEAD"),
        pytest.param([seen(H, FEED, ("Cookie", "a=1"))], "None has a cookie", id="a cookie"),
        pytest.param([seen(H, FEED, ("Pragma", "x"))], "None has a cookie", id="a Pragma"),
        pytest.param([twice(seen())], "No field of a request is sent twice.", id="a field twice"),
        pytest.param(
            [seen(H, FEED, ("User-Agent", "Mozilla/5.0"))], "All say the same", id="a disguise"
        ),
        pytest.param(
            [seen(), seen(H, FEED, ("User-Agent", "Planet/9.9.9 (+https://x/)"), run=1)],
            "All say the same",
            id="another version",
        ),
        pytest.param(
            [seen(H, FEED, ("Accept-Encoding", "gzip, br"))], "`Accept`", id="another coding"
        ),
        pytest.param(
            [seen(), seen(H, FEED, ("Accept", "text/html"), run=1)], "`Accept`", id="other wishes"
        ),
        pytest.param([seen(response=None)], "Only addresses are asked for", id="another address"),
        pytest.param([seen(H, FEED, NAMED)], "Every validator", id="a validator made up"),
        pytest.param(
            [seen(), seen(H, "/other", NAMED, run=1)], "Every validator", id="one of another"
        ),
        pytest.param(
            [seen(response=Response(status=500, headers=OK.headers)), seen(H, FEED, NAMED, run=1)],
            "Every validator",
            id="one of an error",
        ),
        pytest.param([seen(), seen(H)], "A run asks for an address once", id="twice in a run"),
        pytest.param(
            [seen(number * M, f"/{number}", response=MOVED) for number in range(7)],
            "A feed costs one request",
            id="six redirects",
        ),
        pytest.param([seen(), seen(H - M, run=1)], "An hour lies between", id="a minute early"),
        pytest.param(
            [seen(), seen(M / 2, run=1, forced=True)], "An hour lies between", id="haste upon haste"
        ),
    ],
)
def test_it_is_noticed_when_there_is(requests: list[Seen], promise: str) -> None:
    found = broken(QUIET, requests)

    assert [words[: len(promise)] for words in found] == [promise]


@pytest.mark.parametrize(
    "requests",
    [
        pytest.param([seen(), seen(H, FEED, NAMED, run=1)], id="an hour apart"),
        pytest.param([seen(), seen(M, run=1, forced=True)], id="in haste"),
        pytest.param(
            [seen(response=MOVED), seen(M, "/new"), seen(H, run=1)], id="along a redirect"
        ),
    ],
)
def test_nothing_is_wrong_with_requests(requests: list[Seen]) -> None:
    assert broken(QUIET, requests) == []


@pytest.mark.parametrize(
    ("expected", "requests", "difference"),
    [
        pytest.param([bare], [], "should be asked for 1 times, not 0", id="one is missing"),
        pytest.param([bare], [seen(), seen(H)], "should be asked for 1 times", id="one too many"),
        pytest.param({}, [seen()], "nobody should be asked for /feed", id="nobody is expected"),
        pytest.param([tag('"1"')], [seen()], "should name", id="it names too little"),
        pytest.param([bare], [seen(H, FEED, NAMED)], "should name", id="it names too much"),
        pytest.param([after(2 * H)], [seen(2 * H - M)], "should come after", id="it is early"),
        pytest.param([after(2 * H)], [seen(2.3 * H)], "should come after", id="it is late"),
        pytest.param([bare], [seen(H, FEED, ("X-A", "1"))], "should not say", id="it says more"),
        pytest.param(
            [bare.with_header("x-a", "1")], [seen()], "should say x-a: 1", id="it says less"
        ),
        pytest.param(Tally(2, 3), [seen()], "should be asked for 2 to 3", id="they are too few"),
        pytest.param(
            Tally(1, 1, last=(H, 2 * H)), [seen()], "the last request for", id="they end too soon"
        ),
    ],
)
def test_it_is_no_match_when(expected: Expected, requests: list[Seen], difference: str) -> None:
    scenario = replace(QUIET, asked=expected, start=NOON)

    assert [difference in words for words in differences(scenario, requests)] == [True]
