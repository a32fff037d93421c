"""The pages of the archive: months, their days, years, and the list of all months."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planet.site.pages import present
from planet.site.pages.context import split_date
from planet.site.pages.frame import PageSpec
from planet.site.pages.rows import (
    DayCount,
    DayPlace,
    PagePlace,
    PostRows,
    part_into_pages,
    with_neighbours,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from planet.site.pages.context import SiteContext
    from planet.site.pages.present import Presenter

    Month = tuple[int, int]
    Variables = dict[str, Any]


_TITLES = 3
"""How many titles a page of the archive has at least for each of its posts, before titles go on."""


def query_months(site: SiteContext) -> Iterator[PageSpec]:
    """Yield the pages of months, those of many posts with the newest of each day."""
    # Of all days together no more than a reader looks through.
    titles = max(site.pages.archive // 5, 1)
    for month, part in site.edition.timeline.months.items():
        counts = site.counts[month] if month in site.split else None
        if counts:
            posts = site.newest_by_day(counts, titles, part)
        else:
            posts = site.with_texts_by_day(site.posts_in(month, part))
        yield PageSpec(
            path=present.month_path(month),
            title=present.as_heading(site.words.month(*month)),
            feeds=site.feeds,
            description=part.posts,
            rows={"month": month, "posts": posts, "counts": counts},
        )


def present_month(
    presenter: Presenter, *, month: Month, posts: PostRows, counts: dict[date, int] | None
) -> Variables:
    """Return the variables of a month."""
    return {
        "days": presenter.days(posts, counts),
        "calendar": presenter.calendar(month, _count_days(counts)) if counts else None,
    }


def _count_days(counts: Mapping[date, int]) -> list[DayCount]:
    """Return the days of a month that have pages, with how many posts each has."""
    return [DayCount(DayPlace(day, has_page=True), posts) for day, posts in counts.items()]


def query_days(site: SiteContext) -> Iterator[PageSpec]:
    """Yield the pages of days, where a month has too many posts for one page.

    A day with very many posts has several.
    """
    days, titles = site.edition.timeline.days, _TITLES * site.pages.archive
    pages = [
        (site.place(day)._replace(number=shown.number), shown)
        for day, part in days.items()
        for shown in part_into_pages(part.posts, titles)
    ]
    places = [place for place, _ in pages]
    for (_, shown), (newer, place, older) in zip(pages, with_neighbours(places), strict=True):
        if not place.has_page:
            continue
        part = days[place.day]
        is_long = part.posts > site.pages.archive
        posts = site.posts_in(split_date(place.day), part, shown.start, shown.stop)
        yield PageSpec(
            path=present.day_path(place.day, place.number),
            title=present.number_title(site.words.date(place.day), place.number)
            if place.number
            else place.day,
            feeds=site.feeds,
            description=shown.stop - shown.start,
            rows={
                "day": place.day,
                "posts": posts if is_long else site.with_texts_by_day(posts),
                "is_long": is_long,
                "newer": newer,
                "older": older,
            },
        )


def present_day(
    presenter: Presenter,
    *,
    day: date,
    posts: PostRows,
    is_long: bool,
    newer: DayPlace | None,
    older: DayPlace | None,
) -> Variables:
    """Return the variables of a day."""
    return {
        "days": presenter.days(posts),
        "is_long": is_long,
        "month": presenter.month_period((day.year, day.month)),
        "newer": newer and presenter.period(newer),
        "older": older and presenter.period(older),
    }


def query_years(site: SiteContext) -> Iterator[PageSpec]:
    """Yield the almanacs of the years."""
    years = _by_year(site)
    pages = [PagePlace(str(number), present.year_path(number)) for number in years]
    for (number, months), (newer, page, older) in zip(
        years.items(), with_neighbours(pages), strict=True
    ):
        days = ((day, posts) for month in months for day, posts in site.counts[month].items())
        yield PageSpec(
            path=page.path,
            title=page.title,
            feeds=site.feeds,
            description=sum(months.values()),
            rows={
                "number": number,
                "months": months,
                "counts": tuple(DayCount(site.place(day), posts) for day, posts in days),
                "newer": newer,
                "older": older,
            },
        )


def present_year(
    presenter: Presenter,
    *,
    number: int,
    months: dict[Month, int],
    counts: Sequence[DayCount],
    newer: PagePlace | None,
    older: PagePlace | None,
) -> Variables:
    """Return the variables of an almanac."""
    return {
        "year": presenter.year(number, months, max(months.values())),
        "calendars": presenter.almanac(number, counts),
        "most": max(day.posts for day in counts),
        "newer": newer and presenter.page_period(newer),
        "older": older and presenter.page_period(older),
    }


def query_archive(site: SiteContext) -> Iterator[PageSpec]:
    """Yield the page of all months."""
    yield PageSpec(
        path="archive/index.html",
        title=site.words.archive,
        feeds=site.feeds,
        description=site.edition.count,
        rows={"years": _by_year(site)},
    )


def present_archive(presenter: Presenter, *, years: dict[int, dict[Month, int]]) -> Variables:
    """Return the variables of the page of all months."""
    most = max((count for months in years.values() for count in months.values()), default=0)
    return {"years": tuple(presenter.year(*year, most) for year in years.items())}


def _by_year(site: SiteContext) -> dict[int, dict[Month, int]]:
    """Return how many posts each month has, by year."""
    years: dict[int, dict[Month, int]] = {}
    for month, part in site.edition.timeline.months.items():
        years.setdefault(month[0], {})[month] = part.posts
    return years
