"""Connections, where a whole visit cannot show what they do."""

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager, suppress
from datetime import timedelta

import pytest

from planet.errors import FetchError
from planet.http.connection import _peer, dial
from planet.http.guard import Guard
from planet.http.limits import Deadline, RequestSlots
from planet.http.request import FeedRequest
from planet.http.session import FeedSession
from planet.http.visit import Visit
from planet.model import Conditions, FetchPolicy
from planet.parse.sniff import FeedAnswers
from tests.cases import case, cases
from tests.http.conftest import BODY, NOW, Reader, kind, turn
from tests.patience import PATIENCE, patient
from tests.server import Response, Server

HANGS_UP = Response(raw=b"")
HINTS = b"HTTP/1.1 103 Early Hints\r\n\r\n"


def request_of(session: FeedSession, url: str, seconds: float = 10) -> FeedRequest:
    return FeedRequest(
        url,
        {},
        cache_name=url,
        conditions=Conditions.ALL,
        max_size=1000,
        deadline=Deadline(seconds),
        guard=Guard(url, url, session.is_public),
        take_slot=lambda: None,
        rules=FeedAnswers(),
        pages=True,
        asked_at=NOW,
    )


@pytest.mark.parametrize("connected", [False, True])
def test_nothing_is_sent_once_it_is_late(reader: Reader, server: Server, connected: bool) -> None:
    url = server.script("/feed", Response(body=BODY))
    with reader.web() as web:
        if connected:
            web.session.send(request_of(web.session, url))

        with pytest.raises(FetchError, match="in time"):
            web.session.send(request_of(web.session, url, seconds=0))

    assert len(server.requests) == connected


def test_a_visit_that_is_stopped_sends_nothing_more(reader: Reader, server: Server) -> None:
    url = server.script("/feed", Response(body=BODY))
    with reader.web() as web:
        visit = Visit(turn(url), 0, web, slots=RequestSlots())
        visit.stop()
        fetched = visit.advance()

    assert kind(fetched) == "out_of_time"
    assert server.requests == []


def test_what_is_stopped_waits_no_more_and_others_are_sent(reader: Reader, server: Server) -> None:
    held = threading.Event()
    url = server.script("/feed", Response(body=BODY, hold=held), Response(body=BODY))
    with reader.web() as web, ThreadPoolExecutor(1) as pool:
        visit = Visit(turn(url), 0, web, slots=RequestSlots())
        under_way = pool.submit(visit.advance)
        while not server.requests:
            time.sleep(0.01)
        visit.stop()
        web.session.adapter.stop()
        stopped = under_way.result(timeout=PATIENCE)
        again = Visit(turn(url), 0, web, slots=RequestSlots()).advance()

    assert kind(stopped) is not None
    assert again is not None
    assert again.body == BODY


@cases(
    "path, expected",
    case("without a path", "", "/"),
    case("with a query only", "?x=1", "/?x=1"),
    case("with many slashes", "//a//b", "//a//b"),
    case("with dots", "/a/../b/.", "/b/"),
    case("with escapes", "/%2f%c3%a9?q=%e9", "/%2F%C3%A9?q=%E9"),
    case("with bare signs", "/100%/%20?a%", "/100%25/%2520?a%25"),
    case("as is", "/~a;b=c,!$&'()*+:@?/?~", "/~a;b=c,!$&'()*+:@?/?~"),
    case("in other letters", "/\xe9?\u20ac", "/%C3%A9?%E2%82%AC"),
)
def test_an_address_is_asked_for_as_urllib3_spells_it(
    path: str, expected: str, reader: Reader, server: Server
) -> None:
    with reader.web() as web, suppress(FetchError):
        web.session.send(request_of(web.session, server.url("") + path))

    assert [request.path for request in server.requests] == [expected]


def found(*ports: int) -> list[tuple[int, int, int, str, tuple[str, int]]]:
    """Addresses as a name server would have them, all on loopback."""
    return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port)) for port in ports]


@contextmanager
def listening(backlog: int) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0), backlog=backlog) as listener:
        yield listener.getsockname()[1]


@contextmanager
def deaf() -> Iterator[int]:
    """The port of one who lets nobody connect, and says nothing."""
    with listening(0) as port, socket.create_connection(("127.0.0.1", port)):
        yield port


@contextmanager
def closed() -> Iterator[int]:
    """A port at which nobody listens."""
    with listening(1) as port:
        pass
    yield port


def test_the_first_address_that_answers_is_used() -> None:
    with closed() as refusing, deaf() as silent, listening(1) as right:
        connection = dial(found(refusing, silent, right), timeout=patient(6.0))
        where = connection.getpeername()
        connection.close()

    assert where == ("127.0.0.1", right)


