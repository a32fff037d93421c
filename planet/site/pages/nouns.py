"""The values of templates: the site, the page, and the posts and sources of the model.

`docs/templates.md` names each field. Text is plain and is escaped where it is written;
`Post.content`, slots and pages of the operator's own are HTML. Every address that a template reads
goes through `drawing`, so that what is no address of the web is none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
from markupsafe import Markup

from planet.model import (
    ContentMode,
    Images,
    Linked,
    Owner,
    Post,
    Source,
    Tag,
    fingerprint,
    with_short_addresses,
)
from planet.site.pages import labels
from planet.site.pages.readable import make_readable
from planet.text import address, media
from planet.text.profiles import find_service, is_mail

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date, datetime
    from zoneinfo import ZoneInfo

    from planet.model import Contents, Enclosure, Html
    from planet.site.feeds.formats import SiteFeed
    from planet.site.pages.picking import PickButtons, PickControl
    from planet.site.words import Words


EVERYWHERE = "404.html"
"""The page shown at any address, whose links cannot be relative."""
LISTED = frozenset({"front", "sources", "about", "page"})
"""The kinds of pages that search engines may list. Others show texts of others, to be found where
they were published."""
MAX_WEIGHT = 150_000
"""Characters of texts on one page, but for those of a single post."""
ROLL_UP = 4
"""From how many posts of one source in a day all but the newest are folded away."""
_HEADING_LENGTH = 250
# Three lines of a wide column; what is longer would be sent and not shown.
_EXCERPT_LENGTH = 280
_AUTHORS = 3
_ANSWERS = "↩"


class OwnPageLink(NamedTuple):
    """A page of the operator's own in the navigation."""

    title: str
    path: str


class ShownSite(msgspec.Struct, frozen=True, kw_only=True):
    """The planet: the same on each of its pages.

    Nothing in it may change because a post came, or every page would change with it. Only the first
    episode of a planet does that, which brings the link to the podcast.
    """

    title: str
    link: str | None
    """The site's own address, where that is known."""
    description: str | None
    language: str
    direction: str
    indexing: bool
    owner: Owner
    generator: str
    has_podcast: bool
    picking: str
    script: bool
    search: bool
    pages: tuple[OwnPageLink, ...]
    image: str | None
    """The address of the planet's cover, where the site has one."""
    images: Images
    film: str | None
    """The path of the picture that films show before they are loaded, where the theme has one."""
    zone: ZoneInfo
    words: Words
    slots: Mapping[str, Markup]
    files: Mapping[str, str]
    """The names by which pages ask for style sheets and scripts, by their plain names."""

    def local(self, when: datetime) -> datetime:
        """Return a moment in the planet's time zone."""
        try:
            return when.astimezone(self.zone)
        except OverflowError:  # feeds do date entries in the years 1 and 9999
            return when


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page before it is drawn."""

    site: ShownSite = field(repr=False)
    path: str
    kind: str
    """The name of the template, without `.html`."""
    title: str
    description: str
    """A description, for whoever has only a link."""
    feeds: tuple[SiteFeed, ...]
    """The feeds named in the head."""
    picture: str | None = None
    """The address of a picture to show with such a link; None is the planet's cover."""
    posts: tuple[Post, ...] = field(default=(), repr=False)
    shows_texts: bool = False
    values: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Other variables of the template, by name: plain values, and nouns of the model."""
    picks: PickButtons | None = field(default=None, repr=False)
    """Where episodes are picked."""
    tags: Mapping[str, Tag] = field(default_factory=dict, repr=False)
    """The tags of the sources, by name."""
    rest: Mapping[date, Rest] = field(default_factory=dict, repr=False)
    """The posts of the days that are not shown."""

    @property
    def root(self) -> str:
        """Return the way from the page to the site's root: empty, or ending in a slash."""
        if self.path == EVERYWHERE:
            return urlsplit(self.site.link or "").path.rstrip("/") + "/"
        return "../" * self.path.count("/")

    @property
    def indexing(self) -> bool:
        """Return whether search engines may list the page."""
        return self.site.indexing and self.kind in LISTED

    @property
    def image(self) -> str | None:
        """Return the picture to show with a link to the page."""
        return href(self.picture) or self.site.image

    @property
    def address(self) -> str | None:
        """Return the one address; hosts serve a page without index.html, too."""
        link = None if self.path == EVERYWHERE else self.site.link
        return link and f"{link}{self.path.removesuffix('index.html')}"

    def fingerprint(self, shared: str) -> str:
        """Return the hash of everything the page is drawn from; `shared` is that of all pages."""
        about = self.path, self.kind, self.title, self.description, self.picture, self.feeds
        inner = map(_mark, (self.posts, self.values, self.picks, self.tags, self.rest))
        return fingerprint(shared, *about, self.shows_texts, *inner)


