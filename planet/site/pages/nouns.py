"""The nouns of templates: the site, pages, and the posts and sources of the model as shown.

`docs/templates.md` names each field. Text is plain and is escaped when a template writes text;
`Post.content`, slots and pages of the operator's own are HTML. A noun keeps the model's one behind
an underscore, which no template can read. `drawing` hands out every address, and None in place of
an address outside the web.
"""

from __future__ import annotations

from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode

import msgspec
from markupsafe import Markup

from planet.model import (
    ContentMode,
    Linked,
    Owner,
    Picking,
    Post,
    Source,
    fingerprint,
    handle,
    with_short_addresses,
)
from planet.site.pages import labels
from planet.site.pages.readable import make_readable
from planet.site.pages.theme import FILM
from planet.text import address, media
from planet.text.plain import language_tag

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date, datetime
    from zoneinfo import ZoneInfo

    from planet.model import Contents, Enclosure, Html
    from planet.site.feeds.channel import SiteFeed
    from planet.site.words import Words


MAX_WEIGHT = 150_000
"""Characters of texts on one page, but for those of a single post."""
ROLL_UP = 4
"""From how many posts of one source in a day all but the newest are folded away."""
SCREEN = 24
"""How many sources fit on a screen: more are parted by letter, and no more stand beside posts."""
TOKEN = "PLANET-PICK-TOKEN"  # noqa: S105 - what stands for one
"""Stands in the forms for the secret by which a server knows forms of its own pages."""
_HEADING_LENGTH = 250
# Three lines of a wide column; what is longer would be sent and not shown.
_EXCERPT_LENGTH = 280
_PICK_TITLE_LENGTH = 120
_AUTHORS = 3
_ANSWERS = "↩"


class PageLink(NamedTuple):
    """A page to go on to, or one of the operator's own in the navigation."""

    title: str
    path: str


class ShownSite(msgspec.Struct, frozen=True, kw_only=True):
    """The planet: the same on every page.

    No field may change because a post came, or every page would change. Only the first episode of
    a planet does so: the link to the podcast comes.
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
    podcast: str
    """The title of the podcast."""
    repository: str | None
    picking: Picking
    script: bool
    search: bool
    pages: tuple[PageLink, ...]
    image: str | None
    """The address of the planet's cover, where the site has one."""
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


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of a page for the template."""

    kind: str
    """The name of the template, without `.html`."""
    path: str
    root: str
    """The way from the page to the site's root: empty, or ending in a slash."""
    address: str | None
    """The one address; hosts serve a page without index.html, too."""
    title: str
    description: str
    """A description, for whoever has only a link."""
    image: str | None
    """The address of a picture to show with such a link."""
    indexing: bool
    """Whether search engines may list the page."""
    feeds: tuple[SiteFeed, ...]
    """The feeds named in the head."""


class Rest(NamedTuple):
    """The posts of a day beyond those on a page."""

    path: str
    """The place of all posts of the day."""
    more: Mapping[str, int]
    """The number of such posts of each source on the page, by slug."""


class PageSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A page, and everything to draw the page from."""

    page: Page
    posts: tuple[Post, ...] = ()
    shows_texts: bool = False
    values: Mapping[str, Any] = {}
    """Other variables of the template, by name: plain values, and nouns of the model."""
    picked: tuple[tuple[str, str], ...] | None = None
    """The picked episodes among those of the page, by feed and id; None where nobody can pick."""
    rest: Mapping[date, Rest] = {}
    """The posts of days that are not shown."""

    def fingerprint(self, shared: str) -> str:
        """Return the hash of this spec and of `shared`, the hash for all pages."""
        return fingerprint(shared, *msgspec.structs.astuple(self))


def href(url: str | None) -> str | None:
    """Return an address of the web, or None for any other."""
    # Addresses in the model are absolute already; to take each apart again costs more than the
    # rest of its post.
    if url is None or url.startswith(("https://", "http://")):
        return url
    return address.make_absolute(url)


def form_link(repository: str | None, **fields: str) -> str | None:
    """Return the address of a form for a new issue, filled in; None without a repository."""
    query = urlencode(fields, quote_via=quote, errors="replace")
    return f"{repository.rstrip('/')}/issues/new?{query}" if repository else None


class Canvas:
    """A page in the making, with posts and their texts."""

    def __init__(self, spec: PageSpec, site: ShownSite, contents: Contents) -> None:
        self.page = spec.page
        self.site = site
        self.picked = spec.picked
        self.texts = _read_texts(spec.posts, contents) if spec.shows_texts else {}
        self._spec = spec
        self._sources: dict[tuple[str, str], ShownSource] = {}

    def variables(self) -> dict[str, Any]:
        """Return the variables of this template alone."""
        posts = self._show(self._spec.posts)
        values = {name: self._show(value) for name, value in self._spec.values.items()}
        return {"page": self.page, "posts": posts, "days": self._part_by_day(posts), **values}

    def _show(self, value: Any) -> Any:
        """Return the noun of templates for a value, or for each value of a list."""
        match value:
            case Post():
                return ShownPost(value, self)
            case Source():
                return self.source(value)
            case Linked():
                return ShownLink(value, self)
            case tuple() | list() if type(value) in (tuple, list):
                return tuple(map(self._show, value))
        return value

    def source(self, source: Source) -> ShownSource:
        """Return a source, the same for all posts of one."""
        key = source.key, source.title
        if key not in self._sources:
            self._sources[key] = ShownSource(source, self)
        return self._sources[key]

    def _part_by_day(self, posts: Iterable[ShownPost]) -> list[ShownDay]:
        days = []
        for day, of_day in groupby(posts, lambda post: post.day):
            shown, rest = tuple(of_day), self._spec.rest.get(day)
            groups = tuple(_part_by_source(shown, rest.more if rest else {}))
            days.append(ShownDay(day, shown, groups, self.page.root + rest.path if rest else None))
        return days


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


class ShownSource:
    """A source: beside a post, on a page of its own, and in the list of sources."""

    def __init__(self, source: Source, canvas: Canvas) -> None:
        self._source = source
        self._canvas = canvas
        self.slug = source.slug
        self.title = source.title
        self.home = href(source.link)
        """The source's own site."""
        self.extra = dict(source.extra)
        self.description = source.description
        self.tags = source.tags
        self.newest = source.newest
        self.count = source.count
        self.is_archived = source.standing.is_archived
        self.quiet_since = source.standing.quiet_since
        self.moved_to = href(source.standing.new_address)

    def __str__(self) -> str:
        return self.title

    @property
    def href(self) -> str | None:
        """Return the page here; of a show without one, the show's own site."""
        root = self._canvas.page.root
        return f"{root}{self._source.folder}index.html" if self.slug else self.home

    @property
    def face(self) -> str | None:
        """Return the picture, a file of the site."""
        return self._canvas.page.root + self._source.face if self._source.face else None

    @property
    def links(self) -> tuple[ShownProfile, ...]:
        """Return pages elsewhere of whoever writes the source.

        Without addresses for mail where all sources are: harvesters look for pages with many.
        """
        links = []
        for link in self._source.links:
            if link.url.startswith("mailto:"):
                if self._canvas.page.kind != "sources":
                    links.append(ShownProfile(self._canvas.site.words.email, link.url, True))
            elif url := href(link.url):
                links.append(ShownProfile(link.name, url, False))
        return tuple(links)

    @property
    def trouble(self) -> Trouble | None:
        """Return why nothing new comes, if nothing does."""
        health = self._source.standing
        if health.given_up:
            reason = self._canvas.site.words.why_given_up(health.given_up)
            return Trouble(reason, health.given_up_at, final=True)
        return Trouble(health.trouble, health.failing_since, False) if health.trouble else None


class Picked(NamedTuple):
    """The facts of a pick."""

    note: str | None
    published: datetime | None


class PickControl(NamedTuple):
    """The way to pick an episode, or to undo the pick."""

    episode: str
    token: str | None = None
    """With a form, the token that proves this site's own."""
    picked_for: str | None = None
    """With a form, the title of the podcast if the episode is picked."""
    link: str | None = None
    """The form in the repository."""


