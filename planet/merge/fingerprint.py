"""What changes when anything that is shown does."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from planet.model import Standing

if TYPE_CHECKING:
    from planet.model import Future, Source


def mark(source: Source, cleaning: str, future: Future | None = None) -> str:
    """Changes with what of a source is shown beside its posts, and with what is done to these.

    That is how their texts are cleaned, and what is thought of dates in the future.
    """
    return digest((replace(source, standing=Standing()), cleaning, future))


def digest(shown: object) -> str:
    """A short text for a value; the repr of frozen values tells all of them apart."""
    text = repr(shown).encode(errors="backslashreplace")
    return hashlib.blake2b(text, digest_size=16).hexdigest()
