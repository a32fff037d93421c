"""What the variables of a template are made of, and nothing of the model.

`docs/themes.md` has each class, without the end `View` of its name.

Text is plain and is escaped where it is written; `content` alone is HTML, and clean. Addresses are
ready for an `href`: relative to the page, or http and https.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from markupsafe import Markup


class PersonView(msgspec.Struct, frozen=True, kw_only=True):
    """Someone with a name, and perhaps a page."""

    name: str
    href: str | None


class OwnPageLinkView(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the operator's own in the navigation."""

    title: str
    path: str


class SiteView(msgspec.Struct, frozen=True, kw_only=True):
    """The planet: the same on each of its pages."""

    title: str
    description: str | None
    language: str
    direction: str
    indexing: bool
    owner: PersonView | None
    generator: str
    has_podcast: bool
    picking: str
    script: bool
    search: bool
    pages: tuple[OwnPageLinkView, ...]


class FeedLinkView(msgspec.Struct, frozen=True, kw_only=True):
    """A feed of the site, or its list of sources."""

    name: str
    title: str
    hint: str
    href: str
    address: str | None
    media_type: str
    format: str
    page: str | None


class PageView(msgspec.Struct, frozen=True, kw_only=True):
    """The page itself."""

    kind: str
    title: str
    description: str
    indexing: bool
    image: str | None
    root: str
    canonical: str | None
    feeds: tuple[FeedLinkView, ...]


class SlotsView(msgspec.Struct, frozen=True, kw_only=True):
    """HTML of the operator's own, for every page."""

    head: Markup
    top: Markup
    end: Markup


class MomentView(msgspec.Struct, frozen=True, kw_only=True):
    """A point in time, in the planet's time zone."""

    iso: str
    date: str
    time: str
    full: str


class TagView(msgspec.Struct, frozen=True, kw_only=True):
    """A group of sources."""

    name: str
    href: str


class SourceLinkView(msgspec.Struct, frozen=True, kw_only=True):
    """A source where it is named beside a post."""

    title: str
    href: str | None
    monogram: str
    hue: int
    image: str | None
    home: str | None
    extra: Mapping[str, str]


class ProfileLinkView(msgspec.Struct, frozen=True, kw_only=True):
    """A page elsewhere of whoever writes a source."""

    name: str
    href: str
    is_mail: bool


class TroubleView(msgspec.Struct, frozen=True, kw_only=True):
    """Why nothing new comes from a source."""

    reason: str
    since: MomentView | None
    final: bool


class PollsView(msgspec.Struct, frozen=True, kw_only=True):
    """How a source's feed is asked for, as of when the page was made."""

    answered: MomentView | None
    every: str | None
    next: MomentView | None
    because: str | None


class SourceView(msgspec.Struct, frozen=True, kw_only=True):
    """A source on its own page and in the list of sources."""

    title: str
    href: str
    monogram: str
    hue: int
    image: str | None
    home: str | None
    links: tuple[ProfileLinkView, ...]
    extra: Mapping[str, str]
    description: str | None
    newest: MomentView | None
    count: int
    trouble: TroubleView | None
    is_archived: bool
    quiet_since: MomentView | None
    moved_to: str | None
    tags: tuple[TagView, ...]
    posts: tuple[PostView, ...]


class PolledSourceView(msgspec.Struct, frozen=True, kw_only=True):
    """A source as operators look at it."""

    title: str
    href: str
    trouble: TroubleView | None
    is_archived: bool
    quiet_since: MomentView | None
    moved_to: str | None
    polls: PollsView | None


class LetterView(msgspec.Struct, frozen=True, kw_only=True):
    """The sources whose titles begin with it, where there are so many that they are parted."""

    name: str | None
    id: str | None
    sources: tuple[SourceView, ...]


class EnclosureView(msgspec.Struct, frozen=True, kw_only=True):
    """A file that belongs to a post."""

    kind: str
    href: str
    media_type: str | None
    title: str | None
    size: str | None
    duration: str | None