class ShownPost:
    """A post, as far as the source's content mode allows."""

    def __init__(self, post: Post, canvas: Canvas) -> None:
        self._post = post
        self._canvas = canvas
        self._shows_words = post.source.content is not ContentMode.TITLE
        self.heading = labels.clip(post.entry.heading, _HEADING_LENGTH)
        """The title, else the first words."""
        self.is_note = self._shows_words and post.entry.is_note
        """Whether there is no title: the text stands alone, and the date leads to the post."""
        self.href = href(post.entry.link)
        self.language = language_tag(post.entry.language or post.source.language)
        self.source = canvas.source(post.source)
        self.when = post.when
        self.day = post.day
        self.picked = Picked(post.picked.note, post.picked.published) if post.picked else None

    def __str__(self) -> str:
        return self.heading

    @property
    def also_in(self) -> tuple[ShownSource, ...]:
        """Return other sources with the same post."""
        return tuple(map(self._canvas.source, self._post.also_in))

    @property
    def authors(self) -> tuple[str, ...]:
        """Return up to three names of authors, without those in the source's name."""
        source = labels.strip_to_letters(self._post.source.title)
        names = [person.name for person in self._post.entry.authors if person.name]
        others = [name for name in names if (labels.strip_to_letters(name) or name) not in source]
        return tuple(others[:_AUTHORS])

    @cached_property
    def excerpt(self) -> str | None:
        """Return the beginning of the text; of a note the whole summary."""
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
        text, site = self._canvas.texts.get(self._post.entry.number), self._canvas.site
        if not self._shows_words or not text:
            return None
        film = self._canvas.page.root + FILM
        title = "" if self._post.entry.is_note else self._post.entry.heading
        # Nowhere else does text of a feed become HTML; this is the cleaner's.
        return Markup(make_readable(text, title=title, film=film, words=site.words))  # noqa: S704

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
        """Return the way to pick the episode or to undo the pick, if there is one.

        On public pages only an offered episode has one, until the pick.
        """
        entry, site, picked = self._post.entry, self._canvas.site, self._canvas.picked
        if picked is None or media.find_playable(entry) is None:
            return None
        episode, is_picked = handle(entry.feed, entry.id), (entry.feed, entry.id) in picked
        if site.picking is Picking.FORM:
            return PickControl(episode, TOKEN, site.podcast if is_picked else None)
        # What is offered is no post of the planet, and has no id of one.
        if is_picked or self._post.uid:
            return None
        title = site.words.pick_issue(labels.clip(entry.heading, _PICK_TITLE_LENGTH))
        link = form_link(site.repository, template="pick.yml", title=title, episode=episode)
        return PickControl(episode, link=link)


class ShownLink:
    """An address in the links of posts."""

    def __init__(self, linked: Linked, canvas: Canvas) -> None:
        own = linked.post
        url = href(linked.address) or ""
        place = url.partition("://")[2].removeprefix("www.").rstrip("/")
        title = own.entry.heading if own else linked.title
        self.href = url
        self.title = labels.clip(title or place, 100)
        self.place = labels.clip(place, 100) if title and not own else None
        """The host and path, unless those are the title, or the address is of a post here."""
        self.source = canvas.source(own.source) if own else None
        """The source of a post of the planet."""
        self.count = len(linked.posts)
        """How many sources link to the address."""
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


class ShownDay(NamedTuple):
    """A day with posts, newest first."""

    date: date
    posts: tuple[ShownPost, ...]
    groups: tuple[Group, ...]
    """The posts by source; the source with the newest post comes first."""
    href: str | None
    """The place of all posts of the day, if the page does not show them all."""


def _part_by_source(posts: Iterable[ShownPost], more: Mapping[str, int]) -> Iterable[Group]:
    by_source: dict[ShownSource, list[ShownPost]] = {}
    for post in posts:
        by_source.setdefault(post.source, []).append(post)
    for source, own in by_source.items():
        shown = 1 if len(own) >= ROLL_UP else len(own)
        yield Group(source, tuple(own[:shown]), tuple(own[shown:]), more.get(source.slug, 0))


class Letter(NamedTuple):
    """The sources under one letter of a long list."""

    name: str | None
    id: str | None
    sources: tuple[ShownSource, ...]


def part_by_letter(sources: Iterable[ShownSource]) -> list[Letter]:
    """Order sources by title; part more than fit on a screen by the first letter."""
    ordered = sorted(
        sources, key=lambda source: (labels.letter(source.title), labels.sort_key(source.title))
    )
    if len(ordered) <= SCREEN:
        return [Letter(None, None, tuple(ordered))]
    letters = groupby(ordered, lambda source: labels.letter(source.title))
    return [
        Letter(name, f"letter-{name}".replace("#", "0"), tuple(parted)) for name, parted in letters
    ]
