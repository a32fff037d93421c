"""Sources, and their posts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

    from planet.render.context.frame import Moment, Tag


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLink:
    """A source where it is named beside a post."""

    title: str
    href: str | None
    monogram: str
    hue: int
    image: str | None


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
    tags: tuple[Tag, ...]
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
class Picked:
    """What is said of an episode because it was picked."""

    note: str | None
    published: Moment | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListName:
    """A list that episodes are picked for."""

    name: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """How an episode is picked from its source's page, and put back."""

    episode: str
    token: str | None
    lists: tuple[ListName, ...]
    picked_for: tuple[ListName, ...]
    link: str | None


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
    picked: Picked | None
    pick: Pick | None


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
    posts: tuple[Post, ...]
    groups: tuple[Group, ...]
