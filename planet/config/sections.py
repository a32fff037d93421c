"""Plain data → the `msgspec.Struct` that it describes, and every mistake in it.

A section of the file is a Struct, and its fields are its settings, but for those that are annotated
with "no setting". `Annotated` says what the type does not: which kind of value the file may have (a
`Kind`, or its name in `KINDS`).

    tuple[T, ...]    one T, or a list of them
    Sequence[T]      a list of T
    Mapping[str, T]  names of the operator's own, each with a T
    str | Section    a text, or a mapping in its place
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
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
from msgspec import NODEFAULT, Struct

from planet.config.value_kinds import KINDS, MAPPING, TEXT, Kind
from planet.config.yaml import Document, KeyPath, label
from planet.errors import Problem, suggestion


class Mistake(NamedTuple):
    """A value that does not fit its setting."""

    location: KeyPath
    """Where it is; the last step is not in the file when a setting is missing."""
    fault: Literal["value", "name", "unknown", "missing"]
    """With "name", the name is wrong and not the value."""
    words: str = ""
    """What is wrong, to follow the name of the setting; ", not {value}" stands for the value."""


class Setting(NamedTuple):
    """A field of a section."""

    name: str
    default: Any
    """None also for a section, which has defaults of its own."""
    is_required: bool
    shape: Shape


@cache
def settings(section: type) -> Mapping[str, Setting]:
    """Return the settings of a section by name."""
    return {
        field.name: Setting(
            field.name,
            None if isinstance(field.default, Struct | type(NODEFAULT)) else field.default,
            field.required,
            make_shape(field.type),
        )
        for field in msgspec.structs.fields(section)
        if "no setting" not in get_args(field.type)
    }


def is_section(type_: object) -> TypeGuard[type[Struct]]:
    """Return whether a type describes a section of the file."""
    return isinstance(type_, type) and issubclass(type_, Struct)


def find_settings(section: type, location: KeyPath) -> Mapping[str, Setting]:
    """Return the settings that are allowed at a place below a section."""
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
    """The generic type, such as tuple; None for a plain type."""
    inner: tuple[Any, ...]
    kind: Kind | None

    @cached_property
    def item(self) -> Shape:
        """Return the shape of the items of a list or a mapping."""
        return make_shape(self.inner[self.origin is Mapping], self.kind)

    @cached_property
    def is_section(self) -> bool:
        """Tell whether it is a section, and not one value."""
        return self.kind is None and is_section(self.type)

    @cached_property
    def in_place_of_text(self) -> Any:
        """Return the section that may be written in place of a text, if any."""
        inner = self.inner if self.origin is Union else ()
        return next(filter(is_section, inner), self.kind.section if self.kind else None)

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """Return the words of which a value must be one."""
        if self.kind is None and isinstance(self.type, type) and issubclass(self.type, Enum):
            return tuple(word.value for word in self.type)
        return self.inner if self.origin is Literal else ()


@cache
def make_shape(type_: Any, kind: Kind | None = None) -> Shape:
    """Analyse a type; `kind` is used where the type names none."""
    if get_origin(type_) is Annotated:
        # Of an address in a noun, there is a note for decoding first.
        inner, *_, note = get_args(type_)
        if isinstance(note, msgspec.Meta):  # it holds where nouns are decoded
            return make_shape(inner, kind)
        return make_shape(inner, note if isinstance(note, Kind) else KINDS[note])
    if get_origin(type_) in (Union, UnionType):
        some = tuple(inner for inner in get_args(type_) if inner is not type(None))
        return make_shape(some[0], kind) if len(some) == 1 else Shape(type_, Union, some, kind)
    return Shape(type_, get_origin(type_), get_args(type_), kind)


def kind_of(wanted: Shape) -> Kind:
    """Return the kind of a single value; in a union, that of the text."""
    if wanted.kind is not None:
        return wanted.kind
    plain = wanted.inner[0] if wanted.origin is Union else wanted.type
    return make_shape(plain).kind or KINDS[{bool: "flag", int: "whole number", str: "text"}[plain]]


NO_LIST: Final = 'must be a list, each item after a dash, as in "- x", not {value}'


def coerce(type_: Any, written: Any, location: KeyPath, mistakes: list[Mistake]) -> Any:
    """Convert a value to a type; whatever does not fit is added to `mistakes` and left out.

    The result is None when something required is missing.
    """
    return _coerce(make_shape(type_), written, location, mistakes)


def _coerce(wanted: Shape, value: Any, location: KeyPath, mistakes: list[Mistake]) -> Any:
    try:
        if wanted.origin in (tuple, Sequence):
            return _coerce_list(wanted, value, location, mistakes)
        if wanted.origin is Mapping or wanted.is_section:
            if not isinstance(value, dict):
                raise ValueError(_describe_mapping(wanted))
            make = _coerce_mapping if wanted.origin is Mapping else _coerce_section
            return make(wanted, value, location, mistakes)
        if isinstance(value, dict) and (section := wanted.in_place_of_text):
            return _coerce_section(make_shape(section), value, location, mistakes)
        return _coerce_choice(wanted, value) if wanted.choices else kind_of(wanted).check(value)
    except ValueError as error:
        mistakes.append(Mistake(location, "value", str(error)))
        return None


def _describe_mapping(wanted: Shape) -> str:
    if wanted.origin is Mapping:
        return MAPPING
    first = next(iter(settings(wanted.type)))
    return MAPPING.replace("name: value", f"{first}: …")


def _coerce_choice(wanted: Shape, value: Any) -> Any:
    if isinstance(value, str) and value in wanted.choices:
        return value if wanted.origin is Literal else wanted.type(value)
    near = suggestion(value, wanted.choices) if isinstance(value, str) else ""
    raise ValueError(f"must be one of {', '.join(wanted.choices)}, not {{value}}{near}")


def _coerce_section(
    wanted: Shape, value: dict[str, Any], location: KeyPath, mistakes: list[Mistake]
) -> Any:
    named, required = settings(wanted.type), _list_required(wanted.type)
    given, unknown = {}, []
    for name, inner in value.items():
        if name not in named:
            unknown.append(name)
        # An empty value was reported by `yaml`; None means that a setting is not there.
        elif inner is not None or named[name].default is not None:
            made = _coerce(named[name].shape, inner, (*location, name), mistakes)
            if made is not None:
                given[name] = made
    mistakes += [Mistake((*location, name), "unknown") for name in unknown]
    for name in required:
        # A required setting with a misspelt name is one mistake, and not two.
        if name not in value and not any(_is_meant(name, wrong) for wrong in unknown):
            mistakes.append(Mistake((*location, name), "missing"))
    return wanted.type(**given) if all(name in given for name in required) else None


@cache
def _list_required(section: type) -> tuple[str, ...]:
    return tuple(name for name, setting in settings(section).items() if setting.is_required)


def _is_meant(name: str, wrong: str) -> bool:
    return _ELSEWHERE.get(wrong.lower()) == name or bool(suggestion(wrong, [name]))


def is_own_name(name: str, section: type, *, needed: str) -> bool:
    """Tell whether a name is no setting of a section, and no misspelling of the needed one."""
    return name not in settings(section) and not _is_meant(needed, name)


def _coerce_list(wanted: Shape, value: Any, location: KeyPath, mistakes: list[Mistake]) -> Any:
    if not isinstance(value, list):
        if isinstance(value, str) and value.startswith("-"):
            raise ValueError('needs a blank after each dash, as in "- x"')
        if wanted.origin is Sequence:
            raise ValueError(NO_LIST)
        value = [value]
    made = [
        _coerce(wanted.item, item, (*location, index), mistakes) for index, item in enumerate(value)
    ]
    # A list without one of its items may mean something else.
    return None if None in made else _finish(wanted, tuple(made))


def _coerce_mapping(
    wanted: Shape, value: dict[str, Any], location: KeyPath, mistakes: list[Mistake]
) -> Any:
    names, kind = make_shape(wanted.inner[0]).kind, wanted.kind
    made = {}
    for name, inner in value.items():
        here = (*location, name)
        fault: Literal["name", "value"] = "name"
        try:
            if names:
                names.check(name)
            fault = "value"
            # The name may tell what the value has to be.
            if kind and kind.named:
                item = kind.named(name, inner)
            else:
                item = _coerce(wanted.item, inner, here, mistakes)
        except ValueError as error:
            mistakes.append(Mistake(here, fault, str(error)))
            continue
        if item is not None:
            made[name] = item
    return _finish(wanted, made)


def _finish(wanted: Shape, made: Any) -> Any:
    return wanted.kind.whole(made) if wanted.kind and wanted.kind.whole else made


# The names of settings in other aggregators and in OPML.
_ELSEWHERE: Final = {
    "author": "owner",
    "avatar": "image",
    "base_url": "link",
    "baseurl": "link",
    "cache_directory": "state",
    "category": "tags",
    "face": "image",
    "feed": "url",
    "group": "tags",
    "homepage": "link",
    "htmlurl": "link",
    "lang": "language",
    "mail": "email",
    "name": "title",
    "opml": "subscriptions",
    "output_dir": "output",
    "output_folder": "output",
    "site_url": "link",
    "siteurl": "link",
    "sources": "feeds",
    "title": "name",
    "tz": "timezone",
    "url": "link",
    "urls": "feeds",
    "username": "user",
    "xmlurl": "url",
}

_INSTEAD: Final = {
    name: words
    for words, names in {
        'how often a feed may be asked is "fetch.min_interval"; how often Planet runs is up to '
        "cron, or to the workflow that starts it": "cron frequency interval poll_interval refresh "
        "refresh_interval schedule ttl update update_interval",
        'publishers must know who asks; "fetch.contact" adds a page about you to the '
        "User-Agent": "agent user-agent user_agent useragent",
        "robots.txt is for crawlers, and Planet asks only for the feeds that you "
        "name": "ignore_robots ignore_robots_txt obey_robots respect_robots robots robots_txt",
        'how many posts the front page has is "pages.front"': "items_per_page limit max_entries "
        "max_items per_page posts_per_page",
        'how old posts may be is "filters.max_age"': "days max_days maxage",
        'it belongs under "auth", as "user"': "username",
        'how many hosts are asked at the same time is "fetch.workers"': "concurrency threads",
    }.items()
    for name in names.split()
}
"""What to write in place of settings that only other programs have."""


def describe_mistakes(
    mistakes: Iterable[Mistake], document: Document, section: type, faults: Iterable[Problem] = ()
) -> Iterator[Problem]:
    """Yield a problem for each mistake in a file, with its place and what to write instead.

    A mistake at the place of one of the `faults` of the YAML is left out.
    """
    places = {fault.place for fault in faults}
    for mistake in mistakes:
        key_path = document.key_path(mistake.location)
        place, words = document.place(key_path), mistake.words
        if mistake.fault == "unknown":
            *above, name = key_path
            place = document.key_place(key_path)
            subject = f"{label(tuple(above))} has" if above else "there is"
            words = (
                f'{subject} no setting "{name}"{_suggest_setting(str(name), tuple(above), section)}'
            )
        elif mistake.fault == "name":
            # Its label is what was written.
            place = document.key_place(key_path)
            words = f"{label(key_path)} {words.replace(', not {value}', '')}"
        elif mistake.fault == "missing":
            name = mistake.location[-1]
            words = f'{label(key_path)} needs "{name}"' if key_path else f'"{name}" is missing'
        else:
            node, quote = document.node(key_path), document.quote(key_path)
            words = words.replace(", not {value}", f", not {quote}" if quote else "")
            if node.is_in_curly_quotes:
                words = 'is in curly quotes; write straight ones ("), or none'
            elif node.quoted and _UNQUOTED.match(words) and _NO_TEXT.fullmatch(node.text or ""):
                words += "; write it without quotes"
            if words == TEXT and node.text is not None and not node.quoted:
                # YAML reads a bare no as false, 12:30 as 750 and 1.10 as 1.1.
                words = f"{TEXT}; put it into quotes" + (f": {quote}" if quote else "")
            words = f"{label(key_path)} {words}"
        if place not in places:
            yield Problem(place, words)


_UNQUOTED: Final = re.compile("must be (?:a whole number|true or false)")
_NO_TEXT: Final = re.compile(r"-?\d+|true|false|yes|no|on|off", re.IGNORECASE)
_NEARLY: Final = 0.85
"""A name that is as similar as that is a misspelling, and not one of another section."""


def _suggest_setting(name: str, above: KeyPath, section: type) -> str:
    """Return a hint for the setting that was probably meant by `name`."""
    here = find_settings(section, above)
    if _ELSEWHERE.get(name.lower()) in here:
        return f'; did you mean "{_ELSEWHERE[name.lower()]}"?'
    near = suggestion(name, here)
    for inner in here if not suggestion(name, here, least=_NEARLY) else ():
        if name in find_settings(section, (*above, inner)):
            return f'; it belongs under "{inner}"'
    for inner in here if not near else ():
        if name in find_settings(section, (*above, inner, "its name")):
            return f'; it belongs under "{inner}"'
    if instead := _INSTEAD.get(name.lower()):
        return f"; {instead}"
    if near:
        return near
    return "; it is a setting of the whole planet" if name in find_settings(section, ()) else ""
