"""The kinds of pages: a row for each in `KINDS`, with the pages of that kind that a site has.

A new page is a row here, a template in the themes, and a section of `docs/themes.md`.

A new post touches the front page, its day and month, its source, the tags of that, the podcast if
it has something to play, the lists of months and sources, and the page about the planet, which
counts it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from heapq import nlargest
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planet.model import SEARCHED, ContentMode, Future, Images, Post
from planet.site.feeds.channel import cover
from planet.site.pages import frame, present, views
from planet.site.pages.frame import PageSpec, PickButtons
from planet.site.pages.present import href, list_folder
from planet.text import media

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from planet.model import (
        Contents,
        Digest,
        Edition,
        Entry,
        Linked,
        Pages,
        Podcast,
        Source,
        Tag,
    )
    from planet.site.pages.frame import Frame, SiteFeed
    from planet.site.pages.present import Presenter
    from planet.site.pages.theme import Theme
    from planet.site.words import Words
    from planet.text.media import Playable

    Month = tuple[int, int]
    Variables = dict[str, Any]


POSTS = 10
"""How many of the posts that link to an address are named."""
SCREEN = 24
"""How many sources fit on a screen: more are parted by letter, and no more stand beside posts."""
_TITLES = 120
"""Posts that are named on the page of sources: up to three of each, but one of each at least."""
_TITLE_LENGTH = 100


class Kind:
    """A kind of page; what its template is called is its key in `KINDS`."""

    def __init__(self, pages: Callable[[Drawing], Iterator[PageSpec]], **given: str) -> None:
        self.pages = pages
        """Those that a site has."""
        self.given = given
        """The variables that its template sees besides those of every template, with types."""


@dataclass(frozen=True)
class Drawing:
    """What the pages of a site are made from."""

    edition: Edition
    pages: Pages
    theme: Theme
    contents: Contents
    frame: Frame

    @property
    def words(self) -> Words:
        """What is written in the planet's language."""
        return self.frame.words

    @cached_property
    def feeds(self) -> tuple[SiteFeed, ...]:
        """The feeds that pages name which have none of their own."""
        return frame.of_posts(self.edition, self.pages)

    @cached_property
    def picks(self) -> PickButtons:
        """Where episodes are picked."""
        return PickButtons.of(self.edition, self.pages)

    @cached_property
    def tags(self) -> dict[str, Tag]:
        """The planet's tags, by name."""
        return {tag.name: tag for tag in self.edition.tags}

    def tags_of(self, source: Source) -> tuple[Tag, ...]:
        """The tags of a source."""
        return tuple(self.tags[name] for name in source.tags if name in self.tags)

    def page(
        self,
        path: str,
        title: str,
        feeds: tuple[SiteFeed, ...] | None = None,
        /,
        *,
        description: str,
        **given: Any,
    ) -> PageSpec:
        """A page that shows no posts: what it is given is all that it shows."""
        return PageSpec(
            path=path,
            title=title,
            feeds=self.feeds if feeds is None else feeds,
            shows=given,
            given=lambda _: given,
            description=description,
        )

    def at(self, path: str) -> Presenter:
        """Says things as the page at this path has to."""
        return self.frame.presenter(path)

    @cached_property
    def split(self) -> frozenset[Month]:
        """The months with a page for each of their days."""
        months = self.edition.timeline.months
        return frozenset(month for month, part in months.items() if part.posts > self.pages.archive)

    def period(self, day: date, presenter: Presenter) -> views.Period:
        """The page that has the posts of a day: its own, or that of its month."""
        month = _month(day)
        return presenter.period(month, day, is_split=month in self.split)

    def days(self, posts: Sequence[Post], presenter: Presenter) -> tuple[views.Day, ...]:
        """Posts by day; with the texts that may be shown, where the theme shows texts there."""
        full = [post.entry.number for post in posts if post.source.content is ContentMode.FULL]
        texts = self.contents(full) if full and self.theme.full_text else {}
        return presenter.days(posts, texts)

    @property
    def images(self) -> Images | None:
        """How the images in these texts are shown; that is decided by who hands them in."""
        return self.pages.images if self.theme.full_text else None


