"""What a feed says: untrusted, links in texts still relative."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from planet.model.noun import noun

if TYPE_CHECKING:
    from datetime import datetime, timedelta


class TextKind(StrEnum):
    """How a feed's text is to be read."""

    TEXT = "text"
    HTML = "html"


@noun
class Text:
    """Text as a feed sent it: untrusted, links still relative."""

    value: str
    kind: TextKind = TextKind.TEXT
    base: str | None = None
    """The absolute address its relative links are resolved against."""


@noun
class Person:
    """Someone who made something. At least one field is set. Mail addresses are not kept."""

    name: Annotated[str | None, "verbatim line"] = None
    url: Annotated[str | None, "verbatim address"] = None


@noun
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


@noun
class Transcript:
    """A transcript of an episode (podcast:transcript)."""

    url: str
    media_type: str
    language: str | None = None


EPISODE_KINDS = frozenset({"full", "trailer", "bonus"})


@noun
class Episode:
    """What podcasting adds to an entry (iTunes and Podcasting 2.0 namespaces)."""

    number: int | None = None
    season: int | None = None
    kind: str | None = None
    """One of `EPISODE_KINDS`."""
    explicit: bool | None = None
    chapters: str | None = None
    transcripts: tuple[Transcript, ...] = ()
    persons: tuple[Person, ...] = ()


@noun
class Origin:
    """The feed that an entry was first in, as the one that carries it says (atom:source)."""

    id: Annotated[str | None, "verbatim line"] = None
    title: Annotated[str | None, "verbatim line"] = None
    link: Annotated[str | None, "verbatim address"] = None
    """Its home page."""
    url: Annotated[str | None, "verbatim address"] = None
    """The feed's own address."""


@noun
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


MADE_ID = "hash:"
"""How an id begins that the parser made, because its entry has none that can be used."""


@noun
class Facts:
    """What is the same of an entry from its feed to the page; each has it as its own fields."""

    link: str | None = None
    """An absolute http or https address."""
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
    withheld: tuple[str, ...] = ()
    """Its files that are left out because their address holds a secret of the config, which has its
    name here."""


@noun
class ParsedEntry(Facts):
    """An entry as its feed says it."""

    id: str
    """The feed's own id where it has one that is unique in the feed, else a fall-back that stays
    the same as long as the entry does (link, else a hash of title and text)."""
    title: Text | None = None
    summary: Text | None = None
    content: Text | None = None


PAGE = "hfeed"
"""What the profile of a feed says of its format when the feed is a web page."""


@noun
class Profile:
    """What a feed says about itself, in plain text and absolute addresses."""

    format: str
    """`rss20`, `atom10`, `json11`, …: feedparser's words, and `json10`, `json11`, `hfeed` (a web
    page), `bluesky`, `activitystreams`."""
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


@noun
class ParsedFeed:
    """A whole feed as it says it: entries in the order of the document, ids unique."""

    profile: Profile
    entries: tuple[ParsedEntry, ...] = ()
    notes: tuple[str, ...] = ()
    """What was odd, in words for the operator; never a reason to refuse the feed."""
