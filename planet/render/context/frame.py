"""What surrounds a page, and what stands on pages of every kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Someone with a name, and perhaps a page."""

    name: str
    href: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The planet: the same on each of its pages."""

    title: str
    description: str | None
    language: str
    direction: str
    indexing: bool
    owner: Person | None
    generator: str
    has_podcast: bool
    picking: str
    script: bool
    search: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedLink:
    """A feed of the site, or its list of sources."""

    name: str
    title: str
    hint: str
    href: str
    address: str | None
    media_type: str
    format: str
    page: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The page itself."""

    kind: str
    title: str
    root: str
    canonical: str | None
    feeds: tuple[FeedLink, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """HTML of the operator's own, for every page."""

    head: Markup
    top: Markup
    end: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A point in time, in the planet's time zone."""

    iso: str
    date: str
    time: str
    full: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """A group of sources."""

    name: str
    href: str
