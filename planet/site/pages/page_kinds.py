"""The kinds of pages: a row for each in `KINDS`, with its query and what becomes of its rows.

A new page is a row here, a template in the themes, and a section of `docs/themes.md`.

The query of a kind gives the pages of that kind that a site has, each with the rows that it is made
of. Its fingerprint is the hash of these, and its template's variables are made from these alone.

A new post touches the front page, its day and month, its source, the tags of that, the podcast if
it has something to play, the lists of months and sources, and the page about the planet, which
counts it.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from functools import partial
from heapq import nlargest
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from msgspec.structs import replace

from planet.model import SEARCHED, ContentMode, FeedHealth, Future, Images, Post
from planet.site.feeds.channel import cover, on_site
from planet.site.pages import archive, frame, present, views
from planet.site.pages.frame import PageSpec, PickButtons
from planet.site.pages.present import href
from planet.site.pages.rows import (
    DayPlace,
    DayRest,
    DigestName,
    Freshness,
    LinkRow,
    PagePlace,
    PodcastRow,
    PostRows,
    SourceDetails,
    SourceHealth,
    SourceName,
    SourcesBeside,
    part_into_pages,
    with_neighbours,
)
from planet.text import media
from planet.text.html import render_markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from planet.model import Digest, Entry, Linked, Podcast, Source, Tag
    from planet.site.pages.context import SiteContext
    from planet.site.pages.frame import SiteFeed
    from planet.site.pages.present import Presenter
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
_SOURCES, _TALKED_ABOUT = 3, 3
"""How many sources link to what is named on the front page, and how many links are."""


class PageKind:
    """A kind of page; the name of its template is its key in `KINDS`."""

    def __init__(
        self,
        query: Callable[[SiteContext], Iterator[PageSpec]],
        present: Callable[..., Variables],
        **variables: str,
    ) -> None:
        self.query = query
        """Gives the pages of this kind that a site has, each with its rows."""
        self.present = present
        """Makes the template's variables from a presenter and the rows of a page, by name."""
        self.variables = variables
        """The variables that its template sees besides those of every template, with types."""


def _query_front(site: SiteContext) -> Iterator[PageSpec]:
    edition, beside = site.edition, _sources_to_name(site.edition.sources)
    timeline = edition.timeline
    shown, rest = timeline.fair_share(site.pages.front, site.pages.per_source)
    days = [
        DayRest(
            place=site.place(day),
            posts=timeline.days[day].posts - count,
            sources=tuple((key, more) for (of, key), more in rest.items() if of == day),
        )
        for day, count in Counter(post.day for post in shown).items()
    ]
    posts = dataclasses.replace(PostRows.of(shown), rest=tuple(day for day in days if day.posts))
    yield PageSpec(
        path="index.html",
        title=edition.title,
        feeds=(*frame.of_planet(edition, site.pages), frame.opml_of(edition)),
        description=edition.description or _join_titles(beside),
        rows={
            "posts": site.with_texts(posts) if site.theme.full_text else site.with_pictures(posts),
            "sources": SourcesBeside(
                names=tuple(map(SourceName.of, beside)), total=len(edition.sources)
            ),
            "freshness": Freshness(edition.updated if shown else None, edition.asked_at),
            "talked_about": _link_rows(_much_linked(edition.links.top)),
            "older": _find_older(site, days[-1]) if days else None,
        },
    )


def _find_older(site: SiteContext, last: DayRest) -> DayPlace | None:
    """Return the day on which readers go on from the front page: its last, or the one before.

    The page leads to the rest of each source that it shows; the last day is gone on with only where
    sources of it are missing.
    """
    if last.posts > sum(count for _, count in last.sources):
        return last.place
    older = (day for day in site.edition.timeline.days if day < last.place.day)
    return next(map(site.place, older), None)


def _present_front(
    presenter: Presenter,
    *,
    posts: PostRows,
    sources: SourcesBeside,
    freshness: Freshness,
    talked_about: Sequence[LinkRow],
    older: DayPlace | None,
) -> Variables:
    return {
        "days": presenter.days(posts),
        "sources": tuple(map(presenter.source_link, sources.names)),
        "source_count": sources.total,
        "updated": presenter.maybe(freshness.updated),
        "as_of": presenter.maybe(freshness.as_of),
        "talked_about": _present_rows(presenter, talked_about),
        "older": older and presenter.period(older),
    }


