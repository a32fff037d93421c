"""Feeds as parsed: untrusted, links in texts still relative."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, TypeAlias

import msgspec

# The texts in annotations are for `planet.config`: nouns that a file of the operator may hold are
# read from it as they are, see `planet.config.sections`.
Timestamp: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True), "moment"]
"""A moment in UTC; none without a time zone is decoded."""
WebAddress: TypeAlias = Annotated[
    str, msgspec.Meta(pattern="^[Hh][Tt][Tt][Pp][Ss]?://"), "verbatim address"
]
"""An absolute http or https address. No other is decoded: it would be on the site as a link, a
picture or a file, whoever put it into the state."""


class TextKind(StrEnum):
    """How a feed's text is to be read."""

    TEXT = "text"
    HTML = "html"


class Text(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Text of a feed: untrusted, links still relative."""

    short: ClassVar = "value"
    value: Annotated[str, "verbatim"]
    kind: Annotated[TextKind, "named type"] = TextKind.TEXT
    base: Annotated[str | None, "web address"] = None
    """The absolute address against which relative links are resolved."""


class Person(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Someone who made something. At least one field is set. Mail addresses are not kept."""

    short: ClassVar = "name"
    name: str | None = None
    url: WebAddress | None = None


class Enclosure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file of an entry: RSS enclosure, Atom rel=enclosure, JSON Feed attachment."""

    short: ClassVar = "url"
    url: WebAddress
    """An absolute http or https address, verbatim."""
    media_type: Annotated[str | None, "named type"] = None
    length: Annotated[int | None, "count"] = None
    """Size in bytes; None when unknown (0 in a feed means unknown)."""
    duration: int | None = None
    """Seconds."""
    title: str | None = None


class Transcript(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A transcript of an episode (podcast:transcript)."""

    url: WebAddress
    media_type: Annotated[str, "named type"]
    language: Annotated[str | None, "language tag"] = None


class Funding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A page where listeners can pay (podcast:funding)."""

    url: WebAddress
    title: str | None = None
    """The title."""


EPISODE_KINDS = frozenset({"full", "trailer", "bonus"})


class Episode(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Facts of an episode (iTunes and Podcasting 2.0 namespaces)."""

    short: ClassVar = "number"
    number: int | None = None
    season: int | None = None
    kind: Annotated[str | None, "episode type", "named type"] = None
    """One of `EPISODE_KINDS`."""
    explicit: bool | None = None
    chapters: WebAddress | None = None
    transcripts: tuple[Transcript, ...] = ()
    persons: tuple[Person, ...] = ()
    funding: tuple[Funding, ...] = ()
    """The own pages to pay at, else those of the show."""


class Origin(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first feed of an entry, as told by the carrying one (atom:source)."""

    id: str | None = None
    title: str | None = None
    link: WebAddress | None = None
    """The home page."""
    url: WebAddress | None = None
    """The feed's own address."""


class Hints(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A publisher's wishes about how often to ask. They only ever lengthen the wait."""

    ttl: timedelta | None = None
    """RSS ttl."""
    sy: timedelta | None = None
    """sy:updatePeriod divided by sy:updateFrequency."""
    skip_hours: frozenset[int] = frozenset()
    """Hours of the day, UTC, 0 to 23."""
    skip_days: frozenset[int] = frozenset()
    """Days of the week, UTC, Monday is 0."""
    expired: bool = False
    """JSON Feed: the feed will never change again."""


MADE_ID = "hash:"
"""The beginning of ids made by the parser, for entries without a usable one."""


class Facts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The facts of an entry, the same from feed to page."""

    link: WebAddress | None = None
    """An absolute http or https address."""
    authors: tuple[Person, ...] = ()
    categories: tuple[str, ...] = ()
    published: Timestamp | None = None
    updated: Timestamp | None = None
    enclosures: Annotated[tuple[Enclosure, ...], "named enclosure"] = ()
    image: WebAddress | None = None
    comments: WebAddress | None = None
    in_reply_to: Annotated[tuple[WebAddress, ...], "no setting"] = ()
    """The answered posts."""
    rights: str | None = None
    origin: Annotated[Origin | None, "named source"] = None
    language: Annotated[str | None, "language tag"] = None
    episode: Episode | None = None
    withheld: Annotated[tuple[str, ...], "no setting"] = ()
    """The files left out because their addresses hold a secret of the config, here by name."""


class ParsedEntry(Facts, frozen=True, kw_only=True):
    """An entry as in the feed."""

    id: str
    """The entry's own id if unique in the feed, else a fall-back as lasting as the entry (link,
    else a hash of title and text)."""
    title: Text | None = None
    summary: Text | None = None
    content: Text | None = None


class ProfileLink(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A page elsewhere of whoever writes a feed."""

    name: str
    """The name of the page."""
    url: Annotated[str, msgspec.Meta(pattern="^(?:[Hh][Tt][Tt][Pp][Ss]?://|mailto:)")]
    """An absolute http or https address, or `mailto:…`, which only the operator can give."""


PAGE = "hfeed"
"""The format of a web page read as a feed."""


class Profile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The words of a feed about itself, in plain text and absolute addresses."""

    format: str
    """`rss20`, `atom10`, `json11`, `hfeed` (a web page), `bluesky`, `activitystreams`, …"""
    id: str | None = None
    title: str | None = None
    link: WebAddress | None = None
    description: str | None = None
    author: str | None = None
    image: WebAddress | None = None
    language: str | None = None
    rights: str | None = None
    updated: Timestamp | None = None
    explicit: bool | None = None
    reader: str | None = None
    """The library in place of Planet's own reader, for damaged XML."""
    hints: Hints = Hints()


class ParsedFeed(msgspec.Struct, frozen=True, kw_only=True):
    """A whole feed: entries in the order of the document, ids unique."""

    profile: Profile
    entries: tuple[ParsedEntry, ...] = ()
    notes: tuple[str, ...] = ()
    """Oddities, in words for the operator; never a reason to refuse the feed."""
