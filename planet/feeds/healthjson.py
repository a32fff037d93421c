"""How it goes with each feed → health.json, for monitors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.model import Source

VERSION = 1
"""Of the form of the document; another one when a member is gone or means something else."""

_Object = dict[str, Any]


def document(
    sources: Sequence[Source], records: Mapping[str, Mapping[str, Any]], together: Mapping[str, Any]
) -> _Object:
    """What is known of all feeds together, and of each in the order of the sources.

    `records` are by key, and ready for JSON; a feed's key is not told, for it may be its address.
    """
    return {
        "version": VERSION,
        "planet": together,
        "feeds": [
            {"slug": source.slug, "title": source.title, **records[source.key]}
            for source in sources
        ],
    }


def write(said: _Object) -> bytes:
    """The document as JSON."""
    # "ignore" drops lone surrogates, the only code points UTF-8 cannot hold.
    return (json.dumps(said, ensure_ascii=False) + "\n").encode("utf-8", "ignore")
