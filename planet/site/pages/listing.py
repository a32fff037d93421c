"""The pages of a site: a line for each kind in `list_pages`.

A new kind of page is a line here, a template in the themes, and a section of `docs/templates.md`.

A new post touches the front page, its month, its source, the tags of that, the podcast if it has
something to play, the lists of months and sources, and the page about the planet, which counts it.
"""

from __future__ import annotations

from collections import Counter
from heapq import nlargest
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup
from msgspec.structs import replace

from planet import __version__
from planet.model import SEARCHED, ContentMode, FeedHealth, Future, Images, Post
from planet.site.feeds import formats
from planet.site.feeds.channel import cover, on_site
from planet.site.pages import labels
from planet.site.pages.nouns import (
    EVERYWHERE,
    OwnPageLink,
    Page,
    Rest,
    ShownSite,
    href,
)
from planet.site.pages.picking import PickButtons, choose_picking, form_link
from planet.site.pages.theme import FILM, name_assets
from planet.text import media
from planet.text.html import render_markdown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from planet.model import Edition, Entry, Linked, Pages, Podcast, Source, Tag
    from planet.site.pages.theme import Theme

    MonthNumber = tuple[int, int]


SCREEN = 24
"""How many sources fit on a screen: more are parted by letter, and no more stand beside posts."""
_TITLES, _OF_EACH = 120, 3
"""Posts that are named on the page of sources, and those of each at most; one is at least."""
_SOURCES, _TALKED_ABOUT = 3, 3
"""How many sources must link to an address on the front page, and how many links are there."""
# Search engines and messengers show about as much.
_DESCRIPTION_LENGTH = 200


def describe_site(edition: Edition, pages: Pages, theme: Theme) -> ShownSite:
    """Collect what the pages of an edition share.

    Raises:
        OSError: the file of its podcast's cover cannot be read.
    """
    from planet.site.words import direction, speak

    image = cover(edition.podcast, site=edition.link, theme=theme.cover).address
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
        picking=choose_picking(edition, pages).value,
        script=pages.script,
        search=pages.search,
        pages=tuple(
            OwnPageLink(page.title, page.path) for page in theme.pages if page.in_navigation
        ),
        image=image,
        images=pages.images,
        film=FILM if FILM in theme.static else None,
        zone=edition.timezone,
        words=speak(edition.language),
        # Nowhere else is text of the operator HTML: it is a file of HTML.
        slots={slot: Markup(html) for slot, html in theme.slots.items()},  # noqa: S704
        files=name_assets(theme, pages),
    )


def list_pages(edition: Edition, pages: Pages, theme: Theme, site: ShownSite) -> Iterator[Page]:
    """Yield every page of a site; those of sources come in the order of these."""
    return _Listing(edition, pages, theme, site).pages()


class PagePlace(NamedTuple):
    """A page that another one leads on to."""

    name: str
    path: str


class Month(NamedTuple):
    """A month in the list of months."""

    year: int
    number: int
    posts: int
    """The number of posts."""

    @property
    def path(self) -> str:
        """Return the address of the page, relative to the site's root."""
        return _month_path((self.year, self.number))


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


