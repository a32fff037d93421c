"""Edition → Sheets: which pages a site has, and what each of them shows.

A sheet's `facts` hold all that its body is made from and nothing that its page does not show. So a
new post touches the front page, its month, its source, and the lists of months and sources.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planet.model import ContentMode
from planet.render import bodies, context
from planet.render.feedlinks import FeedSet, has_podcast
from planet.render.fingerprint import Marks
from planet.render.present import source_folder
from planet.render.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from planet.model import Contents, Edition, Html, Pages, Post, Source
    from planet.render.present import Presenter

    Month = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A page before it is drawn."""

    kind: str
    """The name of its template without `.html`."""
    path: str
    title: str
    facts: tuple[object, ...]
    body: Callable[[Presenter], bodies.PageBody]
    feeds: FeedSet
    """The feeds it names in its head."""

    @property
    def is_everywhere(self) -> bool:
        """Whether it is shown at any address, so that its links cannot be relative."""
        return self.path == "404.html"


def sheets(edition: Edition, pages: Pages, contents: Contents) -> Iterator[Sheet]:
    """The pages of a site; of two editions, those with the same path are the same page."""
    marks, words = Marks(), Words()
    by_month, by_source = _shelved(edition.posts)
    feeds = FeedSet(title=edition.title)
    all_feeds = FeedSet(title=edition.title, podcast=has_podcast(edition.posts))

    yield _front(edition, pages.front, by_month, all_feeds, marks)
    for month, posts in by_month.items():
        yield _month(month, posts, feeds, marks, words)
    yield _archive({month: len(posts) for month, posts in by_month.items()}, feeds, words)
    for source in edition.sources:
        yield _source(source, by_source.get(source.key, []), pages, contents, marks)
    yield _sources(edition.sources, feeds, words)
    yield _subscribe(all_feeds, words)
    yield _missing(feeds, words)


def _shelved(
    posts: Sequence[Post],
) -> tuple[dict[Month, list[Post]], dict[str, list[Post]]]:
    """Posts by month and by key of their source, in their order."""
    by_month: dict[Month, list[Post]] = {}
    by_source: dict[str, list[Post]] = {}
    for post in posts:
        by_month.setdefault((post.day.year, post.day.month), []).append(post)
        by_source.setdefault(post.source.key, []).append(post)
    return by_month, by_source


def _front(
    edition: Edition,
    length: int,
    by_month: Mapping[Month, Sequence[Post]],
    feeds: FeedSet,
    marks: Marks,
) -> Sheet:
    posts = edition.posts[:length]
    # The reader goes on in the month in which the page ends.
    ended = (posts[-1].day.year, posts[-1].day.month) if len(edition.posts) > length > 0 else None
    older = (ended, len(by_month[ended])) if ended else None
    updated = edition.updated if posts else None

    def body(presenter: Presenter) -> bodies.FrontPage:
        return bodies.FrontPage(
            days=presenter.days(posts),
            updated=presenter.maybe(updated),
            older=_month_link(*older, presenter) if older else None,
        )

    return Sheet(
        kind="front",
        path="index.html",
        title=edition.title,
        facts=(updated, older, marks.of(posts)),
        body=body,
        feeds=feeds,
    )


def _month(
    month: Month, posts: Sequence[Post], feeds: FeedSet, marks: Marks, words: Words
) -> Sheet:
    def body(presenter: Presenter) -> bodies.MonthPage:
        return bodies.MonthPage(days=presenter.days(posts))

    return Sheet(
        kind="month",
        path=_month_path(month),
        title=words.month(*month),
        facts=(marks.of(posts),),
        body=body,
        feeds=feeds,
    )


def _archive(counts: Mapping[Month, int], feeds: FeedSet, words: Words) -> Sheet:
    def body(presenter: Presenter) -> bodies.ArchivePage:
        years: dict[int, list[context.Month]] = {}
        for month, count in counts.items():
            years.setdefault(month[0], []).append(_month_link(month, count, presenter))
        return bodies.ArchivePage(
            years=tuple(
                context.Year(number=number, months=tuple(months))
                for number, months in years.items()
            )
        )

    return Sheet(
        kind="archive",
        path="archive/index.html",
        title=words.archive,
        facts=tuple(counts.items()),
        body=body,
        feeds=feeds,
    )


def _source(
    source: Source, posts: Sequence[Post], pages: Pages, contents: Contents, marks: Marks
) -> Sheet:
    shown = posts[: pages.source]
    full = source.content is ContentMode.FULL

    def body(presenter: Presenter) -> bodies.SourcePage:
        texts: Mapping[int, Html] = {}
        if full and shown:
            texts = contents([post.entry.number for post in shown])
        return bodies.SourcePage(
            source=presenter.source(source),
            posts=tuple(presenter.post(post, texts.get(post.entry.number)) for post in shown),
        )

    return Sheet(
        kind="source",
        path=f"source/{source.slug}/index.html",
        title=source.title,
        facts=(
            *_said_of(source),
            # How images are shown is decided by whoever hands the texts in.
            pages.images if full else None,
            marks.of(shown),
        ),
        body=body,
        feeds=FeedSet(title=source.title, folder=source_folder(source), podcast=has_podcast(posts)),
    )


def _sources(sources: Sequence[Source], feeds: FeedSet, words: Words) -> Sheet:
    as_of = max((at for source in sources if (at := source.standing.asked_at)), default=None)

    def body(presenter: Presenter) -> bodies.SourcesPage:
        return bodies.SourcesPage(
            sources=tuple(map(presenter.polled_source, sources)), as_of=presenter.maybe(as_of)
        )

    return Sheet(
        kind="sources",
        path="sources/index.html",
        title=words.sources,
        facts=tuple((*_said_of(source), source.standing) for source in sources),
        body=body,
        feeds=feeds,
    )


def _subscribe(feeds: FeedSet, words: Words) -> Sheet:
    def body(presenter: Presenter) -> bodies.SubscribePage:
        return bodies.SubscribePage(feeds=feeds.links(presenter), opml=feeds.opml(presenter))

    return Sheet(
        kind="subscribe",
        path="subscribe/index.html",
        title=words.subscribe,
        facts=(),
        body=body,
        feeds=feeds,
    )


def _missing(feeds: FeedSet, words: Words) -> Sheet:
    return Sheet(
        kind="404",
        path="404.html",
        title=words.missing,
        facts=(),
        body=lambda _: bodies.MissingPage(),
        feeds=feeds,
    )


def _said_of(source: Source) -> tuple[object, ...]:
    """What is said of a source where it is not only named, and changes seldom."""
    standing = source.standing
    return (
        *(source.slug, source.title, source.link, source.description),
        *(source.newest, source.count, standing.quiet_since, standing.moved_to),
        *(standing.trouble, standing.trouble_since, standing.given_up, standing.given_up_at),
    )


def _month_path(month: Month) -> str:
    return f"{month[0]:04}/{month[1]:02}/index.html"


def _month_link(month: Month, count: int, presenter: Presenter) -> context.Month:
    return context.Month(
        name=presenter.words.month(*month), href=presenter.root + _month_path(month), count=count
    )
