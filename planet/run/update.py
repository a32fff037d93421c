"""The feeds that are due → their answers → the store."""

from __future__ import annotations

import logging
from datetime import timedelta
from functools import partial
from statistics import median_low
from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.model import ParseResult, Picks
from planet.parse import PARSER
from planet.report import FeedNames, FeedUpdate, format_count
from planet.run import ingest
from planet.run.maintain import forget
from planet.run.open import Scope, cleaning, migrate_moved_feeds
from planet.run.poll import describe_due, log_name, plan_polls, poll
from planet.run.read import ReadOptions, read_answer
from planet.schedule import (
    KnownFeeds,
    changes_pages,
    current_state,
    estimate_now,
    find_merges,
    is_measuring,
    mark_clock_setback,
    set_merged_into,
    usual_interval,
)
from planet.schedule.constants import (
    CLOCK_DOUBTED,
    CLOCK_SET,
    CLOCK_WITNESSES,
    CLOCK_WRONG,
    RUN_EVERY,
    RUNS_SEEN,
)
from planet.schedule.health import advise, check_alarm
from planet.text import address
from planet.text.address import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.errors import FeedError
    from planet.model import Counts, Feed, FeedState, Fetched, PollRequest, PollResult
    from planet.report import Report
    from planet.run.journal import PollJournal
    from planet.run.open import Run


_LOG = logging.getLogger(__name__)


def update(
    config: Config, feeds: Sequence[Feed], *, run: Run, scope: Scope, report: Report
) -> None:
    """Ask the feeds that are due, and keep what they say."""
    everything = (*feeds, *config.subscriptions)
    states = migrate_moved_feeds(everything, run)
    report.names = FeedNames(everything, states)
    _merge_feeds(config, feeds, states, run, report)
    left_out = sorted(states.keys() - {feed.key for feed in everything})
    journal = run.journal()
    now = run.clock()
    run_every = _run_every(feeds, run, scope, now)
    readable = ingest.reset_changed_readers(feeds, states, store=run.store)
    requests, on_disk = plan_polls(
        KnownFeeds(feeds, readable, journal.hosts, PARSER),
        scope=scope,
        now=now,
        run_every=run_every,
    )
    report.expect(len(requests))
    read = partial(_choose_reader, config=config, states=states, run=run)
    parts = _split_by_witness(requests, states, run)
    for part in parts:
        journal.is_last = part is parts[-1]
        for answer in poll(part, journal, run, read=read, on_disk=on_disk):
            _keep(answer, states, left_out, run, report)
        on_disk = []
    run.store.flush()
    while run.notices:
        report.notice(run.notices.pop(0))
    _compare_clocks(run, report)
    if (leap := run.clocks.leap) < timedelta(0):
        for key in journal.begun:
            states[key] = mark_clock_setback(states[key], -leap)
            run.store.keep(states[key])
    _count_passed_over(feeds, requests, states, journal, scope=scope, report=report)
    if run.reach.cut_off and not run.reach.is_outage:
        journal.undo(states)
    if run.reach.is_outage:
        # Nothing could be reached: no feed has failed, and nothing is published.
        journal.undo(states)
        report.outage = True
        unreached = len(run.reach.held) + len(run.reach.cut_off)
        report.refuse(
            f"nothing could be reached from here: not one of {unreached} feeds; "
            "the site stays as it was"
        )
    else:
        forget(config, feeds, states, run)
    _sum_up(config, feeds, states, run, report)


def _run_every(feeds: Sequence[Feed], run: Run, scope: Scope, now: datetime) -> timedelta:
    """Return the usual time from one run to the next; where it matters, this run is counted in.

    It is counted while the time is measured, and not in between: a run that does nothing else then
    leaves the database as it was.
    """
    if not any(feed.policy.releases for feed in feeds):
        return RUN_EVERY
    history = run.store.hosts.history()
    if scope == Scope():
        started = *(at for at in history.started if at < now), now
        if is_measuring(started):
            history = replace(history, started=started[-RUNS_SEEN:])
            run.store.hosts.put_history(history)
    return usual_interval(history.started)


