"""Names and where they lead: http and https are one server, and an address has few connections.

Where names lead is scripted; the servers are on loopback.
"""

import socket
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from planet.http.crawl import ADDRESS_CONNECTIONS
from planet.http.guard import SocketAddress
from planet.http.visit import Visit
from planet.model import PollRequest
from tests.http.conftest import BODY, Notes, Reader, turn
from tests.patience import PATIENCE
from tests.server import Response, Server

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


def test_http_and_https_of_one_name_are_one_server(reader: Reader) -> None:
    urls = ["http://a.example/1", "https://a.example/2", "http://a.example:8080/3"]
    with reader.web() as web:
        hosts = [Visit(turn(url), web).host for url in urls]
        adapters = [web.session.get_adapter(url) for url in urls]

    assert hosts[0] == hosts[1] != hosts[2]
    assert adapters[0] is adapters[1] is not adapters[2]


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
        def note_request(self, turn: PollRequest) -> None:
            super().note_request(turn)
            if len(self.started) >= ADDRESS_CONNECTIONS:
                begun.set()

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
