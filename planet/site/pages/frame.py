"""What stands around the content of every page: titles, feeds, buttons to pick episodes with.

Nothing in `Frame` may change because a post came, or every page of the site would change with it.
Only the first episode of a planet does that, which brings the link to the podcast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

import msgspec
from markupsafe import Markup
from msgspec.structs import replace

from planet import __version__
from planet.model import OWN_LIST, Picking, handle
from planet.site.feeds import FORMATS, formats
from planet.site.feeds.channel import cover
from planet.site.feeds.markup import own_feed
from planet.site.pages import views
from planet.site.pages.assets import name_assets
from planet.site.pages.present import FILM, Presenter, clip, href
from planet.text import media

if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from datetime import date
    from zoneinfo import ZoneInfo

    from planet.model import Edition, Entry, Pages, PickList, Source, Tag
    from planet.site.feeds import Part
    from planet.site.pages.theme import Theme
    from planet.site.words import Words


class SiteFeed(NamedTuple):
    """A feed that comes out, or a list of sources; or the feed that a source has itself."""

    # There are several for each page, and each goes into its fingerprint: a tuple is quickly told.

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
    own_address: str | None = None
    """Where a source has it itself."""

    @property
    def path(self) -> str:
        """Return its address relative to the site's root."""
        return self.folder + FORMATS[self.format].file

    @property
    def media_type(self) -> str:
        """Return its media type."""
        return FORMATS[self.format].media_type

    def link(self, presenter: Presenter) -> views.FeedLinkView:
        """Make a link to it, for the page of this presenter."""
        words, own = presenter.words, self.own_address
        word = words.own_feed if own else getattr(words, self.format)
        return views.FeedLinkView(
            name=self.name or word,
            title=f"{self.title} – {word}",
            hint=self.hint or getattr(words, f"{self.format}_hint"),
            href=own or f"{presenter.root}{self.path}",
            address=own or href(presenter.link and f"{presenter.link}{self.path}"),
            media_type=self.media_type,
            format=self.format,
            page=self.page and presenter.root + self.page,
        )


def own_feed_of(source: Source) -> tuple[SiteFeed, ...]:
    """Return the source's own feed, where readers can subscribe to that."""
    own = href(own_feed(source))
    if not source.own_format or not own:
        return ()
    return (SiteFeed(format=source.own_format, title=source.title, own_address=own),)


def of_posts(edition: Edition, pages: Pages) -> tuple[SiteFeed, ...]:
    """Return the feeds that hold all posts of the planet."""
    return _feeds_in("planet", edition.title, "", playable=False, has_rss=pages.rss)


def of_planet(edition: Edition, pages: Pages) -> tuple[SiteFeed, ...]:
    """Return all feeds of the planet as a whole, the one that most apps read first."""
    podcast = (podcast_of(edition),) if edition.has_podcast else ()
    digest = () if edition.digests is None else (digest_of(edition),)
    return (*of_posts(edition, pages), *podcast, *digest)


def podcast_of(edition: Edition) -> SiteFeed:
    """Return the planet's own podcast feed."""
    title = edition.podcast.title or edition.title
    return SiteFeed(format="podcast", title=title, page="podcast/index.html")


def digest_of(edition: Edition) -> SiteFeed:
    """Return the feed of digests."""
    return SiteFeed(format="digest", title=edition.title, page="digest/index.html")


def opml_of(edition: Edition) -> SiteFeed:
    """Return the list of all sources."""
    return SiteFeed(format="opml", title=edition.title)


def of_source(edition: Edition, source: Source) -> tuple[SiteFeed, ...]:
    """Return the feeds that the site has of one source."""
    if not source.has_feeds:
        return ()
    playable = any(part.playable for part in edition.parts_of([source], timeless=True))
    return _feeds_in("source", source.title, source.folder, playable=playable)


def of_tag(edition: Edition, tag: Tag) -> tuple[SiteFeed, ...]:
    """Return the feeds of the sources with a tag, and the list of them."""
    playable = any(part.playable for part in edition.parts_of(edition.tagged(tag)))
    title, folder = f"{edition.title}: {tag.name}", tag.folder
    opml = SiteFeed(format="opml", title=title, folder=folder)
    return (*_feeds_in("tag", title, folder, playable=playable), opml)


