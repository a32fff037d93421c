"""Who waits for which host, and whose turn it is. Pure: the caller says what time it is."""

from __future__ import annotations

import heapq
import random
from collections import deque
from dataclasses import dataclass, field
from itertools import count
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Waiting(Protocol):
    """Somebody who waits for a host, once or several times."""

    number: int
    """Their place in the order in which the caller would have them come."""
    host: str
    """Whom they wait for."""
    not_before: float
    """When they may go on at the earliest."""


W = TypeVar("W", bound=Waiting)


@dataclass(slots=True, eq=False)
class _Host(Generic[W]):
    free_at: float
    until: float
    """Nobody new is served after this."""
    begun: deque[W] = field(default_factory=deque)
    """Those who have begun elsewhere, or here, and go on."""
    new: deque[W] = field(default_factory=deque)
    busy: bool = False
    ticket: int = -1
    """Of the host's place in a line; those it was given before are void."""


class Queues(Generic[W]):
    """A queue for each host, which serves one at a time, and not before it is free again.

    Seconds are those of one clock that never goes back.
    """

    def __init__(
        self,
        everybody: Iterable[W],
        *,
        now: float,
        until: float | None = None,
        free_at: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        """Everybody in the order of their numbers; nobody new is served after `until`.

        `free_at` has the hosts that are perhaps not free yet.

        With such an end the host comes first whose next one has the lowest number. Without one all
        get their turn, so the host for which most are waiting comes first: its queue decides how
        long it takes. Where as many wait it is chance, so that no host is always asked in the
        second a run begins.
        """
        self._free_at = free_at
        self._in_order = until is not None
        self._until = inf if until is None else until
        self._hosts: dict[str, _Host[W]] = {}
        self._count = 0
        self._tickets = count()
        self._ready: list[tuple[float, float, int, _Host[W]]] = []
        """Hosts that may be asked, the most urgent first."""
        self._asleep: list[tuple[float, int, _Host[W], W | None]] = []
        """Hosts that are not free yet; and those who may not go on yet, each with the host."""
        for one in everybody:
            self._host(one.host, now).new.append(one)
            self._count += 1
        for host in self._hosts.values():
            self._line_up(host, now)

    def __bool__(self) -> bool:
        """Whether anybody waits."""
        return self._count > 0

    def waits_for(self, name: str) -> bool:
        """Whether anybody waits for this host, and would go on if it were free."""
        host = self._hosts[name]
        return bool(host.begun or host.new)

    def wait(self, now: float) -> float:
        """Seconds until `take` may find somebody; infinite when nobody waits for a time."""
        if self._ready:
            return 0.0
        return max(0.0, self._asleep[0][0] - now) if self._asleep else inf

    def take(self, now: float) -> W | None:
        """The next one; the host is busy from now on. None when nobody's turn has come."""
        self._wake(now)
        while self._ready:
            *_, ticket, host = heapq.heappop(self._ready)
            if ticket != host.ticket:
                continue
            if not host.begun and now > host.until:
                self._send_away(host)
                continue
            host.busy = True
            self._count -= 1
            return (host.begun or host.new).popleft()
        return None

    def free(self, name: str, *, now: float, at: float | None = None, until: float = inf) -> None:
        """A host has served one. It may serve the next `at` a time, else as if it had not.

        Nobody new is served after `until`; who cannot be is sent away at once.
        """
        host = self._hosts[name]
        host.busy = False
        host.until = min(self._until, until)
        if at is not None:
            host.free_at = at
        if host.free_at > host.until:
            self._send_away(host)
        self._line_up(host, now)

    def go_on(self, one: W, *, now: float) -> None:
        """One who was served goes on, at the same host or another, before all who are new there."""
        host = self._host(one.host, now)
        self._count += 1
        if one.not_before > now:
            heapq.heappush(self._asleep, (one.not_before, next(self._tickets), host, one))
        else:
            self._admit(host, one, now)

    def dismiss(self) -> list[W]:
        """Everybody who waits, and does so no longer."""
        gone = [one for *_, one in self._asleep if one is not None]
        for host in self._hosts.values():
            gone += [*host.begun, *host.new]
            host.begun.clear()
            host.new.clear()
        self._asleep.clear()
        self._ready.clear()
        self._count = 0
        return gone

    def _host(self, name: str, now: float) -> _Host[W]:
        if name not in self._hosts:
            free_at = self._free_at.get(name, now)
            self._hosts[name] = _Host(free_at=free_at, until=self._until)
        return self._hosts[name]

    def _wake(self, now: float) -> None:
        """Line up the hosts, and let in those, whose time has come."""
        while self._asleep and self._asleep[0][0] <= now:
            _, ticket, host, one = heapq.heappop(self._asleep)
            if one is not None:
                self._admit(host, one, now)
            elif ticket == host.ticket:
                self._line_up(host, now)

    def _admit(self, host: _Host[W], one: W, now: float) -> None:
        host.begun.append(one)
        self._line_up(host, now)

    def _line_up(self, host: _Host[W], now: float) -> None:
        """Give a host its place in a line, if anybody waits for it."""
        queue = host.begun or host.new
        if host.busy or not queue:
            return
        host.ticket = next(self._tickets)
        if host.free_at > now:
            heapq.heappush(self._asleep, (host.free_at, host.ticket, host, None))
            return
        urgency = queue[0].number if self._in_order else -len(host.begun) - len(host.new)
        chance = random.random()  # noqa: S311 - no secret
        heapq.heappush(self._ready, (urgency, chance, host.ticket, host))

    def _send_away(self, host: _Host[W]) -> None:
        self._count -= len(host.new)
        host.new.clear()
