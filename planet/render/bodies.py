"""The variables of each template: those of `Common`, and those of its own class here.

With the nouns of `context` this is all that a theme can see; `docs/themes.md` says it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.render.context import (
        Day,
        FeedLink,
        Moment,
        Month,
        Page,
        Post,
        Site,
        Source,
        Year,
    )
    from planet.render.words import Words


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
    as_of: Moment | None


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
