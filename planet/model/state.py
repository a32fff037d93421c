"""Memories of feeds and of their servers, from run to run."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple, Self

import msgspec

from planet.model.feed import Picks
from planet.model.fetched import Resolved
from planet.model.parsed import Hints, Profile, Timestamp


class _WordedReason(StrEnum):
    """A name for machines, and words for people."""

    words: str

    def __new__(cls, name: str, words: str) -> Self:
        """Make a reason that is equal to its name."""
        reason = str.__new__(cls, name)
        reason._value_, reason.words = name, words
        return reason


class DueReason(_WordedReason):
    """Why a feed is asked no earlier. The longest wait gives the name."""

    FLOOR = "floor", "least time between requests"
    """The least time between two requests."""
    UNCONDITIONAL = "unconditional", "no ETag (see min_interval)"
    """The server sends neither ETag nor Last-Modified: every answer is a whole one."""
    IGNORED = "ignored", "its server sends the same again"
    """The server sends the same body again and again, whatever validators it is asked with."""
    LEARNED = "learned", "its server said: less often"
    """The server once said that we come too often."""
    ADAPTIVE = "adaptive", "how often it posts"
    """The pace of posts."""
    PATTERN = "pattern", "when it posts"
    """The days and hours of posts."""
    MAX_AGE = "max_age", "lifetime of its answer"
    """The lifetime of the last answer (Cache-Control, Expires)."""
    TTL = "ttl", "its ttl"
    """RSS ttl."""
    SY = "sy", "its sy:updatePeriod"
    """RSS syndication module."""
    RELEASE = "release", "when an edition comes out"
    """Nobody wants the feed before an edition comes out."""
    BACKOFF = "backoff", "it failed"
    """A failure; each one in a row doubles the wait."""
    RETRY_AFTER = "retry_after", "its server said when"
    """The server said when to come back."""
    THROTTLED = "throttled", "its server said: too often"
    """The server said that we come too often, and not when to come back."""
    FORBIDDEN = "forbidden", "its server will not let us"
    """The server refuses."""
    NOT_FOUND = "not_found", "never found"
    """There is nothing at the address, and never was."""
    REJECTED = "rejected", "its server refuses the request"
    """The server finds something wrong with the request, or we with the size of the answer."""
    HOST = "host_cooldown", "its server is left alone"
    """The server is to be left alone, because of another feed there."""
    OUTAGE = "outage", "nothing could be reached"
    """Nothing could be reached from here at all."""
    GIVEN_UP = "given_up", "given up"
    """Given up."""


class GivenUp(_WordedReason):
    """Why a feed is not asked any more until the operator says so."""

    GONE = "gone", "gone"
    """410: taken away by the publisher on purpose."""
    NOT_FOUND = "not_found", "not found for weeks"
    """404 for weeks."""
    FORBIDDEN = "forbidden", "forbidden for weeks"
    """401, 403 and their like for weeks."""
    REJECTED = "rejected", "refused for weeks"
    """Another 4xx for weeks."""
    EXPIRED = "expired", "will never change again"
    """The feed itself says that there will be no change."""


class Moved(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where permanent redirects lead."""

    to: str
    since: Timestamp
    """The first successful attempt that led there."""
    times: int = 1
    """Successful attempts that led there, in a row."""
    adopted: bool = False
    """Requests go there directly, and no longer to the configured address."""


class Failure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A failed attempt."""

    at: Timestamp
    error: str = msgspec.field(name="kind")
    """The kind of the `FeedError`."""
    message: str


class Day(NamedTuple):
    """The cost of a feed for the publisher in a day (UTC)."""

    number: int
    """The proleptic Gregorian ordinal of the date."""
    asked: int = 0
    failed: int = 0
    received: int = 0
    """Bytes of bodies, on the wire."""


class Health(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The attempts at a feed since the first one, redirects not counted."""

    whole: int = 0
    """Answers with a body."""
    unchanged: int = 0
    """304."""
    failed: int = 0
    throttled: int = 0
    """429."""
    response_time: timedelta | None = None
    """Until the last answer was complete."""
    days: tuple[Day, ...] = ()
    """Those of the last 30 with a request, oldest first."""


