"""The servers of a scenario, and every request that they see."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from tests.conformance.bodies import Scene
from tests.conformance.notation import Scenario
from tests.server import Request, Response, Server


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A request as its server saw it."""

    at: timedelta
    """Since the scenario began, by the server's clock."""
    run: int
    """Which run it came from, counted from 0."""
    forced: bool
    address: str
    """Written short, as in the scenario."""
    request: Request
    response: Response | None
    """What it was told; None at an address that nobody gave away."""
    moment: float
    """Seconds that really passed, from wherever they are counted."""

    @property
    def validators(self) -> tuple[str | None, str | None]:
        return self.request.header("If-None-Match"), self.request.header("If-Modified-Since")


@contextmanager
def publishing(scenario: Scenario) -> Iterator[Publishers]:
    """The servers of a scenario, on loopback."""
    letters = {_split(address)[0] for address in (*scenario.scripts, *scenario.expected)}
    hosts = {letter: f"127.0.0.{1 + ord(letter) - ord('a')}" for letter in sorted(letters)}
    with Server(*hosts.values()) as server:
        yield Publishers(scenario, server, hosts)


class Publishers:
    """The servers of a scenario, and what they see."""

    def __init__(self, scenario: Scenario, server: Server, hosts: Mapping[str, str]) -> None:
        self.seen: list[Seen] = []
        self._server = server
        self._hosts = hosts
        self._letters = {host: letter for letter, host in hosts.items()}
        self._start = scenario.start
        self._at, self._forced, self._run = timedelta(0), False, -1
        self._left = {address: list(script) for address, script in scenario.scripts.items()}
        for path in {_split(address)[1] for address in scenario.scripts}:
            server.answer(path, self._answer)

    def expect(self, at: timedelta, *, forced: bool) -> None:
        """Another run begins."""
        self._at, self._forced = at, forced
        self._run += 1

    def url(self, address: str) -> str:
        """The whole address behind a short one."""
        letter, path = _split(address)
        return self._server.url(path, self._hosts[letter])

    def host(self, letter: str) -> str:
        """The IP address of a host."""
        return self._hosts[letter]

    def _answer(self, request: Request) -> Response:
        letter = self._letters[request.host]
        address = request.path if letter == "a" else f"{letter}:{request.path}"
        response = self._told(address, request)
        self.seen.append(
            Seen(
                at=self._at,
                run=self._run,
                forced=self._forced,
                address=address,
                request=request,
                response=response,
                moment=time.monotonic(),
            )
        )
        return response or Response(status=404)

    def _told(self, address: str, request: Request) -> Response | None:
        script = self._left.get(address)
        if script is None:
            return None
        answer = script.pop(0) if len(script) > 1 else script[0]
        if answer.interrupts:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return answer.to(request, Scene(self._start + self._at, self.url))


def _split(address: str) -> tuple[str, str]:
    """The letter of the host, and the path."""
    letter, colon, path = address.partition(":/")
    return (letter, f"/{path}") if colon and len(letter) == 1 else ("a", address)
