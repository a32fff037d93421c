"""RSS and Atom as they are written: what both readers of XML come to.

Values are strings as the feed has them, without blanks around them: which of them count, and what
they mean, `planet.parse.xml` decides for both. Addresses are relative to what their element says
(`xml:base`), and otherwise as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec


class RawText(msgspec.Struct, frozen=True):
    """A text construct of Atom, or what RSS has in its place."""

    value: str
    media_type: str = ""
    """Empty, or no media type at all, where the feed leaves open what it is."""
    base: str | None = None
    language: str | None = None


class RawLink(msgspec.Struct, frozen=True):
    """A link of Atom, the link of RSS, or an enclosure."""

    href: str
    rel: str = "alternate"
    media_type: str | None = None
    length: str | None = None
    title: str | None = None


class RawPerson(msgspec.Struct, frozen=True):
    """An author, or someone who is heard (podcast:person)."""

    name: str | None
    url: str | None = None


class RawCategory(msgspec.Struct, frozen=True):
    """A category, by its label where it has one."""

    name: str
    is_keyword: bool = False
    """Whether it is meant for the search of iTunes."""


class RawAccount(msgspec.Struct, frozen=True):
    """What somebody is called at a service (source:account)."""

    service: str
    name: str


@dataclass(slots=True)
class RawFile:
    """A media:content, and what stands in it."""

    url: str | None
    media_type: str = ""
    medium: str = ""
    """As it says, else what its type begins with."""
    length: str | None = None
    duration: str | None = None
    width: str | None = None
    title: str | None = None
    description: str | None = None
    is_hidden: bool = False


class RawTranscript(msgspec.Struct, frozen=True):
    """A podcast:transcript."""

    url: str | None
    media_type: str | None
    language: str | None = None


@dataclass(slots=True)
class RawNode:
    """What feeds, their entries, and the sources of entries have in common."""

    id: str | None = None
    page: str | None = None
    """The id, where it may serve as a link."""
    links: list[RawLink] = field(default_factory=list)
    title: RawText | None = None
    summary: RawText | None = None
    """Of a feed its description."""
    authors: list[RawPerson] = field(default_factory=list)
    categories: list[RawCategory] = field(default_factory=list)
    published: str | None = None
    updated: str | None = None
    created: str | None = None
    rights: RawText | None = None
    language: str | None = None
    images: list[str] = field(default_factory=list)
    explicit: str | None = None
    podcasting: dict[str, Any] = field(default_factory=dict)
    """What the podcast namespace says in elements with parts, by names of fields of `Episode`."""


@dataclass(slots=True)
class RawEntry(RawNode):
    """An entry of Atom or an item of RSS."""

    contents: list[RawText] = field(default_factory=list)
    """All texts that may be the whole one."""
    account: RawText | None = None
    """dc:description, which is a summary or the whole text."""
    caption: RawText | None = None
    """media:description, which is about pictures."""
    caption_of_all: str | None = None
    """The same where it stands beside the pictures, not in one."""
    has_permalink: bool = False
    """Whether the id says that it is a link, and does not only leave that open."""
    original: str | None = None
    """What the link was before a service put its own there (feedburner:origLink)."""
    comments: str | None = None
    answered: list[str] = field(default_factory=list)
    """The addresses of posts that it answers (thr:in-reply-to, source:inReplyTo)."""
    markdown: str | None = None
    """What it was written as (source:markdown)."""
    media: list[tuple[RawFile, ...]] = field(default_factory=list)
    """Each file, or all files of a group, which are the same thing."""
    thumbnails: list[str] = field(default_factory=list)
    source: RawNode | None = None
    duration: str | None = None
    episode: str | None = None
    season: str | None = None
    episode_type: str | None = None
    chapters: str | None = None
    transcripts: list[RawTranscript] = field(default_factory=list)
    persons: list[RawPerson] = field(default_factory=list)


@dataclass(slots=True)
class RawChannel(RawNode):
    """What a feed says about itself."""

    ttl: str | None = None
    period: str | None = None
    frequency: str | None = None
    """sy:updatePeriod and sy:updateFrequency."""
    hours: list[str] = field(default_factory=list)
    days: list[str] = field(default_factory=list)
    accounts: list[RawAccount] = field(default_factory=list)


@dataclass(slots=True)
class RawFeed:
    """A whole document."""

    version: str
    """Such as `rss20`, `atom10`; empty where that is not known."""
    channel: RawChannel
    entries: list[RawEntry]
