"""Values ⇄ what SQLite can keep: nouns as JSON, moments as numbers, texts compressed.

In JSON, moments are written as in RFC 3339, spans as in ISO 8601, and fields that have their
default are left out. What is read has the types that the noun names; fields that it does not have
any more are passed over.
"""

from __future__ import annotations

import re
import zlib
from datetime import UTC, datetime, timedelta
from typing import TypeVar, get_args

import msgspec

from planet.model import WebAddress
from planet.model.decoding import decoder_of
from planet.store.faults import from_row

T = TypeVar("T")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# Sets in order: what has not changed is written with the same bytes.
_ENCODER = msgspec.json.Encoder(order="deterministic")
_WEB_ADDRESS = re.compile(get_args(WebAddress)[1].pattern)


def encode(value: object) -> str:
    """Return a noun, or what JSON can hold, as one line of JSON."""
    return _ENCODER.encode(value).decode()


@from_row
def decode(stored: str | bytes, kind: type[T], **columns: object) -> T:
    """Return the noun that `encode` wrote; `columns` are its fields that stand elsewhere.

    Raises:
        RowError: it is no JSON, or something in it has another type.
    """
    decode_whole = decoder_of(kind)
    if not columns:
        return decode_whole(stored)
    return msgspec.convert({**msgspec.json.decode(stored), **columns}, kind)


def is_web_address(address: str) -> bool:
    """Return whether an address is absolute, http or https, as in `WebAddress`."""
    return bool(_WEB_ADDRESS.match(address))


def micros(moment: datetime | None) -> int | None:
    """Return the microseconds since 1970."""
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


@from_row
def moment(count: int | None) -> datetime | None:
    """Return the moment so many microseconds after 1970, UTC."""
    return None if count is None else exact_moment(count)


def exact_moment(count: int) -> datetime:
    """Return the moment so many microseconds after 1970, UTC."""
    return _EPOCH + timedelta(microseconds=count)


def pack(text: str) -> bytes:
    """Return a text, compressed."""
    return zlib.compress(text.encode())


@from_row
def unpack(packed: bytes) -> str:
    """Return the text that `pack` compressed."""
    return zlib.decompress(packed).decode()
