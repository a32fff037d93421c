"""Edition → Sheets: which pages a site has.

A new post touches the front page, its month, its source, the tags of that, the podcast if it has
something to play, the lists of months and sources, and the page about the planet, which counts it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from planet.model import SEARCHED, Images
from planet.site.pages import bodies, chrome, context, river, sheet
from planet.site.pages.chrome import desk
from planet.site.pages.sheet import Marks, PageSpec, href, list_folder
from planet.text import media

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planet.model import Contents, Digest, DigestSection, Edition, Linked, Pages, Podcast
    from planet.site.pages.chrome import PickButtons, SiteFeed
    from planet.site.pages.present import Presenter
    from planet.site.pages.theme import Theme
    from planet.site.words import Words
    from planet.text.media import Playable


def about_page(edition: Edition, words: Words) -> PageSpec:
    """The page about an edition's planet."""
    owner, sources, posts = edition.owner, len(edition.sources), edition.count
    return PageSpec(
        kind="about",
        path="about/index.html",
        title=words.about,
        facts=(owner.email, owner.url, sources, posts),
        body=lambda _: bodies.AboutPage(
            sources=sources, posts=posts, email=owner.email, home=href(owner.url)
        ),
        feeds=chrome.of_posts(edition),
    )


def search_page(edition: Edition, words: Words) -> PageSpec:
    """The page on which the posts of an edition are searched."""
    posts = min(edition.count, SEARCHED)
    return PageSpec(
        kind="search",
        path="search/index.html",
        title=words.search,
        facts=(posts,),
        body=lambda _: bodies.SearchPage(posts=posts),
        feeds=chrome.of_posts(edition),
    )


def digest_pages(edition: Edition, words: Words) -> Iterator[PageSpec]:
    """The pages of an edition's digests; none where it is to have no digests."""
    if edition.digests is None:
        return
    feed = chrome.digest_of(edition)
    dates = [words.date(digest.due_at.astimezone(edition.timezone)) for digest in edition.digests]
    yield _newest(edition.digests, feed, words)
    for digest, date in zip(edition.digests, dates, strict=True):
        yield _single(digest, words.digest_of(date), feed)


def _newest(digests: Sequence[Digest], feed: SiteFeed, words: Words) -> PageSpec:
    newest, earlier = next(iter(digests), None), digests[1:]

    def body(presenter: Presenter) -> bodies.DigestsPage:
        return bodies.DigestsPage(
            digest=_told(newest, presenter) if newest else None,
            earlier=tuple(_link(digest, presenter) for digest in earlier),
        )

    return PageSpec(
        kind="digests",
        path="digest/index.html",
        title=words.digests,
        facts=(newest, *((digest.name, digest.due_at, digest.count) for digest in earlier)),
        body=body,
        feeds=(feed,),
    )


def _single(digest: Digest, title: str, feed: SiteFeed) -> PageSpec:
    return PageSpec(
        kind="digest",
        path=f"digest/{digest.name}/index.html",
        title=title,
        facts=(digest,),
        body=lambda presenter: bodies.DigestPage(digest=_told(digest, presenter)),
        feeds=(feed,),
    )


def _told(digest: Digest, presenter: Presenter) -> context.Digest:
    return context.Digest(
        date=presenter.moment(digest.due_at).date,
        since=presenter.moment(digest.since),
        until=presenter.moment(digest.made_at),
        count=digest.count,
        sections=tuple(map(_section, digest.sections)),
    )


def _section(section: DigestSection) -> context.DigestSection:
    return context.DigestSection(
        title=section.source,
        home=href(section.link),
        items=tuple(
            context.DigestItem(heading=item.heading, href=href(item.link), summary=item.summary)
            for item in section.items
        ),
    )


def _link(digest: Digest, presenter: Presenter) -> context.DigestLink:
    due = presenter.moment(digest.due_at)
    return context.DigestLink(
        iso=due.iso,
        date=due.date,
        href=f"{presenter.root}digest/{digest.name}/index.html",
        count=digest.count,
    )


POSTS = 10
"""How many of the posts that link to an address are named."""

_TITLE_LENGTH = 100


def links_page(edition: Edition, marks: Marks, words: Words) -> PageSpec:
    """The page of an edition's links."""
    graph = edition.links

    def body(presenter: Presenter) -> bodies.LinksPage:
        return bodies.LinksPage(
            links=tuple(
                _linked(linked, url, presenter)
                for linked in graph.top
                if (url := href(linked.address))
            ),
            is_shared=graph.is_shared,
        )

    return PageSpec(
        kind="links",
        path="links/index.html",
        title=words.links,
        facts=(
            graph.is_shared,
            *(
                (
                    linked.address,
                    linked.post and marks(linked.post),
                    len(linked.posts),
                    marks.of(linked.posts[:POSTS]),
                )
                for linked in graph.top
            ),
        ),
        body=body,
        feeds=chrome.of_posts(edition),
    )


