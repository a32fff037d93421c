"""A published feed, apart from posts: its owner, title and address."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from planet.model import Person
from planet.text import media
from planet.text.languages import language_tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planet.model import Edition, Podcast, Post, Source, Tag
    from planet.site.words import Words


EMPTY = datetime(2000, 1, 1, tzinfo=UTC)
"""When a feed last changed that never held anything."""


class Channel(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of a feed in every format: of the planet, or of a part."""

    site: str | None
    """The address of the site, ending in a slash."""
    folder: str
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
        return None if self.site is None else f"{self.site}{self.folder}{name}"

    def id_of_digest(self, name: str) -> str:
        """Return the id of the digest of this name."""
        return self.address(f"digest/{name}/") or urn(f"{self.seed}{name}/")

    @property
    def id(self) -> str:
        """Return the Atom id: the address, else a UUID of the seed.

        RFC 4287 §4.2.6 wants an id that never changes; a planet without an address has nothing
        steadier than a title.
        """
        return self.address(self.file) or urn(self.seed)


def urn(seed: str) -> str:
    """Return an id that depends on the seed alone."""
    return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, seed)}"


def of_planet(edition: Edition) -> Channel:
    """Return the channel of all posts of an edition."""
    from planet.site.words import speak

    owner = edition.owner
    return Channel(
        site=edition.link,
        folder="",
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


def of_source(edition: Edition, source: Source) -> Channel:
    """Return the channel of the posts of one source."""
    from planet.site.words import speak

    return Channel(
        site=edition.link,
        folder=source.folder,
        seed=f"{edition.title}\n{source.key}",
        title=source.title,
        author=Person(name=source.author or source.title, url=source.link),
        words=speak(edition.language),
        description=source.description,
        language=language_tag(source.language) or language_tag(edition.language),
        page=source.link if edition.link is None else f"{edition.link}{source.folder}",
        image=source.image or on_site(source.face, edition.link),
        rights=source.rights,
        hub=edition.hub if edition.link else None,
    )


def of_tag(edition: Edition, tag: Tag) -> Channel:
    """Return the channel of the posts of the sources with a tag."""
    channel = _in_folder(edition, tag.folder)
    return replace(channel, title=f"{edition.title}: {tag.name}", description=None)


def of_digests(edition: Edition) -> Channel:
    """Return the channel of digests, at the root of the site."""
    channel = _in_folder(edition, "digest/")
    title = f"{edition.title}: {channel.words.digests}"
    return replace(channel, folder="", file="digest.xml", title=title, description=None)


def _in_folder(edition: Edition, folder: str) -> Channel:
    """Return the planet's channel, moved to this folder and its page."""
    page = None if edition.link is None else f"{edition.link}{folder}"
    # No key of a source begins with a line end, so no source has the same seed.
    seed = f"{edition.title}\n\n{folder}"
    return replace(of_planet(edition), folder=folder, seed=seed, page=page, count=None)


def newest_change(posts: Sequence[Post]) -> datetime:
    """Return the newest change of these posts; a fixed date in the past for none."""
    return max((post.modified for post in posts), default=EMPTY)


class Cover(msgspec.Struct, frozen=True, kw_only=True):
    """A cover; the address is None where the site has none."""

    address: str | None
    path: str = ""
    """Where on the site the image is to be published."""
    image: bytes = b""


def cover(podcast: Podcast, *, site: str | None, theme: str | None) -> Cover:
    """Return the operator's cover, else that of the theme, at the path `theme` of the site.

    Raises:
        OSError: the file of the cover cannot be read.
    """
    if isinstance(podcast.cover, Path):
        # Read now: what is published is what its fingerprint was made of.
        image = podcast.cover.read_bytes()
        path = media.cover_path(image)
        return Cover(address=on_site(path, site), path=path, image=image)
    return Cover(address=podcast.cover or on_site(theme, site))


def on_site(path: str | None, site: str | None) -> str | None:
    """Return the address of an image at this path of the site; None without either."""
    return None if site is None or path is None else f"{site}{path}"
