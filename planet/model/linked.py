"""What the planet's posts link to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.model.shown import Post


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """An address that posts link to."""

    address: str
    post: Post | None = None
    """What is there, if it is a post of the planet itself."""
    posts: tuple[Post, ...]
    """The newest post of each source that links to it, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """Who is linked to, or links: a source of the planet, or a host of which it knows no more."""

    name: str
    """The source's title, or the host."""
    slug: str | None = None
    """The source's."""
    posts: int
    """How many posts link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """Whom a source links to, and who links to it, those with the most posts first."""

    links_to: tuple[Neighbour, ...] = ()
    linked_by: tuple[Neighbour, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkGraph:
    """Who links to what."""

    top: tuple[Linked, ...] = ()
    """What is linked to most by several sources; if there is no such thing, the newest links."""
    is_shared: bool = False
    """Whether several sources link to each of `top`."""
    neighbours: Mapping[str, Neighbours] = field(default_factory=dict)
    """By the key of the source; those without any are left out."""
