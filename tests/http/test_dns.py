"""Names and where they lead: http and https are one server, and an address has few connections.

Where names lead is scripted; the servers are on loopback.
"""

import socket
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from planet import threads
from planet.http.crawl import AddressSeats
from planet.http.guard import LookUps, SocketAddress
from planet.http.limits import ADDRESS_CONNECTIONS, RequestSlots
from planet.http.visit import Visit
from planet.model import PollRequest
from tests.cases import case, cases
from tests.http.conftest import BODY, Notes, Reader, kind, turn
from tests.patience import PATIENCE
from tests.server import Response, Server
from tests.threads import allow

HERE, THERE = "127.0.0.1", "127.0.0.2"
OK = Response(body=BODY)
FOREVER = timedelta(hours=1)


class Names:
    """Leads names to addresses, and writes down which were looked up."""

    def __init__(self, server: Server, where: Mapping[str, str]) -> None:
        self.server, self.where = server, where
        self.asked: list[str] = []

    def __call__(self, host: str, port: int, *, type: int) -> Sequence[SocketAddress]:
        self.asked.append(host)
        if host not in self.where:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        ip = self.where[host]
        port = int(self.server.url("/", ip).rpartition(":")[2].rstrip("/"))
        return [(socket.AF_INET, type, 0, "", (ip, port))]


@cases(
    "urls, servers",
    case("one by http and https", ["http://a.example/1", "https://a.example/2"], 1),
    case("others at other ports", ["http://a.example/1", "http://a.example:8080/1"], 2),
    case("others under other names", ["http://a.example/1", "http://b.example/1"], 2),
)
def test_servers_at_one_address_are_asked_one_thing_at_a_time(
    reader: Reader, urls: list[str], servers: int
) -> None:
    with reader.web() as web:
        visits = [Visit(turn(url), 0, web, slots=RequestSlots()) for url in urls]

    assert len({visit.host for visit in visits}) == servers


def test_a_connection_by_http_is_closed_for_one_by_https(reader: Reader) -> None:
    with Server(HERE) as server:
        server.script("/feed", OK)
        reader.look_up = Names(server, {"a.example": HERE})
        with reader.web() as web:
            plain = Visit(turn("http://a.example/feed"), 0, web, slots=RequestSlots())
            plain.advance()
            (connection,) = web.session.adapter._connections.values()

            web.session.adapter.locate("https://a.example/feed", timeout=10)

            assert len(web.session.adapter._connections) == 1
            assert connection.sock is None


def test_at_most_four_connections_lead_to_one_address(reader: Reader) -> None:
    names = [f"{letter}.example" for letter in "abcdefgh"]
    urls = [f"http://{name}/feed" for name in names]
    last = "http://other.example/other"
    begun, held, asked_elsewhere = threading.Event(), threading.Event(), threading.Event()

    class LastOne(Names):
        """Knows the last name only after as many feeds were begun as may be."""

        def __call__(self, host: str, port: int, *, type: int) -> Sequence[SocketAddress]:
            if host == "other.example":
                begun.wait(PATIENCE)
            return super().__call__(host, port, type=type)

    class Watching(Notes):
        def starting(self, turns: Sequence[PollRequest]) -> Sequence[PollRequest]:
            answer = super().starting(turns)
            if len(self.started) >= ADDRESS_CONNECTIONS:
                begun.set()
            return answer

    reader.notes = notes = Watching()
    with Server(HERE, THERE) as server, ThreadPoolExecutor(1) as pool:
        reader.look_up = LastOne(server, dict.fromkeys(names, HERE) | {"other.example": THERE})
        server.script("/feed", Response(body=BODY, hold=held))

        def other(_: object) -> Response:
            asked_elsewhere.set()
            return OK

        server.answer("/other", other)
        run = pool.submit(reader.ask, *map(turn, [*urls, last]), budget=FOREVER)
        assert asked_elsewhere.wait(PATIENCE)
        begun_until_then = list(notes.started)
        held.set()
        came = run.result()

    assert len(begun_until_then) == ADDRESS_CONNECTIONS + 1
    assert {key: fetched.error for key, fetched in came.items()} == dict.fromkeys([*urls, last])


def test_names_at_one_address_with_many_feeds_all_have_their_turn(reader: Reader) -> None:
    names = [f"{letter}.example" for letter in "abcdefg"]
    urls = [f"http://{name}/{number}" for name in names for number in range(3)]
    reader.notes = Notes(gap=timedelta(milliseconds=1))
    with Server(HERE) as server:
        reader.look_up = Names(server, dict.fromkeys(names, HERE))
        for number in range(3):
            server.script(f"/{number}", OK)

        came = reader.ask(*map(turn, urls))

    assert [came[url].error for url in urls] == [None] * len(urls)


def test_a_name_is_looked_up_once_for_its_feeds(reader: Reader) -> None:
    with Server(HERE) as server:
        names = reader.look_up = Names(server, {"a.example": HERE})
        server.script("/feed", OK)
        server.script("/other", OK)

        came = reader.ask(*map(turn, ["http://a.example/feed", "http://a.example/other"]))

    assert [fetched.error for fetched in came.values()] == [None, None]
    assert names.asked == ["a.example"]


def test_a_name_that_leads_nowhere_is_looked_up_once(reader: Reader, server: Server) -> None:
    names = reader.look_up = Names(server, {})

    fetched = reader.once("http://a.example/feed")

    assert (kind(fetched), names.asked) == ("dns", ["a.example"])


def test_a_name_is_looked_up_where_the_system_allows_no_more_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    allow(0, threads, monkeypatch)
    found = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (HERE, 80))]
    look_ups = LookUps()
    look_ups.look_up = lambda *_, **__: found

    assert look_ups.find("a.example", 80, timeout=10) == found


def make_seats(count: int) -> AddressSeats:
    seats = AddressSeats()
    for number in range(count):
        seats.locate(f"{number}.example", HERE)
    return seats


def test_an_address_has_four_seats_and_an_idle_one_may_be_given_up() -> None:
    seats = make_seats(6)
    servers = [f"{number}.example" for number in range(6)]

    taken = [seats.take(server) for server in servers[:5]]
    again = seats.take("0.example")
    idle = seats.idle("4.example", busy={"0.example", "2.example"})
    nobody = seats.idle("4.example", busy=servers)
    seats.leave("1.example")

    assert (taken, again, idle, nobody) == ([True] * 4 + [False], True, "1.example", None)
    assert (seats.take("4.example"), seats.take("5.example")) == (True, False)


def test_a_server_without_an_address_takes_no_seat() -> None:
    seats = AddressSeats()
    servers = [f"{number}.example" for number in range(9)]
    for server in servers:
        seats.locate(server, None)

    assert [seats.take(server) for server in servers] == [True] * 9
