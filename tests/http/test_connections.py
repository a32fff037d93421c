"""Connections, where a whole visit cannot show what they do."""

from __future__ import annotations

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from planet.errors import FetchError
from planet.http.connections import _peer, dial
from planet.http.exchange import (
    Deadline,
    Exchange,
    FeedRequest,
    Guard,
    Place,
    RequestSlots,
    Watchdog,
)
from planet.model import Conditions, FetchPolicy
from tests.http.conftest import BODY, NOW, Reader
from tests.server import Response, Server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.http.session import FeedSession


def exchange_of(session: FeedSession, url: str, seconds: float = 10) -> Exchange:
    return Exchange(
        url=url,
        kept_as=url,
        conditions=Conditions.ALL,
        max_size=1000,
        deadline=Deadline(seconds),
        guard=Guard(url, url, session.is_public),
        place=Place(RequestSlots()),
        pages=True,
        asked_at=NOW,
        ended_at=NOW,
    )


def test_nothing_is_sent_when_it_is_too_late(reader: Reader, server: Server) -> None:
    url = server.script("/feed", Response())
    with reader.web() as web:
        exchange = exchange_of(web._session, url)
        exchange.deadline.shoot()

        with pytest.raises(FetchError, match="in time"):
            web._session.send(FeedRequest(url, {}, exchange), stream=True, timeout=(5, 5))

    assert server.requests == []


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
        connection = dial(found(refusing, silent, right), timeout=1.5)
        where = connection.getpeername()
        connection.close()

    assert where == ("127.0.0.1", right)


def test_all_addresses_share_one_time_limit() -> None:
    began = time.monotonic()

    with deaf() as silent, pytest.raises(TimeoutError):
        dial(found(*[silent] * 100), timeout=0.4)

    assert time.monotonic() - began < 30


def test_a_name_that_cannot_have_an_address_is_told_apart(reader: Reader) -> None:
    fetched = reader.once(f"http://{'a' * 64}.example/feed")

    assert fetched.error is not None
    assert fetched.error.kind == "dns"


def test_a_server_that_does_not_let_us_connect_is_told_apart(reader: Reader) -> None:
    asking = FetchPolicy(timeout=timedelta(seconds=0.4))
    with deaf() as port:
        fetched = reader.once(f"http://127.0.0.1:{port}/feed", asking=asking)

    assert fetched.error is not None
    assert fetched.error.kind == "connect_timeout"


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
        assert after.result(timeout=10) == b""


def test_an_answer_that_was_cut_within_its_head_is_no_answer(reader: Reader) -> None:
    with (
        reader.web() as web,
        Watchdog(every=0.05) as watchdog,
        socket.create_server(("127.0.0.1", 0)) as listener,
        ThreadPoolExecutor(1) as pool,
    ):
        pool.submit(_answer_once, listener, b"HTTP/1.1 200 OK\r\nETag: ")
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/feed"
        exchange = exchange_of(web._session, url, seconds=0.3)
        watchdog.watch(exchange.deadline)

        with pytest.raises(FetchError, match="in time"):
            web._session.send(FeedRequest(url, {}, exchange), stream=True, timeout=(5, 5))


def _answer_once(listener: socket.socket, answer: bytes) -> bytes:
    """Send this in answer to the first request; what comes after that."""
    connection, _ = listener.accept()
    with connection:
        connection.recv(65_536)
        connection.sendall(answer)
        return connection.recv(65_536)


def test_an_exchange_that_begins_after_the_end_is_cut() -> None:
    late = Deadline(10)
    with Watchdog() as watchdog:
        pass

    watchdog.watch(late)

    assert late.passed


def test_a_connection_that_was_cut_at_once_counts_as_cut() -> None:
    with socket.socket() as unconnected, pytest.raises(ConnectionResetError):
        _peer(unconnected)