def of_list(listed: PickList) -> tuple[SiteFeed, ...]:
    """Return the feeds of a list of picked episodes, its podcast first."""
    podcast = SiteFeed(
        format="podcast",
        title=listed.title,
        folder=listed.folder,
        page=f"{listed.folder}index.html",
        name=listed.title,
        hint=listed.podcast.description,
    )
    return podcast, *_feeds_in("list", listed.title, listed.folder, playable=False)


def _feeds_in(
    part: Part, title: str, folder: str, *, playable: bool, has_rss: bool = False
) -> tuple[SiteFeed, ...]:
    names = formats(part, has_podcast=playable, has_rss=has_rss)
    return tuple(SiteFeed(format=name, title=title, folder=folder) for name in names)


TOKEN = "PLANET-PICK-TOKEN"  # noqa: S105 - what stands for one
"""Stands in the forms for the secret by which a server knows that they are from its own pages."""

_TITLE_LENGTH = 120
# Search engines and messengers show about as much.
_DESCRIPTION_LENGTH = 200


class PickButtons(msgspec.Struct, frozen=True, kw_only=True):
    """Where episodes are picked: how, for which lists, and what is picked already."""

    way: Picking
    repository: str | None
    lists: Mapping[str, str]
    """The title of every list by its name, the planet's own first."""
    picked: Mapping[tuple[str, str], tuple[str, ...]]
    """The names of the lists that an episode is in, by the key of its feed and its id, in order."""

    @classmethod
    def of(cls, edition: Edition, pages: Pages) -> PickButtons:
        """Collect the ways to pick, the lists and what is picked of a site."""
        picked = dict.fromkeys(edition.timeline.picked, (OWN_LIST,))
        for name, post in ((one.name, post) for one in edition.lists for post in one.posts):
            key = post.entry.feed, post.entry.id
            picked[key] = *picked.get(key, ()), name
        picked = dict(sorted(picked.items()))
        lists = {OWN_LIST: edition.podcast.title or edition.title}
        lists |= {listed.name: listed.title for listed in edition.lists}
        return cls(
            way=choose_picking(edition, pages),
            repository=edition.repository,
            lists=lists,
            picked=picked,
        )

    def control(
        self, entry: Entry, presenter: Presenter, *, is_offered: bool
    ) -> views.PickView | None:
        """Return how an entry is picked.

        None where it has nothing to play or there is no way; on pages that anyone may read, only
        what is offered to be picked has one, until it is.
        """
        if self.way is Picking.NONE or media.find_playable(entry) is None:
            return None
        names = self.picked.get((entry.feed, entry.id), ())
        episode = handle(entry.feed, entry.id)
        if self.way is Picking.FORM:
            lists = [
                views.ListNameView(name=name, title=title) for name, title in self.lists.items()
            ]
            return views.PickView(
                episode=episode,
                token=TOKEN,
                lists=tuple(listed for listed in lists if listed.name not in names),
                picked_for=tuple(listed for listed in lists if listed.name in names),
                link=None,
            )
        if names or not is_offered:
            return None
        title = presenter.words.pick_issue(clip(entry.heading, _TITLE_LENGTH))
        link = form_link(self.repository, template="pick.yml", title=title, episode=episode)
        return views.PickView(episode=episode, token=None, lists=(), picked_for=(), link=link)

    def among(self, feeds: Container[str]) -> PickButtons:
        """Keep only what is picked of these feeds; nothing where there is no way to pick."""
        if self.way is Picking.NONE:
            return PickButtons(way=Picking.NONE, repository=None, lists={}, picked={})
        picked = {key: names for key, names in self.picked.items() if key[0] in feeds}
        return replace(self, picked=picked)


def form_link(repository: str | None, **fields: str) -> str | None:
    """Return the address of a form for a new issue, filled in; None without a repository."""
    query = urlencode(fields, quote_via=quote, errors="replace")
    return href(f"{repository.rstrip('/')}/issues/new?{query}") if repository else None