def _front(site: Drawing) -> Iterator[PageSpec]:
    edition, length = site.edition, site.pages.front
    posts, beside = tuple(edition.timeline.posts(length)), _beside(edition.sources)
    older = _older(site, posts) if edition.count > length > 0 else None
    updated = edition.updated if posts else None
    yield PageSpec(
        path="index.html",
        title=edition.title,
        feeds=(*frame.of_planet(edition, site.pages), frame.opml_of(edition)),
        shows=(
            *(updated, older, _marks(posts), site.images),
            len(edition.sources),
            *((source.slug, source.title, source.face) for source in beside),
        ),
        given=lambda presenter: {
            "days": site.days(posts, presenter),
            "sources": tuple(map(presenter.source_link, beside)),
            "source_count": len(edition.sources),
            "updated": presenter.maybe(updated),
            "older": older,
        },
        description=edition.description or _names(beside),
    )


def _beside(sources: Sequence[Source]) -> Sequence[Source]:
    """The sources to name beside posts: where they are many, those that wrote last."""
    if len(sources) <= SCREEN:
        return sources
    newest = attrgetter("newest")
    last = {source.key for source in nlargest(SCREEN, filter(newest, sources), key=newest)}
    return [source for source in sources if source.key in last]


def _names(sources: Iterable[Source]) -> str:
    """Whose posts there are, where a page has no other words of its own."""
    return ", ".join(source.title for source in sources)


def _older(site: Drawing, posts: Sequence[Post]) -> views.Period:
    """Where the reader goes on from the front page: on the day that it breaks off, or before it."""
    days, last = site.edition.timeline.days, posts[-1].day
    is_whole = days[last].posts == sum(post.day == last for post in posts)
    day = next(day for day in days if day < last) if is_whole else last
    return site.period(day, site.at("index.html"))


