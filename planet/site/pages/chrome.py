"""What surrounds every page of a site: made from the configuration.

Nothing in it may change because a post came, or every page of the site would change with it. Only
the first episode of a planet does that, which brings the link to the podcast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode, urlsplit

from markupsafe import Markup

from planet import __version__
from planet.model import OWN_LIST, Picking, handle
from planet.site.feeds import FORMATS, formats
from planet.site.pages import bodies, context, sheet
from planet.site.pages.present import Presenter
from planet.site.pages.sheet import href, list_folder, page_address, source_folder, tag_folder
from planet.text import media

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping
    from zoneinfo import ZoneInfo

    from planet.model import Edition, Entry, OptionValue, Pages, PickList, Source, Tag
    from planet.site.feeds import Part
    from planet.site.pages.sheet import PageSpec
    from planet.site.pages.theme import Theme
    from planet.site.words import Words


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
        return self.folder + FORMATS[self.format].file

    @property
    def media_type(self) -> str:
        """Its media type."""
        return FORMATS[self.format].media_type

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
    names = formats("planet", has_podcast=False)
    return tuple(SiteFeed(format=name, title=edition.title) for name in names)


def of_planet(edition: Edition) -> tuple[SiteFeed, ...]:
    """All feeds of the planet as a whole, the one that most apps read first."""
    podcast = (podcast_of(edition),) if edition.has_podcast else ()
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


def marks(edition: Edition, sources: Iterable[Source]) -> tuple[str | None, ...]:
    """Changes with what is shown of the posts of these sources."""
    parts = edition.timeline.sources, edition.timeline.timeless
    return tuple(
        part and part.mark
        for source in sources
        for part in (each.get(source.key) for each in parts)
    )


def of_source(edition: Edition, source: Source) -> tuple[SiteFeed, ...]:
    """The feeds of one source."""
    parts = edition.timeline.sources, edition.timeline.timeless
    playable = any(part.playable for each in parts if (part := each.get(source.key)))
    return _beside("source", source.title, source_folder(source), playable=playable)


def of_tag(edition: Edition, tag: Tag) -> tuple[SiteFeed, ...]:
    """The feeds of the sources with a tag, and the list of them."""
    parts = (edition.timeline.sources.get(source.key) for source in edition.tagged(tag))
    playable = any(part.playable for part in parts if part)
    title, folder = f"{edition.title}: {tag.name}", tag_folder(tag)
    opml = SiteFeed(format="opml", title=title, folder=folder)
    return (*_beside("tag", title, folder, playable=playable), opml)


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
    return podcast, *_beside("list", title, folder, playable=False)


def _beside(part: Part, title: str, folder: str, *, playable: bool) -> tuple[SiteFeed, ...]:
    names = formats(part, has_podcast=playable)
    return tuple(SiteFeed(format=name, title=title, folder=folder) for name in names)


TOKEN = "PLANET-PICK-TOKEN"  # noqa: S105 - what stands for one
"""Stands in the forms for the secret by which a server knows that they are from its own pages."""

_TITLE_LENGTH = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class PickButtons:
    """Where episodes are picked: how, for which lists, and what is picked already."""

    way: Picking
    repository: str | None
    lists: tuple[context.ListName, ...]
    """Every list, the planet's own first."""
    picked: Mapping[tuple[str, str], frozenset[str]]
    """The names of the lists that an episode is in, by the key of its feed and its id."""

    def control(
        self, entry: Entry, presenter: Presenter, *, is_offered: bool
    ) -> context.Pick | None:
        """How an entry is picked.

        None where it has nothing to play or there is no way; on pages that anyone may read, only
        what is offered to be picked has one, until it is.
        """
        if self.way is Picking.NONE or media.playable(entry) is None:
            return None
        names, episode = self._lists_with(entry), handle(entry.feed, entry.id)
        if self.way is Picking.FORM:
            return context.Pick(
                episode=episode,
                token=TOKEN,
                lists=tuple(each for each in self.lists if each.name not in names),
                picked_for=tuple(each for each in self.lists if each.name in names),
                link=None,
            )
        if names or not is_offered:
            return None
        title = presenter.words.pick_issue(sheet.clipped(entry.heading, _TITLE_LENGTH))
        return context.Pick(
            episode=episode, token=None, lists=(), picked_for=(), link=self._issue(title, episode)
        )

    def facts(self, feeds: Container[str]) -> tuple[object, ...]:
        """What the ways to pick entries of these feeds are made from."""
        if self.way is Picking.NONE:
            return ()
        picked = sorted(
            (key, sorted(names)) for key, names in self.picked.items() if key[0] in feeds
        )
        return (self.way, self.repository, self.lists, *picked)

    def _lists_with(self, entry: Entry) -> frozenset[str]:
        return self.picked.get((entry.feed, entry.id), frozenset())

    def _issue(self, title: str, episode: str) -> str | None:
        """A form for a new issue in the repository, filled in already."""
        said = {"template": "pick.yml", "title": title, "episode": episode}
        query = urlencode(said, quote_via=quote, errors="replace")
        return href(f"{(self.repository or '').rstrip('/')}/issues/new?{query}")


