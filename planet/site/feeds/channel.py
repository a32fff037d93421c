"""The feeds of a site, their formats, and the facts of each."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from planet.model import Person
from planet.site.feeds.facts import own_feed
from planet.text import media
from planet.text.plain import language_tag

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.model import Edition, Post, Source, Tag
    from planet.site.words import Words


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


class SiteFeed(NamedTuple):
    """A published feed or list of sources, or a source's own feed."""

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
        # A source's own feed may be RSS of articles, which is none of the formats here.
        return FORMATS["podcast" if self.format == "rss" else self.format].media_type


def own_feed_of(source: Source) -> tuple[SiteFeed, ...]:
    """Return the source's own feed, where readers can subscribe to one."""
    format_, own = source.own_format, own_feed(source)
    return (SiteFeed(format=format_, of=source.title, own_address=own),) if format_ and own else ()


def feeds_of_posts(edition: Edition) -> tuple[SiteFeed, ...]:
    """Return the feeds with all posts of the planet."""
    return _feeds_of(edition.title, "", "atom", "json")


def feeds_of_planet(edition: Edition) -> tuple[SiteFeed, ...]:
    """Return all feeds of the planet as a whole: first the format for most apps, OPML last."""
    podcast = (podcast_of(edition),) if edition.has_podcast else ()
    digest = () if edition.digests is None else (digest_of(edition),)
    opml = _feeds_of(edition.title, "", "opml")
    return (*feeds_of_posts(edition), *podcast, *digest, *opml)


def podcast_of(edition: Edition) -> SiteFeed:
    """Return the planet's own podcast feed."""
    title = edition.podcast.title or edition.title
    return SiteFeed(format="podcast", of=title, page="podcast/index.html")


def digest_of(edition: Edition) -> SiteFeed:
    """Return the feed of digests."""
    return SiteFeed(format="digest", of=edition.title, page="digest/index.html")


def feeds_of_source(edition: Edition, source: Source) -> tuple[SiteFeed, ...]:
    """Return the site's feeds of one source."""
    if not source.has_feeds:
        return ()
    timeline = edition.timeline
    plays = source.key in timeline.playable or source.key in timeline.playable_undated
    return _feeds_of(source.title, source.folder, "atom", "json", *["podcast"] * plays)


def feeds_of_tag(edition: Edition, tag: Tag) -> tuple[SiteFeed, ...]:
    """Return the feeds of the sources with a tag, and the list of them."""
    plays = any(source.key in edition.timeline.playable for source in edition.tagged(tag))
    title = f"{edition.title}: {tag.name}"
    return _feeds_of(title, tag.folder, "atom", "json", *["podcast"] * plays, "opml")


def _feeds_of(of: str, folder: str, *formats: str) -> tuple[SiteFeed, ...]:
    return tuple(SiteFeed(format=name, of=of, folder=folder) for name in formats)


EMPTY = datetime(2000, 1, 1, tzinfo=UTC)
"""When a feed last changed that never held anything."""


class Channel(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of a feed in every format: of the planet, or of a part."""

    site: str | None
    """The address of the site, ending in a slash."""
    folder: str = ""
    """The folder of the files on the site: empty, or ending in a slash."""
    file: str = "atom.xml"
    """The name of the Atom document."""
    seed: str
    """The seed of the id where the site has no address."""
    title: str
    author: Person
    words: Words
    """The words of Planet itself, in the language of the planet."""
    description: str | None = None
    language: str | None = None
    page: str | None = None
    """The address of the page that shows the same posts."""
    image: str | None = None
    icon: str | None = None
    """A small square one."""
    category: str = "News"
    """One of Apple's categories of podcasts, a subcategory after its category."""
    rights: str | None = None
    hub: str | None = None
    """The WebSub hub that hears of changes; None for a feed without an address."""
    mixed: bool = False
    """Whether posts of several sources meet, so that each has to name its own."""
    count: int | None = None
    """How many posts the planet has, also those that are in no feed; None in feeds of a part."""

    def address(self, name: str) -> str | None:
        """Return the address of the file of this name; None for a site without an address."""
        return on_site(f"{self.folder}{name}", self.site)

    def id_of_digest(self, name: str) -> str:
        """Return the id of the digest of this name."""
        return self.address(f"digest/{name}/") or _urn(f"{self.seed}{name}/")

    @property
    def id(self) -> str:
        """Return the Atom id: the address, else a UUID of the seed.

        RFC 4287 §4.2.6 wants a permanent id; a planet without an address has nothing steadier than
        a title.
        """
        return self.address(self.file) or _urn(self.seed)


def _urn(seed: str) -> str:
    """Return the UUID of a seed."""
    return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, seed)}"


def of_planet(edition: Edition) -> Channel:
    """Return the channel of all posts of an edition."""
    from planet.site.words import speak

    owner = edition.owner
    return Channel(
        site=edition.link,
        seed=edition.title,
        title=edition.title,
        author=Person(name=owner.name or edition.title, url=owner.url),
        words=speak(edition.language),
        description=edition.description,
        language=language_tag(edition.language),
        page=edition.link,
        hub=edition.hub if edition.link else None,
        mixed=True,
        count=edition.count,
    )


def of_source(planet: Channel, source: Source) -> Channel:
    """Return the channel of the posts of one source, from the planet's channel."""
    return replace(
        planet,
        folder=source.folder,
        seed=f"{planet.seed}\n{source.key}",
        title=source.title,
        author=Person(name=source.author or source.title, url=source.link),
        description=source.description,
        language=language_tag(source.language) or planet.language,
        page=on_site(source.folder, planet.site) or source.link,
        image=source.image or on_site(source.face, planet.site),
        rights=source.rights,
        mixed=False,
        count=None,
    )


def of_folder(planet: Channel, folder: str, name: str) -> Channel:
    """Return the planet's channel, moved to a folder and the page there, with a name added."""
    return replace(
        planet,
        folder=folder,
        # No key of a source begins with a line end, so no source has the same seed.
        seed=f"{planet.seed}\n\n{folder}",
        title=f"{planet.title}: {name}",
        description=None,
        page=on_site(folder, planet.site),
        count=None,
    )


def newest_change(posts: Sequence[Post]) -> datetime:
    """Return the newest change of these posts; a fixed date in the past for none."""
    return max((post.modified for post in posts), default=EMPTY)


class Cover(msgspec.Struct, frozen=True, kw_only=True):
    """A cover; the address is None where the site has none."""

    address: str | None
    path: str = ""
    """Where on the site the image is to be published."""
    image: bytes = b""


def cover(edition: Edition, theme: str | None) -> Cover:
    """Return the operator's cover, else the theme's, at the path `theme` of the site.

    Raises:
        OSError: the file of the cover cannot be read.
    """
    own = edition.podcast.cover
    if isinstance(own, Path):
        # Read now: what is published is what its fingerprint was made of.
        image = own.read_bytes()
        path = media.cover_path(image)
        return Cover(address=on_site(path, edition.link), path=path, image=image)
    return Cover(address=own or on_site(theme, edition.link))


def on_site(path: str | None, site: str | None) -> str | None:
    """Return the address of a file or folder at this path of the site; None without either."""
    return None if site is None or path is None else f"{site}{path}"