def _months(site: Drawing) -> Iterator[PageSpec]:
    timeline = site.edition.timeline

    def given(month: Month, presenter: Presenter) -> Variables:
        posts = tuple(timeline.posts(period=month))
        return {"days": site.days(posts, presenter), "calendar": None}

    def given_titles(month: Month, presenter: Presenter) -> Variables:
        # Of all days together no more than a reader looks through.
        titles = max(site.pages.archive // 5, 1)
        counts = {day: part.posts for day, part in timeline.days.items() if _month(day) == month}
        posts = (post for day in counts for post in timeline.posts(titles, period=_period(day)))
        return {
            "days": presenter.days(posts, counts=counts),
            "calendar": presenter.calendar(month, counts),
        }

    for month, part in timeline.months.items():
        is_split = month in site.split
        yield PageSpec(
            path=present.month_path(month),
            title=present.headed(site.words.month(*month)),
            feeds=site.feeds,
            shows=(part.mark, None if is_split else site.images),
            given=partial(given_titles if is_split else given, month),
            description=part.posts,
        )


def _days(site: Drawing) -> Iterator[PageSpec]:
    timeline = site.edition.timeline

    def given(day: date, newer: date | None, older: date | None, presenter: Presenter) -> Variables:
        posts = tuple(timeline.posts(period=_period(day)))
        is_long = len(posts) > site.pages.archive
        return {
            "days": presenter.days(posts) if is_long else site.days(posts, presenter),
            "is_long": is_long,
            "month": presenter.period(_month(day), is_split=True),
            "newer": newer and site.period(newer, presenter),
            "older": older and site.period(older, presenter),
        }

    # Each with whether it has a page. What is written of it waits until the page is drawn: an
    # archive has thousands, of which a run touches one or two.
    days = [(day, _month(day) in site.split) for day in timeline.days]
    for newer, (day, is_apart), older in zip([None, *days], days, [*days[1:], None], strict=False):
        if is_apart:
            part = timeline.days[day]
            yield PageSpec(
                path=present.day_path(day),
                title=day,
                feeds=site.feeds,
                shows=(part.mark, newer, older, site.images),
                given=partial(given, day, newer and newer[0], older and older[0]),
                description=part.posts,
            )


def _month(day: date) -> Month:
    return day.year, day.month


def _period(day: date) -> tuple[int, int, int]:
    return day.year, day.month, day.day


def _years(site: Drawing) -> Iterator[PageSpec]:
    for number, months in _by_year(site.edition).items():
        path, posts = present.year_path(number), site.words.posts(sum(months.values()))
        year = site.at(path).year(number, months)
        yield site.page(path, str(number), description=posts, year=year)


def _archive(site: Drawing) -> Iterator[PageSpec]:
    path = "archive/index.html"
    years = (site.at(path).year(*year) for year in _by_year(site.edition).items())
    posts = site.words.posts(site.edition.count)
    yield site.page(path, site.words.archive, description=posts, years=tuple(years))


def _by_year(edition: Edition) -> dict[int, dict[Month, int]]:
    """How many posts each month has."""
    years: dict[int, dict[Month, int]] = {}
    for month, part in edition.timeline.months.items():
        years.setdefault(month[0], {})[month] = part.posts
    return years


def _each_source(site: Drawing) -> Iterator[PageSpec]:
    for source in site.edition.sources:
        yield _source(site, source)


def _source(site: Drawing, source: Source) -> PageSpec:
    edition, length, picks = site.edition, site.pages.source, site.picks
    offered = [_offered(entry, source) for entry in edition.episodes.get(source.key, ())]
    full = source.content is ContentMode.FULL

    def given(presenter: Presenter) -> Variables:
        posts = tuple(edition.timeline.posts(length, sources=(source.key,), timeless=True))
        there = {post.entry.id for post in posts}
        texts = site.contents([post.entry.number for post in posts]) if full and posts else {}
        return {
            "source": presenter.source(source, site.tags_of(source)),
            "posts": tuple(
                presenter.post(
                    post,
                    texts.get(post.entry.number),
                    picks.control(post.entry, presenter, is_offered=False),
                )
                for post in posts
            ),
            "episodes": tuple(
                presenter.post(post, pick=picks.control(post.entry, presenter, is_offered=True))
                for post in offered
                if post.entry.id not in there
            ),
        }

    return PageSpec(
        path=f"source/{source.slug}/index.html",
        title=source.title,
        feeds=frame.of_source(edition, source),
        shows=(
            _said_of(source, site.tags_of(source)),
            # How images are shown is decided by whoever hands the texts in.
            site.pages.images if full else None,
            *(length, frame.marks(edition, [source])),
            *((post.entry.id, post.entry.digest, post.when) for post in offered),
            *picks.facts({source.key}),
        ),
        given=given,
        description=source.description or source.count,
        image=source.face,
    )


def _said_of(source: Source, tags: Sequence[Tag]) -> tuple[object, ...]:
    """What is said of a source where it is not only named, and changes seldom."""
    health = source.standing
    return (
        *(source.slug, source.title, source.link, source.description, tuple(tags)),
        *(source.newest, source.count, health.quiet_since, health.moved_to),
        *(health.trouble, health.trouble_since, health.given_up, health.given_up_at),
    )


def _offered(entry: Entry, source: Source) -> Post:
    """An episode that is no post, as it would look as one."""
    when = entry.filed(Future.CLAMP)
    return Post(entry=entry, source=source, uid="", when=when, day=when.date())


def _tags(site: Drawing) -> Iterator[PageSpec]:
    edition, length = site.edition, site.pages.feed

    def given(sources: Sequence[Source], presenter: Presenter) -> Variables:
        keys = [source.key for source in sources]
        return {
            "days": presenter.days(edition.timeline.posts(length, sources=keys)),
            "sources": tuple(map(presenter.source_link, sources)),
        }

    for tag in edition.tags:
        sources = edition.tagged(tag)
        yield PageSpec(
            path=f"tag/{tag.slug}/index.html",
            title=tag.name,
            feeds=frame.of_tag(edition, tag),
            shows=(
                *((source.slug, source.title) for source in sources),
                *(length, frame.marks(edition, sources)),
            ),
            given=partial(given, sources),
            description=_names(sources),
        )


def _sources(site: Drawing) -> Iterator[PageSpec]:
    edition, sources = site.edition, site.edition.sources
    titles = max(1, min(3, _TITLES // max(len(sources), 1)))

    def given(presenter: Presenter) -> Variables:
        posts: dict[str, list[Post]] = {}
        for post in edition.timeline.latest(titles):
            posts.setdefault(post.source.key, []).append(post)
        shown = (
            presenter.source(source, site.tags_of(source), posts.get(source.key, ()))
            for source in sources
        )
        return {
            "letters": presenter.letters(shown, is_parted=len(sources) > SCREEN),
            "count": len(sources),
            "tags": tuple(map(presenter.tag, edition.tags)),
        }

    yield PageSpec(
        path="sources/index.html",
        title=site.words.sources,
        feeds=site.feeds,
        shows=(
            tuple(edition.tags),
            *(_said_of(source, site.tags_of(source)) for source in sources),
            *frame.marks(edition, sources),
        ),
        given=given,
        description=_names(sources),
    )


def _health(site: Drawing) -> Iterator[PageSpec]:
    sources = site.edition.sources
    as_of = max((at for source in sources if (at := source.standing.asked_at)), default=None)

    def given(presenter: Presenter) -> Variables:
        polled = map(presenter.polled_source, sources)
        return {
            # Those in trouble first.
            "sources": tuple(sorted(polled, key=lambda source: not source.trouble)),
            "as_of": presenter.maybe(as_of),
        }

    yield PageSpec(
        path="sources/health/index.html",
        title=site.words.health,
        feeds=site.feeds,
        shows=tuple((source.slug, source.title, source.standing) for source in sources),
        given=given,
        description=site.words.asking_how,
    )


def _podcast(site: Drawing) -> Iterator[PageSpec]:
    """The page of `podcast.xml`, if there is that feed."""
    edition = site.edition
    if edition.has_podcast:
        podcast, title = edition.podcast, edition.podcast.title or site.words.podcasts
        episodes = media.playables(edition.timeline.posts(playable=True), site.pages.feed)
        feeds = (frame.podcast_of(edition),)
        yield _episodes(site, "podcast/", podcast, title, feeds, episodes)


def _lists(site: Drawing) -> Iterator[PageSpec]:
    for listed in site.edition.lists:
        title, feeds = listed.podcast.title or listed.name, frame.of_list(listed)
        episodes = media.playables(listed.posts, len(listed.posts))
        yield _episodes(site, list_folder(listed), listed.podcast, title, feeds, episodes)


def _episodes(
    site: Drawing,
    folder: str,
    podcast: Podcast,
    title: str,
    feeds: tuple[SiteFeed, ...],
    episodes: Sequence[Playable],
) -> PageSpec:
    path = f"{folder}index.html"
    presenter, picks = site.at(path), site.picks
    shown = views.Podcast(
        title=title,
        description=podcast.description,
        cover=_cover(podcast, folder, site, presenter.root),
        feed=feeds[0].link(presenter),
    )

    def given(presenter: Presenter) -> Variables:
        return {
            "podcast": shown,
            "episodes": tuple(
                presenter.playable(
                    episode, picks.control(episode.post.entry, presenter, is_offered=False)
                )
                for episode in episodes
            ),
        }

    posts = [episode.post for episode in episodes]
    facts = picks.facts({post.entry.feed for post in posts})
    return PageSpec(
        path=path,
        title=title,
        feeds=feeds,
        shows=(shown, _marks(posts), *facts),
        given=given,
        description=podcast.description or site.words.what_is_a_podcast,
        image=cover(podcast, folder, site=site.edition.link, theme=site.theme.cover).address,
    )


def _cover(podcast: Podcast, folder: str, site: Drawing, root: str) -> str | None:
    """The cover of a podcast, if pages may show it; else that of the theme."""
    if isinstance(podcast.cover, Path):
        return root + media.cover_path(folder, podcast.cover.read_bytes())
    # From another host it is an image like those of posts.
    if site.pages.images is Images.LAZY and (elsewhere := href(podcast.cover)):
        return elsewhere
    return root + site.theme.cover if site.theme.cover else None


def _newest_digest(site: Drawing) -> Iterator[PageSpec]:
    if site.edition.digests is None:
        return
    path, newest, earlier = "digest/index.html", site.edition.digests[:1], site.edition.digests[1:]
    presenter = site.at(path)
    yield site.page(
        path,
        site.words.digests,
        (frame.digest_of(site.edition),),
        description=site.words.digest_hint,
        digest=next(map(presenter.digest, newest), None),
        earlier=tuple(map(presenter.digest_link, earlier)),
    )


def _digests(site: Drawing) -> Iterator[PageSpec]:
    for digest in site.edition.digests or ():
        yield _digest(site, digest)


def _digest(site: Drawing, digest: Digest) -> PageSpec:
    date = site.words.date(digest.due_at.astimezone(site.edition.timezone))
    return PageSpec(
        path=f"digest/{digest.name}/index.html",
        title=site.words.digest_of(date),
        feeds=(frame.digest_of(site.edition),),
        shows=digest,
        given=lambda presenter: {"digest": presenter.digest(digest)},
        description=digest.count,
    )


def _links(site: Drawing) -> Iterator[PageSpec]:
    links = site.edition.links
    yield PageSpec(
        path="links/index.html",
        title=site.words.links,
        feeds=site.feeds,
        shows=(
            links.is_shared,
            *(
                (
                    linked.address,
                    linked.title,
                    _marks([linked.post] if linked.post else []),
                    len(linked.posts),
                    _marks(linked.posts[:POSTS]),
                )
                for linked in links.top
            ),
        ),
        given=lambda presenter: {
            "links": tuple(
                _linked(linked, url, presenter)
                for linked in links.top
                if (url := href(linked.address))
            ),
            "is_shared": links.is_shared,
        },
        description=site.words.links_shared if links.is_shared else site.words.links_newest,
    )


def _linked(linked: Linked, url: str, presenter: Presenter) -> views.Linked:
    own = linked.post
    place = present.clipped(url.partition("://")[2].removeprefix("www.").rstrip("/"), _TITLE_LENGTH)
    title = present.clipped(own.entry.heading, _TITLE_LENGTH) if own else linked.title
    return views.Linked(
        title=title or place,
        href=url,
        place=place if title and not own else None,
        source=presenter.source_link(own.source) if own else None,
        count=len(linked.posts),
        posts=tuple(presenter.post(post) for post in linked.posts[:POSTS]),
    )


def _about(site: Drawing) -> Iterator[PageSpec]:
    edition, owner = site.edition, site.edition.owner
    yield site.page(
        "about/index.html",
        site.words.about,
        description=edition.description or _names(edition.sources),
        sources=len(edition.sources),
        posts=edition.count,
        email=owner.email,
        home=href(owner.url),
    )


def _search(site: Drawing) -> Iterator[PageSpec]:
    if site.pages.search:
        posts = min(site.edition.count, SEARCHED)
        about = site.words.search_in(posts)
        yield site.page("search/index.html", site.words.search, description=about, posts=posts)


def _subscribe(site: Drawing) -> Iterator[PageSpec]:
    path, feeds = "subscribe/index.html", frame.of_planet(site.edition, site.pages)
    presenter, opml = site.at(path), frame.opml_of(site.edition)
    lists = [frame.of_list(listed)[0] for listed in site.edition.lists]
    yield site.page(
        path,
        site.words.subscribe,
        (*feeds, *lists, opml),
        description=site.words.what_is_a_feed,
        feeds=tuple(feed.link(presenter) for feed in feeds),
        lists=tuple(feed.link(presenter) for feed in lists),
        opml=opml.link(presenter),
    )


def _missing(site: Drawing) -> Iterator[PageSpec]:
    words = site.words
    yield site.page(frame.EVERYWHERE, words.missing, description=words.missing_hint)


def _marks(posts: Iterable[Post]) -> list[str]:
    return [post.fingerprint for post in posts]


_DAYS, _POSTS, _FEEDS = "tuple[Day, ...]", "tuple[Post, ...]", "tuple[FeedLink, ...]"
_BESIDE_POSTS = "tuple[SourceLink, ...]"
_OF_PODCAST = {"podcast": "Podcast", "episodes": _POSTS}

KINDS: Mapping[str, Kind] = {
    "front": Kind(
        _front,
        days=_DAYS,
        sources=_BESIDE_POSTS,
        source_count="int",
        updated="Moment | None",
        older="Period | None",
    ),
    "month": Kind(_months, days=_DAYS, calendar="Calendar | None"),
    "day": Kind(
        _days,
        days=_DAYS,
        is_long="bool",
        month="Period",
        newer="Period | None",
        older="Period | None",
    ),
    "year": Kind(_years, year="Year"),
    "archive": Kind(_archive, years="tuple[Year, ...]"),
    "source": Kind(_each_source, source="Source", posts=_POSTS, episodes=_POSTS),
    "tag": Kind(_tags, days=_DAYS, sources=_BESIDE_POSTS),
    "sources": Kind(_sources, letters="tuple[Letter, ...]", count="int", tags="tuple[Tag, ...]"),
    "health": Kind(_health, sources="tuple[PolledSource, ...]", as_of="Moment | None"),
    "podcast": Kind(_podcast, **_OF_PODCAST),
    "list": Kind(_lists, **_OF_PODCAST),
    "digests": Kind(_newest_digest, digest="Digest | None", earlier="tuple[DigestLink, ...]"),
    "digest": Kind(_digests, digest="Digest"),
    "links": Kind(_links, links="tuple[Linked, ...]", is_shared="bool"),
    "about": Kind(_about, sources="int", posts="int", email="str | None", home="str | None"),
    "search": Kind(_search, posts="int"),
    "subscribe": Kind(_subscribe, feeds=_FEEDS, lists=_FEEDS, opml="FeedLink"),
    "404": Kind(_missing),
}
"""Every kind of page, by the name of its template without `.html`."""
