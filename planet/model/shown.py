"""The posts of an edition, and the files of a site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from enum import IntEnum, StrEnum
from functools import cached_property, partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from planet.errors import Place
from planet.model.entry import Entry
from planet.model.feed import ContentMode, Images
from planet.model.parsed import Facts, ProfileLink, Text, Timestamp
from planet.model.state import DueReason, Failure, GivenUp, Health, Moved
from planet.model.timetable import Digest


class Linked(msgspec.Struct, frozen=True, kw_only=True):
    """An address that posts link to."""

    address: str
    post: Post | None = None
    """The post at that address, if the planet has one."""
    title: str | None = None
    """The words of posts' links, where one says more than "here"."""
    posts: tuple[Post, ...]
    """The newest linking post of each source, newest first."""


class LinkGraph(msgspec.Struct, frozen=True, kw_only=True):
    """Links of posts."""

    top: tuple[Linked, ...] = ()
    """The addresses linked to most by several sources; without any, the newest links."""
    is_shared: bool = False
    """Whether several sources link to each of `top`."""


def handle(feed: str, entry_id: str) -> str:
    """Return the name of an entry on a command line and in a form: ten hex digits."""
    identity = f"{feed}\n{entry_id}".encode(errors="surrogatepass")
    return blake2b(identity, digest_size=5).hexdigest()


class Show(msgspec.Struct, frozen=True, kw_only=True):
    """The podcast of an episode, as at the time of the pick."""

    title: str = ""
    url: Annotated[str | None, "web address"] = None
    """The address to subscribe to, if that may be told."""
    link: Annotated[str | None, "web address"] = None
    author: str | None = None
    image: Annotated[str | None, "web address"] = None
    language: Annotated[str | None, "language tag"] = None
    explicit: bool | None = None


class Pick(Facts, frozen=True, kw_only=True):
    """An episode with everything needed to publish it for ever, whatever becomes of the source."""

    title: str
    picked_at: Annotated[Timestamp, "named picked"]
    note: str | None = None
    """Why, in the operator's words: plain text."""
    show: Show = Show()
    feed: Annotated[str, "verbatim"] = ""
    """The key of the feed."""
    id: Annotated[str, "verbatim"] = ""
    """The id in the feed, as in `Entry`."""
    summary: str | None = None
    text: Annotated[Text | None, "named notes"] = None
    """The show notes as the feed sent them, or the operator changed them: untrusted."""
    place: Annotated[Place | None, "no setting"] = None


