"""What the queries of pages take a site's pages from, and the rows that several kinds have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING

from planet.site.pages import frame
from planet.site.pages.frame import PickButtons
from planet.site.pages.rows import DayPlace, PostRows, SourceDetails

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from planet.model import Contents, Edition, Pages, Part, Post, Source
    from planet.site.pages.frame import Frame, SiteFeed
    from planet.site.pages.theme import Theme
    from planet.site.words import Words

    Month = tuple[int, int]


@dataclass(frozen=True)
class SiteContext:
    """What queries take the pages of a site from."""

    edition: Edition
    pages: Pages
    theme: Theme
    contents: Contents
    frame: Frame

    @property
    def words(self) -> Words:
        """Return what is written in the planet's language."""
        return self.frame.words

    @cached_property
    def feeds(self) -> tuple[SiteFeed, ...]:
        """Return the feeds that pages name which have none of their own."""
        return frame.of_posts(self.edition, self.pages)

    @cached_property
    def picks(self) -> PickButtons:
        """Return where episodes are picked."""
        return PickButtons.of(self.edition, self.pages)

    @cached_property
    def sources(self) -> tuple[SourceDetails, ...]:
        """Return the sources, in the edition's order, with their tags."""
        tags = {tag.name: tag for tag in self.edition.tags}
        return tuple(
            SourceDetails.of(source, [tags[name] for name in source.tags if name in tags])
            for source in self.edition.sources
        )

    @cached_property
    def counts(self) -> dict[Month, dict[date, int]]:
        """Return how many posts each day has, by month, the newest first."""
        counts: dict[Month, dict[date, int]] = {}
        for day, part in self.edition.timeline.days.items():
            counts.setdefault((day.year, day.month), {})[day] = part.posts
        return counts

    @property
    def large_posts(self) -> int:
        """Return how many posts with texts or players a page has before others go on."""
        # Of texts, the number stands for the size: they are read when a page is drawn only.
        return max(self.pages.archive // 2, 1)

    @cached_property
    def split(self) -> frozenset[Month]:
        """Return the months with a page for each of their days."""
        months = self.edition.timeline.months
        most = self.large_posts if self.theme.full_text else self.pages.archive
        return frozenset(month for month, part in months.items() if part.posts > most)

    def place(self, day: date) -> DayPlace:
        """Return where the archive has the posts of a day."""
        return DayPlace(day, has_page=(day.year, day.month) in self.split)

    def with_texts(self, posts: PostRows) -> PostRows:
        """Add the texts of posts, for whatever may be shown of them."""
        return replace(posts, images=self.pages.images, contents=self.contents)

    def with_texts_by_day(self, posts: PostRows) -> PostRows:
        """Add the texts of posts where the theme shows texts by day."""
        return self.with_texts(posts) if self.theme.full_text else posts

    def with_pictures(self, posts: PostRows) -> PostRows:
        """Add a picture of each text where the theme shows one in a list."""
        # Not in the archive: for that, the texts of all posts there are would have to be read.
        if self.theme.options.get("pictures") is not True:
            return posts
        return replace(self.with_texts(posts), has_pictures=True)

    def posts_in(
        self, period: tuple[int, ...], part: Part, start: int = 0, stop: int | None = None
    ) -> PostRows:
        """Return the posts of a month or a day, or those at some places among them.

        `part` stands for all of them until they are read.
        """
        timeline = self.edition.timeline

        def load() -> Iterator[Post]:
            return islice(timeline.posts(stop, period=period), start, None)

        return PostRows(fingerprint=(part.mark, start, stop), load=load)

    def newest_by_day(self, days: Iterable[date], limit: int, part: Part) -> PostRows:
        """Return the newest posts of each day of a month; `part` stands for the month's."""
        timeline = self.edition.timeline

        def load() -> Iterator[Post]:
            for day in days:
                yield from timeline.posts(limit, period=split_date(day))

        return PostRows(fingerprint=(limit, part.mark), load=load)

    def newest_of(
        self, sources: Sequence[Source], limit: int, *, timeless: bool = False
    ) -> PostRows:
        """Return the newest posts of these sources; with `timeless`, those without a date last."""
        parts = self.edition.parts_of(sources, timeless=timeless)
        keys = [source.key for source in sources]
        return PostRows(
            fingerprint=(limit, *(part.mark for part in parts)),
            load=partial(self.edition.timeline.posts, limit, sources=keys, timeless=timeless),
        )


def split_date(day: date) -> tuple[int, int, int]:
    """Return the period of a timeline that is this day."""
    return day.year, day.month, day.day
