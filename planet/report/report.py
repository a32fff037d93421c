"""What happened in a run, taken down while it goes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from planet.model import Outcome, Reading
from planet.report.counted import counted
from planet.report.ending import Exit, FailOn
from planet.report.heard import Concerned, Heard, called, in_a_row
from planet.report.printable import printable_json

if TYPE_CHECKING:
    from datetime import datetime

    from planet.errors import FeedError
    from planet.model import Advice, Feed, Fetched, Kept, Memory


_RESTING = frozenset({"host_cooldown", "retry_later"})
"""The kinds of error that say that a server is to be left alone."""


class Listener:
    """Is told what a report hears, as it hears it. This one does not listen."""

    def expects(self, number: int) -> None:
        """So many more feeds are about to be looked at."""

    def hears(self, heard: Heard) -> None:
        """It is known what became of a feed."""

    def notices(self, words: str) -> None:
        """There is something that the operator should know."""


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
    restored: tuple[str, ...] = ()
    """Those written files that were only missing: the site is the one that it was."""
    deleted: tuple[str, ...] = ()
    left: int = 0
    """How many feeds were due, and wait for another run because the time budget was used up, before
    they were asked or before they had answered."""
    resting: int = 0
    """How many were not asked, or not to the end, because their server is to be left alone."""
    concerned: list[Concerned] = field(default_factory=list)
    """The feeds of the config that need the operator's attention, asked in this run or not."""
    outage: bool = False
    """Whether nothing could be reached from here."""
    alarm: str | None = None
    """Since when nothing has come at all, if that is too long."""
    notices: tuple[str, ...] = ()
    """What the operator should know of the state, and of filters, in words."""
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
        *,
        advice: Advice | None = None,
        told: Advice | None = None,
        is_list: bool = False,
    ) -> None:
        """Take down what became of a feed, or a list; `told` is the advice given before."""
        # An attempt that was put off ends with an error, too, which is not held against the feed.
        is_put_off = fetched.error is not None and fetched.error.kind != memory.error_kind
        failed = memory.failures > 0 and not is_put_off
        heard = Heard(
            feed=feed,
            name=called(feed, memory),
            outcome=_outcome(kept, failed=failed),
            is_list=is_list,
            status=fetched.status,
            added=kept.added,
            edited=kept.edited,
            error_kind=memory.error_kind if failed else None,
            error=memory.error if failed else None,
            failures=memory.failures,
            put_off=str(fetched.error) if is_put_off else None,
            notes=result.notes if isinstance(result, Reading) else (),
            moved_to=feed.told(memory.moved.to) if memory.moved else None,
            advice=advice,
            is_news=_is_news(advice, told),
        )
        self.heard.append(heard)
        self.bytes_received += fetched.bytes_received
        self.left += fetched.error is not None and fetched.error.kind == "out_of_time"
        self.resting += fetched.error is not None and fetched.error.kind in _RESTING
        self.listener.hears(heard)

    def notice(self, words: str) -> None:
        """Take down, once, what the operator should know besides."""
        if words not in self.notices:
            self.notices += (words,)
            self.listener.notices(words)

    def refuse(self, why: str) -> None:
        """Nothing may be published: what came cannot be trusted."""
        self.refused = why

    def concern(self, feed: Feed, memory: Memory | None, advice: Advice | None) -> None:
        """Take down how a feed is after the run, if it needs the operator's attention."""
        if advice is None or advice.concern.can_wait:
            return
        error = memory.error if memory and memory.failures else None
        trouble = in_a_row(error, memory.failures) if memory and error else None
        name = called(feed, memory)
        self.concerned.append(Concerned(feed=feed, name=name, trouble=trouble, advice=advice))

    @property
    def looked_at(self) -> list[Heard]:
        """The feeds that are heard of, without the lists of feeds."""
        return [heard for heard in self.heard if not heard.is_list]

    @property
    def failed(self) -> list[Heard]:
        """The feeds that failed in this run."""
        return [heard for heard in self.looked_at if heard.outcome is Outcome.FAILED]

    @property
    def added(self) -> int:
        """How many entries are new."""
        return sum(heard.added for heard in self.heard)

    @property
    def changed(self) -> bool:
        """Whether the site is another than before."""
        return bool(self.deleted or set(self.written).difference(self.restored))

    def count(self, outcome: Outcome) -> int:
        """How many feeds had this outcome."""
        return sum(heard.outcome is outcome for heard in self.looked_at)

    @property
    def succeeded(self) -> float | None:
        """The share of the feeds looked at that did not fail; None when none was."""
        if not self.looked_at:
            return None
        return round(1 - len(self.failed) / len(self.looked_at), 4)

    def exit_code(self, fail_on: FailOn) -> Exit:
        """How the command ends, when nothing worse happened."""
        if self.refused is not None:
            return Exit.UNTRUSTWORTHY
        return (
            Exit.TOO_MANY_FAILED
            if fail_on.reached(failed=len(self.failed), looked_at=len(self.looked_at))
            else Exit.DONE
        )

    @property
    def summary(self) -> str:
        """The run in one line."""
        parts = [
            f"{len(self.looked_at)} of {counted(self.feeds, 'feed')} looked at",
            *([f"{news} with news"] if (news := self.count(Outcome.NEW)) else []),
            f"{sum(heard.is_unchanged for heard in self.looked_at)} unchanged",
            f"{len(self.failed)} failed",
            counted(self.added, "new entry", "new entries"),
        ]
        if lists := len(self.heard) - len(self.looked_at):
            parts.append(f"{counted(lists, 'list')} of feeds failed")
        if self.left:
            parts.append(f"{self.left:,} left for the next run")
        if self.resting:
            parts.append(f"{self.resting:,} resting")
        if self.concerned:
            parts.append(f"{len(self.concerned):,} in need of attention (see planet status)")
        return ", ".join(parts)

    @property
    def outcome(self) -> str:
        """What became of the site, in one line."""
        if self.refused is not None:
            return self.refused
        if not self.written and not self.deleted:
            return f"site unchanged ({counted(self.entries, 'entry', 'entries')})"
        words = [f"{counted(len(self.written), 'file')} written"]
        if self.deleted:
            words.append(f"{counted(len(self.deleted), 'file')} deleted")
        return f"{', '.join(words)} ({counted(self.entries, 'entry', 'entries')})"

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
            "left": self.left,
            "resting": self.resting,
            "concerns": len(self.concerned),
            "outage": self.outage,
            "succeeded": self.succeeded,
            "alarm": self.alarm,
            "notices": list(self.notices),
        }
        return printable_json(said)


def _outcome(kept: Kept, *, failed: bool) -> Outcome:
    if failed:
        return Outcome.FAILED
    # Another body, or another date in it, is no news.
    return Outcome.NEW if kept.added or kept.edited else Outcome.SAME


def _is_news(advice: Advice | None, told: Advice | None) -> bool:
    """Whether the operator should be told of it now."""
    if advice is None or advice.concern.can_wait:
        return False
    return told is None or told.concern is not advice.concern