def choose_picking(edition: Edition, pages: Pages) -> Picking:
    """Return how episodes are picked; a link needs a repository to lead to."""
    leads_nowhere = pages.picking is Picking.LINK and href(edition.repository) is None
    return Picking.NONE if leads_nowhere else pages.picking


class PageSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A page before it is drawn."""

    path: str
    title: str | date
    """A date is written out when the page is drawn."""
    feeds: tuple[SiteFeed, ...]
    """The feeds it names in its head."""
    description: str | int
    """What is on it, for who has only a link to it; a number is one of posts."""
    image: str | None = None
    """The address of a picture to show with such a link; None is the planet's cover."""
    rows: Mapping[str, Any]
    """All that its template's variables are made from, besides what all pages share: plain values,
    nouns of the model, and those of `rows`. The repr of each tells all of it apart."""

    @property
    def fingerprint_inputs(self) -> tuple[object, ...]:
        """Return all that it is drawn from, besides what all pages share."""
        about = self.path, self.title, self.description, self.image, self.feeds
        return (*about, *self.rows.values())


LISTED = frozenset({"front", "sources", "about", "page"})
"""The kinds of pages that search engines may list. Others show what somebody else wrote, which is
to be found where that was published."""
EVERYWHERE = "404.html"
"""The page that is shown at any address, so that its links cannot be relative."""


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """What the pages of a site share."""

    site: views.SiteView
    slots: views.SlotsView
    files: Mapping[str, str]
    """The names by which pages ask for style sheets and scripts, by their plain names."""
    link: str | None
    image: str | None
    """The address of the planet's cover, where the site has one."""
    has_film: bool
    """Whether the theme has a picture for films that are not loaded."""
    zone: ZoneInfo
    words: Words

    @classmethod
    def of(cls, edition: Edition, pages: Pages, theme: Theme) -> Frame:
        """Collect what the pages of an edition share."""
        from planet.site.words import direction, speak

        owner = edition.owner
        return cls(
            site=views.SiteView(
                title=edition.title,
                description=edition.description,
                language=edition.language,
                direction=direction(edition.language),
                indexing=pages.indexing,
                owner=views.PersonView(name=owner.name, href=href(owner.url))
                if owner.name
                else None,
                generator=f"Planet {__version__}",
                has_podcast=edition.has_podcast,
                picking=choose_picking(edition, pages).value,
                script=pages.script,
                search=pages.search,
                pages=tuple(
                    views.OwnPageLinkView(title=page.title, path=page.path)
                    for page in theme.pages
                    if page.in_navigation
                ),
            ),
            # Nowhere else is text of the operator HTML: it is a file of HTML.
            slots=views.SlotsView(**{slot: Markup(html) for slot, html in theme.slots.items()}),  # noqa: S704
            files=name_assets(theme, pages),
            link=edition.link,
            image=cover(edition.podcast, "podcast/", site=edition.link, theme=theme.cover).address,
            has_film=FILM in theme.static,
            zone=edition.timezone,
            words=speak(edition.language),
        )

    def presenter(self, path: str) -> Presenter:
        """Return a presenter whose addresses are relative to the page at this path."""
        if path == EVERYWHERE:
            root = urlsplit(self.link or "").path.rstrip("/") + "/"
        else:
            root = "../" * path.count("/")
        film = root + FILM if self.has_film else None
        return Presenter(root=root, link=self.link, film=film, zone=self.zone, words=self.words)

    def page(self, kind: str, spec: PageSpec, presenter: Presenter) -> views.PageView:
        """Present what a page says of itself."""
        has_address = self.link is not None and spec.path != EVERYWHERE
        # One page, one address: hosts serve it without its index.html, too.
        canonical = f"{self.link}{spec.path.removesuffix('index.html')}"
        return views.PageView(
            kind=kind,
            title=spec.title if isinstance(spec.title, str) else self.words.date(spec.title),
            description=(
                clip(spec.description, _DESCRIPTION_LENGTH)
                if isinstance(spec.description, str)
                else self.words.posts(spec.description)
            ),
            indexing=self.site.indexing and kind in LISTED,
            image=href(spec.image) or self.image,
            root=presenter.root,
            canonical=href(canonical) if has_address else None,
            feeds=tuple(feed.link(presenter) for feed in spec.feeds),
        )