class Podcast(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of a podcast feed."""

    title: str | None = None
    """The title; else that of the planet."""
    description: str | None = None
    """What it is about; else the description of the planet."""
    cover: Annotated[str | Path | None, "picture"] = None
    """The image, square and 1400 to 3000 pixels wide: a file (JPEG or PNG) or a web address.
    Without it, that of the theme."""
    category: Annotated[str, "podcast category"] = "News"
    """One of Apple Podcasts, such as `Arts > Books`."""


SEARCHED = 5_000
"""How many posts can be searched: the newest."""


class Picking(StrEnum):
    """How readers of a source's page can pick an episode."""

    NONE = "none"
    FORM = "form"
    """With a button, on a page that `planet serve` shows to the operator."""
    LINK = "link"
    """With a link to a form in the planet's repository."""


class Pages(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of pages and feeds of the site."""

    front: Annotated[int, "count"] = 60
    """Posts on the front page."""
    feed: Annotated[int, "count"] = 60
    """Entries in the planet's own feeds."""
    per_source: Annotated[int, "count"] = 5
    """Posts of one source on one day of the front page, and in the planet's feeds, at most."""
    source: Annotated[int, "count"] = 20
    """Posts on a source's page, and entries in its feeds."""
    archive: Annotated[int, "no setting"] = 200
    """Posts on a page of a month before older ones go on on pages of their own."""
    images: Images = Images.LAZY
    """`lazy` loads images when they come into view, `linked` puts a link in their place, `none`
    their alternative text."""
    indexing: bool = False
    """Whether search engines may list the site."""
    picking: Annotated[Picking, "no setting"] = Picking.NONE
    script: bool = False
    """Whether pages have a small script (docs/machines.md)."""
    search: bool = False
    """Whether there is a page to search posts, with Pagefind (`pip install
    'planet-digest[search]'`)."""


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """Who runs the planet; shown on the site and in its feeds."""

    name: str | None = None
    """A person or a group."""
    email: Annotated[str | None, "mail address"] = None
    """A mail address, which is shown."""
    url: Annotated[str | None, "web address"] = None
    """A home page."""


TROUBLE = 3
"""Failures in a row from which on readers and operator are told: every feed fails now and then."""


class FeedHealth(msgspec.Struct, frozen=True, kw_only=True):
    """The health of a feed: one record for the pages, `health.json` and `planet status`.

    None is unknown, or not so; docs/machines.md describes the fields.
    """

    url: str | None = None
    host: str | None = None
    state: str = "ok"
    status: int | None = None
    asked_at: datetime | None = None
    succeeded_at: datetime | None = None
    changed_at: datetime | None = None
    posted_at: datetime | None = None
    quiet_since: datetime | None = None
    failures: int = 0
    failing_since: datetime | None = None
    error: str | None = None
    message: str | None = None
    last_failure: Failure | None = None
    given_up: GivenUp | None = None
    given_up_at: datetime | None = None
    due_at: datetime | None = None
    due_reason: DueReason | None = None
    rests_until: datetime | None = None
    learned_floor: timedelta | None = None
    moved: Moved | None = None
    identical_in_a_row: int = 0
    requests: Health = Health()

    @property
    def trouble(self) -> str | None:
        """Return the error after `TROUBLE` failures, or at once when the feed is given up."""
        return self.message if self.failures >= TROUBLE or self.given_up else None

    @property
    def is_archived(self) -> bool:
        """Return whether the feed has ended, and is not asked any more for that reason."""
        return self.state == "archived"

    @property
    def new_address(self) -> str | None:
        """Return the address to which the publisher moved the feed for good."""
        return self.moved.to if self.moved and self.moved.adopted else None

    @property
    def page_part(self) -> FeedHealth:
        """Return the part that pages show: the rest changes with each run."""
        return FeedHealth(
            state="archived" if self.is_archived else "ok",
            quiet_since=self.quiet_since,
            failures=TROUBLE if self.trouble else 0,
            failing_since=self.failing_since if self.trouble else None,
            message=self.trouble,
            given_up=self.given_up,
            given_up_at=self.given_up_at,
            moved=self.moved if self.new_address else None,
        )


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A feed as an edition shows it: the operator's words before the feed's own.

    Where a feed is another planet's, each feed that it says to carry is a source, too (`via`).
    """

    key: str
    slug: str
    """The name of its folder; empty for the show of a picked episode that is no source any more,
    and has no page here."""
    url: str
    """The address of the feed; empty when nobody is to know."""
    title: str
    id: str | None = None
    link: str | None = None
    description: str | None = None
    author: str | None = None
    image: str | None = None
    face: str | None = None
    """The path on the site of the picture, where that is published for themes."""
    language: str | None = None
    rights: str | None = None
    explicit: bool | None = None
    own_format: str | None = None
    """`atom`, `json` or `rss`: the format of the feed at `url`; None where readers cannot subscribe
    to that."""
    has_feeds: bool = False
    """Whether the site has feeds of the source."""
    links: tuple[ProfileLink, ...] = ()
    """Pages elsewhere of the author; not told with a post."""
    extra: tuple[tuple[str, str], ...] = ()
    """Names and texts that only templates of the operator's own know of."""
    tags: tuple[str, ...] = ()
    content: ContentMode = ContentMode.FULL
    images: Images = Images.LAZY
    """The fate of images in posts."""
    via: Source | None = None
    """The feed that carries the source, where that is another planet's."""
    newest: datetime | None = None
    """The date of the newest post in the edition; not told with a post."""
    count: int = 0
    """The number of posts in the edition; not told with a post."""
    standing: FeedHealth = FeedHealth()
    """Not told with a post."""

    @property
    def folder(self) -> str:
        """Return the address of page and feeds, relative to the site's root."""
        return f"source/{self.slug}/"


class Post(msgspec.Struct, frozen=True, kw_only=True):
    """An entry as an edition shows it."""

    entry: Entry
    source: Source
    uid: str
    """The id in every published feed: an absolute IRI."""
    when: datetime
    """The moment to file under, UTC."""
    day: date
    """The day of `when` in the edition's time zone."""
    also_in: tuple[Source, ...] = ()
    """Other sources that carry the same entry."""
    picked: Pick | None = None
    """Set for a picked episode, filed under the moment of the pick."""
    is_playable: bool = False
    """Whether there is audio or video."""
    fingerprint: str = ""
    """Changes whenever anything that is shown of the post does."""

    def __repr__(self) -> str:
        """Return id and fingerprint, which stand for the post in a hash."""
        return f"Post({self.uid} {self.fingerprint})"

    @property
    def arrival(self) -> datetime:
        """When it could first be read here: when first seen, but not before its own moment.

        A picked episode arrives when it is picked.
        """
        # What is dated in the future, and may be (`Future`), comes when that has come.
        return self.when if self.picked else max(self.entry.first_seen, self.when)

    @property
    def modified(self) -> datetime:
        """Return the moment of the last change, as far as the source says; never before `when`."""
        if self.entry.updated is None:
            return self.when
        # Feeds date edits in the future, too: what is certain is when the present form was seen.
        updated = min(self.entry.updated, self.entry.changed_at)
        return max(self.when, updated)


class Tag(msgspec.Struct, frozen=True, kw_only=True):
    """A group that the operator put sources into."""

    name: str
    slug: str
    """The name of the folder: a-z, 0-9 and "-"."""

    @property
    def folder(self) -> str:
        """Return the address of page and feeds, relative to the site's root."""
        return f"tag/{self.slug}/"


class FairShare(NamedTuple):
    """The newest posts of all sources, on one day no more of each than a share."""

    posts: tuple[Post, ...]
    rest: Mapping[date, Mapping[str, int]]
    """The posts of each day that are not among these: their number by the slug of their source,
    where others of the source are."""


def _order(post: Post) -> tuple[datetime, str, int]:
    return post.when, post.entry.identity[0], post.entry.number


class Timeline:
    """The posts of an edition, newest first, in memory.

    Posts of one moment stand by feed; those of one feed as the feed lists them.
    """

    def __init__(self, posts: Iterable[Post]) -> None:
        """Put posts into order, whatever order they come in."""
        ordered = sorted(posts, key=_order, reverse=True)
        self.dated = [post for post in ordered if not post.entry.is_timeless]
        """Those with a place among the others."""
        self.undated = [post for post in ordered if post.entry.is_timeless]
        """Those without, which only the page of their source shows."""

    def __len__(self) -> int:
        """Return how many posts there are, with a date and without."""
        return len(self.dated) + len(self.undated)

    @cached_property
    def days(self) -> Mapping[date, list[Post]]:
        """The dated posts by day, the newest first."""
        days: dict[date, list[Post]] = {}
        for post in self.dated:
            days.setdefault(post.day, []).append(post)
        return days

    @cached_property
    def playable(self) -> frozenset[str]:
        """The keys of the sources that have something to play among the dated posts."""
        return frozenset(post.source.key for post in self.dated if post.is_playable)

    @cached_property
    def playable_undated(self) -> frozenset[str]:
        """The same among the posts without a date."""
        return frozenset(post.source.key for post in self.undated if post.is_playable)

    def posts(
        self,
        limit: int | None = None,
        *,
        sources: Collection[str] | None = None,
        timeless: bool = False,
        arrived_after: datetime | None = None,
    ) -> Iterator[Post]:
        """Yield the newest posts, of all or of a part.

        With `timeless`, those without a date come last. `arrived_after` is held against
        `Post.arrival`.
        """
        posts: Iterable[Post] = (*self.dated, *self.undated) if timeless else self.dated
        if sources is not None:
            posts = (post for post in posts if post.source.key in sources)
        if arrived_after is not None:
            posts = (post for post in posts if post.arrival > arrived_after)
        return islice(posts, limit)

    def fair_share(self, limit: int, per_source: int) -> FairShare:
        """Return the newest posts, at most `per_source` of a source on one day, `limit` in all.

        Picked episodes are not counted as their source's: the operator chose each.
        """
        chosen: list[Post] = []
        rest: dict[date, Mapping[str, int]] = {}
        for day, posts in self.days.items():
            if len(chosen) >= limit:
                break
            counts, left, shown = Counter[str](), Counter[str](), set[str]()
            for post in posts:
                slug = post.source.slug
                counts[slug] += not post.picked
                if len(chosen) < limit and (post.picked or counts[slug] <= per_source):
                    chosen.append(post)
                    shown |= {slug} if not post.picked else set()
                elif not post.picked:
                    left[slug] += 1
            rest[day] = {slug: count for slug, count in left.items() if slug in shown}
        return FairShare(tuple(chosen), rest)


class Edition(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one site is made from: posts newest first, sources by title."""

    title: str
    link: str | None = None
    """The address the site is published at, ending in a slash; None when not configured."""
    description: str | None = None
    owner: Owner = Owner()
    language: str = "en"
    timezone: ZoneInfo
    hub: str | None = None
    """The WebSub hub that hears of changes."""
    repository: str | None = None
    """The page of the planet's repository, where readers with the right to may ask for a pick."""
    podcast: Podcast = Podcast()
    """The title of the planet's own podcast feed."""
    timeline: Timeline
    """The posts of the planet, picked episodes among them."""
    sources: tuple[Source, ...] = ()
    tags: tuple[Tag, ...] = ()
    """Tags of the sources, by name."""
    episodes: Mapping[str, tuple[Entry, ...]] = {}
    """The newest episodes that can be picked of each source that shows picks only, by its key;
    none where nobody can pick on the pages."""
    digests: tuple[Digest, ...] | None = None
    """The digests made so far, newest first; None when there are to be none."""
    links: LinkGraph = LinkGraph()
    """The links of posts."""
    keeps_until: datetime | None = None
    """When the same entries would make another edition (an entry gets too old, or comes due)."""

    @property
    def count(self) -> int:
        """Return the number of posts with a place among the others."""
        return len(self.timeline.dated)

    @property
    def updated(self) -> datetime:
        """Return the newest change; a fixed date in the past for an empty edition."""
        moments = (post.modified for post in self.timeline.dated)
        return max(moments, default=datetime(2000, 1, 1, tzinfo=UTC))

    @property
    def asked_at(self) -> datetime | None:
        """Return when a feed was last asked; None when none was."""
        moments = (source.standing.asked_at for source in self.sources)
        return max(filter(None, moments), default=None)

    def tagged(self, tag: Tag) -> list[Source]:
        """Return the sources with a tag."""
        return [source for source in self.sources if tag.name in source.tags]

    @property
    def has_podcast(self) -> bool:
        """Whether there is anything to play."""
        return bool(self.timeline.playable)


def fingerprint(*facts: object) -> str:
    """Return a hash of frozen values, whose repr tells them apart, and of tuples of these."""
    hashed = blake2b(digest_size=16)
    for fact in facts:
        # In pieces: a page of all sources may show a hundred thousand.
        for part in fact if isinstance(fact, tuple) else (fact,):
            hashed.update(f"{part!r},".encode(errors="backslashreplace"))
        hashed.update(b";")
    return hashed.hexdigest()


class FileKind(IntEnum):
    """The kinds of files of the site, in the order in which files are moved."""

    ASSET = 0
    """A style sheet, a script, a picture, a part of an index: without links, and published to the
    byte."""
    PAGE = 1
    FEED = 2
    """A file for programs, which leads to pages."""


class File(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the site that can be made.

    Equal fingerprints promise equal bytes, so a file that is there with the fingerprint it was made
    with need not be made again.
    """

    path: str
    """Relative to the output folder, with forward slashes."""
    kind: FileKind = FileKind.FEED
    fingerprint: str
    make: Callable[[], bytes]


def whole_file(path: str, body: bytes, kind: FileKind = FileKind.FEED) -> File:
    """Return a file with this content, for which making takes no longer than comparing."""
    made_from = fingerprint(path, body)
    return File(path=path, kind=kind, fingerprint=made_from, make=partial(bytes, body))
