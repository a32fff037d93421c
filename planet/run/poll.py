"""Feeds → store: ask those whose turn it is, read what is new, keep it."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from datetime import timedelta
from itertools import chain
from statistics import median_low
from typing import TYPE_CHECKING

from planet.errors import StateError
from planet.model import Picks
from planet.parse import PARSER
from planet.report import counted
from planet.run import ingest
from planet.run.ingest import read
from planet.run.runtime import PollJournal, cleaning, present, remembered
from planet.schedule import believable, due, forced, renamed, undone, unread
from planet.schedule.advice import advice, alarm
from planet.schedule.constants import CLOCK_WRONG, OLDEST_NOW
from planet.text import address
from planet.text.headers import age, http_date

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.model import Feed, FeedState, Fetched, HostState, ParseResult, PollRequest
    from planet.report import Report
    from planet.run.runtime import Run, Scope
    from planet.run.workers import Call


_AHEAD = 32
"""Bodies that may wait for a worker while others are still arriving."""


def update(
    config: Config, feeds: Sequence[Feed], *, run: Run, scope: Scope, report: Report
) -> None:
    """Ask the feeds whose turn it is, and keep what they say."""
    if (now := run.clock()) < OLDEST_NOW:
        raise StateError(
            f"the clock of this machine says {now:%Y-%m-%d %H:%M} UTC, which cannot be: set it "
            "first, or what is found now is dated so for ever; nobody was asked"
        )
    dates: dict[str, datetime] = {}
    memories = followed((*feeds, *config.subscriptions), run)
    left_out = sorted(memories.keys() - {feed.key for feed in (*feeds, *config.subscriptions)})
    ledger = PollJournal(run, host_gap=config.fetch.host_gap)
    known = ingest.as_kept(feeds, memories, store=run.store, episodes=run.episodes)
    turns, left = turns_of(feeds, known, ledger.hosts, scope=scope, now=run.clock())
    report.expect(len(turns))
    # First from disk, where an earlier run was cut short, then from the web.
    with closing(run.web.fetch(turns, ledger)) as coming:
        arrivals = chain(run.web.recall(left), ledger.heard(coming), ledger.held())
        for feed, fetched, call in _read_ahead(arrivals, config, memories, run):
            _keep(feed, fetched, call, memories, left_out, run, report)
            if fetched.asked and (said := http_date(fetched.headers.get("date", ""))):
                dates[address.host(fetched.url)] = said + age(fetched.headers)
    _compare_clocks([*dates.values()], run, report)
    _count_passed_over(feeds, turns, memories, ledger, scope=scope, report=report)
    if run.reach.is_outage:
        _undo(memories, run, report)
    else:
        forget(config, feeds, memories, run)
    _sum_up(config, feeds, memories, run, report)


def _compare_clocks(answered: Sequence[datetime], run: Run, report: Report) -> None:
    """Write down what to take for the present, by what the clocks of servers say; one may be wrong.

    The operator is told when several say that it is the clock here that is wrong.
    """
    now = run.clock()
    run.store.believe(believable(now, run.store.believed, answered))
    if len(answered) > 1 and abs(off := now - median_low(answered)) > CLOCK_WRONG:
        days = counted(round(abs(off) / CLOCK_WRONG), "day")
        way = "ahead of" if off > timedelta(0) else "behind"
        report.notice(
            f"the clock of this machine is {days} {way} those of {len(answered)} servers: set it, "
            "or what is new is dated wrong; nothing is deleted by it"
        )


def turns_of(
    feeds: Sequence[Feed],
    memories: Mapping[str, FeedState],
    hosts: Mapping[str, HostState],
    *,
    scope: Scope,
    now: datetime,
) -> tuple[list[PollRequest], list[PollRequest]]:
    """The feeds to ask, and those of the others whose body on disk is to be read."""
    choose = forced if scope.force else due
    turns = [
        turn
        for turn in choose(feeds, memories, hosts, reader=PARSER, now=now)
        if scope.asks(turn.feed)
    ]
    asked = {turn.feed.key for turn in turns}
    left = [
        turn
        for turn in unread(feeds, memories, reader=PARSER)
        if scope.includes(turn.feed) and turn.feed.key not in asked
    ]
    return turns, left


def followed(feeds: Sequence[Feed], run: Run) -> dict[str, FeedState]:
    """What is known of the feeds, where one whose new address is in the config takes its past."""
    memories = remembered(run)
    moved = renamed(feeds, memories)
    for old_key, feed in moved:
        # The body first: killed in between, the next run finds the old key again.
        run.web.rename(old_key, feed)
        run.store.rename(old_key, feed)
        run.episodes.rename(old_key, feed.key)
    return run.store.memories() if moved else memories


def _keep(
    feed: Feed,
    fetched: Fetched,
    call: Call[ParseResult] | None,
    memories: dict[str, FeedState],
    left_out: Sequence[str],
    run: Run,
    report: Report,
) -> None:
    """Store and tell what came of asking a feed."""
    result = call.result() if call else None
    before = memories.get(feed.key)
    memory, kept = ingest.keep(
        feed, fetched, result, before, store=run.store, episodes=run.episodes, left=left_out
    )
    memories[feed.key] = memory
    told, said = advice(feed, before), advice(feed, memory)
    report.hear(feed, fetched, memory, result, kept, advice=said, told=told)


def _count_passed_over(
    feeds: Sequence[Feed],
    turns: Sequence[PollRequest],
    memories: Mapping[str, FeedState],
    ledger: PollJournal,
    *,
    scope: Scope,
    report: Report,
) -> None:
    """Tell how many feeds were not asked, though it was their turn or the operator wanted it."""
    waiting = [
        turn for turn in turns if turn.feed.key not in ledger.begun and not ledger.skipping(turn)
    ]
    resting = sum(ledger.rests(turn) for turn in waiting)
    report.left += len(waiting) - resting
    report.resting += resting
    if scope.force:
        asked = {turn.feed.key for turn in turns}
        wanted = [feed for feed in feeds if feed.enabled and scope.asks(feed)]
        known = {key for key, memory in memories.items() if memory.given_up is None}
        report.resting += len({feed.key for feed in wanted} & known - asked)


def _undo(memories: Mapping[str, FeedState], run: Run, report: Report) -> None:
    """Nothing could be reached: hold it against no feed, and publish nothing."""
    for feed, fetched in run.reach.held:
        run.store.put_memory(undone(memories.get(feed.key), feed, fetched))
    report.outage = True
    report.refuse(
        f"nothing could be reached from here: not one of {len(run.reach.held)} feeds; "
        "the site stays as it was"
    )


def _sum_up(
    config: Config,
    feeds: Sequence[Feed],
    memories: Mapping[str, FeedState],
    run: Run,
    report: Report,
) -> None:
    """Tell how the planet is as a whole, and whether what came can be trusted."""
    for feed in (*feeds, *config.subscriptions):
        memory = memories.get(feed.key)
        report.concern(feed, memory, advice(feed, memory))
    report.alarm = alarm(feeds, memories, now=run.clock())
    enabled = [feed.key for feed in feeds if feed.enabled]
    if config.subscriptions and not enabled:
        report.refuse("no subscription list could be read, and no feed is known without one")
    if report.heard and all(key in memories and memories[key].failures for key in enabled):
        report.refuse("every feed failed; the site stays as it was")


def _read_ahead(
    arrivals: Iterable[tuple[Feed, Fetched]],
    config: Config,
    memories: Mapping[str, FeedState],
    run: Run,
) -> Iterator[tuple[Feed, Fetched, Call[ParseResult] | None]]:
    """The arrivals in their order, while workers read those with news that come after."""
    waiting: deque[tuple[Feed, Fetched, Call[ParseResult] | None]] = deque()
    for feed, fetched in arrivals:
        call: Call[ParseResult] | None = None
        if fetched.body is not None:
            memory = memories.get(feed.key)
            call = run.workers.call(
                read,
                fetched.body,
                url=run.veil.base(fetched.url),
                content_type=fetched.headers.get("content-type"),
                known=ingest.known(feed, memory, store=run.store, episodes=run.episodes),
                clean_first=feed.new_feed_entries,
                cleaning=cleaning(config),
                episodes_only=feed.picks is Picks.ONLY,
                include=feed.include,
                read_as=ingest.read_as(feed, memory),
                veil=run.veil,
            )
        waiting.append((feed, fetched, call))
        while waiting and (_is_ready(waiting[0][2]) or len(waiting) > _AHEAD):
            yield waiting.popleft()
    yield from waiting


def _is_ready(call: Call[ParseResult] | None) -> bool:
    return call is None or call.done()


def forget(
    config: Config, feeds: Sequence[Feed], memories: Mapping[str, FeedState], run: Run
) -> None:
    """Let go of episodes and of bodies that no feed will come back for."""
    run.episodes.keep_only(feed.key for feed in feeds if feed.picks is Picks.ONLY)
    asked = [(feed, memories.get(feed.key)) for feed in (*feeds, *config.subscriptions)]
    if any(feed.enabled and memory and memory.interrupted for feed, memory in asked):
        # Its body may be there under an address that nobody lived to write down.
        return
    run.web.keep_only((feed, memory.answered_url if memory else None) for feed, memory in asked)


def retire(config: Config, feeds: Sequence[Feed], *, run: Run) -> None:
    """Let go of what retention no longer keeps: for good, so only once no site misses it."""
    retention, now = config.retention, present(run)
    # What a filter reads has to last as long as what it decides about.
    reads_texts = any(one.reads_texts for one in (config.filters, *(f.filters for f in feeds)))
    run.store.retire(
        (feed.key for feed in feeds if feed.picks is Picks.ALSO),
        entries_before=now - retention.entries,
        texts_before=now - (retention.entries if reads_texts else retention.content),
    )
