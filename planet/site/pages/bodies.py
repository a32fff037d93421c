"""The variables of each template: those of `Common`, and those of its own class here.

With the nouns of `context` this is all that a theme can see; `docs/themes.md` says it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.model import OptionValue
    from planet.site.pages.context import (
        Day,
        Digest,
        DigestLink,
        FeedLink,
        Linked,
        Moment,
        Month,
        Page,
        Podcast,
        Post,
        Site,
        Slots,
        Source,
        SourceLink,
        Tag,
        Year,
    )
    from planet.site.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """Every template."""

    site: Site
    page: Page
    words: Words
    options: Mapping[str, OptionValue]
    slots: Slots


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBody:
    """What a page brings to its template besides what is common."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPage(PageBody):
    """`front.html`, the newest posts."""

    days: tuple[Day, ...]
    sources: tuple[SourceLink, ...]
    updated: Moment | None
    older: Month | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthPage(PageBody):
    """`month.html`, all posts of a month."""

    days: tuple[Day, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivePage(PageBody):
    """`archive.html`, all months."""

    years: tuple[Year, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class YearPage(PageBody):
    """`year.html`, the months of a year."""

    year: Year


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePage(PageBody):
    """`source.html`, one source with its newest posts."""

    source: Source
    posts: tuple[Post, ...]
    episodes: tuple[Post, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TagPage(PageBody):
    """`tag.html`, the newest posts of the sources with a tag."""

    days: tuple[Day, ...]
    sources: tuple[SourceLink, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PodcastPage(PageBody):
    """`podcast.html` and `list.html`, the episodes of a podcast feed."""

    podcast: Podcast
    episodes: tuple[Post, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestPage(PageBody):
    """`digest.html`, one digest."""

    digest: Digest


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestsPage(PageBody):
    """`digests.html`, the newest digest, and where the others are."""

    digest: Digest | None
    earlier: tuple[DigestLink, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesPage(PageBody):
    """`sources.html`, all sources by title."""

    sources: tuple[Source, ...]
    tags: tuple[Tag, ...]
    as_of: Moment | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscribePage(PageBody):
    """`subscribe.html`, what there is to subscribe to."""

    feeds: tuple[FeedLink, ...]
    lists: tuple[FeedLink, ...]
    opml: FeedLink


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksPage(PageBody):
    """`links.html`, what posts link to."""

    links: tuple[Linked, ...]
    is_shared: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutPage(PageBody):
    """`about.html`, what the planet is, and whom to write to."""

    sources: int
    posts: int
    email: str | None
    home: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage(PageBody):
    """`search.html`, on which posts are searched; there only if `site.search`."""

    posts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPage(PageBody):
    """`404.html`, shown by the host in place of what is not there."""


PAGES: Mapping[str, type[PageBody]] = {
    "front": FrontPage,
    "month": MonthPage,
    "archive": ArchivePage,
    "year": YearPage,
    "source": SourcePage,
    "tag": TagPage,
    "podcast": PodcastPage,
    "list": PodcastPage,
    "digest": DigestPage,
    "digests": DigestsPage,
    "sources": SourcesPage,
    "subscribe": SubscribePage,
    "links": LinksPage,
    "about": AboutPage,
    "search": SearchPage,
    "404": MissingPage,
}
"""Every kind of page, by the name of its template; a new one is a row here."""
