"""What the variables of a template are made of: nouns of `docs/themes.md`, and none of the model.

Text is plain and is escaped where it is written; `content` alone is HTML, and clean. Addresses are
ready for an `href`: relative to the page, or http and https.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.model import noun

if TYPE_CHECKING:
    from markupsafe import Markup


@noun
class Person:
    """Someone with a name, and perhaps a page."""

    name: str
    href: str | None


@noun
class Site:
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


@noun
class FeedLink:
    """A feed of the site, or its list of sources."""

    name: str
    title: str
    hint: str
    href: str
    address: str | None
    media_type: str
    format: str
    page: str | None


@noun
class Page:
    """The page itself."""

    kind: str
    title: str
    description: str
    image: str | None
    root: str
    canonical: str | None
    feeds: tuple[FeedLink, ...]


@noun
class Slots:
    """HTML of the operator's own, for every page."""

    head: Markup
    top: Markup
    end: Markup


@noun
class Moment:
    """A point in time, in the planet's time zone."""

    iso: str
    date: str
    time: str
    full: str


@noun
class Tag:
    """A group of sources."""

    name: str
    href: str


@noun
class SourceLink:
    """A source where it is named beside a post."""

    title: str
    href: str | None
    monogram: str
    hue: int
    image: str | None


@noun
class Trouble:
    """Why nothing new comes from a source."""

    reason: str
    since: Moment | None
    final: bool


@noun
class Polls:
    """How a source's feed is asked for, as of when the page was made."""

    answered: Moment | None
    every: str | None
    next: Moment | None
    because: str | None


@noun
class Source:
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


@noun
class PolledSource:
    """A source as operators look at it."""

    title: str
    href: str
    trouble: Trouble | None
    quiet_since: Moment | None
    moved_to: str | None
    polls: Polls | None


@noun
class Letter:
    """The sources whose titles begin with it, where there are so many that they are parted."""

    name: str | None
    id: str | None
    sources: tuple[Source, ...]


@noun
class Enclosure:
    """A file that belongs to a post."""

    kind: str
    href: str
    media_type: str | None
    title: str | None
    size: str | None
    duration: str | None


@noun
class Picked:
    """What is said of an episode because it was picked."""

    note: str | None
    published: Moment | None


@noun
class ListName:
    """A list that episodes are picked for."""

    name: str
    title: str


@noun
class Pick:
    """How an episode is picked from its source's page, and put back."""

    episode: str
    token: str | None
    lists: tuple[ListName, ...]
    picked_for: tuple[ListName, ...]
    link: str | None


@noun
class Post:
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


@noun
class Group:
    """What one source has on one day, newest first."""

    source: SourceLink
    shown: tuple[Post, ...]
    folded: tuple[Post, ...]


@noun
class Day:
    """A day with its posts, by source; the source with the newest post comes first."""

    iso: str
    weekday: str
    date: str
    href: str | None
    more: int
    posts: tuple[Post, ...]
    groups: tuple[Group, ...]


@noun
class Period:
    """A month or a day in the archive."""

    name: str
    href: str


@noun
class Month:
    """A month in the list of months."""

    name: str
    href: str
    count: int


@noun
class Weekday:
    """What a column of a calendar is called."""

    name: str
    short: str


@noun
class CalendarDay:
    """A day in a calendar, with its page if there are posts."""

    number: int
    iso: str
    href: str | None
    count: int


@noun
class Calendar:
    """The days of a month by weeks; where a week has days of other months, there is none."""

    weekdays: tuple[Weekday, ...]
    weeks: tuple[tuple[CalendarDay | None, ...], ...]
    count: int


@noun
class Year:
    """A year in the archive, its newest month first."""

    number: int
    href: str
    months: tuple[Month, ...]


@noun
class Podcast:
    """A podcast feed of the site, as its page presents it."""

    title: str
    description: str | None
    cover: str | None
    feed: FeedLink


@noun
class DigestItem:
    """A post as a digest tells it."""

    heading: str | None
    href: str | None
    summary: str | None


@noun
class DigestSection:
    """What a digest tells of one source."""

    title: str
    home: str | None
    items: tuple[DigestItem, ...]


@noun
class Digest:
    """What came in a day or a week."""

    date: str
    since: Moment
    until: Moment
    count: int
    sections: tuple[DigestSection, ...]


@noun
class DigestLink:
    """A digest where it is listed."""

    iso: str
    date: str
    href: str
    count: int


@noun
class Linked:
    """An address that posts link to."""

    title: str
    href: str
    place: str | None
    source: SourceLink | None
    count: int
    posts: tuple[Post, ...]