def _mark(value: Any) -> Any:
    """Return what changes with a value of a page, as far as templates see it."""
    if isinstance(value, Post):
        return value.fingerprint
    if isinstance(value, Source):
        health = value.standing
        return (
            (value.key, value.slug, value.title, value.face, value.link, value.extra, value.links),
            (value.description, value.newest, value.count, value.tags, health.trouble),
            (health.trouble_since, health.given_up, health.given_up_at, health.is_archived),
            (health.quiet_since, health.moved_to),
        )
    if isinstance(value, msgspec.Struct):
        return tuple(_mark(getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(value, dict):
        return tuple((key, _mark(each)) for key, each in value.items())
    return tuple(map(_mark, value)) if isinstance(value, tuple | list) else value


def href(url: str | None) -> str | None:
    """Return an address that may stand in a page, or None when it is not one of the web."""
    # Addresses in the model are absolute already; to take each apart again costs more than the
    # rest of its post.
    if url is None or url.startswith(("https://", "http://")):
        return url
    return address.make_absolute(url)


class ShownProfile(NamedTuple):
    """A page elsewhere of whoever writes a source."""

    name: str
    href: str
    is_mail: bool


class Trouble(NamedTuple):
    """Why nothing new comes from a source."""

    reason: str
    since: datetime | None
    final: bool


class Canvas:
    """A page in the making, with posts and their texts."""

    def __init__(self, page: Page, contents: Contents) -> None:
        self.page = page
        self.site = page.site
        self.root = page.root
        self._sources: dict[tuple[str, str], ShownSource] = {}
        self.texts = self._read_texts(page.posts, contents) if page.shows_texts else {}
        self.posts = tuple(ShownPost(post, self) for post in page.posts)

    def variables(self) -> dict[str, Any]:
        """Return the variables of this template alone."""
        values = {name: self.show(value) for name, value in self.page.values.items()}
        days = part_by_day(self.posts, self.page.rest, self.root)
        return {"page": self.page, "posts": self.posts, "days": days, **values}

    def show(self, value: Any) -> Any:
        """Return a value as templates see it, or values of a list."""
        if isinstance(value, Post):
            return ShownPost(value, self)
        if isinstance(value, Source):
            return self.show_source(value)
        if isinstance(value, Linked):
            return ShownLink(value, self)
        return tuple(map(self.show, value)) if type(value) in (tuple, list) else value

    def show_source(self, source: Source) -> ShownSource:
        """Return a source, the same for all posts of one."""
        key = source.key, source.title
        if key not in self._sources:
            self._sources[key] = ShownSource(source, self)
        return self._sources[key]

    @staticmethod
    def _read_texts(posts: Iterable[Post], contents: Contents) -> Mapping[int, Html]:
        """Return the texts of the first posts until the page is heavy, by the numbers of entries.

        The others have first words only.
        """
        full = [post.entry.number for post in posts if post.source.content is ContentMode.FULL]
        texts, weight = contents(full) if full else {}, 0
        shown: dict[int, Html] = {}
        for number in filter(texts.__contains__, full):
            if not shown or weight + len(texts[number]) <= MAX_WEIGHT:
                shown[number] = texts[number]
                weight += len(texts[number])
        return shown


class ShownSource:
    """A source: beside a post, on its own page, and in the list of sources."""

    def __init__(self, source: Source, canvas: Canvas) -> None:
        self._source = source
        self._canvas = canvas
        self.slug = source.slug
        self.title = source.title
        self.home = href(source.link)
        """Its own site."""
        self.extra = dict(source.extra)
        self.description = source.description
        self.newest = source.newest
        self.count = source.count
        self.is_archived = source.standing.is_archived
        self.quiet_since = source.standing.quiet_since
        self.moved_to = href(source.standing.moved_to)

    def __str__(self) -> str:
        return self.title

    @property
    def href(self) -> str | None:
        """Return the page here; of a show that is no source, the show's own site."""
        return f"{self._canvas.root}{self._source.folder}index.html" if self.slug else self.home

    @property
    def face(self) -> str | None:
        """Return the picture, a file of the site."""
        return self._canvas.root + self._source.face if self._source.face else None

    @property
    def links(self) -> tuple[ShownProfile, ...]:
        """Return pages elsewhere of whoever writes it.

        Without addresses for mail where all sources are: harvesters look for pages with many.
        """
        links = []
        for link in self._source.links:
            service = find_service(link.name)
            if is_mail(link.url):
                if self._canvas.page.kind != "sources":
                    links.append(ShownProfile(self._canvas.site.words.email, link.url, True))
            elif url := href(link.url):
                links.append(ShownProfile(service.label if service else link.name, url, False))
        return tuple(links)

    @property
    def tags(self) -> tuple[Tag, ...]:
        """Return the tags, on the source's page and in the list of sources."""
        tags = self._canvas.page.tags
        return tuple(tags[name] for name in self._source.tags if name in tags)

    @property
    def trouble(self) -> Trouble | None:
        """Return why nothing new comes, if that is so."""
        health = self._source.standing
        if health.given_up:
            reason = self._canvas.site.words.why_given_up(health.given_up)
            return Trouble(reason, health.given_up_at, final=True)
        return Trouble(health.trouble, health.trouble_since, False) if health.trouble else None


class Picked(NamedTuple):
    """The facts of a pick."""

    note: str | None
    published: datetime | None


class ShownPost:
    """A post, as far as the source's content mode lets it be shown."""

    def __init__(self, post: Post, canvas: Canvas) -> None:
        self._post = post
        self._canvas = canvas
        self._shows_words = post.source.content is not ContentMode.TITLE
        self.heading = labels.clip(post.entry.heading, _HEADING_LENGTH)
        """Its title, else its first words."""
        self.is_note = self._shows_words and post.entry.is_note
        """Whether it has no title: its text stands alone, and its date leads to it."""
        self.href = href(post.entry.link)
        self.language = labels.language_tag(post.entry.language or post.source.language)
        self.source = canvas.show_source(post.source)
        self.when = post.when
        self.day = post.day
        self.picked = Picked(post.picked.note, post.picked.published) if post.picked else None

    def __str__(self) -> str:
        return self.heading

    @property
    def also_in(self) -> tuple[ShownSource, ...]:
        """Return other sources with the same post."""
        return tuple(map(self._canvas.show_source, self._post.also_in))

    @property
    def authors(self) -> tuple[str, ...]:
        """Return up to three names of authors, without those in the source's name."""
        source = labels.strip_to_letters(self._post.source.title)
        names = [person.name for person in self._post.entry.authors if person.name]
        others = [name for name in names if (labels.strip_to_letters(name) or name) not in source]
        return tuple(others[:_AUTHORS])

    @cached_property
    def excerpt(self) -> str | None:
        """Return the beginning of the text; of a note everything that is kept."""
        entry = self._post.entry
        if not self._shows_words or not entry.summary or entry.summary == entry.title:
            return None
        if entry.is_note:
            return with_short_addresses(entry.summary)
        words = labels.without_title(entry.summary, entry.heading)
        return labels.clip(words, _EXCERPT_LENGTH)

    @cached_property
    def content(self) -> Markup | None:
        """Return the text as clean HTML, where the page shows texts."""
        text, canvas = self._canvas.texts.get(self._post.entry.number), self._canvas
        if not self._shows_words or not text:
            return None
        film = canvas.site.film and canvas.root + canvas.site.film
        title = "" if self._post.entry.is_note else self._post.entry.heading
        # Nowhere else does text of a feed become HTML; this is the cleaner's.
        return Markup(make_readable(text, title=title, film=film, words=canvas.site.words))  # noqa: S704

    @property
    def enclosures(self) -> tuple[Enclosure, ...]:
        """Return the files but for pictures, which are in the text; on podcasts the one to play."""
        entry = self._post.entry
        if self._canvas.page.kind == "podcast":
            playable = media.find_playable(entry)
            return (playable,) if playable and href(playable.url) else ()
        files = entry.enclosures if self._shows_words else ()
        return tuple(one for one in files if not media.is_picture(one) and href(one.url))

    @property
    def in_reply_to(self) -> tuple[str, ...]:
        """Return the answered posts, unless the text begins with them, as on Bluesky."""
        entry = self._post.entry
        if not self._shows_words or (entry.summary or "").startswith(_ANSWERS):
            return ()
        return tuple(filter(None, map(href, entry.in_reply_to)))

    @property
    def pick(self) -> PickControl | None:
        """Return how to pick the episode or put it back, where there is a way."""
        picks, words = self._canvas.page.picks, self._canvas.site.words
        # What is offered is no post of the planet, and has no id of one.
        is_offered = not self._post.uid
        return picks.control(self._post.entry, words, is_offered=is_offered) if picks else None


class ShownLink:
    """An address that posts link to."""

    def __init__(self, linked: Linked, canvas: Canvas) -> None:
        own = linked.post
        url = href(linked.address) or ""
        place = url.partition("://")[2].removeprefix("www.").rstrip("/")
        title = own.entry.heading if own else linked.title
        self.href = url
        self.title = labels.clip(title or place, 100)
        self.place = labels.clip(place, 100) if title and not own else None
        """Where it is, unless that is the title, or it is a post of the planet."""
        self.source = canvas.show_source(own.source) if own else None
        """The source of a post of the planet."""
        self.count = len(linked.posts)
        """How many sources link to it."""
        self.posts = tuple(ShownPost(post, canvas) for post in linked.posts[:10])
        """The newest of each source, at most ten."""

    def __str__(self) -> str:
        return self.title


class Group(NamedTuple):
    """The posts of one source on one day, newest first."""

    source: ShownSource
    shown: tuple[ShownPost, ...]
    folded: tuple[ShownPost, ...]
    """More of the same, to be folded away; empty for fewer than four posts."""
    more: int
    """How many others are only at the `href` of the day."""


class Rest(NamedTuple):
    """The posts of a day that a page does not show."""

    path: str
    """Where all posts of the day are."""
    more: tuple[tuple[str, int], ...]
    """The number of such posts of each source on the page, by slug."""


class ShownDay:
    """A day with posts, newest first."""

    def __init__(self, day: date, posts: tuple[ShownPost, ...], root: str, rest: Rest | None):
        self.date = day
        self.posts = posts
        self.href = root + rest.path if rest else None
        """Where all its posts are, if the page does not show them all."""
        self._more = dict(rest.more) if rest else {}

    @property
    def groups(self) -> tuple[Group, ...]:
        """Return the posts by source; the source with the newest post comes first."""
        by_source: dict[ShownSource, list[ShownPost]] = {}
        for post in self.posts:
            by_source.setdefault(post.source, []).append(post)
        groups = []
        for source, posts in by_source.items():
            shown = 1 if len(posts) >= ROLL_UP else len(posts)
            more = self._more.get(source.slug, 0)
            groups.append(Group(source, tuple(posts[:shown]), tuple(posts[shown:]), more))
        return tuple(groups)


def part_by_day(posts: Iterable[ShownPost], rest: Mapping[date, Rest], root: str) -> list[ShownDay]:
    """Part posts, newest first, by day; `rest` has the posts that a page leaves out."""
    days = groupby(posts, lambda post: post.day)
    return [ShownDay(day, tuple(of_day), root, rest.get(day)) for day, of_day in days]


class Letter(NamedTuple):
    """The sources under one letter, where there are so many that they are parted."""

    name: str | None
    id: str | None
    sources: tuple[ShownSource, ...]


def part_by_letter(sources: Iterable[ShownSource], most: int) -> list[Letter]:
    """Order sources by title; part more than `most` by the first letter."""
    ordered = sorted(
        sources, key=lambda source: (labels.letter(source.title), labels.sort_key(source.title))
    )
    if len(ordered) <= most:
        return [Letter(None, None, tuple(ordered))]
    letters = groupby(ordered, lambda source: labels.letter(source.title))
    return [
        Letter(name, f"letter-{name}".replace("#", "0"), tuple(parted)) for name, parted in letters
    ]
