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
    is_list: bool = False
    """Whether it is no feed, but a list of feeds on the web."""
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
    def was_asked(self) -> bool:
        """Whether it was asked for in this run, and not only read anew from what was on disk."""
        came = self.status is not None or self.error is not None
        return self.put_off is None and (came or self.feed.is_file)

    @property
    def is_unchanged(self) -> bool:
        """Whether it is known to be as it was."""
        return self.outcome is Outcome.SAME and self.put_off is None

    @property
    def line(self) -> str:
        """The feed's line in the words of a run."""
        return printable(f"{self.name}: {self.what}")

    @property
    def what(self) -> str:
        """What came of it, in words that may be a server's."""
        if self.error is not None:
            return in_a_row(self.error, self.failures)
        if self.put_off is not None:
            return self.put_off
        if self.outcome is Outcome.NEW:
            return f"{self.added} new, {self.edited} edited"
        if self.status == HTTPStatus.NOT_MODIFIED:
            return "not modified (304)"
        return "nothing new"

    def as_json(self) -> dict[str, Any]:
        """The same for machines; what is not known is left out."""
        said = {
            "feed": redacted(self.feed.key),
            "name": self.name,
            "url": redacted(self.feed.written_url),
            "outcome": self.outcome,
            "is_list": self.is_list or None,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Concerned:
    """A feed of the config that needs the operator's attention, asked in this run or not."""

    feed: Feed
    name: str
    trouble: str | None
    """What is wrong with it, in words that may be a server's; None for one that has only moved."""
    advice: Advice


def in_a_row(error: str, failures: int) -> str:
    """An error, and how often in a row it has come by now."""
    return f"{error} ({failures} times in a row)" if failures > 1 else error


def called(feed: Feed, memory: Memory | None) -> str:
    """What to call a feed: as the operator does, else as it calls itself, else its address."""
    title = memory.profile.title if memory and memory.profile else None
    return feed.name or title or redacted(feed.written_url)
