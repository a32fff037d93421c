"""The nouns that pass between stages.

Frozen values throughout: tuples, aware datetimes in UTC, absence is `None` and never a guess.
Names follow RFC 4287 (Atom), JSON Feed 1.1 and RSS 2.0 where these have a word for the thing.

Two kinds of text never mix: `Text` is what a feed sent, untrusted; `Html` went through
`planet.content` and may be put into a page. Every plain `str` is plain text and is escaped where
it is written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NewType, Protocol

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping, Sequence
    from zoneinfo import ZoneInfo

    from planet.errors import FetchError

Html = NewType("Html", str)
"""HTML that `planet.content` has cleaned: safe in a page and in a feed."""


# What the operator subscribes to


class ContentMode(StrEnum):
    """How much of an entry is published."""

    FULL = "full"
    SUMMARY = "summary"
    TITLE = "title"


class Future(StrEnum):
    """What to do with an entry that is dated later than now."""

    CLAMP = "clamp"
    """File it under the moment it was first seen."""
    DROP = "drop"
    """Do not show it before its date."""
    KEEP = "keep"
    """File it under the date it claims."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in a file the operator wrote; lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Field(StrEnum):
    """A part of an entry that a filter may look at."""

    TITLE = "title"
    CONTENT = "content"
    AUTHOR = "author"
    CATEGORY = "category"
    LINK = "link"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A word, phrase or regular expression of a filter, compiled when the config was read."""

    said: str
    """As the operator wrote it, for messages."""
    regex: re.Pattern[str]
    field: Field | None = None
    """The part of the entry to search; None searches all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which entries of a feed, or of the planet, are wanted. Nothing set wants everything."""

    include: tuple[Pattern, ...] = ()
    """When not empty, an entry must match one of these."""
    exclude: tuple[Pattern, ...] = ()
    """An entry that matches one of these is not wanted."""
    categories: tuple[str, ...] = ()
    """When not empty, an entry must have one of these categories (compared case-folded)."""
    languages: tuple[str, ...] = ()
    """When not empty, the entry's language, if known, must begin with one of these tags."""
    max_age: timedelta | None = None
    recent: int | None = None
    """Only the newest so many."""
    random: int | None = None
    """Only so many, drawn by lot; the same ones until new entries come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How one feed is asked for: planet-wide settings with the feed's own laid over them."""

    min_interval: timedelta = timedelta(hours=1)
    max_interval: timedelta = timedelta(hours=24)
    agreed: bool = False
    """The publisher agreed to be asked more often than once an hour."""
    timeout: timedelta = timedelta(seconds=60)
    """For the whole exchange, from connecting to the last byte."""
    max_size: int = 8 * 1024 * 1024
    """Bytes on the wire; twice as many are allowed once decoded."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Sent along; not shown anywhere, because secrets are among them."""
    auth: tuple[str, str] | None = field(default=None, repr=False)
    """User name and password for HTTP Basic authentication."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed the operator subscribes to, with every default filled in."""

    key: str
    """Its identity in the state: the configured `id`, else its normalised address."""
    url: str
    """An absolute http, https or file address, normalised (RFC 3986 §6.2.2 and §6.2.3)."""
    slug: str
    """The name of its folder on the site; unique in the planet, made from the config alone."""
    name: str | None = None
    tags: tuple[str, ...] = ()
    link: str | None = None
    author: str | None = None
    image: str | None = None
    language: str | None = None
    enabled: bool = True
    priority: int = 0
    """Higher is asked first when the time budget is short."""
    content: ContentMode = ContentMode.FULL
    future: Future = Future.CLAMP
    new_feed_entries: int | None = 10
    """How many entries are shown of those found the first time; None shows all."""
    filters: Filters = Filters()
    asking: Asking = Asking()
    place: Place | None = None

    @property
    def is_file(self) -> bool:
        """Whether the feed is read from disk rather than asked for."""
        return self.url.startswith("file:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A feed whose turn it is to be brought up to date."""

    feed: Feed
    known_hash: str | None = None
    """SHA-256 of the body whose entries are stored: these bytes need not be read again."""
    reread: bool = False
    """The stored body may be another than that: look at it even when it is not modified."""
    answered_url: str | None = None
    """The address that last answered with a body, if it was not the feed's own."""


# What asking brought


class Outcome(StrEnum):
    """What became of one attempt to bring a feed up to date."""

    NEW = "new"
    """A body arrived that differs from the one processed last, or has to be processed again."""
    SAME = "same"
    """304, or the very bytes that were processed before."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What asking one feed brought. `error` says why when nothing usable came."""

    started: datetime
    ended: datetime
    url: str
    """The address that answered, after redirects."""
    status: int | None = None
    """The HTTP status; None for a file, for a body taken from disk, or when nothing answered."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Response headers that later stages read; names in lower case."""
    body: bytes | None = None
    """The decoded body, only when the outcome is NEW."""
    body_hash: str | None = None
    """SHA-256 of the decoded body in hex; None when no body was looked at."""
    permanent_url: str | None = None
    """Where a leading run of 301 and 308 led, if there was one."""
    bytes_received: int = 0
    """Of the bodies, on the wire."""
    asked: bool = True
    """False when the body was taken from disk without asking anyone."""
    error: FetchError | None = None

    @property
    def outcome(self) -> Outcome:
        """What became of it, as far as fetching goes."""
        if self.error is not None:
            return Outcome.FAILED
        return Outcome.NEW if self.body is not None else Outcome.SAME


# What a feed says: untrusted


class TextKind(StrEnum):
    """How a feed's text is to be read."""

    TEXT = "text"
    HTML = "html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Text as a feed sent it: untrusted, links still relative."""

    value: str
    kind: TextKind = TextKind.TEXT
    base: str | None = None
    """The absolute address its relative links are resolved against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Someone who made something. At least one field is set. Mail addresses are not kept."""

    name: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """A file that belongs to an entry: RSS enclosure, Atom rel=enclosure, JSON Feed attachment."""

    url: str
    """An absolute http or https address, verbatim."""
    media_type: str | None = None
    length: int | None = None
    """Size in bytes; None when unknown (0 in a feed means unknown)."""
    duration: int | None = None
    """Seconds."""
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A transcript of an episode (podcast:transcript)."""

    url: str
    media_type: str
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """What podcasting adds to an entry (iTunes and Podcasting 2.0 namespaces)."""

    number: int | None = None
    season: int | None = None
    kind: str | None = None
    """`full`, `trailer` or `bonus`."""
    explicit: bool | None = None
    chapters: str | None = None
    transcripts: tuple[Transcript, ...] = ()
    persons: tuple[Person, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where an entry was first published, as its feed says (atom:source, RSS source)."""

    id: str | None = None
    title: str | None = None
    link: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What a publisher says about how often to ask. They only ever lengthen the wait."""

    ttl: timedelta | None = None
    """RSS ttl."""
    sy: timedelta | None = None
    """sy:updatePeriod divided by sy:updateFrequency."""
    skip_hours: frozenset[int] = frozenset()
    """Hours of the day, UTC, 0 to 23."""
    skip_days: frozenset[int] = frozenset()
    """Days of the week, UTC, Monday is 0."""
    expired: bool = False
    """JSON Feed: it will never change again."""
    hubs: tuple[str, ...] = ()
    """WebSub hubs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedEntry:
    """An entry as its feed says it."""

    id: str
    """The feed's own id where it has one that is unique in the feed, else a fall-back that stays
    the same as long as the entry does (link, else a hash of title, date and text)."""
    link: str | None = None
    title: Text | None = None
    summary: Text | None = None
    content: Text | None = None
    authors: tuple[Person, ...] = ()
    categories: tuple[str, ...] = ()
    published: datetime | None = None
    updated: datetime | None = None
    enclosures: tuple[Enclosure, ...] = ()
    image: str | None = None
    comments: str | None = None
    rights: str | None = None
    origin: Origin | None = None
    language: str | None = None
    episode: Episode | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a feed says about itself, in plain text and absolute addresses."""

    format: str
    """`rss20`, `atom10`, `json11`, …: feedparser's words, and `json10`, `json11`."""
    id: str | None = None
    title: str | None = None
    link: str | None = None
    description: str | None = None
    author: str | None = None
    image: str | None = None
    language: str | None = None
    rights: str | None = None
    updated: datetime | None = None
    categories: tuple[str, ...] = ()
    explicit: bool | None = None
    hints: Hints = Hints()


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedFeed:
    """A whole feed as it says it: entries in the order of the document, ids unique."""

    profile: Profile
    entries: tuple[ParsedEntry, ...] = ()
    notes: tuple[str, ...] = ()
    """What was odd, in words for the operator; never a reason to refuse the feed."""


# What Planet keeps: clean


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An entry made clean, before the store has met it."""

    id: str
    digest: str
    """Hex digest of everything the source said; it changes when the entry is edited."""
    link: str | None = None
    """An absolute http or https address."""
    title: str | None = None
    """Plain text on one line."""
    summary: str | None = None
    """Plain text on one line, an excerpt."""
    content: Html | None = None
    """Clean HTML with absolute addresses; None when the entry has no text or is not cleaned yet."""
    raw: Text | None = None
    """What `content` is made from, so that it can be made later, or again by a better cleaner."""
    cleaning: str | None = None
    """The version of the cleaner that made `content`."""
    rank: int | None = None
    """As in `Entry`."""
    authors: tuple[Person, ...] = ()
    categories: tuple[str, ...] = ()
    published: datetime | None = None
    updated: datetime | None = None
    enclosures: tuple[Enclosure, ...] = ()
    image: str | None = None
    comments: str | None = None
    rights: str | None = None
    origin: Origin | None = None
    language: str | None = None
    episode: Episode | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a feed's body came to: all that is new or edited in it, clean."""

    profile: Profile
    drafts: tuple[Draft, ...]
    """Entries that are new, or whose digest is not the one known before, in document order."""
    ids: tuple[str, ...]
    """The ids of all entries in the document, in its order."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a reading added to the store."""

    added: int = 0
    edited: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry as it is kept: clean, dated, without its text (`Contents` has that)."""

    number: int
    """Its number in the store; never used again for another entry."""
    feed: str
    """The key of its feed."""
    id: str
    digest: str
    first_seen: datetime
    changed_at: datetime
    """When its present form was first seen: `first_seen`, or the last edit."""
    dated: datetime
    """What it claimed when first seen, else `first_seen`; a later edit does not move it."""
    rank: int | None = None
    """Its place, newest first, among the entries of its feed's first reading; None if it came
    later. `new_feed_entries` is held against it."""
    link: str | None = None
    title: str | None = None
    summary: str | None = None
    authors: tuple[Person, ...] = ()
    categories: tuple[str, ...] = ()
    published: datetime | None = None
    updated: datetime | None = None
    enclosures: tuple[Enclosure, ...] = ()
    image: str | None = None
    comments: str | None = None
    rights: str | None = None
    origin: Origin | None = None
    language: str | None = None
    episode: Episode | None = None

    def filed(self, future: Future) -> datetime:
        """The moment to file it under: as dated, but never later than we met it.

        Feeds date posts in the future, by mistake or to stay on top; `future` says whether the
        feed is believed. The moment does not move when the entry is edited.
        """
        if self.dated <= self.first_seen or future is not Future.CLAMP:
            return self.dated
        return self.first_seen

    @property
    def heading(self) -> str:
        """What to call it: its title, else its first words, else where it is."""
        if self.title:
            return self.title
        if self.summary:
            words = self.summary.split()
            return " ".join(words[:12]) + ("…" if len(words) > 12 else "")
        return self.link or self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What is known of a feed from earlier runs."""

    key: str
    url: str
    profile: Profile | None = None
    processed_hash: str | None = None
    """`body_hash` of the body the stored entries were made from."""
    reader: str | None = None
    """The version of the parser that made them."""
    attempted_at: datetime | None = None
    """Written before a request is sent."""
    settled_at: datetime | None = None
    """Written last, when everything the attempt brought is stored."""
    due_at: datetime | None = None
    due_reason: str | None = None
    status: int | None = None
    answered_url: str | None = None
    """The address whose answer is on disk, after redirects."""
    succeeded_at: datetime | None = None
    changed_at: datetime | None = None
    """When an entry was last added or edited."""
    failures: int = 0
    """Failed attempts in a row."""
    failing_since: datetime | None = None
    error_kind: str | None = None
    error: str | None = None
    unreadable: bool = False
    """The body with `processed_hash` came, but could not be read as a feed."""
    moved_to: str | None = None

    @property
    def interrupted(self) -> bool:
        """Whether a run was killed between asking and storing what came."""
        if self.attempted_at is None:
            return False
        return self.settled_at is None or self.settled_at < self.attempted_at


class Contents(Protocol):
    """Gives the clean text of entries by their numbers; entries without text are left out."""

    def __call__(self, numbers: Sequence[int]) -> Mapping[int, Html]:
        """The texts of the entries with these numbers."""


# What an edition shows


class Images(StrEnum):
    """What becomes of images in entries."""

    LAZY = "lazy"
    """Shown, and loaded only when they come into view."""
    LINKED = "linked"
    """Replaced by a link with their alternative text."""
    NONE = "none"
    """Left out; their alternative text stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """How much the pages and feeds of a site hold."""

    front: int = 60
    """Posts on the front page."""
    feed: int = 60
    """Entries in the planet's own feeds."""
    source: int = 20
    """Posts on a source's page and entries in its feeds."""
    images: Images = Images.LAZY
    indexing: bool = False
    """Whether search engines may index the site."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Who runs the planet."""

    name: str | None = None
    email: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A feed as an edition shows it: the operator's words before the feed's own."""

    key: str
    slug: str
    url: str
    title: str
    id: str | None = None
    link: str | None = None
    description: str | None = None
    author: str | None = None
    image: str | None = None
    language: str | None = None
    rights: str | None = None
    explicit: bool | None = None
    tags: tuple[str, ...] = ()
    content: ContentMode = ContentMode.FULL
    newest: datetime | None = None
    """The date of its newest post in the edition; not told with a post."""
    count: int = 0
    """How many posts of it the edition has; not told with a post."""
    trouble: str | None = None
    """What is wrong with it, in words, when it has failed three times in a row."""
    trouble_since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """An entry as an edition shows it."""

    entry: Entry
    source: Source
    uid: str
    """Its id in every feed that comes out: an absolute IRI."""
    when: datetime
    """The moment it is filed under, UTC."""
    day: date
    """The day of `when` in the edition's time zone."""
    also_in: tuple[Source, ...] = ()
    """Other sources that carry the same entry."""
    fingerprint: str = ""
    """Changes whenever anything that is shown of the post does."""

    @property
    def modified(self) -> datetime:
        """When it last changed, as far as its source says; never before `when`."""
        # Feeds date edits in the future, too: what is certain is when the present form was seen.
        updated = min(self.entry.updated or self.when, self.entry.changed_at)
        return max(self.when, updated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """Everything one site is made from: posts newest first, sources by title."""

    title: str
    link: str | None = None
    """The address the site is published at, ending in a slash; None when not configured."""
    description: str | None = None
    owner: Owner = Owner()
    language: str = "en"
    timezone: ZoneInfo
    posts: tuple[Post, ...] = ()
    sources: tuple[Source, ...] = ()
    keeps_until: datetime | None = None
    """When the same entries would make another edition (an entry gets too old, or comes due)."""

    @property
    def updated(self) -> datetime:
        """The newest change in it; a fixed date in the past when it is empty."""
        return max((post.modified for post in self.posts), default=datetime(2000, 1, 1, tzinfo=UTC))


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file of the site that can be made.

    Equal fingerprints promise equal bytes, so a file that is there with the fingerprint it was made
    with need not be made again.
    """

    path: str
    """Relative to the output folder, with forward slashes."""
    fingerprint: str
    make: Callable[[], bytes]
