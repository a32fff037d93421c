"""A digest of everything a source says of an entry: equal as long as nothing was edited."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planet.model import ParsedEntry


def digest(entry: ParsedEntry) -> str:
    """BLAKE2b-128 in hex.

    What is absent does not count, so that a noun may get a new field without every entry looking
    edited. Nor does the base of a text: it is not said by the source but follows from where the
    feed was found.
    """
    return blake2b(repr(_said(entry)).encode("utf-8", "replace"), digest_size=16).hexdigest()


def _said(value: object) -> object:
    if is_dataclass(value):
        return [
            (field.name, _said(said))
            for field in fields(value)
            if field.name != "base" and (said := getattr(value, field.name)) not in (None, ())
        ]
    if isinstance(value, tuple):
        return [_said(each) for each in value]
    return value.value if isinstance(value, Enum) else value
