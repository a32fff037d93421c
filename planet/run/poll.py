"""Feeds → answers → store: the one way to ask, and the run that asks those that are due.

`poll` makes all requests there are: for runs, subscription lists, discovery, recovery and looking
at single feeds. Whom it asks, what is written down meanwhile and how a body is read is handed in.
"""

from __future__ import annotations

import logging
from collections import deque
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from statistics import median_low
from typing import TYPE_CHECKING, TypeVar

from planet.model import ParseResult, Picks
from planet.parse import PARSER
from planet.report import FeedNames, explain_due, format_count
from planet.run import ingest
from planet.run.runtime import Scope, cleaning, present, remembered
from planet.schedule import (
    KnownFeeds,
    changes_pages,
    current_state,
    estimate_now,
    find_host,
    find_merges,
    is_measuring,
    mark_clock_setback,
    match_renamed_feeds,
    next_poll,
    select_due,
    select_unread,
    set_merged_into,
    usual_interval,
)
from planet.schedule.constants import (
    CLOCK_DOUBTED,
    CLOCK_SET,
    CLOCK_WITNESSES,
    CLOCK_WRONG,
    FLOOR,
    RUN_EVERY,
    RUNS_SEEN,
)
from planet.schedule.health import advise, check_alarm
from planet.text import address
from planet.text.address import redact

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Generator,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from datetime import datetime

    from planet.config import Config
    from planet.errors import FeedError
    from planet.model import Counts, Feed, FeedState, Fetched, HostState, PollRequest
    from planet.report import Report
    from planet.run.journal import PollJournal
    from planet.run.runtime import Run
    from planet.run.workers import Call
    from planet.store import FeedStates


R = TypeVar("R")

_LOG = logging.getLogger(__name__)

_AHEAD = 32
"""Bodies that may wait for a worker while others are still arriving."""


def poll(
    requests: Sequence[PollRequest],
    journal: PollJournal,
    run: Run,
    *,
    read: Callable[[Feed], Callable[[Fetched], R]] | None = None,
    anywhere: bool = False,
    on_disk: Iterable[PollRequest] = (),
) -> Iterator[tuple[Feed, Fetched, R | FeedError | None]]:
    """Make the requests, each once, and read what comes: the only code that does.

    First come the bodies that an earlier run left unread `on_disk`, then the answers, in the order
    in which they arrive. `read` gives what turns a body into a result; workers do that while others
    arrive. A request that is not made, and a failure that the journal holds back, is not yielded.
    Where it is `anywhere`, a cluster asks and reads, if there is one.

    Raises:
        StateError: what came cannot be stored.
    """
    waiting: deque[tuple[Feed, Fetched, Call[R] | None]] = deque()

    def first() -> tuple[Feed, Fetched, R | FeedError | None]:
        feed, fetched, call = waiting.popleft()
        return feed, fetched, call.result() if call else None

    elsewhere: list[PollRequest] = []
    cluster = run.cluster if anywhere else None
    if cluster and read:
        elsewhere = [request for request in requests if not request.feed.is_file]
        requests = [request for request in requests if request.feed.is_file]
    with closing(_arriving(requests, journal, run, [*on_disk])) as arriving:
        for feed, fetched in arriving:
            has_body = fetched.body is not None
            call = run.workers.call(read(feed), fetched) if read and has_body else None
            waiting.append((feed, fetched, call))
            while waiting and (_is_ready(waiting[0][2]) or len(waiting) > _AHEAD):
                yield first()
        while waiting:
            yield first()
    if cluster and read:
        yield from cluster.poll(elsewhere, journal, run.web, read, notices=run.notices)
    for feed, fetched in journal.held():
        yield feed, fetched, None


def _arriving(
    requests: Sequence[PollRequest], journal: PollJournal, run: Run, on_disk: Sequence[PollRequest]
) -> Generator[tuple[Feed, Fetched], None, None]:
    # Most runs have neither, and do without `Run.web`.
    if on_disk:
        yield from run.web.recall(on_disk)
    if requests:
        with closing(run.web.fetch(requests, journal)) as coming:
            yield from journal.holding_back(coming)


def _is_ready(call: Call[R] | None) -> bool:
    return call is None or call.done()