def _much_linked(links: Iterable[Linked]) -> Iterator[Linked]:
    """Return the few links that more than two sources have, the most first."""
    return islice((linked for linked in links if len(linked.posts) >= _SOURCES), _TALKED_ABOUT)


def _sources_to_name(sources: Sequence[Source]) -> Sequence[Source]:
    """Return the sources to name beside posts: where they are many, those that wrote last."""
    if len(sources) <= SCREEN:
        return sources
    newest = attrgetter("newest")
    last = {source.key for source in nlargest(SCREEN, filter(newest, sources), key=newest)}
    return [source for source in sources if source.key in last]


def _join_titles(sources: Iterable[Source]) -> str:
    """Return the titles of sources, for pages without a description of their own."""
    return ", ".join(source.title for source in sources)


def _query_each_source(site: SiteContext) -> Iterator[PageSpec]:
    edition = site.edition
    for source, details in zip(edition.sources, site.sources, strict=True):
        posts = site.newest_of([source], site.pages.source, timeless=True)
        offered = edition.episodes.get(source.key, ())
        yield PageSpec(
            path=details.name.page,
            title=source.title,
            feeds=(*frame.own_feed_of(source), *frame.of_source(edition, source)),
            description=source.description or source.count,
            image=on_site(source.face, site.edition.link) or source.image,
            rows={
                "source": details,
                "posts": site.with_texts(posts) if source.content is ContentMode.FULL else posts,
                "offered": PostRows.of([_make_offered_post(entry, source) for entry in offered]),
                "picks": site.picks.among({source.key}),
            },
        )


def _make_offered_post(entry: Entry, source: Source) -> Post:
    """Make a post of an episode that the site does not show."""
    source = replace(source, newest=None, count=0, standing=FeedHealth())
    when = entry.filing_moment(Future.CLAMP)
    return Post(
        entry=entry,
        source=source,
        uid="",
        when=when,
        day=when.date(),
        fingerprint=f"{entry.mark} {when} {source}",
    )


def _present_source(
    presenter: Presenter,
    *,
    source: SourceDetails,
    posts: PostRows,
    offered: PostRows,
    picks: PickButtons,
) -> Variables:
    shown = posts.read()
    texts, ids = posts.read_texts(shown), {post.entry.id for post in shown}
    return {
        "source": presenter.source(source),
        "posts": tuple(
            presenter.post(
                post,
                texts.get(post.entry.number),
                picks.control(post.entry, presenter, is_offered=False),
            )
            for post in shown
        ),
        "episodes": tuple(
            presenter.post(post, pick=picks.control(post.entry, presenter, is_offered=True))
            for post in offered.read()
            if post.entry.id not in ids
        ),
    }


def _query_tags(site: SiteContext) -> Iterator[PageSpec]:
    for tag in site.edition.tags:
        sources = site.edition.tagged(tag)
        yield PageSpec(
            path=f"{tag.folder}index.html",
            title=tag.name,
            feeds=frame.of_tag(site.edition, tag),
            description=_join_titles(sources),
            rows={
                "posts": site.with_pictures(site.newest_of(sources, site.pages.feed)),
                "sources": tuple(map(SourceName.of, sources)),
            },
        )


def _present_tag(
    presenter: Presenter, *, posts: PostRows, sources: Sequence[SourceName]
) -> Variables:
    return {
        "days": presenter.days(posts),
        "sources": tuple(map(presenter.source_link, sources)),
    }


