"""What pages are made of, besides plain values and nouns of the model.

The repr of each row stands for all that is shown of it: a page's fingerprint is made of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from planet.model import ContentMode, Images
from planet.site.pages.readable import find_picture
from planet.text.profiles import is_mail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date, datetime

    from planet.model import (
        Contents,
        FeedHealth,
        GivenUp,
        Html,
        Post,
        ProfileLink,
        Source,
        Tag,
    )
    from planet.site.pages.frame import SiteFeed


T = TypeVar("T")
MAX_WEIGHT = 150_000
"""Characters of texts on one page, but for those of a single post."""


class PageRange(NamedTuple):
    """The posts of one of the pages that posts are parted into, as places in these."""

    number: int | None
    """Of the page, counted from the oldest; None for the page of the newest posts."""
    start: int
    stop: int


def part_into_pages(posts: int, at_least: int) -> list[PageRange]:
    """Part posts, the newest first, into pages of which none has twice as many as the others.

    Only a page with exactly `at_least` posts has a number: that page has the same posts and the
    same address when another post comes.
    """
    full = max(posts // at_least - 1, 0)
    starts = range(posts - full * at_least, posts, at_least)
    numbered = [
        PageRange(full - place, start, start + at_least) for place, start in enumerate(starts)
    ]
    return [PageRange(None, 0, posts - full * at_least), *numbered]


class Neighbours(NamedTuple, Generic[T]):
    """A page, and those that it leads to on both sides."""

    newer: T | None
    page: T
    older: T | None


def with_neighbours(pages: Sequence[T]) -> Iterator[Neighbours[T]]:
    """Yield pages, the newest first, each with the newer and the older one beside it."""
    beside = zip([None, *pages], pages, [*pages[1:], None], strict=False)
    return (Neighbours(newer, page, older) for newer, page, older in beside)


@dataclass(frozen=True, slots=True, kw_only=True)
class PostRows:
    """Posts and perhaps their texts, which are read when a page is drawn, and not before."""

    fingerprint: tuple[object, ...]
    """Changes when other posts are shown, or anything that is shown of one of them."""
    load: Callable[[], Iterable[Post]] = field(repr=False)
    rest: tuple[DayRest, ...] = ()
    """What the page does not show of their days, where it leads to that."""
    images: Images | None = None
    """How images in the texts are shown; None where there are no texts."""
    contents: Contents | None = field(default=None, repr=False)
    """Gives the texts, which change with the fingerprint and with `images` only."""
    has_pictures: bool = False
    """Whether a picture of each text is shown, and not the text."""

    @classmethod
    def of(cls, posts: Sequence[Post]) -> PostRows:
        """Take posts that are read already, without their texts."""
        fingerprint = tuple(post.fingerprint for post in posts)
        return cls(fingerprint=fingerprint, load=lambda: posts)

    def read(self) -> tuple[Post, ...]:
        """Read the posts, in the order in which they are shown."""
        return tuple(self.load())

    def read_texts(self, posts: Iterable[Post]) -> Mapping[int, Html]:
        """Return the texts that are shown of these posts, by the numbers of their entries.

        They are those of the first posts until the page is heavy; the others have first words only.
        """
        if self.has_pictures:
            return {}
        posts = tuple(posts)
        texts, weight = self._read(posts), 0
        shown: dict[int, Html] = {}
        for number in (post.entry.number for post in posts):
            if number in texts and (not shown or weight + len(texts[number]) <= MAX_WEIGHT):
                shown[number] = texts[number]
                weight += len(texts[number])
        return shown

    def read_pictures(self, posts: Iterable[Post]) -> Mapping[int, str]:
        """Return the addresses of the pictures of posts, by the numbers of their entries.

        They are of posts whose images are shown: the first large one of the text, else the one that
        the feed names for the entry.
        """
        if not self.has_pictures:
            return {}
        shown = [
            post
            for post in posts
            if post.source.images is Images.LAZY and post.source.content is not ContentMode.TITLE
        ]
        texts = self._read(shown)
        found = {
            post.entry.number: find_picture(texts.get(post.entry.number, "")) or post.entry.image
            for post in shown
        }
        return {number: url for number, url in found.items() if url}

    def _read(self, posts: Iterable[Post]) -> Mapping[int, Html]:
        full = [post.entry.number for post in posts if post.source.content is ContentMode.FULL]
        return self.contents(full) if full and self.contents else {}


class SourceName(NamedTuple):
    """A source as it stands beside its posts."""

    slug: str
    title: str
    face: str | None
    home: str | None
    """Its website; the name leads there if the source has no page here."""
    extra: tuple[tuple[str, str], ...] = ()

    @property
    def page(self) -> str:
        """Return where its page is, relative to the site's root."""
        return f"source/{self.slug}/index.html"

    @classmethod
    def of(cls, source: Source) -> SourceName:
        """Take from a source what its name is shown with."""
        return cls(source.slug, source.title, source.face, source.link, source.extra)


