"""What every request looks like, and how many there are at a time."""

import re
import threading
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from planet.model import FetchPolicy
from tests.cases import case, cases
from tests.http.conftest import BODY, Notes, Reader, turn
from tests.patience import PATIENCE
from tests.server import Request, Response, Server

OK = Response(headers=(("ETag", '"one"'), ("Set-Cookie", "spy=1")), body=BODY)


def test_a_request_says_who_asks_and_nothing_it_need_not(
    reader: Reader, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ada password geheim\n", encoding="ascii")
    monkeypatch.setenv("NETRC", str(netrc))
    url = server.script("/feed", OK)

    reader.once(url)
    reader.once(url)

    first, second = (dict(request.headers) for request in server.requests)
    assert re.fullmatch(r"Planet/\d+\.\d+\.\d+ \(\+https://\S+\)", first["User-Agent"])
    assert set(first) == {"Host", "User-Agent", "Accept", "Accept-Encoding"}
    assert second == {**first, "If-None-Match": '"one"'}
    assert [request.method for request in server.requests] == ["GET", "GET"]


def test_hosts_are_asked_side_by_side(reader: Reader) -> None:
    # Each answer waits for the other's request: asked one after the other, both time out.
    meeting = threading.Barrier(2, timeout=PATIENCE)
    with Server("127.0.0.1", "127.0.0.2") as server:
        answer = Response(body=BODY, hold=meeting)
        server.script("/feed", answer)

        came = reader.visit(server.url("/feed", "127.0.0.1"), server.url("/feed", "127.0.0.2"))

    assert [fetched.status for fetched in came] == [200, 200]


def test_one_host_is_asked_one_by_one_over_one_connection(reader: Reader, server: Server) -> None:
    urls = [server.script(f"/{number}", OK) for number in range(5)]

    reader.visit(*urls)

    assert {request.connection for request in server.requests} == {0}
    assert server.paths == ["/0", "/1", "/2", "/3", "/4"]


@cases(
    "budget, expected",
    case("longest queue first, when all get their turn", None, "/1"),
    case("as given, when time may not last", timedelta(hours=1), "/0"),
)
def test_servers_are_asked_longest_queue_first_unless_time_is_short(
    reader: Reader, budget: timedelta | None, expected: str
) -> None:
    with Server("127.0.0.1", "127.0.0.2") as server:
        hosts = {"/0": "127.0.0.1", "/1": "127.0.0.2", "/2": "127.0.0.2"}
        for path in hosts:
            server.script(path, OK)
        urls = [server.url(path, host) for path, host in hosts.items()]

        reader.ask(*map(turn, urls), workers=1, budget=budget)

    assert server.requests[0].path == expected


def test_no_feed_is_started_when_the_time_budget_is_used_up(reader: Reader, server: Server) -> None:
    urls = [server.script(f"/{number}", OK) for number in range(3)]

    reader.notes = Notes(gap=timedelta(seconds=60))
    came = reader.ask(*map(turn, urls), budget=timedelta(seconds=5))

    assert list(came) == reader.notes.started == urls[:1]


def test_a_feed_is_written_down_before_it_is_asked_for(reader: Reader, server: Server) -> None:
    seen: list[list[str]] = []

    def answer(_: Request) -> Response:
        seen.append(list(reader.notes.started))
        return OK

    url = server.answer("/feed", answer)

    reader.once(url)

    assert seen == [[url]]


def test_nobody_waits_for_a_slow_server_once_a_run_ends(reader: Reader, server: Server) -> None:
    asked = threading.Event()

    def never(_: Request) -> Response:
        asked.set()
        return Response(hold=threading.Event())

    stuck = server.answer("/stuck", never)
    # Whoever waited for it would do so for an hour.
    endless = FetchPolicy(timeout=timedelta(hours=1))
    with Server("127.0.0.2") as other:
        quick = other.script("/quick", Response(body=BODY, hold=asked))
        turns = [turn(stuck, policy=endless), turn(quick)]
        with reader.web() as web, closing(web.fetch(turns, Notes())) as coming:
            first, _ = next(coming)

    assert first.url == quick


def test_files_come_before_anybody_is_asked(reader: Reader, server: Server, tmp_path: Path) -> None:
    path = tmp_path / "feed.xml"
    path.write_bytes(BODY)
    urls = [server.script("/feed", OK), path.as_uri()]

    came = reader.ask(*map(turn, urls))

    assert list(came) == reader.notes.started == reader.notes.over == urls[::-1]
