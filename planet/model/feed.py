"""Subscriptions of the operator, and turns of feeds."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias
from urllib.parse import unquote, urlsplit

import msgspec

from planet.errors import Place
from planet.model.fetched import IncludeKind, Resolved
from planet.model.parsed import ProfileLink
from planet.model.secrets import Redactor, Secret
from planet.model.timetable import Timetable


class ContentMode(StrEnum):
    """How much of an entry is published."""

    FULL = "full"
    SUMMARY = "summary"
    TITLE = "title"


class Images(StrEnum):
    """The fate of images in entries."""

    LAZY = "lazy"
    """Shown, and loaded only when they come into view."""
    LINKED = "linked"
    """Replaced by a link with their alternative text."""
    NONE = "none"
    """Left out; their alternative text stays."""


class Future(StrEnum):
    """The fate of an entry dated later than now."""

    CLAMP = "clamp"
    """Filed under the moment of first sight."""
    DROP = "drop"
    """Hidden before that date."""
    KEEP = "keep"
    """Filed under that date."""


class Picks(StrEnum):
    """The entries of a feed that are shown."""

    ALSO = "also"
    """All entries; episodes may be picked besides."""
    ONLY = "only"
    """Picked episodes; others are not kept."""


class Field(StrEnum):
    """A part of an entry that a filter may look at."""

    TITLE = "title"
    CONTENT = "content"
    AUTHOR = "author"
    CATEGORY = "category"
    LINK = "link"
    SOURCE = "source"
    """The title of the source, searched only by a filter that names this field."""


class Pattern(msgspec.Struct, frozen=True, kw_only=True):
    """A word, phrase or regular expression of a filter, compiled when the config was read."""

    written: str
    """As written by the operator, for messages."""
    regex: Any
    """Of `re`, or of the library `regex`, whose searches can time out."""
    field: Field | None = None
    """The part of the entry to search; None searches all of them."""


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """Which entries are wanted."""

    include: Annotated[tuple[Pattern, ...], "pattern"] = ()
    """Only entries that match one of these are wanted."""
    exclude: Annotated[tuple[Pattern, ...], "pattern"] = ()
    """Entries that match one of these are not wanted."""
    languages: tuple[Annotated[str, "language tag"], ...] = ()
    """Entries known to be in another language are not wanted; `pt` lets `pt-BR` pass."""
    max_age: Annotated[timedelta | None, "period"] = None
    """Older entries are not wanted."""
    recent: Annotated[int | None, "count"] = None
    """Only the newest so many are wanted."""
    random: Annotated[int | None, "count"] = None
    """Only so many, drawn by lot; the same ones until new entries come."""

    @property
    def counts(self) -> bool:
        """Whether their decision about an entry depends on others."""
        return self.recent is not None or self.random is not None

    @property
    def reads_texts(self) -> bool:
        """Whether a pattern has to be held against the texts of entries."""
        patterns = (*self.include, *self.exclude)
        return any(pattern.field in (None, Field.CONTENT) for pattern in patterns)


class FetchLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How often and how long a feed is asked, and for how much."""

    min_interval: Annotated[timedelta, "duration"] = timedelta(hours=1)
    """The least time between two requests for one feed; less than 1h only with `agreed: true`.
    Without ETag and Last-Modified it is 1d, or that of the feed itself."""
    max_interval: Annotated[timedelta, "period"] = timedelta(hours=24)
    """The longest wait of a working feed that asks for no more; three times as long after half a
    year without news."""
    agreed: bool = False
    """The publisher agreed to be asked more often than once an hour."""
    timeout: Annotated[timedelta, "period"] = timedelta(seconds=60)
    """How long one request may take, from connecting to the last byte."""
    max_size: Annotated[int, "size"] = 8 * 1024 * 1024
    """The largest answer that is read, as sent; unpacked it may be twice as large."""


class FetchPolicy(FetchLimits, frozen=True, kw_only=True):
    """How one feed is asked for: planet-wide settings with the feed's own laid over them."""

    whole_interval: timedelta = timedelta(hours=24)
    """The least time between two requests when every answer is a whole body, because the server
    gives no validators."""
    headers: tuple[tuple[str, Secret[str]], ...] = ()
    """Sent along."""
    auth: tuple[str, Secret[str]] | None = None
    """User name and password for HTTP Basic authentication."""
    releases: tuple[Timetable, ...] = ()
    """The release times of the editions that show the feed; empty when one publishes at once."""


