"""Whatever goes wrong in a request is noticed, even when the scenario is about something else."""

from dataclasses import replace
from datetime import timedelta

from tests.cases import case, cases
from tests.conformance.expectations import differences
from tests.conformance.invariants import broken
from tests.conformance.notation import FEED, NOON, Expected, H, M, Scenario, Tally, after, bare, tag
from tests.conformance.publishers import Seen
from tests.server import Request, Response

QUIET = Scenario("R0 keeps still", [], [])
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


@cases(
    "requests, promise",
    case("a HEAD", [seen(method="HEAD")], "Every request is a plain `GET`."),
    case("a cookie", [seen(H, FEED, ("Cookie", "a=1"))], "None has a cookie"),
    case("a Pragma", [seen(H, FEED, ("Pragma", "x"))], "None has a cookie"),
    case("a field twice", [twice(seen())], "No field of a request is sent twice."),
    case("a disguise", [seen(H, FEED, ("User-Agent", "Mozilla/5.0"))], "All say the same"),
    case(
        "another version",
        [seen(), seen(H, FEED, ("User-Agent", "Planet/9.9.9 (+https://x/)"), run=1)],
        "All say the same",
    ),
    case("another coding", [seen(H, FEED, ("Accept-Encoding", "gzip, br"))], "`Accept`"),
    case("other wishes", [seen(), seen(H, FEED, ("Accept", "text/html"), run=1)], "`Accept`"),
    case("another address", [seen(response=None)], "Only addresses are asked for"),
    case("a validator made up", [seen(H, FEED, NAMED)], "Every validator"),
    case("one of another", [seen(), seen(H, "/other", NAMED, run=1)], "Every validator"),
    case(
        "one of an error",
        [seen(response=Response(status=500, headers=OK.headers)), seen(H, FEED, NAMED, run=1)],
        "Every validator",
    ),
    case("twice in a run", [seen(), seen(H)], "A run asks for an address once"),
    case(
        "six redirects",
        [seen(number * M, f"/{number}", response=MOVED) for number in range(7)],
        "A feed costs one request",
    ),
    case("a minute early", [seen(), seen(H - M, run=1)], "An hour lies between"),
    case("haste upon haste", [seen(), seen(M / 2, run=1, forced=True)], "An hour lies between"),
)
def test_it_is_noticed_when_there_is(requests: list[Seen], promise: str) -> None:
    found = broken(QUIET, requests)

    assert [words[: len(promise)] for words in found] == [promise]


@cases(
    "requests",
    case("an hour apart", [seen(), seen(H, FEED, NAMED, run=1)]),
    case("in haste", [seen(), seen(M, run=1, forced=True)]),
    case("along a redirect", [seen(response=MOVED), seen(M, "/new"), seen(H, run=1)]),
)
def test_nothing_is_wrong_with_requests(requests: list[Seen]) -> None:
    assert broken(QUIET, requests) == []


@cases(
    "expected, requests, difference",
    case("one is missing", [bare], [], "should be asked for 1 times, not 0"),
    case("one too many", [bare], [seen(), seen(H)], "should be asked for 1 times"),
    case("nobody is expected", {}, [seen()], "nobody should be asked for /feed"),
    case("it names too little", [tag('"1"')], [seen()], "should name"),
    case("it names too much", [bare], [seen(H, FEED, NAMED)], "should name"),
    case("it is early", [after(2 * H)], [seen(2 * H - M)], "should come after"),
    case("it is late", [after(2 * H)], [seen(2.3 * H)], "should come after"),
    case("it says more", [bare], [seen(H, FEED, ("X-A", "1"))], "should not say"),
    case("it says less", [bare.with_header("x-a", "1")], [seen()], "should say x-a: 1"),
    case("they are too few", Tally(2, 3), [seen()], "should be asked for 2 to 3"),
    case("they end too soon", Tally(1, 1, last=(H, 2 * H)), [seen()], "the last request for"),
)
def test_it_is_no_match_when(expected: Expected, requests: list[Seen], difference: str) -> None:
    scenario = replace(QUIET, asked=expected, start=NOON)

    assert [difference in words for words in differences(scenario, requests)] == [True]
