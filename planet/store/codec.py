"""Nouns of the model ⇄ what SQLite can keep. Pure; what is None is not written at all."""

from __future__ import annotations

import json
import re
import zlib
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import cache, partial
from inspect import get_annotations
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import fields

from planet import model
from planet.model import Entry, Origin
from planet.store.faults import check_types, from_row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from planet.model import NewEntry


T = TypeVar("T")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

_ADDRESSES = frozenset({"link", "url", "comments", "image", "chapters", "page"})
"""Fields of nouns that are shown as a link, a picture or a file."""

_IN_VALUE = (
    "title",
    "summary",
    "authors",
    "categories",
    "enclosures",
    "image",
    "comments",
    "rights",
    "language",
    "episode",
    "withheld",
    "transformed",
)
"""The fields of an entry that no query asks for."""


def micros(moment: datetime | None) -> int | None:
    """Return the microseconds since 1970."""
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def moment(count: int | None) -> datetime | None:
    """Return the moment so many microseconds after 1970, UTC."""
    return None if count is None else exact_moment(count)


def exact_moment(count: int) -> datetime:
    """Return the moment so many microseconds after 1970, UTC."""
    return _EPOCH + timedelta(microseconds=count)


def plain(noun: Any, *, leave_out: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return a noun as JSON knows it, without fields that are None or have their default."""
    kind: Any = type(noun)
    return {
        name: write(value) if write else value
        for name, (default, write, _) in _fields_of(kind).items()
        if (value := getattr(noun, name)) is not None and value != default and name not in leave_out
    }


def from_plain(kind: Any, stored: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a noun from what `plain` made of it.

    What it has no field for is left out, and so is an address that is not of the web: none such
    was written, and it would be on the site.

    Raises:
        TypeError: a value is of another type than the noun says.
    """
    forms = _fields_of(kind)
    return {name: forms[name][2](stored[name]) for name in stored if name in forms}


def text(stored: object) -> str:
    """Return what JSON knows, as short as it can be written."""
    return _ENCODER.encode(stored)


def value_of(draft: NewEntry) -> str:
    """Return the fields of an entry that have no column, as one JSON text."""
    forms = _fields_of(Entry)
    fields_there = {
        name: write(value) if (write := forms[name][1]) else value
        for name in _IN_VALUE
        if (value := getattr(draft, name)) not in (None, ())
    }
    return text(fields_there)


def origin_from(stored: str) -> Origin:
    """Return the origin of an entry."""
    return Origin(**from_plain(Origin, json.loads(stored)))


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
_Form = tuple["Callable[[Any], Any] | None", "Callable[[Any], Any]"]
"""What writes a value for JSON, None where it can stay as it is; and what reads it again."""


@cache
def _fields_of(kind: Any) -> dict[str, tuple[Any, Any, Any]]:
    """Return the default of each field of a noun, and its form, by name."""
    forms = {}
    types = {name: type_ for base in kind.__mro__ for name, type_ in get_annotations(base).items()}
    for field in fields(kind):
        write, read = _form(_ANNOTATED.sub(r"\1", types[field.name]).removesuffix(" | None"))
        forms[field.name] = field.default, write, _address if field.name in _ADDRESSES else read
    return forms


_ANNOTATED = re.compile(r"Annotated\[(.*), ['\"][^'\"]*['\"]\]")
"""What a type says besides is for files of the operator's."""


def _form(annotation: str) -> _Form:
    """Return the form of values of a type, by what the noun says of it."""
    if annotation == "tuple[datetime, ...]":
        return _steps, _moments
    if annotation == "tuple[Day, ...]":
        return list, _days
    if several := re.fullmatch(r"(tuple|frozenset)\[(\w+)(?:, \.\.\.)?\]", annotation):
        write, read = _form(several[2])
        collect, order = (tuple, list) if several[1] == "tuple" else (frozenset, sorted)
        return (
            lambda values: [write(value) if write else value for value in order(values)],
            lambda values: collect(
                made for value in exactly(list, values) if not _is_lost(made := read(value))
            ),
        )
    if annotation in _FORMS:
        return _FORMS[annotation]
    kind: Any = getattr(model, annotation)
    if issubclass(kind, Enum):
        return None, kind
    return plain, lambda value: kind(**from_plain(kind, value))


def exactly(kind: type[T], stored: Any) -> T:
    """Return what is stored, if it is of this type.

    Raises:
        TypeError: it is of another.
    """
    if type(stored) is not kind:
        raise TypeError(f"it is no {kind.__name__}")
    return stored


def _seconds(length: timedelta) -> float:
    seconds = length.total_seconds()
    return int(seconds) if seconds.is_integer() else seconds


def _steps(moments: Sequence[datetime]) -> list[float]:
    """Return moments as the first of them, and from each the time to the next: that is shorter."""
    first = (moments[0] - _EPOCH) // _MICROSECOND
    return [first, *(_seconds(after - before) for before, after in pairwise(moments))]


def _moments(stored: list[Any]) -> tuple[datetime, ...]:
    first: Any = moment(stored[0])
    return tuple(accumulate((timedelta(seconds=step) for step in stored[1:]), initial=first))


def _days(stored: list[list[int]]) -> tuple[model.Day, ...]:
    return tuple(model.Day(*row) for row in check_types(map(tuple, stored), int, int, int, int))


_FORMS: dict[str, _Form] = {
    **{kind.__name__: (None, partial(exactly, kind)) for kind in (str, int, bool)},
    "Html": (None, partial(exactly, str)),
    "datetime": (micros, moment),
    "timedelta": (_seconds, lambda stored: timedelta(seconds=stored)),
}
"""By the type of a field; others are nouns of the model."""


def _is_lost(made: Any) -> bool:
    """Return whether it is a file without its address, or nobody."""
    return getattr(made, "url", "") is None and not getattr(made, "name", None)


def web_address(stored: str | None) -> str | None:
    """Return an address if it is one of the web: no other was written, and it would be shown."""
    return stored if stored is not None and is_on_the_web(stored) else None


def _address(stored: Any) -> str | None:
    return web_address(exactly(str, stored))


def is_on_the_web(address: str) -> bool:
    """Return whether an address is one of those that were written."""
    return address.startswith(("http://", "https://"))


def pack(text: str) -> bytes:
    """Return a text, compressed."""
    return zlib.compress(text.encode())


@from_row
def unpack(packed: bytes) -> str:
    """Return the text that `pack` compressed."""
    return zlib.decompress(packed).decode()


def checksum(*values: Any) -> int:
    """Return the CRC-32 of the values of a row, which tells when a byte of one was damaged."""
    crc = 0
    for value in values:
        data = value if isinstance(value, bytes) else f"{value!r},".encode(errors="surrogatepass")
        crc = zlib.crc32(data, crc)
    return crc
