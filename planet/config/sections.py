"""Plain data → the frozen dataclass it describes, and every value that does not fit.

A section of the file is a dataclass, and its fields are its settings. `Annotated` says what the
type does not: which kind of value the file may have (a `Kind`, or its name in `KINDS`).

    tuple[T, ...]    one T, or a list of them
    Sequence[T]      a list of T
    Mapping[str, T]  names of the operator's own, each with a T
    str | Section    a text, or a mapping in its place
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache, cached_property
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from planet.config.kinds import KINDS, MAPPING, Kind
from planet.errors import suggestion

if TYPE_CHECKING:
    from planet.config.yaml import KeyPath


class Mistake(NamedTuple):
    """A value that does not fit its setting."""

    location: KeyPath
    """Where it is; some steps may not be in the file, such as a setting that is missing."""
    fault: Literal["value", "name", "unknown", "missing"]
    """With "name" the fault is in the name it has, not in the value."""
    words: str = ""
    """What is wrong, after the name of the setting; ", not {value}" stands for the value."""


class Setting(NamedTuple):
    """A field of a section."""

    name: str
    type: Any
    default: Any
    """None also where there is none but a section with its own defaults."""
    is_required: bool
    shape: Shape


@cache
def settings(section: type) -> Mapping[str, Setting]:
    """The settings of a section by their names."""
    types = get_type_hints(section, include_extras=True)
    return {
        field.name: Setting(
            field.name,
            types[field.name],
            None if field.default is MISSING else field.default,
            field.default is MISSING and field.default_factory is MISSING,
            shape(types[field.name]),
        )
        for field in fields(section)
        if field.metadata.get("is_setting", True)
    }


def settings_at(section: type, location: KeyPath) -> Mapping[str, Setting]:
    """The settings that may stand at a place below a section."""
    here, is_own = settings(section), False
    for name in location:
        if is_own or name not in here:
            is_own = False
            continue
        wanted = here[str(name)].shape
        # The next name is one of the operator's own.
        is_own = wanted.origin is Mapping
        while wanted.origin in (tuple, Sequence, Mapping):
            wanted = wanted.item
        inner = wanted.type if wanted.is_section else wanted.in_place_of_text
        here = settings(inner) if inner else {}
    return {} if is_own else here


@dataclass(frozen=True)
class Shape:
    """A type that was looked into."""

    type: Any
    """Without `Annotated`, and without None."""
    origin: Any
    """What it is a form of, such as tuple; None for a plain type."""
    inner: tuple[Any, ...]
    kind: Kind | None

    @cached_property
    def item(self) -> Shape:
        """What a list or a mapping has."""
        return shape(self.inner[self.origin is Mapping], self.kind)

    @cached_property
    def is_section(self) -> bool:
        """Whether it is a section, and not one value."""
        return self.kind is None and is_dataclass(self.type)

    @cached_property
    def in_place_of_text(self) -> Any:
        """The section that may stand in the place of a text, if any."""
        inner = self.inner if self.origin is Union else ()
        return next(filter(is_dataclass, inner), self.kind.section if self.kind else None)

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """The words of which a value is one."""
        if self.kind is None and isinstance(self.type, type) and issubclass(self.type, Enum):
            return tuple(word.value for word in self.type)
        return self.inner if self.origin is Literal else ()


@cache
def shape(type_: Any, kind: Kind | None = None) -> Shape:
    """What a type consists of; what it says of no kind has `kind`."""
    if get_origin(type_) is Annotated:
        inner, note = get_args(type_)
        return shape(inner, note if isinstance(note, Kind) else KINDS[note])
    if get_origin(type_) in (Union, UnionType):
        some = tuple(inner for inner in get_args(type_) if inner is not type(None))
        return shape(some[0], kind) if len(some) == 1 else Shape(type_, Union, some, kind)
    return Shape(type_, get_origin(type_), get_args(type_), kind)


def kind(wanted: Shape) -> Kind:
    """The kind of a single value; of a union, of what stands there as a text."""
    if wanted.kind is not None:
        return wanted.kind
    plain = wanted.inner[0] if wanted.origin is Union else wanted.type
    return shape(plain).kind or KINDS[{bool: "flag", int: "whole number", str: "text"}[plain]]


_WRONG: Final = object()


def fitted(type_: Any, written: Any, location: KeyPath, mistakes: list[Mistake]) -> Any:
    """What is meant, without what does not fit, which is added to `mistakes`.

    None when it lacks what it cannot be without.
    """
    made = _fitted(shape(type_), written, location, mistakes)
    return None if made is _WRONG else made


def _fitted(wanted: Shape, value: Any, location: KeyPath, mistakes: list[Mistake]) -> Any:
    if wanted.origin in (tuple, Sequence):
        return _list(wanted, value, location, mistakes)
    if wanted.origin is Mapping or wanted.is_section:
        if not isinstance(value, dict):
            mistakes.append(Mistake(location, "value", MAPPING))
            return _WRONG
        make = _mapping if wanted.origin is Mapping else _section
        return make(wanted, value, location, mistakes)
    if isinstance(value, dict) and (section := wanted.in_place_of_text):
        return _section(shape(section), value, location, mistakes)
    try:
        return _chosen(wanted, value) if wanted.choices else kind(wanted).check(value)
    except ValueError as error:
        mistakes.append(Mistake(location, "value", str(error)))
        return _WRONG


def _chosen(wanted: Shape, value: Any) -> Any:
    if isinstance(value, str) and value in wanted.choices:
        return value if wanted.origin is Literal else wanted.type(value)
    near = suggestion(value, wanted.choices) if isinstance(value, str) else ""
    raise ValueError(f"must be one of {', '.join(wanted.choices)}, not {{value}}{near}")


def _section(
    wanted: Shape, value: dict[str, Any], location: KeyPath, mistakes: list[Mistake]
) -> Any:
    named = settings(wanted.type)
    required = _required(wanted.type)
    mistakes += [Mistake((*location, name), "missing") for name in required if name not in value]
    given = {}
    for name, inner in value.items():
        if name not in named:
            mistakes.append(Mistake((*location, name), "unknown"))
        # Nothing is written, and `yaml` has told so; None says that a setting was not given.
        elif inner is not None or named[name].default is not None:
            made = _fitted(named[name].shape, inner, (*location, name), mistakes)
            if made is not _WRONG:
                given[name] = made
    return wanted.type(**given) if given.keys() >= required else _WRONG


@cache
def _required(section: type) -> frozenset[str]:
    return frozenset(name for name, setting in settings(section).items() if setting.is_required)


def _list(wanted: Shape, value: Any, location: KeyPath, mistakes: list[Mistake]) -> Any:
    if not isinstance(value, list):
        if wanted.origin is Sequence:
            mistakes.append(Mistake(location, "value", "must be a list, not {value}"))
            return _WRONG
        value = [value]
    made = [
        _fitted(wanted.item, item, (*location, index), mistakes) for index, item in enumerate(value)
    ]
    # Without the one that does not fit, a list may mean something else.
    return _WRONG if _WRONG in made else _whole(wanted, tuple(made), location, mistakes)


def _mapping(
    wanted: Shape, value: dict[str, Any], location: KeyPath, mistakes: list[Mistake]
) -> Any:
    names = shape(wanted.inner[0]).kind
    made = {}
    for name, inner in value.items():
        here = (*location, name)
        try:
            if names:
                names.check(name)
        except ValueError as error:
            mistakes.append(Mistake(here, "name", str(error)))
            continue
        result = _fitted(wanted.item, inner, here, mistakes)
        if result is not _WRONG:
            made[name] = result
    return _whole(wanted, made, location, mistakes)


def _whole(wanted: Shape, made: Any, location: KeyPath, mistakes: list[Mistake]) -> Any:
    """A list or a mapping, when it fits as a whole, too."""
    try:
        return wanted.kind.whole(made) if wanted.kind and wanted.kind.whole else made
    except ValueError as error:
        mistakes.append(Mistake(location, "value", str(error)))
        return _WRONG
