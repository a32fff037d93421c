"""A type → the decoder of JSON, whichever thread asks first."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable


T = TypeVar("T")

_DECODERS: dict[Any, Callable[[str | bytes], Any]] = {}
_LOCK = Lock()


def decoder_of(kind: type[T]) -> Callable[[str | bytes], T]:
    """Return the decoder of JSON as this type, which raises `msgspec.MsgspecError`.

    One thread at a time makes a decoder: msgspec shows half-made knowledge of a type to other
    threads, which would crash.
    """
    if kind not in _DECODERS:
        with _LOCK:
            _DECODERS[kind] = msgspec.json.Decoder(kind).decode
    return _DECODERS[kind]