def _linked(linked: Linked, url: str, presenter: Presenter) -> context.Linked:
    own = linked.post
    # The title of another's page is known to nobody here, but where it is says much of it.
    title = own.entry.heading if own else url.partition("://")[2].removeprefix("www.").rstrip("/")
    return context.Linked(
        title=sheet.clipped(title, _TITLE_LENGTH),
        href=url,
        source=presenter.source_link(own.source) if own else None,
        count=len(linked.posts),
        posts=tuple(presenter.post(post) for post in linked.posts[:POSTS]),
    )


def podcast_pages(
    edition: Edition, pages: Pages, marks: Marks, words: Words, *, cover: str | None
) -> Iterator[PageSpec]:
    """The page of `podcast.xml`, if there is that feed, and one for each list.

    `cover` is the path of the theme's own, for podcasts that bring none.

    Raises:
        OSError: the file of a cover cannot be read.
    """
    picks = desk(edition, pages)
    own, title = edition.podcast, edition.podcast.title or words.podcasts
    if edition.has_podcast:
        frame = _Frame(
            kind="podcast",
            folder="podcast/",
            title=title,
            description=own.description,
            cover=_cover(own, "podcast/", pages) or cover,
            feeds=(chrome.podcast_of(edition),),
        )
        heard = media.playables(edition.timeline.posts(playable=True), pages.feed)
        yield _sheet(frame, heard, marks, picks)
    for listed in edition.lists:
        folder = list_folder(listed)
        frame = _Frame(
            kind="list",
            folder=folder,
            title=listed.podcast.title or listed.name,
            description=listed.podcast.description,
            cover=_cover(listed.podcast, folder, pages) or cover,
            feeds=chrome.of_list(listed),
        )
        yield _sheet(frame, media.playables(listed.posts, len(listed.posts)), marks, picks)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """What stands around the episodes of a podcast."""

    kind: str
    folder: str
    title: str
    description: str | None
    cover: str | None
    """A path on the site, or a web address."""
    feeds: tuple[SiteFeed, ...]
    """The podcast feed first."""

    def shown(self, presenter: Presenter) -> context.Podcast:
        """The same as a template sees it."""
        is_elsewhere = self.cover is not None and href(self.cover) is not None
        return context.Podcast(
            title=self.title,
            description=self.description,
            cover=self.cover if is_elsewhere or not self.cover else presenter.root + self.cover,
            feed=self.feeds[0].link(presenter),
        )


def _sheet(frame: _Frame, shown: Sequence[Playable], marks: Marks, picks: PickButtons) -> PageSpec:
    posts = [playable.post for playable in shown]

    def body(presenter: Presenter) -> bodies.PodcastPage:
        return bodies.PodcastPage(
            podcast=frame.shown(presenter),
            episodes=tuple(
                presenter.playable(
                    playable, picks.control(playable.post.entry, presenter, is_offered=False)
                )
                for playable in shown
            ),
        )

    return PageSpec(
        kind=frame.kind,
        path=f"{frame.folder}index.html",
        title=frame.title,
        facts=(frame, marks.of(posts), *picks.facts({post.entry.feed for post in posts})),
        body=body,
        feeds=frame.feeds,
    )


def _cover(podcast: Podcast, folder: str, pages: Pages) -> str | None:
    """Where the cover of a podcast is, if it has one of its own and pages may show it."""
    if isinstance(podcast.cover, Path):
        return media.cover_path(folder, podcast.cover.read_bytes())
    # From another host it is an image like those of posts.
    return href(podcast.cover) if pages.images is Images.LAZY else None


def page_specs(
    edition: Edition, *, theme: Theme, pages: Pages, contents: Contents
) -> Iterator[PageSpec]:
    """The pages of a site; of two editions, those with the same path are the same page."""
    from planet.site.words import speak

    marks, words = Marks(), speak(edition.language)
    full = contents if theme.full_text else None
    yield from river.timeline_pages(edition, pages, full, marks, words)
    yield from river.source_pages(edition, pages, contents, words)
    yield from podcast_pages(edition, pages, marks, words, cover=theme.cover)
    yield from digest_pages(edition, words)
    yield links_page(edition, marks, words)
    yield about_page(edition, words)
    if pages.search:
        yield search_page(edition, words)
    yield _subscribe(edition, words)
    yield _missing(edition, words)


def _subscribe(edition: Edition, words: Words) -> PageSpec:
    feeds, opml = chrome.of_planet(edition), chrome.opml_of(edition)
    lists = tuple(chrome.of_list(listed)[0] for listed in edition.lists)

    def body(presenter: Presenter) -> bodies.SubscribePage:
        return bodies.SubscribePage(
            feeds=tuple(feed.link(presenter) for feed in feeds),
            lists=tuple(feed.link(presenter) for feed in lists),
            opml=opml.link(presenter),
        )

    return PageSpec(
        kind="subscribe",
        path="subscribe/index.html",
        title=words.subscribe,
        facts=lists,
        body=body,
        feeds=feeds,
    )


def _missing(edition: Edition, words: Words) -> PageSpec:
    return PageSpec(
        kind="404",
        path="404.html",
        title=words.missing,
        facts=(),
        body=lambda _: bodies.MissingPage(),
        feeds=chrome.of_posts(edition),
    )
