"""What came of looking at an address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planet.address import redacted

if TYPE_CHECKING:
    from datetime import datetime

    from planet.errors import FeedError
    from planet.model import Draft, Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedFeed:
    """A feed as it is now, or as it was when it last could be asked; everything in it is clean."""

    url: str
    """The address that answered."""
    profile: Profile
    """What the feed says of itself: title, link, description, language, and more."""
    entries: tuple[Draft, ...]
    """In the order of the document. Titles and summaries are plain text, `content` is clean HTML,
    `raw` is what the feed sent; moments are UTC."""
    asked: bool
    """Whether its server was asked; if not, this is from the cache."""
    notes: tuple[str, ...] = ()
    """What was odd about it, in words."""

    @property
    def title(self) -> str:
        """What the feed is called: its title, else its address."""
        return self.profile.title or redacted(self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class Peek:
    """What came of looking at one address."""

    said: str
    """The address as it was given, without what may be secret."""
    result: FetchedFeed | FeedError
    next_at: datetime | None = None
    """When it is asked again at the earliest; None: nothing stands in the way."""
