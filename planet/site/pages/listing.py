"""The pages of a site: a line for each kind in `_Listing.pages`.

A new kind of page is a line there, a template in the themes, and a section of `docs/templates.md`.

A new post touches the front page, the pages of month, source and tags, the podcast if there is
something to play, the lists of months and sources, and the page about the planet, which counts.
"""

from __future__ import annotations

from collections import Counter
from datetime import date
from heapq import nlargest
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from markupsafe import Markup
from msgspec.structs import replace

from planet import __version__
from planet.model import (
    SEARCHED,
    ContentMode,
    FeedHealth,
    Future,
    Images,
    Picking,
    Post,
    fingerprint,
)
from planet.site.feeds import channel
from planet.site.pages import labels
from planet.site.pages.nouns import (
    SCREEN,
    Page,
    PageLink,
    PageSpec,
    Rest,
    ShownSite,
    form_link,
    href,
)
from planet.site.pages.theme import name_assets
from planet.text import media
from planet.text.html import render_markdown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from planet.model import Edition, Entry, Pages, Source, Tag
    from planet.site.pages.theme import Theme

    MonthNumber = tuple[int, int]


_EVERYWHERE = "404.html"
"""The page shown at any address, whose links cannot be relative."""
_LISTED = frozenset({"front", "sources", "about", "page"})
"""The kinds of pages that search engines may list. Others show texts of others, to be found where
they were published."""
_TITLES, _OF_EACH = 120, 3
"""Posts that are named on the page of sources, and those of each at most; one is at least."""
_SOURCES, _TALKED_ABOUT = 3, 3
"""How many sources must link to an address on the front page, and how many links are there."""
# Search engines and messengers show about as much.
_DESCRIPTION_LENGTH = 200


def describe_site(edition: Edition, pages: Pages, theme: Theme) -> ShownSite:
    """Collect the facts of an edition for all pages.

    Raises:
        OSError: the file of the podcast's cover cannot be read.
    """
    from planet.site.words import direction, speak

    # A link to a form needs a repository to lead to.
    can_pick = pages.picking is not Picking.LINK or href(edition.repository)
    return ShownSite(
        title=edition.title,
        link=edition.link,
        description=edition.description,
        language=edition.language,
        direction=direction(edition.language),
        indexing=pages.indexing,
        owner=edition.owner,
        generator=f"Planet {__version__}",
        has_podcast=edition.has_podcast,
        podcast=edition.podcast.title or edition.title,
        repository=edition.repository,
        picking=pages.picking if can_pick else Picking.NONE,
        script=pages.script,
        search=pages.search,
        pages=tuple(PageLink(own.title, own.path) for own in theme.pages if own.navigation),
        image=channel.cover(edition, theme.cover).address,
        zone=edition.timezone,
        words=speak(edition.language),
        # Nowhere else is text of the operator HTML: it is a file of HTML.
        slots={slot: Markup(html) for slot, html in theme.slots.items()},  # noqa: S704
        files=name_assets(theme, pages),
    )


def list_pages(edition: Edition, pages: Pages, theme: Theme, site: ShownSite) -> Iterator[PageSpec]:
    """Yield every page of a site; those of sources come in the order of these."""
    return _Listing(edition, pages, theme, site).pages()


class Month(NamedTuple):
    """A month in the list of months."""

    year: int
    number: int
    posts: int
    """The number of posts."""
    path: str


