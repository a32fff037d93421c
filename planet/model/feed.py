"""What the operator subscribes to, and whose turn it is."""

from __future__ import annotations

import re
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Protocol, TypeAlias
from urllib.parse import urlsplit

import msgspec

from planet.errors import Place
from planet.model.fetched import IncludeKind, Resolved
from planet.model.parsed import Hints, ProfileLink
from planet.model.secrets import Redactor, Secret
from planet.model.timetable import Timetable


class ContentMode(StrEnum):
    """How much of an entry is published."""

    FULL = "full"
    SUMMARY = "summary"
    TITLE = "title"


class Images(StrEnum):
    """What becomes of images in entries."""

    LAZY = "lazy"
    """Shown, and loaded only when they come into view."""
    LINKED = "linked"
    """Replaced by a link with their alternative text."""
    NONE = "none"
    """Left out; their alternative text stays."""


class Future(StrEnum):
    """What to do with an entry that is dated later than now."""

    CLAMP = "clamp"
    """File it under the moment it was first seen."""
    DROP = "drop"
    """Do not show it before its date."""
    KEEP = "keep"
    """File it under the date it claims."""


class Picks(StrEnum):
    """What of a feed is shown."""

    ALSO = "also"
    """Everything, and its episodes may be picked besides."""
    ONLY = "only"
    """The episodes that are picked; its others are not kept."""


class Field(StrEnum):
    """A part of an entry that a filter may look at."""

    TITLE = "title"
    CONTENT = "content"
    AUTHOR = "author"
    CATEGORY = "category"
    LINK = "link"
    SOURCE = "source"
    """The title of what it comes from, which only a filter that names this field looks at."""


class Timed(Protocol):
    """A regular expression of the operator's: with some texts a search for it would never end."""

    def search(self, string: str, *, timeout: float = ...) -> object:
        """Return what is found, or None.

        Raises:
            TimeoutError: it took more seconds of computing than that.
        """


class Pattern(msgspec.Struct, frozen=True, kw_only=True):
    """A word, phrase or regular expression of a filter, compiled when the config was read."""

    written: str
    """As the operator wrote it, for messages."""
    regex: re.Pattern[str] | Timed
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
        """Whether what they say of an entry depends on others."""
        return self.recent is not None or self.random is not None

    @property
    def reads_texts(self) -> bool:
        """Whether a pattern has to be held against the texts of entries."""
        patterns = (*self.include, *self.exclude)
        return any(pattern.field in (None, Field.CONTENT) for pattern in patterns)


class FetchPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """How one feed is asked for: planet-wide settings with the feed's own laid over them."""

    min_interval: timedelta = timedelta(hours=1)
    max_interval: timedelta = timedelta(hours=24)
    agreed: bool = False
    """The publisher agreed to be asked more often than once an hour."""
    whole_interval: timedelta = timedelta(hours=24)
    """The least time between two requests when every answer is a whole body, because the server
    gives no validators."""
    timeout: timedelta = timedelta(seconds=60)
    """For the whole exchange, from connecting to the last byte."""
    max_size: int = 8 * 1024 * 1024
    """Bytes on the wire; twice as many are allowed once decoded."""
    headers: tuple[tuple[str, Secret[str]], ...] = ()
    """Sent along."""
    auth: tuple[str, Secret[str]] | None = None
    """User name and password for HTTP Basic authentication."""
    releases: tuple[Timetable, ...] = ()
    """When the editions that show it bring out what is new; empty when one does so at once."""