def chosen(
    feeds: Sequence[Feed],
    states: Mapping[str, FeedState],
    hosts: Mapping[str, HostState],
    *,
    reader: str = PARSER,
    scope: Scope = Scope(),  # noqa: B008 - it is frozen
    now: datetime,
    idle: Collection[str] = (),
    run_every: timedelta = RUN_EVERY,
) -> tuple[list[PollRequest], list[PollRequest]]:
    """The feeds to ask, and those of the others whose body on disk `reader` has not read.

    Of those whose keys are `idle` it is known that they are neither due nor unread. `run_every` is
    the usual time from one run to the next.
    """
    known = KnownFeeds(feeds, states, hosts, reader)
    requests = select_due(known, now=now, idle=idle, force=scope.force, run_every=run_every)
    asked = [request for request in requests if scope.asks(request.feed)]
    keys = {request.feed.key for request in asked}
    left = [
        request
        for request in select_unread(known, idle=idle)
        if scope.includes(request.feed) and request.feed.key not in keys
    ]
    if _LOG.isEnabledFor(logging.INFO):
        _log_choice(feeds, states, hosts, asked=keys)
        for request in left:
            _LOG.info("%s: its body on disk is read", _name_of(request.feed))
    return asked, left


def _log_choice(
    feeds: Iterable[Feed],
    states: Mapping[str, FeedState],
    hosts: Mapping[str, HostState],
    *,
    asked: Collection[str],
) -> None:
    """Log for each feed whether it is asked in this run, and why."""
    for feed in feeds:
        verb = "is asked" if feed.key in asked else "is not asked in this run"
        state = states.get(feed.key)
        when = _due(feed, state, find_host(feed, state, hosts))
        _LOG.info("%s: %s: %s", _name_of(feed), verb, when)


def _due(feed: Feed, state: FeedState | None, host: HostState | None) -> str:
    """Return when a feed is to be asked next, and why then, in words for a log."""
    if not feed.enabled:
        return "not enabled"
    if feed.is_file:
        return "a file is read in every run"
    at, reason = next_poll(feed, state, host)
    why = explain_due(state, reason) if state and reason else "never asked before"
    return f"due {at:%Y-%m-%d %H:%M:%S} UTC ({why})" if at else why


def _name_of(feed: Feed) -> str:
    """Return what to call a feed in a log."""
    return redact(feed.redact(feed.key))


def update(
    config: Config, feeds: Sequence[Feed], *, run: Run, scope: Scope, report: Report
) -> None:
    """Ask the feeds that are due, and keep what they say."""
    everything = (*feeds, *config.subscriptions)
    report.names = FeedNames(everything, run.store.titles)
    states = followed(everything, run)
    _merge_feeds(config, feeds, states, run, report)
    left_out = sorted(states.keys() - {feed.key for feed in everything})
    journal = run.journal()
    now = run.clock()
    run_every = _run_every(feeds, run, scope, now)
    as_kept, idle = ingest.as_kept(feeds, states, store=run.store, now=now, run_every=run_every)
    requests, on_disk = chosen(
        feeds, as_kept, journal.hosts, scope=scope, now=now, idle=idle, run_every=run_every
    )
    report.expect(len(requests))
    read = partial(_reading, config=config, states=states, run=run)
    parts = _in_parts(requests, states, run)
    for part in parts:
        journal.is_last = part is parts[-1]
        for feed, fetched, result in poll(
            part, journal, run, read=read, anywhere=True, on_disk=on_disk
        ):
            _keep(feed, fetched, result, states, left_out, run, report)
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
    history = run.store.history
    if scope == Scope():
        started = *(at for at in history.started if at < now), now
        if is_measuring(started):
            history = replace(history, started=started[-RUNS_SEEN:])
            run.store.keep_history(history)
    return usual_interval(history.started)


