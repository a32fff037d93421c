"""What became of one feed in a run."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from planet.address import redacted
from planet.model import Outcome
from planet.report.printable import printable

if TYPE_CHECKING:
    from planet.model import Advice, Feed, Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What became of one feed in this run."""

    feed: Feed
    name: str
    outcome: Outcome
    status: int | None = None
    added: int = 0
    edited: int = 0
    error_kind: str | None = None
    error: str | None = None
    failures: int = 0
    """How often in a row it has failed by now."""
    put_off: str | None = None
    """Why nothing came although it is not held against the feed: it is to come later."""
    notes: tuple[str, ...] = ()
    moved_to: str | None = None
    """Where its address leads for good."""
    advice: Advice | None = None
    """What the operator should do about it."""
    is_news: bool = False
    """Whether that is not what the operator was told before, and should not wait."""

    @property
    def line(self) -> str:
        """The feed's line in the words of a run."""
        if self.error is not None:
            again = f" ({self.failures} times in a row)" if self.failures > 1 else ""
            what = f"{self.error}{again}"
        elif self.put_off is not None:
            what = self.put_off
        elif self.outcome is Outcome.NEW:
            what = f"{self.added} new, {self.edited} edited"
        elif self.status == HTTPStatus.NOT_MODIFIED:
            what = "not modified (304)"
        else:
            what = "nothing new"
        return printable(f"{self.name}: {what}")

    def as_json(self) -> dict[str, Any]:
        """The same for machines; what is not known is left out."""
        said = {
            "feed": redacted(self.feed.key),
            "name": self.name,
            "url": redacted(self.feed.written_url),
            "outcome": self.outcome,
            "status": self.status,
            "added": self.added,
            "edited": self.edited,
            "error": self.error_kind,
            "message": self.error,
            "failures": self.failures,
            "put_off": self.put_off,
            "moved_to": redacted(self.moved_to) if self.moved_to else None,
            "concern": self.advice.concern if self.advice else None,
            "advice": self.advice.words if self.advice else None,
            "notes": self.notes or None,
        }
        return {key: value for key, value in said.items() if value is not None}


def called(feed: Feed, memory: Memory | None) -> str:
    """What to call a feed: as the operator does, else as it calls itself, else its address."""
    title = memory.profile.title if memory and memory.profile else None
    return feed.name or title or redacted(feed.written_url)