class Feed(msgspec.Struct, frozen=True, kw_only=True):
    """A feed the operator subscribes to, with every default filled in."""

    key: str
    """Its identity in the state: the configured `id`, else its normalised address."""
    url: str
    """An absolute http, https or file address, normalised (RFC 3986 §6.2.2 and §6.2.3), or a name
    that leads to one: `acct:user@host`, `at://name`."""
    slug: str
    """The name of its folder on the site; unique in the planet, made from the config alone."""
    is_hidden: bool = False
    """Whether its address takes a part from the environment: then nobody is told it."""
    is_led: bool = False
    """Whether somebody in the public Internet says that it is there, and not the operator."""
    redactor: Redactor | None = None
    """Hides the secrets of the config; None when it has none."""
    name: str | None = None
    tags: tuple[str, ...] = ()
    link: str | None = None
    author: str | None = None
    image: str | None = None
    """The address of its picture."""
    face: Path | None = None
    """The file of its picture, which is published."""
    language: str | None = None
    links: tuple[ProfileLink, ...] = ()
    extra: tuple[tuple[str, str], ...] = ()
    """Names and texts for templates of the operator's own."""
    enabled: bool = True
    """Whether it is shown."""
    is_archived: bool = False
    """Whether its site has ended: what it said is shown, and it is not asked any more."""
    priority: int = 0
    """Higher is asked first when the time budget is short."""
    content: ContentMode = ContentMode.FULL
    images: Images = Images.LAZY
    future: Future = Future.CLAMP
    new_feed_entries: int | None = 10
    """How many entries are shown of those found the first time; None shows all."""
    picks: Picks = Picks.ALSO
    include: frozenset[IncludeKind] = frozenset()
    """What is wanted of an account besides its own posts."""
    transform: tuple[str, ...] = ()
    """The program that its new entries go through, and its arguments; empty is none."""
    filters: Filters = Filters()
    policy: FetchPolicy = FetchPolicy()
    place: Place | None = None

    @property
    def is_asked(self) -> bool:
        """Whether it is brought up to date at all."""
        return self.enabled and not self.is_archived

    @property
    def needs_login(self) -> bool:
        """Whether it is asked for with what readers do not have: a password, or headers."""
        return bool(self.policy.auth or self.policy.headers) or "@" in urlsplit(self.url).netloc

    @property
    def is_file(self) -> bool:
        """Whether the feed is read from disk rather than asked for."""
        return self.url.startswith("file:")

    @property
    def written_url(self) -> str:
        """Its address for messages to the operator; one that is hidden is called by its key.

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
    """Last-Modified alone, where there is one: an ETag goes before it, and never matches."""
    NONE = "none"


class PollRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A feed whose turn it is to be brought up to date."""

    feed: Feed
    known_hash: str | None = None
    """SHA-256 of the body whose entries are stored: these bytes need not be read again."""
    pages: bool = True
    """Whether a web page may be the feed: none was read there yet, or that was one."""
    answered_url: str | None = None
    """The address that last answered, as in `FeedState`."""
    adopted_url: str | None = None
    """Where its publisher moved it for good: asked in place of the feed's own address."""
    resolved: Resolved | None = None
    """Where its name is known to lead."""
    was_public: bool = False
    """As in `FeedState`: it is asked for in the public Internet only."""
    conditions: Conditions = Conditions.ALL
    hints: Hints = Hints()
    """What the feed says of when not to ask, as far as it is heeded this time."""

    @property
    def url(self) -> str:
        """Where to ask."""
        resolved = self.resolved and self.resolved.url
        return resolved or self.adopted_url or self.feed.url


OptionValue: TypeAlias = str | bool | int | float
"""What an option of a theme may be."""


class IssueKind(StrEnum):
    """What is the matter with a feed. An operator is told anew when it becomes another."""

    MOVED = "moved"
    """Its address leads to another one, for good."""
    GONE = "gone"
    """Its publisher took it away."""
    GIVEN_UP = "given_up"
    """It is not asked any more, for another reason."""
    ENDED = "ended"
    """It says that it will never change again."""
    NEVER_WORKED = "never_worked"
    """There is nothing at its address, and never was."""
    NOT_FOUND = "not_found"
    """There is nothing at its address any more."""
    PASSWORD = "password"  # noqa: S105 - the word, not one
    """Its server wants a user name and a password, or others than it got."""
    FORBIDDEN = "forbidden"
    """Its server will not let us have it."""
    CHALLENGE = "challenge"
    """Something in front of its server lets browsers pass only."""
    THROTTLED = "throttled"
    """Its server says that we come too often."""
    REJECTED = "rejected"
    """Its server finds something wrong with the request."""
    CERTIFICATE = "certificate"
    """Its server cannot prove to be the one that is meant."""
    HOST_NAME = "host_name"
    """There is no server of that name."""
    REDIRECT = "redirect"
    """It is redirected to where nobody can follow."""
    FILE = "file"
    """It is a file, and cannot be read."""
    PAGE = "page"
    """What is at its address is no feed."""
    TOO_LARGE = "too_large"
    """Its answer is larger than allowed."""
    UNREADABLE = "unreadable"
    """It is too damaged to be read, or empty."""
    DOWN = "down"
    """Its server has a problem of its own, or cannot be reached."""
    VALIDATORS = "validators"
    """Its server sends the same again and again, whatever validators it is asked with."""

    @property
    def can_wait(self) -> bool:
        """Whether the feed is in no trouble, so that nobody need be called."""
        return self in {IssueKind.ENDED, IssueKind.VALIDATORS}


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """What to do about a feed."""

    concern: IssueKind
    words: str
    """A sentence or two for the operator, in plain text on one line."""
