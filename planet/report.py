"""What happened in a run: words for people, JSON for machines, and the exit code."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from planet.address import redacted
from planet.model import Outcome, Reading

if TYPE_CHECKING:
    from datetime import datetime

    from planet.errors import FeedError
    from planet.model import Feed, Fetched, Kept, Memory


class Exit(IntEnum):
    """How a command ends."""

    DONE = 0
    BUG = 1
    USAGE = 2
    TOO_MANY_FAILED = 3
    UNTRUSTWORTHY = 4
    STATE = 5
    INTERRUPTED = 130


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
        else:
            what = "nothing new"
        return f"{printable(self.name)}: {printable(what)}"

    def as_json(self) -> dict[str, Any]:
        """The same for machines; what is not known is left out."""
        said = {
            "feed": self.feed.key,
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


class Listener:
    """Is told what a report hears, as it hears it. This one does not listen."""

    def expects(self, number: int) -> None:
        """So many more feeds are about to be looked at."""

    def hears(self, heard: Heard) -> None:
        """It is known what became of a feed."""


@dataclass(slots=True, kw_only=True)
class Report:
    """Grows while a run goes on. The only noun that changes."""

    started: datetime
    feeds: int = 0
    """How many the config has."""
    heard: list[Heard] = field(default_factory=list)
    bytes_received: int = 0
    entries: int = 0
    """How many the site shows."""
    written: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    refused: str | None = None
    """Why nothing was published, if what came could not be trusted."""
    listener: Listener = field(default_factory=Listener)

    def expect(self, number: int) -> None:
        """So many feeds are about to be looked at."""
        self.listener.expects(number)

    def hear(
        self,
        feed: Feed,
        fetched: Fetched,
        memory: Memory,
        result: Reading | FeedError | None,
        kept: Kept,
    ) -> None:
        """Take down what became of a feed."""
        failed = memory.failures > 0
        heard = Heard(
            feed=feed,
            name=feed.name or (memory.profile and memory.profile.title) or redacted(feed.url),
            outcome=Outcome.FAILED if failed else fetched.outcome,
            status=fetched.status,
            added=kept.added,
            edited=kept.edited,
            error_kind=memory.error_kind if failed else None,
            error=memory.error if failed else None,
            failures=memory.failures,
            notes=result.notes if isinstance(result, Reading) else (),
            moved_to=memory.moved_to,
        )
        self.heard.append(heard)
        self.bytes_received += fetched.bytes_received
        self.listener.hears(heard)

    def refuse(self, why: str) -> None:
        """Nothing may be published: what came cannot be trusted."""
        self.refused = why

    @property
    def failed(self) -> list[Heard]:
        """The feeds that failed in this run."""
        return [heard for heard in self.heard if heard.outcome is Outcome.FAILED]

    @property
    def added(self) -> int:
        """How many entries are new."""
        return sum(heard.added for heard in self.heard)

    @property
    def changed(self) -> bool:
        """Whether the site is another than before."""
        return bool(self.written or self.deleted)

    def count(self, outcome: Outcome) -> int:
        """How many feeds had this outcome."""
        return sum(heard.outcome is outcome for heard in self.heard)

    def exit_code(self, fail_on: FailOn) -> Exit:
        """How the command ends, when nothing worse happened."""
        if self.refused is not None:
            return Exit.UNTRUSTWORTHY
        return Exit.TOO_MANY_FAILED if fail_on.reached(self) else Exit.DONE

    @property
    def summary(self) -> str:
        """The run in one line."""
        parts = [
            f"{len(self.heard)} of {_counted(self.feeds, 'feed')} looked at",
            f"{self.count(Outcome.NEW)} with news",
            f"{self.count(Outcome.SAME)} unchanged",
            f"{len(self.failed)} failed",
            f"{_counted(self.added, 'new entry', 'new entries')}",
        ]
        return ", ".join(parts)

    @property
    def outcome(self) -> str:
        """What became of the site, in one line."""
        if self.refused is not None:
            return self.refused
        if not self.changed:
            return f"site unchanged ({_counted(self.entries, 'entry', 'entries')})"
        words = [f"{_counted(len(self.written), 'file')} written"]
        if self.deleted:
            words.append(f"{_counted(len(self.deleted), 'file')} deleted")
        return f"{', '.join(words)} ({_counted(self.entries, 'entry', 'entries')})"

    def as_json(self) -> str:
        """The whole report as one JSON object."""
        said = {
            "started": self.started.isoformat(),
            "feeds": self.feeds,
            "new": self.count(Outcome.NEW),
            "same": self.count(Outcome.SAME),
            "failed": len(self.failed),
            "new_entries": self.added,
            "entries": self.entries,
            "bytes_received": self.bytes_received,
            "changed": self.changed,
            "written": list(self.written),
            "deleted": list(self.deleted),
            "refused": self.refused,
            "heard": [heard.as_json() for heard in self.heard],
        }
        return json.dumps(said, ensure_ascii=False, indent=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailOn:
    """How many failed feeds make a run fail: `never`, `any`, a number, or a share in per cent."""

    number: int | None = None
    percent: float | None = None

    @classmethod
    def parse(cls, said: str) -> FailOn:
        """Understand what was said on the command line.

        Raises:
            ValueError: it is none of the four.
        """
        if said == "never":
            return cls()
        if said == "any":
            return cls(number=1)
        if said.endswith("%"):
            share = float(said[:-1])
            if not 0 < share <= 100:
                raise ValueError(said)
            return cls(percent=share)
        number = int(said)
        if number < 1:
            raise ValueError(said)
        return cls(number=number)

    def reached(self, report: Report) -> bool:
        """Whether so many of the feeds looked at have failed."""
        failed, looked_at = len(report.failed), len(report.heard)
        if self.number is not None:
            return failed >= self.number
        if self.percent is not None and looked_at:
            return 100 * failed / looked_at >= self.percent
        return False


def printable(text: str) -> str:
    """Feed text as it may stand on a terminal or in a log, on one line.

    Control and format characters are left out: they could move the cursor, hide text, or end a
    line; and a line that begins with `::` is a command to some CI systems.
    """
    kept = "".join(character if character.isprintable() else " " for character in text)
    folded = " ".join(kept.split())
    return folded.replace("::", ": :", 1) if folded.startswith("::") else folded


def _counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
