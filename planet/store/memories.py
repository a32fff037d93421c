"""What is remembered ⇄ JSON. Pure; a field with its default is not written at all."""

from __future__ import annotations

import json
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from planet.model import Day, Health, HostMemory, Memory
from planet.store import codec
from planet.store.faults import from_row

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from planet.veil import Veil

_COLUMNS = frozenset({"key", "url", "attempted_at"})
"""The fields of a Memory that have a column of their own."""


def memory_text(memory: Memory) -> str:
    """A memory as JSON, without what has a column of its own."""
    said: dict[str, Any] = codec.plain(memory, leave_out=_COLUMNS)
    if memory.posts:
        said["posts"] = codec.plain(_steps(memory.posts))
    if memory.health.days:
        said["health"]["days"] = [
            [day.number, day.asked, day.failed, day.received] for day in memory.health.days
        ]
    return codec.text(said)


@from_row
def memory_from(key: str, url: str, said: str, attempted_at: int | None, veil: Veil) -> Memory:
    """The memory that `memory_text` wrote, from a row in which its address and text are hidden."""
    found = codec.known(Memory, json.loads(veil.show(said)), posts=_moments, health=_health)
    return Memory(key=key, url=veil.show(url), attempted_at=codec.moment(attempted_at), **found)


def host_text(memory: HostMemory) -> str:
    """What is known of a host, as JSON, without its name."""
    return codec.text(codec.plain(memory, leave_out=frozenset({"host"})))


@from_row
def host_from(host: str, said: str, veil: Veil) -> HostMemory:
    """What `host_text` wrote, from a row that is hidden."""
    found = codec.known(HostMemory, json.loads(veil.show(said)))
    return HostMemory(host=veil.show(host), **found)


def _steps(moments: Sequence[datetime]) -> list[object]:
    """Moments as the first of them, and from each the time to the next: that is shorter."""
    return [moments[0], *(after - before for before, after in pairwise(moments))]


def _moments(said: list[Any]) -> tuple[datetime, ...]:
    first: Any = codec.moment(said[0])
    return tuple(accumulate(map(codec.span, said[1:]), initial=first))


def _days(said: list[list[int]]) -> tuple[Day, ...]:
    return tuple(
        Day(number=number, asked=asked, failed=failed, received=received)
        for number, asked, failed, received in (
            map(partial(codec.exactly, int), day) for day in said
        )
    )


def _health(said: dict[str, Any]) -> Health:
    return Health(**codec.known(Health, said, days=_days))
