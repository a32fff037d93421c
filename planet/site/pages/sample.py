"""Types of variables → values of them, for drawing every template once without a planet.

What they say means nothing, and one does not fit the other: they show which names there are.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from markupsafe import Markup

from planet.site.pages import views

if TYPE_CHECKING:
    from collections.abc import Iterator


T = TypeVar("T")
TEXT = "sample-text"
"""What stands for every text; no template can have it for a name."""
_DEEPEST = 6
_MIXED = 6
_NAMES: Mapping[str, Any] = {
    **{name: noun for name, noun in vars(views).items() if isinstance(noun, type)},
    **{name.removesuffix("View"): noun for name, noun in vars(views).items()},
    "Mapping": Mapping,
    "Markup": Markup,
}


class Sampler:
    """Makes values of types; the same ones for the same seed, in the same order."""

    def __init__(self, choose: Random | None, *, is_full: bool) -> None:
        """With `choose` it is left to chance what is there; else it is all, or nothing."""
        self._choose = choose
        self._is_full = is_full

    def make(self, kind: type[T]) -> T:
        """Return a noun with every field filled in."""
        noun: T = self._value(kind, 0)
        return noun

    def make_variables(self, types_by_name: Mapping[str, str]) -> dict[str, Any]:
        """Return a value for each variable, of the type that is written beside it."""
        holder = type("Variables", (), {"__annotations__": dict(types_by_name)})
        hints = get_type_hints(holder, localns=dict(_NAMES))
        return {name: self._value(kind, 0) for name, kind in hints.items()}

    def _is_there(self) -> bool:
        return self._choose.random() < 0.5 if self._choose else self._is_full

    def _value(self, kind: Any, depth: int) -> Any:
        origin, parts = get_origin(kind), get_args(kind)
        if origin in (Union, types.UnionType):
            is_left_out = depth > _DEEPEST or not self._is_there()
            if is_left_out and type(None) in parts:
                return None
            return self._value(next(part for part in parts if part is not type(None)), depth)
        if origin is tuple and parts[-1] is ...:
            count = 0 if depth > _DEEPEST or not self._is_there() else 2
            return tuple(self._value(parts[0], depth + 1) for _ in range(count))
        if origin is tuple:
            return tuple(self._value(part, depth + 1) for part in parts)
        if origin is Mapping:
            return {TEXT: self._value(parts[1], depth + 1)} if self._is_there() else {}
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            hints = get_type_hints(kind, localns=dict(_NAMES))
            return kind(**{name: self._value(hint, depth + 1) for name, hint in hints.items()})
        simple = {bool: self._is_there(), int: 2, float: 2.0, Markup: Markup("<p>sample</p>")}
        return simple.get(kind, TEXT)


def list_samplers() -> Iterator[Sampler]:
    """Yield samplers of which one leaves nothing out, one all that can be, and others a part."""
    yield Sampler(None, is_full=True)
    yield Sampler(None, is_full=False)
    for seed in range(_MIXED):
        yield Sampler(Random(seed), is_full=True)  # noqa: S311 - no secret is made of it
