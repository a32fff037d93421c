"""The pages of all posts by day: the front page, the months, and the lists of these."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

from planet.model import ContentMode
from planet.render import bodies, context, feedlinks, labels
from planet.render.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planet.model import Contents, Edition, Html, Images, Pages, Post
    from planet.render.feedlinks import SiteFeed
    from planet.render.fingerprint import Marks
    from planet.render.present import Presenter
    from planet.words.words import Words

    Month: TypeAlias = tuple[int, int]
    Feeds: TypeAlias = tuple[SiteFeed, ...]


def sheets(
    edition: Edition, pages: Pages, contents: Contents | None, marks: Marks, words: Words
) -> Iterator[Sheet]:
    """The front page, each month's, each year's, and the archive.

    With `contents`, the posts of the front page and of months have their texts.
    """
    texts = _Texts(contents, pages)
    feeds = feedlinks.of_posts(edition)
    by_month: dict[Month, list[Post]] = {}
    # Posts of a day stand together: so each day is looked at once.
    for day, posts in groupby(edition.posts, key=attrgetter("day")):
        by_month.setdefault((day.year, day.month), []).extend(posts)

    yield _front(edition, pages.front, by_month, texts, marks)
    for month, of_month in by_month.items():
        yield _month(month, of_month, feeds, texts, marks, words)
    counts = {month: len(posts) for month, posts in by_month.items()}
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

    def facts(self, posts: Sequence[Post]) -> Images | None:
        """What they show besides: how images are shown is decided by who hands them in."""
        return self.pages.images if self._shown(posts) else None

    def _shown(self, posts: Sequence[Post]) -> list[int]:
        full = (post for post in posts if post.source.content is ContentMode.FULL)
        return [post.entry.number for post in full] if self.contents else []


def _front(
    edition: Edition,
    length: int,
    by_month: Mapping[Month, Sequence[Post]],
    texts: _Texts,
    marks: Marks,
) -> Sheet:
    posts = edition.posts[:length]
    # The reader goes on in the month in which the page ends.
    ended = (posts[-1].day.year, posts[-1].day.month) if len(edition.posts) > length > 0 else None
    older = (ended, len(by_month[ended])) if ended else None
    updated = edition.updated if posts else None

    def body(presenter: Presenter) -> bodies.FrontPage:
        return bodies.FrontPage(
            days=presenter.days(posts, texts.of(posts)),
            sources=tuple(map(presenter.source_link, edition.sources)),
            updated=presenter.maybe(updated),
            older=_month_link(*older, presenter) if older else None,
        )

    return Sheet(
        kind="front",
        path="index.html",
        title=edition.title,
        facts=(
            *(updated, older, marks.of(posts), texts.facts(posts)),
            *((source.slug, source.title, source.face) for source in edition.sources),
        ),
        body=body,
        feeds=feedlinks.of_planet(edition),
    )


def _month(
    month: Month, posts: Sequence[Post], feeds: Feeds, texts: _Texts, marks: Marks, words: Words
) -> Sheet:
    def body(presenter: Presenter) -> bodies.MonthPage:
        return bodies.MonthPage(days=presenter.days(posts, texts.of(posts)))

    return Sheet(
        kind="month",
        path=_month_path(month),
        title=labels.headed(words.month(*month)),
        facts=(marks.of(posts), texts.facts(posts)),
        body=body,
        feeds=feeds,
    )


def _year(number: int, counts: Mapping[Month, int], feeds: Feeds) -> Sheet:
    return Sheet(
        kind="year",
        path=_year_path(number),
        title=str(number),
        facts=tuple(counts.items()),
        body=lambda presenter: bodies.YearPage(year=_year_of(number, counts, presenter)),
        feeds=feeds,
    )


def _archive(counts: Mapping[Month, int], feeds: Feeds, words: Words) -> Sheet:
    def body(presenter: Presenter) -> bodies.ArchivePage:
        years: dict[int, dict[Month, int]] = {}
        for month, count in counts.items():
            years.setdefault(month[0], {})[month] = count
        return bodies.ArchivePage(
            years=tuple(_year_of(number, of_year, presenter) for number, of_year in years.items())
        )

    return Sheet(
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
