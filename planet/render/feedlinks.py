"""Where the feeds of a site are, as its pages name them. `planet.feeds` makes the feeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planet import media
from planet.render import context
from planet.render.places import href, list_folder, source_folder, tag_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planet.model import Edition, PickList, Post, Source, Tag
    from planet.render.present import Presenter

# RFC 4287 §7, RSS Advisory Board, JSON Feed 1.1 and OPML 2.0 name these types.
FORMATS = {
    "atom": ("atom.xml", "application/atom+xml"),
    "json": ("feed.json", "application/feed+json"),
    "podcast": ("podcast.xml", "application/rss+xml"),
    "digest": ("digest.xml", "application/atom+xml"),
    "opml": ("opml.xml", "text/x-opml"),
}
"""The file of each format, and its media type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFeed:
    """A feed that comes out, or a list of sources."""

    format: str
    title: str
    """Of what it is a feed: the planet's title, a source's, a list's."""
    folder: str = ""
    """Where it is: an address relative to the site's root, empty or ending in a slash."""
    page: str | None = None
    """The page that shows the same, relative to the site's root."""
    name: str | None = None
    """What it is called; None is the word for its format."""
    hint: str | None = None
    """What is in it; None is what its format is good for."""

    @property
    def path(self) -> str:
        """Its address relative to the site's root."""
        return self.folder + FORMATS[self.format][0]

    @property
    def media_type(self) -> str:
        """Its media type."""
        return FORMATS[self.format][1]

    def link(self, presenter: Presenter) -> context.FeedLink:
        """A link to it."""
        word = getattr(presenter.words, self.format)
        return context.FeedLink(
            name=self.name or word,
            title=f"{self.title} – {word}",
            hint=self.hint or getattr(presenter.words, f"{self.format}_hint"),
            href=f"{presenter.root}{self.path}",
            address=href(presenter.link and f"{presenter.link}{self.path}"),
            media_type=self.media_type,
            format=self.format,
            page=self.page and presenter.root + self.page,
        )


def of_posts(edition: Edition) -> tuple[SiteFeed, ...]:
    """The feeds that hold all posts of the planet: those that every planet has."""
    return tuple(SiteFeed(format=format_, title=edition.title) for format_ in ("atom", "json"))


def of_planet(edition: Edition) -> tuple[SiteFeed, ...]:
    """All feeds of the planet as a whole, the one that most apps read first."""
    podcast = (podcast_of(edition),) if has_podcast(edition.posts) else ()
    digest = () if edition.digests is None else (digest_of(edition),)
    return (*of_posts(edition), *podcast, *digest)


def podcast_of(edition: Edition) -> SiteFeed:
    """The planet's own podcast feed."""
    title = edition.podcast.title or edition.title
    return SiteFeed(format="podcast", title=title, page="podcast/index.html")


def digest_of(edition: Edition) -> SiteFeed:
    """The feed of digests."""
    return SiteFeed(format="digest", title=edition.title, page="digest/index.html")


def opml_of(edition: Edition) -> SiteFeed:
    """The list of all sources."""
    return SiteFeed(format="opml", title=edition.title)


def of_source(source: Source, posts: Iterable[Post]) -> tuple[SiteFeed, ...]:
    """The feeds of one source with these posts."""
    return _beside(source.title, source_folder(source), posts)


def of_tag(edition: Edition, tag: Tag, posts: Iterable[Post]) -> tuple[SiteFeed, ...]:
    """The feeds of the sources with a tag, which have these posts, and the list of them."""
    title, folder = f"{edition.title}: {tag.name}", tag_folder(tag)
    opml = SiteFeed(format="opml", title=title, folder=folder)
    return (*_beside(title, folder, posts), opml)


def of_list(listed: PickList) -> tuple[SiteFeed, ...]:
    """The feeds of a list of picked episodes, its podcast first."""
    title, folder = listed.podcast.title or listed.name, list_folder(listed)
    podcast = SiteFeed(
        format="podcast",
        title=title,
        folder=folder,
        page=f"{folder}index.html",
        name=title,
        hint=listed.podcast.description,
    )
    return podcast, SiteFeed(format="atom", title=title, folder=folder)


def has_podcast(posts: Iterable[Post]) -> bool:
    """Whether a podcast feed is made from these posts: one of them has something to play."""
    return any(media.playable(post.entry) for post in posts if post.entry.enclosures)


def _beside(title: str, folder: str, posts: Iterable[Post]) -> tuple[SiteFeed, ...]:
    formats = ("atom", "json", "podcast") if has_podcast(posts) else ("atom", "json")
    return tuple(SiteFeed(format=format_, title=title, folder=folder) for format_ in formats)
