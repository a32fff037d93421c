"""Whom a source links to, and who links to it → links.json beside its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planet.model import Neighbours
from planet.render.machine.planetjson import write

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planet.model import LinkGraph, Neighbour, Source

__all__ = ["VERSION", "document", "write"]

VERSION = 1
"""As in `planetjson`."""

_Object = dict[str, Any]


def document(graph: LinkGraph, source: Source) -> _Object:
    """The neighbours of a source, ready for JSON."""
    neighbours = graph.neighbours.get(source.key, Neighbours())
    return {
        "version": VERSION,
        "slug": source.slug,
        "title": source.title,
        "links_to": _neighbours(neighbours.links_to),
        "linked_by": _neighbours(neighbours.linked_by),
    }


def _neighbours(neighbours: Iterable[Neighbour]) -> list[_Object]:
    return [{"name": each.name, "slug": each.slug, "posts": each.posts} for each in neighbours]