class _Listing:
    """What the pages of a site are listed from."""

    def __init__(self, edition: Edition, pages: Pages, theme: Theme, site: ShownSite) -> None:
        self._edition = edition
        self._timeline = edition.timeline
        self._pages = pages
        self._theme = theme
        self._site = site
        self._words = site.words
        self._picks = PickButtons.of(edition, pages)
        self._feeds = formats.of_posts(edition)
        self._tags = {tag.name: tag for tag in edition.tags}
        self._by_title = ", ".join(islice((source.title for source in edition.sources), 50))
        self._months: dict[MonthNumber, list[Post]] = {}
        for post in edition.timeline.posts():
            self._months.setdefault((post.day.year, post.day.month), []).append(post)
        self._newest: dict[str, list[Post]] = {}
        for post in edition.timeline.posts(timeless=True):
            newest = self._newest.setdefault(post.source.key, [])
            if len(newest) < max(pages.source, _OF_EACH):
                newest.append(post)

    def pages(self) -> Iterator[Page]:
        """Yield every page: a kind is a line here."""
        words, edition = self._words, self._edition
        sources, about = edition.sources, edition.description or self._by_title
        yield self._front()
        yield from self._archive()
        most = max(map(len, self._months.values()), default=0)
        months = {"years": self._years(), "most": most}
        yield self._page("archive", words.archive, edition.count, months)
        yield from map(self._source, sources)
        yield from map(self._tag, edition.tags)
        yield self._page(
            "sources",
            words.sources,
            self._by_title,
            {"sources": sources, "tags": edition.tags},
            posts=tuple(self._newest_of_each()),
            tags=self._tags,
        )
        yield from self._podcast()
        yield from self._digests()
        yield self._page(
            "links",
            words.links,
            words.links_shared if edition.links.is_shared else words.links_newest,
            {"links": _with_address(edition.links.top), "is_shared": edition.links.is_shared},
        )
        add_form = href(form_link(edition.repository, template="add.yml"))
        counts = {"sources": len(sources), "posts": edition.count}
        values = {"counts": counts, "add_form": add_form}
        yield self._page("about", words.about, about, values)
        if self._pages.search:
            found = min(edition.count, SEARCHED)
            yield self._page("search", words.search, words.search_in(found), {"count": found})
        for own in self._theme.pages:
            # What is HTML here is a file of the operator's, as templates are.
            content = Markup(render_markdown(own.text) if own.is_markdown else own.text)  # noqa: S704
            description = own.description or own.title
            yield self._page("page", own.title, description, {"content": content}, path=own.path)
        yield self._subscribe()
        yield self._page("404", words.missing, words.missing_hint, path=EVERYWHERE)

    def _page(
        self,
        kind: str,
        title: str,
        description: str | int,
        values: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> Page:
        """Return a page with these values for its template.

        A description that is a number is one of posts. Without other `fields`, a page is in a
        folder of the name of its kind, and names the feeds of all posts.
        """
        words = self._words.posts(description) if isinstance(description, int) else description
        defaults = {"path": f"{kind}/index.html", "feeds": self._feeds, "values": values or {}}
        return Page(
            site=self._site,
            kind=kind,
            title=title,
            description=labels.clip(words, _DESCRIPTION_LENGTH),
            **{**defaults, **fields},
        )

    def _front(self) -> Page:
        edition = self._edition
        shown, left = self._timeline.fair_share(self._pages.front, self._pages.per_source)
        slugs = {post.source.key: post.source.slug for post in shown}
        counts = Counter(post.day for post in shown)
        rest = {
            day: Rest(
                self._place(day),
                tuple((slugs[key], more) for (of, key), more in left.items() if of == day),
            )
            for day, count in counts.items()
            if len(self._timeline.days[day]) > count
        }
        beside = _sources_to_name(edition.sources)
        return self._page(
            "front",
            edition.title,
            edition.description or ", ".join(source.title for source in beside),
            {
                "sources": tuple(map(_only_name, beside)),
                "source_count": len(edition.sources),
                "updated": edition.updated if shown else None,
                "as_of": edition.asked_at,
                "talked_about": _with_address(_much_linked(edition.links.top)),
                "older": self._older(min(counts), counts, rest) if counts else None,
            },
            path="index.html",
            feeds=formats.of_planet(edition),
            posts=shown,
            rest=rest,
            shows_texts=self._theme.full_text,
        )

    def _older(
        self, last: date, counts: Mapping[date, int], rest: Mapping[date, Rest]
    ) -> PagePlace | None:
        """Return where readers go on from the front page: its last day, or the one before.

        The page leads to the rest of each source that it shows; the last day is gone on with only
        where sources of it are missing.
        """
        days = self._timeline.days
        left = sum(more for _, more in rest[last].more) if last in rest else 0
        is_whole = len(days[last]) == counts[last] + left
        day = next((day for day in days if day < last), None) if is_whole else last
        return PagePlace(self._words.month(day.year, day.month), self._place(day)) if day else None

    def _place(self, day: date) -> str:
        """Return where the archive has the posts of a day, from the newest on."""
        month = day.year, day.month
        posts = self._months[month]
        first = next(place for place, post in enumerate(posts) if post.day == day)
        parts = part_into_pages(len(posts), self._pages.archive)
        number = next(part.number for part in parts if part.start <= first < part.stop)
        return f"{_month_path(month, number)}#{day.isoformat()}"

    def _archive(self) -> Iterator[Page]:
        """Yield the pages of months: of a long month several, each with a part of its posts."""
        shown = [
            (month, part)
            for month, posts in self._months.items()
            for part in part_into_pages(len(posts), self._pages.archive)
        ]
        places = [
            PagePlace(_number(self._words.month(*month), part), _month_path(month, part.number))
            for month, part in shown
        ]
        for (month, part), around, place in zip(shown, _around(places), places, strict=True):
            yield self._page(
                "month",
                labels.as_heading(place.name),
                part.stop - part.start,
                around,
                path=place.path,
                posts=tuple(self._months[month][part.start : part.stop]),
                shows_texts=self._theme.full_text,
            )

    def _years(self) -> tuple[tuple[int, tuple[Month | None, ...]], ...]:
        """Return the months of each year that has posts, January first, the newest year first."""
        years: dict[int, list[Month | None]] = {}
        for (year, number), posts in self._months.items():
            months = years.setdefault(year, [None] * 12)
            months[number - 1] = Month(year, number, len(posts))
        return tuple((year, tuple(months)) for year, months in years.items())

    def _newest_of_each(self) -> Iterator[Post]:
        """Yield the newest posts of each source, for the page of all of them.

        They are those without a date where a source has no others.
        """
        titles = max(1, min(_OF_EACH, _TITLES // max(len(self._edition.sources), 1)))
        for source in self._edition.sources:
            newest = self._newest.get(source.key, [])
            dated = [post for post in newest if not post.entry.is_timeless]
            yield from (dated or newest)[:titles]

    def _source(self, source: Source) -> Page:
        edition = self._edition
        offered = edition.episodes.get(source.key, ())
        return self._page(
            "source",
            source.title,
            source.description or source.count,
            {
                "source": source,
                "episodes": tuple(_make_offered_post(entry, source) for entry in offered),
            },
            picks=self._picks.among({source.key}),
            tags=self._tags,
            path=f"{source.folder}index.html",
            feeds=(*formats.own_feed_of(source), *formats.of_source(edition, source)),
            picture=on_site(source.face, edition.link) or source.image,
            posts=tuple(self._newest.get(source.key, ())[: self._pages.source]),
            shows_texts=source.content is ContentMode.FULL,
        )

    def _tag(self, tag: Tag) -> Page:
        sources = self._edition.tagged(tag)
        keys = {source.key for source in sources}
        return self._page(
            "tag",
            tag.name,
            ", ".join(source.title for source in sources),
            {"sources": tuple(map(_only_name, sources))},
            path=f"{tag.folder}index.html",
            feeds=formats.of_tag(self._edition, tag),
            posts=tuple(self._timeline.posts(self._pages.feed, sources=keys)),
        )

    def _podcast(self) -> Iterator[Page]:
        """Yield the page of `podcast.xml`, if there is that feed."""
        if not self._edition.has_podcast:
            return
        podcast = self._edition.podcast
        episodes = media.list_playables(self._timeline.posts(), self._pages.feed)
        posts = tuple(episode.post for episode in episodes)
        site, theme = self._edition.link, self._theme.cover
        yield self._page(
            "podcast",
            podcast.title or self._words.podcasts,
            podcast.description or self._words.what_is_a_podcast,
            {"summary": podcast.description, "cover": self._cover(podcast)},
            picks=self._picks.among({post.entry.feed for post in posts}),
            feeds=(formats.podcast_of(self._edition),),
            posts=posts,
            picture=cover(podcast, site=site, theme=theme).address,
        )

    def _cover(self, podcast: Podcast) -> str | None:
        """Return the cover of a podcast, if pages may show it; else that of the theme.

        It is an address of the web, or one relative to the site's root.
        """
        if isinstance(podcast.cover, Path):
            return media.cover_path(podcast.cover.read_bytes())
        # From another host it is an image like those of posts.
        if self._pages.images is Images.LAZY and (elsewhere := href(podcast.cover)):
            return elsewhere
        return self._theme.cover

    def _digests(self) -> Iterator[Page]:
        """Yield the page of the newest digest, and one for each."""
        digests, words = self._edition.digests, self._words
        if digests is None:
            return
        feeds = (formats.digest_of(self._edition),)
        newest = digests[0] if digests else None
        yield self._page(
            "digests",
            words.digests,
            words.digest_hint,
            {"digest": newest, "earlier": digests[1:]},
            path="digest/index.html",
            feeds=feeds,
        )
        for digest in digests:
            title = words.digest_of(words.date(self._site.local(digest.due_at)))
            path = f"digest/{digest.name}/index.html"
            told = {"digest": digest}
            yield self._page("digest", title, digest.count, told, path=path, feeds=feeds)

    def _subscribe(self) -> Page:
        edition, words = self._edition, self._words
        feeds = formats.of_planet(edition)
        return self._page(
            "subscribe",
            words.subscribe,
            words.what_is_a_feed,
            {"offered": feeds},
            feeds=feeds,
        )


def _around(places: Sequence[PagePlace]) -> Iterator[dict[str, PagePlace | None]]:
    """Yield for each of these pages, the newest first, the newer and the older one beside it."""
    for place in range(len(places)):
        newer = places[place - 1] if place else None
        yield {"newer": newer, "older": next(iter(places[place + 1 :]), None)}


def _month_path(month: MonthNumber, number: int | None = None) -> str:
    """Return where the page of a month is, or one of older posts in it."""
    folder = f"{month[0]:04}/{month[1]:02}/"
    return f"{folder}{number}/index.html" if number else f"{folder}index.html"


def _number(title: str, part: PageRange) -> str:
    """Return the title of a page, which says the number of one of older posts."""
    return f"{title} ({part.number})" if part.number else title


def _only_name(source: Source) -> Source:
    """Return a source without what is not told beside its posts."""
    return replace(source, description=None, newest=None, count=0, standing=FeedHealth(), links=())


def _sources_to_name(sources: Sequence[Source]) -> Sequence[Source]:
    """Return the sources to name beside posts: where they are many, those that wrote last."""
    if len(sources) <= SCREEN:
        return sources
    newest = attrgetter("newest")
    last = {source.key for source in nlargest(SCREEN, filter(newest, sources), key=newest)}
    return [source for source in sources if source.key in last]


def _with_address(links: Iterable[Linked]) -> tuple[Linked, ...]:
    """Return the links that may stand in a page."""
    return tuple(linked for linked in links if href(linked.address))


def _much_linked(links: Iterable[Linked]) -> Iterator[Linked]:
    """Return the few links that more than two sources have, the most first."""
    return islice((linked for linked in links if len(linked.posts) >= _SOURCES), _TALKED_ABOUT)


def _make_offered_post(entry: Entry, source: Source) -> Post:
    """Make a post of an episode that the site does not show; it has no id."""
    when = entry.filing_moment(Future.CLAMP)
    return Post(
        entry=entry,
        source=_only_name(source),
        uid="",
        when=when,
        day=when.date(),
        fingerprint=f"{entry.mark} {when} {_only_name(source)}",
    )
