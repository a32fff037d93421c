"""A feed that comes out, apart from its posts: whose it is, what it is called, where it is."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from planet import __version__
from planet.feeds import language, sources
from planet.model import Person

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planet.model import Edition, Post, Source

GENERATOR = "Planet"
GENERATOR_URL = "https://github.com/planet-digest/planet"
GENERATOR_VERSION = __version__

_EMPTY = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """What every format says of a feed, the planet's own or one source's."""

    site: str | None
    """The address of the site, ending in a slash."""
    folder: str
    """Where its files are on the site: empty, or ending in a slash."""
    seed: str
    """What its id is made of where the site has no address."""
    title: str
    author: Person
    description: str | None = None
    language: str | None = None
    page: str | None = None
    """The address of the page that shows the same posts."""
    image: str | None = None
    rights: str | None = None
    mixed: bool = False
    """Whether posts of several sources meet in it, so that each has to name its own."""

    def address(self, name: str) -> str | None:
        """Where its file of this name is published, if that is known."""
        return None if self.site is None else f"{self.site}{self.folder}{name}"

    @property
    def id(self) -> str:
        """Its Atom id: where it is published, else a UUID that depends on the titles alone.

        RFC 4287 §4.2.6 wants an id that never changes; a planet without an address has nothing
        steadier than what it is called.
        """
        address = self.address("atom.xml")
        return address or f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, self.seed)}"


def of_planet(edition: Edition) -> Channel:
    """The feed of everything an edition shows."""
    owner = edition.owner
    return Channel(
        site=edition.link,
        folder="",
        seed=edition.title,
        title=edition.title,
        author=Person(name=owner.name or edition.title, url=owner.url),
        description=edition.description,
        language=language.tag(edition.language),
        page=edition.link,
        mixed=True,
    )


def of_source(edition: Edition, source: Source) -> Channel:
    """The feed of what an edition shows of one source."""
    folder = sources.folder(source)
    return Channel(
        site=edition.link,
        folder=folder,
        seed=f"{edition.title}\n{source.key}",
        title=source.title,
        author=Person(name=source.author or source.title, url=source.link),
        description=source.description,
        language=language.tag(source.language) or language.tag(edition.language),
        page=source.link if edition.link is None else f"{edition.link}{folder}",
        image=source.image,
        rights=source.rights,
    )


def updated(posts: Sequence[Post]) -> datetime:
    """The newest change in a feed of these posts; a fixed date in the past when there is none."""
    return max((post.modified for post in posts), default=_EMPTY)
