"""Sources → the groups the operator put them into."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from planet.config.slug import slug
from planet.model import Tag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planet.model import Source


def tags(sources: Iterable[Source]) -> tuple[Tag, ...]:
    """The tags of sources, by name, each with a folder that is its own."""
    names = sorted({tag for source in sources for tag in source.tags})
    slugs: dict[str, str] = {}
    for name in names:
        # A name without a letter from a to z is called by a hash of it.
        other = f"tag-{hashlib.sha256(name.encode(errors='replace')).hexdigest()[:6]}"
        slugs[name] = slug((name, other), key=name, taken=set(slugs.values()))
    shown = sorted(names, key=lambda name: (name.casefold(), name))
    return tuple(Tag(name=name, slug=slugs[name]) for name in shown)
