"""What the variables of a template are made of: nouns of `docs/themes.md`, and none of the model.

Text is plain and is escaped where it is written; `content` alone is HTML, and clean. Addresses are
ready for an `href`: relative to the page, or http and https.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from markupsafe import Markup


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Someone with a name, and perhaps a page."""

    name: str
    href: str | None


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """The planet: the same on each of its pages."""

    title: str
    description: str | None
    language: str
    direction: str
    indexing: bool
    owner: Person | None
    generator: str
    has_podcast: bool
    picking: str
    script: bool
    search: bool


class FeedLink(msgspec.Struct, frozen=True, kw_only=True):
    """A feed of the site, or its list of sources."""

    name: str
    title: str
    hint: str
    href: str
    address: str | None
    media_type: str
    format: str
    page: str | None


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """The page itself."""

    kind: str
    title: str
    description: str
    image: str | None
    root: str
    canonical: str | None
    feeds: tuple[FeedLink, ...]


class Slots(msgspec.Struct, frozen=True, kw_only=True):
    """HTML of the operator's own, for every page."""

    head: Markup
    top: Markup
    end: Markup


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """A point in time, in the planet's time zone."""

    iso: str
    date: str
    time: str
    full: str


class Tag(msgspec.Struct, frozen=True, kw_only=True):
    """A group of sources."""

    name: str
    href: str


class SourceLink(msgspec.Struct, frozen=True, kw_only=True):
    """A source where it is named beside a post."""

    title: str
    href: str | None
    monogram: str
    hue: int
    image: str | None


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why nothing new comes from a source."""

    reason: str
    since: Moment | None
    final: bool


class Polls(msgspec.Struct, frozen=True, kw_only=True):
    """How a source's feed is asked for, as of when the page was made."""

    answered: Moment | None
    every: str | None
    next: Moment | None
    because: str | None


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A source on its own page and in the list of sources."""

    title: str
    href: str
    monogram: str
    hue: int
    home: str | None
    description: str | None
    newest: Moment | None
    count: int
    trouble: Trouble | None
    quiet_since: Moment | None
    moved_to: str | None
    tags: tuple[Tag, ...]
    posts: tuple[Post, ...]


class PolledSource(msgspec.Struct, frozen=True, kw_only=True):
    """A source as operators look at it."""

    title: str
    href: str
    trouble: Trouble | None
    quiet_since: Moment | None
    moved_to: str | None
    polls: Polls | None


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """The sources whose titles begin with it, where there are so many that they are parted."""

    name: str | None
    id: str | None
    sources: tuple[Source, ...]


class Enclosure(msgspec.Struct, frozen=True, kw_only=True):
    """A file that belongs to a post."""

    kind: str
    href: str
    media_type: str | None
    title: str | None
    size: str | None
    duration: str | None


class Picked(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of an episode because it was picked."""

    note: str | None
    published: Moment | None


class ListName(msgspec.Struct, frozen=True, kw_only=True):
    """A list that episodes are picked for."""

    name: str
    title: str


class Pick(msgspec.Struct, frozen=True, kw_only=True):
    """How an episode is picked from its source's page, and put back."""

    episode: str
    token: str | None
    lists: tuple[ListName, ...]
    picked_for: tuple[ListName, ...]
    link: str | None


class Post(msgspec.Struct, frozen=True, kw_only=True):
    """A post, as much of it as the page may show."""

    heading: str
    is_note: bool
    href: str | None
    language: str | None
    source: SourceLink
    authors: tuple[str, ...]
    when: Moment
    excerpt: str | None
    content: Markup | None
    enclosures: tuple[Enclosure, ...]
    also_in: tuple[SourceLink, ...]
    picked: Picked | None
    pick: Pick | None


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """What one source has on one day, newest first."""

    source: SourceLink
    shown: tuple[Post, ...]
    folded: tuple[Post, ...]


class Day(msgspec.Struct, frozen=True, kw_only=True):
    """A day with its posts, by source; the source with the newest post comes first."""

    iso: str
    weekday: str
    date: str
    href: str | None
    more: int
    posts: tuple[Post, ...]
    groups: tuple[Group, ...]


class Period(msgspec.Struct, frozen=True, kw_only=True):
    """A month or a day in the archive."""

    name: str
    href: str


class Month(msgspec.Struct, frozen=True, kw_only=True):
    """A month in the list of months."""

    name: str
    href: str
    count: int


class Weekday(msgspec.Struct, frozen=True, kw_only=True):
    """What a column of a calendar is called."""

    name: str
    short: str


class CalendarDay(msgspec.Struct, frozen=True, kw_only=True):
    """A day in a calendar, with its page if there are posts."""

    number: int
    iso: str
    href: str | None
    count: int


class Calendar(msgspec.Struct, frozen=True, kw_only=True):
    """The days of a month by weeks; where a week has days of other months, there is none."""

    weekdays: tuple[Weekday, ...]
    weeks: tuple[tuple[CalendarDay | None, ...], ...]
    count: int


class Year(msgspec.Struct, frozen=True, kw_only=True):
    """A year in the archive, its newest month first."""

    number: int
    href: str
    months: tuple[Month, ...]


class Podcast(msgspec.Struct, frozen=True, kw_only=True):
    """A podcast feed of the site, as its page presents it."""

    title: str
    description: str | None
    cover: str | None
    feed: FeedLink


class DigestItem(msgspec.Struct, frozen=True, kw_only=True):
    """A post as a digest tells it."""

    heading: str | None
    href: str | None
    summary: str | None


class DigestSection(msgspec.Struct, frozen=True, kw_only=True):
    """What a digest tells of one source."""

    title: str
    home: str | None
    items: tuple[DigestItem, ...]


class Digest(msgspec.Struct, frozen=True, kw_only=True):
    """What came in a day or a week."""

    date: str
    since: Moment
    until: Moment
    count: int
    sections: tuple[DigestSection, ...]


class DigestLink(msgspec.Struct, frozen=True, kw_only=True):
    """A digest where it is listed."""

    iso: str
    date: str
    href: str
    count: int


class Linked(msgspec.Struct, frozen=True, kw_only=True):
    """An address that posts link to."""

    title: str
    href: str
    place: str | None
    source: SourceLink | None
    count: int
    posts: tuple[Post, ...]