def _query_sources(site: SiteContext) -> Iterator[PageSpec]:
    edition, sources = site.edition, site.edition.sources
    titles = max(1, min(3, _TITLES // max(len(sources), 1)))
    newest = site.newest_of(sources, titles, timeless=True)
    yield PageSpec(
        path="sources/index.html",
        title=site.words.sources,
        feeds=site.feeds,
        description=_join_titles(sources),
        rows={
            "sources": tuple(source.without_mail() for source in site.sources),
            "posts": dataclasses.replace(newest, load=partial(edition.timeline.latest, titles)),
            "tags": edition.tags,
        },
    )


def _present_sources(
    presenter: Presenter,
    *,
    sources: Sequence[SourceDetails],
    posts: PostRows,
    tags: Sequence[Tag],
) -> Variables:
    newest: dict[str, list[Post]] = {}
    for post in posts.read():
        newest.setdefault(post.source.slug, []).append(post)
    shown = (presenter.source(source, newest.get(source.name.slug, ())) for source in sources)
    return {
        "letters": presenter.letters(shown, is_parted=len(sources) > SCREEN),
        "count": len(sources),
        "tags": tuple(map(presenter.tag, tags)),
    }


def _query_health(site: SiteContext) -> Iterator[PageSpec]:
    sources = site.edition.sources
    yield PageSpec(
        path="sources/health/index.html",
        title=site.words.health,
        feeds=site.feeds,
        description=site.words.asking_how,
        rows={
            "sources": tuple(
                SourceHealth(SourceName.of(source), source.standing) for source in sources
            )
        },
    )


def _present_health(presenter: Presenter, *, sources: Sequence[SourceHealth]) -> Variables:
    as_of = max((at for source in sources if (at := source.health.asked_at)), default=None)
    polled = map(presenter.source_health, sources)
    return {
        # Those in trouble first.
        "sources": tuple(sorted(polled, key=lambda source: not source.trouble)),
        "as_of": presenter.maybe(as_of),
    }


def _query_podcast(site: SiteContext) -> Iterator[PageSpec]:
    """Yield the page of `podcast.xml`, if there is that feed."""
    edition = site.edition
    if edition.has_podcast:
        title = edition.podcast.title or site.words.podcasts
        episodes = media.list_playables(edition.timeline.posts(playable=True), site.pages.feed)
        page, feeds = PagePlace(title, "podcast/index.html"), (frame.podcast_of(edition),)
        yield _specify_podcast(site, "podcast/", page, edition.podcast, feeds, episodes)


def _query_lists(site: SiteContext) -> Iterator[PageSpec]:
    """Yield the pages of lists of picked episodes: of a long list several."""
    for listed in site.edition.lists:
        episodes = media.list_playables(listed.posts, len(listed.posts))
        ranges = part_into_pages(len(episodes), site.large_posts)
        pages = [
            PagePlace(
                present.number_title(listed.title, shown.number),
                present.number_path(listed.folder, shown.number),
            )
            for shown in ranges
        ]
        for shown, (newer, page, older) in zip(ranges, with_neighbours(pages), strict=True):
            spec = _specify_podcast(
                site,
                listed.folder,
                page,
                listed.podcast,
                frame.of_list(listed),
                episodes[shown.start : shown.stop],
            )
            yield replace(spec, rows={**spec.rows, "newer": newer, "older": older})


def _specify_podcast(
    site: SiteContext,
    folder: str,
    page: PagePlace,
    podcast: Podcast,
    feeds: tuple[SiteFeed, ...],
    episodes: Sequence[Playable],
) -> PageSpec:
    posts, image = [episode.post for episode in episodes], _cover(podcast, folder, site)
    return PageSpec(
        path=page.path,
        title=page.title,
        feeds=feeds,
        description=podcast.description or site.words.what_is_a_podcast,
        image=cover(podcast, folder, site=site.edition.link, theme=site.theme.cover).address,
        rows={
            "podcast": PodcastRow(page.title, podcast.description, image, feeds[0]),
            "episodes": PostRows.of(posts),
            "picks": site.picks.among({post.entry.feed for post in posts}),
            "newer": None,
            "older": None,
        },
    )


def _cover(podcast: Podcast, folder: str, site: SiteContext) -> str | None:
    """Return the cover of a podcast, if pages may show it; else that of the theme.

    It is an address of the web, or one relative to the site's root.
    """
    if isinstance(podcast.cover, Path):
        return media.cover_path(folder, podcast.cover.read_bytes())
    # From another host it is an image like those of posts.
    if site.pages.images is Images.LAZY and (elsewhere := href(podcast.cover)):
        return elsewhere
    return site.theme.cover


def _present_episodes(
    presenter: Presenter,
    *,
    podcast: PodcastRow,
    episodes: PostRows,
    picks: PickButtons,
    newer: PagePlace | None,
    older: PagePlace | None,
) -> Variables:
    posts, cover = episodes.read(), podcast.cover
    return {
        "podcast": views.PodcastView(
            title=podcast.title,
            description=podcast.description,
            cover=cover and (href(cover) or presenter.root + cover),
            feed=podcast.feed.link(presenter),
        ),
        "episodes": tuple(
            presenter.playable(
                episode, picks.control(episode.post.entry, presenter, is_offered=False)
            )
            for episode in media.list_playables(posts, len(posts))
        ),
        "newer": newer and presenter.page_period(newer),
        "older": older and presenter.page_period(older),
    }


def _query_newest_digest(site: SiteContext) -> Iterator[PageSpec]:
    digests = site.edition.digests
    if digests is None:
        return
    yield PageSpec(
        path="digest/index.html",
        title=site.words.digests,
        feeds=(frame.digest_of(site.edition),),
        description=site.words.digest_hint,
        rows={
            "newest": digests[0] if digests else None,
            "earlier": tuple(
                DigestName(digest.name, digest.due_at, digest.count) for digest in digests[1:]
            ),
        },
    )


def _present_newest_digest(
    presenter: Presenter, *, newest: Digest | None, earlier: Sequence[DigestName]
) -> Variables:
    return {
        "digest": newest and presenter.digest(newest),
        "earlier": tuple(map(presenter.digest_link, earlier)),
    }


def _query_digests(site: SiteContext) -> Iterator[PageSpec]:
    for digest in site.edition.digests or ():
        date = site.words.date(digest.due_at.astimezone(site.edition.timezone))
        yield PageSpec(
            path=f"digest/{digest.name}/index.html",
            title=site.words.digest_of(date),
            feeds=(frame.digest_of(site.edition),),
            description=digest.count,
            rows={"digest": digest},
        )


def _present_digest(presenter: Presenter, *, digest: Digest) -> Variables:
    return {"digest": presenter.digest(digest)}


def _query_links(site: SiteContext) -> Iterator[PageSpec]:
    links = site.edition.links
    yield PageSpec(
        path="links/index.html",
        title=site.words.links,
        feeds=site.feeds,
        description=site.words.links_shared if links.is_shared else site.words.links_newest,
        rows={"links": _link_rows(links.top), "is_shared": links.is_shared},
    )


def _link_rows(links: Iterable[Linked]) -> tuple[LinkRow, ...]:
    return tuple(
        LinkRow(
            address=linked.address,
            title=linked.title,
            own=PostRows.of([linked.post] if linked.post else []),
            sources=len(linked.posts),
            posts=PostRows.of(linked.posts[:POSTS]),
        )
        for linked in links
    )


def _present_links(presenter: Presenter, *, links: Sequence[LinkRow], is_shared: bool) -> Variables:
    shown = _present_rows(presenter, links)
    by_post = () if is_shared else groupby(shown, lambda linked: linked.posts[0])
    return {
        "links": shown,
        "is_shared": is_shared,
        "by_post": tuple(
            views.LinkingPostView(post=post, links=tuple(linked)) for post, linked in by_post
        ),
    }


def _present_rows(presenter: Presenter, rows: Sequence[LinkRow]) -> tuple[views.LinkedView, ...]:
    return tuple(_present_link(presenter, row, url) for row in rows if (url := href(row.address)))


def _present_link(presenter: Presenter, link: LinkRow, url: str) -> views.LinkedView:
    own = next(iter(link.own.read()), None)
    place = present.clip(url.partition("://")[2].removeprefix("www.").rstrip("/"), _TITLE_LENGTH)
    title = present.clip(own.entry.heading, _TITLE_LENGTH) if own else link.title
    return views.LinkedView(
        title=title or place,
        href=url,
        place=place if title and not own else None,
        source=presenter.source_link(SourceName.of(own.source)) if own else None,
        count=link.sources,
        posts=tuple(map(presenter.post, link.posts.read())),
    )


def _query_about(site: SiteContext) -> Iterator[PageSpec]:
    edition, owner = site.edition, site.edition.owner
    yield PageSpec(
        path="about/index.html",
        title=site.words.about,
        feeds=site.feeds,
        description=edition.description or _join_titles(edition.sources),
        rows={
            "sources": len(edition.sources),
            "posts": edition.count,
            "email": owner.email,
            "home": href(owner.url),
            "add_form": frame.form_link(edition.repository, template="add.yml"),
        },
    )


def _query_search(site: SiteContext) -> Iterator[PageSpec]:
    if site.pages.search:
        posts = min(site.edition.count, SEARCHED)
        yield PageSpec(
            path="search/index.html",
            title=site.words.search,
            feeds=site.feeds,
            description=site.words.search_in(posts),
            rows={"posts": posts},
        )


def _query_subscribe(site: SiteContext) -> Iterator[PageSpec]:
    feeds, opml = frame.of_planet(site.edition, site.pages), frame.opml_of(site.edition)
    lists = tuple(frame.of_list(listed)[0] for listed in site.edition.lists)
    yield PageSpec(
        path="subscribe/index.html",
        title=site.words.subscribe,
        feeds=(*feeds, *lists, opml),
        description=site.words.what_is_a_feed,
        rows={"feeds": feeds, "lists": lists, "opml": opml},
    )


def _present_subscribe(
    presenter: Presenter, *, feeds: Sequence[SiteFeed], lists: Sequence[SiteFeed], opml: SiteFeed
) -> Variables:
    return {
        "feeds": tuple(feed.link(presenter) for feed in feeds),
        "lists": tuple(feed.link(presenter) for feed in lists),
        "opml": opml.link(presenter),
    }


def _query_own_pages(site: SiteContext) -> Iterator[PageSpec]:
    for page in site.theme.pages:
        yield PageSpec(
            path=page.path,
            title=page.title,
            feeds=site.feeds,
            description=page.description or page.title,
            rows={"text": page.text, "is_markdown": page.is_markdown},
        )


def _present_own_page(_: Presenter, *, text: str, is_markdown: bool) -> Variables:
    # What is HTML here is a file of the operator's, as templates are.
    return {"content": Markup(render_markdown(text) if is_markdown else text)}  # noqa: S704


def _query_missing(site: SiteContext) -> Iterator[PageSpec]:
    yield PageSpec(
        path=frame.EVERYWHERE,
        title=site.words.missing,
        feeds=site.feeds,
        description=site.words.missing_hint,
        rows={},
    )


def _present_values(_: Presenter, **values: object) -> Variables:
    """Return rows that a template can show as they are."""
    return values


_DAYS, _POSTS, _FEEDS = "tuple[Day, ...]", "tuple[Post, ...]", "tuple[FeedLink, ...]"
_BESIDE_POSTS, _LINKED = "tuple[SourceLink, ...]", "tuple[Linked, ...]"
_AROUND = {"newer": "Period | None", "older": "Period | None"}
_OF_PODCAST = {"podcast": "Podcast", "episodes": _POSTS, **_AROUND}

KINDS: Mapping[str, PageKind] = {
    "front": PageKind(
        _query_front,
        _present_front,
        days=_DAYS,
        sources=_BESIDE_POSTS,
        source_count="int",
        updated="Moment | None",
        as_of="Moment | None",
        talked_about=_LINKED,
        older="Period | None",
    ),
    "month": PageKind(
        archive.query_months, archive.present_month, days=_DAYS, calendar="Calendar | None"
    ),
    "day": PageKind(
        archive.query_days,
        archive.present_day,
        days=_DAYS,
        is_long="bool",
        month="Period",
        **_AROUND,
    ),
    "year": PageKind(
        archive.query_years,
        archive.present_year,
        year="Year",
        calendars="tuple[Calendar, ...]",
        most="int",
        **_AROUND,
    ),
    "archive": PageKind(archive.query_archive, archive.present_archive, years="tuple[Year, ...]"),
    "source": PageKind(
        _query_each_source, _present_source, source="Source", posts=_POSTS, episodes=_POSTS
    ),
    "tag": PageKind(_query_tags, _present_tag, days=_DAYS, sources=_BESIDE_POSTS),
    "sources": PageKind(
        _query_sources,
        _present_sources,
        letters="tuple[Letter, ...]",
        count="int",
        tags="tuple[Tag, ...]",
    ),
    "health": PageKind(
        _query_health,
        _present_health,
        sources="tuple[PolledSource, ...]",
        as_of="Moment | None",
    ),
    "podcast": PageKind(_query_podcast, _present_episodes, **_OF_PODCAST),
    "list": PageKind(_query_lists, _present_episodes, **_OF_PODCAST),
    "digests": PageKind(
        _query_newest_digest,
        _present_newest_digest,
        digest="Digest | None",
        earlier="tuple[DigestLink, ...]",
    ),
    "digest": PageKind(_query_digests, _present_digest, digest="Digest"),
    "links": PageKind(
        _query_links,
        _present_links,
        links=_LINKED,
        is_shared="bool",
        by_post="tuple[LinkingPost, ...]",
    ),
    "about": PageKind(
        _query_about,
        _present_values,
        sources="int",
        posts="int",
        email="str | None",
        home="str | None",
        add_form="str | None",
    ),
    "search": PageKind(_query_search, _present_values, posts="int"),
    "page": PageKind(_query_own_pages, _present_own_page, content="Markup"),
    "subscribe": PageKind(
        _query_subscribe, _present_subscribe, feeds=_FEEDS, lists=_FEEDS, opml="FeedLink"
    ),
    "404": PageKind(_query_missing, _present_values),
}
"""Every kind of page, by the name of its template without `.html`."""
