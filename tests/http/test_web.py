"""Hosts: one request at a time, with a gap, whoever it is for and whatever led there."""

import threading
import time
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

from planet.http.limits import RequestSlots
from planet.http.visit import Visit
from planet.model import Fetched, FetchPolicy
from planet.text import address
from tests.cases import case, cases
from tests.http.conftest import BODY, Notes, Reader, kind, turn
from tests.patience import PATIENCE, patient
from tests.server import Request, Response, Server, moved

A, B = "127.0.0.1", "127.0.0.2"
OK = Response(body=BODY)
SOON = timedelta(milliseconds=100)
FOREVER = timedelta(hours=1)


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


def test_attempts_that_are_made_at_once_are_noted_at_once(reader: Reader, hosts: Server) -> None:
    hosts.script("/feed", OK, OK)

    reader.ask(*(turn(hosts.url("/feed", host)) for host in (A, B)))

    assert reader.notes.waves == [2]


def test_a_redirect_waits_for_the_gap_where_it_comes_from(reader: Reader, server: Server) -> None:
    times = Times(server)
    start = times.script("/old", moved("/new"))
    times.script("/new", OK)
    reader.notes = Notes(gap=2 * SOON)

    fetched = reader.once(start)

    assert fetched.body == BODY
    assert min(times.gaps()) >= 0.2


def test_a_redirect_waits_for_the_gap_where_it_leads(reader: Reader, hosts: Server) -> None:
    times = Times(hosts)
    start = times.script("/old", moved(hosts.url("/new", B)))
    first = hosts.url("/first", B)
    times.script("/first", OK)
    times.script("/new", OK)
    reader.notes.gaps = {address.host(first): 3 * SOON}

    reader.ask(turn(first), turn(start), workers=1, budget=FOREVER)

    assert times.paths == ["/first", "/old", "/new"]
    assert times.asked[2][2] - times.asked[0][2] >= 0.3


def test_a_redirect_goes_before_feeds_of_its_target(reader: Reader, hosts: Server) -> None:
    """And it goes over their connection, while no other request is under way there."""
    times = Times(hosts)
    start = times.script("/old", moved(hosts.url("/new", B)))
    there = [hosts.url(path, B) for path in ("/first", "/second", "/third")]
    for path in ("/first", "/new", "/second", "/third"):
        times.script(path, OK)
    reader.notes.gaps = {address.host(there[0]): SOON}

    reader.ask(*map(turn, [there[0], start, *there[1:]]), workers=1, budget=FOREVER)

    assert times.paths == ["/first", "/old", "/new", "/second", "/third"]
    at_b = [request.connection for request in hosts.requests if request.host == B]
    assert len(set(at_b)) == 1


def test_a_redirect_holds_no_worker_while_it_waits(reader: Reader, hosts: Server) -> None:
    times = Times(hosts)
    start = times.script("/old", moved("/new"))
    times.script("/new", OK)
    times.script("/1", OK)
    other = hosts.url("/1", B)
    reader.notes.gaps = {address.host(start): timedelta(milliseconds=500)}

    reader.ask(turn(start), turn(other), workers=1, budget=FOREVER)

    assert times.paths[:2] == ["/old", "/1"]


def test_the_time_limit_does_not_run_while_a_feed_waits(reader: Reader, server: Server) -> None:
    start = server.script("/old", moved("/new"))
    server.script("/new", OK)
    reader.notes = Notes(gap=timedelta(seconds=patient(4.0)))

    fetched = reader.once(start, policy=FetchPolicy(timeout=timedelta(seconds=patient(3.9))))

    assert (fetched.error, fetched.body) == (None, BODY)
    assert fetched.response_time is not None
    assert timedelta(0) < fetched.response_time < timedelta(seconds=patient(3.9))


def test_the_time_limit_is_for_all_requests_of_a_feed(reader: Reader, server: Server) -> None:
    def slowly(request: Request) -> Response:
        threading.Event().wait(0.7)
        return moved("/2") if request.path == "/1" else OK

    start = server.answer("/1", slowly)
    server.answer("/2", slowly)

    fetched = reader.once(start, policy=FetchPolicy(timeout=timedelta(seconds=1)))

    assert kind(fetched) == "timeout"


def test_a_redirect_that_took_all_the_time_is_the_last(reader: Reader, server: Server) -> None:
    start = server.script("/1", replace(moved("/2"), drip_head=0.02))
    server.script("/2", OK)
    policy = FetchPolicy(timeout=timedelta(seconds=0.5))
    with reader.web() as web:
        fetched = Visit(turn(start, policy=policy), 0, web, slots=RequestSlots()).advance()

    assert fetched is not None
    assert (kind(fetched), fetched.url) == ("timeout", start)
    assert server.paths == ["/1"]


def test_a_redirect_that_asks_us_to_wait_lets_others_pass(reader: Reader, server: Server) -> None:
    times = Times(server)
    start = times.script("/old", moved("/new", 302, ("Retry-After", "1")))
    other = times.script("/other", OK)
    times.script("/new", OK)

    came = reader.ask(turn(start), turn(other))

    assert (times.paths, came[start].body) == (["/old", "/other", "/new"], BODY)
    assert times.asked[2][2] - times.asked[0][2] >= 1


