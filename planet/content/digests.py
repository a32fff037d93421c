"""A digest of what a source says of an entry: equal as long as nothing was edited.

Dates are no part of it. Many feeds date their entries anew with each build, and each time all of
them would look edited: read, cleaned and written again, and their pages and our own feeds with
them. Whoever edits an entry changes something else of it as well, and with that its new dates
count. What is lost is an edit of which its feed shows nothing but the date; a reader could not see
it either, for an entry stays where its first date put it.
"""

from __future__ import annotations

from dataclasses import fields
from enum import Enum
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planet.model import ParsedEntry


_PLAIN = (str, int, float, bool)
_LEFT_OUT = frozenset({"base", "published", "updated"})


def digest(entry: ParsedEntry) -> str:
    """BLAKE2b-128 in hex.

    What is absent does not count, so that a noun may get a new field without every entry looking
    edited. Nor does the base of a text: it is not said by the source but follows from where the
    feed was found.
    """
    return blake2b(repr(_said(entry)).encode("utf-8", "replace"), digest_size=16).hexdigest()


def _said(value: Any) -> object:
    if value is None or isinstance(value, _PLAIN):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, tuple):
        return [_said(each) for each in value]
    return [
        (name, _said(said))
        for name in _names(value.__class__)
        if (said := getattr(value, name)) not in (None, ())
    ]


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name not in _LEFT_OUT)
