"""Plain data → the described `msgspec.Struct`, and all mistakes.

A section of the file is a Struct, and the fields are the settings, but for fields annotated with
"no setting". Another name in the file is an annotation such as "named type". The kind of the value
in the file is an annotation, too: a name in `KINDS`.

    tuple[T, ...]    one T, or a list of them
    Sequence[T]      the same by index, with None for an empty or mistaken item
    Mapping[str, T]  names of the operator's own, each with a T

A section with a `short` may be written as one text, the value of the setting of this name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    TypeGuard,
    Union,
    get_args,
    get_origin,
)

import msgspec

from planet.config.kinds import KINDS, Kind, only_mapping
from planet.config.yaml import Document, KeyPath, label
from planet.errors import Problem, suggestion


class Shape(NamedTuple):
    """A type, taken apart."""

    origin: Any
    """The generic type, such as tuple; or the plain one."""
    inner: tuple[Any, ...]
    kind: Kind | None


@cache
def look_into(type_: Any) -> Shape:
    """Return a type without None and notes, with parts and kind."""
    kind = None
    while get_origin(type_) in (Annotated, Union, UnionType):
        if get_origin(type_) is Annotated:
            type_, *notes = get_args(type_)
            kinds = (KINDS.get(note) for note in notes if isinstance(note, str))
            kind = kind or next(filter(None, kinds), None)
        else:
            # Of a union with anything but None, the kind decides.
            type_ = next(part for part in get_args(type_) if part is not type(None))
    return Shape(get_origin(type_) or type_, get_args(type_), kind or _PLAIN.get(type_))


_PLAIN: Final[dict[Any, Kind]] = {
    str: KINDS["text"],
    int: KINDS["whole number"],
    bool: KINDS["switch"],
}


def is_section(type_: object) -> TypeGuard[type[msgspec.Struct]]:
    """Tell whether a type describes a section of the file."""
    return isinstance(type_, type) and issubclass(type_, msgspec.Struct)


def find_section(type_: Any) -> Any:
    """Return the section in a type, also in a list or by name; None without."""
    shape = look_into(type_)
    if is_section(shape.origin):
        return shape.origin
    parts = () if shape.kind else shape.inner
    inner = (find_section(part) for part in parts if not isinstance(part, str))
    return next(filter(None, inner), None)


def choices_of(shape: Shape) -> tuple[str, ...]:
    """Return the words of which a value must be one."""
    return shape.inner if shape.origin is Literal else tuple(shape.origin)


@cache
def settings(section: type) -> Mapping[str, Any]:
    """Return the settings of a section by name, as fields."""
    return {
        _find_name(field): field
        for field in msgspec.structs.fields(section)
        if "no setting" not in get_args(field.type)
    }


@cache
def _list_required(section: type) -> tuple[str, ...]:
    return tuple(name for name, field in settings(section).items() if field.required)


def _find_name(field: Any) -> str:
    notes = (note for note in get_args(field.type) if str(note).startswith("named "))
    return next((str(note).removeprefix("named ") for note in notes), str(field.name))


# Settings with secrets: their values are never repeated in a message.
_SECRET: Final = frozenset({"auth", "headers", "options", "signature"})
_MAX_QUOTE: Final = 60


class Checker:
    """Checks the data of a file against a section, and collects the mistakes."""

    def __init__(self, document: Document, section: type) -> None:
        self.document, self.section = document, section
        self.problems: dict[KeyPath, Problem] = {}
        """The mistakes, by the values that do not fit, or are missing."""

    def check(self, type_: Any, value: Any, path: KeyPath = ()) -> Any:
        """Return the meaning of a value; None for a mistake, or without a required setting."""
        shape = look_into(type_)
        try:
            if shape.kind:
                return shape.kind.parse(value)
            if shape.origin in (tuple, Sequence):
                return self._check_list(shape, value, path)
            if is_section(shape.origin):
                return self._check_section(shape.origin, value, path)
            if shape.origin is Mapping:
                return self._check_mapping(shape, value, path)
            return _parse_word(shape, value)
        except ValueError as error:
            words, *steps = error.args
            self._complain((*path, *steps), words)
            return None

    def _check_list(self, shape: Shape, value: Any, path: KeyPath) -> Any:
        if isinstance(value, str) and value.startswith("-"):
            raise ValueError('needs a blank after each dash, as in "- x"')
        items = value if isinstance(value, list) else [value]
        made = {
            index: self.check(shape.inner[0], item, (*path, index))
            for index, item in enumerate(items)
            if item is not None
        }
        if shape.origin is Sequence:
            return tuple(map(made.get, range(len(items))))
        # A list without one of its items may mean something else.
        return None if None in made.values() else tuple(made.values())

    def _check_mapping(self, shape: Shape, value: Any, path: KeyPath) -> dict[str, Any]:
        made = {}
        for name, item in only_mapping(value).items():
            here = (*path, name)
            if (checked := self.check(shape.inner[0], name, here)) is not None:
                made[checked] = self.check(shape.inner[1], item, here)
        return {name: item for name, item in made.items() if item is not None}

    def _check_section(self, section: Any, value: Any, path: KeyPath) -> Any:
        named, given = settings(section), {}
        if isinstance(value, str) and hasattr(section, "short"):
            value = {section.short: value}
        unknown = [name for name in only_mapping(value) if name not in named]
        for name in unknown:
            where = f"{label(path)} has" if path else "there is"
            words = f'{where} no setting "{name}"{self._suggest(name, named)}'
            here = (*path, name)
            self.problems[here] = Problem(self.document.key_place(here), words)
        for name in (name for name in value if name in named):
            made = self.check(named[name].type, value[name], (*path, name))
            if made is not None:
                given[named[name].name] = made
        required = _list_required(section)
        for name in required:
            # A required setting with a misspelt name is one mistake, and not two.
            if name not in value and not any(_is_meant(name, wrong) for wrong in unknown):
                self.problems[*path, name] = self.document.problem(path, f'needs "{name}"')
        has_all = all(named[name].name in given for name in required)
        return section(**given) if has_all else None

    def _complain(self, path: KeyPath, words: str) -> None:
        """Add a mistake, with a quotation of the value, if not secret."""
        text = self.document.text(path) if path in self.document.nodes else None
        if text is not None and words.startswith("must be ") and not _SECRET.intersection(path):
            quote = " ".join(text.split())
            quote = f"{quote[:_MAX_QUOTE]}…" if len(quote) > _MAX_QUOTE else quote
            start, hint, rest = words.partition(";")
            words = f'{start}, not "{quote}"{hint}{rest}'
        self.problems[path] = self.document.problem(path, words)

    def _suggest(self, name: str, here: Mapping[str, Any]) -> str:
        """Return a hint at the setting probably meant; `here` are the settings of the section."""
        meant = _ELSEWHERE.get(name.lower(), "")
        if meant.partition(".")[0] in here:
            return f'; did you mean "{meant}"?'
        if close := suggestion(name, here, least=_NEARLY):
            return close
        # A feed has settings of its own, and that is where most belong.
        for inner in sorted(here, key=lambda other: other != "feeds"):
            below = find_section(here[inner].type)
            if below and name in settings(below):
                return f'; it belongs under "{inner}"'
        is_of_planet = name in settings(self.section)
        return suggestion(name, here, least=_ALIKE) or (
            "; it is a setting of the planet" if is_of_planet else ""
        )


def _parse_word(shape: Shape, value: Any) -> Any:
    """Parse one of several words."""
    words = choices_of(shape)
    if not isinstance(value, str) or value not in words:
        hint = suggestion(value, words) if isinstance(value, str) else ""
        raise ValueError(f"must be one of {', '.join(words)}{hint}")
    return value if shape.origin is Literal else shape.origin(value)


def _is_meant(name: str, wrong: str) -> bool:
    return _ELSEWHERE.get(wrong.lower()) == name or bool(suggestion(wrong, [name]))


_NEARLY: Final = 0.85
"""A name that is as similar as that is a misspelling, and not one of another section."""
_ALIKE: Final = 0.7
_ELSEWHERE: Final = {
    **dict.fromkeys(("base_url", "homepage", "htmlurl", "site_url", "url"), "link"),
    **dict.fromkeys(("avatar", "face"), "image"),
    **dict.fromkeys(("category", "group"), "tags"),
    **dict.fromkeys(("feed", "xmlurl"), "url"),
    **dict.fromkeys(("sources", "urls"), "feeds"),
    **dict.fromkeys(("interval", "refresh", "ttl"), "fetch.min_interval"),
    **dict.fromkeys(("user_agent", "useragent"), "fetch.contact"),
    **dict.fromkeys(("items_per_page", "limit", "max_entries"), "pages.front"),
    "author": "owner",
    "lang": "language",
    "name": "title",
    "opml": "subscriptions",
    "title": "name",
    "tz": "timezone",
    "username": "auth.user",
}
"""The names of settings in other aggregators and in OPML."""
