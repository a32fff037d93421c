"""Hosts: one request at a time, with a gap, whoever it is for and whatever led there."""

import threading
import time
from datetime import timedelta
from itertools import pairwise

import pytest

from planet.errors import FetchError
from planet.http import web
from planet.model import FetchPolicy
from planet.text import address
from tests.cases import case, cases
from tests.http.conftest import BODY, Notes, Reader, kind, turn
from tests.patience import PATIENCE, patient
from tests.server import Request, Response, Server, moved

A, B = "127.0.0.1", "127.0.0.2"
OK = Response(body=BODY)
SOON = timedelta(milliseconds=100)


class Times:
    """Answers, and writes down when it was asked and by which host."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.asked: list[tuple[str, str, float]] = []

    def script(self, path: str, response: Response) -> str:
        def answer(request: Request) -> Response:
            self.asked.append((request.host, path, time.monotonic()))
            return response

        return self._server.answer(path, answer)

    @property
    def paths(self) -> list[str]:
        return [path for _, path, _ in self.asked]

    def gaps(self) -> list[float]:
        moments = [moment for *_, moment in self.asked]
        return [later - earlier for earlier, later in pairwise(moments)]


def test_a_redirect_waits_for_the_gap_where_it_leads(reader: Reader, hosts: Server) -> None:
    times = Times(hosts)
    start = times.script("/old", moved(hosts.url("/new", B)))
    first = hosts.url("/first", B)
    times.script("/first", OK)
    times.script("/new", OK)
    reader.notes.gaps = {address.host(first): 3 * SOON}

    reader.ask(turn(first), turn(start), workers=1)

    assert times.paths == ["/first", "/old", "/new"]
    assert times.asked[2][2] - times.asked[0][2] >= 0.3


def test_a_signal_as_threads_are_started_waits_for_none_and_none_stores_anything(
    reader: Reader, hosts: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, hold = threading.Event(), threading.Event()
    late: list[threading.Thread] = []

    def answer(_: Request) -> Response:
        asked.set()
        return Response(body=BODY, hold=hold)

    hosts.answer("/held", answer)

    class Interrupted(threading.Thread):
        def start(self) -> None:
            if late:
                asked.wait(PATIENCE)
                raise KeyboardInterrupt
            late.append(self)
            super().start()

    monkeypatch.setattr(web, "Thread", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        reader.ask(turn(hosts.url("/held", A)), turn(hosts.url("/held", B)))

    hold.set()
    for thread in late:
        thread.join(PATIENCE)
    assert list(reader.state.glob("*-wal")) == []


def test_the_time_limit_does_not_run_while_a_feed_waits(reader: Reader, server: Server) -> None:
    start = server.script("/old", moved("/new"))
    server.script("/new", OK)
    reader.notes = Notes(gap=timedelta(seconds=patient(1.5)))

    fetched = reader.once(start, policy=FetchPolicy(timeout=timedelta(seconds=patient(1.4))))

    assert (fetched.error, fetched.body) == (None, BODY)
    assert fetched.response_time is not None
    assert timedelta(0) < fetched.response_time < timedelta(seconds=patient(1.4))


def test_the_time_limit_is_for_all_requests_of_a_feed(reader: Reader, server: Server) -> None:
    def slowly(request: Request) -> Response:
        threading.Event().wait(0.7)
        return moved("/2") if request.path == "/1" else OK

    start = server.answer("/1", slowly)
    server.answer("/2", slowly)

    fetched = reader.once(start, policy=FetchPolicy(timeout=timedelta(seconds=1)))

    assert kind(fetched) == "timeout"


def test_a_host_with_a_long_gap_does_not_keep_the_run(reader: Reader, server: Server) -> None:
    urls = [server.script(f"/{number}", OK) for number in range(3)]
    reader.notes = Notes(gap=timedelta(days=1))

    came = reader.ask(*map(turn, urls))

    assert list(came) == urls[:1]


@cases(
    "answer",
    case("that says nothing", Response(hold=threading.Event())),
    case("that drips", Response(body=BODY * 9, drip_body=0.1)),
)
def test_the_time_budget_ends_each_kind_of_exchange(
    reader: Reader, server: Server, answer: Response
) -> None:
    url = server.script("/feed", answer)
    again = server.script("/again", OK)

    with reader.web(budget=timedelta(seconds=patient(1.5))) as web:
        came = dict(web.fetch([turn(url)], reader.notes))
        # It is used up for all that the run still wants.
        later = dict(web.fetch([turn(again)], reader.notes))

    assert [kind(fetched) for fetched in came.values()] == ["out_of_time"]
    assert (later, server.paths) == ({}, ["/feed"])


def test_hosts_that_are_asked_at_once_are_as_many_as_there_are_workers(reader: Reader) -> None:
    hosts = [f"127.0.0.{number}" for number in range(1, 9)]
    busy: list[int] = []
    lock = threading.Lock()

    def answer(_: Request) -> Response:
        with lock:
            busy.append(len(reader.notes.started) - len(reader.notes.over))
        return OK

    with Server(*hosts) as server:
        server.answer("/feed", answer)
        reader.ask(*(turn(server.url("/feed", host)) for host in hosts), workers=3)

    assert max(busy) <= 3
    assert len(busy) == 8


# Pages for programs of operators


def test_a_page_is_read_where_redirects_lead(server: Server) -> None:
    start = server.script("/old", moved("/new"))
    server.script("/new", Response(body=b"<p>One"))

    page = web.read_page(start, user_agent="A", private=True)

    assert page == b"<p>One"
    assert [request.header("User-Agent") for request in server.requests] == ["A", "A"]


@cases(
    "url, expected",
    case("in a private network", "http://127.0.0.1:9/", "private_address"),
    case("of no web page", "mailto:a@a.example", "bad_address"),
)
def test_a_page_is_not_read_at_an_address(url: str, expected: str) -> None:
    with pytest.raises(FetchError) as caught:
        web.read_page(url, user_agent="A")

    assert caught.value.kind == expected
