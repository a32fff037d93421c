"""The pages of all posts by day: the front page, the months, and the lists of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from planet.model import ContentMode, Future, Post
from planet.site.pages import bodies, chrome, context, sheet
from planet.site.pages.chrome import desk
from planet.site.pages.sheet import PageSpec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planet.model import Contents, Edition, Entry, Html, Images, Pages, Part, Source, Tag
    from planet.site.pages.chrome import PickButtons, SiteFeed
    from planet.site.pages.present import Presenter
    from planet.site.pages.sheet import Marks
    from planet.site.words import Words

    Month: TypeAlias = tuple[int, int]
    Feeds: TypeAlias = tuple[SiteFeed, ...]


def timeline_pages(
    edition: Edition, pages: Pages, contents: Contents | None, marks: Marks, words: Words
) -> Iterator[PageSpec]:
    """The front page, each month's, each year's, and the archive.

    With `contents`, the posts of the front page and of months have their texts.
    """
    texts = _Texts(contents, pages)
    feeds = chrome.of_posts(edition)

    yield _front(edition, pages.front, texts, marks)
    for month, part in edition.timeline.months.items():
        yield _month(edition, month, part, feeds, texts, words)
    counts = {month: part.posts for month, part in edition.timeline.months.items()}
    for year in dict.fromkeys(year for year, _ in counts):
        of_year = {month: count for month, count in counts.items() if month[0] == year}
        yield _year(year, of_year, feeds)
    yield _archive(counts, feeds, words)


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of posts, for themes that show them on these pages."""

    contents: Contents | None
    pages: Pages

    def of(self, posts: Sequence[Post]) -> Mapping[int, Html]:
        """Those of posts whose source lets them be shown."""
        shown = self._shown(posts)
        return self.contents(shown) if self.contents and shown else {}

    @property
    def facts(self) -> Images | None:
        """What they show besides: how images are shown is decided by who hands them in."""
        return self.pages.images if self.contents else None

    def _shown(self, posts: Sequence[Post]) -> list[int]:
        full = (post for post in posts if post.source.content is ContentMode.FULL)
        return [post.entry.number for post in full] if self.contents else []


def _front(edition: Edition, length: int, texts: _Texts, marks: Marks) -> PageSpec:
    posts = tuple(edition.timeline.posts(length))
    # The reader goes on in the month in which the page ends.
    ended = (posts[-1].day.year, posts[-1].day.month) if edition.count > length > 0 else None
    older = (ended, edition.timeline.months[ended].posts) if ended else None
    updated = edition.updated if posts else None

    def body(presenter: Presenter) -> bodies.FrontPage:
        return bodies.FrontPage(
            days=presenter.days(posts, texts.of(posts)),
            sources=tuple(map(presenter.source_link, edition.sources)),
            updated=presenter.maybe(updated),
            older=_month_link(*older, presenter) if older else None,
        )

    return PageSpec(
        kind="front",
        path="index.html",
        title=edition.title,
        facts=(
            *(updated, older, marks.of(posts), texts.facts),
            *((source.slug, source.title, source.face) for source in edition.sources),
        ),
        body=body,
        feeds=chrome.of_planet(edition),
    )


def _month(
    edition: Edition, month: Month, part: Part, feeds: Feeds, texts: _Texts, words: Words
) -> PageSpec:
    def body(presenter: Presenter) -> bodies.MonthPage:
        posts = tuple(edition.timeline.posts(month=month))
        return bodies.MonthPage(days=presenter.days(posts, texts.of(posts)))

    return PageSpec(
        kind="month",
        path=_month_path(month),
        title=sheet.headed(words.month(*month)),
        facts=(part.mark, texts.facts),
        body=body,
        feeds=feeds,
    )


def _year(number: int, counts: Mapping[Month, int], feeds: Feeds) -> PageSpec:
    return PageSpec(
        kind="year",
        path=_year_path(number),
        title=str(number),
        facts=tuple(counts.items()),
        body=lambda presenter: bodies.YearPage(year=_year_of(number, counts, presenter)),
        feeds=feeds,
    )


def _archive(counts: Mapping[Month, int], feeds: Feeds, words: Words) -> PageSpec:
    def body(presenter: Presenter) -> bodies.ArchivePage:
        years: dict[int, dict[Month, int]] = {}
        for month, count in counts.items():
            years.setdefault(month[0], {})[month] = count
        return bodies.ArchivePage(
            years=tuple(_year_of(number, of_year, presenter) for number, of_year in years.items())
        )

    return PageSpec(
        kind="archive",
        path="archive/index.html",
        title=words.archive,
        facts=tuple(counts.items()),
        body=body,
        feeds=feeds,
    )


def _year_path(number: int) -> str:
    return f"{number:04}/index.html"