class FeedState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Knowledge of a feed from earlier runs."""

    key: str
    url: str
    profile: Profile | None = None
    processed_hash: str | None = None
    """`body_hash` of the body the stored entries were made from."""
    reader: str | None = None
    """The version of the parser that made them."""
    picks: Picks = Picks.ALSO
    """What of that body was kept: entries, or only episodes to be picked."""
    attempted_at: Timestamp | None = None
    """Written before a request is sent."""
    settled_at: Timestamp | None = None
    """Written last, when everything the attempt brought is stored."""
    due_at: Timestamp | None = None
    """None before the first request, and when the feed is given up."""
    due_reason: DueReason | None = None
    allowed_at: Timestamp | None = None
    """When all waits are over but those by the feed's own pace and by the operator's settings."""
    rests_until: Timestamp | None = None
    """The server asked to be left alone until then; not even the operator's haste shortens that."""
    status: int | None = None
    answered_url: str | None = None
    """The address that last answered, after redirects, with a body or 304; that body is on disk."""
    is_inside: bool = False
    """Whether the server that last answered, before redirects, is in a private network."""
    was_public: bool = False
    """Whether a server in the public Internet was ever asked for the feed, before redirects. From
    then on none in a private network is, until the operator changes its address in the config, or
    says that it may be asked again."""
    validators: frozenset[str] = frozenset()
    """Which validators that body came with: `etag`, `last-modified`."""
    fresh_for: timedelta | None = None
    """How long that answer may be used from arrival (RFC 9111 §4.2)."""
    succeeded_at: Timestamp | None = None
    whole_at: Timestamp | None = None
    """When a whole body last came, the first of equal ones or not."""
    audited_at: Timestamp | None = None
    """When the last attempt without validators began although there were some, to see that a server
    which says 304 for months still means it."""
    changed_at: Timestamp | None = None
    """When an entry was last added or edited; of what the first reading found, when the last of it
    was posted, if one can tell."""
    posts: tuple[Timestamp, ...] = ()
    """When the last entries were posted, as far as one can tell, oldest first."""
    identical: int = 0
    """Conditional requests in a row that brought the body that was already there."""
    etag_broken_until: Timestamp | None = None
    """Until then requests name Last-Modified alone, because the ETag never matches."""
    learned_floor: timedelta | None = None
    """The least time between two requests, as learned from 429s of the server."""
    throttled_at: Timestamp | None = None
    """When `learned_floor` last changed."""
    failures: int = 0
    """Failed attempts in a row."""
    failing_since: Timestamp | None = None
    strikes: int = 0
    """The last of these that had the same cause."""
    struck_since: Timestamp | None = None
    error_kind: str | None = None
    error: str | None = None
    last_failure: Failure | None = None
    """Kept when the feed is well again."""
    unreadable: str | None = None
    """Why the body with `processed_hash` could not be read as a feed."""
    unreadable_kind: str | None = None
    moved: Moved | None = None
    resolved: Resolved | None = None
    """Where the name in the config leads, for a name."""
    resolved_at: Timestamp | None = None
    given_up: GivenUp | None = None
    given_up_at: Timestamp | None = None
    health: Health = Health()

    @property
    def interrupted(self) -> bool:
        """Return whether a run was killed between asking and storing the answer."""
        if self.attempted_at is None:
            return False
        return self.settled_at is None or self.settled_at < self.attempted_at

    @property
    def hints(self) -> Hints:
        """Return the wishes of the publisher about how often to ask."""
        return self.profile.hints if self.profile else Hints()

    @property
    def adopted_url(self) -> str | None:
        """Return the address that is asked in place of the configured one."""
        return self.moved.to if self.moved is not None and self.moved.adopted else None

    @property
    def asked_url(self) -> str | None:
        """Return where requests go after a move, or for a name; None: as configured."""
        return self.resolved.url if self.resolved is not None else self.adopted_url


class HostState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Knowledge of a server of feeds."""

    host: str
    """`host:port`, as `address.server` writes it."""
    rests_until: Timestamp | None = None
    """No request is sent to the server until then."""
    throttles: int = 0
    """429s that still count; each doubles the gap between two requests."""
    throttled_at: Timestamp | None = None
    """When `throttles` last changed."""
    overloaded_feed: str | None = None
    """The key of the feed with the last 503."""
    overloaded_at: Timestamp | None = None
    overloaded_until: Timestamp | None = None
    """How long that feed waits."""
