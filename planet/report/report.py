"""The report of a run, which grows while the run goes on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from enum import IntEnum, StrEnum
from http import HTTPStatus
from math import inf
from typing import TYPE_CHECKING, Any

import msgspec

from planet.errors import FeedError, Problem, UsageError
from planet.model import CAN_WAIT, Advice, Counts, Feed, FeedState, ParseResult, PollResult
from planet.report.printable import printable, printable_json
from planet.text.address import redact, without_scheme

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime


class Exit(IntEnum):
    """The exit code of a command."""

    DONE = 0
    BUG = 1
    USAGE = 2
    TOO_MANY_FAILED = 3
    UNTRUSTWORTHY = 4
    STATE = 5


class FailOn(msgspec.Struct, frozen=True):
    """How many failed feeds make a run fail; by default no number does."""

    least: float = inf
    is_percent: bool = False
    """Whether `least` is a share of the feeds, in per cent."""


_NEVER = FailOn()


def format_count(number: int, one: str, many: str | None = None) -> str:
    """Format as in "1 feed" and "2,000 feeds"; without `many`, the plural is `one` with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


class Outcome(StrEnum):
    """The fate of one feed in a run."""

    NEW = "new"
    """Entries are new or edited."""
    SAME = "same"
    FAILED = "failed"


class FeedOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The fate of one feed in this run."""

    feed: Feed
    name: str
    outcome: Outcome
    is_list: bool = False
    """Whether this is a list of feeds on the web instead of a feed."""
    status: int | None = None
    added: int = 0
    edited: int = 0
    held: int = 0
    """How many of the new entries are not shown, by `new_feed_entries`."""
    error_kind: str | None = None
    error: str | None = None
    failures: int = 0
    """Failures in a row by now."""
    put_off: str | None = None
    """Why the feed was not asked in this run, without counting as a failure."""
    notes: tuple[str, ...] = ()
    moved_to: str | None = None
    """Where the address leads for good."""
    advice: Advice | None = None
    """Advice for the operator."""
    is_news: bool = False
    """Whether the advice is new and should not wait."""

    @property
    def was_asked(self) -> bool:
        """Tell whether the feed was asked in this run, and not only read again from the cache."""
        has_result = self.status is not None or self.error is not None
        return has_result and self.put_off is None

    @property
    def is_unchanged(self) -> bool:
        """Tell whether the feed is known to be unchanged."""
        return self.outcome is Outcome.SAME and self.put_off is None

    @property
    def line(self) -> str:
        """Return the name and the outcome of the feed, to be printed on one line."""
        return printable(f"{self.name}: {self.words}")

    @property
    def words(self) -> str:
        """Return the outcome in words, which may be a server's and are not safe to print."""
        if self.error is not None:
            return with_failure_count(self.error, self.failures)
        if self.put_off is not None:
            return self.put_off
        if self.outcome is Outcome.NEW:
            return f"{self.added} new, {self.edited} edited"
        if self.status == HTTPStatus.NOT_MODIFIED:
            return "not modified (304)"
        return "nothing new"

    def as_json(self) -> dict[str, Any]:
        """Return the outcome, ready for JSON; unknown and empty facts are left out."""
        names = [name for name in self.__struct_fields__ if name != "feed"]
        known = {name: value for name in names if (value := getattr(self, name))}
        feed = {"feed": redact(self.feed.key), "url": redact(self.feed.written_url)}
        return {**feed, **msgspec.to_builtins(known)}


def with_failure_count(error: str, failures: int) -> str:
    """Append to an error the number of occurrences in a row."""
    return f"{error} ({failures} times in a row)" if failures > 1 else error


def feed_name(feed: Feed, state: FeedState | None) -> str:
    """Return the name of a feed: from the config, else the own title, else the address."""
    title = state.profile.title if state and state.profile else None
    return feed.name or title or redact(feed.written_url)


def name_feeds(feeds: Collection[Feed], states: Mapping[str, FeedState]) -> dict[str, str]:
    """Return the names of feeds by key; where several share one, each with the address."""
    names = {feed.key: feed_name(feed, states.get(feed.key)) for feed in feeds}
    counts = Counter(name.casefold() for name in names.values())
    for feed in feeds:
        if counts[names[feed.key].casefold()] > 1:
            names[feed.key] += f" ({without_scheme(redact(feed.written_url))})"
    return names


def find_feeds(name: str, feeds: Iterable[Feed], states: Mapping[str, FeedState]) -> list[Feed]:
    """Find feeds by a name from `planet status`, an address, an id or a folder.

    Raises:
        UsageError: there is none.
    """
    feeds = list(feeds)
    full_names = name_feeds(feeds, states)
    matching = [
        feed
        for feed in feeds
        if name in {feed.key, feed.slug}
        or without_scheme(name) == without_scheme(feed.url)
        or name.casefold() == feed_name(feed, states.get(feed.key)).casefold()
        or name.casefold() == full_names[feed.key].casefold()
    ]
    if not matching:
        raise UsageError(f"there is no feed {name!r} in the config; `planet status` lists them")
    return matching