def _year_of(number: int, counts: Mapping[Month, int], presenter: Presenter) -> context.Year:
    return context.Year(
        number=number,
        href=presenter.root + _year_path(number),
        months=tuple(_month_link(month, count, presenter) for month, count in counts.items()),
    )


def _month_path(month: Month) -> str:
    return f"{month[0]:04}/{month[1]:02}/index.html"


def _month_link(month: Month, count: int, presenter: Presenter) -> context.Month:
    return context.Month(
        name=presenter.words.month(*month), href=presenter.root + _month_path(month), count=count
    )


def source_pages(
    edition: Edition, pages: Pages, contents: Contents, words: Words
) -> Iterator[PageSpec]:
    """Each source's page, each tag's, and the list of sources."""
    tags = {tag.name: tag for tag in edition.tags}
    tagged = [
        (source, tuple(tags[name] for name in source.tags if name in tags))
        for source in edition.sources
    ]
    picks = desk(edition, pages)

    for source, own_tags in tagged:
        yield _source(edition, source, tags=own_tags, pages=pages, contents=contents, picks=picks)
    for tag in edition.tags:
        yield _tag(edition, tag, pages.feed)
    yield _sources(edition, tagged, words)


def _source(
    edition: Edition,
    source: Source,
    *,
    tags: Sequence[Tag],
    pages: Pages,
    contents: Contents,
    picks: PickButtons,
) -> PageSpec:
    offered = [_offered(entry, source) for entry in edition.episodes.get(source.key, ())]
    full = source.content is ContentMode.FULL

    def body(presenter: Presenter) -> bodies.SourcePage:
        texts: Mapping[int, Html] = {}
        shown = tuple(edition.timeline.posts(pages.source, sources=(source.key,), timeless=True))
        there = {post.entry.id for post in shown}
        episodes = (post for post in offered if post.entry.id not in there)
        if full and shown:
            texts = contents([post.entry.number for post in shown])
        return bodies.SourcePage(
            source=presenter.source(source, tags),
            posts=tuple(
                presenter.post(
                    post,
                    texts.get(post.entry.number),
                    picks.control(post.entry, presenter, is_offered=False),
                )
                for post in shown
            ),
            episodes=tuple(
                presenter.post(post, pick=picks.control(post.entry, presenter, is_offered=True))
                for post in episodes
            ),
        )

    return PageSpec(
        kind="source",
        path=f"source/{source.slug}/index.html",
        title=source.title,
        facts=(
            *_said_of(source, tags),
            # How images are shown is decided by whoever hands the texts in.
            pages.images if full else None,
            *(pages.source, chrome.marks(edition, [source])),
            *((post.entry.id, post.entry.digest, post.when) for post in offered),
            *picks.facts({source.key}),
        ),
        body=body,
        feeds=chrome.of_source(edition, source),
    )


def _offered(entry: Entry, source: Source) -> Post:
    """An episode that is no post, as it would look as one."""
    when = entry.filed(Future.CLAMP)
    return Post(entry=entry, source=source, uid="", when=when, day=when.date())


def _tag(edition: Edition, tag: Tag, length: int) -> PageSpec:
    sources = edition.tagged(tag)

    def body(presenter: Presenter) -> bodies.TagPage:
        keys = [source.key for source in sources]
        return bodies.TagPage(
            days=presenter.days(edition.timeline.posts(length, sources=keys)),
            sources=tuple(map(presenter.source_link, sources)),
        )

    return PageSpec(
        kind="tag",
        path=f"tag/{tag.slug}/index.html",
        title=tag.name,
        facts=(
            *((source.slug, source.title) for source in sources),
            *(length, chrome.marks(edition, sources)),
        ),
        body=body,
        feeds=chrome.of_tag(edition, tag),
    )


def _sources(
    edition: Edition, tagged: Sequence[tuple[Source, Sequence[Tag]]], words: Words
) -> PageSpec:
    as_of = max((at for source, _ in tagged if (at := source.standing.asked_at)), default=None)

    def body(presenter: Presenter) -> bodies.SourcesPage:
        return bodies.SourcesPage(
            sources=tuple(presenter.polled_source(source, tags) for source, tags in tagged),
            tags=tuple(map(presenter.tag, edition.tags)),
            as_of=presenter.maybe(as_of),
        )

    return PageSpec(
        kind="sources",
        path="sources/index.html",
        title=words.sources,
        facts=(
            edition.tags,
            *((*_said_of(source, tags), source.standing) for source, tags in tagged),
        ),
        body=body,
        feeds=chrome.of_posts(edition),
    )


def _said_of(source: Source, tags: Sequence[Tag]) -> tuple[object, ...]:
    """What is said of a source where it is not only named, and changes seldom."""
    standing = source.standing
    return (
        *(source.slug, source.title, source.link, source.description, tuple(tags)),
        *(source.newest, source.count, standing.quiet_since, standing.moved_to),
        *(standing.trouble, standing.trouble_since, standing.given_up, standing.given_up_at),
    )