def test_all_addresses_share_one_time_limit() -> None:
    # Each takes a thousandth of a second at least, so the time is over before the last one.
    with (
        deaf() as silent,
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(TimeoutError),
    ):
        dial(found(*[silent] * 2_000, server.getsockname()[1]), timeout=0.4)


def test_a_name_that_cannot_have_an_address_is_told_apart(reader: Reader) -> None:
    fetched = reader.once(f"http://{'a' * 64}.example/feed")

    assert kind(fetched) == "dns"


def test_a_server_that_does_not_let_us_connect_is_told_apart(reader: Reader) -> None:
    policy = FetchPolicy(timeout=timedelta(seconds=patient(1.0)))
    with deaf() as port:
        fetched = reader.once(f"http://127.0.0.1:{port}/feed", policy=policy)

    assert kind(fetched) == "connect_timeout"


def test_a_server_with_an_address_of_version_6_is_asked(reader: Reader) -> None:
    """And its connection is closed when nobody waits for it."""
    with (
        socket.create_server(("::1", 0), family=socket.AF_INET6) as listener,
        ThreadPoolExecutor(1) as pool,
    ):
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY)
        after = pool.submit(_answer_once, listener, head + BODY)
        fetched = reader.once(f"http://[::1]:{listener.getsockname()[1]}/feed")

        assert fetched.body == BODY
        assert after.result(timeout=PATIENCE) == b""


def test_an_answer_that_was_cut_within_its_head_is_no_answer(reader: Reader) -> None:
    with (
        reader.web() as web,
        socket.create_server(("127.0.0.1", 0)) as listener,
        ThreadPoolExecutor(1) as pool,
    ):
        pool.submit(_answer_once, listener, b"HTTP/1.1 200 OK\r\nETag: ")
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/feed"

        with pytest.raises(FetchError, match="in time"):
            web.session.send(request_of(web.session, url, seconds=0.3))


def _answer_once(listener: socket.socket, answer: bytes) -> bytes:
    """Send this in answer to the first request; what comes after that."""
    connection, _ = listener.accept()
    with connection:
        connection.recv(65_536)
        connection.sendall(answer)
        return connection.recv(65_536)


@cases(
    "second, asked, expected",
    case("and begins anew", [HANGS_UP, Response(body=BODY)], 2, None),
    case("and no third time", [HANGS_UP], 2, "truncated"),
    case("but not where the answer had begun", [Response(raw=b"H")], 1, "broken_answer"),
    case("nor where it was announced", [Response(raw=HINTS)], 1, "truncated"),
)
def test_a_request_is_sent_once_more_when_a_kept_connection_has_ended(
    reader: Reader, server: Server, second: list[Response], asked: int, expected: str | None
) -> None:
    urls = [server.script("/1", Response(body=BODY)), server.script("/2", *second)]

    came = reader.ask(*map(turn, urls), workers=1, budget=timedelta(hours=1))

    assert kind(came[urls[1]]) == expected
    assert server.paths == ["/1", *["/2"] * asked]
    assert [request.connection for request in server.requests] == [0, 0, 1][: 1 + asked]


def test_a_request_is_not_sent_anew_when_a_new_connection_has_ended(
    reader: Reader, server: Server
) -> None:
    fetched = reader.once(server.script("/feed", HANGS_UP, Response(body=BODY)))

    assert (kind(fetched), server.paths) == ("truncated", ["/feed"])


def test_a_connection_that_was_cut_at_once_counts_as_cut() -> None:
    with socket.socket() as unconnected, pytest.raises(ConnectionResetError):
        _peer(unconnected)


# Slots for large bodies


def test_whoever_finds_no_slot_waits_until_another_leaves() -> None:
    slots = RequestSlots(count=1)
    slots.leave("first")  # which had none, and so gives none back
    slots.take("first")
    slots.take("first")

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(slots.take, "second")
        with pytest.raises(FutureTimeoutError):
            waiting.result(timeout=0.1)
        slots.leave("first")

        assert waiting.result(timeout=PATIENCE) is None


def test_nobody_gets_a_slot_after_the_end_nor_who_waits_for_one() -> None:
    slots = RequestSlots(count=1)
    slots.take("first")

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(slots.take, "second")
        with pytest.raises(FutureTimeoutError):
            waiting.result(timeout=0.1)
        slots.close()

        with pytest.raises(FetchError, match="the run ended"):
            waiting.result(timeout=PATIENCE)
    with pytest.raises(FetchError, match="the run ended"):
        slots.take("third")
