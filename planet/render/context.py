"""What a template can see: the nouns of `docs/themes.md`, and nothing of the model itself.

Each page gets the three variables of `Common` and the fields of its own class below, named after
its template. Text is plain and is escaped where it is written; `content` alone is HTML, and clean.
Addresses are ready for an `href`: relative to the page, or http and https.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from markupsafe import Markup

    from planet.render.words import Words


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


# The variables of each template


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """Every template."""

    site: Site
    page: Page
    words: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPage:
    """`front.html`, the newest posts."""

    days: tuple[Day, ...]
    updated: Moment | None
    older: Month | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthPage:
    """`month.html`, all posts of a month."""

    days: tuple[Day, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivePage:
    """`archive.html`, all months."""

    years: tuple[Year, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePage:
    """`source.html`, one source with its newest posts."""

    source: Source
    posts: tuple[Post, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesPage:
    """`sources.html`, all sources by title."""

    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscribePage:
    """`subscribe.html`, what there is to subscribe to."""

    feeds: tuple[FeedLink, ...]
    opml: FeedLink


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPage:
    """`404.html`, shown by the host in place of what is not there."""


PageBody: TypeAlias = (
    FrontPage | MonthPage | ArchivePage | SourcePage | SourcesPage | SubscribePage | MissingPage
)

PAGES: Mapping[str, type[PageBody]] = {
    "front": FrontPage,
    "month": MonthPage,
    "archive": ArchivePage,
    "source": SourcePage,
    "sources": SourcesPage,
    "subscribe": SubscribePage,
    "404": MissingPage,
}
"""The kinds of pages; each has a template of its name."""
