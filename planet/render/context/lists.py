"""Months, podcasts, digests and links: in what else posts are found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planet.render.context.frame import FeedLink, Moment
    from planet.render.context.posts import Post, SourceLink


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
    href: str
    months: tuple[Month, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Podcast:
    """A podcast feed of the site, as its page presents it."""

    title: str
    description: str | None
    cover: str | None
    feed: FeedLink


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestItem:
    """A post as a digest tells it."""

    heading: str
    href: str | None
    summary: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestSection:
    """What a digest tells of one source."""

    title: str
    home: str | None
    items: tuple[DigestItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """What came in a day or a week."""

    date: str
    since: Moment
    until: Moment
    count: int
    sections: tuple[DigestSection, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestLink:
    """A digest where it is listed."""

    iso: str
    date: str
    href: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """An address that posts link to."""

    title: str
    href: str
    source: SourceLink | None
    count: int
    posts: tuple[Post, ...]