def desk(edition: Edition, pages: Pages) -> PickButtons:
    """The desk at which the episodes of an edition are picked."""
    picked: dict[tuple[str, str], frozenset[str]] = {}
    for name, key in _picks(edition):
        picked[key] = picked.get(key, frozenset()) | {name}
    own = context.ListName(name=OWN_LIST, title=edition.podcast.title or edition.title)
    others = (
        context.ListName(name=listed.name, title=listed.podcast.title or listed.name)
        for listed in edition.lists
    )
    return PickButtons(
        way=way(edition, pages),
        repository=edition.repository,
        lists=(own, *others),
        picked=picked,
    )


def way(edition: Edition, pages: Pages) -> Picking:
    """How episodes are picked; a link needs a repository to lead to."""
    leads_nowhere = pages.picking is Picking.LINK and href(edition.repository) is None
    return Picking.NONE if leads_nowhere else pages.picking


def _picks(edition: Edition) -> Iterator[tuple[str, tuple[str, str]]]:
    """The picks on the site: the list of each, and the episode."""
    for key in edition.timeline.picked:
        yield OWN_LIST, key
    for listed in edition.lists:
        for post in listed.posts:
            if post.picked:
                yield post.picked.list, (post.entry.feed, post.entry.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chrome:
    """The frame around the pages of one site."""

    title: str
    link: str | None
    description: str | None
    language: str
    words: Words
    zone: ZoneInfo
    owner_name: str | None
    owner_url: str | None
    indexing: bool
    has_podcast: bool
    picking: Picking
    script: bool
    search: bool
    options: Mapping[str, OptionValue]
    slots: context.Slots
    version: str = __version__

    def presenter(self, sheet: PageSpec) -> Presenter:
        """Says things as this page has to."""
        if sheet.is_everywhere:
            root = urlsplit(self.link or "").path.rstrip("/") + "/"
        else:
            root = "../" * sheet.path.count("/")
        return Presenter(root=root, link=self.link, zone=self.zone, words=self.words)

    def common(self, sheet: PageSpec, presenter: Presenter) -> bodies.Common:
        """The variables that every template gets."""
        return bodies.Common(
            site=self._site(),
            page=self._page(sheet, presenter),
            words=presenter.words,
            options=self.options,
            slots=self.slots,
        )

    def _site(self) -> context.Site:
        from planet.site.words import direction

        owner = None
        if self.owner_name:
            owner = context.Person(name=self.owner_name, href=href(self.owner_url))
        return context.Site(
            title=self.title,
            description=self.description,
            language=self.language,
            direction=direction(self.language),
            indexing=self.indexing,
            owner=owner,
            generator=f"Planet {self.version}",
            has_podcast=self.has_podcast,
            picking=self.picking.value,
            script=self.script,
            search=self.search,
        )

    def _page(self, sheet: PageSpec, presenter: Presenter) -> context.Page:
        canonical = None
        if self.link and not sheet.is_everywhere:
            canonical = page_address(self.link, sheet.path)
        return context.Page(
            kind=sheet.kind,
            title=sheet.title,
            root=presenter.root,
            canonical=href(canonical),
            feeds=tuple(feed.link(presenter) for feed in sheet.feeds),
        )


def make_chrome(edition: Edition, pages: Pages, theme: Theme) -> Chrome:
    """The frame of an edition's pages."""
    from planet.site.words import speak

    return Chrome(
        title=edition.title,
        link=edition.link,
        description=edition.description,
        language=edition.language,
        words=speak(edition.language),
        zone=edition.timezone,
        owner_name=edition.owner.name,
        owner_url=edition.owner.url,
        indexing=pages.indexing,
        has_podcast=edition.has_podcast,
        picking=way(edition, pages),
        script=pages.script,
        search=pages.search,
        options=theme.options,
        # Nowhere else is text of the operator HTML: it is a file of HTML.
        slots=context.Slots(**{slot: Markup(html) for slot, html in theme.slots.items()}),  # noqa: S704
    )
