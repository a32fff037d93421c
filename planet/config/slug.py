"""Names of folders on the site: made from the config alone, so that they outlast what feeds say."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

_MAX_LENGTH: Final = 60
# Letters Unicode does not take apart, in their usual Latin spelling.
_SPELLED: Final = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file: no file may have these names.
RESERVED: Final = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")


def slug(names: Iterable[str | None], *, key: str, taken: Container[str]) -> str:
    """The first of `names` that gives one, in the characters a-z, 0-9 and "-", at most 60 long.

    When it is taken, some digits of a hash of `key` follow it: they depend on nothing else, so
    that a feed keeps its folder when others come and go.
    """
    digest = hashlib.sha256(key.encode()).hexdigest()
    stem = next((found for name in names if name and (found := _plain(name))), "feed")
    if RESERVED.fullmatch(stem):
        stem += "-feed"
    name, digits = stem, 0
    while name in taken:
        digits += 6
        name = f"{stem[: _MAX_LENGTH - digits - 1].rstrip('-')}-{digest[:digits]}"
    return name


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.casefold().translate(_SPELLED))
    ascii_only = letters.encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")[:_MAX_LENGTH].rstrip("-")
