"""What is known again of entries after the state was lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What a published site says of an entry."""

    slug: str
    """Of its source."""
    uid: str
    """The id it is published with."""
    first_seen: datetime
    filed: datetime
    """The moment it stands under, to the second."""
    modified: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """How an entry is to be stored that was met before the state was lost."""

    number: int | None = None
    """Its place among all that were: a higher one was met later. None is the next that is free."""
    first_seen: datetime
    changed_at: datetime
    dated: datetime
