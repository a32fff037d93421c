"""Posts → the archives of their feed, by month (RFC 5005 §4). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from planet.feeds.atom import Chapter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from planet.model import Post


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """All posts of a month."""

    folder: str
    """`2026/11/`: where it is on the site, beside the page of the month."""
    posts: tuple[Post, ...]
    address: str
    chapter: Chapter


def archives(posts: Sequence[Post], limit: int, site: str) -> tuple[Archive, ...]:
    """The archives of a feed that shows the first `limit` of these posts; the newest comes first.

    There is one for each month that has a post which the feed does not show. It has all posts of
    the month, so that those of a month that is over stay the same while newer ones come. Posts are
    newest first; `site` is its address.
    """
    by_month: dict[str, list[Post]] = {}
    # Posts of a day stand together: so each day is looked at once.
    for day, of_day in groupby(posts, key=attrgetter("day")):
        by_month.setdefault(_folder(day), []).extend(of_day)
    older_days = (day for day, _ in groupby(posts[limit:], key=attrgetter("day")))
    folders = list(dict.fromkeys(map(_folder, older_days)))
    # One longer at both ends: the newest has none after it, the oldest none before it.
    addresses = [None, *(f"{site}{folder}atom.xml" for folder in folders), None]
    return tuple(
        Archive(
            folder=folder,
            posts=tuple(by_month[folder]),
            address=f"{site}{folder}atom.xml",
            chapter=Chapter(month=f"{site}{folder}", older=older, newer=newer),
        )
        for folder, newer, older in zip(folders, addresses[:-2], addresses[2:], strict=True)
    )


def _folder(day: date) -> str:
    return f"{day.year:04}/{day.month:02}/"
