"""What happened in a run, taken down while it goes on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from planet.address import redacted
from planet.model import Outcome, Reading
from planet.report.ending import Exit, FailOn
from planet.report.heard import Heard

if TYPE_CHECKING:
    from datetime import datetime

    from planet.errors import FeedError
    from planet.model import Feed, Fetched, Kept, Memory


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
        return (
            Exit.TOO_MANY_FAILED
            if fail_on.reached(failed=len(self.failed), looked_at=len(self.heard))
            else Exit.DONE
        )

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
        text = json.dumps(said, ensure_ascii=False, indent=2)
        # A command to some CI systems wherever it stands; it can only stand in a string.
        return text.replace("##[", "#\\u0023[")


def _counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