def _split_by_witness(
    requests: list[PollRequest], states: Mapping[str, FeedState], run: Run
) -> list[list[PollRequest]]:
    """Split requests in two where the clock here may have leapt: first those that can tell.

    These are a few to different servers that were well the last time.
    """
    before = run.store.believed
    if run.clocks.before is None or (before and run.clock() - before <= CLOCK_DOUBTED):
        return [requests]
    first: dict[str, PollRequest] = {}
    for request in requests:
        host, state = address.server(request.url), states.get(request.feed.key)
        if host and state and state.is_well and len(first) < CLOCK_WITNESSES:
            first.setdefault(host, request)
    rest = [request for request in requests if request not in first.values()]
    return [[*first.values()], rest] if first else [requests]


def _compare_clocks(run: Run, report: Report) -> None:
    """Write down what to take for the present, by what the clocks of servers say; one may be wrong.

    The operator is told when several say that it is the clock here that is wrong.
    """
    now = run.clock()
    _remember_clock(run, report, now)
    answered = [now - ahead for ahead in run.clocks.ahead.values()]
    # A run that looked at no feed leaves the database as it was.
    if answered or report.outcomes:
        run.store.believe(estimate_now(now, run.store.believed, answered))
    if len(answered) > 1 and abs(off := now - median_low(answered)) > CLOCK_WRONG:
        days = format_count(round(abs(off) / CLOCK_WRONG), "day")
        way = "ahead of" if off > timedelta(0) else "behind"
        report.notice(
            f"the clock of this machine is {days} {way} those of {len(answered)} servers: set it, "
            "or what is new is dated wrong; nothing is deleted by it"
        )


def _remember_clock(run: Run, report: Report, now: datetime) -> None:
    """Write down how far the clock here is ahead of those of servers, and since when it is set."""
    clocks, history = run.clocks, run.store.hosts.history()
    if clocks.stops:
        report.notice(
            "the clock of this machine was set ahead since the last run: nobody is asked until an "
            "hour has passed by it, because what seems to be due may not be"
        )
    if len(clocks.ahead) < 2:
        return
    ahead = median_low(clocks.ahead.values())
    is_new = history.clock_ahead is None or abs(ahead - history.clock_ahead) > CLOCK_SET
    leapt_at = now if clocks.leap > timedelta(0) else None
    if is_new or leapt_at != history.leapt_at:
        run.store.hosts.put_history(replace(history, clock_ahead=ahead, leapt_at=leapt_at))


def _merge_feeds(
    config: Config, feeds: Sequence[Feed], states: dict[str, FeedState], run: Run, report: Report
) -> None:
    """Have one feed asked for several that lead to one address, and each again that does not."""
    odd = {
        feed.key: state for feed in feeds if (state := states.get(feed.key)) and not state.is_well
    }
    if not any(state.moved or state.merged_into for state in odd.values()):
        return

    def sites(feed: Feed) -> list[str]:
        return [site.name for site in config.editions if site.shows(feed)]

    merges, by_key = find_merges(feeds, odd, place_of=sites), {feed.key: feed for feed in feeds}
    for key, before in odd.items():
        into = merges.get(key)
        if before.merged_into == into:
            continue
        states[key] = set_merged_into(current_state(by_key[key], before), into)
        run.store.keep(states[key], shows=changes_pages(before, states[key]))
        if into is not None:
            name = report.names(by_key[key], states[key])
            other = redact(by_key[into].written_url)
            report.notice(
                f"{name} is the same as {other}, to which its address leads for good: only that is "
                "asked from now on (`planet status --patch` prints what to remove)"
            )


