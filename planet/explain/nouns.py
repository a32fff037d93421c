"""What there is to say of an entry, and of all that is known."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from planet.config import Config
    from planet.model import Entry, Feed, HostMemory, Memory, Post
    from planet.select import Decision


class Fate(StrEnum):
    """What becomes of an entry."""

    SHOWN = "shown"
    PICKED = "picked"
    """It was picked, and is shown for that."""
    DUPLICATE = "duplicate"
    """Another feed's copy of it is shown."""
    DROPPED = "dropped"
    """A setting speaks against it; `Verdict.decision` says which."""
    DISABLED = "disabled"
    """Its feed is switched off."""
    ELSEWHERE = "edition"
    """The edition does not show its feed."""
    LEFT = "left"
    """Its feed is not in the config any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What becomes of an entry, and why."""

    entry: Entry
    fate: Fate
    feed: Feed | None
    """None when it is not in the config any more."""
    name: str
    """What its feed is called."""
    when: datetime
    """The moment it is filed under."""
    decision: Decision | None = None
    by_planet: bool = False
    """Whether the planet's filters decided, not the feed's own settings."""
    post: Post | None = None
    """What is shown of it, or in its place."""
    place: int | None = None
    """Where that stands among all posts; 0 is the newest."""
    place_in_source: int | None = None
    """The same among the posts of its source."""
    lists: tuple[str, ...] = ()
    """The lists it was picked for, besides the planet's own."""
    listed: bool = True
    """Whether its feed still lists it, as far as is known."""

    @property
    def is_shown(self) -> bool:
        """Whether readers find the entry itself."""
        return self.fate in (Fate.SHOWN, Fate.PICKED)

    @property
    def reason(self) -> str:
        """A word for machines: the fate, or what of the settings speaks against the entry."""
        if self.fate is Fate.DROPPED and self.decision is not None:
            return self.decision.reason
        return self.fate


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """All that is known of feeds and entries, with a verdict for each entry, newest first."""

    config: Config
    feeds: Mapping[str, Feed]
    memories: Mapping[str, Memory]
    hosts: Mapping[str, HostMemory]
    verdicts: tuple[Verdict, ...]
    names: Mapping[str, str]
    """What the feeds are called, by key."""
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer in words. Feed text is in it: it is for `report.printable`."""

    reason: str
    """A word for machines."""
    subject: str
    """What it is about."""
    words: tuple[str, ...]
    """Sentences, each on a line of its own."""