class Feed(msgspec.Struct, frozen=True, kw_only=True):
    """A feed the operator subscribes to, with every default filled in."""

    key: str
    """The identity in the state: the configured `id`, else the normalised address."""
    url: str
    """An absolute http, https or file address, normalised (RFC 3986 §6.2.2 and §6.2.3), or a name
    that leads to one: `acct:user@host`, `at://name`."""
    slug: str
    """The name of the folder on the site; unique in the planet, made from the config alone."""
    is_hidden: bool = False
    """Whether the address takes a part from the environment, and is told to nobody."""
    is_led: bool = False
    """Whether the feed was named by somebody in the public Internet, and not by the operator."""
    redactor: Redactor | None = None
    """Hides the secrets of the config; None without secrets."""
    name: str | None = None
    tags: tuple[str, ...] = ()
    link: str | None = None
    author: str | None = None
    image: str | None = None
    """The address of the picture."""
    face: Path | None = None
    """The file of the picture, which is published."""
    language: str | None = None
    links: tuple[ProfileLink, ...] = ()
    extra: tuple[tuple[str, str], ...] = ()
    """Names and texts for templates of the operator's own."""
    enabled: bool = True
    """Whether entries are shown."""
    is_archived: bool = False
    """Whether the site has ended: entries are shown, and no request is sent any more."""
    priority: int = 0
    """Higher is asked first when the time budget is short."""
    content: ContentMode = ContentMode.FULL
    images: Images = Images.LAZY
    future: Future = Future.CLAMP
    new_feed_entries: int | None = 10
    """How many entries are shown of those found the first time; None shows all."""
    picks: Picks = Picks.ALSO
    include: frozenset[IncludeKind] = frozenset()
    """Posts of an account that are wanted besides the account's own."""
    transform: tuple[str, ...] = ()
    """The program for new entries, with arguments; empty is none."""
    filters: Filters = Filters()
    policy: FetchPolicy = FetchPolicy()
    place: Place | None = None

    @property
    def is_asked(self) -> bool:
        """Return whether the feed is ever asked for."""
        return self.enabled and not self.is_archived

    @property
    def needs_login(self) -> bool:
        """Return whether requests carry a password or headers, which readers do not have."""
        return bool(self.policy.auth or self.policy.headers) or "@" in urlsplit(self.url).netloc

    @property
    def path(self) -> Path:
        """The path of a feed that is a file."""
        return Path(unquote(urlsplit(self.url).path))

    @property
    def is_file(self) -> bool:
        """Whether the feed is read from disk rather than asked for."""
        return self.url.startswith("file:")

    @property
    def written_url(self) -> str:
        """Return the address for messages to the operator; the key of a hidden one.

        That is what the config says, before anything is taken from the environment.
        """
        return self.key if self.is_hidden else self.url

    def redact(self, address: str) -> str:
        """Return an address that the feed led to without the config's secrets, for messages."""
        return self.redactor.hide(address) if self.redactor else address


class Conditions(StrEnum):
    """Which of the stored validators a request names."""

    ALL = "all"
    DATE = "date"
    """Return Last-Modified alone, where there is one: an ETag goes first, and never matches."""
    NONE = "none"


class PollRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A feed that is due."""

    feed: Feed
    known_hash: str | None = None
    """SHA-256 of the body whose entries are stored: these bytes need not be read again."""
    pages: bool = True
    """Whether a web page may be the feed: none was read there yet, or that was one."""
    answered_url: str | None = None
    """The address that last answered, as in `FeedState`."""
    adopted_url: str | None = None
    """The address to which the publisher moved the feed for good, asked in place of the feed's
    own."""
    resolved: Resolved | None = None
    """Where the name is known to lead."""
    was_public: bool = False
    """As in `FeedState`: the feed is asked for in the public Internet only."""
    conditions: Conditions = Conditions.ALL

    @property
    def url(self) -> str:
        """Where to ask."""
        resolved = self.resolved and self.resolved.url
        return resolved or self.adopted_url or self.feed.url


OptionValue: TypeAlias = str | bool | int | float
"""The values of an option of a theme."""


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """Advice about a feed."""

    concern: str
    """The trouble: a kind of error, or another word of `planet.schedule.health`. The operator is
    told anew of each change."""
    words: str
    """A sentence or two for the operator, in plain text on one line."""


CAN_WAIT = frozenset({"expired", "ignored"})
"""The concerns of feeds in no trouble, for which nobody need be called."""