def _choose_reader(
    feed: Feed, *, config: Config, states: dict[str, FeedState], run: Run
) -> Callable[[Fetched], ParseResult]:
    """Return what reads an answer of a feed, without the entries that are stored already."""
    state = states.get(feed.key)
    return partial(
        read_answer,
        options=ReadOptions(
            stored=ingest.stored_digests(feed, state, store=run.store, cleaning=cleaning(config)),
            clean_first=feed.new_feed_entries,
            cleaning=cleaning(config),
            episodes_only=feed.picks is Picks.ONLY,
            include=feed.include,
            last_format=ingest.last_format(feed, state),
            redactor=run.redactor,
        ),
    )


def _keep(
    answer: PollResult[ParseResult],
    states: dict[str, FeedState],
    left_out: Sequence[str],
    run: Run,
    report: Report,
) -> None:
    """Store and report what came of asking a feed."""
    feed, fetched, result = answer
    before = states.get(feed.key)
    state, kept = ingest.keep(feed, fetched, result, before, store=run.store, left=left_out)
    states[feed.key] = state
    if _LOG.isEnabledFor(logging.INFO):
        _log_kept(feed, result, state, kept, run)
    report.add(
        FeedUpdate(
            feed=feed,
            fetched=fetched,
            state=state,
            result=result,
            kept=kept,
            advice=advise(feed, state),
            advice_before=advise(feed, before),
        )
    )


def _log_kept(
    feed: Feed, result: ParseResult | FeedError | None, state: FeedState, kept: Counts, run: Run
) -> None:
    """Log what was kept of an answer, and when the feed is asked next."""
    name = log_name(feed)
    if isinstance(result, ParseResult):
        _LOG.debug(
            "%s: read as %s, entries listed: %d", name, result.profile.format, len(result.ids)
        )
    if state.moved:
        verb = "has moved" if state.moved.adopted else "leads for good"
        _LOG.info("%s: %s to %s", name, verb, redact(feed.redact(state.moved.to)))
    what = f"{kept.added} new and {kept.edited} edited entries are kept"
    if state.failures:
        what = f"failed {format_count(state.failures, 'time')} in a row: {state.error_kind}"
    when = describe_due(
        feed, state, run.store.hosts.find(address.server(state.asked_url or feed.url))
    )
    _LOG.info("%s: %s; %s", name, what, when)


def _count_passed_over(
    feeds: Sequence[Feed],
    requests: Sequence[PollRequest],
    states: Mapping[str, FeedState],
    journal: PollJournal,
    *,
    scope: Scope,
    report: Report,
) -> None:
    """Tell how many feeds were not asked, though they were due or the operator wanted it."""
    waiting = [
        request
        for request in requests
        if request.feed.key not in journal.begun and not journal.skipping(request)
    ]
    resting = sum(journal.is_left_alone(address.server(request.url)) for request in waiting)
    report.left += len(waiting) - resting
    report.resting += resting
    if scope.force:
        asked = {request.feed.key for request in requests}
        wanted = [feed for feed in feeds if feed.is_asked and scope.asks(feed)]
        active = {key for key, state in states.items() if state.given_up is None}
        report.resting += len({feed.key for feed in wanted} & active - asked)


def _sum_up(
    config: Config, feeds: Sequence[Feed], states: dict[str, FeedState], run: Run, report: Report
) -> None:
    """Tell how the planet is as a whole, and whether what came can be trusted."""
    for feed in (*feeds, *config.subscriptions):
        if (state := states.get(feed.key)) and not state.is_well:
            report.concern(feed, state, advise(feed, state))
    report.alarm = check_alarm(feeds, states, now=run.clock())
    if config.subscriptions and not any(feed.enabled for feed in feeds):
        report.refuse("no subscription list could be read, and no feed is known without one")
    if report.outcomes and all(
        _gives_nothing(states.get(feed.key)) for feed in feeds if feed.is_asked
    ):
        report.refuse("every feed failed; the site stays as it was")


def _gives_nothing(state: FeedState | None) -> bool:
    """Return whether a feed fails, or another is asked for it."""
    return state is not None and bool(state.failures or state.merged_into)
