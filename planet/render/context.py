"""What the variables of a template are made of: nouns of `docs/themes.md`, and none of the model.

Text is plain and is escaped where it is written; `content` alone is HTML, and clean. Addresses are
ready for an `href`: relative to the page, or http and https.
"""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The page itself."""

    kind: str
    title: str
    root: str
    canonical: str | None
    feeds: tuple[FeedLink, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A point in time, in the planet's time zone."""

    iso: str
    date: str
    time: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLink:
    """A source where it is named beside a post."""

    title: str
    href: str
    monogram: str
    hue: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why nothing new comes from a source."""

    reason: str
    since: Moment | None
    final: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Polls:
    """How a source's feed is asked for, as of when the page was made."""

    answered: Moment | None
    every: str | None
    next: Moment | None
    because: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source on its own page and in the list of sources."""

    title: str
    href: str
    monogram: str
    hue: int
    home: str | None
    description: str | None
    newest: Moment | None
    count: int
    trouble: Trouble | None
    quiet_since: Moment | None
    moved_to: str | None
    polls: Polls | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """A file that belongs to a post."""

    kind: str
    href: str
    media_type: str | None
    title: str | None
    size: str | None
    duration: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A post, as much of it as the page may show."""

    heading: str
    href: str | None
    language: str | None
    source: SourceLink
    authors: tuple[str, ...]
    when: Moment
    excerpt: str | None
    content: Markup | None
    enclosures: tuple[Enclosure, ...]
    also_in: tuple[SourceLink, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """What one source has on one day, newest first."""

    source: SourceLink
    shown: tuple[Post, ...]
    folded: tuple[Post, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A day with its posts, by source; the source with the newest post comes first."""

    iso: str
    weekday: str
    date: str
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """A month in the archive."""

    name: str
    href: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Year:
    """A year in the archive, its newest month first."""

    number: int
    months: tuple[Month, ...]