def find_feed(name: str, feeds: Iterable[Feed], states: Mapping[str, FeedState]) -> Feed:
    """Find the one feed of a name.

    Raises:
        UsageError: there is none, or there are several.
    """
    feed, *others = find_feeds(name, feeds, states)
    if others:
        urls = ", ".join(redact(feed.written_url) for feed in (feed, *others))
        raise UsageError(f"{name!r} may be any of these: {urls}; say which")
    return feed


def find_keys(
    names: Iterable[str], feeds: Sequence[Feed], states: Mapping[str, FeedState]
) -> frozenset[str] | None:
    """Return the keys of the feeds with these names; None without names.

    Raises:
        UsageError: no feed is called so.
    """
    return frozenset(feed.key for name in names for feed in find_feeds(name, feeds, states)) or None


_NOTHING = Counts()
_LEFT = frozenset({"out_of_time", "host_cooldown", "retry_later"})
"""The kinds of error of a request for the next run to make."""


class Listener:
    """The listener of a growing report; this one does nothing."""

    def on_start(self, number: int) -> None:
        """Learn the number of feeds to poll."""

    def on_outcome(self, outcome: FeedOutcome) -> None:
        """Learn the outcome of a feed."""

    def on_file(self) -> None:
        """Learn of a file of a site, made or unchanged."""

    def on_notice(self, words: str) -> None:
        """Learn a notice for the operator."""


