"""Results of asking feeds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import msgspec

from planet.errors import FeedError, FetchError
from planet.model.parsed import WebAddress

if TYPE_CHECKING:
    from planet.model.feed import Feed


R = TypeVar("R")


WHOLE = frozenset({200, 203})
"""The statuses of an answer that is the whole feed, whether or not something on the way has changed
it (RFC 9110 §15.3.1, §15.3.4)."""


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """Results of asking feeds. `error` says why when nothing usable came."""

    started: datetime
    ended: datetime
    url: str
    """The address that answered, after redirects."""
    status: int | None = None
    """The HTTP status; None for a file, for a body taken from disk, or when nothing answered."""
    headers: Mapping[str, str] = {}
    """Response headers that later stages read; names in lower case."""
    body: bytes | None = None
    """The decoded body, where it differs from the one read last, or has to be read again."""
    body_hash: str | None = None
    """SHA-256 of the decoded body in hex; None when no body was looked at."""
    permanent_url: str | None = None
    """Where a leading run of 301 and 308 led, if there was one."""
    conditional: bool = False
    """Whether validators were sent with the request that was answered."""
    validators: frozenset[str] = frozenset()
    """Which validators the body on disk has after this answer: `etag`, `last-modified`."""
    resolved: Resolved | None = None
    """The resolution of a name, as far as learned; None when nothing was."""
    same_etag: bool = False
    """The answer is a 200 with the very ETag that the request named."""
    cut_off: bool = False
    """The document breaks off, on a connection that could not tell: the one on disk was kept."""
    is_public: bool | None = None
    """Whether the server that was asked first is in the public Internet, whatever it answered; None
    where nobody here knows."""
    bytes_received: int = 0
    """Of the bodies, on the wire."""
    response_time: timedelta | None = None
    """Spent on the exchanges, waits between them not counted; None when nobody was asked."""
    asked: bool = True
    """False when the body was taken from disk without asking anyone."""
    error: FetchError | None = None

    @property
    def is_whole(self) -> bool:
        """Return whether the whole feed was sent, and no "not modified"."""
        return self.status in WHOLE


class PolledFeed(NamedTuple):
    """A feed that was asked, with the result."""

    feed: Feed
    fetched: Fetched


class PollResult(NamedTuple, Generic[R]):
    """A feed that was asked, with the result and the reading."""

    feed: Feed
    fetched: Fetched
    result: R | FeedError | None
    """None where there is no body, or nobody wanted it read."""


class IncludeKind(StrEnum):
    """Posts of an account besides the own ones, left out unless wanted."""

    REPLIES = "replies"
    """Answers to others; answers to itself are posts."""
    BOOSTS = "boosts"
    """Posts of others, passed on."""


class Step(StrEnum):
    """The requests on the way from a name to posts."""

    FEED = "feed"
    """A feed at the own address, which has the posts as a rule."""
    ACCOUNT = "account"
    """WebFinger (RFC 7033): who is that?"""
    ACTOR = "actor"
    """ActivityPub §4.1: where is their outbox?"""
    OUTBOX = "outbox"
    """ActivityPub §5.1: where is its first page?"""
    PAGE = "page"
    """A page of the outbox."""
    HANDLE = "handle"
    """AT Protocol: whose handle is that?"""
    POSTS = "posts"
    """AT Protocol: what did they post?"""

    @property
    def is_last(self) -> bool:
        """Whether the answer has the posts themselves."""
        return self in (Step.FEED, Step.PAGE, Step.POSTS)

    @property
    def may_have_posts(self) -> bool:
        """Whether the answer may have the posts themselves; an outbox has them or names a page."""
        return self.is_last or self is Step.OUTBOX

    @property
    def may_be_signed(self) -> bool:
        """Return whether requests on this step are signed where there is a key."""
        return self in (Step.ACTOR, Step.OUTBOX, Step.PAGE)

    @property
    def label(self) -> str | None:
        """Return the step for an error, to be followed by the server's name; None at the posts."""
        return {
            Step.ACCOUNT: "WebFinger of",
            Step.ACTOR: "actor at",
            Step.OUTBOX: "outbox at",
            Step.HANDLE: "handle asked for at",
        }.get(self)


class Resolved(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The address of a name's posts, and the profile met on the way; untrusted."""

    url: WebAddress
    """The address whose answers are the posts."""
    name: str | None = None
    page: WebAddress | None = None
    image: WebAddress | None = None
    did: str | None = None
    """AT Protocol: the identity, whatever the handle is now."""
    moved_to: str | None = None
    """The actor that follows, by the account's own word."""


class Lead(msgspec.Struct, frozen=True, kw_only=True):
    """A request that brings one nearer to the posts of a name, or the posts themselves."""

    step: Step
    url: str
    accept: str
    """The header Accept."""
    about: Resolved | None = None
    """The resolution so far; None at the beginning."""
