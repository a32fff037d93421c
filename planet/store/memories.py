"""What is remembered ⇄ JSON. Pure; a field with its default is not written at all."""

from __future__ import annotations

import json
from dataclasses import fields
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from planet.model import (
    Day,
    DueReason,
    GivenUp,
    Health,
    Hints,
    HostMemory,
    Lifetime,
    Memory,
    Moved,
    PendingRedirect,
    Profile,
    Resolved,
    Signature,
)
from planet.store import codec
from planet.store.faults import from_row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
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
    found = _known(Memory, json.loads(veil.show(said)))
    return Memory(key=key, url=veil.show(url), attempted_at=codec.moment(attempted_at), **found)


def host_text(memory: HostMemory) -> str:
    """What is known of a host, as JSON, without its name."""
    return codec.text(codec.plain(memory, leave_out=frozenset({"host"})))


@from_row
def host_from(host: str, said: str, veil: Veil) -> HostMemory:
    """What `host_text` wrote, from a row that is hidden."""
    return HostMemory(host=veil.show(host), **_known(HostMemory, json.loads(veil.show(said))))


def _known(kind: Any, said: dict[str, Any]) -> dict[str, Any]:
    """The fields of a noun, each as the noun has it.

    What it has no field for is left out: an older Planet knew of it, and wrote it.
    """
    return {name: make(said[name]) for name, make in _makers(kind).items() if name in said}


@cache
def _makers(kind: Any) -> dict[str, Callable[[Any], Any]]:
    """What makes the fields of a noun from JSON, by the types it gives them."""
    types = {field.name: str(field.type).removesuffix(" | None") for field in fields(kind)}
    return {name: _MAKERS.get(said, _as_it_is) for name, said in types.items()}


def _noun(kind: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda said: kind(**_known(kind, said))


def _as_it_is(said: Any) -> Any:
    return said


def _steps(moments: Sequence[datetime]) -> list[object]:
    """Moments as the first of them, and from each the time to the next: that is shorter."""
    return [moments[0], *(after - before for before, after in pairwise(moments))]


def _moments(said: list[Any]) -> tuple[datetime, ...]:
    first: Any = codec.moment(said[0])
    return tuple(accumulate(map(codec.span, said[1:]), initial=first))


def _days(said: list[list[int]]) -> tuple[Day, ...]:
    return tuple(
        Day(number=number, asked=asked, failed=failed, received=received)
        for number, asked, failed, received in said
    )


_MAKERS: dict[str, Callable[[Any], Any]] = {
    "datetime": codec.moment,
    "timedelta": codec.span,
    "frozenset[int]": frozenset,
    "frozenset[str]": frozenset,
    "tuple[str, ...]": tuple,
    "tuple[datetime, ...]": _moments,
    "tuple[Day, ...]": _days,
    "DueReason": DueReason,
    "GivenUp": GivenUp,
    "Health": _noun(Health),
    "Hints": _noun(Hints),
    "Lifetime": _noun(Lifetime),
    "Moved": _noun(Moved),
    "PendingRedirect": _noun(PendingRedirect),
    "Profile": _noun(Profile),
    "Resolved": _noun(Resolved),
    "Signature": Signature,
}
"""By the type of a field, None aside; others are in JSON what they are."""