class SourcesBeside(NamedTuple):
    """The sources that the front page names beside posts, and how many there are."""

    names: tuple[SourceName, ...]
    total: int


class Freshness(NamedTuple):
    """How new what a page shows is."""

    updated: datetime | None
    """The newest change in the planet; None without posts."""
    as_of: datetime | None
    """When a feed was last asked."""


class SourceDetails(NamedTuple):
    """A source as its own page and the list of sources present it."""

    name: SourceName
    link: str | None
    links: tuple[ProfileLink, ...]
    description: str | None
    newest: datetime | None
    posts: int
    """How many it has."""
    tags: tuple[Tag, ...]
    # Of its health, all but what changes with each request.
    trouble: str | None
    trouble_since: datetime | None
    given_up: GivenUp | None
    given_up_at: datetime | None
    is_archived: bool
    quiet_since: datetime | None
    moved_to: str | None

    @classmethod
    def of(cls, source: Source, tags: Iterable[Tag]) -> SourceDetails:
        """Take from a source all that changes seldom; `tags` are its own."""
        health = source.standing
        return cls(
            name=SourceName.of(source),
            link=source.link,
            links=source.links,
            description=source.description,
            newest=source.newest,
            posts=source.count,
            tags=tuple(tags),
            trouble=health.trouble,
            trouble_since=health.trouble_since,
            given_up=health.given_up,
            given_up_at=health.given_up_at,
            is_archived=health.is_archived,
            quiet_since=health.quiet_since,
            moved_to=health.moved_to,
        )

    def without_mail(self) -> SourceDetails:
        """Return it without addresses for mail: harvesters look for pages with many of them."""
        return self._replace(links=tuple(link for link in self.links if not is_mail(link.url)))


class SourceHealth(NamedTuple):
    """A source as the page for operators presents it."""

    name: SourceName
    health: FeedHealth


class DayPlace(NamedTuple):
    """A day in the archive."""

    day: date
    has_page: bool
    """Whether it has a page of its own, and is not a part of its month's."""
    number: int | None = None
    """That of a page of older posts of the day, as in `PageRange`."""


class PagePlace(NamedTuple):
    """A page that another one leads on to."""

    title: str
    path: str


class DayRest(NamedTuple):
    """What a page does not show of a day."""

    place: DayPlace
    posts: int
    """How many posts; those of sources that are on the page are among them."""
    sources: tuple[tuple[str, int], ...]
    """How many of each source that is on the page, by its key."""


class DayCount(NamedTuple):
    """A day with how many posts it has."""

    place: DayPlace
    posts: int


class DigestName(NamedTuple):
    """A digest where it is listed."""

    name: str
    due_at: datetime
    posts: int
    """How many it tells of."""


class PodcastRow(NamedTuple):
    """A podcast feed of the site as its page presents it."""

    title: str
    description: str | None
    cover: str | None
    """The address of its image, of the web or relative to the site's root."""
    feed: SiteFeed


class LinkRow(NamedTuple):
    """An address that posts link to."""

    address: str
    title: str | None
    own: PostRows
    """The post at the address, if it is one of the planet's."""
    sources: int
    """How many link to it."""
    posts: PostRows
    """The newest posts that link to it, one of each source."""
