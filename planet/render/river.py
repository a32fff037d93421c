"""The pages of all posts by day: the front page, the months, and the list of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from planet.render import bodies, context, feedlinks
from planet.render.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planet.model import Edition, Pages, Post
    from planet.render.feedlinks import SiteFeed
    from planet.render.fingerprint import Marks
    from planet.render.present import Presenter
    from planet.render.words import Words

    Month: TypeAlias = tuple[int, int]
    Feeds: TypeAlias = tuple[SiteFeed, ...]


def sheets(edition: Edition, pages: Pages, marks: Marks, words: Words) -> Iterator[Sheet]:
    """The front page, each month's, and the archive."""
    feeds = feedlinks.of_posts(edition)
    by_month: dict[Month, list[Post]] = {}
    for post in edition.posts:
        by_month.setdefault((post.day.year, post.day.month), []).append(post)

    yield _front(edition, pages.front, by_month, marks)
    for month, posts in by_month.items():
        yield _month(month, posts, feeds, marks, words)
    yield _archive({month: len(posts) for month, posts in by_month.items()}, feeds, words)


def _front(
    edition: Edition, length: int, by_month: Mapping[Month, Sequence[Post]], marks: Marks
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
        feeds=feedlinks.of_planet(edition),
    )


def _month(month: Month, posts: Sequence[Post], feeds: Feeds, marks: Marks, words: Words) -> Sheet:
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


def _archive(counts: Mapping[Month, int], feeds: Feeds, words: Words) -> Sheet:
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


def _month_path(month: Month) -> str:
    return f"{month[0]:04}/{month[1]:02}/index.html"


def _month_link(month: Month, count: int, presenter: Presenter) -> context.Month:
    return context.Month(
        name=presenter.words.month(*month), href=presenter.root + _month_path(month), count=count
    )
