"""Plain data → the frozen dataclass it describes, and every value that does not fit.

A section of the file is a dataclass, and its fields are its settings. `Annotated` says what the
type does not: which kind of value the file may have (a `Kind`, or its name in `KINDS`), and the
words of the reference. A field without them has the kind that its type has by itself.

    tuple[T, ...]    one T, or a list of them
    Sequence[T]      a list of T
    Mapping[str, T]  names of the operator's own, each with a T
    str | Section    a text, or a mapping in its place
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from planet.config.kinds import KINDS, MAPPING, Kind
from planet.errors import suggestion

if TYPE_CHECKING:
    from planet.config.yaml import RedirectChain


T = TypeVar("T")


class Mistake(NamedTuple):
    """A value that does not fit its setting."""

    location: RedirectChain
    """Where it is; some steps may not be in the file, such as a setting that is missing."""
    fault: Literal["value", "name", "unknown", "missing"]
    """With "name" the fault is in the name it has, not in the value."""
    words: str = ""
    """What is wrong, after the name of the setting; ", not {said}" stands for the value."""


class Setting(NamedTuple):
    """A field of a section."""

    name: str
    type: Any
    about: str
    """What the reference says of it."""
    default: Any
    """None also where there is none but a section with its own defaults."""
    is_required: bool


class Shape(NamedTuple):
    """A type that was looked into."""

    type: Any
    """Without `Annotated`, and without None."""
    origin: Any
    """What it is a form of, such as tuple; None for a plain type."""
    inner: tuple[Any, ...]
    kind: Kind | None


@cache
def settings(section: type) -> Mapping[str, Setting]:
    """The settings of a section by their names."""
    types = get_type_hints(section, include_extras=True)
    return {
        each.name: Setting(
            each.name,
            types[each.name],
            next((note for note in _notes(types[each.name]) if note not in KINDS), ""),
            None if each.default is MISSING else each.default,
            each.default is MISSING and each.default_factory is MISSING,
        )
        for each in fields(section)
        if each.metadata.get("is_setting", True)
    }


def _notes(type_: Any) -> tuple[Any, ...]:
    return get_args(type_)[1:] if get_origin(type_) is Annotated else ()


@cache
def shape(type_: Any, kind: Kind | None = None) -> Shape:
    """What a type consists of; what it says of no kind has `kind`."""
    if get_origin(type_) is Annotated:
        kinds = (note if isinstance(note, Kind) else KINDS.get(note) for note in _notes(type_))
        return shape(get_args(type_)[0], next(filter(None, kinds), kind))
    if get_origin(type_) in (Union, UnionType):
        some = tuple(each for each in get_args(type_) if each is not type(None))
        if len(some) == 1:
            return shape(some[0], kind)
        return Shape(type_, Union, some, kind)
    return Shape(type_, get_origin(type_), get_args(type_), kind)


_WRONG: Final = object()


def fitted(
    section: type[T], written: Any, location: RedirectChain, mistakes: list[Mistake]
) -> T | None:
    """The section without what does not fit, which is added to `mistakes`.

    None when it lacks what it cannot be without.
    """
    made = _section(section, written, location, mistakes)
    return None if made is _WRONG else made


def fitted_value(type_: Any, written: Any, location: RedirectChain, mistakes: list[Mistake]) -> Any:
    """What a single value means; None when it does not fit."""
    made = _fitted(shape(type_), written, location, mistakes)
    return None if made is _WRONG else made


def _section(section: Any, written: Any, location: RedirectChain, mistakes: list[Mistake]) -> Any:
    if not isinstance(written, dict):
        mistakes.append(Mistake(location, "value", MAPPING))
        return _WRONG
    known = settings(section)
    required = [each.name for each in known.values() if each.is_required]
    mistakes += [Mistake((*location, name), "missing") for name in required if name not in written]
    given = {}
    for name, value in written.items():
        if name not in known:
            mistakes.append(Mistake((*location, name), "unknown"))
        # Nothing is written, and `yaml` has told so; None says that a setting was not given.
        elif value is not None or known[name].default is not None:
            made = _fitted(shape(known[name].type), value, (*location, name), mistakes)
            if made is not _WRONG:
                given[name] = made
    return section(**given) if given.keys() >= set(required) else _WRONG


def _fitted(wanted: Shape, value: Any, location: RedirectChain, mistakes: list[Mistake]) -> Any:
    if wanted.origin in (tuple, Sequence):
        return _list(wanted, value, location, mistakes)
    if wanted.origin is Mapping:
        return _mapping(wanted, value, location, mistakes)
    if is_dataclass(wanted.type) and wanted.kind is None:
        return _section(wanted.type, value, location, mistakes)
    if isinstance(value, dict) and (section := in_place_of_text(wanted)):
        return _section(section, value, location, mistakes)
    try:
        if wanted.kind is None and (choices := named(wanted)):
            return _chosen(wanted, choices, value)
        return kind(wanted).check(value)
    except ValueError as error:
        mistakes.append(Mistake(location, "value", str(error)))
        return _WRONG


def in_place_of_text(wanted: Shape) -> Any:
    """The section that may stand in the place of a text, if any."""
    sections = filter(is_dataclass, wanted.inner)
    return next(sections, wanted.kind.section if wanted.kind else None)


def kind(wanted: Shape) -> Kind:
    """The kind of a single value."""
    if wanted.kind is not None:
        return wanted.kind
    # The first of a union is what stands there as a text.
    plain = wanted.inner[0] if wanted.origin is Union else wanted.type
    return shape(plain).kind or KINDS[{bool: "flag", int: "whole number", str: "text"}[plain]]


def named(wanted: Shape) -> tuple[str, ...]:
    """The words that may be chosen from, where a value is one of several."""
    if isinstance(wanted.type, type) and issubclass(wanted.type, Enum):
        return tuple(each.value for each in wanted.type)
    return wanted.inner if wanted.origin is Literal else ()


def _chosen(wanted: Shape, choices: tuple[str, ...], value: Any) -> Any:
    if isinstance(value, str) and value in choices:
        return value if wanted.origin is Literal else wanted.type(value)
    near = suggestion(value, choices) if isinstance(value, str) else ""
    raise ValueError(f"must be one of {', '.join(choices)}, not {{said}}{near}")


def _list(wanted: Shape, value: Any, location: RedirectChain, mistakes: list[Mistake]) -> Any:
    if not isinstance(value, list):
        if wanted.origin is Sequence:
            mistakes.append(Mistake(location, "value", "must be a list, not {said}"))
            return _WRONG
        value = [value]
    item = shape(wanted.inner[0], wanted.kind)
    made = [_fitted(item, each, (*location, index), mistakes) for index, each in enumerate(value)]
    return _whole(wanted, tuple(made), location, mistakes)


def _mapping(wanted: Shape, value: Any, location: RedirectChain, mistakes: list[Mistake]) -> Any:
    if not isinstance(value, dict):
        mistakes.append(Mistake(location, "value", MAPPING))
        return _WRONG
    names, item = shape(wanted.inner[0]), shape(wanted.inner[1], wanted.kind)
    made = {}
    for name, each in value.items():
        here = (*location, name)
        try:
            if names.kind:
                names.kind.check(name)
        except ValueError as error:
            mistakes.append(Mistake(here, "name", str(error)))
            continue
        result = _fitted(item, each, here, mistakes)
        if result is not _WRONG:
            made[name] = result
    return _whole(wanted, made, location, mistakes)


def _whole(wanted: Shape, made: Any, location: RedirectChain, mistakes: list[Mistake]) -> Any:
    """A list or a mapping, when it fits as a whole, too."""
    # Without the one that does not fit, a list may mean something else.
    if any(each is _WRONG for each in made):
        return _WRONG
    try:
        return wanted.kind.whole(made) if wanted.kind and wanted.kind.whole else made
    except ValueError as error:
        mistakes.append(Mistake(location, "value", str(error)))
        return _WRONG