@dataclass(slots=True, kw_only=True)
class Report:
    """The events of a run: the only noun to change."""

    started: datetime
    feeds: int = 0
    """How many the config has."""
    outcomes: list[FeedOutcome] = field(default_factory=list)
    bytes_received: int = 0
    entries: int = 0
    """How many the site shows; with editions, those of all sites."""
    sites: int = 0
    written: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    """The written files that were only missing, in an unchanged site."""
    deleted: tuple[str, ...] = ()
    left: int = 0
    """How many due feeds were not asked, or not to the end: the time budget was used up, or their
    server is to be left alone."""
    issues: list[Problem] = field(default_factory=list)
    """The feeds of the config in need of the operator, asked in this run or not."""
    news: list[Problem] = field(default_factory=list)
    """Those without a need before."""
    outage: bool = False
    """Whether nothing could be reached from here."""
    alarm: str | None = None
    """A warning when no feed at all has come for too long."""
    notices: tuple[str, ...] = ()
    """Notices about the state and about filters, in words."""
    refused: str | None = None
    """Why nothing was published, if the results could not be trusted."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The names of feeds, by key, as before the run."""
    listener: Listener = field(default_factory=Listener)

    def add(
        self,
        polled: PollResult[ParseResult],
        state: FeedState,
        *,
        kept: Counts = _NOTHING,
        advice: Advice | None = None,
        advice_before: Advice | None = None,
        is_list: bool = False,
    ) -> None:
        """Add the outcome of a feed or a list.

        `state` is the new state, `kept` the numbers of new entries, `advice` the advice for the
        operator, and `advice_before` the advice before this run.
        """
        feed, fetched, result = polled
        # An attempt that was put off has an error, too, which does not count.
        error = fetched.error or (result if isinstance(result, FeedError) else None)
        is_put_off = error is not None and error.kind != state.error_kind
        failed = state.failures > 0 and not is_put_off
        # Another body without new or edited entries is no news.
        outcome = Outcome.NEW if kept.added or kept.edited else Outcome.SAME
        feed_outcome = FeedOutcome(
            feed=feed,
            name=self.name_of(feed, state),
            outcome=Outcome.FAILED if failed else outcome,
            is_list=is_list,
            status=fetched.status,
            added=kept.added,
            edited=kept.edited,
            held=kept.held,
            error_kind=state.error_kind if failed else None,
            error=state.error if failed else None,
            failures=state.failures,
            put_off=str(error) if is_put_off else None,
            notes=result.notes if isinstance(result, ParseResult) else (),
            moved_to=redact(feed.redact(state.moved.to)) if state.moved else None,
            advice=advice,
            is_news=advice is not None
            and advice.concern not in CAN_WAIT
            and (advice_before is None or advice_before.concern != advice.concern),
        )
        self.outcomes.append(feed_outcome)
        if advice and feed_outcome.is_news:
            self.news.append(self._describe_trouble(feed, state, advice))
        self.bytes_received += fetched.bytes_received
        self.left += fetched.error is not None and fetched.error.kind in _LEFT
        self.listener.on_outcome(feed_outcome)

    def notice(self, words: str) -> None:
        """Add a notice for the operator, once."""
        if words not in self.notices:
            self.notices += (words,)
            self.listener.on_notice(words)

    def concern(self, feed: Feed, state: FeedState | None, advice: Advice | None) -> None:
        """Add the state of a feed after the run, if the feed needs the operator."""
        if advice is not None and advice.concern not in CAN_WAIT:
            self.issues.append(self._describe_trouble(feed, state, advice))

    def name_of(self, feed: Feed, state: FeedState | None) -> str:
        """Return the name of a feed."""
        own = feed_name(feed, state)
        name = self.names.get(feed.key, own)
        # It may have another title since this run.
        return name if name.startswith(own) else own

    def _describe_trouble(self, feed: Feed, state: FeedState | None, advice: Advice) -> Problem:
        """Return the trouble of a feed, with advice, at the feed's place in the config."""
        name, url, words = self.name_of(feed, state), redact(feed.written_url), advice.words
        if state and state.failures and state.error:
            error = with_failure_count(state.error, state.failures)
            words = f"{error.removesuffix('.')}. {words}"
        called = name if url.endswith(name) else f"{name} ({url})"
        return Problem(feed.place, f"{called}: {words}", is_warning=True)

    @property
    def problems(self) -> list[Problem]:
        """Return the annotations for a workflow: only new ones, the worst first."""
        refusal = [Problem(None, self.refused)] if self.refused else []
        alarm = [Problem(None, self.alarm, is_warning=True)] if self.alarm else []
        return [*refusal, *alarm, *self.news]

    @property
    def feed_outcomes(self) -> list[FeedOutcome]:
        """Return the outcomes of feeds, without those of lists."""
        return [result for result in self.outcomes if not result.is_list]

    @property
    def failed(self) -> list[FeedOutcome]:
        """Return the failed feeds of this run."""
        return [result for result in self.feed_outcomes if result.outcome is Outcome.FAILED]

    @property
    def added(self) -> int:
        """Return how many entries are new."""
        return sum(result.added for result in self.outcomes)

    @property
    def changed(self) -> bool:
        """Tell whether the site is another than before."""
        return bool(self.deleted or set(self.written).difference(self.restored))

    def exit_code(self, fail_on: FailOn = _NEVER) -> Exit:
        """Return the exit code of the command, when nothing worse happened."""
        if self.refused is not None:
            return Exit.UNTRUSTWORTHY
        failed = float(len(self.failed))
        if fail_on.is_percent:
            failed = 100 * failed / (len(self.feed_outcomes) or 1)
        return Exit.TOO_MANY_FAILED if failed >= fail_on.least else Exit.DONE

    @property
    def summary(self) -> str:
        """Return the results of feeds, in one line."""
        news = sum(result.outcome is Outcome.NEW for result in self.feed_outcomes)
        held = sum(result.held for result in self.outcomes)
        looked_at = sum(result.put_off is None for result in self.feed_outcomes)
        entries = format_count(self.added, "new entry", "new entries")
        parts = [
            f"{looked_at} of {format_count(self.feeds, 'feed')} looked at",
            *([f"{news} with news"] if news else []),
            f"{sum(result.is_unchanged for result in self.feed_outcomes)} unchanged",
            f"{len(self.failed)} failed",
            entries + (f" ({held:,} of them not shown, by new_feed_entries)" if held else ""),
        ]
        others = (
            (len(self.outcomes) - len(self.feed_outcomes), "of the lists of feeds failed"),
            (self.left, "left for the next run"),
            (len(self.issues), "in need of attention (see planet status)"),
        )
        parts += [f"{number:,} {words}" for number, words in others if number]
        return ", ".join(parts)

    @property
    def outcome(self) -> str:
        """Return the changes of the site, in one line."""
        if self.refused is not None:
            return self.refused
        if not (self.sites or self.written or self.deleted):
            return "no site made (planet render makes it)"
        words = "site unchanged"
        if self.written or self.deleted:
            words = f"{format_count(len(self.written), 'file')} written"
        if self.deleted:
            words += f", {format_count(len(self.deleted), 'file')} deleted"
        shown = format_count(self.entries, "entry", "entries")
        if self.sites > 1:
            shown += f" on {self.sites:,} sites"
        return f"{words} ({shown})"

    def as_json(self) -> str:
        """Return the whole report as a JSON object."""
        names = {one.name for one in fields(self)} - {"outcomes", "names", "listener"}
        record = {name: getattr(self, name) for name in sorted(names)}
        record |= {"failed": len(self.failed), "new_entries": self.added, "changed": self.changed}
        outcomes = [outcome.as_json() for outcome in self.outcomes]
        return printable_json(msgspec.to_builtins(record) | {"outcomes": outcomes})
