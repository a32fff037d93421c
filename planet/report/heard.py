"""What became of one feed in a run."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from planet.address import redacted
from planet.model import Outcome
from planet.report.printable import printable

if TYPE_CHECKING:
    from planet.model import Feed


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
    notes: tuple[str, ...] = ()
    moved_to: str | None = None

    @property
    def line(self) -> str:
        """The feed's line in the words of a run."""
        if self.error is not None:
            again = f" ({self.failures} times in a row)" if self.failures > 1 else ""
            what = f"{self.error}{again}"
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
            "url": redacted(self.feed.url),
            "outcome": self.outcome,
            "status": self.status,
            "added": self.added,
            "edited": self.edited,
            "error": self.error_kind,
            "message": self.error,
            "failures": self.failures,
            "moved_to": redacted(self.moved_to) if self.moved_to else None,
            "notes": self.notes or None,
        }
        return {key: value for key, value in said.items() if value is not None}