def _in_parts(
    requests: list[PollRequest], states: Mapping[str, FeedState], run: Run
) -> list[list[PollRequest]]:
    """All requests at once; where the clock here may have leapt, those first that can tell.

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
    clocks, history = run.clocks, run.store.history
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
        run.store.keep_history(replace(history, clock_ahead=ahead, leapt_at=leapt_at))


def followed(feeds: Sequence[Feed], run: Run) -> FeedStates:
    """What is known of the feeds, where one whose new address is in the config takes its past."""
    states = remembered(run)
    moved = match_renamed_feeds(feeds, states)
    for old_key, feed in moved:
        # The body first: killed in between, the next run finds the old key again.
        run.web.rename(old_key, feed)
        run.store.rename(old_key, feed)
    return run.store.states() if moved else states


def _merge_feeds(
    config: Config, feeds: Sequence[Feed], states: FeedStates, run: Run, report: Report
) -> None:
    """Have one feed asked for several that lead to one address, and each again that does not."""
    odd = {feed.key: states[feed.key] for feed in feeds if not states.is_well(feed.key)}
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


def _reading(
    feed: Feed, *, config: Config, states: FeedStates, run: Run
) -> Callable[[Fetched], ParseResult]:
    """How an answer of a feed is read: what is known of its entries already is left out."""
    state = states.get(feed.key)
    return partial(
        ingest.read_answer,
        stored=ingest.stored_digests(feed, state, store=run.store),
        clean_first=feed.new_feed_entries,
        cleaning=cleaning(config),
        episodes_only=feed.picks is Picks.ONLY,
        include=feed.include,
        read_as=ingest.read_as(feed, state),
        redactor=run.redactor,
    )


def _keep(
    feed: Feed,
    fetched: Fetched,
    result: ParseResult | FeedError | None,
    states: FeedStates,
    left_out: Sequence[str],
    run: Run,
    report: Report,
) -> None:
    """Store and tell what came of asking a feed."""
    before = states.get(feed.key)
    state, kept = ingest.keep(feed, fetched, result, before, store=run.store, left=left_out)
    states[feed.key] = state
    if _LOG.isEnabledFor(logging.INFO):
        _log_kept(feed, result, state, kept, run)
    report.add(
        feed, fetched, state, result, kept, advice=advise(feed, state), before=advise(feed, before)
    )


def _log_kept(
    feed: Feed, result: ParseResult | FeedError | None, state: FeedState, kept: Counts, run: Run
) -> None:
    """Log what was kept of an answer, and when the feed is asked next."""
    name = _name_of(feed)
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
    when = _due(feed, state, run.store.host(address.server(state.asked_url or feed.url)))
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
        wanted = [feed for feed in feeds if feed.enabled and scope.asks(feed)]
        active = {key for key, state in states.items() if state.given_up is None}
        report.resting += len({feed.key for feed in wanted} & active - asked)


def _sum_up(
    config: Config, feeds: Sequence[Feed], states: FeedStates, run: Run, report: Report
) -> None:
    """Tell how the planet is as a whole, and whether what came can be trusted."""
    for feed in (*feeds, *config.subscriptions):
        if not states.is_well(feed.key):
            report.concern(feed, states[feed.key], advise(feed, states[feed.key]))
    last, now = states.last_success(feed.key for feed in feeds if feed.enabled), run.clock()
    if last is None or now - last > 2 * FLOOR:
        report.alarm = check_alarm(feeds, states, now=now)
    enabled = [feed.key for feed in feeds if feed.enabled]
    if config.subscriptions and not enabled:
        report.refuse("no subscription list could be read, and no feed is known without one")
    asked = [key for key in enabled if not (key in states and states[key].merged_into)]
    if report.outcomes and all(key in states and states[key].failures for key in asked):
        report.refuse("every feed failed; the site stays as it was")


def forget(config: Config, feeds: Sequence[Feed], states: FeedStates, run: Run) -> None:
    """Let go of episodes and of bodies that no feed will come back for."""
    run.store.drop_episodes(except_of=[f.key for f in feeds if f.picks is Picks.ONLY])
    wanted = {feed.key: feed for feed in (*feeds, *config.subscriptions)}
    if any(feed.enabled and states.is_interrupted(key) for key, feed in wanted.items()):
        # Its body may be there under an address that nobody lived to write down.
        return
    left = [key for key in states if key not in wanted and states.answered_url(key)]
    if left or run.is_connected:
        run.web.keep_only((feed, states.answered_url(key)) for key, feed in wanted.items())
    for key in left:
        run.store.keep(replace(states[key], answered_url=None))


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
