"""What every request looks like, and how many there are at a time."""

from __future__ import annotations

import re
import threading
import time
from contextlib import closing
from datetime import timedelta

import pytest

from tests.fetch.conftest import BODY, Reader, turn
from tests.server import Request, Response, Server

OK = Response(headers=(("ETag", '"one"'), ("Set-Cookie", "spy=1")), body=BODY)


def test_a_request_says_who_asks_and_nothing_it_need_not(
    reader: Reader, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    url = server.script("/feed", OK)

    reader.once(url)
    reader.once(url)

    first, second = (dict(request.headers) for request in server.requests)
    assert re.fullmatch(r"Planet/\d+\.\d+\.\d+ \(\+https://\S+\)", first["User-Agent"])
    assert set(first) == {"Host", "User-Agent", "Accept", "Accept-Encoding", "Connection"}
    assert second == {**first, "If-None-Match": '"one"'}
    assert [request.method for request in server.requests] == ["GET", "GET"]


def test_a_feed_is_asked_for_once_whatever_comes(reader: Reader, server: Server) -> None:
    urls = [
        server.script("/503", Response(status=503)),
        server.script("/cut", Response(raw=b"")),
        server.script("/short", Response(headers=(("Content-Length", "99"),), body=b"x")),
    ]

    reader.visit(*urls)

    assert sorted(request.path for request in server.requests) == ["/503", "/cut", "/short"]


def test_hosts_are_asked_side_by_side(reader: Reader) -> None:
    # Each answer waits for the other's request: asked one after the other, both time out.
    meeting = threading.Barrier(2, timeout=10)
    with Server("127.0.0.1", "127.0.0.2") as server:
        answer = Response(body=BODY, hold=meeting)
        server.script("/feed", answer)

        came = reader.visit(server.url("/feed", "127.0.0.1"), server.url("/feed", "127.0.0.2"))

    assert [fetched.status for fetched in came] == [200, 200]


def test_one_host_is_asked_over_one_connection_one_request_at_a_time(
    reader: Reader, server: Server
) -> None:
    urls = [server.script(f"/{number}", OK) for number in range(5)]

    reader.visit(*urls)

    assert {request.connection for request in server.requests} == {0}
    assert [request.path for request in server.requests] == ["/0", "/1", "/2", "/3", "/4"]


def test_there_is_a_gap_between_two_requests_to_one_host(reader: Reader, server: Server) -> None:
    times: list[float] = []

    def answer(_: Request) -> Response:
        times.append(time.monotonic())
        return OK

    urls = [server.answer(f"/{number}", answer) for number in range(2)]

    reader.visit(*urls, host_gap=timedelta(milliseconds=200))

    first, second = times
    assert second - first >= 0.2


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        pytest.param(None, [1, 0, 3, 2], id="longest queue first, when all get their turn"),
        pytest.param(timedelta(hours=1), [0, 1, 3, 2], id="as given, when time may not last"),
    ],
)
def test_servers_are_asked(reader: Reader, budget: timedelta | None, expected: list[int]) -> None:
    with Server("127.0.0.1", "127.0.0.2", "127.0.0.3") as server:
        hosts = ["127.0.0.1", "127.0.0.2", "127.0.0.2", "127.0.0.3"]
        for number in range(4):
            server.script(f"/{number}", OK)
        urls = [server.url(f"/{number}", host) for number, host in enumerate(hosts)]

        reader.visit(*urls, workers=1, budget=budget)

    assert reader.started == [urls[number] for number in expected]


def test_no_feed_is_started_when_the_time_budget_is_used_up(reader: Reader, server: Server) -> None:
    urls = [server.script(f"/{number}", OK) for number in range(3)]

    came = reader.visit(*urls, host_gap=timedelta(seconds=1), budget=timedelta(milliseconds=100))

    assert len(came) == 1
    assert reader.started == urls[:1]


def test_a_feed_is_written_down_before_it_is_asked_for(reader: Reader, server: Server) -> None:
    seen: list[list[str]] = []

    def answer(_: Request) -> Response:
        seen.append(list(reader.started))
        return OK

    url = server.answer("/feed", answer)

    reader.once(url)

    assert seen == [[url]]


def test_nobody_waits_for_a_slow_server_when_the_run_ends_early(
    reader: Reader, server: Server
) -> None:
    stuck = server.script("/stuck", Response(hold=threading.Event()))
    began = time.monotonic()

    turns = [turn(stuck), turn("file:///nowhere")]
    with reader.web() as web, closing(web.fetch(turns, starting=lambda _: None)) as coming:
        first, _ = next(coming)

    assert first.url == "file:///nowhere"
    assert time.monotonic() - began < 10