class PickedView(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of an episode because it was picked."""

    note: str | None
    published: MomentView | None


class ListNameView(msgspec.Struct, frozen=True, kw_only=True):
    """A list that episodes are picked for."""

    name: str
    title: str


class PickView(msgspec.Struct, frozen=True, kw_only=True):
    """How an episode is picked from its source's page, and put back."""

    episode: str
    token: str | None
    lists: tuple[ListNameView, ...]
    picked_for: tuple[ListNameView, ...]
    link: str | None


class AnsweredView(msgspec.Struct, frozen=True, kw_only=True):
    """A post that another one answers."""

    title: str
    href: str


class PostView(msgspec.Struct, frozen=True, kw_only=True):
    """A post, as much of it as the page may show."""

    heading: str
    is_note: bool
    href: str | None
    language: str | None
    source: SourceLinkView
    authors: tuple[str, ...]
    when: MomentView
    excerpt: str | None
    content: Markup | None
    picture: str | None
    enclosures: tuple[EnclosureView, ...]
    also_in: tuple[SourceLinkView, ...]
    in_reply_to: tuple[AnsweredView, ...]
    picked: PickedView | None
    pick: PickView | None


class GroupView(msgspec.Struct, frozen=True, kw_only=True):
    """What one source has on one day, newest first."""

    source: SourceLinkView
    shown: tuple[PostView, ...]
    folded: tuple[PostView, ...]
    more: int


class DayView(msgspec.Struct, frozen=True, kw_only=True):
    """A day with its posts, by source; the source with the newest post comes first."""

    iso: str
    weekday: str
    date: str
    href: str | None
    more: int
    posts: tuple[PostView, ...]
    groups: tuple[GroupView, ...]


class PeriodView(msgspec.Struct, frozen=True, kw_only=True):
    """A month or a day in the archive."""

    name: str
    href: str


class MonthView(msgspec.Struct, frozen=True, kw_only=True):
    """A month in the list of months."""

    name: str
    short: str
    href: str
    count: int
    tint: int


class WeekdayView(msgspec.Struct, frozen=True, kw_only=True):
    """What a column of a calendar is called."""

    name: str
    short: str


class CalendarDayView(msgspec.Struct, frozen=True, kw_only=True):
    """A day in a calendar, with its page if there are posts."""

    number: int
    iso: str
    href: str | None
    count: int
    tint: int


class CalendarView(msgspec.Struct, frozen=True, kw_only=True):
    """The days of a month by weeks; where a week has days of other months, there is none."""

    name: str
    href: str | None
    weekdays: tuple[WeekdayView, ...]
    weeks: tuple[tuple[CalendarDayView | None, ...], ...]
    count: int


class YearView(msgspec.Struct, frozen=True, kw_only=True):
    """A year in the archive, its newest month first."""

    number: int
    href: str
    count: int
    months: tuple[MonthView, ...]
    columns: tuple[MonthView | None, ...]


class PodcastView(msgspec.Struct, frozen=True, kw_only=True):
    """A podcast feed of the site, as its page presents it."""

    title: str
    description: str | None
    cover: str | None
    feed: FeedLinkView


class DigestItemView(msgspec.Struct, frozen=True, kw_only=True):
    """A post as a digest tells it."""

    heading: str | None
    href: str | None
    summary: str | None


class DigestSectionView(msgspec.Struct, frozen=True, kw_only=True):
    """What a digest tells of one source."""

    title: str
    home: str | None
    items: tuple[DigestItemView, ...]


class DigestView(msgspec.Struct, frozen=True, kw_only=True):
    """What came in a day or a week."""

    date: str
    since: MomentView
    until: MomentView
    count: int
    sections: tuple[DigestSectionView, ...]


class DigestLinkView(msgspec.Struct, frozen=True, kw_only=True):
    """A digest where it is listed."""

    iso: str
    date: str
    href: str
    count: int


class LinkingPostView(msgspec.Struct, frozen=True, kw_only=True):
    """A post with what it links to."""

    post: PostView
    links: tuple[LinkedView, ...]


class LinkedView(msgspec.Struct, frozen=True, kw_only=True):
    """An address that posts link to."""

    title: str
    href: str
    place: str | None
    source: SourceLinkView | None
    count: int
    posts: tuple[PostView, ...]
