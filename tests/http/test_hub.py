"""Telling a hub: what it is sent, what its answers mean, and when it is left alone."""

import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from urllib.parse import parse_qsl

import pytest

from planet.http.hub import Hub, PingResult
from tests.cases import case, cases
from tests.http.conftest import NOW
from tests.patience import patient
from tests.server import Request, Response, Server

NOTHING = timedelta(0)
LONG = timedelta(hours=1)
LATE = b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"


def make_hub(
    url: str,
    *,
    gap: timedelta = NOTHING,
    timeout: timedelta = timedelta(seconds=60),
    budget: timedelta = LONG,
) -> Hub:
    return Hub(
        url,
        user_agent="Planet/1 (+https://planet.example/)",
        clock=lambda: NOW,
        gap=gap,
        timeout=timeout,
        budget=budget,
    )


def one(hub: Hub) -> PingResult:
    (told,) = hub.ping(["https://planet.example/atom.xml"])
    return told


def said(told: PingResult) -> tuple[str, str] | None:
    return (told.error.kind, str(told.error)) if told.error else None


def heard(server: Server) -> list[str | None]:
    """The topics a server was told of."""
    return [dict(parse_qsl(request.body.decode())).get("hub.url") for request in server.requests]


def topics(*names: str) -> Sequence[str]:
    return [f"https://planet.example/{name}" for name in names]


# What it is sent


def test_a_hub_is_told_in_a_form_by_whom_and_of_what(server: Server) -> None:
    hub = make_hub(server.script("/hub?a=b&c", Response(status=204)))

    told = list(hub.ping(["https://planet.example/a+b/atom.xml?x=1&y=é"]))

    (request,) = server.requests
    assert told == [PingResult(topic="https://planet.example/a+b/atom.xml?x=1&y=é")]
    assert (request.method, request.path) == ("POST", "/hub?a=b&c")
    assert parse_qsl(request.body.decode(), strict_parsing=True) == [
        ("hub.mode", "publish"),
        ("hub.url", "https://planet.example/a+b/atom.xml?x=1&y=é"),
    ]
    assert dict(request.headers) == {
        "Host": server.url("").removeprefix("http://"),
        "User-Agent": "Planet/1 (+https://planet.example/)",
        "Content-Type": "application/x-www-form-urlencoded",
        "Content-Length": str(len(request.body)),
        "Accept-Encoding": "identity",
        "Connection": "close",
    }


def test_a_hub_without_a_path_is_told_at_its_root(server: Server) -> None:
    server.script("/", Response(status=204))

    assert one(make_hub(server.url(""))).error is None


# What its answers mean

THEN = "Sat, 21 Nov 2026 13:00:00 GMT"
ITS_OWN = "the hub has a problem of its own"
MOVED = "the hub has moved to https://new.example/?k=…; if you trust that, name it in the config"
ELSEWHERE = MOVED.replace("https://new.example/?k=…", "elsewhere")


@cases(
    "response",
    *(
        case(f"says {status}", Response(status=status, body=b"x" * 99))
        for status in (200, 201, 202, 204)
    ),
    case("says at first that it takes its time", Response(raw=LATE)),
    case("has a body without end", Response(body=b"x" * 99, endless=True)),
)
def test_a_hub_has_heard_that(response: Response, server: Server) -> None:
    hub = make_hub(server.script("/", response))

    assert one(hub) == PingResult(topic="https://planet.example/atom.xml")


@cases(
    "status, field, words, wait",
    case("a refusal", 400, (), "the hub will not take it", None),
    case(
        "a refusal until later", 403, ("Retry-After", "60"), "the hub will not take it", LONG / 60
    ),
    case("too often", 429, (), "the hub asks us to come less often", None),
    case("a problem until then", 503, ("Retry-After", THEN), ITS_OWN, LONG),
    case("a problem", 500, ("Retry-After", "soon"), ITS_OWN, None),
    case("a redirect", 307, ("Location", "https://ada:pw@new.example/?k=v##[x"), MOVED, None),
    case("a redirect to no address", 302, ("Location", "javascript:x"), ELSEWHERE, None),
)
def test_a_hub_has_not_heard_that_answers(
    status: int, field: tuple[str, str], words: str, wait: timedelta | None, server: Server
) -> None:
    response = Response(status=status, headers=(field,) if field else ())

    told = one(make_hub(server.script("/", response)))

    assert said(told) == (f"http_{status}", f"{words} (HTTP {status})")
    assert (told.retry_after, told.refused) == (wait, status == 400)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status: int, server: Server) -> None:
    elsewhere = server.script("/elsewhere", Response(status=204))
    hub = make_hub(server.script("/", Response(status=status, headers=(("Location", elsewhere),))))

    assert one(hub).error is not None
    assert server.paths == ["/"]


@cases(
    "response, kind",
    case("hangs up", Response(raw=b""), "truncated"),
    case("speaks no HTTP", Response(raw=b"SSH-2.0-OpenSSH\r\n"), "broken_answer"),
    case(
        "sends headers without end",
        Response(raw=b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 501 + b"\r\n"),
        "broken_answer",
    ),
    case("is silent", Response(hold=threading.Event()), "timeout"),
    case("drips", Response(drip_head=0.1), "timeout"),
    case(
        "says yes, and then drips",
        Response(status=204, headers=(("A", "b" * 500),), drip_head=0.01),
        "timeout",
    ),
)
def test_a_hub_has_not_heard_that(response: Response, kind: str, server: Server) -> None:
    hub = make_hub(server.script("/", response), timeout=timedelta(seconds=patient(1.0)))

    told = one(hub)

    assert told.error is not None
    assert (told.error.kind, told.refused) == (kind, False)


# When it is left alone


def test_of_each_topic_there_is_one_answer_in_their_order(server: Server) -> None:
    hub = make_hub(server.script("/", Response(status=204)))

    told = list(hub.ping(topics("a", "b", "c")))

    assert [each.topic for each in told] == heard(server) == topics("a", "b", "c")


@cases(
    "statuses, asked",
    case("fails", (204, 503), 2),
    case("is asked too often", (429,), 1),
    case("has moved", (301,), 1),
    case("refuses some", (404, 204, 404, 404, 204), 6),
    case("refuses three in a row", (204, 404, 403, 410, 204), 4),
)
def test_a_hub_that_fails_is_told_no_more(
    statuses: tuple[int, ...], asked: int, server: Server
) -> None:
    answers = [Response(status=status) for status in statuses]
    hub = make_hub(server.script("/", *answers))

    told = list(hub.ping(topics("a", "b", "c", "d", "e", "f")))

    assert len(told) == len(server.requests) == asked


def test_there_is_a_gap_between_two_topics(server: Server) -> None:
    times: list[float] = []

    def answer(_: Request) -> Response:
        times.append(time.monotonic())
        return Response(status=204)

    hub = make_hub(server.answer("/", answer), gap=timedelta(milliseconds=200))

    list(hub.ping(topics("a", "b")))

    first, second = times
    assert second - first >= 0.2


def test_no_topic_is_begun_when_the_time_is_used_up(server: Server) -> None:
    hub = make_hub(server.script("/", Response(status=204)), budget=NOTHING)

    assert [told.topic for told in hub.ping(topics("a", "b"))] == topics("a")


def test_nobody_is_asked_when_there_is_nothing_to_tell(server: Server) -> None:
    assert list(make_hub(server.url("/")).ping([])) == []
    assert server.requests == []
