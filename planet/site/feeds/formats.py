"""The feeds of a site: of the planet, its sources and tags, each in some formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from planet.site.feeds.facts import own_feed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.model import Edition, Source, Tag


class Format(NamedTuple):
    """A format in which feeds come out."""

    file: str
    media_type: str


# RFC 4287 §7, RSS Advisory Board, JSON Feed 1.1 and OPML 2.0 name these types.
FORMATS: Mapping[str, Format] = {
    "atom": Format("atom.xml", "application/atom+xml"),
    "json": Format("feed.json", "application/feed+json"),
    "podcast": Format("podcast.xml", "application/rss+xml"),
    "digest": Format("digest.xml", "application/atom+xml"),
    "opml": Format("opml.xml", "text/x-opml"),
}
"""Every format, by the word for it (`words.atom`, `words.atom_hint`)."""

MEDIA_TYPES: Mapping[str, str] = {
    # A source's own feed may be one of articles.
    "rss": "application/rss+xml",
    **{name: format_.media_type for name, format_ in FORMATS.items()},
}
"""The media type of each format."""


class SiteFeed(NamedTuple):
    """A feed that comes out, or a list of sources; or the feed that a source has itself."""

    # There are several for each page, and each goes into its fingerprint: a tuple is quickly told.

    format: str
    of: str
    """The title of the planet, or of the source."""
    folder: str = ""
    """The folder: an address relative to the site's root, empty or ending in a slash."""
    page: str | None = None
    """The page that shows the same, relative to the site's root."""
    own_address: str | None = None
    """The address of a source's own feed."""

    @property
    def path(self) -> str:
        """Return the address relative to the site's root."""
        return self.folder + FORMATS[self.format].file

    @property
    def media_type(self) -> str:
        """Return the media type."""
        return MEDIA_TYPES[self.format]


def own_feed_of(source: Source) -> tuple[SiteFeed, ...]:
    """Return the source's own feed, where readers can subscribe to that."""
    own = own_feed(source)
    if not source.own_format or not own:
        return ()
    return (SiteFeed(format=source.own_format, of=source.title, own_address=own),)


def of_posts(edition: Edition) -> tuple[SiteFeed, ...]:
    """Return the feeds that hold all posts of the planet."""
    return _of_posts(edition.title, "", playable=False)


def of_planet(edition: Edition) -> tuple[SiteFeed, ...]:
    """Return all feeds of the planet as a whole, the one that most apps read first, OPML last."""
    podcast = (podcast_of(edition),) if edition.has_podcast else ()
    digest = () if edition.digests is None else (digest_of(edition),)
    return (*of_posts(edition), *podcast, *digest, SiteFeed(format="opml", of=edition.title))


def podcast_of(edition: Edition) -> SiteFeed:
    """Return the planet's own podcast feed."""
    title = edition.podcast.title or edition.title
    return SiteFeed(format="podcast", of=title, page="podcast/index.html")


def digest_of(edition: Edition) -> SiteFeed:
    """Return the feed of digests."""
    return SiteFeed(format="digest", of=edition.title, page="digest/index.html")


def of_source(edition: Edition, source: Source) -> tuple[SiteFeed, ...]:
    """Return the feeds that the site has of one source."""
    if not source.has_feeds:
        return ()
    timeline = edition.timeline
    playable = source.key in timeline.playable or source.key in timeline.playable_undated
    return _of_posts(source.title, source.folder, playable=playable)


def of_tag(edition: Edition, tag: Tag) -> tuple[SiteFeed, ...]:
    """Return the feeds of the sources with a tag, and the list of them."""
    playable = any(source.key in edition.timeline.playable for source in edition.tagged(tag))
    title, folder = f"{edition.title}: {tag.name}", tag.folder
    opml = SiteFeed(format="opml", of=title, folder=folder)
    return (*_of_posts(title, folder, playable=playable), opml)


def _of_posts(of: str, folder: str, *, playable: bool) -> tuple[SiteFeed, ...]:
    names = ("atom", "json", "podcast") if playable else ("atom", "json")
    return tuple(SiteFeed(format=name, of=of, folder=folder) for name in names)