def part_into_pages(
    posts: Sequence[Post], at_least: int
) -> Iterator[tuple[int | None, Sequence[Post]]]:
    """Part posts, the newest first, into pages of which none has twice as many as the others.

    Only a page with exactly `at_least` posts has a number, counted from the oldest: when another
    post comes, the page keeps posts and address.
    """
    full = max(len(posts) // at_least - 1, 0)
    first = len(posts) - full * at_least
    yield None, posts[:first]
    for place, start in enumerate(range(first, len(posts), at_least)):
        yield full - place, posts[start : start + at_least]


class _Listing:
    """The pages of a site, and facts for several of them."""

    def __init__(self, edition: Edition, pages: Pages, theme: Theme, site: ShownSite) -> None:
        self._edition = edition
        self._timeline = edition.timeline
        self._pages = pages
        self._theme = theme
        self._site = site
        self._words = site.words
        self._feeds = channel.feeds_of_posts(edition)
        self._cover = channel.cover(edition, theme.cover)
        # The rest of their health changes with each run.
        self._sources = [replace(one, standing=one.standing.page_part) for one in edition.sources]
        self._links = [linked for linked in edition.links.top if href(linked.address)]
        self._by_title = ", ".join(source.title for source in self._sources[:50])
        picked = (post.entry for post in edition.timeline.dated if post.picked)
        self._picked = {(entry.feed, entry.id) for entry in picked}
        self._months: dict[MonthNumber, list[Post]] = {}
        for post in edition.timeline.posts():
            self._months.setdefault((post.day.year, post.day.month), []).append(post)
        self._month_pages: list[tuple[PageLink, Sequence[Post]]] = []
        self._places: dict[date, str] = {}
        for month, posts in self._months.items():
            for number, part in part_into_pages(posts, pages.archive):
                name = self._words.month(*month) + (f" ({number})" if number else "")
                path = _month_path(month, number)
                self._month_pages.append((PageLink(name, path), part))
                # A day goes on on the next page of older posts.
                for post in part:
                    self._places.setdefault(post.day, f"{path}#{post.day.isoformat()}")
        self._newest: dict[str, list[Post]] = {}
        for post in edition.timeline.posts(timeless=True):
            newest = self._newest.setdefault(post.source.key, [])
            if len(newest) < max(pages.source, _OF_EACH):
                newest.append(post)

    def pages(self) -> Iterator[PageSpec]:
        """Yield every page: a kind is a line here."""
        words, edition, links = self._words, self._edition, self._edition.links
        yield self._front()
        yield from self._archive()
        most = max(map(len, self._months.values()), default=0)
        yield self._page("archive", words.archive, edition.count, years=self._years(), most=most)
        yield from map(self._source, self._sources)
        yield from map(self._tag, edition.tags)
        yield self._list_of_sources()
        if edition.has_podcast:
            yield self._podcast()
        if edition.digests is not None:
            yield from self._digests()
        hint = words.links_shared if links.is_shared else words.links_newest
        yield self._page("links", words.links, hint, links=self._links, is_shared=links.is_shared)
        about = edition.description or self._by_title
        counts = {"sources": len(self._sources), "posts": edition.count}
        add_form = href(form_link(edition.repository, template="add.yml"))
        yield self._page("about", words.about, about, counts=counts, add_form=add_form)
        if self._pages.search:
            found = min(edition.count, SEARCHED)
            yield self._page("search", words.search, words.search_in(found), count=found)
        for own in self._theme.pages:
            # What is HTML here is a file of the operator's, as templates are.
            content = Markup(render_markdown(own.text) if own.is_markdown else own.text)  # noqa: S704
            about = own.description or own.title
            yield self._page("page", own.title, about, path=own.path, content=content)
        feeds = channel.feeds_of_planet(edition)
        hint = words.what_is_a_feed
        yield self._page("subscribe", words.subscribe, hint, feeds=feeds, offered=feeds)
        yield self._page("404", words.missing, words.missing_hint, path=_EVERYWHERE)

    def _page(
        self,
        kind: str,
        title: str,
        description: str | int,
        *,
        path: str | None = None,
        image: str | None = None,
        feeds: tuple[channel.SiteFeed, ...] | None = None,
        **values: Any,
    ) -> PageSpec:
        """Return a page with these values for its template.

        A number as description is one of posts. A page without a `path` is in the folder of its
        kind, one without an `image` has the site's, and one without `feeds` names the feeds of all
        posts.
        """
        path = path or f"{kind}/index.html"
        words = self._words.posts(description) if isinstance(description, int) else description
        link, root = self._site.link, "../" * path.count("/")
        if path == _EVERYWHERE:
            link, root = None, urlsplit(link or "").path.rstrip("/") + "/"
        page = Page(
            kind=kind,
            path=path,
            root=root,
            address=link and f"{link}{path.removesuffix('index.html')}",
            title=title,
            description=labels.clip(words, _DESCRIPTION_LENGTH),
            image=href(image) or self._site.image,
            indexing=self._site.indexing and kind in _LISTED,
            feeds=self._feeds if feeds is None else feeds,
        )
        return PageSpec(page=page, values=values)

    def _front(self) -> PageSpec:
        edition, days, links = self._edition, self._timeline.days, self._links
        shown, left = self._timeline.fair_share(self._pages.front, self._pages.per_source)
        counts = Counter(post.day for post in shown)
        rest = {
            day: Rest(self._places[day], left[day])
            for day, count in counts.items()
            if len(days[day]) > count
        }
        older, last = None, min(counts, default=date.min)
        for day in (day for day in days if day <= last):
            # Readers go on with the last day only where sources of it are missing, for the page
            # leads to the rest of each source that it shows.
            if len(days[day]) > counts[day] + sum(left.get(day, {}).values()):
                older = PageLink(self._words.month(day.year, day.month), self._places[day])
                break
        beside = _sources_to_name(self._sources)
        front = self._page(
            "front",
            edition.title,
            edition.description or ", ".join(source.title for source in beside),
            path="index.html",
            feeds=channel.feeds_of_planet(edition),
            sources=tuple(map(_only_name, beside)),
            source_count=len(self._sources),
            updated=edition.updated if shown else None,
            as_of=edition.asked_at,
            talked_about=[one for one in links if len(one.posts) >= _SOURCES][:_TALKED_ABOUT],
            older=older,
        )
        return replace(front, posts=shown, rest=rest, shows_texts=self._theme.full_text)

    def _archive(self) -> Iterator[PageSpec]:
        """Yield the pages of months: of a long month several, each with a part of the posts."""
        months = self._month_pages
        places = [None, *(place for place, _ in months), None]
        for newer, (place, posts), older in zip(places, months, places[2:], strict=False):
            title, path = labels.as_heading(place.title), place.path
            page = self._page("month", title, len(posts), path=path, newer=newer, older=older)
            yield replace(page, posts=tuple(posts), shows_texts=self._theme.full_text)

    def _years(self) -> tuple[tuple[int, tuple[Month | None, ...]], ...]:
        """Return the months of each year with posts, January first, the newest year first."""
        years: dict[int, list[Month | None]] = {}
        for month, posts in self._months.items():
            months = years.setdefault(month[0], [None] * 12)
            months[month[1] - 1] = Month(*month, len(posts), _month_path(month))
        return tuple((year, tuple(months)) for year, months in years.items())

    def _list_of_sources(self) -> PageSpec:
        """Return the page of all sources, with the newest posts of each.

        They are those without a date where a source has no others.
        """
        sources, posts = self._sources, list[Post]()
        titles = max(1, min(_OF_EACH, _TITLES // max(len(sources), 1)))
        for source in sources:
            newest = self._newest.get(source.key, [])
            dated = [post for post in newest if not post.entry.is_timeless]
            posts += (dated or newest)[:titles]
        title, tags = self._words.sources, self._edition.tags
        page = self._page("sources", title, self._by_title, sources=sources, tags=tags)
        return replace(page, posts=tuple(posts))

    def _find_picks(self, feeds: Collection[str]) -> tuple[tuple[str, str], ...] | None:
        """Return the picked episodes of these feeds; None where nobody can pick."""
        if self._site.picking is Picking.NONE:
            return None
        return tuple(sorted(key for key in self._picked if key[0] in feeds))

    def _source(self, source: Source) -> PageSpec:
        edition, shown_beside = self._edition, _only_name(source)
        offered = edition.episodes.get(source.key, ())
        page = self._page(
            "source",
            source.title,
            source.description or source.count,
            path=f"{source.folder}index.html",
            image=channel.on_site(source.face, edition.link) or source.image,
            feeds=(*channel.own_feed_of(source), *channel.feeds_of_source(edition, source)),
            source=source,
            tags=[tag for tag in edition.tags if tag.name in source.tags],
            episodes=tuple(_make_offered_post(entry, shown_beside) for entry in offered),
        )
        return replace(
            page,
            posts=tuple(self._newest.get(source.key, ())[: self._pages.source]),
            picked=self._find_picks({source.key}),
            shows_texts=source.content is ContentMode.FULL,
        )

    def _tag(self, tag: Tag) -> PageSpec:
        sources = self._edition.tagged(tag)
        posts = self._timeline.posts(self._pages.feed, sources={source.key for source in sources})
        page = self._page(
            "tag",
            tag.name,
            ", ".join(source.title for source in sources),
            path=f"{tag.folder}index.html",
            feeds=channel.feeds_of_tag(self._edition, tag),
            sources=tuple(map(_only_name, sources)),
        )
        return replace(page, posts=tuple(posts))

    def _podcast(self) -> PageSpec:
        """Return the page of `podcast.xml`.

        A cover from another host is an image like those of posts: where pages load none, the
        theme's stands there.
        """
        podcast, cover = self._edition.podcast, self._cover
        is_elsewhere = isinstance(podcast.cover, str) and self._pages.images is Images.LAZY
        episodes = media.list_playables(self._timeline.posts(), self._pages.feed)
        posts = tuple(episode.post for episode in episodes)
        page = self._page(
            "podcast",
            podcast.title or self._words.podcasts,
            podcast.description or self._words.what_is_a_podcast,
            image=cover.address,
            feeds=(channel.podcast_of(self._edition),),
            summary=podcast.description,
            cover=cover.path or (is_elsewhere and href(cover.address)) or self._theme.cover,
        )
        return replace(page, posts=posts, picked=self._find_picks({p.entry.feed for p in posts}))

    def _digests(self) -> Iterator[PageSpec]:
        """Yield the page of the newest digest, and one for each."""
        digests, words = self._edition.digests or (), self._words
        feeds = (channel.digest_of(self._edition),)
        yield self._page(
            "digests",
            words.digests,
            words.digest_hint,
            path="digest/index.html",
            feeds=feeds,
            digest=next(iter(digests), None),
            earlier=digests[1:],
        )
        for digest in digests:
            title = words.digest_of(words.date(self._site.local(digest.due_at)))
            path = f"digest/{digest.name}/index.html"
            yield self._page("digest", title, digest.count, path=path, feeds=feeds, digest=digest)


def _month_path(month: MonthNumber, number: int | None = None) -> str:
    """Return where the page of a month is, or one of older posts in it."""
    folder = f"{month[0]:04}/{month[1]:02}/"
    return f"{folder}{number}/index.html" if number else f"{folder}index.html"


def _only_name(source: Source) -> Source:
    """Return a source without the facts of its own page."""
    return replace(source, description=None, newest=None, count=0, standing=FeedHealth(), links=())


def _sources_to_name(sources: Sequence[Source]) -> Sequence[Source]:
    """Return the sources to name beside posts: where there are many, the last to write."""
    if len(sources) <= SCREEN:
        return sources
    newest = attrgetter("newest")
    last = {source.key for source in nlargest(SCREEN, filter(newest, sources), key=newest)}
    return [source for source in sources if source.key in last]


def _make_offered_post(entry: Entry, source: Source) -> Post:
    """Make a post of an episode to pick; such a post has no id."""
    when = entry.filing_moment(Future.CLAMP)
    made_from = fingerprint(entry.mark, when, source)
    return Post(
        entry=entry, source=source, uid="", when=when, day=when.date(), fingerprint=made_from
    )