def test_a_redirect_that_asks_for_a_long_wait_is_the_last(reader: Reader, server: Server) -> None:
    start = server.script("/old", moved("/new", 302, ("Retry-After", "11")))
    new = server.script("/new", OK)

    fetched = reader.once(start)
    asked = server.paths
    later = reader.once(start, redirect=fetched.redirect)

    assert (kind(fetched), fetched.status, fetched.url) == ("retry_later", 302, start)
    assert fetched.headers["retry-after"] == "11"
    assert asked == ["/old"]
    assert server.paths == ["/old", "/new"]
    assert (later.url, later.body, later.permanent_url, later.redirect) == (new, BODY, None, None)


def test_a_feed_that_skips_the_hour_is_passed_by_then(reader: Reader, server: Server) -> None:
    server.feed("/one", b"<rss/>")
    server.feed("/two", b"<rss/>")
    one, two = (turn(server.url(path)) for path in ("/one", "/two"))
    reader.notes.skips = {one.feed.key}

    came = reader.ask(one, two)

    assert list(came) == [two.feed.key]
    assert reader.notes.started == [two.feed.key]
    assert server.paths == ["/two"]


def test_a_redirect_to_a_host_that_rests_is_the_last(reader: Reader, hosts: Server) -> None:
    there = hosts.url("/new", B)
    start = hosts.script("/old", moved(there))
    reader.notes.rests = {address.host(there)}

    fetched = reader.once(start)

    assert (kind(fetched), fetched.status, fetched.url) == ("host_cooldown", 302, start)
    assert reader.notes.over == [start]
    assert [request.host for request in hosts.requests] == [A]


class Tired(Notes):
    """Lets a host rest once it has answered."""

    def ended(self, turn: object, fetched: Fetched) -> None:
        self.rests.add(address.host(fetched.url))


def test_no_connection_is_kept_to_a_host_that_rests(reader: Reader, server: Server) -> None:
    urls = [server.script(f"/{number}", OK) for number in range(2)]
    reader.notes = Tired()

    with reader.web() as web:
        list(web.fetch(map(turn, urls), reader.notes))
        connections = [each for each in threading.enumerate() if each.name.startswith("connection")]
        for connection in connections:
            connection.join(timeout=PATIENCE)

        assert not any(connection.is_alive() for connection in connections)


def test_a_feed_has_ended_before_it_is_handed_out(reader: Reader, server: Server) -> None:
    url = server.script("/feed", OK)

    with reader.web() as web:
        for _ in web.fetch([turn(url)], reader.notes):
            over = list(reader.notes.over)

    assert over == [url]


def test_the_gap_holds_from_one_round_of_a_run_to_the_next(reader: Reader, server: Server) -> None:
    times = Times(server)
    urls = [times.script(f"/{number}", OK) for number in range(2)]

    with reader.web() as web:
        for url in urls:
            list(web.fetch([turn(url)], Notes(gap=2 * SOON)))

    assert min(times.gaps()) >= 0.2


def test_a_host_with_a_long_gap_does_not_keep_the_run(reader: Reader, server: Server) -> None:
    urls = [server.script(f"/{number}", OK) for number in range(3)]
    reader.notes = Notes(gap=timedelta(days=1))

    came = reader.ask(*map(turn, urls))

    assert list(came) == urls[:1]


def test_a_redirect_that_waits_for_too_long_is_left(reader: Reader, server: Server) -> None:
    start = server.script("/old", moved("/new"))
    server.script("/new", OK)
    other = server.script("/other", OK)
    reader.notes = Notes(gap=timedelta(hours=1))

    came = reader.ask(turn(start), turn(other), budget=timedelta(seconds=patient(4.0)))

    assert {url: kind(fetched) for url, fetched in came.items()} == {start: "out_of_time"}
    assert server.paths == ["/old"]


@cases(
    "answer",
    case("that says nothing", Response(hold=threading.Event())),
    case("that drips", Response(body=BODY * 9, drip_body=0.1)),
    case("that redirects, and asks to wait", moved("/again", 302, ("Retry-After", "9"))),
)
def test_the_time_budget_ends_each_kind_of_exchange(
    reader: Reader, server: Server, answer: Response
) -> None:
    url = server.script("/feed", answer)
    again = server.script("/again", OK)

    with reader.web(budget=timedelta(seconds=patient(4.0))) as web:
        came = dict(web.fetch([turn(url)], reader.notes))
        # It is used up for all that the run still wants.
        later = dict(web.fetch([turn(again)], reader.notes))

    assert [kind(fetched) for fetched in came.values()] == ["out_of_time"]
    assert (later, server.paths) == ({}, ["/feed"])


def test_a_slow_server_makes_room_for_another(reader: Reader, hosts: Server) -> None:
    # The first answers when the second was asked: with one worker, only if it is not waited for.
    meeting = threading.Barrier(2, timeout=PATIENCE)
    hosts.script("/feed", Response(body=BODY, hold=meeting))
    urls = [hosts.url("/feed", host) for host in (A, B)]

    came = reader.ask(*map(turn, urls), workers=1)

    assert [fetched.body for fetched in came.values()] == [BODY, BODY]


def test_what_is_not_taken_does_not_pile_up(reader: Reader) -> None:
    hosts = [f"127.0.0.{number}" for number in range(1, 9)]
    with Server(*hosts) as server:
        server.script("/feed", OK)
        turns = [turn(server.url("/feed", host)) for host in hosts]

        with reader.web(workers=1) as web:
            coming = web.fetch(turns, reader.notes)
            ahead = []
            for number, _ in enumerate(coming):
                ahead.append(len(reader.notes.over) - number)

    assert max(ahead) <= 3
    assert len(ahead) == 8


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
