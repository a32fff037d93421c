"""Values ⇄ what SQLite can keep: nouns as JSON, moments as numbers, texts compressed.

In JSON, moments are written as in RFC 3339, spans as in ISO 8601, and fields that have their
default are left out. What is read has the types that the noun names; fields that it does not have
any more are passed over.
"""

from __future__ import annotations

import sqlite3
import zlib
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import msgspec

from planet.model.decoding import decoder_of

if TYPE_CHECKING:
    from collections.abc import Callable


P = ParamSpec("P")
T = TypeVar("T")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# Sets in order: what has not changed is written with the same bytes.
_ENCODER = msgspec.json.Encoder(order="deterministic")
_WRONG = (
    *(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
    *(zlib.error, msgspec.MsgspecError),
)
"""What comes of a value of another type, or of one that cannot be unpacked."""


class RowError(sqlite3.DatabaseError):
    """What stands in a row is not what was written there."""


def from_row(make: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that makes something from a row: what goes wrong in it is `RowError`.

    It does nothing else, so whatever is wrong in it is wrong with the row.
    """

    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return make(*args, **kwargs)
        except _WRONG as error:
            raise RowError from error

    return made


def encode(value: object) -> str:
    """Return a noun, or what JSON can hold, as one line of JSON."""
    return _ENCODER.encode(value).decode()


@from_row
def decode(stored: str, kind: type[T]) -> T:
    """Return what `encode` wrote.

    Raises:
        RowError: it is no JSON, or something in it has another type.
    """
    return decoder_of(kind)(stored)


@from_row
def convert(values: object, kind: type[T]) -> T:
    """Return values of a row, or rows, as a type: SQLite lets anything stand anywhere.

    Raises:
        RowError: one of them has another type.
    """
    decoder_of(kind)  # see there why it comes first
    return msgspec.convert(values, kind)


def micros(moment: datetime) -> int:
    """Return the microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


@from_row
def moment(count: int) -> datetime:
    """Return the moment so many microseconds after 1970, UTC."""
    return _EPOCH + timedelta(microseconds=count)


def pack(text: str) -> bytes:
    """Return a text, compressed."""
    return zlib.compress(text.encode())


@from_row
def unpack(packed: bytes) -> str:
    """Return the text that `pack` compressed."""
    return zlib.decompress(packed).decode()
